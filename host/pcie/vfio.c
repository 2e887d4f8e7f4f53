/* SPDX-License-Identifier: Apache-2.0
 *
 * Reaches a function through the kernel's VFIO: maps regions where possible,
 * and uses eventfds for MSI-X or polls where there are none.
 */
#include <errno.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gen/base/math.h"
#include "host/pcie/iommu.h"
#include "host/pcie/transport.h"
#include "sim/pcie/message.h"
#include "sim/pcie/wire.h"

#define MILLION 1000000u
#define AREAS_MAX 8
#define WORD 4u
#define POLL_MILLISECONDS 1 /* between two looks at a function without interrupts */

_Static_assert((unsigned)VU_BAR0 == VFIO_PCI_BAR0_REGION_INDEX &&
                   (unsigned)VU_BAR2 == VFIO_PCI_BAR2_REGION_INDEX &&
                   (unsigned)VU_CONFIG == VFIO_PCI_CONFIG_REGION_INDEX &&
                   (unsigned)VU_IRQ_MSIX == VFIO_PCI_MSIX_IRQ_INDEX,
               "vfio-user has the numbers of VFIO");

struct area {
    uint64_t begin, end; /* within the region */
    uint8_t *memory;
};

struct region {
    uint64_t size, offset; /* offset: of the descriptor */
    struct area area[AREAS_MAX];
    unsigned areas;
};

/* What the kernel says beside the vectors. */
enum notice { NOTICE_ERROR, NOTICE_REQUEST, NOTICES };

struct link {
    struct iommu iommu;
    int device;
    int signal[VECTORS], notice[NOTICES];
    struct region region[VU_REGIONS];
    struct strbuf error;
    bool polled, lost;
};

static enum link_status lose(struct link *l, const char *what)
{
    if (!l->lost)
        sb_addf(&l->error, "the function is lost: %s", what);
    l->lost = true;
    return LINK_LOST;
}

/* ---- regions ------------------------------------------------------------------------------------- */

/* What cannot be mapped is read and written through the descriptor. */
static void map_area(struct link *l, struct region *r, uint64_t begin, uint64_t bytes)
{
    if (r->areas == AREAS_MAX || !bytes || begin > r->size || bytes > r->size - begin)
        return;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, l->device, (off_t)(r->offset + begin));
    if (at != MAP_FAILED)
        r->area[r->areas++] = (struct area){.begin = begin, .end = begin + bytes, .memory = at};
}

/* A region with pages that cannot be mapped lists those that can. */
static void map_region(struct link *l, struct region *r, const struct vfio_region_info *info)
{
    struct vfio_region_info_cap_sparse_mmap head;
    const char *cap =
        info->flags & VFIO_REGION_INFO_FLAG_CAPS
            ? iommu_capability(info, info->cap_offset, VFIO_REGION_INFO_CAP_SPARSE_MMAP, sizeof head)
            : NULL;
    if (!cap) {
        map_area(l, r, 0, r->size);
        return;
    }
    memcpy(&head, cap, sizeof head);
    const size_t room = info->argsz - (size_t)(cap - (const char *)info) - sizeof head;
    for (size_t i = 0; i < head.nr_areas && (i + 1) * sizeof *head.areas <= room; i++) {
        struct vfio_region_sparse_mmap_area area;
        memcpy(&area, cap + sizeof head + i * sizeof area, sizeof area);
        map_area(l, r, area.offset, area.size);
    }
}

static bool open_region(struct link *l, unsigned index, uint64_t least)
{
    struct region *r = &l->region[index];
    struct vfio_region_info *info = iommu_ask(l->device, VFIO_DEVICE_GET_REGION_INFO, sizeof *info, index);
    if (!info)
        return false;
    *r = (struct region){.size = info->size, .offset = info->offset};
    const bool ok = (info->flags & VFIO_REGION_INFO_FLAG_READ) &&
                    (info->flags & VFIO_REGION_INFO_FLAG_WRITE) && info->size >= least;
    if (ok && (info->flags & VFIO_REGION_INFO_FLAG_MMAP))
        map_region(l, r, info);
    free(info);
    return ok;
}

static void close_regions(struct link *l)
{
    for (unsigned i = 0; i < VU_REGIONS; i++)
        for (unsigned k = 0; k < l->region[i].areas; k++)
            munmap(l->region[i].area[k].memory, l->region[i].area[k].end - l->region[i].area[k].begin);
}

/* Registers are words of 32 bits. In a window it is words where it can be, and single bytes at the ends:
 * wider ones need not cross every bridge. */
static void load(uint8_t *to, const volatile uint8_t *from, size_t count)
{
    while (count) {
        const size_t step = (uintptr_t)from % WORD || count < WORD ? 1 : WORD;
        if (step == WORD) {
            const uint32_t word = *(const volatile uint32_t *)(const volatile void *)from;
            memcpy(to, &word, WORD);
        } else {
            *to = *from;
        }
        to += step;
        from += step;
        count -= step;
    }
}

static void store(volatile uint8_t *to, const uint8_t *from, size_t count)
{
    while (count) {
        const size_t step = (uintptr_t)to % WORD || count < WORD ? 1 : WORD;
        if (step == WORD) {
            uint32_t word;
            memcpy(&word, from, WORD);
            *(volatile uint32_t *)(volatile void *)to = word;
        } else {
            *to = *from;
        }
        to += step;
        from += step;
        count -= step;
    }
}

/* Where the offset is mapped, or else NULL with the next place that is. */
static const struct area *area_at(const struct region *r, uint64_t offset, uint64_t *end)
{
    *end = r->size;
    for (unsigned i = 0; i < r->areas; i++) {
        if (offset >= r->area[i].begin && offset < r->area[i].end)
            return &r->area[i];
        if (r->area[i].begin > offset && r->area[i].begin < *end)
            *end = r->area[i].begin;
    }
    return NULL;
}

/* Through the descriptor; the kernel may do less than it was asked for. -1 with errno. */
static ssize_t transfer(struct link *l, unsigned region, uint64_t offset, uint8_t *bytes, size_t count,
                        bool out)
{
    const off_t at = (off_t)(l->region[region].offset + offset);
    const size_t piece = region == VU_BAR0 && count > WORD ? WORD : count;
    const ssize_t done = out ? pwrite(l->device, bytes, piece, at) : pread(l->device, bytes, piece, at);
    if (done == 0)
        errno = EIO;
    return done ? done : -1;
}

static enum link_status move(struct link *l, unsigned region, uint64_t offset, uint8_t *bytes, size_t count,
                             bool out)
{
    const struct region *r = &l->region[region];
    if (l->lost)
        return LINK_LOST;
    if (offset > r->size || count > r->size - offset)
        return lose(l, "an access beyond the end of a region");
    /* What memory shared with the function holds is seen in the order of the accesses around it. */
    atomic_thread_fence(memory_order_seq_cst);
    while (count) {
        uint64_t end;
        const struct area *a = area_at(r, offset, &end);
        const uint64_t left = (a ? a->end : end) - offset;
        size_t piece = count < left ? count : (size_t)left;
        if (a && out)
            store(a->memory + (offset - a->begin), bytes, piece);
        else if (a)
            load(bytes, a->memory + (offset - a->begin), piece);
        const ssize_t done = a ? (ssize_t)piece : transfer(l, region, offset, bytes, piece, out);
        if (done < 0)
            return lose(l, strerror(errno));
        offset += (uint64_t)done;
        bytes += done;
        count -= (size_t)done;
    }
    atomic_thread_fence(memory_order_seq_cst);
    return LINK_OK;
}

static enum link_status read_region(struct link *l, unsigned region, uint64_t offset, void *to, size_t count)
{
    return move(l, region, offset, to, count, false);
}

static enum link_status write_region(struct link *l, unsigned region, uint64_t offset, const void *from,
                                     size_t count)
{
    return move(l, region, offset, (uint8_t *)from, count, true);
}

/* ---- interrupts ---------------------------------------------------------------------------------- */

static bool set_irqs(struct link *l, uint32_t index, const int *signals, uint32_t count)
{
    const struct vfio_irq_set head = {.argsz = (uint32_t)(sizeof head + count * sizeof *signals),
                                      .flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
                                      .index = index,
                                      .count = count};
    _Alignas(struct vfio_irq_set) uint8_t bytes[sizeof head + VECTORS * sizeof *signals];
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, signals, count * sizeof *signals);
    return ioctl(l->device, VFIO_DEVICE_SET_IRQS, bytes) == 0;
}

/* Kernels before 6.5 cannot add a vector to those that there are: all are there from the first one on. A
 * function whose vectors cannot be had is polled. */
static enum link_status listen_to(struct link *l, unsigned vector, int signal)
{
    l->signal[vector] = signal;
    if (!l->polled && !set_irqs(l, VFIO_PCI_MSIX_IRQ_INDEX, l->signal, VECTORS))
        l->polled = true;
    return l->lost ? LINK_LOST : LINK_OK;
}

static bool has_vectors(const struct link *l)
{
    struct vfio_irq_info info = {.argsz = sizeof info, .index = VFIO_PCI_MSIX_IRQ_INDEX};
    return ioctl(l->device, VFIO_DEVICE_GET_IRQ_INFO, &info) == 0 && (info.flags & VFIO_IRQ_INFO_EVENTFD) &&
           info.count >= VECTORS;
}

/* Of errors on the bus, and of the kernel's wish to have the function back. A kernel that tells neither will
 * do. */
static void hear_notices(struct link *l)
{
    static const uint32_t index[NOTICES] = {
        [NOTICE_ERROR] = VFIO_PCI_ERR_IRQ_INDEX, [NOTICE_REQUEST] = VFIO_PCI_REQ_IRQ_INDEX};
    for (unsigned i = 0; i < NOTICES; i++) {
        l->notice[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (l->notice[i] >= 0)
            (void)set_irqs(l, index[i], &l->notice[i], 1);
    }
}

static bool take_signal(int signal)
{
    uint64_t count;
    return read(signal, &count, sizeof count) == (ssize_t)sizeof count;
}

/* Milliseconds of one sleep. */
static int sleep_time(const struct link *l, uint64_t nanoseconds)
{
    const uint64_t left = math_divide_up(nanoseconds, MILLION);
    const uint64_t most = l->polled ? POLL_MILLISECONDS : INT32_MAX;
    return (int)(left < most ? left : most);
}

static enum link_status wait_for(struct link *l, int signal, uint64_t nanoseconds)
{
    const uint64_t begin = wire_now();
    for (;;) {
        struct pollfd look[] = {{.fd = signal, .events = POLLIN},
                                {.fd = l->notice[NOTICE_ERROR], .events = POLLIN},
                                {.fd = l->notice[NOTICE_REQUEST], .events = POLLIN}};
        const uint64_t over = wire_now() - begin;
        const uint64_t left = over < nanoseconds ? nanoseconds - over : 0;
        if (l->lost)
            return LINK_LOST;
        const int ready = poll(look, sizeof look / sizeof *look, sleep_time(l, left));
        if (ready < 0 && errno != EINTR)
            return lose(l, strerror(errno));
        if (ready > 0 && look[1].revents)
            return lose(l, "the bus reports an error of it that cannot be corrected");
        if (ready > 0 && look[2].revents)
            return lose(l, "the kernel wants it back: it is being unbound, or taken out");
        if (ready > 0 && look[0].revents && take_signal(signal))
            return LINK_OK;
        if (!left || l->polled)
            return LINK_TIMEOUT;
    }
}

/* ---- opening and closing ------------------------------------------------------------------------- */

static void close_link(struct link *l)
{
    if (!l)
        return;
    close_regions(l);
    if (l->device >= 0)
        close(l->device);
    iommu_close(&l->iommu);
    for (unsigned i = 0; i < NOTICES; i++)
        if (l->notice[i] >= 0)
            close(l->notice[i]);
    sb_free(&l->error);
    free(l);
}

/* One that is off the bus is still in sysfs for a while. */
static bool answers(struct link *l, struct strbuf *why)
{
    uint16_t vendor = 0;
    if (read_region(l, VU_CONFIG, 0, &vendor, sizeof vendor) == LINK_OK && vendor != UINT16_MAX)
        return true;
    sb_add(why, l->lost ? sb_text(&l->error) : "it reads all ones: it is off the bus, or off");
    return false;
}

static bool can_be_reset(const struct link *l)
{
    struct vfio_device_info info = {.argsz = sizeof info};
    return ioctl(l->device, VFIO_DEVICE_GET_INFO, &info) == 0 && (info.flags & VFIO_DEVICE_FLAGS_PCI) &&
           (info.flags & VFIO_DEVICE_FLAGS_RESET);
}

static bool open_function(struct link *l, const char *address, enum link_way way, struct strbuf *why)
{
    struct pci_function function;
    if (!pci_look(address, &function, why))
        return false;
    l->device = iommu_open(&l->iommu, &function, way, why);
    if (l->device < 0)
        return false;
    if (!open_region(l, VU_BAR0, BAR0_BYTES) || !open_region(l, VU_BAR2, 1) ||
        !open_region(l, VU_CONFIG, 256)) {
        sb_add(why, "it is none of Tulle: its BARs are others");
        return false;
    }
    if (!answers(l, why))
        return false;
    if (!can_be_reset(l)) {
        sb_add(why, "it is no PCI function that can be reset");
        return false;
    }
    l->polled = l->polled || !has_vectors(l);
    hear_notices(l);
    return true;
}

static struct link *open_link(const char *place, const struct link_settings *settings, struct strbuf *why)
{
    struct link *l = calloc(1, sizeof *l);
    struct strbuf reason = {0};
    if (!l) {
        sb_add(why, "out of memory");
        return NULL;
    }
    l->polled = settings->polled;
    l->device = l->iommu.space = l->iommu.group = -1;
    l->notice[NOTICE_ERROR] = l->notice[NOTICE_REQUEST] = -1;
    for (unsigned i = 0; i < VECTORS; i++)
        l->signal[i] = -1;
    if (open_function(l, place, settings->way, &reason))
        return l;
    sb_addf(why, "%s: %s", place, sb_text(&reason));
    sb_free(&reason);
    close_link(l);
    return NULL;
}

/* ---- the rest of the table ----------------------------------------------------------------------- */

/* The kernel pins the memory where it is; it needs no file. */
static enum link_status map(struct link *l, uint64_t address, void *memory, size_t bytes, int file)
{
    struct strbuf why = {0};
    (void)file;
    if (l->lost)
        return LINK_LOST;
    const bool ok = iommu_map(&l->iommu, address, memory, bytes, &why);
    if (!ok && !l->lost) {
        sb_add(&l->error, sb_text(&why));
        l->lost = true;
    }
    sb_free(&why);
    return ok ? LINK_OK : LINK_LOST;
}

/* The kernel bounds it by itself. Vectors stay as they are. */
static enum link_status reset(struct link *l)
{
    if (l->lost)
        return LINK_LOST;
    return ioctl(l->device, VFIO_DEVICE_RESET) == 0 ? LINK_OK : lose(l, strerror(errno));
}

static const char *error(const struct link *l)
{
    return sb_text(&l->error);
}

const struct link_api link_vfio = {.open = open_link,
                                   .close = close_link,
                                   .read = read_region,
                                   .write = write_region,
                                   .map = map,
                                   .listen = listen_to,
                                   .wait = wait_for,
                                   .reset = reset,
                                   .error = error};

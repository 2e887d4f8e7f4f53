/* SPDX-License-Identifier: Apache-2.0 */
#include "host/pcie/iommu.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/pcie/iommufd.h"

#define RANGES_MAX 64
#define CHAIN_MAX 64       /* capabilities of an answer */
#define ANSWER_MAX 0x10000 /* bytes that we take */

/* ---- answers with capabilities ------------------------------------------------------------------- */

void *iommu_ask(int fd, unsigned long request, size_t fixed, uint32_t index)
{
    uint32_t bytes = (uint32_t)fixed;
    for (unsigned tries = 0; tries < 2; tries++) {
        uint32_t *answer = calloc(1, bytes);
        if (!answer)
            return NULL;
        answer[0] = bytes;
        answer[2] = index;
        const bool ok = ioctl(fd, request, answer) == 0;
        if (ok && answer[0] <= bytes)
            return answer;
        bytes = answer[0];
        free(answer);
        if (!ok || bytes > ANSWER_MAX)
            return NULL;
    }
    return NULL;
}

const void *iommu_capability(const void *answer, uint32_t first, unsigned id, size_t bytes)
{
    const uint32_t size = *(const uint32_t *)answer;
    uint32_t at = first;
    for (unsigned i = 0; i < CHAIN_MAX && at; i++) {
        struct vfio_info_cap_header header;
        if (at > size || size - at < sizeof header)
            return NULL;
        memcpy(&header, (const char *)answer + at, sizeof header);
        if (header.id == id)
            return bytes <= size - at ? (const char *)answer + at : NULL;
        at = header.next;
    }
    return NULL;
}

/* ---- nodes --------------------------------------------------------------------------------------- */

/* Why a node cannot be opened, and what helps. */
static void explain(const char *path, int error, const char *module, struct strbuf *why)
{
    sb_addf(why, "%s: %s", path,
            error == EBUSY ? "in use: another process has the function" : strerror(error));
    if (error == EBUSY)
        sb_addf(why, "; who: fuser -v %s", path);
    else if (error == EACCES || error == EPERM)
        sb_addf(why, "; as root: chown USER %s", path);
    else if (error == ENOENT || error == ENODEV || error == ENXIO)
        sb_addf(why, "; as root: modprobe %s", module);
}

static int open_node(const char *name, const char *module, struct strbuf *why)
{
    struct strbuf path = {0};
    pci_node_path(&path, name);
    int fd = sb_ok(&path) ? open(path.text, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        explain(sb_text(&path), errno, module, why);
    sb_free(&path);
    return fd;
}

static bool may_open(const char *name)
{
    struct strbuf path = {0};
    pci_node_path(&path, name);
    bool ok = sb_ok(&path) && access(path.text, R_OK | W_OK) == 0;
    sb_free(&path);
    return ok;
}

static bool refused(struct strbuf *why, const char *what)
{
    sb_addf(why, "%s: %s", what, strerror(errno));
    return false;
}

/* ---- by group ---------------------------------------------------------------------------------- */

static bool is_viable(int group, struct strbuf *why)
{
    struct vfio_group_status status = {.argsz = sizeof status};
    if (ioctl(group, VFIO_GROUP_GET_STATUS, &status) != 0)
        return refused(why, "the state of its IOMMU group cannot be read");
    if (status.flags & VFIO_GROUP_FLAGS_VIABLE)
        return true;
    sb_add(why, "its IOMMU group is not viable: another function of it is bound to a driver of the kernel");
    return false;
}

static bool join(const struct iommu *m, struct strbuf *why)
{
    if (ioctl(m->space, VFIO_GET_API_VERSION) != VFIO_API_VERSION ||
        ioctl(m->space, VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) <= 0) {
        sb_add(why,
               "the kernel's VFIO has no IOMMU of type 1, version 2; as root: modprobe vfio_iommu_type1");
        return false;
    }
    if (!is_viable(m->group, why))
        return false;
    if (ioctl(m->group, VFIO_GROUP_SET_CONTAINER, &m->space) != 0)
        return refused(why, "its IOMMU group cannot be put into a container");
    if (ioctl(m->space, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) == 0)
        return true;
    if (errno != EPERM)
        return refused(why, "its IOMMU group gets no address space");
    sb_add(why,
           "the IOMMU does not remap interrupts, so that a function could raise any; switch that on in the "
           "firmware, or, where every card is trusted, as root: modprobe vfio_iommu_type1 "
           "allow_unsafe_interrupts=1");
    return false;
}

static int open_by_group(struct iommu *m, const struct pci_function *f, struct strbuf *why)
{
    struct strbuf name = {0};
    sb_addf(&name, "vfio/%s", f->group);
    m->space = open_node("vfio/vfio", "vfio", why);
    m->group = m->space >= 0 ? open_node(sb_text(&name), "vfio-pci", why) : -1;
    sb_free(&name);
    if (m->group < 0 || !join(m, why))
        return -1;
    int device = ioctl(m->group, VFIO_GROUP_GET_DEVICE_FD, f->address);
    if (device < 0)
        (void)refused(why, "the kernel does not hand it out");
    return device;
}

/* ---- by its own node ---------------------------------------------------------------------------- */

/* One process alone can bind it; the kernel has two errors for who comes second. */
static bool bind_node(const struct iommu *m, int device, struct strbuf *why)
{
    struct cdev_bind bind = {.argsz = sizeof bind, .iommufd = m->space};
    if (ioctl(device, CDEV_BIND, &bind) == 0)
        return true;
    if (errno != EBUSY && errno != EINVAL)
        return refused(why, "it cannot be bound to iommufd");
    sb_add(why, "in use: another process has the function");
    return false;
}

static bool attach(struct iommu *m, int device, struct strbuf *why)
{
    struct ioas_alloc space = {.size = sizeof space};
    if (ioctl(m->space, IOAS_ALLOC, &space) != 0)
        return refused(why, "iommufd gives no address space");
    struct cdev_attach with = {.argsz = sizeof with, .pt_id = space.out_ioas_id};
    m->id = space.out_ioas_id;
    return ioctl(device, CDEV_ATTACH, &with) == 0 ||
           refused(why, "it cannot be attached to an address space");
}

static int open_by_node(struct iommu *m, const struct pci_function *f, struct strbuf *why)
{
    struct strbuf name = {0};
    if (!*f->node) {
        sb_add(why, "the kernel gives functions no nodes of their own (it needs iommufd): without way=node "
                    "it goes by "
                    "the IOMMU group");
        return -1;
    }
    sb_addf(&name, "vfio/devices/%s", f->node);
    m->space = open_node("iommu", "iommufd", why);
    int device = m->space >= 0 ? open_node(sb_text(&name), "vfio-pci", why) : -1;
    sb_free(&name);
    if (device < 0 || (bind_node(m, device, why) && attach(m, device, why)))
        return device;
    close(device);
    return -1;
}

/* ---- both -------------------------------------------------------------------------------------- */

/* By its own node where the process may; a system that gives the user the group alone works as well. */
static bool goes_by_node(const struct pci_function *f, enum link_way way)
{
    struct strbuf name = {0};
    if (way != LINK_ANY_WAY)
        return way == LINK_BY_NODE;
    sb_addf(&name, "vfio/devices/%s", f->node);
    bool ok = *f->node && may_open("iommu") && may_open(sb_text(&name));
    sb_free(&name);
    return ok;
}

int iommu_open(struct iommu *iommu, const struct pci_function *f, enum link_way way, struct strbuf *why)
{
    *iommu = (struct iommu){.by_node = goes_by_node(f, way), .space = -1, .group = -1};
    return iommu->by_node ? open_by_node(iommu, f, why) : open_by_group(iommu, f, why);
}

void iommu_close(struct iommu *iommu)
{
    if (iommu->group >= 0)
        close(iommu->group);
    if (iommu->space >= 0)
        close(iommu->space);
    iommu->group = iommu->space = -1;
}

/* ---- mapping ----------------------------------------------------------------------------------- */

static bool range_holds(const struct ioas_range *ranges, size_t count, uint64_t address, size_t bytes,
                        struct strbuf *why)
{
    for (size_t i = 0; i < count; i++)
        if (address >= ranges[i].start && address + (bytes - 1) <= ranges[i].last)
            return true;
    sb_addf(why, "the IOMMU has no bus addresses 0x%" PRIx64 " to 0x%" PRIx64 ", only", address,
            address + (bytes - 1));
    for (size_t i = 0; i < count; i++)
        sb_addf(why, "%s 0x%" PRIx64 " to 0x%" PRIx64, i ? "," : "", ranges[i].start, ranges[i].last);
    return false;
}

static bool check_ranges(const struct vfio_iommu_type1_info *info, uint64_t address, size_t bytes,
                         struct strbuf *why)
{
    struct vfio_iommu_type1_info_cap_iova_range head;
    struct ioas_range ranges[RANGES_MAX];
    const char *cap =
        iommu_capability(info, info->cap_offset, VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE, sizeof head);
    if (!cap)
        return true; /* a kernel that does not tell; it will refuse the mapping itself */
    memcpy(&head, cap, sizeof head);
    const size_t room = (info->argsz - (size_t)(cap - (const char *)info) - sizeof head) / sizeof *ranges;
    size_t count = head.nr_iovas < room ? head.nr_iovas : room;
    count = count < RANGES_MAX ? count : RANGES_MAX;
    _Static_assert(sizeof *ranges == sizeof(struct vfio_iova_range), "both are first and last address");
    memcpy(ranges, cap + sizeof head, count * sizeof *ranges);
    return range_holds(ranges, count, address, bytes, why);
}

static bool check_left(const struct vfio_iommu_type1_info *info, struct strbuf *why)
{
    struct vfio_iommu_type1_info_dma_avail left;
    const void *cap = iommu_capability(info, info->cap_offset, VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL, sizeof left);
    if (!cap)
        return true;
    memcpy(&left, cap, sizeof left);
    if (!left.avail)
        sb_add(why, "the IOMMU takes no more mappings: see dma_entry_limit of vfio_iommu_type1");
    return left.avail;
}

static bool check_group_space(const struct iommu *m, uint64_t address, size_t bytes, struct strbuf *why)
{
    struct vfio_iommu_type1_info *info = iommu_ask(m->space, VFIO_IOMMU_GET_INFO, sizeof *info, 0);
    if (!info)
        return refused(why, "the IOMMU does not tell its addresses");
    bool ok = !(info->flags & VFIO_IOMMU_INFO_CAPS) ||
              (check_ranges(info, address, bytes, why) && check_left(info, why));
    free(info);
    return ok;
}

static bool check_node_space(const struct iommu *m, uint64_t address, size_t bytes, struct strbuf *why)
{
    struct ioas_range ranges[RANGES_MAX];
    struct ioas_ranges ask = {.size = sizeof ask,
                              .ioas_id = m->id,
                              .num_iovas = RANGES_MAX,
                              .allowed_iovas = (uint64_t)(uintptr_t)ranges};
    if (ioctl(m->space, IOAS_RANGES, &ask) != 0)
        return errno == EMSGSIZE || refused(why, "the IOMMU does not tell its addresses");
    return range_holds(ranges, ask.num_iovas < RANGES_MAX ? ask.num_iovas : RANGES_MAX, address, bytes, why);
}

static bool map_group_space(const struct iommu *m, uint64_t address, void *memory, size_t bytes)
{
    const struct vfio_iommu_type1_dma_map map = {.argsz = sizeof map,
                                                 .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
                                                 .vaddr = (uint64_t)(uintptr_t)memory,
                                                 .iova = address,
                                                 .size = bytes};
    return ioctl(m->space, VFIO_IOMMU_MAP_DMA, &map) == 0;
}

static bool map_node_space(const struct iommu *m, uint64_t address, void *memory, size_t bytes)
{
    struct ioas_map map = {.size = sizeof map,
                           .flags = IOAS_MAP_FIXED | IOAS_MAP_WRITEABLE | IOAS_MAP_READABLE,
                           .ioas_id = m->id,
                           .user_va = (uint64_t)(uintptr_t)memory,
                           .length = bytes,
                           .iova = address};
    return ioctl(m->space, IOAS_MAP, &map) == 0;
}

static bool not_mapped(size_t bytes, int error, struct strbuf *why)
{
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    (void)getrlimit(RLIMIT_MEMLOCK, &limit);
    sb_addf(why, "%zu KiB of memory cannot be shared with the function: %s", bytes >> 10, strerror(error));
    if (error == ENOMEM && limit.rlim_cur != RLIM_INFINITY)
        sb_addf(why,
                "; they must be locked, and the limit is %llu KiB: ulimit -l, or memlock in "
                "/etc/security/limits.conf",
                (unsigned long long)(limit.rlim_cur >> 10));
    return false;
}

bool iommu_map(struct iommu *iommu, uint64_t address, void *memory, size_t bytes, struct strbuf *why)
{
    bool ok = iommu->by_node ? check_node_space(iommu, address, bytes, why)
                             : check_group_space(iommu, address, bytes, why);
    if (!ok)
        return false;
    ok = iommu->by_node ? map_node_space(iommu, address, memory, bytes)
                        : map_group_space(iommu, address, memory, bytes);
    return ok || not_mapped(bytes, errno, why);
}

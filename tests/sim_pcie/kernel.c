/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "tests/sim_pcie/kernel.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "host/pcie/iommufd.h"
#include "host/pcie/pci.h"
#include "sim/pcie/message.h"

#define FDS 1024
#define REGION_SHIFT 40
#define SPACE_ID 5

enum role { ROLE_NONE, ROLE_CONTAINER, ROLE_GROUP, ROLE_IOMMUFD, ROLE_DEVICE };

struct kernel kernel;
static enum role roles[FDS];
static int shared_file = -1; /* the newest file in memory */
static bool in_container, bound, attached;

/* What the linker keeps the real ones as. */
int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long request, ...);
ssize_t __real_pread(int fd, void *to, size_t count, off_t offset);
ssize_t __real_pwrite(int fd, const void *from, size_t count, off_t offset);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
int __real_memfd_create(const char *name, unsigned flags);

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __wrap_pread(int fd, void *to, size_t count, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *from, size_t count, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_memfd_create(const char *name, unsigned flags);

static enum role role_of(int fd)
{
    return fd >= 0 && fd < FDS ? roles[fd] : ROLE_NONE;
}

static int refuse(int error)
{
    errno = error;
    return -1;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static enum role role_of_path(const char *path)
{
    static const struct {
        const char *end;
        enum role role;
    } nodes[] = {{"/dev/vfio/vfio", ROLE_CONTAINER},
                 {"/dev/vfio/7", ROLE_GROUP},
                 {"/dev/iommu", ROLE_IOMMUFD},
                 {"/dev/vfio/devices/vfio0", ROLE_DEVICE}};
    const size_t length = strlen(kernel.folder);
    if (!length || strncmp(path, kernel.folder, length) != 0)
        return ROLE_NONE;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (!strcmp(path + length, nodes[i].end))
            return nodes[i].role;
    return ROLE_NONE;
}

static int hand_out(int fd, enum role role)
{
    cr_assert(fd >= 0 && fd < FDS);
    roles[fd] = role;
    kernel.nodes++;
    return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    const enum role role = role_of_path(path);
    if (role == ROLE_NONE)
        return __real_open(path, flags, mode);
    if (role == ROLE_GROUP && kernel.taken)
        return refuse(EBUSY);
    int fd = __real_open(path, flags);
    return fd < 0 ? fd : hand_out(fd, role);
}

static void connect_link(void)
{
    const struct link_settings settings = {.patience = UINT64_C(10000000000)};
    struct strbuf why = {0};
    kernel.link = link_vfio_user.open(kernel.socket, &settings, &why);
    cr_assert(kernel.link, "%s", sb_text(&why));
}

/* With the function's descriptor everything goes that hangs on it, mappings too. */
int __wrap_close(int fd)
{
    const enum role role = role_of(fd);
    if (role != ROLE_NONE) {
        roles[fd] = ROLE_NONE;
        kernel.nodes--;
    }
    if (role == ROLE_DEVICE) {
        in_container = bound = attached = false;
        link_vfio_user.close(kernel.link);
        connect_link();
    }
    return __real_close(fd);
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    shared_file = __real_memfd_create(name, flags);
    return shared_file;
}

/* ---- address spaces ------------------------------------------------------------------------------ */

static int map_memory(uint64_t address, uint64_t memory, uint64_t bytes)
{
    if (address < kernel.first || address + bytes - 1 > kernel.last)
        return refuse(EINVAL);
    kernel.mappings++;
    return link_vfio_user.map(kernel.link, address, (void *)(uintptr_t)memory, bytes, shared_file) == LINK_OK
               ? 0
               : refuse(EFAULT);
}

/* An answer with capabilities. As the kernel does it: all of them when there is room, or how much that takes.
 */
struct answer {
    _Alignas(8) uint8_t bytes[256];
    size_t used;
};

static void add(struct answer *a, const void *part, size_t bytes)
{
    cr_assert(a->used + bytes <= sizeof a->bytes);
    memcpy(a->bytes + a->used, part, bytes);
    a->used += bytes;
}

/* `chain`: where the answer has the place of its first capability, behind `fixed` bytes. */
static int tell(struct answer *a, uint32_t *to, size_t fixed, size_t chain)
{
    const uint32_t room = to[0], needed = (uint32_t)a->used;
    const uint32_t first = room < needed || needed == fixed ? 0 : (uint32_t)fixed;
    memcpy(a->bytes, &needed, sizeof needed);
    memcpy(a->bytes + chain, &first, sizeof first);
    memcpy(to, a->bytes, room < needed ? fixed : needed);
    return 0;
}

static int tell_addresses(struct vfio_iommu_type1_info *to)
{
    const struct vfio_iommu_type1_info info = {.flags = kernel.brief ? 0 : VFIO_IOMMU_INFO_CAPS};
    const struct vfio_iommu_type1_info_dma_avail left = {
        .header = {.id = VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL, .next = sizeof info + sizeof left},
        .avail = kernel.left};
    const struct vfio_iommu_type1_info_cap_iova_range ranges = {
        .header = {.id = VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE}, .nr_iovas = 2};
    const struct vfio_iova_range range[] = {{.start = 0, .end = 0xFFF},
                                            {.start = kernel.first, .end = kernel.last}};
    struct answer a = {.used = 0};
    add(&a, &info, sizeof info);
    if (!kernel.brief) {
        add(&a, &left, sizeof left);
        add(&a, &ranges, sizeof ranges);
        add(&a, range, sizeof range);
    }
    return tell(&a, (uint32_t *)(void *)to, sizeof info, offsetof(struct vfio_iommu_type1_info, cap_offset));
}

static int tell_ranges(struct ioas_ranges *ask)
{
    struct ioas_range *to = (void *)(uintptr_t)ask->allowed_iovas;
    if (ask->ioas_id != SPACE_ID || ask->num_iovas < 1)
        return refuse(EINVAL);
    to[0] = (struct ioas_range){.start = kernel.first, .last = kernel.last};
    ask->num_iovas = 1;
    return 0;
}

static int container_ioctl(unsigned long request, void *argument)
{
    const struct vfio_iommu_type1_dma_map *map = argument;
    switch (request) {
    case VFIO_GET_API_VERSION:
        return VFIO_API_VERSION;
    case VFIO_CHECK_EXTENSION:
        return (uintptr_t)argument == VFIO_TYPE1v2_IOMMU;
    case VFIO_SET_IOMMU:
        return in_container ? 0 : refuse(EINVAL);
    case VFIO_IOMMU_GET_INFO:
        return tell_addresses(argument);
    case VFIO_IOMMU_MAP_DMA:
        return map_memory(map->iova, map->vaddr, map->size);
    default:
        return refuse(ENOTTY);
    }
}

static int iommufd_ioctl(unsigned long request, void *argument)
{
    const struct ioas_map *map = argument;
    switch (request) {
    case IOAS_ALLOC:
        ((struct ioas_alloc *)argument)->out_ioas_id = SPACE_ID;
        return 0;
    case IOAS_RANGES:
        return tell_ranges(argument);
    case IOAS_MAP:
        return map->ioas_id == SPACE_ID && (map->flags & IOAS_MAP_FIXED) && attached
                   ? map_memory(map->iova, map->user_va, map->length)
                   : refuse(EINVAL);
    default:
        return refuse(ENOTTY);
    }
}

static int group_ioctl(unsigned long request, void *argument)
{
    struct vfio_group_status *status = argument;
    switch (request) {
    case VFIO_GROUP_GET_STATUS:
        status->flags = kernel.not_viable ? 0 : VFIO_GROUP_FLAGS_VIABLE;
        return 0;
    case VFIO_GROUP_SET_CONTAINER:
        in_container = role_of(*(int *)argument) == ROLE_CONTAINER;
        return in_container ? 0 : refuse(EBADF);
    case VFIO_GROUP_GET_DEVICE_FD:
        if (!in_container || strcmp(argument, KERNEL_ADDRESS) != 0)
            return refuse(EINVAL);
        bound = attached = true;
        return hand_out(__real_open("/dev/null", O_RDWR), ROLE_DEVICE);
    default:
        return refuse(ENOTTY);
    }
}

/* ---- the function -------------------------------------------------------------------------------- */

static int tell_region(struct vfio_region_info *to)
{
    const bool mapped = to->index == VU_BAR2 && kernel.window >= 0;
    const struct vfio_region_info info = {
        .flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE |
                 (mapped ? VFIO_REGION_INFO_FLAG_MMAP | VFIO_REGION_INFO_FLAG_CAPS : 0),
        .index = to->index,
        .size = to->index == VU_BAR0     ? kernel.bar0
                : to->index == VU_CONFIG ? CONFIG_BYTES
                                         : 1 << 20,
        .offset = (uint64_t)to->index << REGION_SHIFT};
    const struct vfio_region_info_cap_sparse_mmap sparse = {
        .header = {.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP}, .nr_areas = KERNEL_AREAS};
    struct answer a = {.used = 0};
    add(&a, &info, sizeof info);
    if (mapped)
        add(&a, &sparse, sizeof sparse);
    for (unsigned i = 0; i < KERNEL_AREAS && mapped; i++) {
        const struct vfio_region_sparse_mmap_area area = {kernel.area[i].offset, kernel.area[i].bytes};
        add(&a, &area, sizeof area);
    }
    return tell(&a, (uint32_t *)(void *)to, sizeof info, offsetof(struct vfio_region_info, cap_offset));
}

static int set_irqs(const struct vfio_irq_set *set)
{
    int32_t fd[VECTORS] = {-1, -1};
    const bool msix = set->index == VFIO_PCI_MSIX_IRQ_INDEX;
    if (set->start || set->count > VECTORS || set->argsz != sizeof *set + set->count * sizeof *fd)
        return refuse(EINVAL);
    memcpy(fd, set->data, set->count * sizeof *fd);
    for (unsigned i = 0; i < set->count && msix; i++)
        if (fd[i] >= 0 && link_vfio_user.listen(kernel.link, i, fd[i]) != LINK_OK)
            return refuse(EIO);
    if (!msix)
        kernel.notice[set->index == VFIO_PCI_REQ_IRQ_INDEX] = fd[0];
    return 0;
}

static int bind_device(struct cdev_bind *bind)
{
    if (bound || kernel.taken)
        return refuse(EINVAL);
    bound = role_of(bind->iommufd) == ROLE_IOMMUFD;
    kernel.by_node++;
    return bound ? 0 : refuse(EBADF);
}

static int device_ioctl(unsigned long request, void *argument)
{
    struct vfio_irq_info *irq = argument;
    if (request == CDEV_BIND)
        return bind_device(argument);
    if (request == CDEV_ATTACH && ((struct cdev_attach *)argument)->pt_id == SPACE_ID) {
        attached = bound;
        return attached ? 0 : refuse(EINVAL);
    }
    if (!attached)
        return refuse(EINVAL);
    switch (request) {
    case VFIO_DEVICE_GET_INFO:
        ((struct vfio_device_info *)argument)->flags =
            VFIO_DEVICE_FLAGS_PCI | (kernel.no_reset ? 0 : VFIO_DEVICE_FLAGS_RESET);
        return 0;
    case VFIO_DEVICE_GET_REGION_INFO:
        return tell_region(argument);
    case VFIO_DEVICE_GET_IRQ_INFO:
        irq->flags = VFIO_IRQ_INFO_EVENTFD;
        irq->count = irq->index == VFIO_PCI_MSIX_IRQ_INDEX && !kernel.no_vectors ? VECTORS : 0;
        return 0;
    case VFIO_DEVICE_SET_IRQS:
        return set_irqs(argument);
    case VFIO_DEVICE_RESET:
        kernel.resets++;
        return link_vfio_user.reset(kernel.link) == LINK_OK ? 0 : refuse(EIO);
    default:
        return refuse(ENOTTY);
    }
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    static int (*const by_role[])(unsigned long, void *) = {[ROLE_CONTAINER] = container_ioctl,
                                                            [ROLE_GROUP] = group_ioctl,
                                                            [ROLE_IOMMUFD] = iommufd_ioctl,
                                                            [ROLE_DEVICE] = device_ioctl};
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    const enum role role = role_of(fd);
    if (role == ROLE_NONE)
        return __real_ioctl(fd, request, argument);
    return kernel.refused == request ? refuse(kernel.refusal) : by_role[role](request, argument);
}

/* ---- accesses ---------------------------------------------------------------------------------- */

static ssize_t access_region(uint8_t *bytes, size_t count, off_t at, bool out)
{
    const unsigned region = (unsigned)(at >> REGION_SHIFT);
    const uint64_t offset = (uint64_t)at & ((UINT64_C(1) << REGION_SHIFT) - 1);
    if (kernel.gone)
        return refuse(EIO);
    if (kernel.off) {
        memset(bytes, 0xFF, out ? 0 : count);
        return (ssize_t)count;
    }
    if (region == VU_BAR0)
        cr_assert_eq(count, 4, "registers are words");
    if (region == VU_BAR2 && kernel.window >= 0 && count > 1)
        count = (count + 1) / 2; /* the kernel may do less than it is asked for */
    if (region == VU_BAR2 && kernel.window >= 0)
        return out ? __real_pwrite(kernel.window, bytes, count, (off_t)offset)
                   : __real_pread(kernel.window, bytes, count, (off_t)offset);
    const enum link_status status = out ? link_vfio_user.write(kernel.link, region, offset, bytes, count)
                                        : link_vfio_user.read(kernel.link, region, offset, bytes, count);
    return status == LINK_OK ? (ssize_t)count : refuse(EIO);
}

ssize_t __wrap_pread(int fd, void *to, size_t count, off_t offset)
{
    return role_of(fd) == ROLE_DEVICE ? access_region(to, count, offset, false)
                                      : __real_pread(fd, to, count, offset);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t count, off_t offset)
{
    return role_of(fd) == ROLE_DEVICE ? access_region((uint8_t *)from, count, offset, true)
                                      : __real_pwrite(fd, from, count, offset);
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (role_of(fd) != ROLE_DEVICE)
        return __real_mmap(at, bytes, protection, flags, fd, offset);
    return __real_mmap(at, bytes, protection, flags, kernel.window,
                       offset & ((INT64_C(1) << REGION_SHIFT) - 1));
}

/* ---- setting up -------------------------------------------------------------------------------- */

static void command(const char *form)
{
    char text[2048];
    snprintf(text, sizeof text, "cd '%s' && %s", kernel.folder, form);
    cr_assert_eq(system(text), 0, "%s", text);
}

void kernel_start(const char *socket, bool node)
{
    kernel = (struct kernel){.window = -1,
                             .first = 0x10000,
                             .last = (UINT64_C(1) << 39) - 1,
                             .left = 65535,
                             .bar0 = BAR0_BYTES,
                             .notice = {-1, -1}};
    in_container = bound = attached = false;
    const char *temporary = getenv("TMPDIR");
    snprintf(kernel.folder, sizeof kernel.folder, "%s/kernel-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    cr_assert(mkdtemp(kernel.folder));
    command("mkdir -p sys/bus/pci/devices/" KERNEL_ADDRESS
            " sys/bus/pci/drivers/vfio-pci sys/groups/7/devices "
            "dev/vfio/devices && cd sys/bus/pci/devices/" KERNEL_ADDRESS " && echo 0x8d54 >vendor && "
            "echo 0x0001 >device && ln -s ../../drivers/vfio-pci driver && ln -s ../../../../groups/7 "
            "iommu_group");
    command(": >dev/vfio/vfio && : >dev/vfio/7 && : >dev/iommu && : >dev/vfio/devices/vfio0");
    if (node)
        command("mkdir -p sys/bus/pci/devices/" KERNEL_ADDRESS "/vfio-dev/vfio0");
    char path[sizeof kernel.folder + 8];
    snprintf(path, sizeof path, "%s/sys", kernel.folder);
    setenv(PCI_SYSFS_VARIABLE, path, 1);
    snprintf(path, sizeof path, "%s/dev", kernel.folder);
    setenv(PCI_DEV_VARIABLE, path, 1);
    snprintf(kernel.socket, sizeof kernel.socket, "%s", socket);
    connect_link();
}

void kernel_stop(void)
{
    cr_assert_eq(kernel.nodes, 0, "%d nodes are left open", kernel.nodes);
    link_vfio_user.close(kernel.link);
    command("rm -r sys dev");
    cr_assert_eq(rmdir(kernel.folder), 0);
}

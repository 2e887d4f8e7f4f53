/* SPDX-License-Identifier: Apache-2.0
 *
 * The definitions of <linux/vfio.h> and <linux/iommufd.h> of Linux 6.6 for a
 * function that is opened by its own device node. The headers of Debian 12
 * (Linux 6.1) lack them. They have names of their own, so that newer headers
 * may be included, too.
 */
#ifndef TULLE_HOST_PCIE_IOMMUFD_H
#define TULLE_HOST_PCIE_IOMMUFD_H

#include <linux/ioctl.h>
#include <stdint.h>

/* ---- of <linux/vfio.h>: the device node ----------------------------------------------------------- */

struct cdev_bind { /* struct vfio_device_bind_iommufd */
    uint32_t argsz, flags;
    int32_t iommufd;
    uint32_t out_devid;
};
_Static_assert(sizeof(struct cdev_bind) == 16, "as the kernel has it");

struct cdev_attach { /* struct vfio_device_attach_iommufd_pt */
    uint32_t argsz, flags, pt_id;
};
_Static_assert(sizeof(struct cdev_attach) == 12, "as the kernel has it");

#define CDEV_BIND _IO(';', 100 + 18)
#define CDEV_ATTACH _IO(';', 100 + 19)

/* ---- of <linux/iommufd.h>: address spaces --------------------------------------------------------- */

struct ioas_alloc { /* struct iommu_ioas_alloc */
    uint32_t size, flags, out_ioas_id;
};
_Static_assert(sizeof(struct ioas_alloc) == 12, "as the kernel has it");

struct ioas_range { /* struct iommu_iova_range */
    uint64_t start, last;
};

struct ioas_ranges { /* struct iommu_ioas_iova_ranges */
    uint32_t size, ioas_id, num_iovas, reserved;
    uint64_t allowed_iovas, out_iova_alignment;
};
_Static_assert(sizeof(struct ioas_ranges) == 32, "as the kernel has it");

struct ioas_map { /* struct iommu_ioas_map */
    uint32_t size, flags, ioas_id, reserved;
    uint64_t user_va, length, iova;
};
_Static_assert(sizeof(struct ioas_map) == 40, "as the kernel has it");

#define IOAS_MAP_FIXED (1u << 0)
#define IOAS_MAP_WRITEABLE (1u << 1)
#define IOAS_MAP_READABLE (1u << 2)

#define IOAS_ALLOC _IO(';', 0x81)
#define IOAS_RANGES _IO(';', 0x84)
#define IOAS_MAP _IO(';', 0x85)

#endif

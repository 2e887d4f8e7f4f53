/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's two ways to a function and to an address space of its IOMMU: by
 * the group of the function and a container (type 1), or by the function's own
 * node and iommufd.
 */
#ifndef TULLE_HOST_PCIE_IOMMU_H
#define TULLE_HOST_PCIE_IOMMU_H

#include "host/pcie/pci.h"
#include "host/pcie/transport.h"

struct iommu {
    bool by_node;
    int space;   /* container, or iommufd */
    int group;   /* by group only */
    uint32_t id; /* of the address space, by node only */
};

/* The descriptor of the function, which the process has alone then, in an empty address space. -1 with the
 * reason. */
int iommu_open(struct iommu *iommu, const struct pci_function *function, enum link_way way,
               struct strbuf *why);
void iommu_close(struct iommu *iommu);

/* Whole pages, until the function's descriptor is closed. */
bool iommu_map(struct iommu *iommu, uint64_t address, void *memory, size_t bytes, struct strbuf *why);

/* An ioctl whose structure begins with its size and ends with what the kernel adds: the whole answer, which
 * the caller frees; NULL when it refuses. `fixed`: the structure's bytes; `index` is put behind size and
 * flags. */
void *iommu_ask(int fd, unsigned long request, size_t fixed, uint32_t index);
/* The capability of that number in such an answer, whose chain begins at `first`; NULL when there is none. */
const void *iommu_capability(const void *answer, uint32_t first, unsigned id, size_t bytes);

#endif

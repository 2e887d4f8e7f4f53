/* SPDX-License-Identifier: Apache-2.0
 *
 * The two ways of the kernel to open a function and the address space of its
 * IOMMU: by the function's group and a container (type 1), or by the
 * function's own node and iommufd.
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

/* Opens the function for this process alone, with an empty address space. Returns its descriptor, or -1 with
 * the reason. */
int iommu_open(struct iommu *iommu, const struct pci_function *function, enum link_way way,
               struct strbuf *why);
void iommu_close(struct iommu *iommu);

/* Maps whole pages until the function's descriptor is closed. */
bool iommu_map(struct iommu *iommu, uint64_t address, void *memory, size_t bytes, struct strbuf *why);

/* Calls an ioctl whose structure begins with its size and is extended by the kernel. Returns the whole
 * answer, which the caller frees, or NULL when the kernel refuses. `fixed` is the size of the structure;
 * `index` follows size and flags. */
void *iommu_ask(int fd, unsigned long request, size_t fixed, uint32_t index);
/* The capability with that number in such an answer, whose chain begins at `first`, or NULL. */
const void *iommu_capability(const void *answer, uint32_t first, unsigned id, size_t bytes);

#endif

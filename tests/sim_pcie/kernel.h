/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for the kernel's VFIO, behind the same calls (the linker leads
 * open, ioctl and their like here): one function, by its IOMMU group and by a
 * node of its own, which is served over vfio-user. It answers as it is told to.
 */
#ifndef TULLE_TESTS_PCIE_KERNEL_H
#define TULLE_TESTS_PCIE_KERNEL_H

#include "host/pcie/transport.h"

#define KERNEL_ADDRESS "0000:01:00.0"
#define KERNEL_AREAS 2
#define KERNEL_NOTICES 2

struct kernel {
    struct link *link; /* to the function */
    char socket[108];
    char folder[512]; /* with its sysfs and its nodes */

    /* What it answers with. */
    unsigned long refused;                        /* a request that fails */
    int refusal;                                  /* with this */
    bool taken;                                   /* nodes are in another process's hands */
    bool not_viable, no_reset, no_vectors, brief; /* brief: it tells nothing of addresses */
    bool gone;                                    /* accesses fail */
    bool off;                                     /* all that is read is ones */
    uint64_t first, last;                         /* bus addresses that there are */
    uint32_t left;                                /* mappings */
    uint64_t bar0;                                /* bytes */
    int window; /* a file that is BAR2 then, mapped in some places only; -1: the function's */
    struct {
        uint64_t offset, bytes;
    } area[KERNEL_AREAS];

    /* What it saw. */
    int nodes; /* that are open */
    unsigned resets, mappings, by_node;
    int notice[KERNEL_NOTICES]; /* where errors and requests are to be told */
};

extern struct kernel kernel;

/* With a function that is served at that socket, and, or not, a node of its own. Fails the test when it
 * cannot. */
void kernel_start(const char *socket, bool node);
void kernel_stop(void);

#endif

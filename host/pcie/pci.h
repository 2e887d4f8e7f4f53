/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds PCI functions in sysfs that may be Tulle's, and says why one cannot be
 * used, with the command that helps.
 */
#ifndef TULLE_HOST_PCIE_PCI_H
#define TULLE_HOST_PCIE_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"

/* Further ids, VENDOR:DEVICE in hexadecimal, separated by commas. */
#define PCI_IDS_VARIABLE "TULLE_PCIE_IDS"
/* The folders of sysfs and of device nodes (/sys, /dev), which tests replace. */
#define PCI_SYSFS_VARIABLE "TULLE_SYSFS"
#define PCI_DEV_VARIABLE "TULLE_DEV"

#define PCI_ADDRESS_BYTES 13 /* "0000:01:00.0", with its zero */
#define PCI_NAME_BYTES 32
#define PCI_FOUND_MAX 64

struct pci_function {
    char address[PCI_ADDRESS_BYTES];
    unsigned vendor, device;
    char driver[PCI_NAME_BYTES]; /* "" when none has it */
    char group[PCI_NAME_BYTES];  /* of the IOMMU, "" when there is none */
    char node[PCI_NAME_BYTES];   /* its own node, as vfio0, or "" */
};

/* Whether `text` is an address, "0000:01:00.0" or "01:00.0"; `address` gets the full form. */
bool pci_take_address(const char *text, char address[PCI_ADDRESS_BYTES]);

/* Finds the sorted addresses of functions with one of the ids, at most PCI_FOUND_MAX. False with the reason
 * when there is none. */
bool pci_find(char found[PCI_FOUND_MAX][PCI_ADDRESS_BYTES], size_t *count, struct strbuf *why);

/* Examines the function; false with the reason when sysfs shows that VFIO cannot use it. */
bool pci_look(const char *address, struct pci_function *function, struct strbuf *why);

/* A path below the folder of device nodes, which the caller frees. */
void pci_node_path(struct strbuf *path, const char *name);

#endif

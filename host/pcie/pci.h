/* SPDX-License-Identifier: Apache-2.0
 *
 * PCI functions as the kernel shows them in sysfs: those that may be Tulle's,
 * and what keeps one from being used, with the command that mends it.
 */
#ifndef TULLE_HOST_PCIE_PCI_H
#define TULLE_HOST_PCIE_PCI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"

/* Other ids than the default one, VENDOR:DEVICE in hexadecimal, with commas. */
#define PCI_IDS_VARIABLE "TULLE_PCIE_IDS"
/* Where sysfs and device nodes are (/sys, /dev): for tests. */
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
    char node[PCI_NAME_BYTES];   /* of its own, as vfio0; "" where the kernel makes none */
};

/* Whether `text` is an address, "0000:01:00.0" or "01:00.0"; in full in `address` then. */
bool pci_take_address(const char *text, char address[PCI_ADDRESS_BYTES]);

/* The addresses of functions with one of the ids, in order, at most PCI_FOUND_MAX. False with the reason when
 * there is none. */
bool pci_find(char found[PCI_FOUND_MAX][PCI_ADDRESS_BYTES], size_t *count, struct strbuf *why);

/* The function, when nothing that sysfs tells is in the way of its use through VFIO. */
bool pci_look(const char *address, struct pci_function *function, struct strbuf *why);

/* Below the folder of device nodes. The caller frees it. */
void pci_node_path(struct strbuf *path, const char *name);

#endif

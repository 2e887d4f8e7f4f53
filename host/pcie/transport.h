/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of the driver's logic (board.c) to a PCIe function. One
 * implementation uses a vfio-user connection, without a virtual machine; the
 * other uses the kernel's VFIO.
 */
#ifndef TULLE_HOST_PCIE_TRANSPORT_H
#define TULLE_HOST_PCIE_TRANSPORT_H

#include <stdbool.h>

#include "gen/base/strbuf.h"
#include "sim/board/pcie_layout.h"

enum link_status {
    LINK_OK,
    LINK_TIMEOUT, /* of a wait */
    LINK_LOST     /* the function is out of reach for good; error() says why */
};

/* The kernel's ways to a function; the newer one is used where the process has access. */
enum link_way { LINK_ANY_WAY, LINK_BY_GROUP, LINK_BY_NODE };

struct link;

struct link_settings {
    uint64_t patience; /* time limit of an answer, in nanoseconds */
    bool messages;     /* vfio-user: the function's accesses to memory come as messages */
    bool polled;       /* VFIO: no interrupts are asked for */
    enum link_way way; /* VFIO */
};

struct link_api {
    /* Opens the function for one user at a time. NULL with the reason. */
    struct link *(*open)(const char *place, const struct link_settings *settings, struct strbuf *why);
    void (*close)(struct link *link); /* NULL is allowed */

    /* Regions by their numbers in VFIO. */
    enum link_status (*read)(struct link *link, unsigned region, uint64_t offset, void *to, size_t count);
    enum link_status (*write)(struct link *link, unsigned region, uint64_t offset, const void *from,
                              size_t count);

    /* Lets the function read and write this memory at that bus address until the link is closed. It is the
     * beginning of the file and has whole pages. */
    enum link_status (*map)(struct link *link, uint64_t address, void *memory, size_t bytes, int file);
    /* Connects an interrupt vector to an eventfd. */
    enum link_status (*listen)(struct link *link, unsigned vector, int signal);
    /* Waits until the eventfd is readable and reads it. Without interrupts it returns early, and the caller
     * polls. */
    enum link_status (*wait)(struct link *link, int signal, uint64_t nanoseconds);
    enum link_status (*reset)(struct link *link); /* of the function */

    const char *(*error)(const struct link *link);
};

extern const struct link_api link_vfio_user; /* the place is the path of a socket */
extern const struct link_api link_vfio;      /* the place is the address of a PCI function */

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * How a PCIe function is reached: what the driver's logic (board.c) needs, and
 * nothing of how it is done. By a vfio-user connection, without a virtual
 * machine, or by the kernel's VFIO.
 */
#ifndef TULLE_HOST_PCIE_TRANSPORT_H
#define TULLE_HOST_PCIE_TRANSPORT_H

#include <stdbool.h>

#include "gen/base/strbuf.h"
#include "sim/pcie/layout.h"

enum link_status {
    LINK_OK,
    LINK_TIMEOUT, /* of a wait */
    LINK_LOST     /* the function is out of reach for good; error() says why */
};

/* The kernel's ways to a function: the newer one where the process may. */
enum link_way { LINK_ANY_WAY, LINK_BY_GROUP, LINK_BY_NODE };

struct link;

struct link_settings {
    uint64_t patience; /* nanoseconds that an answer may take */
    bool messages;     /* vfio-user: the function's accesses to memory come as messages */
    bool polled;       /* VFIO: no interrupts are asked for */
    enum link_way way; /* VFIO */
};

struct link_api {
    /* One user at a time. NULL with the reason. */
    struct link *(*open)(const char *place, const struct link_settings *settings, struct strbuf *why);
    void (*close)(struct link *link); /* NULL is fine */

    /* Regions by their numbers in VFIO. */
    enum link_status (*read)(struct link *link, unsigned region, uint64_t offset, void *to, size_t count);
    enum link_status (*write)(struct link *link, unsigned region, uint64_t offset, const void *from,
                              size_t count);

    /* The function may read and write this memory at that bus address; whole pages, the beginning of the
     * file. Until the link is closed. */
    enum link_status (*map)(struct link *link, uint64_t address, void *memory, size_t bytes, int file);
    /* A vector writes to that eventfd. */
    enum link_status (*listen)(struct link *link, unsigned vector, int signal);
    /* Until the eventfd is readable; it is read then. Without interrupts the time is over soon: who waits
     * looks again himself. */
    enum link_status (*wait)(struct link *link, int signal, uint64_t nanoseconds);
    enum link_status (*reset)(struct link *link); /* of the function */

    const char *(*error)(const struct link *link);
};

extern const struct link_api link_vfio_user; /* the place is the path of a socket */
extern const struct link_api link_vfio;      /* the place is the address of a PCI function */

#endif

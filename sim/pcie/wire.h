/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole messages over a UNIX socket, with file descriptors beside them. Every
 * wait has a bound.
 */
#ifndef TULLE_SIM_PCIE_WIRE_H
#define TULLE_SIM_PCIE_WIRE_H

#include "sim/pcie/message.h"

enum wire_status {
    WIRE_OK,
    WIRE_TIMEOUT, /* nothing came, not even the beginning of a message */
    WIRE_CLOSED,  /* the other side is gone */
    WIRE_BROKEN   /* what came is no message, or stopped in the middle of one, or cannot be sent */
};

struct wire {
    int socket;
    uint64_t patience; /* nanoseconds for the rest of a message that has begun, and for sending one */
    uint8_t *message;  /* the last one received: VU_MESSAGE_MAX bytes */
    struct vu_header header;
    int fd[VU_FDS_MAX]; /* of the last one received; who takes one puts -1 there */
    unsigned fds;
};

/* Takes the socket; false when out of memory, and then the socket is closed. */
bool wire_open(struct wire *wire, int socket, uint64_t patience);
void wire_close(struct wire *wire);

/* The next message, into wire->message; those descriptors of the last one that nobody took are closed. */
enum wire_status wire_receive(struct wire *wire, uint64_t nanoseconds);

struct wire_part {
    const void *bytes;
    size_t count;
};

/* A header (its size is filled in), two parts (of any length, 0 too) and descriptors. */
enum wire_status wire_send(struct wire *wire, const struct vu_header *header, struct wire_part fixed,
                           struct wire_part data, const int *fds, unsigned count);

/* A command without descriptors whose answer is an error header. */
enum wire_status wire_refuse(struct wire *wire, const struct vu_header *command, int error);

uint64_t wire_now(void); /* nanoseconds that only grow */

/* An address for a path; false when it is too long or empty. */
struct sockaddr_un;
bool wire_address(const char *path, struct sockaddr_un *address);

#endif

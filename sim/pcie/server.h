/* SPDX-License-Identifier: Apache-2.0
 *
 * The function served over a UNIX socket by the vfio-user protocol, to one
 * client after another. Who comes while one is served is told so. A client
 * that breaks the protocol loses its connection, and nobody else anything.
 */
#ifndef TULLE_SIM_PCIE_SERVER_H
#define TULLE_SIM_PCIE_SERVER_H

#include "sim/pcie/function.h"
#include "sim/pcie/wire.h"

#define SERVER_PATIENCE UINT64_C(5000000000) /* nanoseconds for the rest of a message, or an answer */

struct server {
    int listener, stop; /* stop: an eventfd; when it is readable the server ends */
    struct wire wire;   /* of the client; its socket -1: there is none */
    bool greeted;       /* version and capabilities are agreed on */
    bool lost;          /* the client is to be let go */
    uint16_t id;        /* of our next message */
    uint32_t most;      /* bytes in one transfer that the client takes */
    struct function function;
    struct dma dma;
    uint8_t *data; /* VU_DATA_MAX bytes, for answers */
};

/* Listens at `path`, where nothing may be but a socket that nobody serves any more. False with the reason. */
bool server_open(struct server *server, const char *path, const struct function_settings *settings,
                 struct strbuf *why);
void server_close(struct server *server);

/* Until server_stop(), which a signal handler or another thread may call. False with the reason. */
bool server_run(struct server *server, struct strbuf *why);
void server_stop(struct server *server);

#endif

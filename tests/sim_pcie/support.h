/* SPDX-License-Identifier: Apache-2.0
 *
 * A server in a thread of the test, and a client that says what it likes.
 */
#ifndef TULLE_TESTS_PCIE_H
#define TULLE_TESTS_PCIE_H

#include <pthread.h>

#include "sim/pcie/server.h"

struct rig {
    struct server server;
    pthread_t thread;
    char path[100], board[110]; /* board: "pcie:" and the path */
};

/* Fails the test when it cannot. */
void rig_start(struct rig *rig, const struct board_api *api, const char *place, const char *const *settings,
               uint64_t window);
void rig_stop(struct rig *rig);

/* Connected; said nothing yet. */
void client_connect(struct wire *wire, const struct rig *rig);
/* The same, with version and capabilities agreed on. */
void client_greet(struct wire *wire, const struct rig *rig);
/* Sends a command and waits for its answer; the errno of it, or 0. */
int client_ask(struct wire *wire, enum vu_command command, const void *payload, size_t bytes, const int *fds,
               unsigned count);

/* A new board opens, and moves memory: the server is as good as ever. */
void rig_check(const struct rig *rig);

/* A product of the variant tiny on that board, every byte of memory compared. */
void product_on(const char *board, uint64_t seed);

#endif

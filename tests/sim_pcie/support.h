/* SPDX-License-Identifier: Apache-2.0
 *
 * A server in a thread of the test, and a client that says what it likes.
 */
#ifndef TULLE_TESTS_PCIE_H
#define TULLE_TESTS_PCIE_H

#include <pthread.h>

#include "sim/pcie/server.h"

#define RIG_SETTINGS 4

struct rig {
    struct server server;
    pthread_t thread;
    char path[100], board[110]; /* board: "pcie:" and the path */
    const char *settings[RIG_SETTINGS + 2];
};

/* Fails the test when it cannot. */
void rig_start(struct rig *rig, const struct board_api *api, const char *place, const char *const *settings,
               uint64_t window);
/* The board that TULLE_PCIE_BOARD names, "sim:FOLDER", with TULLE_PCIE_SETTING, if it is there, as another
 * setting; or the functional model of tiny. */
void rig_start_named(struct rig *rig, const char *const *settings, uint64_t window);
/* Its copy engine is the device's own, which moves bytes in other pieces than the model in C. */
bool rig_is_rtl(const struct rig *rig);
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * What boards do alike: refusing, waiting by looking, and entries of the table
 * for those that cannot tell.
 */
#ifndef TULLE_SIM_BOARD_COMMON_H
#define TULLE_SIM_BOARD_COMMON_H

#include <stdbool.h>

#include "gen/base/strbuf.h"
#include "sim/board/board.h"

uint64_t board_now(void); /* nanoseconds that only grow */

/* Says what cannot be, with its value. */
enum board_status board_refuse(struct strbuf *error, const char *what, uint64_t value);

/* Looks at the interrupt line, by registers, until it is up. */
struct board_poll {
    const struct board_api *api;
    uint64_t most; /* nanoseconds; 0 is refused */
    uint64_t look; /* between two looks, at most */
    /* Until something comes that may be an interrupt, or that much time is over. */
    enum board_status (*pause)(struct board *board, uint64_t nanoseconds);
    struct strbuf *error;
};

enum board_status board_poll(struct board *board, const struct board_poll *poll);

/* Of boards without a clock, or that cannot be asked for it; docs/board.md. */
uint64_t board_no_cycles(const struct board *board);
uint64_t board_not_written(const struct board *board, uint64_t address);
const char *board_no_events(struct board *board);
uint64_t board_no_packet(const struct board *board, uint64_t cycle);
void board_no_traffic(const struct board *board, struct board_traffic *read, struct board_traffic *written);

#endif

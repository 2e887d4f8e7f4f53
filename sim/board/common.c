/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/common.h"

#include <time.h>

#include "sim/board/registers.h"

#define SECOND UINT64_C(1000000000)

uint64_t board_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

enum board_status board_refuse(struct strbuf *error, const char *what, uint64_t value)
{
    sb_addf(error, "%s: 0x%llx", what, (unsigned long long)value);
    return BOARD_BAD_ARGUMENT;
}

/* The device's line, whatever became of its messages. */
static enum board_status line_is_up(struct board *board, const struct board_api *api, bool *up)
{
    uint32_t enabled, pending = 0;
    enum board_status status = api->read_register(board, register_offset("interrupt_enable"), &enabled);
    if (status == BOARD_OK)
        status = api->read_register(board, register_offset("interrupt_status"), &pending);
    *up = status == BOARD_OK && enabled && pending;
    return status;
}

enum board_status board_poll(struct board *board, const struct board_poll *poll)
{
    const uint64_t begin = board_now();
    bool up = false;
    if (!poll->most)
        return board_refuse(poll->error, "a wait needs a bound", 0);
    for (;;) {
        enum board_status status = line_is_up(board, poll->api, &up);
        if (status != BOARD_OK || up)
            return status;
        const uint64_t over = board_now() - begin;
        if (over >= poll->most) {
            sb_addf(poll->error, "no interrupt in %llu ms", (unsigned long long)(over / 1000000));
            return BOARD_TIMEOUT;
        }
        const uint64_t left = poll->most - over;
        status = poll->pause(board, left < poll->look ? left : poll->look);
        if (status != BOARD_OK)
            return status;
    }
}

uint64_t board_no_cycles(const struct board *board)
{
    (void)board;
    return 0;
}

uint64_t board_not_written(const struct board *board, uint64_t address)
{
    (void)board;
    (void)address;
    return 0;
}

const char *board_no_events(struct board *board)
{
    (void)board;
    return "";
}

uint64_t board_no_packet(const struct board *board, uint64_t cycle)
{
    (void)board;
    (void)cycle;
    return 0;
}

void board_no_traffic(const struct board *board, struct board_traffic *read, struct board_traffic *written)
{
    (void)board;
    *read = *written = (struct board_traffic){0};
}

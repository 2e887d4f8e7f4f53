/* SPDX-License-Identifier: Apache-2.0
 *
 * A serial line, for one process at a time. Every wait has a bound.
 */
#ifndef TULLE_HOST_SERIAL_LINE_H
#define TULLE_HOST_SERIAL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"

enum line_status {
    LINE_OK,
    LINE_TIMEOUT,
    LINE_GONE /* errno says why */
};

/* The supported bit rates of a line; 0 at the end. */
extern const uint32_t line_speeds[];

/* Opens a line; returns a descriptor, or -1 with the reason and advice. */
int line_open(const char *path, uint32_t speed, struct strbuf *why);
void line_close(int line);

/* Writes everything before the time `until` of board_now(). */
enum line_status line_send(int line, const uint8_t *bytes, size_t count, uint64_t until);
/* Reads at least one byte and sets *count. */
enum line_status line_receive(int line, uint8_t *bytes, size_t *count, uint64_t until);
/* Drops input until the line has been quiet for that many nanoseconds, or until `until`. */
enum line_status line_settle(int line, uint64_t quiet, uint64_t until);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of the fuzzer on a Verilated device.
 */
#ifndef TULLE_TESTS_HOST_SOFTWARE_TOOL_DEVICE_H
#define TULLE_TESTS_HOST_SOFTWARE_TOOL_DEVICE_H

#include "sim/board/board.h"
#include "tests/fuzz/tool/subject.h"

/* The device that sim/board/build made in the folder. NULL: `why` has the reason. */
struct board *device_open(const char *folder, char *why, size_t room);
/* Runs the subject's job in memory that is placed by the seed, and gives what its slots have then. False: the
 * device does not end it well. */
bool device_run(struct board *board, const struct subject *subject, uint64_t seed, struct job *to);
void device_close(struct board *board);

#endif

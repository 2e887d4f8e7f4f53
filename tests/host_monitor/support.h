/* SPDX-License-Identifier: Apache-2.0
 *
 * Records in a folder of the test.
 */
#ifndef TULLE_TESTS_MONITOR_H
#define TULLE_TESTS_MONITOR_H

#include "host/monitor/record.h"
#include "tests/gen_base/scratch.h"

/* Enters a scratch folder, in which run/tulle is the first place for records. For .init. */
void monitor_enter(void);

/* A device of this process; the second of these fails the test when it has no record. */
struct monitor monitor_try(void);
struct monitor monitor_make(void);

/* The records of one process that can be read. To be freed. */
struct monitor_samples samples_of(pid_t pid);

#endif

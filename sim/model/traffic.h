/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of memory that a program reads and writes, without running it: those of the counters of a job
 * that succeeds. No number that the program reads changes them.
 */
#ifndef TULLE_SIM_TRAFFIC_H
#define TULLE_SIM_TRAFFIC_H

#include "gen/variant/variant.h"

struct traffic {
    uint64_t read, written;
    uint64_t weights, program; /* of what is read: from these slots, and operations */
};

/* False: the program is refused before its end. */
bool traffic_of_program(const struct variant *variant, const uint8_t *program, uint64_t size,
                        struct traffic *traffic);

#endif

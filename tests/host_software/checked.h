/* SPDX-License-Identifier: Apache-2.0
 *
 * A program's data flow against the functional model.
 */
#ifndef TULLE_TESTS_HOST_SOFTWARE_CHECKED_H
#define TULLE_TESTS_HOST_SOFTWARE_CHECKED_H

#include "tests/fuzz/tool/subject.h"

/* Settings of variants for random programs. Those that use an activation bank read bytes of several stores as
 * one number, which software has no form for; planned ones do not, and tests/host_lib/sequences.c has them.
 */
static const char *const without_bank[] = {"local_bytes=0", NULL};

/* Fails unless the data flow of a subject gives what the model gives, or is refused with the model's word.
 * Returns how many results it has; 0: the model refuses. `given` may be NULL; else it gets the result slot
 * as the model leaves it, which the caller frees. */
size_t check_flow(const struct subject *subject, uint64_t seed, uint8_t **given);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Every reserved bit of every record of programs, configurations and weights: set to 1, the record is
 * refused, and memory keeps what it had.
 */
#ifndef TULLE_TESTS_FIELDS_RESERVED_H
#define TULLE_TESTS_FIELDS_RESERVED_H

#include "tests/fields/play.h"

/* Plays them all, on the functional model when `device` is NULL, else on the device and on the model, which
 * must agree. `bits` gets how many. False, with what is wrong printed, when one was not refused as it should.
 */
bool reserved_play(const struct variant *variant, const struct board_api *api, struct board *device,
                   struct board *model, unsigned *bits);

#endif

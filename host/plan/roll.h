/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops of a program. Operations that come again, with offsets and addresses
 * in the storage units that grow evenly, are written once, in a loop; loops
 * that come again in that way are in a loop of their own. The device does the
 * same in the same order. A loop is at most as long as the program buffer
 * holds; what does not step evenly stays as it is.
 */
#ifndef TULLE_HOST_ROLL_H
#define TULLE_HOST_ROLL_H

#include "host/plan/writer.h"

/* Of the operations that the writer has so far, which must contain no loops. The command processor takes a
 * little longer for loops, so short ones with few passes are left out unless `all` is set. */
void writer_roll(struct writer *writer, bool all);

#endif

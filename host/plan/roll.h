/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops of a program. Operations that come again, with offsets, addresses in
 * the storage units and first groups of channels that grow evenly, are written
 * once, in a loop; loops that come again in that way are in a loop of their
 * own. The device does the same in the same order. A loop is at most as long
 * as the program buffer holds; what does not step evenly stays as it is.
 */
#ifndef TULLE_HOST_ROLL_H
#define TULLE_HOST_ROLL_H

#include "host/plan/writer.h"

/* Of the operations that the writer has so far. Loops that are there already are kept, and get others around
 * them. */
void writer_roll(struct writer *writer);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The data flow of what reads and makes parts of tensors, counted from the first element of each part: slices
 * that compute alike then have the same data flow, wherever they lie.
 */
#ifndef TULLE_HOST_SOFTWARE_PLAIN_NARROW_H
#define TULLE_HOST_SOFTWARE_PLAIN_NARROW_H

#include "host/software/plain.h"

/* The first element of each operand, and of the results, in the tensor. */
struct plain_firsts {
    uint64_t in, second, out;
};

/* Counts elements from the first that is read, or made. The numbers of elements become those from the first
 * to the last. False: out of memory. */
bool plain_narrow(struct plain *plain, struct plain_firsts *to);

#endif

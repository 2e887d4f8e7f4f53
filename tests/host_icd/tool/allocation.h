/* SPDX-License-Identifier: Apache-2.0
 *
 * A program's own allocation functions, which fail when they are told to.
 * They are the process's: the libraries that it loads use them too.
 */
#ifndef TULLE_TESTS_ALLOCATION_H
#define TULLE_TESTS_ALLOCATION_H

#include <stdbool.h>

/* The allocation after that many more fails, wherever it is made; -1: none. */
void allocation_fails_at(long number);
/* Whether it has come to that; from now on none fails. */
bool allocation_has_failed(void);

/* Blocks that are allocated now. */
long allocation_blocks(void);
/* The same when it has become `wanted`, or after two seconds: threads may still let go of something. */
long allocation_settled(long wanted);

#endif

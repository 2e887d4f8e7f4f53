/* SPDX-License-Identifier: Apache-2.0
 *
 * Room for the values of runs. What a run gives back, the same run and the next one take again: memory that
 * the system has to map anew takes longer than small networks do.
 */
#ifndef TULLE_HOST_NET_SPARE_H
#define TULLE_HOST_NET_SPARE_H

#include <stdbool.h>
#include <stddef.h>

struct room;
struct spare {
    struct room *free;
};

/* Zeroed, aligned for any type and for vectors. NULL: out of memory. */
void *spare_take(struct spare *spare, size_t bytes);
/* NULL is allowed. */
void spare_give(struct spare *spare, void *data);
/* At the end of a run: room that it did not take is freed. */
void spare_trim(struct spare *spare);
void spare_close(struct spare *spare);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What saved operators consist of: one list of fields that writes a file or
 * reads it, and checks of every number that the host uses as an address. The
 * device checks the numbers that it uses.
 */
#ifndef TULLE_HOST_SAVED_H
#define TULLE_HOST_SAVED_H

#include "host/container/archive.h"
#include "host/lib/library.h"

/* ---- one operator (saved.c, saved_places.c) -------------------------------------------------------- */

/* `op` has the variant, data_bytes and memory when it is read. */
void saved_operator(struct archive *a, struct planned *op);
/* Its programs, weights and layouts. */
void saved_packed(struct archive *a, struct planned *op, struct packed *packed);

#define SAVED_IMAGE_SIZES 12
void saved_image_sizes(struct plan_images *i, uint32_t *to[SAVED_IMAGE_SIZES]);

/* Slots whose places the host computes. */
enum saved_sides { SAVED_INPUT = 1, SAVED_RESULTS = 2, SAVED_OPERANDS = 4, SAVED_ALL = 7 };

bool saved_fits(uint64_t at, uint64_t bytes, uint64_t room);
/* Whether these places lie within the slots. */
bool saved_packed_is_sound(const struct planned *op, const struct packed *packed, enum saved_sides sides);

/* ---- sequences (saved_sequence.c) ------------------------------------------------------------------ */

/* Of a sequence what runs need: the linked program, borders, steps that take or give what the host has, and
 * the places of results. The rest is not in the file, and not in a sequence that is read. */
void saved_sequence(struct archive *a, const struct planned *base, struct sequence *sequence,
                    struct packed *packed);
bool saved_sequence_is_sound(const struct sequence *sequence, const struct packed *packed);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that write an operator as ONNX share. A value of 0 is none: the reason is noted.
 */
#ifndef TULLE_HOST_SOFTWARE_ONNX_WRITING_H
#define TULLE_HOST_SOFTWARE_ONNX_WRITING_H

#include "host/software/onnx.h"

struct onnx_writing {
    struct onnx *to;
    const struct plain *plain;
    const struct form_group *group;
    onnx_value in, second, temps; /* temps: results that others are made of, of int64 */
    struct strbuf *why;
    int64_t *scratch; /* room for numbers of places, columns, or taps */
};

/* ---- arithmetic (onnx_arithmetic.c) ------------------------------------------------------------------ */

onnx_value onnx_fail(const struct onnx_writing *w, const char *why);
onnx_value onnx_two(const struct onnx_writing *w, const char *op, onnx_value a, onnx_value b);
onnx_value onnx_int64(const struct onnx_writing *w, int64_t value);
const struct flow_finish *onnx_finish_at(const struct onnx_writing *w, size_t column);
/* a / b towards minus infinity; b is above 0. */
onnx_value onnx_floor_divide(const struct onnx_writing *w, onnx_value a, onnx_value b);
onnx_value onnx_limited(const struct onnx_writing *w, onnx_value v, onnx_value low, onnx_value high);
onnx_value onnx_limited_to(const struct onnx_writing *w, onnx_value v, int64_t low, int64_t high);

/* What a scale needs of its shifts: divisors, their halves, and where a second step is. */
struct onnx_divisors {
    onnx_value all, half, is_there, first, first_half, second, second_half, again;
};
struct onnx_divisors onnx_divisors_of(const struct onnx_writing *w, const int64_t *shifts, size_t count,
                                      enum num_rounding rounding);
onnx_value onnx_scaled(const struct onnx_writing *w, onnx_value v, onnx_value multiplier,
                       const struct onnx_divisors *d, enum num_rounding rounding);

/* ---- places of operands (onnx_places.c) -------------------------------------------------------------- */

/* A number of all places, in the order of their loops, into the scratch. */
void onnx_list_places(const struct onnx_writing *w, enum form_number which);
/* The same as [places, 1], and a number of all columns as [1, columns]. */
onnx_value onnx_places(const struct onnx_writing *w, enum form_number which);
onnx_value onnx_columns(const struct onnx_writing *w, enum form_number which);
/* The elements at these places, [batch, ...dimensions of the places]. */
onnx_value onnx_source(const struct onnx_writing *w, const struct form_source *s);
onnx_value onnx_elements_at(const struct onnx_writing *w, const struct form_source *s, onnx_value places);
/* An element for each result, less its zero point. */
onnx_value onnx_elements(const struct onnx_writing *w, const struct form_source *s, enum form_number which);
onnx_value onnx_shaped(const struct onnx_writing *w, onnx_value v, int64_t a, int64_t b, int64_t c);
onnx_value onnx_taps(const struct onnx_writing *w);

/* ---- a group ----------------------------------------------------------------------------------------- */

/* Sums of int32, [batch, places, columns] (onnx_sums.c). */
onnx_value onnx_sums(const struct onnx_writing *w);
/* Results of sums, and of second operands or 0 (onnx_finish.c). */
onnx_value onnx_finished(const struct onnx_writing *w, onnx_value v, onnx_value second);
onnx_value onnx_softmax(const struct onnx_writing *w);

#endif

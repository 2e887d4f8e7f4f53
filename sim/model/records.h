/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading operations quickly: positions of fields looked up in the ISA table
 * once, instead of by name for every record.
 */
#ifndef TULLE_SIM_RECORDS_H
#define TULLE_SIM_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/isa/table.h"

/* Every field name of an operation that has a meaning for executors. The layout tool settles on no layout of
 * it. */
/* clang-format off */
#define OPERATION_FIELDS(X) \
    X(opcode) X(wait_a) X(wait_a_token) X(wait_b) X(wait_b_token) \
    X(signal_a) X(signal_a_token) X(signal_b) X(signal_b_token) X(rows) X(clusters) X(slot) X(zero) \
    X(offset) X(length) X(runs) X(planes) X(run_pitch) X(plane_pitch) X(unit_address) \
    X(offset_step0) X(offset_step1) X(offset_step2) X(unit_step0) X(unit_step1) X(unit_step2) \
    X(group_step0) X(group_step1) X(group_step2) \
    X(command) X(scatter) X(dispatch) X(count) X(element) X(interleave) X(unsigned) \
    X(source) X(sum_clusters) X(sum_rows) X(final) X(function) X(shift) X(result) X(rounding) \
    X(multiplier) X(low) X(high) X(slope) X(group) X(column) X(channel_bias) X(channel_scale) X(channel_limits) \
    X(operand) X(join) X(alone) X(scale_first) X(fraction_15) X(softmax) X(first_group) X(group_run) X(group_repeats) \
    X(group_holds) X(fill) X(plain) X(bitmap) X(segment) X(segments) X(iterations) X(level) X(body)
/* clang-format on */

enum operation_field {
#define X(name) FIELD_##name,
    OPERATION_FIELDS(X)
#undef X
        OPERATION_FIELD_COUNT
};

/* The format of a 64-byte operation by its opcode; NULL when there is none. */
struct record_format;
const struct record_format *record_format(const uint8_t *record);

/* A field's value, sign-extended when it is signed; 0 when the format does not have it. */
int64_t record_get(const struct record_format *format, const uint8_t *record, enum operation_field field);

/* Whether every field is legal; legal_check says what is wrong with them. */
bool record_is_legal(const struct record_format *format, const uint8_t *record);

#endif

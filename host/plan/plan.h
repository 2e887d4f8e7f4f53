/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans: a sparse operator cut into tiles, its weights packed, and the device
 * program that runs it. What these functions build runs unchanged on the
 * functional model, the cycle model and the device.
 */
#ifndef TULLE_HOST_PLAN_H
#define TULLE_HOST_PLAN_H

#include "host/plan/layout.h"
#include "host/plan/writer.h"

/* A sparse matrix by rows: row r's entries are at start[r] .. start[r + 1] - 1, columns ascending. */
struct sparse {
    uint32_t rows, columns;
    uint32_t *start;
    uint32_t *column;
    int32_t *value;
};

void sparse_free(struct sparse *matrix);

/* Rows that have entries. */
uint32_t sparse_needed_rows(const struct sparse *matrix);
/* Columns that have entries, of `columns`; the entries' columns are in any order. 0 without memory, too. */
uint32_t sparse_needed_columns(const uint32_t *column, uint64_t entries, uint32_t columns);

#define PLAN_PARTS 2

/* What a plan produces. Buffers are what the slots of those names must hold. */
struct plan {
    struct strbuf program, weights;
    uint64_t input_bytes, output_bytes;
    uint32_t output_pitch; /* bytes between rows of the result */
    uint64_t padding;      /* bytes of the packed weights that carry no entry */
    uint64_t partial_bytes, scratch_bytes, operand_bytes;
    struct plan_layout layout;
    struct plan_summary summary;
    /* In place of the program those of the first passes or tiles alone, for what the plan costs, and their
     * share of them, 0 where there are none, and of the multiplications. */
    struct {
        struct strbuf program;
        double share, macs;
    } part[PLAN_PARTS];
};

void plan_free(struct plan *plan);

#endif

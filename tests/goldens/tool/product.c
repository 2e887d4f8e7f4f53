/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices, two tensors of which both have batches. The outer dimensions of either repeat.
 */
#include "tests/goldens/tool/operators.h"

struct side {
    int64_t batches, heights, rows, columns, offset;
    bool adjoint; /* stored with rows and columns exchanged */
    struct numbers values;
};

struct side_keys {
    const char *batches, *heights, *rows, *columns, *offset, *adjoint, *file;
};

static struct side read_side(struct golden *golden, const struct side_keys *keys)
{
    struct side side = {.batches = size_of(golden, keys->batches),
                        .heights = size_of(golden, keys->heights),
                        .rows = size_of(golden, keys->rows),
                        .columns = size_of(golden, keys->columns),
                        .offset = golden_number(golden, keys->offset, INT16_MIN, INT16_MAX),
                        .adjoint = golden_number(golden, keys->adjoint, 0, 1)};
    side.values =
        golden_input(golden, keys->file, (size_t)(side.batches * side.heights * side.rows * side.columns));
    return side;
}

/* The matrix is the one of this batch and height; with a size of one there is the same for all. */
static int64_t entry(const struct side *side, int64_t batch, int64_t height, int64_t row, int64_t column)
{
    const int64_t matrix = batch % side->batches * side->heights + height % side->heights;
    const int64_t place = side->adjoint ? column * side->columns + row : row * side->columns + column;
    return side->values.values[matrix * side->rows * side->columns + place] + side->offset;
}

static int64_t inner(const struct side *side, bool left)
{
    return side->adjoint == left ? side->rows : side->columns;
}

static int64_t outer(const struct side *side, bool left)
{
    return side->adjoint == left ? side->columns : side->rows;
}

struct result {
    int64_t batches, heights, rows, columns;
};

static bool fits(const struct side *side, const struct result *result)
{
    return (side->batches == 1 || side->batches == result->batches) &&
           (side->heights == 1 || side->heights == result->heights);
}

static void check_sizes(const struct golden *golden, const struct side *left, const struct side *right,
                        const struct result *result)
{
    if (!fits(left, result) || !fits(right, result) || inner(left, true) != inner(right, false) ||
        outer(left, true) != result->rows || outer(right, false) != result->columns)
        diag_error(golden->diag, (struct place){golden->name, 0, 0},
                   "the sizes of the matrices do not belong together");
}

static int64_t sum_at(const struct side *left, const struct side *right, const struct result *result,
                      int64_t i)
{
    const int64_t column = i % result->columns, row = i / result->columns % result->rows;
    const int64_t matrix = i / result->columns / result->rows;
    const int64_t height = matrix % result->heights, batch = matrix / result->heights;
    int64_t sum = 0;
    for (int64_t k = 0; k < inner(left, true); k++)
        sum += entry(left, batch, height, row, k) * entry(right, batch, height, k, column);
    return sum;
}

void batch_product(struct golden *golden, struct answer *answer)
{
    const struct side left =
        read_side(golden, &(struct side_keys){"LHS_BATCH", "LHS_HEIGHT", "LHS_ROWS", "LHS_COLS", "LHS_OFFSET",
                                              "ADJ_X", "lhs_input_tensor"});
    const struct side right =
        read_side(golden, &(struct side_keys){"RHS_BATCH", "RHS_HEIGHT", "RHS_ROWS", "RHS_COLS", "RHS_OFFSET",
                                              "ADJ_Y", "rhs_input_tensor"});
    const struct result result = {size_of(golden, "OUTPUT_BATCH"), size_of(golden, "OUTPUT_HEIGHT"),
                                  size_of(golden, "OUTPUT_ROWS"), size_of(golden, "OUTPUT_COLS")};
    const int64_t count = result.batches * result.heights * result.rows * result.columns;
    check_sizes(golden, &left, &right, &result);
    golden_expect(golden, answer, (size_t)count);
    struct num_step step = result_step(golden, answer->expected.type);
    const enum sums sums = left.values.type == GOLDEN_INT16 ? SUMS_64 : SUMS_32;
    requantise(&step, golden, sums, golden_number(golden, "OUTPUT_MULTIPLIER", 0, INT32_MAX),
               golden_number(golden, "OUTPUT_SHIFT", SHIFT_MIN, SHIFT_MAX - 16));
    answer->type = sums == SUMS_64 ? "int16" : "int8";
    for (int64_t i = 0; i < count && !golden->diag->errors; i++)
        answer->values[i] = num_apply(&step, sum_at(&left, &right, &result, i));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/goldens/tool/operators.h"

int64_t axis_place(const struct axis *axis, int64_t out, int64_t window)
{
    int64_t place = out * axis->stride - axis->pad + window * axis->dilation;
    if (axis->transposed) {
        place = out + axis->pad - window;
        if (place % axis->stride)
            return -1;
        place /= axis->stride;
    }
    return place < 0 || place >= axis->in ? -1 : place;
}

void requantise(struct num_step *step, const struct golden *golden, enum sums sums, int64_t multiplier,
                int64_t shift)
{
    num_set_scale(step, (int32_t)multiplier, (int)shift, sums == SUMS_64 && !golden->whole);
    step->rounding = sums == SUMS_64 ? NUM_HALVES_UP : golden->rounding;
}

static int16_t limit(const struct golden *golden, const char *first, const char *second)
{
    return (int16_t)golden_number(golden, golden_key(golden, first, second), INT16_MIN, INT16_MAX);
}

struct num_step result_step(const struct golden *golden, enum golden_type type)
{
    return (struct num_step){
        .function = NUM_REQUANTISE,
        .element = type == GOLDEN_INT8 ? NUM_INT8 : NUM_INT16,
        .low = limit(golden, "OUT_ACTIVATION_MIN", "ACTIVATION_MIN"),
        .high = limit(golden, "OUT_ACTIVATION_MAX", "ACTIVATION_MAX"),
        .zero = (int16_t)golden_number_or(golden, "OUTPUT_OFFSET", INT16_MIN, INT16_MAX, 0),
    };
}

int64_t size_of(const struct golden *golden, const char *key)
{
    return golden_number(golden, key, 1, SIZE_MOST);
}

const char *type_word(enum golden_type type)
{
    return type == GOLDEN_INT8 ? "int8" : "int16";
}

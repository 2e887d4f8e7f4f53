/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tensors, element by element; maximum and minimum repeat a dimension of one of them.
 */
#include "tests/goldens/tool/cpu.h"
#include "tests/goldens/tool/operators.h"

struct pair {
    struct numbers a, b;
};

static struct num_operand operand(const struct golden *golden, const char *offset)
{
    return (struct num_operand){.zero = (int32_t)-golden_number(golden, offset, INT16_MIN, INT16_MAX)};
}

static void scale_operand(const struct golden *golden, struct num_operand *operand, const char *multiplier,
                          const char *shift)
{
    operand->left = (unsigned)golden_number(golden, "LEFT_SHIFT", 0, 31);
    operand->multiplier = (int32_t)golden_number(golden, multiplier, 0, INT32_MAX);
    operand->shift = (unsigned)(31 - golden_number(golden, shift, SHIFT_MIN, SHIFT_MAX));
}

static void join_exactly(struct golden *golden, const struct num_join *join, const struct pair *pair,
                         struct answer *answer)
{
    const struct view a = cpu_view(golden, pair->a.type, pair->a.values, pair->a.count),
                      b = cpu_view(golden, pair->b.type, pair->b.values, pair->b.count),
                      y = cpu_view(golden, answer->expected.type, NULL, answer->expected.count);
    if (!golden->diag->errors)
        exact_answer(golden, &(struct exact){.kind = EXACT_JOIN, .join = join, .x = &a, .w = &b, .y = &y},
                     answer);
}

static void join_all(struct golden *golden, struct num_join *join, struct answer *answer)
{
    const size_t count = (size_t)size_of(golden, "DST_SIZE");
    const struct pair pair = {golden_input(golden, "input1", count), golden_input(golden, "input2", count)};
    golden_expect(golden, answer, count);
    answer->type = type_word(answer->expected.type);
    join->step = result_step(golden, answer->expected.type);
    requantise(&join->step, golden, SUMS_32, golden_number(golden, "OUTPUT_MULT", 0, INT32_MAX),
               golden_number(golden, "OUTPUT_SHIFT", SHIFT_MIN, SHIFT_MAX));
    if (golden->device || golden->cpu)
        join_exactly(golden, join, &pair, answer);
    if (golden->device || golden->cpu || golden->diag->errors)
        return;
    for (size_t i = 0; i < count; i++)
        answer->values[i] = num_join_apply(join, (int32_t)pair.a.values[i], (int32_t)pair.b.values[i]);
}

void addition(struct golden *golden, struct answer *answer)
{
    struct num_join join = {
        .joining = NUM_ADD, .a = operand(golden, "INPUT1_OFFSET"), .b = operand(golden, "INPUT2_OFFSET")};
    scale_operand(golden, &join.a, "INPUT1_MULT", "INPUT1_SHIFT");
    scale_operand(golden, &join.b, "INPUT2_MULT", "INPUT2_SHIFT");
    join_all(golden, &join, answer);
}

void multiplication(struct golden *golden, struct answer *answer)
{
    struct num_join join = {.joining = NUM_MULTIPLY,
                            .a = operand(golden, "INPUT1_OFFSET"),
                            .b = operand(golden, "INPUT2_OFFSET")};
    join_all(golden, &join, answer);
}

/* ---- maximum and minimum ----------------------------------------------------------------------- */

enum { DIMENSIONS = 4 };

struct sizes {
    int64_t size[DIMENSIONS];
};

static struct sizes shape_of(const struct golden *golden, const char *const keys[DIMENSIONS])
{
    struct sizes shape;
    for (unsigned d = 0; d < DIMENSIONS; d++)
        shape.size[d] = size_of(golden, keys[d]);
    return shape;
}

static size_t elements(const struct sizes *shape)
{
    return (size_t)(shape->size[0] * shape->size[1] * shape->size[2] * shape->size[3]);
}

/* The element of a smaller tensor that stands at this place of the result; a dimension of one is repeated. */
static size_t below(const struct sizes *shape, const struct sizes *result, size_t place)
{
    size_t index = 0, stride = 1;
    for (unsigned d = DIMENSIONS; d--;) {
        const size_t size = (size_t)result->size[d];
        index += shape->size[d] == 1 ? 0 : place % size * stride;
        stride *= (size_t)shape->size[d];
        place /= size;
    }
    return index;
}

static void check_shape(const struct golden *golden, const struct sizes *shape, const struct sizes *result)
{
    for (unsigned d = 0; d < DIMENSIONS; d++)
        if (shape->size[d] != 1 && shape->size[d] != result->size[d])
            diag_error(golden->diag, (struct place){golden->name, 0, 0},
                       "dimension %u is %lld of an operand and %lld of the result", d,
                       (long long)shape->size[d], (long long)result->size[d]);
}

static struct view sized_view(struct golden *golden, const struct numbers *numbers, const struct sizes *sizes)
{
    struct view view = cpu_view(golden, numbers->type, numbers->values, numbers->count);
    view.rank = DIMENSIONS;
    for (unsigned d = 0; d < DIMENSIONS; d++)
        view.dim[d] = sizes->size[d];
    return view;
}

static void choose_on_cpu(struct golden *golden, const struct view *a, const struct view *b, bool larger,
                          const struct sizes *result, struct answer *answer)
{
    const struct numbers empty = {.type = answer->expected.type, .count = answer->expected.count};
    const struct view y = sized_view(golden, &empty, result);
    if (golden->diag->errors)
        return;
    cpu_node(golden, larger ? "Max" : "Min", (const struct view *const[]){a, b}, 2, NULL, &y);
    cpu_values(&y, answer->values);
}

static void choose_all(struct golden *golden, struct answer *answer, bool larger)
{
    static const char *const keys[][DIMENSIONS] = {
        {"BATCH_1", "HEIGHT_1", "WIDTH_1", "CHANNEL_1"},
        {"BATCH_2", "HEIGHT_2", "WIDTH_2", "CHANNEL_2"},
        {"OUTPUT_BATCH", "OUTPUT_HEIGHT", "OUTPUT_WIDTH", "OUTPUT_CHANNEL"}};
    const struct sizes a = shape_of(golden, keys[0]), b = shape_of(golden, keys[1]);
    const struct sizes result = shape_of(golden, keys[2]);
    const struct pair pair = {golden_input(golden, "input_tensor_1", elements(&a)),
                              golden_input(golden, "input_tensor_2", elements(&b))};
    check_shape(golden, &a, &result);
    check_shape(golden, &b, &result);
    golden_expect(golden, answer, elements(&result));
    answer->type = type_word(answer->expected.type);
    if (golden->diag->errors)
        return;
    if (golden->cpu) {
        const struct view x = sized_view(golden, &pair.a, &a), y = sized_view(golden, &pair.b, &b);
        choose_on_cpu(golden, &x, &y, larger, &result, answer);
        return;
    }
    for (size_t i = 0; i < answer->expected.count; i++) {
        const int64_t left = pair.a.values[below(&a, &result, i)];
        const int64_t right = pair.b.values[below(&b, &result, i)];
        answer->values[i] = (left > right) == larger ? left : right;
    }
}

void maximum(struct golden *golden, struct answer *answer)
{
    choose_all(golden, answer, true);
}

void minimum(struct golden *golden, struct answer *answer)
{
    choose_all(golden, answer, false);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows over an image of which padding is no part: it neither counts nor is it ever the largest.
 */
#include "sim/numerics/join.h"
#include "tests/goldens/tool/operators.h"

struct pool {
    struct axis y, x;
    int64_t batches, channels;
    struct tensor input;
    bool largest;
};

struct window {
    int64_t sum, largest;
    uint32_t count;
};

static void read_pool(struct golden *golden, struct pool *pool)
{
    pool->y =
        (struct axis){.in = size_of(golden, "INPUT_H"),
                      .out = size_of(golden, "OUTPUT_H"),
                      .window = size_of(golden, "FILTER_H"),
                      .stride = size_of(golden, "STRIDE_H"),
                      .pad = golden_number(golden, golden_key(golden, "PADDING_H", "PAD_H"), 0, SIZE_MOST),
                      .dilation = 1};
    pool->x =
        (struct axis){.in = size_of(golden, "INPUT_W"),
                      .out = size_of(golden, "OUTPUT_W"),
                      .window = size_of(golden, "FILTER_W"),
                      .stride = size_of(golden, "STRIDE_W"),
                      .pad = golden_number(golden, golden_key(golden, "PADDING_W", "PAD_W"), 0, SIZE_MOST),
                      .dilation = 1};
    pool->batches = size_of(golden, golden_key(golden, "BATCH_SIZE", "INPUT_BATCHES"));
    pool->channels = size_of(golden, golden_key(golden, "INPUT_C", "IN_CH"));
    pool->input = golden_input(golden, "input_tensor",
                               (size_t)(pool->batches * pool->y.in * pool->x.in * pool->channels));
}

static struct window window_at(const struct pool *pool, int64_t row, int64_t out_x, int64_t channel)
{
    struct window window = {.largest = INT64_MIN};
    const int64_t batch = row / pool->y.out;
    for (int64_t y = 0; y < pool->y.window; y++)
        for (int64_t x = 0; x < pool->x.window; x++) {
            const int64_t in_y = axis_place(&pool->y, row % pool->y.out, y),
                          in_x = axis_place(&pool->x, out_x, x);
            if (in_y < 0 || in_x < 0)
                continue;
            const int64_t pixel = (batch * pool->y.in + in_y) * pool->x.in + in_x;
            const int64_t value = pool->input.values[pixel * pool->channels + channel];
            window.sum += value;
            window.largest = value > window.largest ? value : window.largest;
            window.count++;
        }
    return window;
}

static void pooling(struct golden *golden, struct answer *answer, bool largest)
{
    struct pool pool = {.largest = largest};
    read_pool(golden, &pool);
    const int64_t pixels = pool.batches * pool.y.out * pool.x.out;
    golden_expect(golden, answer, (size_t)(pixels * pool.channels));
    struct num_step step = result_step(golden, answer->expected.type);
    step.function = NUM_CLAMP;
    answer->type = type_word(pool.input.type);
    if (golden->diag->errors)
        return;
    for (int64_t i = 0; i < pixels * pool.channels; i++) {
        const int64_t pixel = i / pool.channels;
        const struct window window =
            window_at(&pool, pixel / pool.x.out, pixel % pool.x.out, i % pool.channels);
        if (!window.count)
            diag_error(golden->diag, (struct place){golden->name, 0, 0}, "a window has nothing but padding");
        else
            answer->values[i] =
                num_apply(&step, largest ? window.largest : num_mean(window.sum, window.count));
    }
}

void average_pooling(struct golden *golden, struct answer *answer)
{
    pooling(golden, answer, false);
}

void maximum_pooling(struct golden *golden, struct answer *answer)
{
    pooling(golden, answer, true);
}

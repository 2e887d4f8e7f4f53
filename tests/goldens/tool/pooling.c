/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows over an image of which padding is no part: it neither counts nor is it ever the largest.
 */
#include "tests/goldens/tool/cpu.h"
#include "tests/goldens/tool/operators.h"

struct pool {
    struct axis y, x;
    int64_t batches, channels;
    struct numbers input;
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

/* ---- by kernels or a device --------------------------------------------------------------------- */

static int64_t behind(const struct axis *axis)
{
    const int64_t reach = (axis->out - 1) * axis->stride + axis->window - axis->pad - axis->in;
    return reach > 0 ? reach : 0;
}

static struct slide slide_of_pool(const struct pool *pool)
{
    const struct axis *axes[] = {&pool->y, &pool->x};
    struct slide s = {.dims = 2, .images = pool->batches, .each = 1, .groups = pool->channels};
    for (int i = 0; i < 2; i++) {
        s.size[i] = axes[i]->in;
        s.result[i] = axes[i]->out;
        s.kernel[i] = axes[i]->window;
        s.stride[i] = axes[i]->stride;
        s.dilation[i] = 1;
        s.pad[i] = axes[i]->pad;
        s.pad_end[i] = behind(axes[i]);
    }
    s.from.channels = s.to.channels = pool->channels;
    slide_count(&s, true, false);
    return s;
}

static void image(struct view *view, const struct slide *s, const int64_t *sizes)
{
    view->rank = 4;
    view->dim[0] = s->images;
    view->dim[1] = sizes[0];
    view->dim[2] = sizes[1];
    view->dim[3] = s->from.channels;
}

static void pool_exactly(struct golden *golden, const struct pool *pool, const struct num_step *step,
                         struct answer *answer)
{
    const struct slide s = slide_of_pool(pool);
    struct view x = cpu_view(golden, pool->input.type, pool->input.values, pool->input.count),
                y = cpu_view(golden, answer->expected.type, NULL, answer->expected.count);
    if (golden->diag->errors)
        return;
    image(&x, &s, s.size);
    image(&y, &s, s.result);
    if (!pool->largest || golden->device) {
        exact_answer(golden,
                     &(struct exact){.kind = pool->largest ? EXACT_LARGEST : EXACT_AVERAGE,
                                     .slide = &s,
                                     .step = step,
                                     .x = &x,
                                     .y = &y},
                     answer);
        return;
    }
    cpu_node(golden, "MaxPool", (const struct view *const[]){&x}, 1, &s, &y);
    scaled_map(step, 0, &y, &y);
    cpu_values(&y, answer->values);
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
    if (golden->device || golden->cpu) {
        pool_exactly(golden, &pool, &step, answer);
        return;
    }
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

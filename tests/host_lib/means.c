/* SPDX-License-Identifier: Apache-2.0
 *
 * Averages that round halves away from zero, as TFLite's, against num_mean: windows of all numbers of pixels,
 * global ones of networks, and what is refused. Sums are near halves.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/numerics/join.h"
#include "sim/numerics/numerics.h"
#include "support.h"

#define DEVICE "model:base;set=zero_points=on;set=roundings=on"

struct trial {
    struct tulle_window window;
    struct tulle_operator_options options;
    struct tulle_epilogue epilogue;
    int64_t taps;
};

static struct trial trial_make(int64_t height, int64_t width, int64_t channels)
{
    return (struct trial){.window = {.size = sizeof(struct tulle_window),
                                     .height = height,
                                     .width = width,
                                     .channels = channels,
                                     .kernel_height = height,
                                     .kernel_width = width,
                                     .round_away = 1},
                          .options = {.size = sizeof(struct tulle_operator_options),
                                      .operation = TULLE_AVERAGE_POOL,
                                      .output_type = TULLE_INT8},
                          .epilogue = {.size = sizeof(struct tulle_epilogue)},
                          .taps = height * width};
}

/* Every channel's pixels are a number or one more: as many more as are next to a half, or any. */
static void fill(struct random *dice, const struct trial *t, int8_t *pixels, int64_t *sums)
{
    const int64_t channels = t->window.channels;
    for (int64_t c = 0; c < channels; c++) {
        const int8_t base = (int8_t)((int)random_below(dice, 255) - 128);
        int64_t more = random_chance(dice, 80) ? t->taps / 2 - 1 + (int64_t)random_below(dice, 4)
                                               : (int64_t)random_below(dice, (unsigned)t->taps + 1);
        more = more < 0 ? 0 : more > t->taps ? t->taps : more;
        sums[c] = base * t->taps + more;
        for (int64_t p = 0; p < t->taps; p++)
            pixels[p * channels + c] = (int8_t)(base + (p < more));
    }
}

static void run(struct tulle_device *device, struct random *dice, struct trial *t)
{
    struct tulle_operator *op = NULL;
    const int64_t channels = t->window.channels;
    int8_t *pixels = malloc((size_t)(t->taps * channels)), *results = malloc((size_t)channels);
    int64_t *sums = malloc((size_t)channels * sizeof *sums);
    cr_assert(pixels && results && sums);
    t->options.window = &t->window;
    t->options.epilogue = &t->epilogue;
    done(tulle_operator_create(device, &t->options, &op));
    const struct tulle_matrix input = {.size = sizeof input,
                                       .type = TULLE_INT8,
                                       .rows = t->taps,
                                       .columns = channels,
                                       .row_stride = channels,
                                       .column_stride = 1,
                                       .values = pixels};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT8, .values = results};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    fill(dice, t, pixels, sums);
    done(tulle_run(op, &operands, WAIT, NULL));
    for (int64_t c = 0; c < channels; c++)
        cr_assert_eq(results[c], num_mean(sums[c], t->taps), "%lld / %lld is %d, not %lld",
                     (long long)sums[c], (long long)t->taps, results[c],
                     (long long)num_mean(sums[c], t->taps));
    tulle_operator_free(op);
    free(pixels);
    free(results);
    free(sums);
}

Test(host_lib_means, of_all_numbers_of_pixels)
{
    struct tulle_device *device = open_device(DEVICE, NULL, 0);
    struct random dice = {3};
    for (int64_t taps = 1; taps <= 66; taps++) {
        struct trial t = trial_make(taps % 3 ? 1 : 3, taps % 3 ? taps : taps / 3, 128);
        run(device, &dice, &t);
    }
    tulle_device_close(device);
}

Test(host_lib_means, global_ones_of_networks)
{
    static const int64_t shapes[][3] = {{7, 7, 1280}, {14, 14, 64}, {56, 56, 256},
                                        {8, 8, 256},  {4, 4, 512},  {28, 28, 32}};
    struct tulle_device *device = open_device(DEVICE, NULL, 0);
    struct random dice = {4};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct trial t = trial_make(shapes[i][0], shapes[i][1], shapes[i][2]);
        run(device, &dice, &t);
    }
    tulle_device_close(device);
}

#define IS(status, text, change)                                                   \
    do {                                                                           \
        struct trial t = trial_make(2, 3, 8);                                      \
        struct tulle_operator *op = NULL;                                          \
        t.options.window = &t.window;                                              \
        t.options.epilogue = &t.epilogue;                                          \
        change;                                                                    \
        refuses((status), (text), tulle_operator_create(device, &t.options, &op)); \
    } while (0)

Test(host_lib_means, refusals)
{
    struct tulle_device *device = open_device(DEVICE, NULL, 0);
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    IS(wrong, "only averages are divided", t.options.operation = TULLE_MAX_POOL);
    IS(wrong, "is limited at most", t.epilogue.function = TULLE_REQUANTISE);
    IS(wrong, "has no other rounding", t.epilogue.rounding = TULLE_ROUND_EVEN);
    IS(wrong, "window: reserved is 3", t.window.reserved = 3);
    /* 2^16 - 2 pixels: sums that are next to a half would become one. */
    IS(TULLE_UNSUPPORTED, "not always the nearest", t.window.height = t.window.kernel_height = 2;
       t.window.width = t.window.kernel_width = 32767);
    tulle_device_close(device);
}

/* Odd numbers of pixels have no halves. */
Test(host_lib_means, need_roundings_for_halves)
{
    struct tulle_device *device = open_device("model:base", NULL, 0);
    struct random dice = {5};
    struct trial odd = trial_make(3, 5, 32);
    run(device, &dice, &odd);
    IS(TULLE_UNSUPPORTED, "roundings: on", (void)0);
    tulle_device_close(device);
}

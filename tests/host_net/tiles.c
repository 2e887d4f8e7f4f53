/* SPDX-License-Identifier: Apache-2.0
 *
 * Every form of the inner loops of integer layers that this processor has gives the bits of plain loops.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "gen/base/random.h"
#include "host/net/cpu/scaled.h"

enum { ROUNDS = 2000, MOST = 4096 };

static uint64_t any(struct random *random)
{
    return random_next(random);
}

/* The forms of this processor; the plain one is always there, as the last. */
static unsigned forms_of(const struct tile_form *list[8])
{
    unsigned count = 0;
    for (const struct tile_form *form = tile_forms; form->name; form++)
        if (form->is_there())
            list[count++] = form;
    cr_assert(count && count < 8);
    cr_assert_str_eq(list[count - 1]->name, "plain");
    cr_assert_eq(tile_form_best(), list[0]);
    return count;
}

/* A number of any size, often one of the ends. */
static int32_t number(struct random *random)
{
    static const int32_t ends[] = {0, 1, -1, INT32_MAX, INT32_MIN, 1 << 30, -(1 << 30)};
    if (random_chance(random, 20))
        return ends[random_below(random, sizeof ends / sizeof *ends)];
    return (int32_t)any(random) >> random_below(random, 31);
}

Test(host_net_tiles, sums_are_rounded_as_numerics_says)
{
    const struct tile_form *forms[8];
    const unsigned count = forms_of(forms);
    struct random random = {3};
    for (int round = 0; round < ROUNDS; round++) {
        int32_t bias[2 * TILE_CHANNELS] = {0}, multiplier[2 * TILE_CHANNELS], shift[2 * TILE_CHANNELS],
                         sums[TILE_PLACES][TILE_CHANNELS];
        struct num_step step[TILE_CHANNELS];
        const int64_t first = (int64_t)random_below(&random, TILE_CHANNELS);
        const int places = (int)random_range(&random, 1, TILE_PLACES);
        for (int o = 0; o < TILE_CHANNELS; o++) {
            step[o] = step_of(NET_UINT8, (int32_t)(round % 256));
            step[o].low = (int16_t)(round % 7);
            step[o].high = (int16_t)(250 - round % 11);
            num_set_scale(&step[o], number(&random) & INT32_MAX, -(int)random_below(&random, 32), false);
            cr_assert(tile_step_fits(&step[o]));
            multiplier[first + o] = step[o].multiplier;
            shift[first + o] = tile_shift(&step[o]);
            bias[first + o] = number(&random) / 2;
            for (int p = 0; p < TILE_PLACES; p++)
                sums[p][o] = number(&random) / 2;
        }
        const struct tile_steps steps = {bias, multiplier, shift, step->low, step->high, step->zero};
        for (unsigned f = 0; f < count; f++) {
            uint8_t to[TILE_PLACES + 1][TILE_CHANNELS + 3];
            memset(to, 0xa5, sizeof to);
            forms[f]->requantise(&steps, first, places, (const int32_t(*)[TILE_CHANNELS])sums, to[0],
                                 sizeof *to);
            for (int p = 0; p < places; p++)
                for (int o = 0; o < TILE_CHANNELS; o++)
                    cr_assert_eq(to[p][o],
                                 (uint8_t)num_apply(&step[o], (int64_t)sums[p][o] + bias[first + o]),
                                 "%s, round %d", forms[f]->name, round);
            cr_assert_eq(to[places][0], 0xa5);
            cr_assert_eq(to[0][TILE_CHANNELS], 0xa5);
        }
    }
}

Test(host_net_tiles, products_of_windows_and_weights)
{
    static int16_t windows[MOST], weights[MOST];
    const struct tile_form *forms[8];
    const unsigned count = forms_of(forms);
    struct random random = {4};
    for (int round = 0; round < ROUNDS / 10; round++) {
        const int64_t pairs = random_range(&random, 0, 60), stride = 2 * pairs + random_range(&random, 0, 9);
        for (int i = 0; i < MOST; i++) {
            windows[i] = (int16_t)((int32_t)random_below(&random, 511) - 255);
            weights[i] = (int16_t)((int32_t)random_below(&random, 511) - 255);
        }
        for (unsigned f = 0; f < count; f++) {
            int32_t sums[TILE_PLACES][TILE_CHANNELS];
            forms[f]->multiply(windows, stride, weights, pairs, sums);
            for (int p = 0; p < TILE_PLACES; p++)
                for (int o = 0; o < TILE_CHANNELS; o++) {
                    int32_t sum = 0;
                    for (int64_t k = 0; k < 2 * pairs; k++)
                        sum += windows[p * stride + k] * weights[(k / 2 * TILE_CHANNELS + o) * 2 + k % 2];
                    cr_assert_eq(sums[p][o], sum, "%s, round %d", forms[f]->name, round);
                }
        }
    }
}

Test(host_net_tiles, products_of_channels)
{
    static int16_t window[MOST], weights[MOST];
    const struct tile_form *forms[8];
    const unsigned count = forms_of(forms);
    struct random random = {5};
    for (int round = 0; round < ROUNDS / 10; round++) {
        const int64_t taps = random_range(&random, 0, 50), stride = random_range(&random, TILE_CHANNELS, 70);
        for (int i = 0; i < MOST; i++) {
            window[i] = (int16_t)any(&random);
            weights[i] = (int16_t)((int32_t)random_below(&random, 511) - 255);
        }
        for (unsigned f = 0; f < count; f++) {
            int32_t sums[TILE_CHANNELS];
            forms[f]->multiply_channels(window, weights, stride, taps, sums);
            for (int o = 0; o < TILE_CHANNELS; o++) {
                int32_t sum = 0;
                for (int64_t k = 0; k < taps; k++)
                    sum += window[k * stride + o] * weights[k * stride + o];
                cr_assert_eq(sums[o], sum, "%s, round %d", forms[f]->name, round);
            }
        }
    }
}

Test(host_net_tiles, bytes_are_widened_and_limited)
{
    enum { LONGEST = 200 };
    const struct tile_form *forms[8];
    const unsigned count = forms_of(forms);
    struct random random = {6};
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t length = random_range(&random, 0, LONGEST);
        const uint8_t flip = round % 2 ? 128 : 0, low = (uint8_t)any(&random),
                      high = (uint8_t)(low + random_below(&random, 256u - low));
        const int32_t zero = (int32_t)random_below(&random, 256);
        uint8_t from[LONGEST], to[LONGEST + 1];
        int16_t wide[LONGEST + 1];
        for (int i = 0; i < LONGEST; i++)
            from[i] = (uint8_t)any(&random);
        for (unsigned f = 0; f < count; f++) {
            to[length] = 0xa5;
            wide[length] = 0x5a5a;
            forms[f]->widen(from, flip, zero, length, wide);
            forms[f]->limit(from, flip, low, high, length, to);
            for (int64_t i = 0; i < length; i++) {
                const int byte = from[i] ^ flip;
                cr_assert_eq(wide[i], byte - zero, "%s, round %d", forms[f]->name, round);
                cr_assert_eq(to[i] ^ flip,
                             byte < low    ? low
                             : byte > high ? high
                                           : byte,
                             "%s, round %d", forms[f]->name, round);
            }
            cr_assert(to[length] == 0xa5 && wide[length] == 0x5a5a);
        }
    }
}

static void fill(struct random *random, struct view *v, enum net_type type, uint8_t *bytes, int64_t count)
{
    *v = (struct view){.type = type, .rank = 1, .dim = {count}, .count = (size_t)count, .data = bytes};
    for (int64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)any(random);
}

/* Operands of one shape are joined by tables; each result is that of num_join_apply(). */
Test(host_net_tiles, operands_are_joined_as_numerics_says)
{
    enum { LONGEST = 100 };
    struct random random = {7};
    for (int round = 0; round < ROUNDS; round++) {
        const enum net_type type = round % 2 ? NET_INT8 : NET_UINT8;
        const int64_t count = random_range(&random, 1, LONGEST);
        uint8_t bytes[3][LONGEST];
        struct view a, b, y;
        struct num_step side = {0};
        struct num_join join = {.joining = (enum num_joining)random_below(&random, NUM_JOININGS),
                                .step = step_of(type, (int32_t)random_below(&random, 100))};
        fill(&random, &a, type, bytes[0], count);
        fill(&random, &b, type, bytes[1], count);
        fill(&random, &y, type, bytes[2], count);
        struct num_operand *const sides[] = {&join.a, &join.b};
        for (int i = 0; i < 2; i++) {
            num_set_scale(&side, (int32_t)(random_below(&random, 1u << 30) + (1u << 30)),
                          -(int)random_below(&random, 4), false);
            *sides[i] = (struct num_operand){.zero = (int32_t)random_below(&random, 100),
                                             .multiplier = side.multiplier,
                                             .left = 20,
                                             .shift = side.shift};
        }
        num_set_scale(&join.step, (int32_t)(random_below(&random, 1u << 30) + (1u << 30)),
                      -(int)random_below(&random, 20), false);
        scaled_join(&join, &a, &b, &y);
        for (size_t i = 0; i < y.count; i++)
            cr_assert_eq(view_integer(&y, i),
                         num_join_apply(&join, (int32_t)view_integer(&a, i), (int32_t)view_integer(&b, i)),
                         "round %d, result %zu", round, i);
    }
}

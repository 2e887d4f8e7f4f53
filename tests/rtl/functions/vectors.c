/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what the benches of tulle_functions and tulle_function_lanes read: function records and requests
 * with the answers of sim/numerics; with 0 ROUNDS, every argument of the curves and of the user's function.
 * Lines: 0 BUFFER RECORD 0 a record of 128 bits for a buffer 1 BUFFER VALUE ANSWER     a request all but the
 * first two numbers in hexadecimal, of the accumulator's width.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/base/random.h"
#include "sim/numerics/numerics.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct random random_state;
static unsigned roundings = 1; /* that records may have, from 0 on */

static unsigned below(unsigned limit)
{
    return (unsigned)random_below(&random_state, limit);
}

/* Of every magnitude equally often. */
static int64_t random_number(unsigned width)
{
    return num_wrap((int64_t)random_next(&random_state), 1 + below(width));
}

static int16_t random_limit(void)
{
    static const int16_t corners[] = {0, 1, -1, 127, 128, 129, -127, -128, -129, INT16_MAX, INT16_MIN};
    return below(2) ? corners[below(COUNT(corners))] : (int16_t)random_number(16);
}

static int32_t random_multiplier(void)
{
    static const int32_t corners[] = {0,       1,         -1, 2, 3, INT32_MAX, INT32_MIN, INT32_MIN + 1,
                                      1 << 30, 0x55555555};
    switch (below(6)) {
    case 0:
        return corners[below(COUNT(corners))];
    case 1:
        return (int32_t)((1u << 30) +
                         random_next(&random_state) % (1u << 30)); /* as quantisers normalise it */
    case 2:
    case 3: /* a shift to the left, which keeps the runs of the sum */
        return (int32_t)(below(2) ? 1u << below(31) : -(1u << below(31)));
    default:
        return (int32_t)random_number(32);
    }
}

static unsigned random_shift(void)
{
    static const unsigned corners[] = {0, 1, 31, 32, 33, 62, 63};
    return below(3) ? below(64) : corners[below(COUNT(corners))];
}

static struct num_step random_step(unsigned function, unsigned element)
{
    struct num_step step = {.function = (enum num_function)function,
                            .element = (enum num_element)element,
                            .shift = random_shift(),
                            .multiplier = random_multiplier(),
                            .low = random_limit(),
                            .high = random_limit(),
                            .zero = random_limit(),
                            .slope = below(3) ? random_limit() : (int16_t)(1 << below(15)),
                            .rounding = (enum num_rounding)below(roundings)};
    if (step.low > step.high && below(4)) {
        int16_t low = step.high;
        step.high = step.low;
        step.low = low;
    }
    return step;
}

/* docs/isa.md, "Function record" */
static void put_record(unsigned buffer, const struct num_step *s)
{
    printf("0 %u %04x%04x%04x%04x%08" PRIx32 "%04x%04x 0\n", buffer, (uint16_t)s->slope, (uint16_t)s->zero,
           (uint16_t)s->high, (uint16_t)s->low, (uint32_t)s->multiplier, (unsigned)s->rounding,
           (unsigned)(3 | s->function << 2 | s->shift << 8 | (unsigned)s->element << 14));
}

static void put_request(unsigned buffer, const struct num_step *step, int64_t value, unsigned width)
{
    uint64_t mask = UINT64_MAX >> (64 - width);
    int64_t acc = num_wrap(value, width);
    printf("1 %u %" PRIx64 " %" PRIx64 "\n", buffer, (uint64_t)acc & mask,
           (uint64_t)num_apply(step, acc) & mask);
}

static const int64_t edges[] = {0,         127,       128,       129,       255,       256,
                                32767,     32768,     65535,     65536,     131071,    131072,
                                262143,    262144,    8388607,   8388608,   INT32_MAX, 1ll << 31,
                                1ll << 32, 1ll << 39, 1ll << 47, 1ll << 62, INT64_MAX, INT64_MIN};

static void put_edges(unsigned buffer, const struct num_step *step, unsigned width)
{
    for (unsigned e = 0; e < COUNT(edges); e++)
        for (int by = -1; by <= 1; by++) {
            uint64_t value = (uint64_t)edges[e] + (uint64_t)(int64_t)by;
            put_request(buffer, step, (int64_t)value, width);
            put_request(buffer, step, (int64_t)-value, width);
        }
    for (int by = -2; by <= 1; by++) /* the ends of the accumulator */
        put_request(buffer, step, (int64_t)(((uint64_t)1 << (width - 1)) + (uint64_t)(int64_t)by), width);
}

/* A limit of the record, where a wrong bit below shows, or a result between the two; for curves, anywhere on
 * them. */
static int random_target(const struct num_step *s, bool curve)
{
    if (curve)
        return (int16_t)random_next(&random_state);
    switch (below(4)) {
    case 0:
        return s->low;
    case 1:
        return s->high;
    default:
        return s->low + (s->high > s->low ? (int)below((unsigned)(s->high - s->low)) : 0);
    }
}

/* A value whose result is, but for the rounding, a random target or half a unit beside it. */
static int64_t near_target(const struct num_step *s)
{
    bool curve = s->function == NUM_SIGMOID || s->function == NUM_TANH;
    long double target = random_target(s, curve);
    long double value = target;
    if (s->function == NUM_LEAKY_RELU && s->slope)
        value = (target + 0.5L * (int)below(2)) * 32768 / s->slope;
    if (curve || s->function == NUM_REQUANTISE || s->function == NUM_AVERAGE) {
        if (!s->multiplier)
            return 0;
        value = (target - (curve ? 0 : s->zero) + 0.5L * ((int)below(5) - 2)) *
                (long double)((uint64_t)1 << s->shift) / s->multiplier;
    }
    if (value > 9.0e18L || value < -9.0e18L)
        return random_number(64);
    return (int64_t)value + (below(2) ? 0 : (int)below(3) - 1) * (1 << below(5));
}

/* With a run of equal bits, as halves and numbers next to them have. */
static int64_t random_run(unsigned width)
{
    uint64_t run = (UINT64_MAX >> below(64)) << below(64);
    uint64_t value = (uint64_t)random_number(width);
    return (int64_t)(below(2) ? value | run : value & ~run);
}

static int64_t random_value(const struct num_step *step, unsigned width)
{
    switch (below(4)) {
    case 0:
        return random_number(width);
    case 1:
        return random_run(width);
    default:
        return near_target(step);
    }
}

static unsigned random_function(unsigned functions)
{
    unsigned function = below(NUM_FUNCTIONS);
    return functions >> function & 1 ? function : random_function(functions);
}

enum turn { ANY, EXTREME, TURNED, TURNS };

/* Every function with every element; in the second turn with what makes the largest numbers, in the third
 * with a low above a high that int8 does not hold either. */
static void put_corners(unsigned functions, enum turn turn, unsigned buffers, unsigned width)
{
    for (unsigned n = 0; n < NUM_FUNCTIONS * 4; n++) {
        unsigned buffer = below(buffers), f = n / 4;
        if (!(functions >> f & 1))
            continue;
        struct num_step step = random_step(f, n % 4);
        if (turn == TURNED) {
            step.multiplier = 1;
            step.shift = 0;
            step.zero = 0;
            step.low = -200;
            step.high = -300;
        }
        if (turn == EXTREME) {
            step.slope = INT16_MIN;
            step.multiplier = below(2) ? INT32_MIN : INT32_MAX;
            step.shift = below(2) ? 32 : 0;
            step.low = INT16_MIN;
            step.high = INT16_MAX;
        }
        put_record(buffer, &step);
        put_edges(buffer, &step, width);
    }
}

/* Every argument of the curves and of the user's function, of 16 bits and one beyond. */
static void put_arguments(unsigned functions, unsigned width)
{
    static const enum num_function late[] = {NUM_SIGMOID, NUM_TANH, NUM_USER};
    for (unsigned n = 0; n < COUNT(late) * 4; n++) {
        struct num_step step = {
            .function = late[n / 4], .element = (enum num_element)(n % 4), .multiplier = 1};
        if (!(functions >> step.function & 1))
            continue;
        put_record(0, &step);
        for (int x = INT16_MIN - 1; x <= INT16_MAX + 1; x++)
            put_request(0, &step, x, width);
    }
}

static unsigned number(const char *text)
{
    return (unsigned)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fputs("usage: vectors WIDTH FUNCTIONS BUFFERS SEED ROUNDS ROUNDINGS\n", stderr);
        return 2;
    }
    unsigned width = number(argv[1]), functions = number(argv[2]), buffers = number(argv[3]),
             rounds = number(argv[5]);
    struct num_step steps[32];
    roundings = number(argv[6]) ? NUM_ROUNDINGS : 1;
    random_state.state = strtoull(argv[4], NULL, 0);

    if (!rounds) {
        put_arguments(functions, width);
        return 0;
    }
    for (unsigned turn = 0; turn < TURNS; turn++)
        put_corners(functions, (enum turn)turn, buffers, width);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned b = 0; b < buffers; b++) {
            steps[b] = random_step(random_function(functions), below(4));
            put_record(b, &steps[b]);
        }
        for (unsigned n = 0; n < 24 * buffers; n++) {
            unsigned b = below(buffers);
            put_request(b, &steps[b], random_value(&steps[b], width), width);
        }
    }
    return 0;
}

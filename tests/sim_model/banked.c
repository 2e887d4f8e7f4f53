/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_model/banked.h"

#include <stdlib.h>

#include "gen/base/math.h"

enum { STEPS = 16, GROUPS = 12, INPUT_BYTES = 4096 };

bool banked_possible(const struct variant *v)
{
    return v->instruction_depth >= 2 && v->memory_ports == 1;
}

static void fence(struct banked *s)
{
    writer_op(&s->b.writer, "fence", WITH({NULL, 0}));
}

void banked_begin(struct banked *s, const struct variant *v, unsigned slot, uint64_t seed)
{
    const unsigned word = v->acc_width <= 32 ? 4 : 8;
    *s = (struct banked){.dice = {seed}, .slot = slot};
    builder_begin(&s->b, v);
    s->rows = 1u << random_below(&s->dice, v->n);
    s->clusters = 1u << random_below(&s->dice, v->m);
    s->packed = (unsigned)math_round_up(v->k * word, v->row_bus_width / 8);
    s->stored = v->k * 4;
    random_bytes(&s->dice, &s->b.slot[SLOT_INPUT], INPUT_BYTES);
    builder_config(&s->b, 0, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 1}), NULL}, {"st", NULL, NULL}},
                   2);
    fence(s);
}

static int64_t slot_bytes(const struct banked *s)
{
    return s->b.variant.local_bytes ? s->b.variant.local_bytes : BANK_BYTES;
}

/* The most groups that a step has: a storage unit holds them, and the slot has room for a few pieces. */
static unsigned most_groups(const struct banked *s)
{
    const unsigned units = s->b.variant.unit_bytes / s->packed,
                   slot = (unsigned)(BANK_BYTES / 2 / (s->stored > s->packed ? s->stored : s->packed)),
                   most = units < slot ? units : slot;
    return most < 1 ? 1 : most < GROUPS ? most : GROUPS;
}

/* A few groups in a slot; places are multiples of `unit`. */
static struct banked_piece draw(struct banked *s, unsigned group, unsigned unit, bool planes)
{
    struct random *dice = &s->dice;
    struct banked_piece p = {.length = group, .runs = 1, .planes = 1};
    unsigned left = random_range(dice, 1, most_groups(s));
    if (planes && left > 1 && random_chance(dice, 50)) {
        p.planes = 2;
        left /= 2;
    }
    p.runs = random_range(dice, 1, left);
    p.length *= left / p.runs;
    p.run_pitch = (int64_t)unit * random_range(dice, 0, 16);
    p.plane_pitch = p.planes > 1 ? (int64_t)unit * random_range(dice, 0, 32) : 0;
    const int64_t room =
        slot_bytes(s) - p.length - (p.runs - 1) * p.run_pitch - (p.planes - 1) * p.plane_pitch;
    const int64_t most = s->outside && !random_below(dice, s->outside) ? slot_bytes(s) : room;
    p.offset = most <= 0 ? 0 : (int64_t)random_below(dice, (unsigned)(most / unit) + 1) * unit;
    return p;
}

static int64_t bytes_of(const struct banked_piece *p)
{
    return p->length * p->runs * p->planes;
}

#define PLACES(slot_, p)                                                                    \
    {"slot", slot_}, {"offset", (p)->offset}, {"length", (p)->length}, {"runs", (p)->runs}, \
    {                                                                                       \
        "run_pitch", (p)->run_pitch                                                         \
    }
#define PLANES(p)                       \
    {"planes", (p)->planes},            \
    {                                   \
        "plane_pitch", (p)->plane_pitch \
    }

void banked_load(struct banked *s, unsigned slot, const struct banked_piece *p)
{
    writer_op(&s->b.writer, "load",
              WITH({"rows", s->rows}, PLACES(slot, p), PLANES(p), {"wait_a", 1},
                   {"wait_a_token", TOKEN_UNIT_FREE}, {"wait_b", s->waits},
                   {"wait_b_token", s->waits ? TOKEN_SPARE : 0}, {"signal_a", 1},
                   {"signal_a_token", TOKEN_ARRIVED}));
    s->waits = false;
    if (s->fenced)
        fence(s);
}

void banked_send(struct banked *s, int64_t groups)
{
    writer_op(&s->b.writer, "distribute",
              WITH({"rows", s->rows}, {"clusters", s->clusters}, {"command", EXEC_SHIFT_OUT},
                   {"count", groups}, {"length", groups * s->packed}, {"wait_a", 1},
                   {"wait_a_token", TOKEN_ARRIVED}, {"signal_a", 1}, {"signal_a_token", TOKEN_UNIT_FREE}));
}

/* The next load waits for its token, or for a fence. */
static void store_as(struct banked *s, unsigned slot, unsigned element, const struct banked_piece *p)
{
    const bool signals = !s->fenced && !s->waits && random_chance(&s->dice, 50);
    writer_op(&s->b.writer, "store",
              WITH({"rows", s->rows}, {"clusters", s->clusters}, {"element", element}, PLACES(slot, p),
                   PLANES(p), {"signal_a", signals}, {"signal_a_token", signals ? TOKEN_SPARE : 0}));
    s->waits |= signals;
    if (!signals)
        fence(s);
}

void banked_store(struct banked *s, unsigned slot, const struct banked_piece *p)
{
    store_as(s, slot, NUM_INT32, p);
}

static struct banked_piece next_output(struct banked *s, int64_t bytes)
{
    const struct banked_piece at = {.offset = s->out, .length = bytes, .runs = 1, .planes = 1};
    s->out += bytes;
    return at;
}

static struct banked_piece input(const struct banked *s, int64_t groups)
{
    return (struct banked_piece){.length = groups * s->packed, .runs = 1, .planes = 1};
}

/* What the collectors do with the results of the next store, and with those behind it. */
#define ACCUMULATE(s, ...)                                          \
    do {                                                            \
        fence(s);                                                   \
        writer_op(&(s)->b.writer, "accumulate", WITH(__VA_ARGS__)); \
        fence(s);                                                   \
    } while (0)

/* What is in the input goes to the slot. */
static void write_slot(struct banked *s)
{
    const struct banked_piece to = draw(s, s->stored, 4, true);
    const int64_t groups = bytes_of(&to) / s->stored;
    const struct banked_piece from = input(s, groups);
    banked_load(s, SLOT_INPUT, &from);
    banked_send(s, groups);
    banked_store(s, s->slot, &to);
    s->written += (uint64_t)bytes_of(&to);
}

static void read_slot(struct banked *s)
{
    const struct banked_piece from = draw(s, s->packed, 8, true);
    const int64_t groups = bytes_of(&from) / s->packed;
    const struct banked_piece to = next_output(s, groups * s->stored);
    banked_load(s, s->slot, &from);
    banked_send(s, groups);
    banked_store(s, SLOT_OUTPUT, &to);
    s->read += (uint64_t)bytes_of(&from);
}

/* Partial sums of the slot are added to what is in the input. */
static void add_slot(struct banked *s)
{
    const struct banked_piece of = draw(s, s->stored, 4, false);
    const int64_t groups = bytes_of(&of) / s->stored;
    const struct banked_piece from = input(s, groups), to = next_output(s, groups * s->stored);
    banked_load(s, SLOT_INPUT, &from);
    ACCUMULATE(s, {"source", 1}, {"element", NUM_INT32}, PLACES(s->slot, &of));
    banked_send(s, groups);
    banked_store(s, SLOT_OUTPUT, &to);
    ACCUMULATE(s, {NULL, 0});
    s->read += (uint64_t)bytes_of(&of);
}

static void operand(struct banked *s, unsigned which, const struct banked_piece *p)
{
    ACCUMULATE(s, {"operand", which}, {"source", 1}, {"element", NUM_INT8}, PLACES(s->slot, p),
               {"multiplier", which == OPERAND_SECOND ? 1 << 30 : 0},
               {"shift", which == OPERAND_SECOND ? 31 : 0});
}

/* Both operands come from the slot, and their sums go there. */
static void join_slot(struct banked *s)
{
    const unsigned k = s->b.variant.k;
    const struct banked_piece of = draw(s, k, k, false),
                              to = {.offset = 8, .length = bytes_of(&of), .runs = 1, .planes = 1};
    operand(s, OPERAND_FIRST, &of);
    operand(s, OPERAND_SECOND, &of);
    ACCUMULATE(s, {"join", JOIN_ADD}, {"alone", 1}, {"final", 1}, {"function", NUM_REQUANTISE},
               {"result", NUM_INT8}, {"multiplier", 1 << 30}, {"shift", 50}, {"low", -128}, {"high", 127});
    store_as(s, s->slot, NUM_INT8, &to);
    ACCUMULATE(s, {NULL, 0});
    s->read += 2 * (uint64_t)bytes_of(&of);
    s->written += (uint64_t)bytes_of(&of);
}

/* A bias of each of K channels, which a store adds. */
static void bias_slot(struct banked *s)
{
    const struct banked_piece from = input(s, 1), to = next_output(s, s->stored);
    const int64_t at = 4 * random_range(&s->dice, 0, 64);
    banked_load(s, SLOT_INPUT, &from);
    ACCUMULATE(s, {"column", COLUMN_BIAS}, {"source", 1}, {"slot", s->slot}, {"element", NUM_INT32},
               {"offset", at}, {"length", s->stored});
    ACCUMULATE(s, {"final", 1}, {"channel_bias", 1});
    banked_send(s, 1);
    banked_store(s, SLOT_OUTPUT, &to);
    ACCUMULATE(s, {NULL, 0});
    s->read += s->stored;
}

/* One of the steps that the variant has. */
static void one_step(struct banked *s)
{
    static void (*const steps[])(struct banked *) = {write_slot, read_slot, add_slot, bias_slot, join_slot};
    const unsigned count = s->b.variant.joins ? 5 : s->b.variant.channel_groups ? 4 : 3;
    steps[random_below(&s->dice, count)](s);
}

void banked_make(struct banked *s, const struct variant *v, unsigned slot, uint64_t seed, unsigned outside)
{
    banked_begin(s, v, slot, seed);
    s->outside = outside;
    for (unsigned i = 0; i < 2; i++)
        write_slot(s);
    for (unsigned i = 0; i < STEPS; i++)
        one_step(s);
    builder_finish(&s->b, &s->slots, (size_t)s->out + 8);
    if (slot == SLOT_BANK)
        return;
    uint8_t *zeros = calloc(1, (size_t)slot_bytes(s));
    slots_set(&s->slots, slot, zeros, (size_t)slot_bytes(s));
    free(zeros);
}

void banked_free(struct banked *s)
{
    builder_free(&s->b);
    slots_free(&s->slots);
}

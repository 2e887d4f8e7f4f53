/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_model/banked.h"

#include <criterion/criterion.h>

enum { STEPS = 16 };

static void fence(struct banked *s)
{
    writer_op(&s->b.writer, "fence", WITH({NULL, 0}));
}

/* Words of 32 bits go through buffer 0 as partial sums and come out as they are. */
void banked_begin(struct banked *s, const char *const *sets, unsigned slot, uint64_t seed)
{
    *s = (struct banked){.v = variant_of("tiny", sets), .dice = {seed}, .slot = slot};
    builder_begin(&s->b, &s->v);
    random_bytes(&s->dice, &s->b.slot[SLOT_INPUT], BANK_BYTES);
    builder_config(&s->b, 0, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 1}), NULL}, {"st", NULL, NULL}},
                   2);
    fence(s);
}

/* Whole granules that lie in a slot, but for one in fifty. */
static struct banked_piece draw(struct banked *s, bool planes)
{
    struct random *dice = &s->dice;
    const unsigned within = random_below(dice, 50) ? 64 : BANK_BYTES / 8;
    return (struct banked_piece){.offset = 8 * random_range(dice, 0, within),
                                 .length = 8 * random_range(dice, 1, 6),
                                 .runs = random_range(dice, 1, 4),
                                 .planes = planes ? random_range(dice, 1, 2) : 1,
                                 .run_pitch = 8 * random_range(dice, 0, 8),
                                 .plane_pitch = planes ? 8 * random_range(dice, 0, 8) : 0};
}

static int64_t bytes_of(const struct banked_piece *p)
{
    return p->length * p->runs * p->planes;
}

void banked_load(struct banked *s, unsigned slot, const struct banked_piece *p)
{
    writer_op(&s->b.writer, "load",
              WITH({"rows", 1}, {"slot", slot}, {"offset", p->offset}, {"length", p->length},
                   {"runs", p->runs}, {"planes", p->planes}, {"run_pitch", p->run_pitch},
                   {"plane_pitch", p->plane_pitch}));
    fence(s);
}

void banked_send(struct banked *s, int64_t bytes)
{
    writer_op(&s->b.writer, "distribute",
              WITH({"rows", 1}, {"clusters", 1}, {"command", EXEC_SHIFT_OUT}, {"count", bytes / 8},
                   {"length", bytes}));
}

void banked_store(struct banked *s, unsigned slot, const struct banked_piece *p)
{
    writer_op(&s->b.writer, "store",
              WITH({"rows", 1}, {"clusters", 1}, {"slot", slot}, {"element", NUM_INT32},
                   {"offset", p->offset}, {"length", p->length}, {"runs", p->runs}, {"planes", p->planes},
                   {"run_pitch", p->run_pitch}, {"plane_pitch", p->plane_pitch}));
    fence(s);
}

static struct banked_piece next_output(struct banked *s, int64_t bytes)
{
    const struct banked_piece at = {.offset = s->out, .length = bytes, .runs = 1, .planes = 1};
    s->out += bytes;
    return at;
}

static void plain_sums(struct banked *s)
{
    writer_op(&s->b.writer, "accumulate", WITH({NULL, 0}));
    fence(s);
}

/* What is in the input goes to the slot, as words or as operands of a join. */
static void write_slot(struct banked *s)
{
    const struct banked_piece to = draw(s, true);
    const struct banked_piece from = {.length = bytes_of(&to), .runs = 1, .planes = 1};
    banked_load(s, SLOT_INPUT, &from);
    banked_send(s, bytes_of(&to));
    banked_store(s, s->slot, &to);
    s->written += (uint64_t)bytes_of(&to);
}

static void read_slot(struct banked *s)
{
    const struct banked_piece from = draw(s, true), to = next_output(s, bytes_of(&from));
    banked_load(s, s->slot, &from);
    banked_send(s, bytes_of(&from));
    banked_store(s, SLOT_OUTPUT, &to);
    s->read += (uint64_t)bytes_of(&from);
}

static void add_slot(struct banked *s)
{
    const struct banked_piece of = draw(s, false), from = {.length = bytes_of(&of), .runs = 1, .planes = 1},
                              to = next_output(s, bytes_of(&of));
    banked_load(s, SLOT_INPUT, &from);
    writer_op(&s->b.writer, "accumulate",
              WITH({"source", 1}, {"slot", s->slot}, {"element", NUM_INT32}, {"offset", of.offset},
                   {"length", of.length}, {"runs", of.runs}, {"run_pitch", of.run_pitch}));
    fence(s);
    banked_send(s, bytes_of(&of));
    banked_store(s, SLOT_OUTPUT, &to);
    plain_sums(s);
    s->read += (uint64_t)bytes_of(&of);
}

static void operand(struct banked *s, unsigned which, unsigned slot, const struct banked_piece *p)
{
    writer_op(&s->b.writer, "accumulate",
              WITH({"operand", which}, {"source", 1}, {"slot", slot}, {"element", NUM_INT8},
                   {"offset", p->offset}, {"length", p->length}, {"runs", p->runs},
                   {"run_pitch", p->run_pitch}, {"multiplier", which == OPERAND_SECOND ? 1 << 30 : 0},
                   {"shift", which == OPERAND_SECOND ? 31 : 0}));
}

/* Both operands come from the slot, and so the results go there. */
static void join_slot(struct banked *s)
{
    const struct banked_piece of = draw(s, false),
                              to = {.offset = 8, .length = bytes_of(&of), .runs = 1, .planes = 1};
    operand(s, OPERAND_FIRST, s->slot, &of);
    operand(s, OPERAND_SECOND, s->slot, &of);
    writer_op(&s->b.writer, "accumulate",
              WITH({"join", JOIN_ADD}, {"alone", 1}, {"final", 1}, {"function", NUM_REQUANTISE},
                   {"result", NUM_INT8}, {"multiplier", 1 << 30}, {"shift", 50}, {"low", -128},
                   {"high", 127}));
    fence(s);
    writer_op(&s->b.writer, "store",
              WITH({"rows", 1}, {"clusters", 1}, {"slot", s->slot}, {"element", NUM_INT8},
                   {"offset", to.offset}, {"length", to.length}));
    fence(s);
    plain_sums(s);
    s->read += 2 * (uint64_t)bytes_of(&of);
    s->written += (uint64_t)bytes_of(&of);
}

/* Biases of 4 groups of 2 channels, which a store adds. */
static void bias_slot(struct banked *s)
{
    const struct banked_piece from = {.length = 32, .runs = 1, .planes = 1}, to = next_output(s, 32);
    const int64_t at = 8 * random_range(&s->dice, 0, 64);
    banked_load(s, SLOT_INPUT, &from);
    writer_op(&s->b.writer, "accumulate",
              WITH({"column", COLUMN_BIAS}, {"source", 1}, {"slot", s->slot}, {"element", NUM_INT32},
                   {"offset", at}, {"length", 32}));
    fence(s);
    writer_op(&s->b.writer, "accumulate", WITH({"final", 1}, {"channel_bias", 1}));
    fence(s);
    banked_send(s, 32);
    banked_store(s, SLOT_OUTPUT, &to);
    plain_sums(s);
    s->read += 32;
}

/* A program by its seed: the slot is written first, and then read in all the ways. */
void banked_make(struct banked *s, const char *const *sets, unsigned slot, uint64_t seed)
{
    static void (*const steps[])(struct banked *) = {write_slot, read_slot, add_slot, join_slot, bias_slot};
    static const uint8_t zeros[BANK_BYTES] = {0};
    banked_begin(s, sets, slot, seed);
    for (unsigned i = 0; i < 2; i++)
        write_slot(s);
    for (unsigned i = 0; i < STEPS; i++)
        steps[random_below(&s->dice, sizeof steps / sizeof *steps)](s);
    builder_finish(&s->b, &s->slots, (size_t)s->out + 8);
    if (slot != SLOT_BANK)
        slots_set(&s->slots, slot, zeros, BANK_BYTES);
}

void banked_free(struct banked *s)
{
    builder_free(&s->b);
    slots_free(&s->slots);
}

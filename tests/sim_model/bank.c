/* SPDX-License-Identifier: Apache-2.0
 *
 * The activation bank in the functional model: a program does with it what it does with the slot scratch of
 * the same size, bytes of memory aside; it is empty in every job; and what is refused.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/sim_model/support.h"

enum { BANK = 1024, PROGRAMS = 400, RESULTS = 16 };

static const char *const WITH_BANK[] = {"local_bytes=1024", "joins=on", "channel_groups=16", NULL};
static const char *const WITHOUT[] = {"joins=on", "channel_groups=16", NULL};

/* What runs in a slot: in scratch and in the bank. */
struct scene {
    struct variant v;
    struct builder b;
    struct slots slots;
    struct random dice;
    unsigned slot;
    uint64_t read, written; /* bytes of the slot, when all goes well */
    int64_t out;            /* bytes of the output so far */
};

static void fence(struct scene *s)
{
    writer_op(&s->b.writer, "fence", WITH({NULL, 0}));
}

/* Words of 32 bits go through buffer 0 as partial sums and come out as they are. */
static void begin(struct scene *s, const char *const *sets, unsigned slot, uint64_t seed)
{
    *s = (struct scene){.v = variant_of("tiny", sets), .dice = {seed}, .slot = slot};
    builder_begin(&s->b, &s->v);
    random_bytes(&s->dice, &s->b.slot[SLOT_INPUT], BANK);
    builder_config(&s->b, 0, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 1}), NULL}, {"st", NULL, NULL}},
                   2);
    fence(s);
}

struct piece {
    int64_t offset, length, runs, planes, run_pitch, plane_pitch;
};

/* Whole granules that lie in a slot, but for one in fifty. */
static struct piece draw(struct scene *s, bool planes)
{
    struct random *dice = &s->dice;
    const unsigned within = random_below(dice, 50) ? 64 : BANK / 8;
    return (struct piece){.offset = 8 * random_range(dice, 0, within),
                          .length = 8 * random_range(dice, 1, 6),
                          .runs = random_range(dice, 1, 4),
                          .planes = planes ? random_range(dice, 1, 2) : 1,
                          .run_pitch = 8 * random_range(dice, 0, 8),
                          .plane_pitch = planes ? 8 * random_range(dice, 0, 8) : 0};
}

static int64_t bytes_of(const struct piece *p)
{
    return p->length * p->runs * p->planes;
}

static void load(struct scene *s, unsigned slot, const struct piece *p)
{
    writer_op(&s->b.writer, "load",
              WITH({"rows", 1}, {"slot", slot}, {"offset", p->offset}, {"length", p->length},
                   {"runs", p->runs}, {"planes", p->planes}, {"run_pitch", p->run_pitch},
                   {"plane_pitch", p->plane_pitch}));
    fence(s);
}

static void send(struct scene *s, int64_t bytes)
{
    writer_op(&s->b.writer, "distribute",
              WITH({"rows", 1}, {"clusters", 1}, {"command", EXEC_SHIFT_OUT}, {"count", bytes / 8},
                   {"length", bytes}));
}

static void store(struct scene *s, unsigned slot, const struct piece *p)
{
    writer_op(&s->b.writer, "store",
              WITH({"rows", 1}, {"clusters", 1}, {"slot", slot}, {"element", NUM_INT32},
                   {"offset", p->offset}, {"length", p->length}, {"runs", p->runs}, {"planes", p->planes},
                   {"run_pitch", p->run_pitch}, {"plane_pitch", p->plane_pitch}));
    fence(s);
}

static struct piece next_output(struct scene *s, int64_t bytes)
{
    const struct piece at = {.offset = s->out, .length = bytes, .runs = 1, .planes = 1};
    s->out += bytes;
    return at;
}

static void plain_sums(struct scene *s)
{
    writer_op(&s->b.writer, "accumulate", WITH({NULL, 0}));
    fence(s);
}

/* What is in the input goes to the slot, as words or as operands of a join. */
static void write_slot(struct scene *s)
{
    const struct piece to = draw(s, true);
    const struct piece from = {.length = bytes_of(&to), .runs = 1, .planes = 1};
    load(s, SLOT_INPUT, &from);
    send(s, bytes_of(&to));
    store(s, s->slot, &to);
    s->written += (uint64_t)bytes_of(&to);
}

static void read_slot(struct scene *s)
{
    const struct piece from = draw(s, true), to = next_output(s, bytes_of(&from));
    load(s, s->slot, &from);
    send(s, bytes_of(&from));
    store(s, SLOT_OUTPUT, &to);
    s->read += (uint64_t)bytes_of(&from);
}

static void add_slot(struct scene *s)
{
    const struct piece of = draw(s, false), from = {.length = bytes_of(&of), .runs = 1, .planes = 1},
                       to = next_output(s, bytes_of(&of));
    load(s, SLOT_INPUT, &from);
    writer_op(&s->b.writer, "accumulate",
              WITH({"source", 1}, {"slot", s->slot}, {"element", NUM_INT32}, {"offset", of.offset},
                   {"length", of.length}, {"runs", of.runs}, {"run_pitch", of.run_pitch}));
    fence(s);
    send(s, bytes_of(&of));
    store(s, SLOT_OUTPUT, &to);
    plain_sums(s);
    s->read += (uint64_t)bytes_of(&of);
}

static void operand(struct scene *s, unsigned which, unsigned slot, const struct piece *p)
{
    writer_op(&s->b.writer, "accumulate",
              WITH({"operand", which}, {"source", 1}, {"slot", slot}, {"element", NUM_INT8},
                   {"offset", p->offset}, {"length", p->length}, {"runs", p->runs},
                   {"run_pitch", p->run_pitch}, {"multiplier", which == OPERAND_SECOND ? 1 << 30 : 0},
                   {"shift", which == OPERAND_SECOND ? 31 : 0}));
}

/* Both operands come from the slot, and so the results go there. */
static void join_slot(struct scene *s)
{
    const struct piece of = draw(s, false),
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
static void bias_slot(struct scene *s)
{
    const struct piece from = {.length = 32, .runs = 1, .planes = 1}, to = next_output(s, 32);
    const int64_t at = 8 * random_range(&s->dice, 0, 64);
    load(s, SLOT_INPUT, &from);
    writer_op(&s->b.writer, "accumulate",
              WITH({"column", COLUMN_BIAS}, {"source", 1}, {"slot", s->slot}, {"element", NUM_INT32},
                   {"offset", at}, {"length", 32}));
    fence(s);
    writer_op(&s->b.writer, "accumulate", WITH({"final", 1}, {"channel_bias", 1}));
    fence(s);
    send(s, 32);
    store(s, SLOT_OUTPUT, &to);
    plain_sums(s);
    s->read += 32;
}

/* A program by its seed: the slot is written first, and then read in all the ways. */
static struct job_result run(struct scene *s, const char *const *sets, unsigned slot, uint64_t seed)
{
    static void (*const steps[])(struct scene *) = {write_slot, read_slot, add_slot, join_slot, bias_slot};
    static const uint8_t zeros[BANK] = {0};
    begin(s, sets, slot, seed);
    for (unsigned i = 0; i < 2; i++)
        write_slot(s);
    for (unsigned i = 0; i < RESULTS; i++)
        steps[random_below(&s->dice, sizeof steps / sizeof *steps)](s);
    builder_finish(&s->b, &s->slots, (size_t)s->out + 8);
    if (slot != SLOT_BANK)
        slots_set(&s->slots, slot, zeros, BANK);
    return run_model(&s->v, &s->slots);
}

static void free_scene(struct scene *s)
{
    builder_free(&s->b);
    slots_free(&s->slots);
}

Test(bank, does_what_memory_does)
{
    unsigned good = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        struct scene bank, memory;
        const struct job_result is = run(&bank, WITH_BANK, SLOT_BANK, seed),
                                must = run(&memory, WITHOUT, SLOT_SCRATCH, seed);
        cr_assert(is.code == must.code && is.queue == must.queue && is.offset == must.offset,
                  "seed %llu: %s, not %s", (unsigned long long)seed, job_code_name(is.code),
                  job_code_name(must.code));
        cr_assert(is.code == JOB_OK || is.code == JOB_OUT_OF_SLOT);
        cr_assert_eq(bank.out, memory.out);
        cr_assert(!memcmp(bank.slots.job.slots[SLOT_OUTPUT].bytes, memory.slots.job.slots[SLOT_OUTPUT].bytes,
                          (size_t)bank.out + 8),
                  "seed %llu", (unsigned long long)seed);
        if (is.code == JOB_OK) {
            cr_assert_eq(is.bytes_read + bank.read, must.bytes_read);
            cr_assert_eq(is.bytes_written + bank.written, must.bytes_written);
            good++;
        }
        free_scene(&bank);
        free_scene(&memory);
    }
    cr_expect(good > PROGRAMS / 2 && good < PROGRAMS, "%u programs end well", good);
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

static const struct piece WHOLE = {.length = BANK, .runs = 1, .planes = 1};

/* Writes or reads the whole bank. */
static void one_way(struct scene *s, bool writes)
{
    begin(s, WITH_BANK, SLOT_BANK, 3);
    load(s, writes ? SLOT_INPUT : SLOT_BANK, &WHOLE);
    send(s, BANK);
    store(s, writes ? SLOT_BANK : SLOT_OUTPUT, &WHOLE);
    builder_finish(&s->b, &s->slots, BANK);
}

static void expect_zeros(struct model *model, struct scene *reads)
{
    slots_restore(&reads->slots);
    cr_assert_eq(run_on(model, &reads->slots).code, JOB_OK);
    for (unsigned i = 0; i < BANK; i++)
        cr_assert_eq(reads->slots.job.slots[SLOT_OUTPUT].bytes[i], 0, "byte %u", i);
}

Test(bank, is_empty_when_a_job_begins)
{
    struct scene writes, reads;
    one_way(&writes, true);
    one_way(&reads, false);
    struct model *model = model_new(&writes.v);
    cr_assert(model);
    expect_zeros(model, &reads);
    cr_assert_eq(run_on(model, &writes.slots).code, JOB_OK);
    expect_zeros(model, &reads);
    /* A job that failed leaves nothing, either: it wrote before it did. */
    writes.slots.job.max_operations = 8;
    cr_assert_eq(run_on(model, &writes.slots).code, JOB_WATCHDOG);
    expect_zeros(model, &reads);
    struct job_result by_chance;
    for (uint64_t seed = 1; seed < 6; seed++) {
        slots_restore(&reads.slots);
        model_run_by_chance(model, &reads.slots.job, seed, &by_chance);
        cr_assert_eq(by_chance.code, JOB_OK);
        cr_assert_eq(reads.slots.job.slots[SLOT_OUTPUT].bytes[seed], 0, "memories that hold anything");
    }
    model_free(model);
    free_scene(&writes);
    free_scene(&reads);
}

/* ---- what is refused ------------------------------------------------------------------------------- */

/* An operation alone, in a variant with a bank and in one without. */
static void expect(const char *format, const struct setting *settings, enum job_code with,
                   enum job_queue queue)
{
    for (unsigned way = 0; way < 2; way++) {
        struct scene s;
        begin(&s, way ? WITHOUT : WITH_BANK, SLOT_BANK, 1);
        writer_op(&s.b.writer, format, settings);
        builder_finish(&s.b, &s.slots, 64);
        const struct job_result is = run_model(&s.v, &s.slots);
        cr_assert_eq(is.code, way ? JOB_NO_FEATURE : with, "%s: %s", format, job_code_name(is.code));
        cr_assert_eq(is.queue, way ? QUEUE_COMMAND : queue, "%s: queue %d", format, is.queue);
        free_scene(&s);
    }
}

#define IN_BANK           \
    {                     \
        "slot", SLOT_BANK \
    }
#define STORED {"rows", 1}, {"clusters", 1}, {"element", NUM_INT32}, IN_BANK

Test(bank, accesses_outside_and_variants_without_it)
{
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", BANK}), JOB_OK, QUEUE_NONE);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", BANK}, {"zero", 1}), JOB_OK, QUEUE_NONE);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", 8}, {"offset", BANK - 8}), JOB_OK, QUEUE_NONE);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", 8}, {"offset", BANK}), JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", 8}, {"runs", 2}, {"run_pitch", BANK}),
           JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect("load", WITH({"rows", 1}, IN_BANK, {"length", 8}, {"planes", 2}, {"plane_pitch", -8}),
           JOB_OUT_OF_SLOT, QUEUE_LOAD);
    expect("store", WITH(STORED, {"length", 8}, {"offset", BANK - 4}), JOB_OUT_OF_SLOT, QUEUE_STORE);
    expect("accumulate", WITH(IN_BANK, {"source", 1}, {"length", 8}), JOB_OK, QUEUE_NONE);
    expect("accumulate", WITH(IN_BANK, {"source", 1}, {"length", 8}, {"offset", BANK}), JOB_OUT_OF_SLOT,
           QUEUE_ACCUMULATE);
    expect("accumulate", WITH(IN_BANK), JOB_OK, QUEUE_NONE);
}

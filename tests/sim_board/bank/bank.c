/* SPDX-License-Identifier: Apache-2.0
 *
 * The activation bank of a Verilated device. Random programs write and read it in every way: moves between it
 * and memory that overlap, partial sums, operands of joins and biases from it, of all element types, with
 * runs and planes anywhere. What a job ends with and every byte of its output must be the functional model's.
 * One device runs all programs, so that each finds the bank as the last one left it.
 *
 * Usage: bank-test FOLDER [PROGRAMS [SEED]]   (of sim/board/build, a variant of tiny with local_bytes, joins
 * and channel_groups)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/board/job.h"
#include "sim/cycle/cycle.h"
#include "sim/verilated/folder.h"
#include "tests/sim_model/support.h"

enum { INPUT = 8192, OUTPUT = 65536, STEPS = 10, CYCLES = 1000000, GUARD = 64 };
enum {
    ARRIVED,
    SET,
    STORED,
    PLAIN
}; /* tokens: of data, of the setting of stores, of the store that needs it, of none */
enum { NO_WAIT = -1 };

/* A program under construction. Between two fences the bank is read in one half and written in the other. */
struct scene {
    const struct variant *v;
    struct builder b;
    struct random dice;
    uint32_t half, unit_used,
        out;  /* the half that is read; bytes of storage units and output that are taken */
    int wait; /* the token that the next store or accumulate takes */
};

/* Runs and planes that lie in `size` bytes, and where the first begins. */
struct piece {
    int64_t offset, length, runs, planes, run_pitch, plane_pitch;
};

static uint32_t below(struct scene *s, uint32_t bound)
{
    return (uint32_t)random_below(&s->dice, bound);
}

static uint32_t half_bytes(const struct scene *s)
{
    return s->v->local_bytes / 2;
}

/* `total` bytes in pieces of whole multiples of `unit`, at offsets that are multiples of it, within `size`
 * bytes from `from` on. */
static struct piece spread(struct scene *s, uint32_t total, uint32_t unit, uint32_t planes, uint32_t from,
                           uint32_t size)
{
    struct piece p = {.planes = 1, .runs = 1};
    if (planes > 1 && total / unit % 2 == 0 && below(s, 3) == 0)
        p.planes = 2;
    for (uint32_t runs = 1 + below(s, 12); runs > 1; runs--)
        if (total / unit / p.planes % runs == 0) {
            p.runs = runs;
            break;
        }
    p.length = total / (p.runs * p.planes);
    /* Side by side, apart, or above each other; in most cases there is room. */
    const int64_t spare = size / (p.runs * p.planes) / unit,
                  gap = below(s, 2) ? 0 : (int64_t)below(s, 6) * unit;
    p.run_pitch = p.length + gap;
    if (p.run_pitch > spare * unit)
        p.run_pitch = p.length;
    p.plane_pitch = p.runs * p.run_pitch;
    if (p.runs == 1)
        p.run_pitch = 0;
    if (p.planes == 1)
        p.plane_pitch = 0;
    const int64_t extent = (p.planes - 1) * p.plane_pitch + (p.runs - 1) * p.run_pitch + p.length;
    cr_assert(extent <= size);
    p.offset = from + (int64_t)below(s, (uint32_t)(size - extent) / unit + 1) * unit;
    if (p.runs > 1 && below(s, 3) == 0) { /* from the last run to the first */
        p.offset += (p.runs - 1) * p.run_pitch;
        p.run_pitch = -p.run_pitch;
    }
    return p;
}

#define WAIT(s)                                              \
    {"wait_a", (s)->wait != NO_WAIT},                        \
    {                                                        \
        "wait_a_token", (s)->wait == NO_WAIT ? 0 : (s)->wait \
    }
#define PIECE(p)                                                        \
    {"offset", (p).offset}, {"length", (p).length}, {"runs", (p).runs}, \
    {                                                                   \
        "run_pitch", (p).run_pitch                                      \
    }

static void fence(struct scene *s)
{
    writer_op(&s->b.writer, "fence", WITH({NULL, 0}));
    s->unit_used = 0;
    if (below(s, 2))
        s->half = half_bytes(s) - s->half;
}

/* Where something is read: the bank's half, or the input. */
static struct piece source(struct scene *s, uint32_t total, uint32_t unit, uint32_t planes, unsigned *slot)
{
    *slot = below(s, 3) ? SLOT_BANK : SLOT_INPUT;
    return *slot == SLOT_BANK ? spread(s, total, unit, planes, s->half, half_bytes(s))
                              : spread(s, total, unit, planes, 0, INPUT);
}

/* A group of K words in a packet: whole beats of the row bus. */
static uint32_t packed_bytes(const struct variant *v)
{
    const uint32_t beat = v->row_bus_width / 8;
    return (v->k * 4 + beat - 1) / beat * beat;
}

/* Groups of K words that go through the array. */
static void send(struct scene *s, uint32_t groups)
{
    const uint32_t bytes = groups * packed_bytes(s->v);
    unsigned slot;
    if (s->unit_used + bytes > s->v->unit_bytes)
        fence(s);
    const struct piece from = source(s, bytes, 8, 2, &slot);
    writer_op(&s->b.writer, "load",
              WITH({"rows", 1}, {"slot", slot}, PIECE(from), {"planes", from.planes},
                   {"plane_pitch", from.plane_pitch}, {"unit_address", s->unit_used}, {"signal_a", 1},
                   {"signal_a_token", ARRIVED}));
    writer_op(&s->b.writer, "distribute",
              WITH({"rows", 1}, {"clusters", 1}, {"command", EXEC_SHIFT_OUT}, {"count", groups},
                   {"length", bytes}, {"unit_address", s->unit_used}, {"wait_a", 1},
                   {"wait_a_token", ARRIVED}));
    s->unit_used += bytes;
}

/* A store of so many groups, to the other half or to the output. */
static void store(struct scene *s, uint32_t groups, unsigned element, bool signals)
{
    const uint32_t size = 1u << element, bytes = groups * s->v->k * size;
    const bool out = below(s, 3) == 0 && s->out + bytes + 576 <= OUTPUT;
    const struct piece to = out ? spread(s, bytes, size, 2, s->out, bytes + 512)
                                : spread(s, bytes, size, 2, half_bytes(s) - s->half, half_bytes(s));
    if (out)
        s->out = (s->out + bytes + 512 + 63) / 64 * 64;
    writer_op(&s->b.writer, "store",
              WITH({"rows", 1}, {"clusters", 1}, {"slot", out ? SLOT_OUTPUT : SLOT_BANK},
                   {"element", element}, PIECE(to), {"planes", to.planes}, {"plane_pitch", to.plane_pitch},
                   WAIT(s), {"signal_a", signals}, {"signal_a_token", signals ? STORED : 0}));
    s->wait = NO_WAIT;
}

static uint32_t some_groups(struct scene *s)
{
    const uint32_t most = half_bytes(s) / (2 * packed_bytes(s->v));
    return 1 + below(s, below(s, 4) && most > 24 ? 24 : most);
}

static void move(struct scene *s)
{
    const uint32_t groups = some_groups(s);
    send(s, groups);
    store(s, groups, below(s, 3), false);
}

/* After what needed a setting: sums as they are. */
static void plainly(struct scene *s)
{
    writer_op(&s->b.writer, "accumulate",
              WITH({"wait_a", 1}, {"wait_a_token", STORED}, {"signal_a", 1}, {"signal_a_token", PLAIN}));
    s->wait = PLAIN;
}

static void add(struct scene *s)
{
    const uint32_t groups = some_groups(s);
    const unsigned element = below(s, 3);
    unsigned slot;
    fence(s);
    const struct piece from = source(s, (groups * s->v->k) << element, 1u << element, 1, &slot);
    writer_op(&s->b.writer, "accumulate",
              WITH(WAIT(s), {"source", 1}, {"slot", slot}, {"element", element}, PIECE(from), {"signal_a", 1},
                   {"signal_a_token", SET}));
    s->wait = SET;
    send(s, groups);
    store(s, groups, below(s, 3), true);
    plainly(s);
}

static void operand(struct scene *s, unsigned which, uint32_t groups)
{
    const unsigned element = below(s, 2), unit = s->v->k << element;
    unsigned slot;
    const struct piece from = source(s, groups * unit, unit, 1, &slot);
    writer_op(&s->b.writer, "accumulate",
              WITH(WAIT(s), {"operand", which}, {"source", 1}, {"slot", slot}, {"element", element},
                   PIECE(from), {"multiplier", which == OPERAND_SECOND ? 1 << 30 : 0},
                   {"shift", which == OPERAND_SECOND ? 31 : 0}));
    s->wait = NO_WAIT;
}

static void join(struct scene *s)
{
    const uint32_t groups = some_groups(s);
    fence(s);
    operand(s, OPERAND_FIRST, groups);
    operand(s, OPERAND_SECOND, groups);
    writer_op(&s->b.writer, "accumulate",
              WITH({"join", JOIN_ADD}, {"alone", 1}, {"final", 1}, {"function", NUM_REQUANTISE},
                   {"result", NUM_INT8}, {"multiplier", 1 << 30}, {"shift", 50}, {"low", -128}, {"high", 127},
                   {"signal_a", 1}, {"signal_a_token", SET}));
    s->wait = SET;
    store(s, groups, NUM_INT8, true);
    plainly(s);
}

/* Biases of up to 16 groups. */
static void bias(struct scene *s)
{
    const uint32_t most = half_bytes(s) / packed_bytes(s->v), groups = 1 + below(s, most < 16 ? most : 16),
                   bytes = groups * s->v->k * 4;
    unsigned slot;
    fence(s);
    const struct piece from = source(s, bytes, 4, 1, &slot);
    writer_op(&s->b.writer, "accumulate",
              WITH(WAIT(s), {"column", COLUMN_BIAS}, {"source", 1}, {"slot", slot}, {"element", NUM_INT32},
                   PIECE(from)));
    writer_op(&s->b.writer, "accumulate",
              WITH({"final", 1}, {"channel_bias", 1}, {"signal_a", 1}, {"signal_a_token", SET}));
    s->wait = SET;
    send(s, groups);
    store(s, groups, NUM_INT32, true);
    plainly(s);
}

static void write_program(struct scene *s, const struct variant *v, uint64_t seed, struct slots *slots)
{
    static void (*const steps[])(struct scene *) = {move, move, move, move, add, join, bias, fence};
    *s = (struct scene){.v = v, .dice = {seed}, .wait = NO_WAIT};
    builder_begin(&s->b, v);
    random_bytes(&s->dice, &s->b.slot[SLOT_INPUT], INPUT);
    builder_config(&s->b, 0, NULL,
                   (const struct config_instruction[]){{"ld", WITH({"target", 1}), NULL}, {"st", NULL, NULL}},
                   2);
    fence(s);
    const unsigned count = 1 + below(s, 2 * STEPS);
    for (unsigned i = 0; i < count; i++)
        steps[below(s, sizeof steps / sizeof *steps)](s);
    /* One in sixteen reaches outside. */
    if (below(s, 16) == 0)
        writer_op(&s->b.writer, "load",
                  WITH({"rows", 1}, {"slot", SLOT_BANK}, {"offset", s->v->local_bytes - 8 * below(s, 2)},
                       {"length", 16}));
    /* The bank as it is at the end. */
    fence(s);
    for (s->half = 0; s->half < v->local_bytes; s->half += v->unit_bytes / 2) {
        const uint32_t left = v->local_bytes - s->half,
                       bytes = left < v->unit_bytes / 2 ? left : v->unit_bytes / 2,
                       groups = bytes / packed_bytes(v);
        writer_op(&s->b.writer, "load",
                  WITH({"rows", 1}, {"slot", SLOT_BANK}, {"offset", s->half}, {"length", bytes}));
        writer_op(&s->b.writer, "fence", WITH({NULL, 0}));
        writer_op(&s->b.writer, "distribute",
                  WITH({"rows", 1}, {"clusters", 1}, {"command", EXEC_SHIFT_OUT}, {"count", groups},
                       {"length", bytes}));
        writer_op(&s->b.writer, "store",
                  WITH({"rows", 1}, {"clusters", 1}, {"slot", SLOT_OUTPUT}, {"element", NUM_INT32},
                       {"offset", OUTPUT + s->half}, {"length", groups * v->k * 4}));
        writer_op(&s->b.writer, "fence", WITH({NULL, 0}));
    }
    builder_finish(&s->b, slots, OUTPUT + v->local_bytes);
    builder_free(&s->b);
}

static void stop(uint64_t seed, const char *what, const char *why)
{
    fprintf(stderr, "bank-test: program %llu: %s: %s\n", (unsigned long long)seed, what, why);
    exit(EXIT_FAILURE);
}

/* Runs the job on the device; its output then replaces that of `slots`. */
static struct job_result run(const struct board_api *api, struct board *board, struct slots *slots,
                             uint64_t seed)
{
    struct board_job job = {
        .cycles = CYCLES, .nanoseconds = UINT64_C(60000000000), .number = slots->job.number};
    struct job_result result;
    uint64_t at = 4096;
    for (unsigned i = 0; i < SLOT_BANK; i++) {
        const uint64_t size = slots->job.slots[i].size;
        job.slot[i].address = at;
        job.slot[i].size = size;
        if (size && api->write_memory(board, at, slots->job.slots[i].bytes, size))
            stop(seed, "memory", api->error(board));
        at = (at + size + GUARD + 63) / 64 * 64;
    }
    if (board_job_run(api, board, &job, &result) ||
        api->read_memory(board, job.slot[SLOT_OUTPUT].address, slots->job.slots[SLOT_OUTPUT].bytes,
                         job.slot[SLOT_OUTPUT].size))
        stop(seed, api->kind, api->error(board));
    return result;
}

static void compare(uint64_t seed, const struct job_result *is, const struct job_result *must,
                    const uint8_t *got, const uint8_t *expected, uint64_t bytes)
{
    char why[160];
    snprintf(why, sizeof why, "status %d, queue %d, at %llu; the model: %d, %d, %llu", (int)is->code,
             (int)is->queue, (unsigned long long)is->offset, (int)must->code, (int)must->queue,
             (unsigned long long)must->offset);
    if (is->code != must->code || is->queue != must->queue || is->offset != must->offset)
        stop(seed, "the end", why);
    if (must->code != JOB_OK)
        return;
    snprintf(why, sizeof why, "%llu read, %llu written; the model: %llu, %llu",
             (unsigned long long)is->bytes_read, (unsigned long long)is->bytes_written,
             (unsigned long long)must->bytes_read, (unsigned long long)must->bytes_written);
    if (is->bytes_read != must->bytes_read || is->bytes_written != must->bytes_written)
        stop(seed, "bytes", why);
    for (uint64_t i = 0; i < bytes; i++)
        if (got[i] != expected[i]) {
            snprintf(why, sizeof why, "byte %llu is %02x, must be %02x", (unsigned long long)i, got[i],
                     expected[i]);
            stop(seed, "output", why);
        }
}

int main(int argc, char **argv)
{
    struct strbuf path = {0};
    struct diag diag = {0};
    struct variant v;
    char why[512];
    if (argc < 2 || argc > 4)
        stop(0, "usage", "bank-test FOLDER [PROGRAMS [SEED]]");
    const uint64_t programs = argc > 2 ? strtoull(argv[2], NULL, 10) : 40,
                   first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    sb_addf(&path, "%s/variant.yaml", argv[1]);
    if (!variant_load_file(sb_text(&path), NULL, 0, &v, &diag))
        stop(0, sb_text(&path), sb_text(&diag.text));
    if (!v.local_bytes || !v.joins || !v.channel_groups)
        stop(0, argv[1], "its variant must have local_bytes, joins and channel_groups");
    struct board *device = board_sim.open(argv[1], NULL, why, sizeof why);
    if (!device)
        stop(0, argv[1], why);
    uint64_t cycles = 0, modelled = 0, failed = 0;
    for (uint64_t seed = first; seed < first + programs; seed++) {
        struct scene s;
        struct slots slots;
        write_program(&s, &v, seed, &slots);
        const uint64_t bytes = slots.job.slots[SLOT_OUTPUT].size;
        uint8_t *expected = malloc(bytes);
        if (!expected)
            stop(seed, "model", "out of memory");
        const struct job_result must = run_model(&v, &slots);
        memcpy(expected, slots.job.slots[SLOT_OUTPUT].bytes, bytes);
        slots_restore(&slots);
        const struct cycle_options options = cycle_defaults(&v);
        struct cycle_report report;
        if (!cycle_run(&v, &options, &slots.job, &report))
            stop(seed, "cycle model", "out of memory");
        slots_restore(&slots);
        const struct job_result is = run(&board_sim, device, &slots, seed);
        compare(seed, &is, &must, slots.job.slots[SLOT_OUTPUT].bytes, expected, bytes);
        if (must.code == JOB_OK) {
            cycles += is.cycles;
            modelled += report.result.cycles;
        } else {
            failed++;
        }
        cycle_report_free(&report);
        free(expected);
        slots_free(&slots);
    }
    printf("%llu programs, %llu of them refused: %llu cycles, of the cycle model %llu\n",
           (unsigned long long)programs, (unsigned long long)failed, (unsigned long long)cycles,
           (unsigned long long)modelled);
    board_sim.close(device);
    sb_free(&path);
    diag_free(&diag);
    return EXIT_SUCCESS;
}

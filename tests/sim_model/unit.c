/* SPDX-License-Identifier: Apache-2.0
 *
 * Storage units against a plain array: bytes that are copied and lent, over
 * each other and over the wrap, in more pieces than a unit keeps.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "sim/model/array.h"
#include "sim/model/unit.h"
#include "tests/sim_model/support.h"

#define SIZE 16384u
#define SOURCE 65536u

struct bench {
    struct storage_unit unit;
    uint8_t expected[SIZE], *source;
    struct random dice;
};

static void begin(struct bench *b, uint64_t seed)
{
    *b = (struct bench){.dice = {seed}, .source = malloc(SOURCE)};
    cr_assert(b->source && unit_open(&b->unit, SIZE));
    for (unsigned i = 0; i < SOURCE; i++)
        b->source[i] = (uint8_t)(random_next(&b->dice) >> 32);
}

static void finish(struct bench *b)
{
    unit_close(&b->unit);
    free(b->source);
}

/* Bytes of the source, small or large, to a place that may wrap. */
static void put(struct bench *b, bool lend)
{
    const uint32_t bytes = random_chance(&b->dice, 50) ? random_range(&b->dice, 1, 200)
                                                       : random_range(&b->dice, 1000, 5000),
                   address = random_below(&b->dice, 4 * SIZE);
    const uint8_t *from = b->source + random_below(&b->dice, SOURCE - bytes);
    for (uint32_t i = 0; i < bytes; i++)
        b->expected[(address + i) % SIZE] = from[i];
    if (lend)
        unit_lend(&b->unit, address, from, bytes);
    for (size_t done = 0, part; !lend && done < bytes; done += part) {
        uint8_t *to = unit_room(&b->unit, address + (uint32_t)done, bytes - done, &part);
        memcpy(to, from + done, part);
    }
}

static void expect_bytes(struct bench *b)
{
    uint8_t got[SIZE];
    unit_read(&b->unit, 0, got, SIZE);
    cr_assert_arr_eq(got, b->expected, SIZE);
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t address = random_below(&b->dice, SIZE), bytes = random_range(&b->dice, 1, 3000);
        unit_read(&b->unit, address, got, bytes);
        const uint8_t *lent = unit_find(&b->unit, address, bytes);
        for (uint32_t j = 0; j < bytes; j++) {
            cr_assert_eq(got[j], b->expected[(address + j) % SIZE]);
            cr_assert(!lent || lent[j] == got[j]);
        }
    }
}

Test(unit, holds_what_was_copied_and_lent)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct bench b;
        begin(&b, seed);
        for (unsigned step = 0; step < 150; step++) {
            put(&b, random_chance(&b.dice, 70));
            expect_bytes(&b);
            if (random_chance(&b.dice, 3)) {
                unit_reset(&b.unit);
                memset(b.expected, 0, SIZE);
                expect_bytes(&b);
            }
        }
        finish(&b);
    }
}

/* Pieces that are too small to be packets are copied once something lies over their rest. */
Test(unit, keeps_no_more_pieces_than_it_has_room_for)
{
    struct bench b;
    begin(&b, 9);
    for (uint32_t i = 0; i < 3 * UNIT_PIECES; i++) {
        const uint32_t address = 80 * i, bytes = 40;
        unit_lend(&b.unit, address, b.source + 100 * (size_t)i, bytes);
        memcpy(b.expected + address, b.source + 100 * (size_t)i, bytes);
    }
    cr_assert_eq(b.unit.pieces, UNIT_PIECES);
    expect_bytes(&b);
    finish(&b);
}

Test(unit, finds_a_packet_where_it_lies)
{
    struct bench b;
    begin(&b, 10);
    unit_lend(&b.unit, SIZE - 1000, b.source, 3000); /* over the wrap */
    unit_lend(&b.unit, 2000, b.source + 3000, 2000); /* goes on where that one ends */
    cr_assert_eq(unit_find(&b.unit, SIZE - 1000, 5000), b.source);
    cr_assert_eq(unit_find(&b.unit, 1990, 20), b.source + 2990);
    cr_assert_null(unit_find(&b.unit, SIZE - 1001, 10), "a byte before was never written");
    cr_assert_null(unit_find(&b.unit, 3990, 11), "nor was one behind");
    unit_lend(&b.unit, 100, b.source + 1100, 50);
    cr_assert_eq(unit_find(&b.unit, 100, 50), b.source + 1100, "the same bytes again");
    unit_lend(&b.unit, 200, b.source + 1201, 50);
    cr_assert_null(unit_find(&b.unit, 190, 20), "others in the middle");
    finish(&b);
}

/* What a load of a job reads is what its slot held then, whatever becomes of it before a packet brings it. */
static void expect_loaded(struct array *a, const struct job *job, unsigned slot, bool steady, uint8_t *bytes)
{
    const struct operation load = {
        .code = OP_LOAD, .rows = 1, .memory = {.slot = slot, .length = 64, .runs = 1, .planes = 1}};
    struct job_result result = {.code = JOB_OK};
    uint8_t got[64], before[64];
    memcpy(before, bytes, sizeof before);
    cr_assert_eq(job->steady >> slot & 1, steady, "slot %u", slot);
    cr_assert_eq(array_load(a, &load, job, &result), JOB_OK);
    for (unsigned i = 0; !steady && i < sizeof before; i++)
        bytes[i] ^= 0x55;
    array_gather(a, 0, &load, got);
    cr_assert_arr_eq(got, before, sizeof got, "slot %u", slot);
}

Test(unit, copies_what_the_job_may_write)
{
    const struct variant v = variant_of("base", NULL);
    struct array *a = array_new(&v);
    uint8_t memory[4096];
    struct job job = {.number = 1};
    cr_assert(a);
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)(i * 7);
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        job.slots[s].bytes = memory + 256 * (size_t)s;
        job.slots[s].size = 256;
    }
    job.slots[SLOT_INPUT].size += 8;  /* into the output */
    job.slots[SLOT_EXTRA].bytes -= 8; /* from the scratch */
    job = array_with_bank(a, &job);
    expect_loaded(a, &job, SLOT_WEIGHTS, true, job.slots[SLOT_WEIGHTS].bytes);
    expect_loaded(a, &job, SLOT_INPUT, false, job.slots[SLOT_INPUT].bytes);
    expect_loaded(a, &job, SLOT_EXTRA, false, job.slots[SLOT_EXTRA].bytes);
    expect_loaded(a, &job, SLOT_SCRATCH, false, job.slots[SLOT_SCRATCH].bytes);
    expect_loaded(a, &job, SLOT_PARTIAL, true, job.slots[SLOT_PARTIAL].bytes);
    array_free(a);
}

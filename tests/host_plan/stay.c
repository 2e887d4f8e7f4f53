/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of the loads of a program that runs behind its own, by the rules of host/plan/stay.c. The
 * random plans of this folder (problem.c) run such programs.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "host/plan/stay.h"
#include "sim/model/model.h"
#include "sim/model/program.h"
#include "tests/sim_model/support.h"

enum { PIECE = 64, TOKEN_A = 1, TOKEN_B = 2 };

static struct variant with_key(void)
{
    return variant_of("tiny", (const char *const[]){"kept_weights=on", NULL});
}

/* A load of PIECE bytes; tokens that are 0 are not there. */
static void load(struct writer *w, unsigned slot, int64_t offset, int64_t unit, unsigned wait,
                 unsigned signal)
{
    writer_op(w, "load",
              WITH({"rows", 1}, {"slot", slot}, {"offset", offset}, {"length", PIECE}, {"unit_address", unit},
                   {"wait_a", wait != 0}, {"wait_a_token", wait}, {"signal_a", signal != 0},
                   {"signal_a_token", signal}));
}

static void packet(struct writer *w, int64_t unit, unsigned wait, unsigned signal)
{
    writer_op(w, "distribute",
              WITH({"rows", 1}, {"clusters", 1}, {"command", EXEC}, {"count", 1}, {"length", PIECE},
                   {"unit_address", unit}, {"wait_a", wait != 0}, {"wait_a_token", wait},
                   {"signal_a", signal != 0}, {"signal_a_token", signal}));
}

/* Loads of the program that is left, in order: their bytes. `operations`: all of them, `end` included. */
struct left {
    bool made;
    unsigned loads, operations, waits;
    uint64_t bytes[8];
};

static struct left left_of(struct writer *w, const struct variant *v)
{
    struct strbuf program = {0}, rest = {0};
    struct left left = {0};
    struct program p;
    struct operation op = {0};
    struct job_result result = {0};
    cr_assert(writer_finish(w, 0, &program));
    left.made = stay_program(v, &program, &rest);
    if (left.made) {
        cr_assert_eq(
            program_open(&p, v, model_variant_hash(v), (const uint8_t *)rest.text, rest.len, &result),
            JOB_OK);
        left.operations = p.operations;
        while (!program_next(&p, &op, &result) && op.code != OP_END) {
            left.waits += op.wait[0] != NO_TOKEN;
            if (op.code == OP_LOAD)
                left.bytes[left.loads++] = program_pattern_bytes(&op.memory);
        }
        cr_assert_eq(result.code, JOB_OK);
    }
    sb_free(&program);
    sb_free(&rest);
    writer_free(w);
    return left;
}

Test(stay, loads_of_weights_go_with_their_tokens)
{
    const struct variant v = with_key();
    struct writer w;
    writer_begin(&w, &v);
    load(&w, SLOT_WEIGHTS, 0, 0, 0, TOKEN_A);
    load(&w, SLOT_INPUT, 0, PIECE, 0, TOKEN_B);
    packet(&w, 0, TOKEN_A, 0);
    packet(&w, PIECE, TOKEN_B, 0);
    const struct left left = left_of(&w, &v);
    cr_assert(left.made);
    cr_expect_eq(left.loads, 1);
    cr_expect_eq(left.bytes[0], PIECE, "activations are loaded");
    cr_expect_eq(left.waits, 1, "for activations alone");
}

Test(stay, a_place_that_takes_two_things_keeps_neither)
{
    const struct variant v = with_key();
    for (unsigned kind = 0; kind < 3; kind++) {
        struct writer w;
        writer_begin(&w, &v);
        load(&w, SLOT_WEIGHTS, 0, 0, 0, 0);
        /* Other weights, activations, or the same weights again. */
        load(&w, kind == 1 ? SLOT_INPUT : SLOT_WEIGHTS, kind ? 0 : PIECE, 0, 0, 0);
        const struct left left = left_of(&w, &v);
        cr_expect_eq(left.made, kind == 2, "kind %u", kind);
        cr_expect_eq(left.loads, 0);
    }
}

Test(stay, a_load_that_takes_turns_keeps_its_place)
{
    const struct variant v = with_key();
    struct writer w;
    writer_begin(&w, &v);
    w.tokens[TOKEN_A] = 1;
    load(&w, SLOT_WEIGHTS, 0, 0, TOKEN_A, TOKEN_B);
    packet(&w, 0, TOKEN_B, TOKEN_A);
    load(&w, SLOT_WEIGHTS, PIECE, PIECE, TOKEN_A, TOKEN_B);
    packet(&w, PIECE, TOKEN_B, TOKEN_A);
    load(&w, SLOT_WEIGHTS, 2 * PIECE, PIECE, TOKEN_A, TOKEN_B);
    packet(&w, PIECE, TOKEN_B, 0);
    const struct left left = left_of(&w, &v);
    cr_assert(left.made);
    cr_expect_eq(left.loads, 3);
    cr_expect(left.bytes[0] == 8 && left.bytes[1] == PIECE && left.bytes[2] == PIECE);
    cr_expect_eq(left.waits, 6);
}

Test(stay, loops_lose_what_goes_of_them)
{
    const struct variant v = with_key();
    struct writer w;
    writer_begin(&w, &v);
    writer_op(&w, "loop", WITH({"level", 0}, {"iterations", 3}));
    load(&w, SLOT_WEIGHTS, 0, 0, 0, 0);
    writer_op(&w, "endloop", WITH({"level", 0}, {"body", 2}));
    writer_op(&w, "loop", WITH({"level", 0}, {"iterations", 2}));
    load(&w, SLOT_WEIGHTS, 0, 0, 0, 0);
    load(&w, SLOT_INPUT, 0, PIECE, 0, 0);
    writer_op(&w, "endloop", WITH({"level", 0}, {"body", 3}));
    const struct left left = left_of(&w, &v);
    cr_assert(left.made);
    cr_expect_eq(left.operations, 4, "a loop of one load, and the end");
    cr_expect_eq(left.loads, 2);
}

Test(stay, nothing_stays_without_the_key)
{
    const struct variant v = variant_of("tiny", NULL);
    struct writer w;
    writer_begin(&w, &v);
    load(&w, SLOT_WEIGHTS, 0, 0, 0, 0);
    cr_expect(!left_of(&w, &v).made);
}

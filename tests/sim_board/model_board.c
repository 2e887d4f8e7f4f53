/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional model as a board: what a driver sees of it, a job from
 * registers to interrupt, and boards beside each other.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/registers.h"
#include "host/devices/kinds.h"
#include "host/plan/planner.h"
#include "sim/board/job.h"
#include "sim/board/registers.h"
#include "sim/model/model.h"

static const struct board_api *const api = &board_model;

static struct board *opened(const char *place, const char *const *settings)
{
    char why[256] = "";
    struct board *b = api->open(place, settings, why, sizeof why);
    cr_assert(b, "%s", why);
    return b;
}

static uint32_t get(struct board *b, const char *name)
{
    uint32_t value = 0xDEAD;
    cr_assert_eq(api->read_register(b, register_offset(name), &value), BOARD_OK);
    return value;
}

static void set(struct board *b, const char *name, uint32_t value)
{
    cr_assert_eq(api->write_register(b, register_offset(name), value), BOARD_OK);
}

Test(board, kinds_by_name)
{
    const char *place;
    cr_assert_eq(board_find(board_kinds, "model", &place), &board_model);
    cr_assert_str_eq(place, "");
    cr_assert_eq(board_find(board_kinds, "sim:a/b:c", &place), &board_sim);
    cr_assert_str_eq(place, "a/b:c");
    cr_assert_null(board_find(board_kinds, "simulated:x", &place));
    cr_assert_null(board_find(board_kinds, "", &place));
    for (unsigned i = 0; i < 2; i++) {
        const struct board_api *one = i ? &board_sim : &board_model;
        cr_assert_eq(one->size, sizeof *one);
        cr_assert_eq(one->version, BOARD_API_VERSION);
    }
}

Test(board, bad_settings_are_refused_with_the_reason)
{
    static const struct {
        const struct board_api *api;
        const char *place, *setting, *word;
    } cases[] = {
        {&board_model, "base", "memmory=1G", "did you mean memory"},
        {&board_model, "base", "memory", "no value"},
        {&board_model, "base", "memory=5", "allowed"},
        {&board_model, "base", "memory=9999G", "allowed"},
        {&board_model, "base", "memory=17179869185G", "allowed"},
        {&board_model, "base", "memory=12x", "allowed"},
        {&board_model, "base", "latency=5", "no setting"},
        {&board_model, "base", "set=n=99", "n"},
        {&board_model, "base", "fault=ones", "CALLS"},
        {&board_model, "base", "fault=gone:", "CALLS"},
        {&board_model, "base", "fault=late:5", "CALLS"},
        {&board_model, "nosuch", NULL, "nosuch"},
        {&board_sim, "/nowhere", NULL, "/nowhere/board.so"},
        {&board_sim, "", NULL, "which folder"},
        {&board_sim, "/nowhere", "bandwidth=2/1", "1/1 or less"},
        {&board_sim, "/nowhere", "bandwidth=0/1", "1/1 or less"},
        {&board_sim, "/nowhere", "fault=slow", "KIND"},
        {&board_sim, "/nowhere", "reorder=2", "allowed 0..1"},
        {&board_sim, "/nowhere", "memory=4097", "multiple"},
        {&board_sim, "/nowhere", "trace=", "file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const settings[] = {cases[i].setting, NULL};
        char why[512] = "";
        cr_assert_null(cases[i].api->open(cases[i].place, settings, why, sizeof why));
        cr_assert(strstr(why, cases[i].word), "%s %s: %s", cases[i].place, cases[i].setting, why);
        char little[8] = "1234567";
        cr_assert_null(cases[i].api->open(cases[i].place, settings, little, 4));
        cr_assert(strlen(little) == 3 && little[4] == '5', "a message is cut to its room");
    }
}

Test(board, registers_are_those_of_the_variant)
{
    const char *const settings[] = {"set=scan=4", "set=name=other", NULL};
    struct board *b = opened("base", settings);
    struct variant v;
    struct diag diag = {0};
    cr_assert(variant_load("base", settings, 0, &v, &diag));
    v.scan = 4;
    strcpy(v.name, "other");
    const struct emit_context context = {.variant = &v, .hash = model_variant_hash(&v)};
    for (const struct isa_register *r = isa_registers; r->name; r++)
        if (strcmp(r->name, "reset") != 0)
            cr_assert_eq(get(b, r->name), register_reset(r, &context), "%s", r->name);
    api->close(b);
}

Test(board, arguments_are_kept_and_nothing_else)
{
    struct board *b = opened("", NULL);
    for (uint32_t at = 0; at < ISA_REGISTER_SPACE; at += 4) {
        const struct isa_register *r = register_at(at);
        uint32_t before, after;
        if (at < 0x10)
            continue;
        cr_assert_eq(api->read_register(b, at, &before), BOARD_OK);
        cr_assert_eq(api->write_register(b, at, 0xA5A50000 + at), BOARD_OK);
        cr_assert_eq(api->read_register(b, at, &after), BOARD_OK);
        cr_assert_eq(after, r && r->access == ISA_READ_WRITE ? 0xA5A50000 + at : before, "0x%x", at);
    }
    uint32_t value;
    cr_assert_eq(api->read_register(b, ISA_REGISTER_SPACE, &value), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->write_register(b, 2, 0), BOARD_BAD_ARGUMENT);
    cr_assert(strstr(api->error(b), "0x2"));
    api->close(b);
}

Test(board, memory_has_an_end)
{
    const char *const settings[] = {"memory=1M", NULL};
    struct board *b = opened("", settings);
    uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
    cr_assert_eq(api->write_memory(b, (1 << 20) - 8, bytes, 8), BOARD_OK);
    cr_assert_eq(api->read_memory(b, (1 << 20) - 8, back, 8), BOARD_OK);
    cr_assert_eq(memcmp(bytes, back, 8), 0);
    cr_assert_eq(api->write_memory(b, (1 << 20) - 7, bytes, 8), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->read_memory(b, UINT64_MAX, back, 8), BOARD_BAD_ARGUMENT);
    api->close(b);
}

Test(board, a_wait_is_bounded)
{
    struct board *b = opened("", NULL);
    cr_assert_eq(api->wait(b, 0, 0), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->wait(b, UINT64_MAX, UINT64_MAX), BOARD_TIMEOUT, "nothing runs");
    api->close(b);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* A job of 8 x 64 x 16 with its buffers from `base` on, and what comes out. */
struct trial {
    struct plan plan;
    struct sparse w;
    struct board_job job;
    int8_t a[8 * 64];
};

static void make_trial(struct trial *t, uint64_t base, unsigned seed)
{
    struct variant v;
    struct diag diag = {0};
    uint32_t count = 0;
    *t = (struct trial){.w = {.rows = 16, .columns = 64}};
    cr_assert(variant_load("base", NULL, 0, &v, &diag));
    t->w.start = calloc(17, sizeof *t->w.start);
    t->w.column = calloc(16 * 64, sizeof *t->w.column);
    t->w.value = calloc(16 * 64, sizeof *t->w.value);
    for (uint32_t r = 0; r < 16; r++) {
        for (uint32_t c = 0; c < 64; c++)
            if ((r * 31 + c * 17 + seed) % 5 == 0) {
                t->w.column[count] = c;
                t->w.value[count++] = (int32_t)((r + c + seed) % 100) - 120;
            }
        t->w.start[r + 1] = count;
    }
    for (unsigned i = 0; i < sizeof t->a; i++)
        t->a[i] = (int8_t)(i * 37 + seed);
    const char *why =
        plan_why(plan_make(&(struct plan_description){.variant = &v, .weights = &t->w, .m = 8, .element = 2},
                           &(struct plan_choice){.split = {PLAN_M, PLAN_M}}, &t->plan));
    cr_assert_null(why, "%s", why);
    const uint64_t sizes[ISA_SLOTS] = {t->plan.program.len, ISA_STATUS_BYTES, t->plan.weights.len,
                                       t->plan.input_bytes, t->plan.output_bytes};
    for (unsigned s = 0; s < 5; s++, base += 1 << 20) {
        t->job.slot[s].address = base;
        t->job.slot[s].size = sizes[s];
    }
    t->job.number = 77 + seed;
    t->job.cycles = 1000000;
}

static void run_trial(struct board *b, const struct trial *t, struct job_result *result)
{
    cr_assert_eq(api->write_memory(b, t->job.slot[0].address, t->plan.program.text, t->plan.program.len),
                 BOARD_OK);
    cr_assert_eq(api->write_memory(b, t->job.slot[2].address, t->plan.weights.text, t->plan.weights.len),
                 BOARD_OK);
    cr_assert_eq(api->write_memory(b, t->job.slot[3].address, t->a, sizeof t->a), BOARD_OK);
    cr_assert_eq(board_job_run(api, b, &t->job, result), BOARD_OK, "%s", api->error(b));
}

static void expect_product(struct board *b, const struct trial *t)
{
    for (uint32_t r = 0; r < 8; r++)
        for (uint32_t c = 0; c < 16; c++) {
            int32_t sum = 0, got;
            for (uint32_t i = t->w.start[c]; i < t->w.start[c + 1]; i++)
                sum += t->a[r * 64 + t->w.column[i]] * t->w.value[i];
            cr_assert_eq(api->read_memory(
                             b, t->job.slot[4].address + (uint64_t)r * t->plan.output_pitch + 4 * c, &got, 4),
                         BOARD_OK);
            cr_assert_eq(got, sum, "[%u][%u]", r, c);
        }
}

static void free_trial(struct trial *t)
{
    plan_free(&t->plan);
    sparse_free(&t->w);
}

Test(board, a_job_from_registers_to_interrupt)
{
    struct board *b = opened("base", NULL);
    struct trial t;
    struct job_result result, record;
    struct strbuf why = {0};
    uint8_t bytes[ISA_STATUS_BYTES];
    uint32_t number;
    make_trial(&t, (UINT64_C(4) << 30) - (2 << 20), 5);
    for (unsigned round = 0; round < 3; round++) {
        run_trial(b, &t, &result);
        cr_assert_eq(result.code, JOB_OK);
        expect_product(b, &t);
        cr_assert_eq(api->read_memory(b, t.job.slot[SLOT_STATUS].address, bytes, sizeof bytes), BOARD_OK);
        cr_assert(job_read_status(bytes, &record, &number, &why), "%s", sb_text(&why));
        cr_assert_eq(number, t.job.number);
        for (const struct result_field *f = job_result_fields; f->name; f++)
            cr_assert_eq(f->get(&record), f->get(&result), "%s", f->name);
        cr_assert_gt(record.effective_macs, 1000);
        cr_assert_eq(api->wait(b, 1, 0), BOARD_TIMEOUT, "the interrupt was acknowledged");
    }
    bytes[20] ^= 1;
    cr_assert_not(job_read_status(bytes, &record, &number, &why));
    sb_free(&why);
    free_trial(&t);
    api->close(b);
}

/* As tulle_control does it: a job begins when the end of the last one was acknowledged. */
Test(board, control_behaves_as_ap_ctrl_chain)
{
    struct board *b = opened("base", NULL);
    struct trial t;
    struct job_result result;
    make_trial(&t, 0, 1);
    cr_assert_eq(get(b, "control"), CONTROL_IDLE);
    run_trial(b, &t, &result);
    set(b, "interrupt_enable", 0);
    set(b, "control", CONTROL_START);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_TIMEOUT, "not enabled");
    set(b, "interrupt_enable", 1);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_OK);
    set(b, "interrupt_status", INTERRUPT_READY);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_OK, "another event's bit");
    set(b, "interrupt_status", INTERRUPT_DONE);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_TIMEOUT);
    set(b, "control", CONTROL_START);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_TIMEOUT, "the end was not acknowledged");
    cr_assert_eq(get(b, "control"), CONTROL_IDLE | CONTROL_DONE | CONTROL_READY | CONTROL_START);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_OK, "reading is acknowledging");
    set(b, "interrupt_status", INTERRUPT_DONE | INTERRUPT_READY);
    set(b, "interrupt_mask", 0);
    set(b, "control", CONTROL_CONTINUE);
    set(b, "control", CONTROL_START);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_TIMEOUT, "masked");
    set(b, "control", CONTROL_CONTINUE);
    set(b, "interrupt_mask", INTERRUPT_READY);
    set(b, "control", CONTROL_START);
    cr_assert_eq(get(b, "interrupt_status"), INTERRUPT_READY);
    set(b, "reset", 5);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_OK, "not the key");
    set(b, "watchdog", 5);
    set(b, "reset", RESET_KEY);
    cr_assert_eq(api->wait(b, 10, 0), BOARD_TIMEOUT);
    cr_assert_eq(get(b, "control"), CONTROL_IDLE);
    cr_assert_eq(get(b, "job"), t.job.number, "arguments stay");
    cr_assert_eq(get(b, "watchdog"), 0, "the watchdog does not");
    free_trial(&t);
    api->close(b);
}

/* The next one begins at once, and its end waits until that of the first is acknowledged. */
Test(board, a_queue_of_jobs_is_of_one)
{
    const char *const settings[] = {"set=job_queue=on", NULL};
    struct board *b = opened("base", settings);
    set(b, "interrupt_enable", 1);
    set(b, "interrupt_mask", INTERRUPT_DONE | INTERRUPT_READY);
    set(b, "control", CONTROL_START); /* without a program: it ends with an error, which does not matter */
    cr_assert_eq(get(b, "interrupt_status"), INTERRUPT_DONE | INTERRUPT_READY);
    set(b, "interrupt_status", INTERRUPT_DONE | INTERRUPT_READY);
    set(b, "control", CONTROL_START);
    cr_assert_eq(get(b, "interrupt_status"), INTERRUPT_READY, "the second has begun, and has not ended");
    set(b, "interrupt_status", INTERRUPT_READY);
    set(b, "control", CONTROL_START);
    cr_assert_eq(get(b, "interrupt_status"), 0, "the third waits");
    set(b, "control", CONTROL_CONTINUE);
    cr_assert_eq(get(b, "interrupt_status"), INTERRUPT_DONE | INTERRUPT_READY,
                 "the second has ended, and the third has begun");
    set(b, "interrupt_status", INTERRUPT_DONE | INTERRUPT_READY);
    set(b, "control", CONTROL_CONTINUE);
    cr_assert_eq(get(b, "interrupt_status"), INTERRUPT_DONE);
    set(b, "control", CONTROL_CONTINUE);
    cr_assert_eq(get(b, "control") & CONTROL_IDLE, CONTROL_IDLE);
    api->close(b);
}

Test(board, what_fails_says_so)
{
    struct board *b = opened("base", NULL);
    struct trial t;
    struct job_result result;
    make_trial(&t, 0, 2);
    t.job.slot[SLOT_OUTPUT].size -= 4;
    run_trial(b, &t, &result);
    cr_assert(result.code == JOB_OUT_OF_SLOT && result.queue == QUEUE_STORE && result.offset % 64 == 0);
    cr_assert_eq(get(b, "error_offset"), result.offset);
    t.job.slot[SLOT_OUTPUT].address = UINT64_MAX - 63;
    run_trial(b, &t, &result);
    cr_assert_eq(result.code, JOB_READ_DECODE_ERROR);
    free_trial(&t);
    api->close(b);
}

/* A stream that is not one: registers and record have the same place of the error, in each part of it. */
Test(board, an_error_has_the_same_place_in_registers_and_record)
{
    struct board *b = opened("base", NULL);
    struct trial t;
    struct job_result result, record;
    struct strbuf why = {0};
    uint8_t bytes[ISA_STATUS_BYTES];
    uint32_t number;
    unsigned pes = 0;
    make_trial(&t, 0, 4);
    for (size_t at = 0; at < t.plan.weights.len; at += 11) {
        t.plan.weights.text[at] ^= 0x7F;
        run_trial(b, &t, &result);
        t.plan.weights.text[at] ^= 0x7F;
        if (result.code == JOB_OK)
            continue;
        cr_assert_eq(api->read_memory(b, t.job.slot[SLOT_STATUS].address, bytes, sizeof bytes), BOARD_OK);
        cr_assert(job_read_status(bytes, &record, &number, &why), "%s", sb_text(&why));
        cr_assert(result.row == record.row && result.cluster == record.cluster && result.pe == record.pe);
        pes += record.pe != record.cluster;
    }
    cr_assert_gt(pes, 0, "no error tells a PE from a cluster");
    sb_free(&why);
    free_trial(&t);
    api->close(b);
}

/* ---- several boards ---------------------------------------------------------------------------- */

static void *work(void *argument)
{
    unsigned seed = *(unsigned *)argument;
    struct board *b = opened("base", NULL);
    for (unsigned i = 0; i < 3; i++) {
        struct trial t;
        struct job_result result;
        make_trial(&t, (uint64_t)seed << 24, 10 * seed + i);
        run_trial(b, &t, &result);
        expect_product(b, &t);
        free_trial(&t);
    }
    api->close(b);
    return NULL;
}

/* What a failing board does with the call of that number and after it. */
static struct board *failing(const char *fault)
{
    const char *const settings[] = {fault, "memory=16M", NULL};
    struct board *b = opened("base", settings);
    cr_assert_neq(get(b, "magic"), UINT32_MAX);
    cr_assert_eq(api->write_memory(b, 0, "abcd", 4), BOARD_OK);
    return b;
}

Test(board, one_that_is_off_the_bus_reads_ones)
{
    struct board *b = failing("fault=ones:2");
    uint32_t word = 0;
    set(b, "job", 5);
    cr_assert_eq(get(b, "job"), UINT32_MAX);
    cr_assert_eq(api->write_memory(b, 0, "efgh", 4), BOARD_OK);
    cr_assert_eq(api->read_memory(b, 0, &word, 4), BOARD_OK);
    cr_assert_eq(word, UINT32_MAX);
    cr_assert_eq(api->wait(b, 100, 0), BOARD_TIMEOUT);
    api->close(b);
}

Test(board, one_that_is_gone_fails)
{
    struct board *b = failing("fault=gone:2");
    uint32_t word = 0;
    cr_assert_eq(api->read_register(b, 0, &word), BOARD_FAILED);
    cr_assert(strstr(api->error(b), "does not answer"), "%s", api->error(b));
    cr_assert_eq(api->write_register(b, 0, word), BOARD_FAILED);
    cr_assert_eq(api->read_memory(b, 0, &word, 4), BOARD_FAILED);
    cr_assert_eq(api->write_memory(b, 0, &word, 4), BOARD_FAILED);
    cr_assert_eq(api->wait(b, 100, 0), BOARD_FAILED);
    api->close(b);
}

Test(board, one_that_hangs_is_idle_after_a_reset_and_one_that_is_stuck_is_not)
{
    for (unsigned stuck = 0; stuck < 2; stuck++) {
        struct board *b = failing(stuck ? "fault=stuck:2" : "fault=hang:2");
        cr_assert(get(b, "control") & CONTROL_IDLE);
        set(b, "interrupt_mask", INTERRUPT_DONE);
        set(b, "interrupt_enable", 1);
        set(b, "control", CONTROL_START);
        cr_assert_eq(api->wait(b, 100, 0), BOARD_TIMEOUT);
        cr_assert_not(get(b, "control") & CONTROL_IDLE);
        set(b, "reset", RESET_KEY);
        cr_assert_eq(!(get(b, "control") & CONTROL_IDLE), stuck);
        api->close(b);
    }
}

Test(board, several_in_several_threads)
{
    pthread_t thread[6];
    unsigned seed[6];
    for (unsigned i = 0; i < 6; i++) {
        seed[i] = i;
        cr_assert_eq(pthread_create(&thread[i], NULL, work, &seed[i]), 0);
    }
    for (unsigned i = 0; i < 6; i++)
        pthread_join(thread[i], NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Two jobs in the queue of a Verilated device with job_queue. The second one is
 * written while the first one runs, and must come to what it comes to by
 * itself, whatever becomes of the first one: memory that fails under results,
 * that never answers, a soft reset at any moment, an end that nobody
 * acknowledges. What the first one leaves in the array is not there for the
 * second one.
 *
 * Usage: queue-test FOLDER [SEED]   (of sim/board/build, with job_queue)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/isa/packed.h"
#include "host/plan/writer.h"
#include "sim/board/jobs.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"
#include "sim/model/model.h"
#include "sim/model/program.h"
#include "tests/sim_board/tulle_sim/problem.h"
#include "tests/sim_model/support.h"

#define WATCHDOG 2000
#define PATIENCE 1000000
#define APART 4096
/* Of an operation: the byte with signal_b and its token. */
#define SIGNAL_BYTE 3
#define SIGNAL (1 << 2)
#define SIGNAL_TOKEN 3
#define MOMENTS 97 /* cycles between two soft resets */

enum { FIRST, SECOND, JOBS };

static const struct board_api *const api = &board_sim;

/* A device with the same problem at two places. */
struct stage {
    const char *folder, *what;
    struct problem problem;
    struct board *board;
    struct board_job job[JOBS];
    uint64_t place[JOBS]; /* of the image */
    struct job_result result[JOBS];
    unsigned written, ended;
};

static void stop(const struct stage *s, const char *why)
{
    fprintf(stderr, "queue-test: %s: %s\n", s->what, why);
    exit(EXIT_FAILURE);
}

static void must(const struct stage *s, bool holds, const char *what)
{
    if (!holds)
        stop(s, what);
}

static void go(const struct stage *s, enum board_status status)
{
    if (status != BOARD_OK)
        stop(s, api->error(s->board));
}

/* ---- a scene --------------------------------------------------------------------------------- */

static void place(struct stage *s)
{
    const struct problem *p = &s->problem;
    for (unsigned j = 0; j < JOBS; j++) {
        s->place[j] = APART + j * (p->bytes + APART - p->bytes % APART);
        s->job[j] = p->job;
        s->job[j].number = 100 + j;
        s->job[j].cycles = PATIENCE;
        for (unsigned i = 0; i < ISA_SLOTS; i++)
            s->job[j].slot[i].address += p->job.slot[i].size ? s->place[j] - p->base : 0;
    }
}

static void write_images(struct stage *s)
{
    for (unsigned j = 0; j < JOBS; j++)
        go(s, api->write_memory(s->board, s->place[j], s->problem.image, s->problem.bytes));
}

/* `fault`: of memory, or NULL. */
static void begin(struct stage *s, const char *what, const char *fault)
{
    struct setting_list settings = {0};
    char why[512];
    s->what = what;
    s->written = s->ended = 0;
    place(s);
    if (fault)
        settings_add(&settings, "fault", fault);
    s->board = api->open(s->folder, settings.list, why, sizeof why);
    settings_free(&settings);
    if (!s->board)
        stop(s, why);
    write_images(s);
    go(s, api->write_register(s->board, register_offset("watchdog"), WATCHDOG));
}

static void end(struct stage *s)
{
    api->close(s->board);
    s->board = NULL;
}

/* The fault in the memory of a slot of a job. */
static void begin_with(struct stage *s, const char *what, const char *fault, unsigned job, unsigned slot)
{
    char text[128];
    place(s);
    snprintf(text, sizeof text, "%s:0x%llx-0x%llx", fault, (unsigned long long)s->job[job].slot[slot].address,
             (unsigned long long)(s->job[job].slot[slot].address + s->job[job].slot[slot].size - 1));
    begin(s, what, text);
}

static const struct board_job *next_job(void *context)
{
    struct stage *s = context;
    return s->written < JOBS ? &s->job[s->written++] : NULL;
}

static bool note_end(void *context, const struct job_result *result)
{
    struct stage *s = context;
    s->result[s->ended++] = *result;
    return true;
}

static void run_both(struct stage *s)
{
    const struct board_jobs jobs = {.next = next_job, .ended = note_end, .context = s};
    go(s, board_jobs_run(api, s->board, &jobs));
    must(s, s->ended == JOBS, "not both jobs have ended");
}

/* ---- what must hold --------------------------------------------------------------------------- */

static uint8_t *image_of(const struct stage *s, unsigned job)
{
    uint8_t *image = malloc(s->problem.bytes);
    if (!image)
        stop(s, "out of memory");
    go(s, api->read_memory(s->board, s->place[job], image, s->problem.bytes));
    return image;
}

static void ends_with(const struct stage *s, unsigned job, enum job_code code)
{
    char why[128];
    snprintf(why, sizeof why, "job %u ended with %s, not with %s", job + 1,
             job_code_name(s->result[job].code), job_code_name(code));
    must(s, s->result[job].code == code, why);
}

/* Every byte, and every number that does not depend on time. */
static void is_right(const struct stage *s, unsigned job)
{
    const struct problem *p = &s->problem;
    uint8_t *image = image_of(s, job);
    ends_with(s, job, JOB_OK);
    for (uint64_t i = 0; i < p->bytes; i++)
        must(s, image[i] == p->expected[i] || problem_is_status(p, i), "a byte differs from the model's");
    for (const struct result_field *f = job_result_fields; f->name; f++)
        must(s, f->timed || f->get(&s->result[job]) == f->get(&p->model), f->name);
    free(image);
}

/* Nothing of it was written, but for its record. */
static void is_untouched(const struct stage *s, unsigned job)
{
    uint8_t *image = image_of(s, job);
    must(s, !memcmp(image, s->problem.image, s->problem.bytes), "a job that never began has written");
    free(image);
}

/* ---- the first one fails ------------------------------------------------------------------------ */

static void a_failure_is_the_first_ones(struct stage *s)
{
    begin(s, "nothing fails", NULL);
    run_both(s);
    is_right(s, FIRST);
    is_right(s, SECOND);
    must(s, s->result[FIRST].cycles && s->result[SECOND].cycles, "cycles");
    end(s);
    begin_with(s, "results refused", "slverr:write", FIRST, SLOT_OUTPUT);
    run_both(s);
    ends_with(s, FIRST, JOB_WRITE_SLAVE_ERROR);
    is_right(s, SECOND);
    end(s);
    begin_with(s, "results not acknowledged", "dead:write", FIRST, SLOT_OUTPUT);
    run_both(s);
    ends_with(s, FIRST, JOB_WATCHDOG);
    is_right(s, SECOND);
    end(s);
    begin_with(s, "operands of the first refused", "decerr:read", FIRST, SLOT_INPUT);
    run_both(s);
    ends_with(s, FIRST, JOB_READ_DECODE_ERROR);
    is_right(s, SECOND);
    end(s);
}

static void a_failure_is_the_second_ones(struct stage *s)
{
    const uint32_t magic = 0;
    begin_with(s, "operands of the second refused", "slverr:read", SECOND, SLOT_INPUT);
    run_both(s);
    is_right(s, FIRST);
    ends_with(s, SECOND, JOB_READ_SLAVE_ERROR);
    end(s);
    begin_with(s, "the program of the second refused", "slverr:read", SECOND, SLOT_PROGRAM);
    run_both(s);
    is_right(s, FIRST);
    ends_with(s, SECOND, JOB_READ_SLAVE_ERROR);
    end(s);
    begin(s, "no program", NULL);
    go(s, api->write_memory(s->board, s->job[SECOND].slot[SLOT_PROGRAM].address, &magic, sizeof magic));
    run_both(s);
    is_right(s, FIRST);
    ends_with(s, SECOND, JOB_BAD_MAGIC);
    end(s);
    begin(s, "a slot that is too small", NULL);
    s->job[SECOND].slot[SLOT_OUTPUT].size = 64;
    run_both(s);
    is_right(s, FIRST);
    ends_with(s, SECOND, JOB_OUT_OF_SLOT);
    end(s);
}

/* ---- what the first one leaves -------------------------------------------------------------------- */

/* A packet for a buffer that the first job has configured, in every cluster. */
static void the_array_is_empty(struct stage *s)
{
    struct builder b;
    struct slots slots = {0};
    const uint8_t nothing[64] = {0};
    builder_begin(&b, &s->problem.variant);
    builder_send(&b,
                 &(struct send){.rows = every_row(&b.variant),
                                .clusters = every_cluster(&b.variant),
                                .command = 0x80,
                                .count = 1},
                 nothing, sizeof nothing);
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    begin(s, "a packet without a configuration", NULL);
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        const bool there = i != SLOT_STATUS && slots.job.slots[i].size;
        must(s,
             !there || slots.job.slots[i].size <= s->job[SECOND].slot[i].size || i == SLOT_PROGRAM ||
                 i == SLOT_WEIGHTS || i == SLOT_INPUT,
             "a slot has no room");
        if (there)
            go(s, api->write_memory(s->board, s->job[SECOND].slot[i].address, slots.job.slots[i].bytes,
                                    slots.job.slots[i].size));
        if (there)
            s->job[SECOND].slot[i].size = slots.job.slots[i].size;
    }
    const struct job_result expected = run_model(&s->problem.variant, &slots);
    run_both(s);
    is_right(s, FIRST);
    ends_with(s, SECOND, expected.code);
    must(s, expected.code == JOB_NOT_CONFIGURED, "the model has a configuration");
    must(s, s->result[SECOND].offset == expected.offset, "the place of the error");
    slots_free(&slots);
    end(s);
}

/* The second job takes the first one's results for activations, whatever they mean. Its loads must wait for
 * them. */
static void results_are_operands(struct stage *s)
{
    const struct problem *p = &s->problem;
    uint8_t *image = malloc(p->bytes);
    struct model *model = model_new(&p->variant);
    struct job job = {.number = 1};
    struct job_result expected;
    begin(s, "results that are operands", NULL);
    must(s, image && model, "out of memory");
    must(s, p->job.slot[SLOT_INPUT].size <= p->job.slot[SLOT_OUTPUT].size, "results are fewer than operands");
    memcpy(image, p->image, p->bytes);
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        job.slots[i].size = p->job.slot[i].size;
        job.slots[i].bytes = image + (job.slots[i].size ? p->job.slot[i].address - p->base : 0);
    }
    memcpy(job.slots[SLOT_INPUT].bytes, p->expected + (p->job.slot[SLOT_OUTPUT].address - p->base),
           job.slots[SLOT_INPUT].size);
    model_run(model, &job, &expected);
    s->job[SECOND].slot[SLOT_INPUT].address = s->job[FIRST].slot[SLOT_OUTPUT].address;
    run_both(s);
    is_right(s, FIRST);
    ends_with(s, SECOND, JOB_OK);
    uint8_t *got = image_of(s, SECOND);
    const uint64_t at = p->job.slot[SLOT_OUTPUT].address - p->base;
    must(s, !memcmp(got + at, image + at, p->job.slot[SLOT_OUTPUT].size),
         "results of operands that were old");
    must(s, s->result[SECOND].effective_macs == expected.effective_macs, "multiplications");
    free(got);
    free(image);
    model_free(model);
    end(s);
}

/* The first operation of the second job waits for a token, which only the first job's stores give. */
static void tokens_are_its_own(struct stage *s, unsigned token)
{
    const struct problem *p = &s->problem;
    uint8_t *image = malloc(p->bytes);
    struct model *model = model_new(&p->variant);
    struct job job = {.number = 1};
    struct job_result expected;
    begin(s, "an operation that waits for a token", NULL);
    must(s, image && model, "out of memory");
    memcpy(image, p->image, p->bytes);
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        job.slots[i].size = p->job.slot[i].size;
        job.slots[i].bytes = image + (job.slots[i].size ? p->job.slot[i].address - p->base : 0);
    }
    uint8_t *program = job.slots[SLOT_PROGRAM].bytes, *wait = program + ISA_OPERATION_BYTES + 1;
    *wait = (uint8_t)((*wait & 0xC0) | token << 1 | 1);
    seal_operation(program, ISA_OPERATION_BYTES);
    go(s, api->write_memory(s->board, s->job[SECOND].slot[SLOT_PROGRAM].address, program,
                            job.slots[SLOT_PROGRAM].size));
    model_run(model, &job, &expected);
    run_both(s);
    is_right(s, FIRST);
    ends_with(s, SECOND, expected.code);
    must(s, s->result[SECOND].offset == expected.offset, "the place of the error");
    free(image);
    model_free(model);
    end(s);
}

/* Both jobs run a packed program that clears storage units often enough for the second one to be fetched long
 * before its header is looked at. The data behind it is fetched, too, and is not part of it. */
static void a_packed_program_waits(struct stage *s)
{
    enum { LOADS = 20, DATA = 2048, LENGTH = 4096 };
    const struct variant *v = &s->problem.variant;
    const uint8_t data[DATA] = {0};
    const uint64_t at = (s->place[SECOND] + s->problem.bytes) / APART * APART + APART;
    struct strbuf full = {0}, program = {0};
    struct writer w;
    if (!v->packed_programs)
        return;
    writer_begin(&w, v);
    w.minor = ISA_MINOR;
    for (unsigned i = 0; i < LOADS; i++)
        writer_op(&w, "load", SETTINGS{{"rows", 1}, {"zero", 1}, {"length", LENGTH}, {NULL, 0}});
    must(s, writer_finish(&w, 0, &full), "no program");
    must(s, isa_program_pack((const uint8_t *)full.text, full.len, &program), "the program is not packed");
    sb_addn(&program, (const char *)data, sizeof data);
    begin(s, "a packed program with data behind it", NULL);
    go(s, api->write_memory(s->board, at, program.text, program.len));
    for (unsigned j = 0; j < JOBS; j++) {
        s->job[j].slot[SLOT_PROGRAM].address = at;
        s->job[j].slot[SLOT_PROGRAM].size = program.len;
    }
    run_both(s);
    ends_with(s, FIRST, JOB_OK);
    ends_with(s, SECOND, JOB_OK);
    writer_free(&w);
    sb_free(&full);
    sb_free(&program);
    end(s);
}

/* ---- registers ------------------------------------------------------------------------------------- */

static uint32_t read_register(const struct stage *s, const char *name)
{
    uint32_t value;
    go(s, api->read_register(s->board, register_offset(name), &value));
    return value;
}

static void write_register(const struct stage *s, const char *name, uint32_t value)
{
    go(s, api->write_register(s->board, register_offset(name), value));
}

/* Until one of these events is pending; it is cleared. */
static void await(const struct stage *s, uint32_t event)
{
    write_register(s, "interrupt_mask", event);
    go(s, api->wait(s->board, PATIENCE, 0));
    must(s, read_register(s, "interrupt_status") & event, "another interrupt");
    write_register(s, "interrupt_status", event);
}

static void start(const struct stage *s, unsigned job)
{
    go(s, board_job_write(api, s->board, &s->job[job], NULL));
    write_register(s, "control", CONTROL_START);
}

static void start_both(const struct stage *s)
{
    write_register(s, "interrupt_enable", 1);
    write_register(s, "interrupt_mask", INTERRUPT_READY);
    start(s, FIRST);
    await(s, INTERRUPT_READY);
    write_register(s, "interrupt_mask", INTERRUPT_DONE | INTERRUPT_READY);
    start(s, SECOND);
}

/* The second one runs without it, and its end waits. */
static void nobody_acknowledges(struct stage *s)
{
    begin(s, "an end that is not acknowledged", NULL);
    start_both(s);
    await(s, INTERRUPT_DONE);
    must(s, api->wait(s->board, PATIENCE / 10, 0) == BOARD_TIMEOUT,
         "a second end before the first is acknowledged");
    write_register(s, "control", CONTROL_CONTINUE);
    await(s, INTERRUPT_DONE);
    go(s, board_job_result(api, s->board, &s->result[SECOND]));
    must(s, !(read_register(s, "control") & CONTROL_START), "nothing waits");
    s->result[FIRST] = s->result[SECOND];
    is_right(s, SECOND);
    is_right(s, FIRST); /* its bytes; the numbers are the same */
    end(s);
}

/* Both are gone, and the next one is right. */
static void a_soft_reset(struct stage *s, uint64_t moment)
{
    begin(s, "a soft reset", NULL);
    start_both(s);
    must(s, api->wait(s->board, moment, 0) != BOARD_FAILED, api->error(s->board));
    const bool over = read_register(s, "interrupt_status") & INTERRUPT_DONE;
    write_register(s, "reset", RESET_KEY);
    must(s, (read_register(s, "control") & (CONTROL_IDLE | CONTROL_START)) == CONTROL_IDLE, "not idle");
    if (!over)
        is_untouched(s, SECOND);
    write_images(s);
    write_register(s, "watchdog", WATCHDOG);
    run_both(s);
    is_right(s, FIRST);
    is_right(s, SECOND);
    end(s);
}

/* ---- all ------------------------------------------------------------------------------------------- */

/* The last store gives the last token, so that it is under way when the next job has begun to count. */
static void give_token(struct stage *s)
{
    struct problem *p = &s->problem;
    const uint64_t at = p->job.slot[SLOT_PROGRAM].address - p->base;
    uint64_t last = 0;
    for (uint64_t i = ISA_OPERATION_BYTES; i < p->job.slot[SLOT_PROGRAM].size; i += ISA_OPERATION_BYTES)
        if (p->image[at + i] == OP_STORE)
            last = i;
    must(s, last, "a program without a store");
    const uint32_t token = p->variant.tokens - 1;
    uint8_t *signal = p->image + at + last + SIGNAL_BYTE;
    must(s, !(*signal & SIGNAL), "the last store gives two tokens");
    *signal = (uint8_t)(*signal | SIGNAL | token << SIGNAL_TOKEN);
    seal_operation(p->image + at, last);
    memcpy(p->expected + at, p->image + at, p->job.slot[SLOT_PROGRAM].size);
}

static void make_problem(struct stage *s, char *seed)
{
    char *words[] = {"queue-test", "spmm", "--board", "model",  "--rows", "9",         "--k",
                     "40",         "--n",  "24",      "--seed", seed,     "--density", "0.5"};
    struct sim_options options;
    struct diag diag = {0};
    struct strbuf path = {0};
    struct variant variant;
    options_parse((int)(sizeof words / sizeof *words), words, &options, &diag);
    must(s, !diag_report(&diag, stderr), "options");
    sb_addf(&path, "%s/variant.yaml", s->folder);
    must(s, variant_load_file(sb_text(&path), NULL, 0, &variant, &diag), "the folder has no variant");
    sb_free(&path);
    must(s, variant.job_queue, "the variant has no queue of jobs");
    const char *why = problem_make(&options, &variant, NULL, &s->problem);
    if (why)
        stop(s, why);
    give_token(s);
}

int main(int argc, char **argv)
{
    char one[] = "1";
    struct stage s = {.folder = argc > 1 ? argv[1] : "", .what = "the problem"};
    make_problem(&s, argc > 2 ? argv[2] : one);
    a_failure_is_the_first_ones(&s);
    a_failure_is_the_second_ones(&s);
    the_array_is_empty(&s);
    results_are_operands(&s);
    for (unsigned token = 0; token < s.problem.variant.tokens; token++)
        tokens_are_its_own(&s, token);
    a_packed_program_waits(&s);
    nobody_acknowledges(&s);
    for (uint64_t moment = 1; moment < 2 * s.result[FIRST].cycles; moment += MOMENTS)
        a_soft_reset(&s, moment);
    problem_free(&s.problem);
    puts("queue-test: PASS");
    return EXIT_SUCCESS;
}

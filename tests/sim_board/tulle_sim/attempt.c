/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_board/tulle_sim/attempt.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/registers.h"
#include "host/devices/kinds.h"
#include "sim/board/jobs.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"
#include "sim/model/model.h"

#define MESSAGE_BYTES 1024
#define DIFFERENCES_SHOWN 4
#define STRIDE_ALIGNMENT 4096 /* between the images of jobs */

struct run {
    const struct sim_options *options;
    const struct problem *problem;
    const struct board_api *api;
    struct board *board;
    struct attempt *to;
    uint8_t *image;
    struct board_job *job; /* of each, as it was written */
    struct job_result *result;
    unsigned written, ended;
    uint64_t shift; /* of the job that is checked, to where the problem has it */
};

void attempt_free(struct attempt *a)
{
    sb_free(&a->why);
    sb_free(&a->events);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void list_settings(const struct sim_options *o, const struct window *w, struct setting_list *s)
{
    settings_add_number(s, "latency", o->latency);
    settings_add_number(s, "stalls", o->stalls);
    settings_add_number(s, "reorder", o->reorder);
    settings_add_number(s, "seed", o->seed);
    settings_add_number(s, "events", o->events);
    if (o->bandwidth)
        settings_add(s, "bandwidth", o->bandwidth);
    for (unsigned i = 0; i < o->faults; i++)
        settings_add(s, "fault", o->fault[i]);
    const struct window given = {.trace = o->trace, .from = o->from, .to = o->to, .until = UINT64_MAX};
    w = w ? w : &given;
    settings_add_number(s, "until", w->until);
    if (!w->trace)
        return;
    settings_add(s, "trace", w->trace);
    settings_add_number(s, "from", w->from);
    settings_add_number(s, "to", w->to);
}

static bool open_board(struct run *r, const struct window *window)
{
    struct setting_list settings = {0};
    char why[MESSAGE_BYTES];
    const char *place;
    r->api = board_find(board_kinds, r->options->board, &place);
    if (r->api == &board_sim)
        list_settings(r->options, window, &settings);
    else if (r->api == &board_model) /* of the same variant */
        place = r->options->variant ? r->options->variant : "base";
    r->board = r->api->open(place, settings.list, why, sizeof why);
    if (!r->board)
        sb_addf(&r->to->why, "%s: %s\n", r->options->board, why);
    settings_free(&settings);
    return r->board;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool wrong(struct run *r, const char *what)
{
    sb_addf(&r->to->why, "%s\n", what);
    return false;
}

/* False with the board's words when a call did not succeed. */
static bool done(struct run *r, enum board_status status, const char *what)
{
    if (status == BOARD_OK)
        return true;
    sb_addf(&r->to->why, "%s: %s\n", what, r->api->error(r->board));
    return false;
}

static bool read_named(struct run *r, const char *name, uint32_t *value)
{
    return done(r, r->api->read_register(r->board, register_offset(name), value), name);
}

static bool check_variant(struct run *r)
{
    uint32_t magic, low, high;
    const struct emit_context none = {.variant = &r->problem->variant};
    if (!read_named(r, "magic", &magic) || !read_named(r, "variant_low", &low) ||
        !read_named(r, "variant_high", &high))
        return false;
    if (magic == UINT32_MAX)
        return wrong(r, "registers read all ones: the device is gone");
    if (magic != register_reset(register_named("magic"), &none))
        return wrong(r, "registers do not show a Tulle device");
    if (((uint64_t)high << 32 | low) != model_variant_hash(&r->problem->variant))
        return wrong(r, "the device is of another variant than the plan");
    return true;
}

static uint64_t shift_of(const struct run *r, unsigned job)
{
    return job * (r->problem->bytes + STRIDE_ALIGNMENT - r->problem->bytes % STRIDE_ALIGNMENT);
}

static void place_job(struct run *r, unsigned number)
{
    struct board_job *job = &r->job[number];
    *job = r->problem->job;
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        job->slot[s].address += job->slot[s].size ? shift_of(r, number) : 0;
    job->number += number;
}

static const struct board_job *next_job(void *context)
{
    struct run *r = context;
    return r->written < r->options->jobs ? &r->job[r->written++] : NULL;
}

/* When the last byte of a slot left the device, which is a latency before memory answered. */
static uint64_t last_written(const struct run *r, const struct board_job *job, unsigned slot)
{
    const uint64_t first = job->slot[slot].address;
    uint64_t last = 0;
    for (uint64_t at = first; at < first + job->slot[slot].size; at++) {
        const uint64_t cycle = r->api->written(r->board, at);
        last = cycle > last ? cycle : last;
    }
    const uint64_t latency = (uint64_t)r->options->latency;
    return last > latency ? last - latency : 0;
}

static bool note_end(void *context, const struct job_result *result)
{
    struct run *r = context;
    const struct board_job *job = &r->job[r->ended];
    const bool followed = r->ended + 1 < r->written;
    r->result[r->ended++] = *result;
    if (!followed)
        return true;
    /* The last packets of a job may have no results. Those of the next one come behind the status record. */
    const uint64_t last = last_written(r, job, SLOT_OUTPUT),
                   next = r->api->packet_after(r->board, last_written(r, job, SLOT_STATUS));
    if (next && next - last > r->to->gap)
        r->to->gap = next - last;
    return true;
}

static bool run_in_turn(struct run *r)
{
    bool ok = true;
    for (; ok && r->ended < r->options->jobs; r->ended++)
        ok = done(r, board_job_run(r->api, r->board, &r->job[r->ended], &r->result[r->ended]), "the job");
    return ok;
}

static bool run_jobs(struct run *r)
{
    const struct problem *p = r->problem;
    const struct board_jobs jobs = {.next = next_job, .ended = note_end, .context = r};
    bool ok = check_variant(r);
    for (unsigned i = 0; ok && i < r->options->jobs; i++) {
        place_job(r, i);
        ok = done(r, r->api->write_memory(r->board, p->base + shift_of(r, i), p->image, p->bytes),
                  "writing device memory");
    }
    const uint64_t before = r->api->cycles(r->board);
    ok = ok && (p->variant.job_queue ? done(r, board_jobs_run(r->api, r->board, &jobs), "the jobs")
                                     : run_in_turn(r));
    r->to->all_cycles = r->api->cycles(r->board) - before;
    r->to->result = r->result[0];
    r->to->last = r->result[r->options->jobs - 1];
    for (unsigned i = 0; i < r->ended; i++)
        r->to->sum_cycles += r->result[i].cycles;
    return ok;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* The earliest cycle in which the device wrote something that is wrong. */
static void note_wrong(struct run *r, uint64_t at)
{
    uint64_t cycle = r->api->written(r->board, r->problem->base + r->shift + at);
    if (cycle && cycle < r->to->wrong)
        r->to->wrong = cycle;
}

static bool check_bytes(struct run *r)
{
    const struct problem *p = r->problem;
    uint64_t differences = 0;
    for (uint64_t i = 0; i < p->bytes; i++) {
        if (r->image[i] == p->expected[i] || problem_is_status(p, i))
            continue;
        note_wrong(r, i);
        if (differences++ >= DIFFERENCES_SHOWN)
            continue;
        sb_add(&r->to->why, "memory: ");
        problem_place(p, i, &r->to->why);
        sb_addf(&r->to->why, " is 0x%02x, the model gives 0x%02x%s\n", r->image[i], p->expected[i],
                r->api->written(r->board, p->base + r->shift + i) ? "" : "; its line was never written");
    }
    if (differences)
        sb_addf(&r->to->why, "memory: %llu bytes differ\n", (unsigned long long)differences);
    return !differences;
}

/* What the registers and the record say of the job must be what the model says, but for what time decides. */
static bool check_result(struct run *r, const char *source, const struct job_result *got)
{
    bool ok = true;
    if (got->code != r->problem->model.code)
        sb_addf(&r->to->why, "%s: the job ended with %s at 0x%llx of the program\n", source,
                job_code_name(got->code), (unsigned long long)got->offset);
    for (const struct result_field *f = job_result_fields; f->name; f++) {
        uint64_t value = f->get(got), wanted = f->get(&r->problem->model);
        if (f->timed || value == wanted)
            continue;
        sb_addf(&r->to->why, "%s: %s is %llu, the model gives %llu\n", source, f->name,
                (unsigned long long)value, (unsigned long long)wanted);
        ok = false;
    }
    return ok;
}

static bool same_times(struct run *r, const struct job_result *registers, const struct job_result *record)
{
    bool ok = true;
    /* The count of cycles goes on while the record is written. */
    for (const struct result_field *f = job_result_fields; f->name; f++) {
        uint64_t in_record = f->get(record), in_register = f->get(registers);
        bool later = !strcmp(f->name, "cycles") && in_record && in_record < in_register;
        if (f->timed && in_record != in_register && !later) {
            sb_addf(&r->to->why, "status record: %s is %llu, the registers say %llu\n", f->name,
                    (unsigned long long)in_record, (unsigned long long)in_register);
            ok = false;
        }
    }
    return ok;
}

static bool check_record(struct run *r, unsigned job)
{
    const struct problem *p = r->problem;
    const uint64_t at = p->job.slot[SLOT_STATUS].address - p->base;
    struct job_result record;
    struct strbuf why = {0};
    uint32_t number = 0;
    bool ok = job_read_status(r->image + at, &record, &number, &why);
    if (!ok)
        sb_addf(&r->to->why, "status record: %s\n", sb_text(&why));
    else if (number != r->job[job].number)
        ok = wrong(r, "status record: not this job's number");
    else
        ok = check_result(r, "status record", &record) &&
             (!p->variant.counters || same_times(r, &r->result[job], &record));
    sb_free(&why);
    if (!ok)
        note_wrong(r, at);
    return ok;
}

static bool check(struct run *r, unsigned job)
{
    const struct problem *p = r->problem;
    struct strbuf why = {0};
    r->shift = shift_of(r, job);
    if (!done(r, r->api->read_memory(r->board, p->base + r->shift, r->image, p->bytes),
              "reading device memory"))
        return false;
    bool plain = problem_check_plainly(p, r->image, &why);
    if (!plain)
        wrong(r, sb_text(&why));
    sb_free(&why);
    bool bytes = check_bytes(r), record = check_record(r, job);
    bool registers = !p->variant.counters || check_result(r, "registers", &r->result[job]);
    if (!(plain && bytes && record && registers) && r->options->jobs > 1)
        sb_addf(&r->to->why, "that was job %u of %u\n", job + 1, (unsigned)r->options->jobs);
    return plain && bytes && record && registers;
}

static bool check_all(struct run *r)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < r->options->jobs; i++)
        ok = check(r, i);
    return ok;
}

void attempt_run(const struct sim_options *o, const struct problem *p, const struct window *window,
                 struct attempt *a)
{
    assert(o->jobs > 0);
    uint8_t *image = malloc(p->bytes);
    struct board_job *job = calloc((size_t)o->jobs, sizeof *job);
    struct job_result *result = calloc((size_t)o->jobs, sizeof *result);
    struct run r = {.options = o, .problem = p, .to = a, .image = image, .job = job, .result = result};
    *a = (struct attempt){.wrong = UINT64_MAX};
    const bool memory = image && job && result;
    if (!memory)
        wrong(&r, "out of memory");
    a->opened = memory && open_board(&r, window);
    if (a->opened) {
        a->ended = run_jobs(&r);
        a->board_cycles = r.api->cycles(r.board);
        r.api->traffic(r.board, &a->read, &a->written);
        a->agrees = a->ended && check_all(&r);
        sb_add(&a->events, r.api->events(r.board));
        r.api->close(r.board);
    }
    if (a->wrong == UINT64_MAX)
        a->wrong = a->board_cycles;
    free(image);
    free(job);
    free(result);
}

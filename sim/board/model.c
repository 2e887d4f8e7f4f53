/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional model as a board: the registers of docs/registers.md, device
 * memory, and a job that is done in the very write that starts it. It has no
 * clock: cycles, stalls and moved work are 0, and a wait for an interrupt that
 * is not there times out at once. With the setting timed=1 jobs run on the cycle
 * model, which counts them, with a memory of the setting bandwidth. Place: a variant, as for tulle-gen; "" is
 * base.
 *
 * A buffer that is not in memory ends a job with read_decode_error of the
 * command processor, whether or not the program would touch it.
 *
 * For who drives boards it can fail: after so many calls, until it is opened
 * again.
 */
#include "sim/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/registers.h"
#include "sim/board/board.h"
#include "sim/board/common.h"
#include "sim/board/memory.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"
#include "sim/cycle/cycle.h"
#include "sim/model/array.h"

#define WORDS (ISA_REGISTER_SPACE / 4)
#define SETS_MAX 64

enum fault_kind {
    FAULT_NONE,
    FAULT_ONES,  /* everything reads all ones, and nothing is written */
    FAULT_HANG,  /* a job does not end; a reset ends it */
    FAULT_STUCK, /* nothing ends it */
    FAULT_GONE   /* every call fails */
};

struct fault {
    enum fault_kind kind;
    uint64_t after; /* calls */
};

struct board {
    struct fault fault;
    uint64_t calls;
    bool busy; /* with a job that does not end */
    struct variant variant;
    uint64_t hash; /* of the variant */
    struct model *model;
    struct array *array; /* of the cycle model, when it is timed and storage units keep weights over jobs */
    bool timed;
    unsigned beats, cycles; /* of memory, when it is timed */
    struct memory memory;
    uint32_t argument[WORDS]; /* what the host wrote and reads again; only registers with read, write */
    bool start, done, ready, enable;
    bool late; /* with a queue of jobs: the end of the last job waits until that of the one before is
                  acknowledged */
    uint32_t mask, pending;
    struct job_result last;
    struct cycle_behind behind; /* what the last job leaves to one that waits, when it is timed */
    struct strbuf error;
};

struct model_settings {
    uint64_t memory, timed;
    unsigned beats, cycles;
    const char *sets[SETS_MAX];
    size_t count;
    struct fault fault;
};

/* ---- opening --------------------------------------------------------------------------------- */

static bool take_set(void *context, const char *value)
{
    struct model_settings *s = context;
    if (s->count == SETS_MAX)
        return false;
    s->sets[s->count++] = value;
    return true;
}

static bool take_bandwidth(void *context, const char *value)
{
    struct model_settings *s = context;
    return settings_bandwidth(value, &s->beats, &s->cycles);
}

/* KIND:CALLS */
static bool take_fault(void *context, const char *value)
{
    static const char *const names[] = {
        [FAULT_ONES] = "ones:", [FAULT_HANG] = "hang:", [FAULT_STUCK] = "stuck:", [FAULT_GONE] = "gone:"};
    struct model_settings *s = context;
    for (enum fault_kind kind = FAULT_ONES; kind <= FAULT_GONE; kind++) {
        s->fault.kind = kind;
        if (!strncmp(value, names[kind], strlen(names[kind])))
            return settings_number(value + strlen(names[kind]), &s->fault.after);
    }
    return false;
}

static bool load_variant(struct board *b, const char *place, const struct model_settings *s,
                         struct strbuf *why)
{
    struct diag diag = {0};
    bool ok = variant_load(*place ? place : "base", s->sets, s->count, &b->variant, &diag);
    if (!ok)
        sb_add(why, sb_text(&diag.text));
    b->hash = ok ? model_variant_hash(&b->variant) : 0;
    diag_free(&diag);
    return ok;
}

static void close_board(struct board *b)
{
    if (!b)
        return;
    model_free(b->model);
    array_free(b->array);
    memory_close(&b->memory);
    sb_free(&b->error);
    free(b);
}

static bool furnish(struct board *b, const char *place, const char *const *settings, struct strbuf *why)
{
    struct model_settings s = {.memory = MEMORY_BYTES_DEFAULT, .beats = 1, .cycles = 1};
    const struct setting_spec specs[] = {
        {.name = "memory", .number = &s.memory, .min = MEMORY_BYTES_MIN, .max = MEMORY_BYTES_MAX},
        {.name = "timed", .number = &s.timed, .max = 1},
        {.name = "bandwidth", .take = take_bandwidth, .form = SETTINGS_BANDWIDTH},
        {.name = "set", .take = take_set, .form = "KEY=VALUE of the variant, 64 at most"},
        {.name = "fault", .take = take_fault, .form = "ones|hang|stuck|gone:CALLS"},
        {.name = NULL}};
    if (!settings_read(settings, specs, &s, why) || !load_variant(b, place, &s, why))
        return false;
    if (s.beats < s.cycles && !s.timed) {
        sb_add(why, "bandwidth: the functional model has no clock; give timed=1 as well");
        return false;
    }
    s.memory -= s.memory % MEMORY_BYTES_MIN;
    if (!memory_open(&b->memory, s.memory)) {
        sb_add(why, "the system gives no address range of that size: set memory to less");
        return false;
    }
    b->fault = s.fault;
    b->timed = s.timed;
    b->beats = s.beats;
    b->cycles = s.cycles;
    b->model = model_new(&b->variant);
    const bool keeps = b->timed && b->variant.kept_weights;
    if (keeps)
        b->array = array_new(&b->variant);
    if (b->model)
        model_promise(b->model);
    if (b->model && (b->array || !keeps))
        return true;
    sb_add(why, "out of memory");
    return false;
}

static struct board *open_board(const char *place, const char *const *settings, char *why, size_t room)
{
    struct strbuf reason = {0};
    struct board *b = calloc(1, sizeof *b);
    bool ok = b && furnish(b, place, settings, &reason);
    if (!b)
        sb_add(&reason, "out of memory");
    settings_message(&reason, why, room);
    sb_free(&reason);
    if (ok)
        return b;
    close_board(b);
    return NULL;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static uint64_t argument64(const struct board *b, uint32_t offset)
{
    return (uint64_t)b->argument[offset / 4 + 1] << 32 | b->argument[offset / 4];
}

/* On the cycle model; false: out of memory. */
static bool run_timed(struct board *b, const struct job *job)
{
    struct cycle_options options = cycle_defaults(&b->variant);
    options.behind = b->done && b->behind.hand ? &b->behind : NULL;
    options.array = b->array;
    options.beats = b->beats;
    options.bandwidth_cycles = b->cycles;
    struct cycle_report report;
    if (!cycle_run(&b->variant, &options, job, &report))
        return false;
    model_changed_by(b->model, job);
    b->last = report.result;
    b->behind = report.behind;
    cycle_report_free(&report);
    return true;
}

static void run_job(struct board *b)
{
    struct job job = {.number = b->argument[register_offset("job") / 4]};
    bool inside = true;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        uint64_t address = argument64(b, register_slot_address(s)),
                 size = argument64(b, register_slot_size(s));
        inside = inside && (!size || memory_holds(&b->memory, address, size));
        job.slots[s].bytes = inside ? b->memory.bytes + address : NULL;
        job.slots[s].size = size;
    }
    if (inside && !(b->timed && run_timed(b, &job)))
        model_run(b->model, &job, &b->last);
    else if (!inside)
        b->last = (struct job_result){.code = JOB_READ_DECODE_ERROR, .queue = QUEUE_COMMAND};
}

/* The next job may be written when this one has begun, in variants with a queue of jobs; otherwise when it is
 * done. */
static void end_job(struct board *b)
{
    b->done = true;
    b->pending |= b->mask & INTERRUPT_DONE;
}

static void begin_job(struct board *b)
{
    run_job(b);
    b->ready = true;
    b->pending |= b->mask & INTERRUPT_READY;
    b->late = b->done;
    if (!b->late)
        end_job(b);
}

static bool faulty(const struct board *b, enum fault_kind kind)
{
    return b->fault.kind == kind && b->calls > b->fault.after;
}

/* A job that waits begins when the end of the last one was acknowledged, or at once when there is a queue of
 * jobs. */
static void start_when_possible(struct board *b)
{
    if (b->late && !b->done) {
        b->late = false;
        end_job(b);
    }
    if (!b->start || b->busy || b->late || (b->done && !b->variant.job_queue))
        return;
    b->start = false;
    b->busy = faulty(b, FAULT_HANG) || faulty(b, FAULT_STUCK);
    if (!b->busy)
        begin_job(b);
}

/* ---- registers ------------------------------------------------------------------------------- */

static enum board_status begin_call(struct board *b)
{
    sb_free(&b->error);
    b->calls++;
    if (!faulty(b, FAULT_GONE))
        return BOARD_OK;
    sb_add(&b->error, "the board does not answer: it was asked to fail");
    return BOARD_FAILED;
}

static void soft_reset(struct board *b)
{
    b->start = b->done = b->ready = b->enable = b->late = false;
    b->busy = b->busy && faulty(b, FAULT_STUCK);
    b->mask = b->pending = 0;
    b->argument[register_offset("watchdog") / 4] = 0;
    b->last = (struct job_result){0};
    model_forget(b->model);
    if (b->array)
        array_leave(b->array, 0);
}

static void write_control(struct board *b, uint32_t value)
{
    b->start = b->start || (value & CONTROL_START);
    if (value & CONTROL_CONTINUE)
        b->done = false;
    start_when_possible(b);
}

static enum board_status write_register(struct board *b, uint32_t offset, uint32_t value)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (offset >= ISA_REGISTER_SPACE || offset % 4)
        return board_refuse(&b->error, "no register has this offset", offset);
    if (faulty(b, FAULT_ONES))
        return BOARD_OK;
    const struct isa_register *r = register_at(offset);
    if (offset == register_offset("control"))
        write_control(b, value);
    else if (offset == register_offset("interrupt_enable"))
        b->enable = value & 1;
    else if (offset == register_offset("interrupt_mask"))
        b->mask = value & (INTERRUPT_DONE | INTERRUPT_READY);
    else if (offset == register_offset("interrupt_status"))
        b->pending &= ~value;
    else if (offset == register_offset("reset") && value == RESET_KEY)
        soft_reset(b);
    else if (r && r->access == ISA_READ_WRITE)
        b->argument[offset / 4] = value;
    return BOARD_OK;
}

static uint32_t read_control(struct board *b)
{
    uint32_t value = (b->busy || b->late ? 0 : CONTROL_IDLE) | (b->start ? CONTROL_START : 0) |
                     (b->done ? CONTROL_DONE : 0) | (b->ready ? CONTROL_READY : 0);
    b->done = b->ready = false;
    start_when_possible(b);
    return value;
}

/* Identification, as the hardware is made with. */
static uint32_t identification(const struct board *b, const struct isa_register *r)
{
    const struct emit_context context = {.variant = &b->variant, .hash = b->hash};
    return r ? register_reset(r, &context) : 0;
}

/* A counter's word, or 0. */
/* Whether the register is a word of a counter; without counters all are 0. */
static bool counter(const struct board *b, uint32_t offset, uint32_t *value)
{
    const struct job_result *r = &b->last;
    const uint64_t counters[] = {r->cycles,        r->effective_macs, r->scanned,     r->pe_busy,
                                 r->bytes_read,    r->bytes_written,  r->bus_beats,   r->stall_load,
                                 r->stall_weights, r->stall_output,   r->stall_store, r->moved};
    const uint32_t first = register_offset("cycles_low"), word = (offset - first) / 4;
    if (offset < first || word >= 2 * sizeof counters / sizeof *counters)
        return false;
    *value = b->variant.counters ? (uint32_t)(counters[word / 2] >> (word % 2 ? 32 : 0)) : 0;
    return true;
}

static enum board_status read_register(struct board *b, uint32_t offset, uint32_t *value)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (offset >= ISA_REGISTER_SPACE || offset % 4)
        return board_refuse(&b->error, "no register has this offset", offset);
    const struct isa_register *r = register_at(offset);
    if (faulty(b, FAULT_ONES))
        *value = UINT32_MAX;
    else if (offset == register_offset("control"))
        *value = read_control(b);
    else if (offset == register_offset("interrupt_enable"))
        *value = b->enable;
    else if (offset == register_offset("interrupt_mask"))
        *value = b->mask;
    else if (offset == register_offset("interrupt_status"))
        *value = b->pending;
    else if (offset == register_offset("status"))
        *value = (uint32_t)b->last.code | (uint32_t)b->last.queue << 16;
    else if (offset == register_offset("error_place"))
        *value = b->last.row | b->last.cluster << 8 | b->last.pe << 16;
    else if (offset == register_offset("error_offset"))
        *value = (uint32_t)b->last.offset;
    else if (r && r->access == ISA_READ_WRITE)
        *value = b->argument[offset / 4];
    else if (!counter(b, offset, value))
        *value = identification(b, r);
    return BOARD_OK;
}

/* ---- memory and waiting ----------------------------------------------------------------------- */

static enum board_status read_memory(struct board *b, uint64_t address, void *to, size_t bytes)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (!memory_holds(&b->memory, address, bytes))
        return board_refuse(&b->error, "not all of it is in memory", address);
    if (faulty(b, FAULT_ONES))
        memset(to, 0xFF, bytes);
    else
        memcpy(to, b->memory.bytes + address, bytes);
    return BOARD_OK;
}

static enum board_status write_memory(struct board *b, uint64_t address, const void *from, size_t bytes)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (!memory_holds(&b->memory, address, bytes))
        return board_refuse(&b->error, "not all of it is in memory", address);
    if (faulty(b, FAULT_ONES))
        return BOARD_OK;
    memcpy(b->memory.bytes + address, from, bytes);
    model_changed(b->model, b->memory.bytes + address, bytes);
    return BOARD_OK;
}

static enum board_status wait_for_interrupt(struct board *b, uint64_t cycles, uint64_t nanoseconds)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (!cycles && !nanoseconds)
        return board_refuse(&b->error, "a wait needs a bound", 0);
    if (b->enable && b->pending && !faulty(b, FAULT_ONES))
        return BOARD_OK;
    sb_add(&b->error, "no interrupt, and nothing is running that could raise it");
    return BOARD_TIMEOUT;
}

static const char *last_error(const struct board *b)
{
    return sb_text(&b->error);
}

const struct board_api board_model = {.size = sizeof board_model,
                                      .version = BOARD_API_VERSION,
                                      .kind = "model",
                                      .open = open_board,
                                      .close = close_board,
                                      .read_register = read_register,
                                      .write_register = write_register,
                                      .read_memory = read_memory,
                                      .write_memory = write_memory,
                                      .wait = wait_for_interrupt,
                                      .cycles = board_no_cycles,
                                      .written = board_not_written,
                                      .error = last_error,
                                      .events = board_no_events,
                                      .traffic = board_no_traffic,
                                      .packet_after = board_no_packet};

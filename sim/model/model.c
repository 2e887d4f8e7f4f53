/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "gen/isa/codec.h"
#include "sim/model/array.h"
#include "sim/model/program_store.h"

enum { Q_LOAD, Q_DISTRIBUTE, Q_STORE, Q_ACCUMULATE, QUEUES };
#define QUEUE_DEPTH_MAX 32 /* 16, and loads that their engine has taken */
#define TOKEN_MAX 15

struct queue {
    struct operation op[QUEUE_DEPTH_MAX];
    unsigned first, count;
};

struct model {
    struct variant variant;
    uint64_t hash;
    struct array *array;
    const struct model_engine *engine; /* NULL: the array */
    struct program program;
    struct program_store programs;
    struct queue queues[QUEUES];
    bool promised; /* changes of memory are told */
};

uint64_t model_variant_hash(const struct variant *variant)
{
    struct strbuf version = {0};
    sb_addf(&version, "%d.%d", ISA_MAJOR, ISA_MINOR);
    uint64_t hash = variant_hash(variant, sb_text(&version));
    sb_free(&version);
    return hash;
}

struct model *model_new(const struct variant *variant)
{
    struct model *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->variant = *variant;
    m->hash = model_variant_hash(variant);
    m->array = array_new(variant);
    if (m->array)
        return m;
    free(m);
    return NULL;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    array_free(m->array);
    program_store_free(&m->programs);
    free(m);
}

static unsigned queue_of(const struct operation *op)
{
    switch (op->code) {
    case OP_LOAD:
        return Q_LOAD;
    case OP_DISTRIBUTE:
        return Q_DISTRIBUTE;
    case OP_STORE:
        return Q_STORE;
    default:
        return Q_ACCUMULATE;
    }
}

static bool all_empty(const struct model *m)
{
    for (unsigned q = 0; q < QUEUES; q++)
        if (m->queues[q].count)
            return false;
    return true;
}

static bool tokens_there(const struct model *m, const struct operation *op)
{
    uint8_t need[ISA_TOKENS + 1] = {0};
    need[op->wait[0]]++;
    need[op->wait[1]]++;
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN && m->program.tokens[op->wait[i]] < need[op->wait[i]])
            return false;
    return true;
}

static void tokens_take(struct model *m, const struct operation *op)
{
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN)
            m->program.tokens[op->wait[i]]--;
}

static enum job_code tokens_give(struct model *m, const struct operation *op, struct job_result *result)
{
    for (unsigned i = 0; i < 2; i++) {
        if (op->signal[i] == NO_TOKEN)
            continue;
        if (m->program.tokens[op->signal[i]] == TOKEN_MAX) {
            result->code = JOB_TOKEN_OVERFLOW;
            result->queue = QUEUE_COMMAND;
            result->offset = op->place;
            return result->code;
        }
        m->program.tokens[op->signal[i]]++;
    }
    return JOB_OK;
}

static enum job_code execute(struct model *m, const struct operation *op, const struct job *job,
                             struct job_result *result)
{
    if (m->engine)
        return m->engine->execute(m->engine->context, op, result);
    switch (op->code) {
    case OP_LOAD:
        return array_load(m->array, op, job, result);
    case OP_DISTRIBUTE:
        return array_distribute(m->array, op, NULL, result);
    case OP_STORE:
        return array_store(m->array, op, job, result);
    default:
        return array_accumulate(m->array, op, job, result);
    }
}

static bool store_ready(const struct model *m, const struct operation *op, const struct job *job)
{
    return m->engine ? m->engine->store_ready(m->engine->context, op) : array_store_ready(m->array, op, job);
}

/* Executes whatever is at the head of a queue and can start. */
static enum job_code run_queues(struct model *m, const struct job *job, struct job_result *result,
                                bool *progress)
{
    for (unsigned q = 0; q < QUEUES; q++) {
        struct queue *queue = &m->queues[q];
        while (queue->count) {
            struct operation *op = &queue->op[queue->first];
            if (!tokens_there(m, op) || (q == Q_STORE && !store_ready(m, op, job)))
                break;
            tokens_take(m, op);
            enum job_code code = execute(m, op, job, result);
            if (!code)
                code = tokens_give(m, op, result);
            if (code)
                return code;
            queue->first = (queue->first + 1) % QUEUE_DEPTH_MAX;
            queue->count--;
            *progress = true;
        }
    }
    return JOB_OK;
}

static void report_deadlock(const struct model *m, struct job_result *result)
{
    result->code = JOB_DEADLOCK;
    result->queue = QUEUE_COMMAND;
    result->offset = UINT64_MAX;
    for (unsigned q = 0; q < QUEUES; q++) {
        const struct queue *queue = &m->queues[q];
        if (queue->count && queue->op[queue->first].place < result->offset)
            result->offset = queue->op[queue->first].place;
    }
}

/* Hands `op` to its queue; false when there is no room, or a fence or the end must wait. */
static bool hand_out(struct model *m, const struct operation *op)
{
    if (op->code == OP_FENCE || op->code == OP_END)
        return all_empty(m);
    struct queue *queue = &m->queues[queue_of(op)];
    if (queue->count == m->variant.command_queue_depth)
        return false;
    queue->op[(queue->first + queue->count++) % QUEUE_DEPTH_MAX] = *op;
    return true;
}

/* The next operation, unless the job has had its share. */
static bool next_operation(struct model *m, uint64_t *left, struct operation *op, struct job_result *result)
{
    if (!*left) {
        result->code = JOB_WATCHDOG;
        result->queue = QUEUE_COMMAND;
        result->offset = (uint64_t)m->program.next * ISA_OPERATION_BYTES;
        return false;
    }
    --*left;
    return program_next(&m->program, op, result) == JOB_OK;
}

static void run_program(struct model *m, const struct job *job, struct job_result *result)
{
    uint64_t left = job->max_operations ? job->max_operations : UINT64_C(1) << 32;
    struct operation op;
    bool pending = false, progress = true;
    while (progress) {
        if (!pending && !next_operation(m, &left, &op, result))
            return;
        pending = !hand_out(m, &op);
        progress = !pending;
        if (progress && op.code == OP_END)
            return;
        if (progress && op.code == OP_FENCE && m->engine && m->engine->fence &&
            m->engine->fence(m->engine->context, result))
            return;
        if (run_queues(m, job, result, &progress))
            return;
    }
    report_deadlock(m, result);
}

void model_walk(const struct variant *variant, const struct job *job, const struct model_engine *engine,
                struct job_result *result)
{
    struct model m = {.variant = *variant, .hash = model_variant_hash(variant), .engine = engine};
    *result = (struct job_result){0};
    if (program_open(&m.program, &m.variant, m.hash, job->slots[SLOT_PROGRAM].bytes,
                     job->slots[SLOT_PROGRAM].size, result))
        return;
    if (m.program.expects)
        *result = (struct job_result){.code = JOB_STALE_WEIGHTS, .queue = QUEUE_COMMAND};
    else
        run_program(&m, job, result);
}

/* ---- by chance ------------------------------------------------------------------------------- */

/* A program in an order that its tokens allow. */
struct order {
    struct model *m;
    const struct job *job;
    struct random random;
    unsigned slow; /* the queue, or QUEUES for handing out, that waits for the others most of the time */
    uint64_t left;
    struct operation op; /* the next one, when it is not handed out yet */
    bool pending, over;  /* over: there is none, for the reason in `late` */
    struct job_result late;
};

static unsigned one_of(struct order *o, unsigned count)
{
    return (unsigned)random_below(&o->random, count);
}

/* Engines are not equally fast: a race that many operations of one queue decide is rare in orders where all
 * are. */
static unsigned next_of(struct order *o, const unsigned *possible, unsigned count)
{
    const unsigned i = one_of(o, count);
    const bool waits = possible[i] == o->slow && count > 1 && one_of(o, 10);
    return possible[waits ? (i + 1 + one_of(o, count - 1)) % count : i];
}

static bool can_hand_out(const struct order *o)
{
    if (!o->pending)
        return false;
    if (o->op.code == OP_FENCE || o->op.code == OP_END)
        return all_empty(o->m);
    /* What engines have taken and not finished has left its queue. */
    static const unsigned taken[QUEUES] = {[Q_LOAD] = 16, [Q_DISTRIBUTE] = 1, [Q_STORE] = 1};
    unsigned q = queue_of(&o->op);
    return o->m->queues[q].count < o->m->variant.command_queue_depth + taken[q];
}

static bool reaches_outside(const struct order *o, const struct operation *op)
{
    bool memory = op->code == OP_STORE || (op->code == OP_LOAD && !op->zero) ||
                  (op->code == OP_ACCUMULATE && op->source);
    return memory && !program_pattern_fits(&op->memory, o->job->slots[op->memory.slot].size);
}

/* What reaches outside its slot is left, as by the device, until nothing else can go on. */
static bool can_start(const struct order *o, unsigned q, bool outside)
{
    const struct queue *queue = &o->m->queues[q];
    const struct operation *op = &queue->op[queue->first];
    return queue->count && tokens_there(o->m, op) && reaches_outside(o, op) == outside &&
           (q != Q_STORE || array_store_ready(o->m->array, op, o->job));
}

static unsigned what_can_start(const struct order *o, unsigned possible[QUEUES + 1], bool outside)
{
    unsigned count = 0;
    for (unsigned q = 0; q < QUEUES; q++)
        if (can_start(o, q, outside))
            possible[count++] = q;
    if (!outside && can_hand_out(o))
        possible[count++] = QUEUES;
    return count;
}

/* What is wrong with a record is said when nothing before it can go on. */
static void look_ahead(struct order *o)
{
    if (o->pending || o->over)
        return;
    o->pending = next_operation(o->m, &o->left, &o->op, &o->late);
    o->over = !o->pending;
}

static void put_into_queue(struct order *o)
{
    o->pending = false;
    if (o->op.code == OP_FENCE)
        return;
    struct queue *queue = &o->m->queues[queue_of(&o->op)];
    queue->op[(queue->first + queue->count++) % QUEUE_DEPTH_MAX] = o->op;
}

static enum job_code start_head(struct order *o, unsigned q, struct job_result *result)
{
    struct queue *queue = &o->m->queues[q];
    struct operation *op = &queue->op[queue->first];
    tokens_take(o->m, op);
    enum job_code code = execute(o->m, op, o->job, result);
    if (!code)
        code = tokens_give(o->m, op, result);
    queue->first = (queue->first + 1) % QUEUE_DEPTH_MAX;
    queue->count--;
    return code;
}

static void run_in_any_order(struct order *o, struct job_result *result)
{
    for (;;) {
        unsigned possible[QUEUES + 1], count;
        look_ahead(o);
        count = what_can_start(o, possible, false);
        if (!count)
            count = what_can_start(o, possible, true);
        if (!count)
            break;
        unsigned q = next_of(o, possible, count);
        if (q == QUEUES && o->op.code == OP_END)
            return;
        if (q == QUEUES)
            put_into_queue(o);
        else if (start_head(o, q, result))
            return;
    }
    if (o->over) {
        result->code = o->late.code;
        result->queue = o->late.queue;
        result->offset = o->late.offset;
    } else
        report_deadlock(o->m, result);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

void model_promise(struct model *m)
{
    m->promised = true;
}

void model_forget(struct model *m)
{
    array_leave(m->array, 0);
}

void model_changed(struct model *m, const uint8_t *begin, uint64_t bytes)
{
    array_changed(m->array, begin, bytes);
}

void model_changed_by(struct model *m, const struct job *job)
{
    static const unsigned written[] = {SLOT_OUTPUT, SLOT_SCRATCH, SLOT_STATUS};
    for (unsigned i = 0; i < sizeof written / sizeof *written; i++)
        model_changed(m, job->slots[written[i]].bytes, job->slots[written[i]].size);
}

void model_run_by_chance(struct model *m, const struct job *asked, uint64_t seed, struct job_result *result)
{
    const struct job with_bank = array_with_bank(m->array, asked), *job = &with_bank;
    *result = (struct job_result){0};
    memset(m->queues, 0, sizeof m->queues);
    const bool opened = !program_open(&m->program, &m->variant, m->hash, job->slots[SLOT_PROGRAM].bytes,
                                      job->slots[SLOT_PROGRAM].size, result);
    const bool begins = !array_open(m->array, opened ? m->program.expects : 0, result) && opened;
    if (m->promised)
        array_begin(m->array, job);
    if (seed)
        array_fill(m->array, seed);
    if (begins) {
        struct order order = {.m = m,
                              .job = job,
                              .random = {seed},
                              .slow = seed % 2 ? (unsigned)(seed / 2 % (QUEUES + 1)) : QUEUES + 1,
                              .left = job->max_operations ? job->max_operations : UINT64_C(1) << 32};
        program_store_get(&m->programs, &m->program);
        result->bytes_read = m->program.lines * ISA_OPERATION_BYTES;
        if (seed)
            run_in_any_order(&order, result);
        else
            run_program(m, job, result);
        array_leave(m->array, result->code ? 0 : m->program.leaves);
    }
    result->bytes_written += ISA_STATUS_BYTES;
    array_counters(m->array, result);
    if (job->slots[SLOT_STATUS].size >= ISA_STATUS_BYTES)
        job_write_status(result, job->number, job->slots[SLOT_STATUS].bytes);
    model_changed_by(m, job);
}

void model_run(struct model *m, const struct job *job, struct job_result *result)
{
    model_run_by_chance(m, job, 0, result);
}

size_t model_results_left(const struct model *m)
{
    return array_results_left(m->array);
}

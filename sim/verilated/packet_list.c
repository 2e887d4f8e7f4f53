/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/verilated/packet_list.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "sim/model/model.h"
#include "sim/model/plain_packet.h"
#include "sim/numerics/numerics.h"

/* Room for one more item of an array that grows. */
static bool make_room(void **items, size_t size, size_t count, size_t *room)
{
    if (count < *room)
        return true;
    size_t larger = *room ? 2 * *room : 64;
    void *grown = realloc(*items, larger * size);
    if (!grown)
        return false;
    *items = grown;
    *room = larger;
    return true;
}

/* ---- lists ----------------------------------------------------------------------------------- */

void packet_list_free(struct packet_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((uint8_t *)list->packet[i].data);
    free(list->packet);
    *list = (struct packet_list){0};
}

bool packet_list_add(struct packet_list *list, const struct row_packet *packet, size_t beat)
{
    struct row_packet copy = *packet;
    copy.bytes = math_round_up(packet->bytes, beat);
    uint8_t *data = calloc(copy.bytes + 1, 1);
    void *items = list->packet;
    if (!data || !make_room(&items, sizeof *list->packet, list->count, &list->room)) {
        free(data);
        return false;
    }
    if (packet->bytes)
        memcpy(data, packet->data, packet->bytes);
    copy.data = data;
    list->packet = items;
    list->packet[list->count++] = copy;
    return true;
}

bool cluster_results_add(struct cluster_results *r, const int64_t *values, size_t count)
{
    while (r->count + count > r->room) {
        void *items = r->value;
        if (!make_room(&items, sizeof *r->value, r->room, &r->room))
            return false;
        r->value = items;
    }
    memcpy(r->value + r->count, values, count * sizeof *values);
    r->count += count;
    return true;
}

/* ---- walking a program ----------------------------------------------------------------------- */

enum { Q_LOAD, Q_DISTRIBUTE, Q_STORE, Q_ACCUMULATE, QUEUES };
#define QUEUE_DEPTH_MAX 16

struct walk {
    struct row_program *to;
    const struct variant *variant;
    const struct job *job;
    struct program program;
    uint8_t *units; /* n x unit_bytes */
    struct operation queue[QUEUES][QUEUE_DEPTH_MAX];
    unsigned count[QUEUES];
    const char *failed;
};

static uint8_t *unit_byte(const struct walk *w, unsigned row, int64_t address)
{
    uint64_t at = (uint64_t)address & (w->variant->unit_bytes - 1);
    return w->units + (size_t)row * w->variant->unit_bytes + at;
}

static void load(struct walk *w, const struct operation *op)
{
    const struct pattern *p = &op->memory;
    if (!op->zero && !program_pattern_fits(p, w->job->slots[p->slot].size)) {
        w->failed = "a load leaves its slot";
        return;
    }
    if (!op->zero && (p->slot == SLOT_OUTPUT || p->slot == SLOT_SCRATCH || p->slot == SLOT_BANK))
        w->failed = "the program reads what it stored";
    uint32_t address = op->unit_address;
    for (unsigned run = 0; run < p->runs * p->planes; run++, address += p->length) {
        int64_t from = (int64_t)p->offset + (int64_t)(run / p->runs) * p->plane_pitch +
                       (int64_t)(run % p->runs) * p->run_pitch;
        for (unsigned row = 0; row < w->variant->n; row++)
            for (uint32_t i = 0; (op->rows >> row & 1) && i < p->length; i++)
                *unit_byte(w, row, (int64_t)address + i) = op->zero
                                                               ? program_fill_byte(w->variant, op->fill, i)
                                                               : w->job->slots[p->slot].bytes[from + i];
    }
}

static void distribute(struct walk *w, const struct operation *op)
{
    const struct pattern *p = &op->memory;
    const size_t bytes = program_packet_bytes(op);
    const size_t own = program_pattern_bytes(p);
    const struct plain_packet plain = plain_packet_of(w->variant, op);
    uint8_t *data = malloc(bytes + own + 1);
    if (!data) {
        w->failed = "out of memory";
        return;
    }
    uint8_t *unit = op->plain ? data + bytes : data;
    for (unsigned row = 0; row < w->variant->n; row++) {
        if (!(op->rows >> row & 1))
            continue;
        for (size_t i = 0; i < own; i++)
            unit[i] = *unit_byte(w, row,
                                 (int64_t)op->unit_address + (int64_t)(i / p->length) * p->run_pitch +
                                     (int64_t)(i % p->length));
        if (op->plain)
            plain_packet_expand(&plain, unit, own, data);
        uint16_t clusters = op->dispatch ? op->clusters & (uint16_t)-op->clusters : op->clusters;
        struct row_packet packet = {op->command, clusters, op->count, data, bytes, op->scatter};
        if (!packet_list_add(&w->to->row[row], &packet, w->variant->row_bus_width / 8))
            w->failed = "out of memory";
    }
    free(data);
}

static void note_store(struct walk *w, const struct operation *op)
{
    void *items = w->to->store;
    if (!make_room(&items, sizeof *op, w->to->stores, &w->to->store_room)) {
        w->failed = "out of memory";
        return;
    }
    w->to->store = items;
    w->to->store[w->to->stores++] = *op;
}

static bool take_tokens(struct program *program, const struct operation *op)
{
    unsigned need = op->wait[0] == op->wait[1] ? 2 : 1;
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN && program->tokens[op->wait[i]] < need)
            return false;
    for (unsigned i = 0; i < 2; i++)
        if (op->wait[i] != NO_TOKEN)
            program->tokens[op->wait[i]]--;
    return true;
}

static void execute(struct walk *w, unsigned queue, const struct operation *op)
{
    if (queue == Q_LOAD)
        load(w, op);
    else if (queue == Q_DISTRIBUTE)
        distribute(w, op);
    else if (queue == Q_STORE)
        note_store(w, op);
    else
        w->to->collects = true;
    for (unsigned i = 0; i < 2; i++)
        if (op->signal[i] != NO_TOKEN)
            w->program.tokens[op->signal[i]]++;
}

/* Whatever is at the head of a queue and has its tokens; false when nothing has. */
static bool run_queues(struct walk *w)
{
    bool progress = false;
    for (unsigned q = 0; q < QUEUES; q++)
        while (w->count[q] && !w->failed && take_tokens(&w->program, &w->queue[q][0])) {
            execute(w, q, &w->queue[q][0]);
            memmove(w->queue[q], w->queue[q] + 1, --w->count[q] * sizeof w->queue[q][0]);
            progress = true;
        }
    return progress;
}

static unsigned queue_of(const struct operation *op)
{
    return op->code == OP_LOAD         ? Q_LOAD
           : op->code == OP_DISTRIBUTE ? Q_DISTRIBUTE
           : op->code == OP_STORE      ? Q_STORE
                                       : Q_ACCUMULATE;
}

static bool queues_empty(const struct walk *w)
{
    return !w->count[Q_LOAD] && !w->count[Q_DISTRIBUTE] && !w->count[Q_STORE] && !w->count[Q_ACCUMULATE];
}

static void walk_operations(struct walk *w)
{
    struct job_result result;
    struct operation op;
    while (!w->failed) {
        if (program_next(&w->program, &op, &result)) {
            w->failed = job_code_name(result.code);
            return;
        }
        bool waits = op.code == OP_END || op.code == OP_FENCE;
        unsigned q = queue_of(&op);
        while (waits ? !queues_empty(w) : w->count[q] == w->variant->command_queue_depth)
            if (!run_queues(w)) {
                w->failed = w->failed ? w->failed : "the queues wait for each other";
                return;
            }
        if (op.code == OP_END)
            return;
        if (!waits)
            w->queue[q][w->count[q]++] = op;
        run_queues(w);
    }
}

const char *row_program_read(struct row_program *program, const struct variant *variant,
                             const struct job *job)
{
    struct walk *w = calloc(1, sizeof *w);
    uint8_t *units = calloc(variant->n, variant->unit_bytes);
    const char *why = "out of memory";
    if (w && units) {
        struct job_result result;
        *w = (struct walk){.to = program, .variant = variant, .job = job, .units = units};
        if (program_open(&w->program, variant, model_variant_hash(variant), job->slots[SLOT_PROGRAM].bytes,
                         job->slots[SLOT_PROGRAM].size, &result))
            w->failed = job_code_name(result.code);
        else
            walk_operations(w);
        why = w->failed;
    }
    free(units);
    free(w);
    return why;
}

void row_program_free(struct row_program *program)
{
    for (unsigned r = 0; r < 16; r++)
        packet_list_free(&program->row[r]);
    free(program->store);
    *program = (struct row_program){0};
}

/* ---- storing --------------------------------------------------------------------------------- */

/* Byte `at` of what an operation writes, one run behind the other. */
static uint64_t place_of(const struct pattern *p, uint64_t at)
{
    uint64_t run = at / p->length;
    return (uint64_t)((int64_t)p->offset + (int64_t)(run / p->runs) * p->plane_pitch +
                      (int64_t)(run % p->runs) * p->run_pitch) +
           at % p->length;
}

struct taking {
    const struct operation *op;
    const struct job *job;
    size_t *taken; /* of each cluster's results */
    const struct cluster_results *results;
    uint64_t written; /* bytes */
};

static bool take(struct taking *t, unsigned cluster, uint64_t count)
{
    const struct cluster_results *from = &t->results[cluster];
    enum num_element element = (enum num_element)t->op->element;
    if (t->taken[cluster] + count > from->count)
        return false;
    for (uint64_t i = 0; i < count; i++, t->written += num_element_bytes(element))
        num_put_elements(t->job->slots[t->op->memory.slot].bytes + place_of(&t->op->memory, t->written),
                         element, t->op->no_sign, &from->value[t->taken[cluster]++], 1);
    return true;
}

static const char *store(struct taking *t, const struct variant *v)
{
    const struct operation *op = t->op;
    if (!program_pattern_fits(&op->memory, t->job->slots[op->memory.slot].size))
        return "a store leaves its slot";
    uint64_t bytes = program_pattern_bytes(&op->memory);
    unsigned streams = (unsigned)__builtin_popcount(op->rows) * (unsigned)__builtin_popcount(op->clusters);
    uint64_t elements = bytes / num_element_bytes((enum num_element)op->element);
    uint64_t piece = op->interleave ? v->k : elements / streams;
    if (elements % streams || elements / streams % v->k)
        return "a store does not take whole groups of results";
    while (t->written < bytes)
        for (unsigned id = 0; id < v->n * v->m; id++)
            if ((op->rows >> (id / v->m) & 1) && (op->clusters >> (id % v->m) & 1) && !take(t, id, piece))
                return "a store wants more results than there are";
    return NULL;
}

const char *row_program_store(const struct row_program *program, const struct variant *variant,
                              const struct cluster_results *results, const struct job *job)
{
    size_t *taken = calloc((size_t)variant->n * variant->m, sizeof *taken);
    const char *why = taken ? NULL : "out of memory";
    if (program->collects)
        why = "the program sets collectors up";
    for (size_t i = 0; !why && i < program->stores; i++) {
        struct taking t = {&program->store[i], job, taken, results, 0};
        why = store(&t, variant);
    }
    for (unsigned id = 0; !why && id < variant->n * variant->m; id++)
        if (taken[id] != results[id].count)
            why = "results are left that no store takes";
    free(taken);
    return why;
}

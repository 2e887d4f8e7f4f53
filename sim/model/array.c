/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/array.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/joins.h"
#include "sim/model/joint.h"
#include "sim/model/plain_packet.h"
#include "sim/model/shares.h"
#include "sim/model/unit.h"

/* A pattern of elements that is read in order. */
struct reading {
    struct pattern pattern;
    enum num_element element;
    bool no_sign;   /* half of the range is subtracted */
    uint64_t taken; /* bytes */
};

/* What the collectors do with results: set by accumulate, for all rows. */
struct collector {
    bool source, sum_clusters, sum_rows, final;
    struct num_step step;
    struct channel_use by_channel;
    struct reading partial; /* sums that are added */
    struct joining joining;
    bool softmax;
};

struct array {
    struct variant variant;
    struct variant_derived derived;
    struct storage_unit *units; /* of the rows */
    uint32_t held;              /* the number of what they hold; 0: none */
    bool expected;              /* the job under way has expected what they held */
    uint8_t *bank;              /* NULL: the variant has none */
    bool bank_written;          /* since it was emptied */
    struct cluster *clusters;
    struct collector collector;
    int8_t lookup[256];
    struct reading first, second; /* operands of joins */
    struct operand_scale scale;
    struct shares shares;
    struct channel *channels;       /* the table; NULL: the variant has none */
    uint8_t *packet, *other_packet; /* scratch: packets' data, gathered from storage units */
    uint8_t *bytes;                 /* the same: of a plain packet */
    dot_function *dot;
    struct joint joint;
};

/* A job never sees what another one wrote. */
static void empty_bank(struct array *a)
{
    if (a->bank_written)
        memset(a->bank, 0, a->variant.local_bytes);
    a->bank_written = false;
}

/* Slots, a bit each, that share no byte with one that operations write. */
static uint32_t steady_slots(const struct job *job)
{
    static const unsigned written[] = {SLOT_OUTPUT, SLOT_SCRATCH, SLOT_STATUS};
    uint32_t steady = 0;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        const uintptr_t begin = (uintptr_t)job->slots[s].bytes;
        bool shares = false;
        for (unsigned w = 0; w < sizeof written / sizeof *written; w++) {
            const uintptr_t first = (uintptr_t)job->slots[written[w]].bytes;
            shares =
                shares || (first < begin + job->slots[s].size && begin < first + job->slots[written[w]].size);
        }
        steady |= (uint32_t)!shares << s;
    }
    return steady;
}

struct job array_with_bank(const struct array *a, const struct job *job)
{
    struct job with = *job;
    with.slots[SLOT_BANK].bytes = a->bank;
    with.slots[SLOT_BANK].size = a->variant.local_bytes;
    with.steady = steady_slots(job);
    return with;
}

void array_begin(struct array *a, const struct job *job)
{
    packet_cache_begin(&a->joint.cache, job->slots[SLOT_WEIGHTS].bytes, job->slots[SLOT_WEIGHTS].size);
}

void array_changed(struct array *a, const uint8_t *begin, uint64_t bytes)
{
    packet_cache_changed(&a->joint.cache, begin, bytes);
}

struct array *array_new(const struct variant *variant)
{
    struct array *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->variant = *variant;
    variant_derive(&a->variant, &a->derived);
    a->dot = dot_choose();
    unsigned count = variant->n * variant->m;
    a->units = calloc(variant->n, sizeof *a->units);
    a->packet = malloc((size_t)variant->unit_bytes << variant->plain_weights);
    a->other_packet = malloc((size_t)variant->unit_bytes << variant->plain_weights);
    a->bytes = malloc(variant->unit_bytes);
    a->clusters = calloc(count, sizeof *a->clusters);
    a->bank = variant->local_bytes ? calloc(variant->local_bytes, 1) : NULL;
    if (variant->channel_groups)
        a->channels = calloc((size_t)variant->channel_groups * variant->k, sizeof *a->channels);
    bool ok = a->units && a->packet && a->other_packet && a->bytes && a->clusters &&
              (a->channels || !variant->channel_groups) && (a->bank || !variant->local_bytes);
    for (unsigned r = 0; ok && r < variant->n; r++)
        ok = unit_open(&a->units[r], variant->unit_bytes);
    for (unsigned c = 0; ok && c < count; c++)
        ok = cluster_init(&a->clusters[c], &a->variant, &a->derived);
    if (ok)
        return a;
    array_free(a);
    return NULL;
}

void array_free(struct array *a)
{
    if (!a)
        return;
    for (unsigned c = 0; a->clusters && c < a->variant.n * a->variant.m; c++)
        cluster_free(&a->clusters[c]);
    for (unsigned r = 0; a->units && r < a->variant.n; r++)
        unit_close(&a->units[r]);
    joint_free(&a->joint);
    free(a->channels);
    free(a->clusters);
    free(a->units);
    free(a->bank);
    free(a->packet);
    free(a->other_packet);
    free(a->bytes);
    free(a);
}

static void reset(struct array *a)
{
    empty_bank(a);
    a->collector = (struct collector){0};
    a->first = a->second = (struct reading){0};
    a->scale = (struct operand_scale){0};
    a->shares = (struct shares){0};
    if (a->channels)
        memset(a->channels, 0, (size_t)a->variant.channel_groups * a->variant.k * sizeof *a->channels);
    memset(a->lookup, 0, sizeof a->lookup);
    for (unsigned c = 0; c < a->variant.n * a->variant.m; c++)
        cluster_reset(&a->clusters[c]);
}

static enum job_code fail(struct job_result *result, enum job_code code, enum job_queue queue, uint64_t place)
{
    result->code = code;
    result->queue = queue;
    result->offset = place;
    return code;
}

enum job_code array_open(struct array *a, uint32_t expects, struct job_result *result)
{
    const bool stale = expects && expects != a->held;
    a->expected = expects && !stale;
    a->held = 0;
    for (unsigned r = 0; r < a->variant.n && !a->expected; r++)
        unit_reset(&a->units[r]);
    reset(a);
    return stale ? fail(result, JOB_STALE_WEIGHTS, QUEUE_COMMAND, 0) : JOB_OK;
}

void array_leave(struct array *a, uint32_t leaves)
{
    a->held = leaves;
    for (unsigned r = 0; r < a->variant.n && leaves; r++)
        unit_keep(&a->units[r]);
}

static void fill_unit(struct storage_unit *unit, struct random *random)
{
    size_t part;
    uint8_t *to = unit_room(unit, 0, unit->size, &part);
    for (size_t i = 0; i < part; i++)
        to[i] = (uint8_t)(random_next(random) >> 56);
}

void array_fill(struct array *a, uint64_t seed)
{
    struct random random = {seed};
    for (unsigned r = 0; r < a->variant.n && !a->expected; r++)
        fill_unit(&a->units[r], &random);
    for (uint64_t i = 0; i < (uint64_t)a->variant.channel_groups * a->variant.k; i++)
        for (unsigned column = COLUMN_BIAS; column <= COLUMN_HIGH; column++)
            channel_set(a->channels, &a->variant, (enum isa_column)column, i, (int64_t)random_next(&random));
    for (size_t i = 0; a->variant.lookup && i < sizeof a->lookup; i++)
        a->lookup[i] = (int8_t)num_wrap((int64_t)random_next(&random), 8);
    for (unsigned i = 0; a->variant.softmax && i < NUM_SOFTMAX_ENTRIES; i++)
        shares_set(&a->shares, i, (int64_t)random_next(&random));
    for (unsigned c = 0; c < a->variant.n * a->variant.m; c++)
        cluster_fill(&a->clusters[c], random_next(&random));
}

/* ---- storage units --------------------------------------------------------------------------- */

/* `from` may be NULL: activations of value `fill`. */
static void unit_write(struct array *a, unsigned row, uint32_t address, const uint8_t *from, uint16_t fill,
                       size_t bytes)
{
    for (size_t done = 0, part; done < bytes; done += part) {
        uint8_t *to = unit_room(&a->units[row], address + (uint32_t)done, bytes - done, &part);
        if (from)
            memcpy(to, from + done, part);
        else
            for (size_t i = 0; i < part; i++)
                to[i] = program_fill_byte(&a->variant, fill, done + i);
    }
}

/* Memory ports that a load for these rows goes over: each reads it for its own rows, r modulo their number.
 */
unsigned array_load_ports(const struct variant *variant, uint32_t rows)
{
    unsigned ports = 0;
    for (unsigned r = 0; r < variant->n; r++)
        ports |= (rows >> r & 1) << (r % variant->memory_ports);
    return ports;
}

/* Bytes that are counted as those of memory: the bank's are not. */
static uint64_t bytes_of_memory(const struct pattern *p, uint64_t bytes)
{
    return p->slot == SLOT_BANK ? 0 : bytes;
}

enum job_code array_load(struct array *a, const struct operation *op, const struct job *job,
                         struct job_result *result)
{
    const struct pattern *p = &op->memory;
    if (!op->zero && !program_pattern_fits(p, job->slots[p->slot].size))
        return fail(result, JOB_OUT_OF_SLOT, QUEUE_LOAD, op->place);
    const bool steady = job->steady >> p->slot & 1;
    uint32_t address = op->unit_address;
    for (unsigned plane = 0; plane < p->planes; plane++)
        for (unsigned run = 0; run < p->runs; run++) {
            const uint8_t *from =
                op->zero ? NULL : job->slots[p->slot].bytes + program_run_offset(p, plane, run);
            for (unsigned r = 0; r < a->variant.n; r++)
                if (!(op->rows >> r & 1))
                    continue;
                else if (from && steady)
                    unit_lend(&a->units[r], address, from, p->length);
                else
                    unit_write(a, r, address, from, op->fill, p->length);
            address += p->length;
        }
    if (!op->zero)
        result->bytes_read += bytes_of_memory(p, program_pattern_bytes(p)) *
                              (unsigned)__builtin_popcount(array_load_ports(&a->variant, op->rows));
    return JOB_OK;
}

/* ---- distribution ---------------------------------------------------------------------------- */

static void gather_bytes(const struct array *a, unsigned row, const struct operation *op, uint8_t *to)
{
    const struct pattern *p = &op->memory;
    for (unsigned run = 0; run < p->runs; run++)
        unit_read(&a->units[row], (uint32_t)((int64_t)op->unit_address + (int64_t)run * p->run_pitch),
                  to + (size_t)run * p->length, p->length);
}

void array_gather(struct array *a, unsigned row, const struct operation *op, uint8_t *to)
{
    gather_bytes(a, row, op, op->plain ? a->bytes : to);
    if (!op->plain)
        return;
    const struct plain_packet plain = plain_packet_of(&a->variant, op);
    plain_packet_expand(&plain, a->bytes, program_pattern_bytes(&op->memory), to);
}

/* The same, in place if it was lent in one piece, else in `scratch`. */
static const uint8_t *packet_data(struct array *a, unsigned row, const struct operation *op, uint8_t *scratch)
{
    const struct pattern *p = &op->memory;
    const bool straight = p->runs == 1 || p->run_pitch == (int64_t)p->length;
    const uint8_t *lent =
        straight && !op->plain ? unit_find(&a->units[row], op->unit_address, program_pattern_bytes(p)) : NULL;
    if (!lent)
        array_gather(a, row, op, scratch);
    return lent ? lent : scratch;
}

static enum job_code cluster_failed(struct array *a, const struct operation *op, enum job_code code,
                                    unsigned id, unsigned pe, struct job_result *result)
{
    result->row = id / a->variant.m;
    result->cluster = id % a->variant.m;
    result->pe = pe == PE_NONE ? 0 : pe;
    return fail(result, code, pe == PE_NONE ? QUEUE_CLUSTER : QUEUE_PE, op->place);
}

/* Whether row r holds the same data for the packet as another row. */
static bool same_packet(struct array *a, unsigned row, const struct operation *op,
                        const struct packet *packet)
{
    const uint8_t *data = packet_data(a, row, op, a->other_packet);
    return data == packet->data || !memcmp(packet->data, data, packet->bytes);
}

/* All clusters of these rows at once when every row holds the same data; false: to be done in parts. */
static bool distribute_together(struct array *a, const struct operation *op, unsigned rows,
                                const struct packet *packet, struct job_result *result, enum job_code *code)
{
    struct cluster *targets[CLUSTERS_MAX];
    const unsigned first_row = (unsigned)__builtin_ctz(rows);
    unsigned count = 0, pe = PE_NONE;
    for (unsigned r = first_row; r < a->variant.n; r++) {
        if (!(rows >> r & 1))
            continue;
        if (r != first_row && !same_packet(a, r, op, packet))
            return false;
        for (unsigned c = 0; c < a->variant.m; c++)
            if (op->clusters >> c & 1)
                targets[count++] = &a->clusters[r * a->variant.m + c];
    }
    if (!count)
        return false;
    const unsigned id = (unsigned)(targets[0] - a->clusters);
    if (!joint_execute(&a->joint, id, targets, count, packet, a->dot, code, &pe))
        return false;
    if (*code)
        cluster_failed(a, op, *code, id, pe, result);
    return true;
}

static enum job_code deliver(struct array *a, unsigned row, const struct operation *op,
                             const struct packet *packet, const struct work_sink *sink,
                             struct job_result *result)
{
    enum job_code code = JOB_OK;
    if (!sink && !op->dispatch && distribute_together(a, op, 1u << row, packet, result, &code))
        return code;
    for (unsigned c = 0; c < a->variant.m; c++) {
        if (!(op->clusters >> c & 1))
            continue;
        unsigned id = row * a->variant.m + c, pe = PE_NONE;
        code = cluster_execute(&a->clusters[id], packet, id, sink, &pe);
        if (code)
            return cluster_failed(a, op, code, id, pe, result);
        if (op->dispatch)
            break; /* to the least loaded one: without time, the first */
    }
    return JOB_OK;
}

static unsigned population(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static struct packet packet_of(const struct operation *op, const uint8_t *data)
{
    return (struct packet){.command = op->command,
                           .scatter = op->scatter,
                           .count = op->count,
                           .data = data,
                           .bytes = program_packet_bytes(op)};
}

/* Whether this variant's clusters can do with the packet what the operation says. */
static bool can_distribute(const struct array *a, const struct operation *op)
{
    return a->variant.scatter || !op->scatter;
}

enum job_code array_distribute(struct array *a, const struct operation *op, const struct work_sink *sink,
                               struct job_result *result)
{
    struct packet packet = packet_of(op, NULL);
    uint64_t beats = packet.bytes / a->derived.bus_bytes;
    if (!can_distribute(a, op))
        return fail(result, JOB_NO_FEATURE, QUEUE_DISTRIBUTE, op->place);
    result->bus_beats += (beats ? beats : 1) * population(op->rows);
    enum job_code code = JOB_OK;
    unsigned row = 0;
    while (!(op->rows >> row & 1))
        row++;
    if (!sink && !op->dispatch && population(op->rows) > 1) {
        packet.data = packet_data(a, row, op, a->packet);
        if (distribute_together(a, op, op->rows, &packet, result, &code))
            return code;
    }
    for (; !code && row < a->variant.n; row++)
        if (op->rows >> row & 1) {
            packet.data = packet_data(a, row, op, a->packet);
            code = deliver(a, row, op, &packet, sink, result);
        }
    return code;
}

enum job_code array_deliver(struct array *a, unsigned row, const struct operation *op, const uint8_t *data,
                            const struct work_sink *sink, struct job_result *result)
{
    if (!can_distribute(a, op))
        return fail(result, JOB_NO_FEATURE, QUEUE_DISTRIBUTE, op->place);
    if (!data)
        array_gather(a, row, op, a->packet);
    const struct packet packet = packet_of(op, data ? data : a->packet);
    uint64_t beats = packet.bytes / a->derived.bus_bytes;
    result->bus_beats += beats ? beats : 1;
    return deliver(a, row, op, &packet, sink, result);
}

/* ---- collectors ------------------------------------------------------------------------------ */

/* A position in the runs and planes of a pattern. */
struct walk {
    const struct pattern *pattern;
    unsigned plane, run;
    uint32_t byte;
};

static uint64_t walk_next(struct walk *w, uint32_t bytes)
{
    uint64_t at = program_run_offset(w->pattern, w->plane, w->run) + w->byte;
    w->byte += bytes;
    if (w->byte >= w->pattern->length) {
        w->byte = 0;
        if (++w->run == w->pattern->runs) {
            w->run = 0;
            w->plane++;
        }
    }
    return at;
}

static uint64_t walk_taken(const struct walk *w)
{
    return ((uint64_t)w->plane * w->pattern->runs + w->run) * w->pattern->length + w->byte;
}

/* The next element of a pattern; false: there is none. */
static bool reading_next(struct reading *r, const struct job *job, int64_t *value, struct job_result *result)
{
    const struct pattern *p = &r->pattern;
    const unsigned bytes = num_element_bytes(r->element);
    if (r->taken + bytes > program_pattern_bytes(p))
        return false;
    const uint64_t at = program_run_offset(p, 0, (unsigned)(r->taken / p->length)) + r->taken % p->length;
    *value = num_get_element(job->slots[p->slot].bytes + at, r->element);
    if (r->no_sign)
        *value += *value < 0 ? INT64_C(1) << (8 * bytes - 1) : -(INT64_C(1) << (8 * bytes - 1));
    r->taken += bytes;
    result->bytes_read += bytes_of_memory(p, bytes);
    return true;
}

/* Whole groups of K of a column of the table of channels. */
static void load_column(struct array *a, const struct operation *op, const struct job *job,
                        struct job_result *result)
{
    struct reading *from = &a->collector.partial;
    uint64_t count = program_pattern_bytes(&op->memory) / num_element_bytes(from->element), first = op->group;
    int64_t value;
    count -= count % a->variant.k;
    first *= a->variant.k;
    for (uint64_t i = 0; i < count && reading_next(from, job, &value, result); i++)
        if (op->column == COLUMN_LOOKUP)
            a->lookup[i % sizeof a->lookup] = (int8_t)num_wrap(value, 8);
        else if (op->column == COLUMN_EXPONENTIAL)
            shares_set(&a->shares, i, value);
        else
            channel_set(a->channels, &a->variant, op->column, first + i, value);
}

static void set_operand(struct array *a, const struct operation *op)
{
    struct operand_scale *scale = &a->scale;
    const struct reading reading = {
        .pattern = op->memory, .element = (enum num_element)op->element, .no_sign = op->no_sign};
    if (op->operand == OPERAND_FIRST) {
        a->first = reading;
        shares_restart(&a->shares);
        scale->first_zero = op->zero_point;
        return;
    }
    a->second = reading;
    scale->second_zero = op->zero_point;
    scale->scale_first = op->scale_first;
    scale->scaled = (struct num_operand){
        .multiplier = op->multiplier, .left = op->fraction_15 ? 15 : 20, .shift = op->shift};
}

enum job_code array_accumulate(struct array *a, const struct operation *op, const struct job *job,
                               struct job_result *result)
{
    if (op->source && !program_pattern_fits(&op->memory, job->slots[op->memory.slot].size))
        return fail(result, JOB_OUT_OF_SLOT, QUEUE_ACCUMULATE, op->place);
    if (op->operand) {
        set_operand(a, op);
        return JOB_OK;
    }
    a->collector =
        (struct collector){.source = op->source && !op->column,
                           .sum_clusters = op->sum_clusters,
                           .sum_rows = op->sum_rows,
                           .final = op->final,
                           .by_channel = op->by_channel,
                           .partial = {.pattern = op->memory, .element = (enum num_element)op->element},
                           .joining = {.join = op->join, .alone = op->alone},
                           .softmax = op->softmax != 0,
                           .step = {.function = (enum num_function)op->function,
                                    .element = (enum num_element)op->result,
                                    .rounding = (enum num_rounding)op->rounding,
                                    .lookup = a->lookup,
                                    .shift = op->shift,
                                    .multiplier = op->multiplier,
                                    .low = op->low,
                                    .high = op->high,
                                    .zero = op->zero_point,
                                    .slope = op->slope}};
    if (op->softmax)
        shares_begin(&a->shares, op->softmax, a->variant.k, &a->collector.step);
    if (op->column)
        load_column(a, op, job, result);
    return JOB_OK;
}

static unsigned first_bit(unsigned mask)
{
    return (unsigned)__builtin_ctz(mask);
}

static uint64_t store_elements(const struct operation *op)
{
    return program_pattern_bytes(&op->memory) / num_element_bytes((enum num_element)op->element);
}

/* Streams of results that a store takes one after another; the clusters of one stream are added. */
static unsigned stream_count(const struct array *a, const struct operation *op)
{
    const struct collector *c = &a->collector;
    if (c->joining.alone)
        return 1;
    return (c->sum_clusters ? 1 : population(op->clusters)) * (c->sum_rows ? 1 : population(op->rows));
}

static size_t results_held(const struct cluster *c)
{
    return c->results.end - c->results.begin;
}

size_t array_results_left(const struct array *a)
{
    size_t most = 0;
    for (unsigned c = 0; c < a->variant.n * a->variant.m; c++)
        most = results_held(&a->clusters[c]) > most ? results_held(&a->clusters[c]) : most;
    return most / a->variant.k;
}

/* Collectors hold groups of K: a store takes whole ones, as many of each stream. */
static bool store_divides(const struct array *a, const struct operation *op)
{
    uint64_t elements = store_elements(op), streams = stream_count(a, op);
    return elements % streams == 0 && elements / streams % a->variant.k == 0;
}

bool array_store_ready(const struct array *a, const struct operation *op, const struct job *job)
{
    /* What cannot be written is refused before there is anything to write. */
    if (!program_pattern_fits(&op->memory, job->slots[op->memory.slot].size) || !store_divides(a, op))
        return true;
    uint64_t each = a->collector.joining.alone ? 0 : store_elements(op) / stream_count(a, op);
    for (unsigned r = 0; r < a->variant.n; r++)
        for (unsigned c = 0; c < a->variant.m; c++)
            if ((op->rows >> r & 1) && (op->clusters >> c & 1) &&
                results_held(&a->clusters[r * a->variant.m + c]) < each)
                return false;
    return true;
}

/* The streams of a store: those of stream s are of[first[s]] .. of[first[s + 1] - 1]. Without sums there is
 * one, of nothing. */
struct streams {
    unsigned count, first[CLUSTERS_MAX + 1];
    struct results *of[CLUSTERS_MAX];
};

static unsigned nth_bit(unsigned mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return first_bit(mask);
}

static void find_streams(struct array *a, const struct operation *op, struct streams *s)
{
    const struct collector *collector = &a->collector;
    unsigned per_row = collector->sum_clusters ? 1 : population(op->clusters), found = 0;
    s->count = stream_count(a, op);
    s->first[0] = 0;
    for (unsigned i = 0; i < s->count && !collector->joining.alone; i++) {
        unsigned rows = collector->sum_rows ? op->rows : 1u << nth_bit(op->rows, i / per_row);
        unsigned clusters = collector->sum_clusters ? op->clusters : 1u << nth_bit(op->clusters, i % per_row);
        s->first[i] = found;
        for (unsigned r = 0; r < a->variant.n; r++)
            for (unsigned c = 0; c < a->variant.m; c++)
                if ((rows >> r & 1) && (clusters >> c & 1))
                    s->of[found++] = &a->clusters[r * a->variant.m + c].results;
    }
    s->first[s->count] = found;
}

/* Adds the next results of a stream's clusters. */
static void take_sums(const struct streams *s, unsigned stream, unsigned acc_width, int64_t *values,
                      size_t count)
{
    memset(values, 0, count * sizeof *values);
    for (unsigned i = s->first[stream]; i < s->first[stream + 1]; i++) {
        const int64_t *from = s->of[i]->value + s->of[i]->begin;
        for (size_t e = 0; e < count; e++)
            values[e] = num_wrap((int64_t)((uint64_t)values[e] + (uint64_t)from[e]), acc_width);
        s->of[i]->begin += count;
    }
}

static bool partial_next(struct array *a, struct collector *c, const struct job *job, int64_t *value,
                         struct job_result *result)
{
    int64_t partial;
    if (!reading_next(&c->partial, job, &partial, result))
        return false;
    *value = num_wrap((int64_t)((uint64_t)*value + (uint64_t)partial), a->variant.acc_width);
    return true;
}

/* Results are handled in batches of at most this many, all of one run. */
#define BATCH 64

/* A result, or the next first operand, joined with the next second one; false: there is none. */
static bool join_next(struct array *a, const struct job *job, int64_t *value, struct job_result *result)
{
    const struct collector *c = &a->collector;
    int64_t second;
    if ((c->joining.alone && !reading_next(&a->first, job, value, result)) ||
        !reading_next(&a->second, job, &second, result))
        return false;
    *value = joins_pair(&a->scale, &c->joining, &c->step, *value, second);
    return true;
}

/* The next result of a row, which is read when its first one is wanted; false: there is none. */
static bool softmax_next(struct array *a, const struct job *job, int64_t *value, struct job_result *result)
{
    struct shares *s = &a->shares;
    if (s->at == s->places) {
        for (unsigned i = 0; i < s->places; i++) {
            if (!reading_next(&a->first, job, value, result))
                return false;
            s->row[i] = (int8_t)num_wrap(*value, 8);
        }
        shares_look(s);
    }
    *value = shares_next(s);
    return true;
}

/* The result of a sum that is the store's element `at`; false: there is no operand for it. */
static bool finish(struct array *a, const struct operation *op, const struct job *job, uint64_t at,
                   int64_t *value, struct job_result *result)
{
    const struct collector *c = &a->collector;
    const unsigned width = a->variant.acc_width;
    struct num_step step = c->step;
    if (c->softmax)
        return softmax_next(a, job, value, result);
    if (channel_used(&c->by_channel)) {
        step.zero = c->joining.join ? 0 : step.zero;
        *value = channel_apply(channel_of(a->channels, &a->variant, &op->channels, at), &c->by_channel, &step,
                               *value, width);
    }
    if (c->joining.join && !join_next(a, job, value, result))
        return false;
    if (c->joining.join || !channel_used(&c->by_channel))
        *value = num_wrap(num_apply(&c->step, num_wrap(*value, width)), width);
    return true;
}

static enum job_code store_stream(struct array *a, const struct operation *op, const struct streams *streams,
                                  unsigned stream, uint64_t elements, struct walk *walk,
                                  const struct job *job, struct job_result *result)
{
    struct collector *collector = &a->collector;
    enum num_element element = (enum num_element)op->element;
    unsigned bytes = num_element_bytes(element);
    int64_t values[BATCH];
    while (elements) {
        uint64_t count = (op->memory.length - walk->byte) / bytes;
        count = count > elements ? elements : count;
        count = count > BATCH ? BATCH : count;
        uint64_t at = walk_taken(walk) / bytes;
        take_sums(streams, stream, a->variant.acc_width, values, count);
        for (size_t e = 0; collector->source && e < count; e++)
            if (!partial_next(a, collector, job, &values[e], result))
                return fail(result, JOB_BAD_LENGTH, QUEUE_ACCUMULATE, op->place);
        for (size_t e = 0; collector->final && e < count; e++)
            if (!finish(a, op, job, at++, &values[e], result))
                return fail(result, JOB_BAD_LENGTH, QUEUE_ACCUMULATE, op->place);
        uint8_t *to = job->slots[op->memory.slot].bytes + walk_next(walk, (uint32_t)count * bytes);
        num_put_elements(to, element, op->no_sign, values, count);
        elements -= count;
    }
    return JOB_OK;
}

enum job_code array_store(struct array *a, const struct operation *op, const struct job *job,
                          struct job_result *result)
{
    uint64_t elements = store_elements(op), streams = stream_count(a, op);
    uint64_t piece = op->interleave ? a->variant.k : elements / streams;
    if (!program_pattern_fits(&op->memory, job->slots[op->memory.slot].size))
        return fail(result, JOB_OUT_OF_SLOT, QUEUE_STORE, op->place);
    if (!store_divides(a, op))
        return fail(result, JOB_BAD_FIELD, QUEUE_STORE, op->place);
    if (!array_store_ready(a, op, job))
        return fail(result, JOB_DEADLOCK, QUEUE_STORE, op->place);
    struct walk walk = {.pattern = &op->memory};
    struct streams all;
    find_streams(a, op, &all);
    a->bank_written = a->bank_written || op->memory.slot == SLOT_BANK;
    for (uint64_t done = 0; done < elements;)
        for (unsigned s = 0; s < all.count; s++, done += piece) {
            enum job_code code = store_stream(a, op, &all, s, piece, &walk, job, result);
            if (code)
                return code;
        }
    result->bytes_written += bytes_of_memory(&op->memory, program_pattern_bytes(&op->memory));
    return JOB_OK;
}

void array_counters(const struct array *a, struct job_result *result)
{
    result->effective_macs = result->scanned = 0;
    for (unsigned c = 0; c < a->variant.n * a->variant.m; c++) {
        result->effective_macs += a->clusters[c].effective_macs;
        result->scanned += a->clusters[c].scanned;
    }
    result->pe_busy = result->effective_macs;
}

const struct sequence *array_sequence(const struct array *a, unsigned row, unsigned cluster, unsigned buffer)
{
    const struct cluster *c = &a->clusters[row * a->variant.m + cluster];
    return buffer < a->variant.instruction_buffers && c->configured[buffer] ? &c->buffer[buffer] : NULL;
}

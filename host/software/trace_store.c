/* SPDX-License-Identifier: Apache-2.0
 *
 * What accumulates and stores do, with references: sums of clusters and rows, the table of channels, joins,
 * look-ups and softmax become the finishes of results.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/software/handlers.h"
#include "host/software/trace_unit.h"

/* The next element of a pattern. False: its reason is noted. */
static bool reading_next(struct trace *t, struct traced_reading *r, struct traced_element *to)
{
    const struct pattern *p = &r->pattern;
    const unsigned bytes = num_element_bytes(r->element);
    byte_ref list[8];
    const uint64_t at = program_run_offset(p, 0, (unsigned)(r->taken / p->length)) + r->taken % p->length;
    if (r->taken + bytes > program_pattern_bytes(p))
        return values_refuse(&t->values, "more sums than are in memory");
    r->taken += bytes;
    trace_read(t, p->slot, at, bytes, list);
    const struct flow_kind kind = {
        .bytes = bytes, .no_sign = r->no_sign, .zero = r->no_sign ? (int32_t)1 << (8 * bytes - 1) : 0};
    return trace_element(t, list, kind, to);
}

/* ---- accumulates --------------------------------------------------------------------------------- */

static void column_none(struct trace *t, const struct operation *op, uint64_t at, int64_t value)
{
    (void)t, (void)op, (void)at, (void)value; /* partial sums are read when results are stored */
}

static void column_channel(struct trace *t, const struct operation *op, uint64_t at, int64_t value)
{
    channel_set(t->channels, t->variant, op->column, (uint64_t)op->group * t->variant->k + at, value);
}

static void column_lookup(struct trace *t, const struct operation *op, uint64_t at, int64_t value)
{
    (void)op;
    t->lookup[at % NUM_SOFTMAX_ENTRIES] = (int32_t)num_wrap(value, 8);
}

static void column_exponential(struct trace *t, const struct operation *op, uint64_t at, int64_t value)
{
    (void)op;
    t->exponentials[at % NUM_SOFTMAX_ENTRIES] = (int32_t)(value & INT32_MAX);
}

#define X(name, number, handler) [number] = column_##handler,
static void (*const columns[])(struct trace *, const struct operation *, uint64_t at,
                               int64_t value) = {HANDLED_COLUMN(X)};
#undef X

static bool load_column(struct trace *t, const struct operation *op)
{
    uint64_t count = program_pattern_bytes(&op->memory) / num_element_bytes(t->partial.element);
    count -= count % t->variant->k;
    for (uint64_t i = 0; i < count; i++) {
        struct traced_element e = {.sum = UINT32_MAX};
        if (!reading_next(t, &t->partial, &e))
            return false;
        if (!e.constant)
            return values_refuse(&t->values, "numbers of channels that are not constant");
        columns[op->column](t, op, i, e.value);
    }
    return true;
}

static struct traced_reading reading_of(const struct operation *op)
{
    return (struct traced_reading){
        .pattern = op->memory, .element = (enum num_element)op->element, .no_sign = op->no_sign};
}

static bool operand_first(struct trace *t, const struct operation *op)
{
    t->first = reading_of(op);
    t->softmax_at = t->softmax;
    t->scale.first_zero = op->zero_point;
    return true;
}

static bool operand_second(struct trace *t, const struct operation *op)
{
    t->second = reading_of(op);
    t->scale.second_zero = op->zero_point;
    t->scale.scale_first = op->scale_first;
    t->scale.scaled = (struct num_operand){
        .multiplier = op->multiplier, .left = op->fraction_15 ? 15 : 20, .shift = op->shift};
    return true;
}

/* How the results that follow are finished. */
static bool operand_none(struct trace *t, const struct operation *op)
{
    const struct num_step step = {.function = (enum num_function)op->function,
                                  .element = (enum num_element)op->result,
                                  .rounding = (enum num_rounding)op->rounding,
                                  .shift = op->shift,
                                  .multiplier = op->multiplier,
                                  .low = op->low,
                                  .high = op->high,
                                  .zero = op->zero_point,
                                  .slope = op->slope};
    t->source = op->source && !op->column;
    t->sum_clusters = op->sum_clusters;
    t->sum_rows = op->sum_rows;
    t->by_channel = op->by_channel;
    t->partial = (struct traced_reading){.pattern = op->memory, .element = (enum num_element)op->element};
    t->finish = (struct flow_finish){.acc_width = t->variant->acc_width,
                                     .final = op->final,
                                     .joins = op->join != 0,
                                     .step = step,
                                     .last = op->join ? step : (struct num_step){.function = NUM_NONE},
                                     .joining = {.join = op->join, .alone = op->alone},
                                     .elements = op->softmax};
    if (op->softmax) {
        t->softmax = math_round_up(op->softmax, t->variant->k);
        t->softmax_at = t->softmax;
    }
    return !op->column || load_column(t, op);
}

#define X(name, number, handler) [number] = operand_##handler,
static bool (*const operands[])(struct trace *, const struct operation *) = {HANDLED_OPERAND(X)};
#undef X

bool trace_accumulate(struct trace *t, const struct operation *op)
{
    return operands[op->operand](t, op);
}

/* ---- stores -------------------------------------------------------------------------------------- */

/* The finish of the store's element `at`. */
static void finish_of(const struct trace *t, const struct operation *op, uint64_t at, struct flow_finish *to)
{
    *to = t->finish;
    to->acc_width = t->variant->acc_width; /* also before the first accumulate */
    to->element = op->element;
    to->no_sign = op->no_sign;
    if (!to->final)
        to->step = to->last = (struct num_step){.function = NUM_NONE};
    if (to->joins)
        to->scale = t->scale;
    if (to->final && channel_used(&t->by_channel)) {
        const struct channel *c = channel_of(t->channels, t->variant, &op->channels, at);
        to->own = 1;
        to->bias = t->by_channel.bias ? c->bias : 0;
        to->step.zero = to->joins ? 0 : to->step.zero;
        if (t->by_channel.scale) {
            to->step.multiplier = c->multiplier;
            to->step.shift = (c->shift & ~15u) | c->fine;
        }
        if (t->by_channel.limits) {
            to->step.low = c->low;
            to->step.high = c->high;
            to->step.element = NUM_INT64;
        }
    } else if (to->joins)
        to->step = (struct num_step){.function = NUM_NONE};
}

/* An element becomes a value. */
static uint32_t value_of(struct trace *t, const struct traced_element *e)
{
    return e->constant            ? value_constant(&t->values, e->value)
           : e->sum != UINT32_MAX ? e->sum
                                  : value_loaded(&t->values, e->ref);
}

/* The first operand of a join without sums: a row of one. */
static bool take_first(struct trace *t, uint32_t *values, size_t *count)
{
    struct traced_element e = {.sum = UINT32_MAX};
    if (!reading_next(t, &t->first, &e))
        return false;
    values[(*count)++] = value_of(t, &e);
    return true;
}

static bool take_second(struct trace *t, struct flow_result *to)
{
    struct traced_element e = {.sum = UINT32_MAX};
    if (!reading_next(t, &t->second, &e))
        return false;
    to->second = e.ref;
    return (!e.constant && e.sum == UINT32_MAX) || values_as_result(&t->values, value_of(t, &e), &to->second);
}

/* The row that an element of softmax is in, which is read when its first one is wanted. */
static bool softmax_row(struct trace *t, struct flow_finish *finish, struct flow_result *to)
{
    int32_t ones[4096];
    int64_t delta[4096];
    if (!t->row)
        t->row = calloc(2 * 4096, sizeof *t->row);
    t->flow->no_memory |= !t->row;
    if (t->flow->no_memory)
        return false;
    if (t->softmax_at == t->softmax) {
        for (unsigned i = 0; i < t->softmax; i++) {
            struct traced_element e = {.sum = UINT32_MAX};
            if (!reading_next(t, &t->first, &e))
                return false;
            if (e.constant || e.sum != UINT32_MAX)
                return values_refuse(&t->values, "softmax of constants or of sums");
            t->row[i] = e.ref;
        }
        t->softmax_at = 0;
    }
    for (unsigned i = 0; i < finish->elements; i++) {
        ones[i] = 1;
        delta[i] = t->row[i] - t->row[0];
    }
    to->base = t->row[0];
    to->row = flow_row(t->flow, FLOW_SOFTMAX, 0, delta, ones, finish->elements);
    to->place = t->softmax_at++;
    finish->table = flow_table(t->flow, t->exponentials);
    return true;
}

/* Remembers a result that is a plain sum, for programs that read it again. */
static bool remember(struct trace *t, const struct flow_finish *finish, const uint32_t *values, size_t count)
{
    const bool exact = !finish->final && (finish->element == NUM_INT64 ||
                                          (finish->element == NUM_INT32 && finish->acc_width <= 32));
    if (t->flow->result_count > t->stored_room) {
        const size_t room = 2 * t->flow->result_count;
        uint32_t *list = realloc(t->stored, room * sizeof *list);
        t->flow->no_memory |= !list;
        if (!list)
            return false;
        t->stored = list;
        t->stored_room = room;
    }
    uint32_t sum = VALUE_ZERO;
    for (size_t i = 0; exact && i < count; i++)
        sum = value_sum(&t->values, sum, values[i]);
    t->stored[t->flow->result_count - 1] = exact ? sum : UINT32_MAX;
    return true;
}

static bool put_result(struct trace *t, const struct operation *op, uint64_t at, uint64_t offset,
                       uint32_t *values, size_t count)
{
    struct flow_finish finish;
    struct flow_result r = {.add = FLOW_NONE, .second = FLOW_NONE};
    const unsigned bytes = num_element_bytes((enum num_element)op->element);
    struct traced_element partial = {.sum = UINT32_MAX};
    finish_of(t, op, at, &finish);
    if (t->source && !reading_next(t, &t->partial, &partial))
        return false;
    if (t->source)
        values[count++] = value_of(t, &partial);
    if (finish.elements ? !softmax_row(t, &finish, &r)
                        : (finish.joining.alone && !take_first(t, values, &count)) ||
                              (finish.joins && !take_second(t, &r)) ||
                              !values_resolve(&t->values, values, count, &finish, &r))
        return false;
    if (finish.elements && r.place >= finish.elements) { /* what fills the last group: shares of nothing */
        finish = (struct flow_finish){.bias = num_apply(&finish.step, 0),
                                      .acc_width = 64,
                                      .element = op->element,
                                      .no_sign = op->no_sign};
        r = (struct flow_result){
            .row = flow_row(t->flow, FLOW_SUM, 0, NULL, NULL, 0), .add = FLOW_NONE, .second = FLOW_NONE};
    }
    if (finish.final && (finish.step.function == NUM_LOOKUP || finish.last.function == NUM_LOOKUP))
        finish.table = flow_table(t->flow, t->lookup);
    r.finish = flow_finish(t->flow, &finish);
    r.to = flow_ref_of(flow_kind(t->flow, (struct flow_kind){.bytes = bytes, .no_sign = op->no_sign}),
                       op->memory.slot, offset);
    flow_put(t->flow, &r);
    for (unsigned i = 0; i < bytes; i++)
        t->written[op->memory.slot][offset + i] = 8 * t->flow->result_count + i;
    return !t->flow->no_memory && remember(t, &finish, values, count);
}

/* Where a store's next element goes. */
static uint64_t place_of(const struct pattern *p, uint64_t taken)
{
    const uint64_t run = taken / p->length;
    return program_run_offset(p, (unsigned)(run / p->runs), (unsigned)(run % p->runs)) + taken % p->length;
}

struct stream {
    struct traced_cluster *of[CLUSTERS_MAX];
    unsigned count;
};

static unsigned nth_bit(unsigned mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return (unsigned)__builtin_ctz(mask);
}

static void stream_of(struct trace *t, const struct operation *op, unsigned number, struct stream *to)
{
    const unsigned per_row = t->sum_clusters ? 1 : (unsigned)__builtin_popcount(op->clusters),
                   rows = t->sum_rows ? op->rows : 1u << nth_bit(op->rows, number / per_row),
                   clusters = t->sum_clusters ? op->clusters : 1u << nth_bit(op->clusters, number % per_row);
    to->count = 0;
    for (unsigned r = 0; r < t->variant->n; r++)
        for (unsigned c = 0; c < t->variant->m; c++)
            if ((rows >> r & 1) && (clusters >> c & 1))
                to->of[to->count++] = &t->clusters[r * t->variant->m + c];
}

bool trace_store(struct trace *t, const struct operation *op)
{
    const unsigned bytes = num_element_bytes((enum num_element)op->element);
    const bool alone = t->finish.joining.alone || t->finish.elements;
    const unsigned streams = alone ? 1
                                   : (t->sum_clusters ? 1 : (unsigned)__builtin_popcount(op->clusters)) *
                                         (t->sum_rows ? 1 : (unsigned)__builtin_popcount(op->rows));
    const uint64_t elements = program_pattern_bytes(&op->memory) / bytes,
                   piece = op->interleave ? t->variant->k : elements / streams;
    uint32_t values[CLUSTERS_MAX + 2];
    for (uint64_t done = 0; done < elements;)
        for (unsigned s = 0; s < streams; s++) {
            struct stream from = {.count = 0};
            if (!alone)
                stream_of(t, op, s, &from);
            for (uint64_t i = 0; i < piece; i++, done++) {
                for (unsigned c = 0; c < from.count; c++)
                    values[c] = from.of[c]->results.value[from.of[c]->results.begin++];
                if (!put_result(t, op, done, place_of(&op->memory, done * bytes), values, from.count))
                    return false;
            }
        }
    return true;
}

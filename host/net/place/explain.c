/* SPDX-License-Identifier: Apache-2.0
 *
 * The reasons of a placement, for people and as JSON: numbers of every
 * candidate, what else was tried, and what each strategy predicts.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/place/copies.h"
#include "host/net/place/joined.h"
#include "host/net/place/network.h"

enum { US = 1000000, SCALAR_TIMES = 9 };

/* One operation after another, with what is placed on each processor before it. */
struct telling {
    const struct place_network *n;
    const struct place_problem *p;
    double load[PLACE_PROCESSORS_MOST];
    uint8_t *room;
};

static const char *name_of(const struct place_network *n, size_t processor)
{
    return processor == PLACE_HOST ? "host" : n->devices[processor - 1].name;
}

/* The operation and what is computed with it on either processor move there. */
static void move_unit(const struct place_problem *p, uint8_t *places, size_t operation, uint8_t to)
{
    const uint8_t from = places[operation];
    places[operation] = to;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < p->link_count; i++) {
            const struct place_link *l = &p->links[i];
            if ((l->processor != from && l->processor != to) ||
                (places[l->first] == l->processor) == (places[l->second] == l->processor))
                continue;
            places[places[l->first] == to ? l->second : l->first] = to;
            changed = true;
        }
    }
}

/* Seconds that the whole takes more when the operation is moved, with a neighbour behind or before it unless
 * that is PLACE_NOWHERE. */
static double moved(struct telling *t, size_t operation, size_t other, size_t to)
{
    memcpy(t->room, t->n->places, t->p->count);
    move_unit(t->p, t->room, operation, (uint8_t)to);
    if (other != PLACE_NOWHERE)
        move_unit(t->p, t->room, other, (uint8_t)to);
    return place_seconds(t->p, t->room) - t->n->result.seconds;
}

/* The operation whose result the candidate is computed into; PLACE_NOWHERE: none. */
static size_t within(const struct place_problem *p, size_t operation, size_t processor)
{
    for (size_t i = 0; i < p->link_count; i++)
        if (p->links[i].second == operation && p->links[i].processor == processor)
            return p->links[i].first;
    return PLACE_NOWHERE;
}

static size_t next_reader(const struct place_problem *p, size_t operation)
{
    const struct place_value *v = &p->values[operation];
    return v->reader_count ? v->readers[0] : PLACE_NOWHERE;
}

static size_t last_producer(const struct place_problem *p, size_t operation)
{
    for (size_t i = operation; i--;)
        for (size_t r = 0; r < p->values[i].reader_count; r++)
            if (p->values[i].readers[r] == operation)
                return i;
    return PLACE_NOWHERE;
}

static bool begin(struct telling *t, const struct place_network *n)
{
    *t = (struct telling){.n = n, .p = &n->problem, .room = calloc(n->problem.count + 1, 1)};
    return t->room;
}

static struct place_score score(const struct telling *t, size_t operation, size_t processor)
{
    return place_score(t->p, operation, processor, t->n->places, t->load);
}

static void pass_on(struct telling *t, size_t operation)
{
    const size_t q = t->n->places[operation];
    t->load[q] += t->p->operations[operation].on[q].run;
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void tell_moved(struct telling *t, size_t operation, size_t to, struct strbuf *text)
{
    const size_t behind = next_reader(t->p, operation), before = last_producer(t->p, operation);
    const double alone = moved(t, operation, PLACE_NOWHERE, to);
    sb_addf(text, "; here the whole takes %+.2f us", US * alone);
    if (behind != PLACE_NOWHERE && isfinite(moved(t, operation, behind, to)))
        sb_addf(text, ", with its successor %+.2f us", US * moved(t, operation, behind, to));
    if (before != PLACE_NOWHERE && isfinite(moved(t, operation, before, to)))
        sb_addf(text, ", with its predecessor %+.2f us", US * moved(t, operation, before, to));
}

static void tell_candidate(struct telling *t, size_t operation, size_t q, struct strbuf *text)
{
    const struct place_operation *op = &t->p->operations[operation];
    const bool chosen = t->n->places[operation] == q;
    const size_t inside = within(t->p, operation, q);
    sb_addf(text, "  %c %zu %-8.8s ", chosen ? '*' : ' ', q, name_of(t->n, q));
    if (!isfinite(op->on[q].run)) {
        sb_addf(text, "no: %s\n", op->on[q].why ? op->on[q].why : "it cannot run there");
        return;
    }
    const struct place_score s = score(t, operation, q);
    sb_addf(text, "%10.2f us  T %.2f + A %.2f = C %.2f, S %.2f + O %.2f = P %.2f",
            US * place_own(t->p, operation, q), US * s.moves, US * s.accumulated, US * place_cost(&s),
            US * s.speed, US * s.complexity, US * place_benefit(&s));
    if (inside != PLACE_NOWHERE)
        sb_addf(text, ", within %.40s", t->p->operations[inside].name);
    if (!chosen)
        tell_moved(t, operation, q, text);
    sb_add(text, "\n");
}

/* A number that the operation's step is told; negative: it depends on sizes that are not known. */
static int64_t told(const struct place_network *n, size_t operation, enum scalar_use use)
{
    for (size_t i = 0; i < n->scalars.result_count; i++) {
        const struct scalar_result *r = &n->scalars.results[i];
        const struct scalar *s = &n->scalars.scalars[r->at];
        if (r->node == operation && r->use == use)
            return s->kind == SCALAR_NUMBER ? s->value : -1;
    }
    return -1;
}

static int64_t unknown_size(void *context, const char *name)
{
    (void)context;
    (void)name;
    return 1;
}

/* Scalars that are left, what they take on the host, and how many of them are in loops. */
struct scalars_told {
    double us;
    size_t in_loops;
};

static struct scalars_told look_at_scalars(const struct place_network *n)
{
    int64_t *values = calloc(n->scalars.count + 1, sizeof *values);
    bool *in = calloc(n->scalars.count + 1, sizeof *in);
    double least = INFINITY; /* of several: the first one finds empty caches, and others use the machine */
    for (int i = 0; values && i < SCALAR_TIMES; i++) {
        const double began = place_clock();
        scalar_run(&n->scalars, unknown_size, NULL, 0, values);
        least = fmin(least, place_clock() - began);
    }
    const struct scalars_told told = {US * least, in ? scalar_in_loops(&n->scalars, in) : 0};
    free(in);
    free(values);
    return told;
}

static void tell_scalars(const struct place_network *n, struct strbuf *text)
{
    const struct scalar_savings *s = &n->savings;
    const struct scalars_told told = look_at_scalars(n);
    sb_addf(
        text,
        "scalars: %zu, on the host; %zu are left (%zu of constants, %zu identities, %zu common, %zu dead), "
        "which take %.2f us; %zu of these are in loops, and step with the tiles on their processors\n",
        n->lowered, n->scalars.count, s->constants, s->identities, s->common, s->dead, told.us,
        told.in_loops);
}

static void tell_operation(struct telling *t, size_t i, struct strbuf *text)
{
    const struct place_operation *op = &t->p->operations[i];
    const struct place_time *host = &t->n->host[i];
    sb_addf(text, "%zu %.24s %.48s%s: processor %u (the host's time is %s, +-%.0f %%)\n", i, op->type,
            op->name, op->scalar ? ", scalar" : "", t->n->places[i],
            host->measured ? "measured" : "interpolated", 100 * host->error);
    if (told(t->n, i, SCALAR_LOOPS) >= 0)
        sb_addf(text,
                "  step: processor %u, %" PRId64 " tiles of %d x %d, %" PRId64 " bytes at %" PRId64
                ", rows %" PRId64 " bytes apart\n",
                t->n->places[i], told(t->n, i, SCALAR_LOOPS), SCALAR_TILE_ROWS, SCALAR_TILE_COLUMNS,
                told(t->n, i, SCALAR_BYTES), told(t->n, i, SCALAR_ADDRESS), told(t->n, i, SCALAR_ROW_STRIDE));
    for (size_t q = 0; q < t->p->processors; q++)
        tell_candidate(t, i, q, text);
}

static const struct place_strategy *strategy_of(const struct place_network *n)
{
    return n->options->strategy ? n->options->strategy : place_strategies;
}

/* What a strategy predicts; negative: out of memory. */
static double predicted(struct telling *t, const struct place_strategy *s)
{
    struct place_result to = {.places = t->room};
    const bool ok = s->place(t->p, &t->n->options->how, &to);
    sb_free(&to.log);
    return ok ? to.seconds : -1;
}

/* What it predicts by operations; and, of strategies that were tried with parts, by these. */
static void tell_strategy(struct telling *t, const struct place_strategy *s, struct strbuf *to)
{
    const size_t at = (size_t)(s - strategy_of(t->n));
    sb_addf(to, "%-10s %12.2f us", s->name, US * predicted(t, s));
    if (s >= strategy_of(t->n) && at < t->n->joined_count)
        sb_addf(to, "; its parts %12.2f us", US * t->n->joined[at]);
    sb_add(to, "\n");
}

/* With the error of interpolation, where copies are measured. */
static void tell_copies(const struct place_network *n, const struct place_device *d, struct strbuf *text)
{
    enum { MEGABYTE = 1000000 };
    struct place_time to, from;
    if (!d->copies || !place_copy_time(n->options->library, d->copies, true, MEGABYTE, &to) ||
        !place_copy_time(n->options->library, d->copies, false, MEGABYTE, &from))
        sb_addf(text, "a megabyte copied %.0f us\n", US * d->byte * MEGABYTE);
    else
        sb_addf(text, "a megabyte copied %.0f us there (+-%.0f %%) and %.0f us back (+-%.0f %%), measured\n",
                US * to.seconds, 100 * to.error, US * from.seconds, 100 * from.error);
}

static void tell_processors(const struct place_network *n, struct strbuf *text)
{
    sb_add(text, "0 host: a core, all types\n");
    for (size_t d = 0; d < n->device_count; d++) {
        const struct place_device *p = &n->devices[d];
        sb_addf(text, "%zu %s: %u x %u x %u PEs, int%u, %.1f MiB, %.0f MHz; a job takes %.2f us, ", d + 1,
                p->name, p->rows, p->clusters, p->pes, 8 * p->data_bytes, (double)p->memory / 1048576,
                p->hertz / US, US * p->job);
        tell_copies(n, p, text);
    }
}

/* Operations that have no size, and so no time. */
static void tell_unknown(const struct place_network *n, struct strbuf *text)
{
    struct place_features what;
    size_t unknown = 0;
    for (size_t i = 0; i < n->net->node_count; i++)
        unknown += !place_features(n->net->nodes[i], &what);
    if (unknown)
        sb_addf(text, "%zu operations have dimensions without a size and count nothing: give --shape\n",
                unknown);
}

void place_network_explain(const struct place_network *n, struct strbuf *to)
{
    struct telling t;
    if (!begin(&t, n))
        return;
    tell_processors(n, to);
    for (size_t i = 0; i < n->problem.count; i++) {
        tell_operation(&t, i, to);
        pass_on(&t, i);
    }
    tell_scalars(n, to);
    tell_unknown(n, to);
    if (n->result.log.len)
        sb_addf(to, "tried, in order:\n%s", sb_text(&n->result.log));
    place_tell_joined(n, to);
    sb_addf(to, "%s: %.2f us predicted%s%s, and %.2f us for shapes and rooms\n", strategy_of(n)->name,
            US * place_network_predicted(n), n->joined_count ? " with parts as they are planned" : "",
            n->result.proven ? ", proven to be the least" : "", US * n->rest);
    for (const struct place_strategy *s = place_strategies; s->name; s++)
        tell_strategy(&t, s, to);
    free(t.room);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void json_candidate(struct telling *t, size_t operation, size_t q, struct strbuf *to)
{
    const struct place_candidate *on = &t->p->operations[operation].on[q];
    sb_addf(to, "%s{\"processor\": %zu", q ? ", " : "", q);
    if (isfinite(on->run)) {
        const struct place_score s = score(t, operation, q);
        sb_addf(
            to,
            ", \"us\": %.3f, \"T\": %.3f, \"A\": %.3f, \"C\": %.3f, \"S\": %.3f, \"O\": %.3f, \"P\": %.3f",
            US * place_own(t->p, operation, q), US * s.moves, US * s.accumulated, US * place_cost(&s),
            US * s.speed, US * s.complexity, US * place_benefit(&s));
        if (within(t->p, operation, q) != PLACE_NOWHERE)
            sb_addf(to, ", \"within\": %zu", within(t->p, operation, q));
    } else {
        sb_add(to, ", \"why\": ");
        sb_add_json(to, on->why ? on->why : "it cannot run there");
    }
    sb_add(to, "}");
}

static void json_operation(struct telling *t, size_t i, struct strbuf *to)
{
    const struct place_operation *op = &t->p->operations[i];
    sb_add(to, i ? ",\n  {\"name\": " : "\n  {\"name\": ");
    sb_add_json(to, op->name);
    sb_add(to, ", \"type\": ");
    sb_add_json(to, op->type);
    sb_addf(to, ", \"scalar\": %s, \"processor\": %u, \"measured\": %s, \"error\": %.3f, \"candidates\": [",
            op->scalar ? "true" : "false", t->n->places[i], t->n->host[i].measured ? "true" : "false",
            t->n->host[i].error);
    for (size_t q = 0; q < t->p->processors; q++)
        json_candidate(t, i, q, to);
    sb_add(to, "], \"readers\": [");
    const struct place_value *v = &t->p->values[i];
    for (size_t r = 0; r < v->reader_count; r++)
        sb_addf(to, "%s%zu", r ? ", " : "", v->readers[r]);
    sb_addf(to, "], \"bytes\": %.0f}", v->bytes);
}

static void json_processors(const struct place_network *n, struct strbuf *to)
{
    sb_add(to, "\"processors\": [{\"number\": 0, \"name\": \"host\"}");
    for (size_t d = 0; d < n->device_count; d++) {
        const struct place_device *p = &n->devices[d];
        sb_addf(to, ", {\"number\": %zu, \"name\": ", d + 1);
        sb_add_json(to, p->name);
        sb_addf(to,
                ", \"rows\": %u, \"clusters\": %u, \"pes\": %u, \"data_bytes\": %u, \"memory\": %" PRIu64
                ", \"mhz\": %.3f}",
                p->rows, p->clusters, p->pes, p->data_bytes, p->memory, p->hertz / US);
    }
    sb_add(to, "]");
}

static void json_scalars(const struct place_network *n, struct strbuf *to)
{
    const struct scalar_savings *s = &n->savings;
    const struct scalars_told told = look_at_scalars(n);
    sb_addf(to,
            "\"scalars\": {\"lowered\": %zu, \"left\": %zu, \"constants\": %zu, \"identities\": %zu, "
            "\"common\": %zu, \"dead\": %zu, \"in_loops\": %zu, \"us\": %.3f}",
            n->lowered, n->scalars.count, s->constants, s->identities, s->common, s->dead, told.in_loops,
            isfinite(told.us) ? told.us : 0);
}

/* With parts: of the strategies that were tried with them. */
static void json_parts(const struct place_network *n, struct strbuf *to)
{
    const struct place_strategy *first = strategy_of(n);
    sb_add(to, "\"strategies_with_parts\": {");
    for (size_t i = 0; i < n->joined_count; i++)
        sb_addf(to, "%s\"%s\": %.3f", i ? ", " : "", first[i].name, US * n->joined[i]);
    sb_add(to, "}");
}

void place_network_json(const struct place_network *n, struct strbuf *to)
{
    struct telling t;
    if (!begin(&t, n))
        return;
    sb_addf(to, "\"placement\": {\"strategy\": \"%s\", \"us\": %.3f, \"proven\": %s, ", strategy_of(n)->name,
            US * n->result.seconds, n->result.proven ? "true" : "false");
    json_processors(n, to);
    sb_add(to, ",\n \"strategies\": {");
    for (const struct place_strategy *s = place_strategies; s->name; s++)
        sb_addf(to, "%s\"%s\": %.3f", s == place_strategies ? "" : ", ", s->name, US * predicted(&t, s));
    sb_add(to, "},\n ");
    json_parts(n, to);
    sb_add(to, ",\n ");
    json_scalars(n, to);
    sb_add(to, ",\n ");
    place_json_joined(n, to);
    sb_add(to, ",\n \"operations\": [");
    for (size_t i = 0; i < n->problem.count; i++) {
        json_operation(&t, i, to);
        pass_on(&t, i);
    }
    sb_add(to, "]}");
    free(t.room);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/joined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/device/parts.h"

enum { DEVICE = PLACE_HOST + 1, PLACEMENTS_MOST = PLACE_STRATEGIES_MOST };

/* ---- costs --------------------------------------------------------------------------------------- */

/* A straight line through what copies of two sizes take. */
static struct place_move move_of(const struct place_network *n, bool to_device)
{
    enum { LITTLE = 1024, MUCH = 1048576 };
    const struct place_device *d = &n->devices[0];
    const struct place_library *library = n->options->library;
    const double little =
                     to_device ? place_copies(d, library, LITTLE, 0) : place_copies(d, library, 0, LITTLE),
                 much = to_device ? place_copies(d, library, MUCH, 0) : place_copies(d, library, 0, MUCH),
                 each = fmax((much - little) / (MUCH - LITTLE), 0);
    return (struct place_move){.start = fmax(little - each * LITTLE, 0), .each = each};
}

/* A node that sees a value in another form costs nothing where the value is. */
static void join_view(struct place_network *n, size_t at)
{
    struct place_problem *p = &n->problem;
    struct place_candidate *on = &p->operations[at].on[DEVICE];
    size_t from = 0;
    while (from < at && p->values[from].producer != PLACE_NOWHERE &&
           n->net->nodes[from] != n->net->nodes[at]->inputs[0]->producer)
        from++;
    if (from == at || !isfinite(p->operations[from].on[DEVICE].run))
        return;
    *on = (struct place_candidate){.run = 0};
    p->links[p->link_count++] = (struct place_link){from, at, DEVICE};
}

/* The reasons of layers go with the layers, which parts replace. */
static bool keep_reasons(struct place_network *n)
{
    n->reasons = calloc(n->problem.count + 1, sizeof *n->reasons);
    bool ok = n->reasons;
    for (size_t i = 0; ok && i < n->problem.count; i++) {
        const char **why = &n->problem.operations[i].on[DEVICE].why;
        if (!*why)
            continue;
        *why = n->reasons[i] = strdup(*why);
        ok = *why != NULL;
    }
    return ok;
}

bool place_join_costs(struct place_network *n)
{
    struct place_problem *p = &n->problem;
    if (!keep_reasons(n))
        return false;
    for (size_t i = 0; i < p->count; i++) {
        struct place_candidate *on = &p->operations[i].on[DEVICE];
        on->copy = 0;
        if (!isfinite(on->run) && part_views(n->net->nodes[i]) &&
            isfinite(p->operations[i].on[PLACE_HOST].run))
            join_view(n, i);
    }
    p->move[PLACE_HOST][DEVICE] = move_of(n, true);
    p->move[PLACE_HOST][DEVICE].start += n->devices[0].job;
    p->move[DEVICE][PLACE_HOST] = move_of(n, false);
    return true;
}

/* ---- what parts take ----------------------------------------------------------------------------- */

/* By the operands and results of a run with all rows. */
static double copies_of(const struct place_network *n, const struct part *part)
{
    double to = 0, from = 0;
    for (size_t i = 0; i < part->input_count; i++) {
        const struct tulle_matrix *m = &part->inputs[i].matrix;
        to += (double)job_shape_bytes(
            &(struct job_shape){.type = m->type, .rows = m->rows, .columns = m->columns});
    }
    for (size_t i = 0; i < part->output_count; i++) {
        const struct tulle_output *y = &part->outputs[i].output;
        from += (double)((uint64_t)y->room * job_element_bytes(y->type));
    }
    return place_copies(&n->devices[0], n->options->library, to, from);
}

/* All jobs, and what stays on the host. `order` has the nodes as the problem numbers them. */
static double seconds_with(const struct place_network *n, struct node *const *order)
{
    const struct place_device *d = &n->devices[0];
    size_t count, part_count;
    const struct layer *list = layers_list(d->layers, &count);
    const struct part *parts = layers_parts(d->layers, &part_count);
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        uint64_t cycles = 0;
        if (list[i].part || list[i].folded_into != i)
            continue;
        while (order[at] != list[i].node)
            at++;
        if (!list[i].op)
            seconds += n->host[at].seconds;
        else if (!layer_predict(&list[i], &cycles))
            seconds += (double)cycles / d->hertz + place_job_copies(n, d, list[i].job);
    }
    for (size_t i = 0; i < part_count; i++)
        seconds += (double)parts[i].predicted / d->hertz + d->job + copies_of(n, &parts[i]);
    return seconds;
}

double place_joined_seconds(const struct place_network *n)
{
    return seconds_with(n, n->net->nodes);
}

/* ---- choosing ------------------------------------------------------------------------------------ */

struct joining {
    struct place_network *n;
    const struct place_joiner *joiner;
    struct node **order;   /* the network's nodes as the problem numbers them */
    const uint8_t *places; /* that parts are made of */
};

static bool may(void *context, const struct node *node)
{
    const struct joining *j = context;
    size_t at = 0;
    while (at < j->n->problem.count && j->order[at] != node)
        at++;
    return at < j->n->problem.count && j->places[at] == DEVICE;
}

static bool make(struct joining *j, const uint8_t *places, double *seconds, struct diag *diag)
{
    const struct layers_placer placer = {j, may};
    j->places = places;
    memcpy(j->n->net->nodes, j->order, j->n->problem.count * sizeof *j->order);
    const bool ok = j->joiner->make(j->joiner->context, &placer, diag);
    if (ok)
        *seconds = seconds_with(j->n, j->order);
    return ok;
}

/* Of two strategies that choose the same, parts are planned once. */
static size_t same_as(const struct place_network *n, uint8_t *const *chosen, size_t at)
{
    size_t first = 0;
    while (first < at && memcmp(chosen[first], chosen[at], n->problem.count) != 0)
        first++;
    return first;
}

/* Parts of what every strategy chooses; the best is made last, or once more. */
static bool make_best(struct joining *j, uint8_t **chosen, size_t count, struct diag *diag)
{
    struct place_network *n = j->n;
    size_t best = 0, last = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t same = same_as(n, chosen, i);
        if (same == i && !make(j, chosen[i], &n->joined[i], diag))
            return false;
        last = same == i ? i : last;
        n->joined[i] = n->joined[same];
        best = n->joined[i] < n->joined[best] ? i : best;
    }
    n->result.seconds = n->joined[best];
    return same_as(n, chosen, best) == last || make(j, chosen[best], &n->joined[best], diag);
}

static bool choose(struct joining *j, struct diag *diag)
{
    struct place_network *n = j->n;
    const size_t nodes = n->problem.count;
    const struct place_strategy *first = n->options->strategy ? n->options->strategy : place_strategies;
    uint8_t *room = calloc(PLACEMENTS_MOST, nodes + 1), *chosen[PLACEMENTS_MOST];
    size_t count = 0;
    bool ok = room != NULL;
    for (const struct place_strategy *s = first; ok && s->name; s++, count++) {
        struct place_result result = {.places = chosen[count] = room + count * (nodes + 1)};
        ok = s->place(&n->problem, &n->options->how, &result);
        if (s == first)
            n->result = result;
        else
            sb_free(&result.log);
        if (first != place_strategies) {
            count++;
            break;
        }
    }
    if (!ok)
        diag_no_memory(diag, n->net->source[0].path);
    ok = ok && make_best(j, chosen, count, diag);
    n->joined_count = ok ? count : 0;
    n->result.proven = false;
    free(room);
    return ok;
}

/* ---- the network's new order --------------------------------------------------------------------- */

static void renumber(struct place_problem *p, const size_t *to)
{
    for (size_t i = 0; i < p->link_count; i++) {
        p->links[i].first = to[p->links[i].first];
        p->links[i].second = to[p->links[i].second];
    }
    for (size_t i = 0; i < p->value_count; i++) {
        struct place_value *v = &p->values[i];
        v->producer = v->producer == PLACE_NOWHERE ? PLACE_NOWHERE : to[v->producer];
        for (size_t r = 0; r < v->reader_count; r++)
            v->readers[r] = to[v->readers[r]];
    }
}

/* The problem numbers the nodes as the network has them now. False: out of memory. */
static bool follow(struct joining *j)
{
    struct place_problem *p = &j->n->problem;
    struct place_operation *operations = malloc((p->count + 1) * sizeof *operations);
    struct place_value *values = malloc((p->count + 1) * sizeof *values);
    struct place_time *host = malloc((p->count + 1) * sizeof *host);
    size_t *to = malloc((p->count + 1) * sizeof *to);
    const bool ok = operations && values && host && to;
    if (ok) {
        memcpy(operations, p->operations, p->count * sizeof *operations);
        memcpy(values, p->values, p->count * sizeof *values);
        memcpy(host, j->n->host, p->count * sizeof *host);
    }
    for (size_t i = 0; ok && i < p->count; i++) {
        size_t at = 0;
        while (j->order[at] != j->n->net->nodes[i])
            at++;
        to[at] = i;
        p->operations[i] = operations[at];
        p->values[i] = values[at];
        j->n->host[i] = host[at];
    }
    if (ok)
        renumber(p, to);
    free(operations);
    free(values);
    free(host);
    free(to);
    return ok;
}

/* What runs where, as the parts came out; and why what could run on the device does not. */
static bool take_places(struct place_network *n)
{
    size_t count;
    const struct layer *list = layers_list(n->devices[0].layers, &count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const bool there = list[i].op || list[i].part || list[i].folded_into != i;
        const struct place_candidate *on = n->problem.operations[i].on;
        struct strbuf why = {0};
        n->places[i] = there ? DEVICE : PLACE_HOST;
        if (there)
            continue;
        if (isfinite(on[DEVICE].run))
            sb_addf(&why, "placed on the CPU: %.2f us there, %.2f us on the device without copies",
                    1e6 * n->host[i].seconds, 1e6 * on[DEVICE].run);
        else
            sb_add(&why, on[DEVICE].why ? on[DEVICE].why : "it cannot run on the device");
        ok = sb_ok(&why) && layers_leave(n->devices[0].layers, i, sb_text(&why));
        sb_free(&why);
    }
    return ok;
}

bool place_network_join(struct place_network *n, const struct place_joiner *joiner, struct diag *diag)
{
    struct joining j = {.n = n, .joiner = joiner, .order = malloc((n->problem.count + 1) * sizeof *j.order)};
    bool ok = j.order != NULL;
    if (ok)
        memcpy(j.order, n->net->nodes, n->problem.count * sizeof *j.order);
    else
        diag_no_memory(diag, n->net->source[0].path);
    if (ok && choose(&j, diag)) {
        ok = follow(&j) && take_places(n) && place_set_scalars(n);
        n->result.places = n->places;
        if (!ok)
            diag_no_memory(diag, n->net->source[0].path);
    } else {
        ok = false;
    }
    free(j.order);
    return ok;
}

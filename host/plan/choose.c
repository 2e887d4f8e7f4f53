/* SPDX-License-Identifier: Apache-2.0
 *
 * The automatic choice: alternatives, what they are taken to cost from sizes
 * alone, and the cheapest of the likely ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/plan/product.h"
#include "host/plan/steps.h"

/* ---- estimates ------------------------------------------------------------------------------- */

struct sizes {
    const struct variant *v;
    struct variant_derived derived;
    double m, k, n, nonzeros, port, weight_bytes, density;
};

static struct sizes sizes_of(const struct plan_description *d)
{
    struct sizes s = {.v = d->variant,
                      .m = d->m,
                      .k = d->weights->columns,
                      .n = d->weights->rows,
                      .nonzeros = d->weights->start[d->weights->rows],
                      .density = d->density};
    variant_derive(s.v, &s.derived);
    s.port = (double)s.derived.memory_bytes * s.v->memory_ports;
    s.weight_bytes = s.nonzeros * s.derived.entry_bits / 8 * 1.1;
    return s;
}

static double parts_of(const struct sizes *s, struct plan_split split, enum plan_axis axis)
{
    return (split.rows == axis ? s->v->n : 1.0) * (split.columns == axis ? s->v->m : 1.0);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double whole(double parts)
{
    double down = (double)(uint64_t)parts;
    return down < parts ? down + 1 : down;
}

#define CYCLES_ASKED 1e6 /* that the cost function is asked about, in all its plans */
#define PLANS_LEAST 2
#define PLANS_MOST 12
#define HOPELESS 1.5 /* an estimate over the best plan's cycles that ends the search */

#define SWITCH 16     /* cycles between two sets of activations that weight-stationary plans wait */
#define STEP 8        /* the same of any other step of a pass */
#define PACKET 4096.0 /* bytes of weights for a cluster, usually */

/* Cycles of the part of the device that takes longest, and some of the others, which do not overlap
 * altogether. */
static double estimate(const struct sizes *s, const struct plan_choice *c)
{
    const struct variant *v = s->v;
    double m_parts = parts_of(s, c->split, PLAN_M), n_parts = parts_of(s, c->split, PLAN_N),
           k_parts = parts_of(s, c->split, PLAN_K);
    bool one = c->split.rows == PLAN_N && c->split.columns == PLAN_M;
    double rows = whole(s->m / m_parts), usual = one ? 1 : 4, passes = whole(rows / usual),
           held = whole(rows / passes);
    double columns = whole(s->n / (n_parts * v->k)) * n_parts * v->k, padded = columns / s->n;
    double steps = whole(larger(s->k / k_parts / (v->input_buffer_depth / (2 * held)),
                                s->nonzeros / s->n * 2.25 / k_parts / v->weight_queue_depth));
    double entries = s->nonzeros * padded / (n_parts * k_parts * v->k) * passes * held;
    double macs = entries * plan_mac_share(v, s->density);
    double segments = columns / n_parts / v->k;
    double sequencer = segments * steps * passes * (1 + 2 * held);
    double bus = s->weight_bytes / (c->split.rows == PLAN_M ? 1 : v->n) * passes / s->derived.bus_bytes;
    bool stays = s->weight_bytes < v->unit_bytes * 0.6 * (c->split.rows == PLAN_M ? 1 : v->n);
    bool weights = c->mapping == PLAN_WEIGHT_STATIONARY;
    double memory = s->weight_bytes * (weights || stays ? 1 : passes) + s->m * s->k;
    bool spills = steps > 1 && c->mapping != PLAN_OUTPUT_STATIONARY && !(weights && passes == 1) &&
                  segments * held > v->output_queue_depth;
    double results = s->m * columns * 4;
    bool in_queues = steps > 1 && !spills;
    double tiles = whole(in_queues ? segments * held / v->output_queue_depth
                                   : s->weight_bytes / (n_parts * k_parts * steps) / PACKET);
    double switches = (weights ? tiles : 1) * (in_queues && steps > 2 ? tiles : 1) * steps * passes;
    double input = switches * held * s->k / k_parts / steps / v->load_width;
    memory = memory / s->port + (spills ? (steps - 1) * results / s->port : 0);
    double writes = (results + (spills ? (steps - 1) * results : 0)) / s->port;
    double most = larger(larger(macs, sequencer), larger(larger(memory, bus), larger(writes, input)));
    double waits = weights && passes > 1 ? SWITCH * switches : 0;
    return most + 0.02 * (macs + sequencer + memory + bus + writes + input) + waits + STEP * passes * steps;
}

double plan_mac_share(const struct variant *v, double density)
{
    return larger(density > 0 ? density : 1, 1.0 / v->scan);
}

/* ---- alternatives ---------------------------------------------------------------------------- */

static void add(struct plan_alternatives *a, struct plan_choice choice, double cost)
{
    const unsigned i = a->count;
    if (i == PLAN_ALTERNATIVES_MAX)
        return;
    a->of[i] = (struct plan_alternative){.choice = choice, .estimate = cost, .same_as = i};
    a->count++;
}

/* Gathering plans come first: their weights take about two bytes a non-zero, once. */
static void add_gathering(const struct sizes *s, struct plan_alternatives *a)
{
    static const struct plan_choice choices[] = {
        {.gather = PLAN_GATHER_STAY, .packet_bytes = 512},
        {.gather = PLAN_GATHER_STAY, .packet_bytes = 1024},
        {.gather = PLAN_GATHER_DIAGONAL, .packet_bytes = 8192},
        {.gather = PLAN_GATHER_DIAGONAL, .packet_bytes = 4096},
        {.gather = PLAN_GATHER_PAGES, .packet_bytes = 2048},
        {.gather = PLAN_GATHER_PAGES, .packet_bytes = 896},
        {.gather = PLAN_GATHER_PAGES, .packet_bytes = 1024, .block = 512},
    };
    double least = larger((s->weight_bytes + s->k) / s->port, s->nonzeros / s->derived.pes);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        add(a, choices[i], least * (1 + 0.01 * (double)i));
}

/* What PEs wait for each other when rows stay in their order: the longest row of each segment over the
 * average. */
static double imbalance(const struct plan_description *d)
{
    const struct sparse *w = d->weights;
    uint64_t longest = 0, entries = w->start[w->rows];
    for (uint32_t first = 0; first < w->rows; first += d->variant->k) {
        uint32_t most = 0;
        for (uint32_t r = first; r < w->rows && r < first + d->variant->k; r++) {
            uint32_t length = w->start[r + 1] - w->start[r];
            most = length > most ? length : most;
        }
        longest += most;
    }
    return entries ? (double)longest * d->variant->k / (double)entries : 1;
}

static bool wished(const struct plan_wish *wish, const struct plan_choice *c)
{
    if (!wish)
        return true;
    bool split = wish->split.rows == c->split.rows && wish->split.columns == c->split.columns;
    return (!wish->mapping_given || wish->mapping == c->mapping) && (!wish->split_given || split);
}

static void list(const struct plan_description *d, const struct plan_wish *wish, struct plan_alternatives *a)
{
    struct sizes s = sizes_of(d);
    const double uneven = imbalance(d);
    a->count = a->best = 0;
    if (d->operator== PLAN_SPMV && !(wish && (wish->mapping_given || wish->split_given)))
        add_gathering(&s, a);
    for (unsigned i = 0; i < 2 * PLAN_MAPPINGS * PLAN_AXES * PLAN_AXES; i++) {
        const struct plan_choice choice = {
            .deals = i >= PLAN_MAPPINGS * PLAN_AXES * PLAN_AXES,
            .mapping = (enum plan_mapping)(i / 9 % PLAN_MAPPINGS),
            .split = {.rows = (enum plan_axis)(i / 3 % 3), .columns = (enum plan_axis)(i % 3)}};
        double cost = d->window ? window_estimate(d, &choice) : estimate(&s, &choice);
        /* Part of it balancing takes away. Results in another order are worth it only when it is much. */
        if (choice.deals && (uneven < 1.25 || d->operator== PLAN_SPMV))
            break;
        if (wished(wish, &choice))
            add(a, choice, choice.deals ? cost : cost * (uneven < 1.25 ? 1 : (1 + uneven) / 2));
    }
}

/* ---- the choice ------------------------------------------------------------------------------ */

static uint64_t hash_bytes(uint64_t hash, const struct strbuf *text)
{
    for (size_t i = 0; i < text->len; i++)
        hash = (hash ^ (uint8_t)text->text[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static void find_same(struct plan_alternatives *a, unsigned i)
{
    for (unsigned j = 0; j < a->count; j++)
        if (j != i && a->of[j].made && a->of[j].cycles && a->of[j].hash == a->of[i].hash) {
            a->of[i].same_as = j;
            a->of[i].cycles = a->of[j].cycles;
            return;
        }
}

/* Makes an alternative and asks what it costs; it goes to `best` when it costs less. */
static void try(const struct plan_description *d, plan_cost *cost, void *context, struct plan_alternatives *a,
                unsigned i, struct plan *best)
{
    struct plan_alternative *one = &a->of[i];
    struct plan plan = {0};
    one->refused = plan_make(d, &one->choice, &plan);
    one->made = !one->refused;
    if (one->refused)
        snprintf(one->message, sizeof one->message, "%s", plan_message());
    if (one->made) {
        one->summary = plan.summary;
        one->weights_bytes = plan.weights.len;
        one->hash = hash_bytes(hash_bytes(UINT64_C(0xCBF29CE484222325), &plan.program), &plan.weights);
        find_same(a, i);
        if (one->same_as == i && !cost(context, &plan, &one->cycles))
            one->cycles = 0;
    }
    bool better =
        one->cycles && one->same_as == i && (!best->program.len || one->cycles < a->of[a->best].cycles);
    if (better) {
        plan_free(best);
        *best = plan;
        a->best = i;
    } else
        plan_free(&plan);
}

static unsigned cheapest_untried(const struct plan_alternatives *a, const bool *tried)
{
    unsigned found = a->count;
    for (unsigned i = 0; i < a->count; i++)
        if (!tried[i] && (found == a->count || a->of[i].estimate < a->of[found].estimate))
            found = i;
    return found;
}

double plan_estimate(const struct plan_description *d)
{
    const bool tried[PLAN_ALTERNATIVES_MAX] = {false};
    struct plan_alternatives a;
    list(d, NULL, &a);
    const unsigned best = cheapest_untried(&a, tried);
    return best < a.count ? a.of[best].estimate : 0;
}

/* Plans that the cost function is asked about when the caller does not say: the cycle model's time grows with
 * the cycles. */
static unsigned plans_in_time(const struct plan_alternatives *a)
{
    double cycles = 0; /* the lowest estimate; what cannot be has 0 */
    for (unsigned i = 0; i < a->count; i++)
        if (a->of[i].estimate > 0 && (!(cycles > 0) || a->of[i].estimate < cycles))
            cycles = a->of[i].estimate;
    const double plans = CYCLES_ASKED / larger(cycles, 1);
    return plans < PLANS_LEAST ? PLANS_LEAST : plans > PLANS_MOST ? PLANS_MOST : (unsigned)plans;
}

enum plan_status plan_choose(const struct plan_description *d, const struct plan_wish *wish, plan_cost *cost,
                             void *context, unsigned most, struct plan_alternatives *a, struct plan *plan)
{
    bool tried[PLAN_ALTERNATIVES_MAX] = {false};
    unsigned asked = 0, refused = PLAN_ALTERNATIVES_MAX; /* refused: the likeliest that was */
    *plan = (struct plan){0};
    if (!d->weights->rows || !d->weights->columns || !d->m)
        return plan_refuse(PLAN_INVALID, "nothing to do");
    list(d, wish, a);
    const bool all = most; /* that were asked for */
    if (!most)
        most = plans_in_time(a);
    while (asked < most || !plan->program.len) {
        unsigned i = cheapest_untried(a, tried);
        if (i == a->count || (!all && asked >= PLANS_LEAST && plan->program.len &&
                              a->of[i].estimate > HOPELESS * (double)a->of[a->best].cycles))
            break;
        tried[i] = true;
        try(d, cost, context, a, i, plan);
        refused = a->of[i].refused && refused == PLAN_ALTERNATIVES_MAX ? i : refused;
        asked += a->of[i].made && a->of[i].same_as == i;
    }
    if (plan->program.len)
        return PLAN_OK;
    return refused < a->count ? plan_refuse(a->of[refused].refused, "%s", a->of[refused].message)
                              : plan_refuse(PLAN_UNSUPPORTED, "no alternative");
}

/* ---- explaining ------------------------------------------------------------------------------ */

const char *plan_choice_name(const struct plan_choice *c, char text[32])
{
    static const char *const gathers[] = {"", "x stays", "x in pages", "diagonal", "elementwise", "softmax"};
    char split[8];
    struct strbuf name = {0};
    if (c->gather)
        sb_add(&name, gathers[c->gather]);
    else
        sb_addf(&name, "%s %s%s", plan_mapping_name(c->mapping), plan_split_name(c->split, split),
                c->deals ? ", dealt" : "");
    if (c->packet_bytes && c->gather)
        sb_addf(&name, ", %u", c->packet_bytes);
    if (c->gather && c->block)
        sb_addf(&name, ", %u", c->block);
    strncpy(text, sb_text(&name), 31);
    text[31] = '\0';
    sb_free(&name);
    return text;
}

static void explain_sizes(const struct plan_summary *s, struct strbuf *to)
{
    if (s->gather >= PLAN_PAIR) {
        sb_addf(to, "the store engine reads %s; the array rests",
                s->gather == PLAN_PAIR ? "both operands" : "rows, and looks at each three times");
        return;
    }
    sb_addf(to, "%u rows held, %u passes, %u tiles, %u k steps of %u", s->rows_held, s->passes, s->tiles,
            s->k_steps, s->block);
    if (s->spills)
        sb_addf(to, "; partial results go to memory between k steps");
    if (s->weights_stay)
        sb_addf(to, "; all weights stay on chip");
    if (s->parts)
        sb_addf(to, "; %u more parts of long rows", s->parts);
}

static int by_cycles(const void *x, const void *y)
{
    const struct plan_alternative *a = *(const struct plan_alternative *const *)x,
                                  *b = *(const struct plan_alternative *const *)y;
    if (!a->cycles != !b->cycles)
        return a->cycles ? -1 : 1;
    if (a->cycles != b->cycles)
        return a->cycles < b->cycles ? -1 : 1;
    if (a->estimate != b->estimate)
        return a->estimate < b->estimate ? -1 : 1;
    return (a > b) - (a < b);
}

static void explain_one(const struct plan_alternatives *all, const struct plan_alternative *a,
                        struct strbuf *to)
{
    char name[32], other[32];
    sb_addf(to, "| %s | %.0f | ", plan_choice_name(&a->choice, name), a->estimate);
    if (a->cycles)
        sb_addf(to, "%llu | ", (unsigned long long)a->cycles);
    else
        sb_addf(to, "- | ");
    if (a->refused)
        sb_addf(to, "cannot be: %s", a->message);
    else if (!a->made)
        sb_addf(to, "not looked at: the estimate is too high");
    else if (all->of + a->same_as != a)
        sb_addf(to, "brings nothing: the same program as %s",
                plan_choice_name(&all->of[a->same_as].choice, other));
    else
        explain_sizes(&a->summary, to);
    sb_addf(to, " |\n");
}

void plan_explain(const struct plan_alternatives *a, uint64_t measured, struct strbuf *to)
{
    const struct plan_alternative *order[PLAN_ALTERNATIVES_MAX], *best = &a->of[a->best];
    char name[32];
    for (unsigned i = 0; i < a->count; i++)
        order[i] = &a->of[i];
    qsort(order, a->count, sizeof *order, by_cycles);
    sb_addf(to, "chosen: %s, predicted %llu cycles", plan_choice_name(&best->choice, name),
            (unsigned long long)best->cycles);
    if (measured)
        sb_addf(to, ", measured %llu", (unsigned long long)measured);
    sb_addf(to, "\n\n| plan | estimate | cycle model | what it does |\n| --- | --- | --- | --- |\n");
    for (unsigned i = 0; i < a->count; i++)
        explain_one(a, order[i], to);
}

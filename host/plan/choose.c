/* SPDX-License-Identifier: Apache-2.0
 *
 * The automatic choice: alternatives, what they are taken to cost from sizes
 * alone, and the cheapest of the likely ones.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/plan/memory.h"
#include "host/plan/needed.h"
#include "host/plan/product.h"
#include "host/plan/steps.h"

/* ---- estimates ------------------------------------------------------------------------------- */

struct sizes {
    const struct variant *v;
    const struct sparse *weights;
    struct variant_derived derived;
    double m, k, n, nonzeros, port, weight_bytes, density;
    double stored; /* bytes of the weights in memory */
    double slow, sums_near;
    double input, output; /* bytes of activations and of results, as memory moves them; output 0: not known */
};

double plan_beat_cycles(const struct plan_memory *m)
{
    return m->beat_cycles ? m->beat_cycles : 1;
}

#define PACKED 1.1 /* entries of packets over those of weights */

/* Plain packets are counted on where memory is slow: then their bytes decide. */
static bool may_be_plain(const struct plan_description *d)
{
    const struct plan_window *w = d->window;
    const bool side_by_side = !w || (w->side_y == 1 && w->side_x == 1 && !w->depthwise && w->groups <= 1 &&
                                     !(d->from && d->from->group < w->channels));
    return d->variant->plain_weights && plan_beat_cycles(&d->memory) > 1 && side_by_side;
}

double plan_weight_bytes(const struct plan_description *d)
{
    struct variant_derived derived;
    const struct sparse *w = d->weights;
    variant_derive(d->variant, &derived);
    const double entries = (double)w->start[w->rows] * derived.entry_bits / 8 * PACKED,
                 places = (double)w->rows * w->columns;
    if (!may_be_plain(d))
        return entries;
    const double bits = d->variant->bitmap_weights
                            ? w->start[w->rows] + places / VARIANT_BITMAP_PLACES * PACKED
                            : entries,
                 least = places < entries ? places : entries;
    return bits < least ? bits : least;
}

static struct sizes sizes_of(const struct plan_description *d)
{
    struct sizes s = {.v = d->variant,
                      .weights = d->weights,
                      .m = d->m,
                      .k = d->weights->columns,
                      .n = d->weights->rows,
                      .nonzeros = d->weights->start[d->weights->rows],
                      .density = d->density};
    variant_derive(s.v, &s.derived);
    s.port = (double)s.derived.memory_bytes * s.v->memory_ports / plan_beat_cycles(&d->memory);
    s.slow = plan_beat_cycles(&d->memory);
    s.sums_near = d->memory.sums_near;
    s.input = s.m * s.k / (d->memory.input_near ? plan_beat_cycles(&d->memory) : 1);
    if (plan_beat_cycles(&d->memory) > 1)
        s.output =
            s.m * s.n * (1u << d->element) / (d->memory.output_near ? plan_beat_cycles(&d->memory) : 1);
    s.weight_bytes = s.nonzeros * s.derived.entry_bits / 8 * PACKED;
    s.stored = plan_weight_bytes(d);
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

#define CYCLES_ASKED 500000   /* that the cost function is asked about, in all its plans */
#define ASKED_MANY 1000000    /* entries; for each one more, it is asked about a cycle more */
#define SETTLED_MANY 0.6      /* and at the end about so many cycles more */
#define CYCLES_ENTRY 0.15     /* of the cost function that take as long as packing an entry of a plan */
#define CYCLES_WHOLE 20000    /* plans with lower estimates are asked about as a whole */
#define CYCLES_SETTLED 300000 /* of the plans that are asked about as a whole at the end */
#define NEARLY 1.06           /* cycles over the best plan's of those */
#define SAME_SPLIT 0.01       /* of the estimate, for each plan of the same split that was tried */
#define DOUBT 1.03            /* cycles that follow from parts, beside plans that were asked about whole */
#define LEAN 1.5              /* bytes over the least, for which a search is shortened */
#define WORTH 0.02            /* of the cycles that may be gained: less shortens the search */
#define WORTH_BYTES 0.3       /* of a whole search, for bytes alone */
#define POOR 1.25             /* cycles over the least, above which a search is lengthened */
#define CYCLES_POOR 1000000   /* that the cost function is then asked about, or one for each entry */
#define PLANS_LEAST 2
#define WINDOWS_LEAST 3 /* of convolutions */
#define SLICE_MOST 4    /* of slices */
#define HOPELESS 1.5    /* an estimate over the best plan's cycles that ends the search */
#define HOPELESS_POOR 2 /* the same where the best plan is poor: estimates then say little */
#define FRAME_TILES 3   /* in frames, that are looked at beside the best plan's */
#define FRAME_BEAT 2    /* cycles that a beat of the memory is worth in frames */
#define BANK_BEAT 8 /* the same where results stay in the activation bank: other bytes are the most then */
#define SLOW_SHARE 0.125 /* of the cycles of a slow memory, which others use as well */
#define AS_GOOD 1.004    /* cycles over the best plan's for which fewer bytes may be bought */

#define SURELY_MEMORY 1.5 /* cycles of a slow memory over those of the multiplications */
#define LOOKED 30000 /* cycles of the cost function that are as long as making a plan and looking at it */

#define VECTOR 60     /* cycles between two vectors */
#define CERTAIN 0.85  /* of the estimate of vectors: those of products leave more out */
#define THIN 0.02     /* non-zeros of all places, below which vectors are worth a look */
#define UNEVEN 1.25   /* what PEs wait for each other, from which on that is worth something */
#define SWITCH 16     /* cycles between two sets of activations that weight-stationary plans wait */
#define SPILL 300     /* cycles from the last sum of a k step to the first of the next, through memory */
#define STEP 8        /* the same of any other step of a pass */
#define PACKET 4096.0 /* bytes of weights for a cluster, usually */
#define PACKET_WHOLE 16384.0 /* the same of tiles that must be one packet, the same for all clusters */

/* Cycles of the part of the device that takes longest, and some of the others, which do not overlap
 * altogether. `uneven`: what PEs wait for each other, over their multiplications. */
static double estimate(const struct sizes *s, const struct plan_choice *c, double uneven)
{
    const struct variant *v = s->v;
    double m_parts = parts_of(s, c->split, PLAN_M), n_parts = parts_of(s, c->split, PLAN_N),
           k_parts = parts_of(s, c->split, PLAN_K);
    bool one = c->split.rows == PLAN_N && c->split.columns == PLAN_M;
    double rows = whole(s->m / m_parts),
           usual = one ? 1 : product_usual_held(v, s->weights, (unsigned)k_parts, UINT_MAX),
           passes = whole(rows / usual), held = whole(rows / passes);
    double columns = whole(s->n / (n_parts * v->k)) * n_parts * v->k, padded = columns / s->n;
    double steps = whole(larger(s->k / k_parts / (v->input_buffer_depth / (2 * held)),
                                s->nonzeros / s->n * 2.25 / k_parts / v->weight_queue_depth));
    double entries = s->nonzeros * padded / (n_parts * k_parts * v->k) * passes * held;
    double macs = entries * plan_mac_share(v, s->density) * uneven;
    double segments = columns / n_parts / v->k;
    double sequencer = segments * steps * passes * (1 + 2 * held);
    double bus = s->weight_bytes / (c->split.rows == PLAN_M ? 1 : v->n) * passes / s->derived.bus_bytes;
    bool stays = s->weight_bytes < v->unit_bytes * 0.6 * (c->split.rows == PLAN_M ? 1 : v->n);
    bool weights = c->mapping == PLAN_WEIGHT_STATIONARY;
    double memory = s->stored * (weights || stays ? 1 : passes) + s->input;
    double set = s->weight_bytes / steps / (c->split.rows == PLAN_M ? 1 : v->n); /* of all tiles */
    bool tiled = segments * held > v->output_queue_depth || (1 + PRODUCT_AHEAD) * set > v->unit_bytes;
    bool spills = steps > 1 && c->mapping != PLAN_OUTPUT_STATIONARY && !(weights && passes == 1) && tiled;
    double results = s->m * columns * 4;
    double last = s->output > 0 ? s->output : results;
    double sums = (spills ? (steps - 1) * results : 0) / (results <= s->sums_near ? s->slow : 1);
    bool in_queues = steps > 1 && !spills;
    double packets = s->weight_bytes / (n_parts * k_parts * steps) /
                     (in_queues && c->split.columns == PLAN_M ? PACKET_WHOLE : PACKET);
    double tiles = whole(in_queues ? larger(segments * held / v->output_queue_depth, packets) : packets);
    double switches = (weights ? tiles : 1) * (in_queues && steps > 2 ? tiles : 1) * steps * passes;
    double loads = switches * held * s->k / k_parts / steps; /* activations of a cluster */
    double input = loads / v->load_width;
    bus += loads * s->derived.data_bytes * (c->split.columns == PLAN_N ? 1 : v->m) / s->derived.bus_bytes;
    memory = memory / s->port + sums / s->port;
    double writes = (last + sums) / s->port;
    double narrowing = s->m * columns *
                       (1.0 / s->derived.store_lanes + (spills ? (steps - 1) / variant_partial_lanes(v) : 0));
    double most = larger(larger(larger(macs, sequencer), larger(memory, bus)),
                         larger(larger(writes, input), narrowing));
    double waits = (weights && passes > 1 ? SWITCH * switches : 0) +
                   (spills ? SPILL * (steps - 1) * (weights ? tiles : passes) : 0);
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
        {.gather = PLAN_GATHER_STEPS, .packet_bytes = 1024, .block = 1},
        {.gather = PLAN_GATHER_STEPS, .packet_bytes = 1024, .block = 3},
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

/* Several vectors, one after another: each brings the weights, where they do not stay, and all of x. */
static void add_vectors(const struct plan_description *d, const struct sizes *s, struct plan_alternatives *a)
{
    const struct sparse *w = d->weights;
    const double k = sparse_needed_columns(w->column, w->start[w->rows], w->columns);
    const bool stays = k <= s->v->input_buffer_depth;
    const enum plan_gather gather = stays ? PLAN_GATHER_STAY : PLAN_GATHER_PAGES;
    const struct plan_choice choices[] = {{.gather = gather, .packet_bytes = stays ? 512 : 2048},
                                          {.gather = gather, .packet_bytes = 1024}};
    const double macs = s->nonzeros / s->derived.pes * plan_mac_share(s->v, s->density),
                 memory = (s->stored + k) / s->port,
                 load = k / s->v->load_width * (2 * k <= s->v->input_buffer_depth ? 0.1 : 1);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        add(a, choices[i], CERTAIN * s->m * (larger(memory, macs) + load + VECTOR) * (1 + 0.01 * (double)i));
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
    a->note = NULL;
    a->kept = false;
    if (wish && wish->only) {
        add(a, *wish->only, d->window ? window_estimate(d, wish->only) : estimate(&s, wish->only, 1));
        return;
    }
    const bool vectors = uneven >= UNEVEN || s.nonzeros < THIN * s.n * s.k;
    const bool any = !(wish && (wish->mapping_given || wish->split_given));
    if (d->operator== PLAN_SPMV && any)
        add_gathering(&s, a);
    if (d->operator== PLAN_SPMM && any && vectors)
        add_vectors(d, &s, a);
    for (unsigned i = 0; i < 2 * PLAN_MAPPINGS * PLAN_AXES * PLAN_AXES; i++) {
        const struct plan_choice choice = {
            .deals = i >= PLAN_MAPPINGS * PLAN_AXES * PLAN_AXES,
            .mapping = (enum plan_mapping)(i / 9 % PLAN_MAPPINGS),
            .split = {.rows = (enum plan_axis)(i / 3 % 3), .columns = (enum plan_axis)(i % 3)}};
        /* Part of it balancing takes away. Results in another order are worth it only when it is much. */
        const double waits = choice.deals || uneven < UNEVEN ? 1 : (1 + uneven) / 2;
        if (choice.deals && (uneven < UNEVEN || d->operator== PLAN_SPMV))
            break;
        if (wished(wish, &choice))
            add(a, choice, d->window ? window_estimate(d, &choice) * waits : estimate(&s, &choice, waits));
    }
}

/* ---- the choice ------------------------------------------------------------------------------ */

#define HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15)

static uint64_t hash_word(uint64_t hash, uint64_t word)
{
    return (hash ^ hash >> 32 ^ word) * HASH_FACTOR;
}

static uint64_t hash_bytes(uint64_t hash, const struct strbuf *text)
{
    uint64_t word;
    size_t i = 0;
    for (; i + sizeof word <= text->len; i += sizeof word) {
        memcpy(&word, text->text + i, sizeof word);
        hash = hash_word(hash, word);
    }
    for (; i < text->len; i++)
        hash = hash_word(hash, (uint8_t)text->text[i]);
    return hash_word(hash, text->len);
}

/* Of the program, or those of its parts, and the weights. */
static uint64_t hash_plan(const struct plan *plan)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325) + plan->layout.passes;
    for (unsigned i = 0; i < PLAN_PARTS; i++)
        hash = hash_bytes(hash, &plan->part[i].program);
    return hash_bytes(hash_bytes(hash, &plan->program), &plan->weights);
}

static bool is_made(const struct plan *plan)
{
    return plan->program.len || plan->part[0].program.len;
}

static void find_same(struct plan_alternatives *a, unsigned i)
{
    for (unsigned j = 0; j < a->count; j++)
        if (j != i && a->of[j].made && a->of[j].price.cycles && a->of[j].hash == a->of[i].hash) {
            a->of[i].same_as = j;
            a->of[i].price = a->of[j].price;
            return;
        }
}

/* How often what the second part has more than the first is in the rest. */
static double times(double first, double second)
{
    return (1 - second) / (second - first);
}

/* Passes take nearly the same after the first few, and so do tiles for each byte of their weights: the price
 * of all follows from those of some. Where passes differ in their multiplications, the time of these is that
 * of the multiplications of all. It is no less than any plan takes, and the weights are read once at least: a
 * part may wait for its own loads and results more than all do. */
static struct plan_price price_of_all(const struct plan_description *d, const struct plan *plan,
                                      const struct plan_price part[PLAN_PARTS])
{
    const double more = (double)part[1].cycles - (double)part[0].cycles,
                 multiplies = (double)d->least.cycles * (plan->part[1].macs - plan->part[0].macs),
                 share = multiplies < more ? multiplies / more : 1,
                 by_macs = times(plan->part[0].macs, plan->part[1].macs),
                 by_passes = times(plan->part[0].share, plan->part[1].share);
    const double cycles = (double)part[1].cycles + more * (share * by_macs + (1 - share) * by_passes);
    return (struct plan_price){
        .cycles = (uint64_t)larger(larger(cycles, (double)d->least.cycles),
                                   (double)plan->weights.len / sizes_of(d).port),
        .bytes = part[1].bytes + (uint64_t)(by_passes * ((double)part[1].bytes - (double)part[0].bytes))};
}

static struct plan part_of_plan(const struct plan *plan, unsigned number)
{
    struct plan of = *plan;
    of.program = plan->part[number].program;
    of.summary.share = plan->part[number].share;
    return of;
}

/* False: the cost function cannot say. Adds to `asked` the cycles that it was asked about. */
static bool ask_parts(const struct plan_description *d, plan_cost *cost, void *context,
                      const struct plan *plan, struct plan_price *price, uint64_t *asked)
{
    struct plan_price part[PLAN_PARTS];
    for (unsigned i = 0; i < PLAN_PARTS; i++) {
        const struct plan of = part_of_plan(plan, i);
        if (!cost(context, &of, &part[i]))
            return false;
        *asked += part[i].cycles;
    }
    *price = price_of_all(d, plan, part);
    return true;
}

/* Cycles of a slow memory for the whole of a plan; 0: it is not slow. */
static uint64_t memory_of(const struct plan_description *d, const struct plan *plan, bool in_parts)
{
    if (!in_parts)
        return memory_cycles_of(d, plan);
    const struct plan parts[PLAN_PARTS] = {part_of_plan(plan, 0), part_of_plan(plan, 1)};
    const double first = (double)memory_cycles_of(d, &parts[0]),
                 second = (double)memory_cycles_of(d, &parts[1]);
    return (uint64_t)(second + times(plan->part[0].share, plan->part[1].share) * (second - first));
}

/* With the cycles of a slow memory, if they are more. */
static void take_memory(struct plan_price *price, uint64_t memory)
{
    price->memory = memory;
    price->cycles = memory > price->cycles ? memory : price->cycles;
}

/* Whether memory is so slow that the cycle model will hardly say more. */
static bool waits_for_memory(const struct plan_description *d, uint64_t memory)
{
    return (double)memory > SURELY_MEMORY * (double)d->least.cycles;
}

static bool ask(const struct plan_description *d, plan_cost *cost, void *context, const struct plan *plan,
                struct plan_alternative *one, uint64_t *asked)
{
    struct plan_price *price = &one->price;
    const uint64_t memory = memory_of(d, plan, one->in_parts);
    const bool ok =
        one->in_parts ? ask_parts(d, cost, context, plan, price, asked) : cost(context, plan, price);
    *asked += ok && !one->in_parts ? price->cycles : 0;
    one->by_memory = false;
    take_memory(price, memory);
    return ok;
}

/* Where memory is slow it tells nearly all, in no time: the cycle model is asked about the best alone. */
static bool ask_memory(const struct plan_description *d, plan_cost *cost, void *context,
                       const struct plan *plan, struct plan_alternative *one, uint64_t *asked)
{
    const uint64_t memory = memory_of(d, plan, one->in_parts);
    one->by_memory = waits_for_memory(d, memory);
    if (!one->by_memory)
        return ask(d, cost, context, plan, one, asked);
    one->price = (struct plan_price){0};
    take_memory(&one->price, memory);
    *asked += LOOKED;
    return true;
}

static bool same_split(const struct plan_choice *a, const struct plan_choice *b)
{
    return !a->gather && !b->gather && a->split.rows == b->split.rows && a->split.columns == b->split.columns;
}

/* The output-stationary plan that was tried and is the same as a weight-stationary one of vectors, as they
 * have one pass; `count`: none. */
static unsigned twin_of(const struct plan_description *d, const struct plan_alternatives *a, unsigned i)
{
    const struct plan_choice *c = &a->of[i].choice;
    const bool can_be = !d->window && d->m == 1 && !c->gather && c->mapping == PLAN_WEIGHT_STATIONARY;
    for (unsigned j = 0; can_be && j < a->count; j++)
        if (a->of[j].made && a->of[j].choice.mapping == PLAN_OUTPUT_STATIONARY &&
            a->of[j].choice.deals == c->deals && same_split(c, &a->of[j].choice))
            return j;
    return a->count;
}

/* The plan of alternative i takes the place of the best one. */
static void keep(struct plan_alternatives *a, unsigned i, struct plan *plan, struct plan *best)
{
    plan_free(best);
    *best = *plan;
    *plan = (struct plan){0};
    a->best = i;
}

/* Makes an alternative and asks what it costs; it goes to `best` when it costs less. Adds what that took to
 * `asked`. */
static void try(const struct plan_description *description, plan_cost *cost, void *context,
                struct plan_alternatives *a, unsigned i, struct plan *best, uint64_t *asked)
{
    struct plan_alternative *one = &a->of[i];
    const unsigned twin = twin_of(description, a, i);
    if (twin < a->count) {
        const struct plan_alternative same = a->of[twin];
        *one = (struct plan_alternative){.choice = one->choice,
                                         .estimate = one->estimate,
                                         .made = true,
                                         .price = same.price,
                                         .same_as = same.same_as,
                                         .hash = same.hash,
                                         .weights_bytes = same.weights_bytes,
                                         .summary = same.summary};
        return;
    }
    struct plan plan = {0};
    struct plan_description d = *description;
    d.parts = d.parts && one->estimate > CYCLES_WHOLE;
    one->refused = plan_make(&d, &one->choice, &plan);
    one->made = !one->refused;
    *asked += one->made ? (uint64_t)(CYCLES_ENTRY * d.weights->start[d.weights->rows]) : 0;
    if (one->refused)
        snprintf(one->message, sizeof one->message, "%s", plan_message());
    if (one->made) {
        one->summary = plan.summary;
        one->weights_bytes = plan.weights.len;
        one->hash = hash_plan(&plan);
        find_same(a, i);
        one->in_parts = plan.part[0].share > 0;
        if (one->same_as == i && !ask_memory(&d, cost, context, &plan, one, asked))
            one->price.cycles = 0;
    }
    bool better = one->price.cycles && one->same_as == i &&
                  (!is_made(best) || one->price.cycles < a->of[a->best].price.cycles);
    if (better)
        keep(a, i, &plan, best);
    plan_free(&plan);
}

/* Whether a plan takes much longer than the multiplications, and than all operands on one memory port. */
static bool is_poor(const struct plan_description *d, const struct plan_price *best)
{
    struct variant_derived derived;
    variant_derive(d->variant, &derived);
    const double far = (double)d->least.bytes * plan_beat_cycles(&d->memory),
                 least = larger((double)d->least.cycles, far / derived.memory_bytes);
    return d->least.cycles && (double)best->cycles > POOR * least;
}

/* What is known of alternatives while the search goes on. */
struct search {
    const struct plan_alternatives *a;
    bool tried[PLAN_ALTERNATIVES_MAX];
    unsigned alike; /* mappings of a split that are looked at before that makes others likelier */
    bool poor;      /* the best plan is */
};

/* The least that tried plans, of the same split as `of` unless it is NULL, took for each cycle of their
 * estimates; 0: there are none. */
static double least_ratio(const struct search *s, const struct plan_choice *of)
{
    double least = 0;
    for (unsigned j = 0; j < s->a->count; j++) {
        const struct plan_alternative *one = &s->a->of[j];
        const double ratio = (double)one->price.cycles / one->estimate;
        if (s->tried[j] && !one->choice.gather && (!of || same_split(of, &one->choice)) && ratio > 0)
            least = least <= 0 || ratio < least ? ratio : least;
    }
    return least;
}

/* The estimate, and a little more for each plan of the same split that was tried: others may tell more. In
 * convolutions the first two mappings of a split differ, too. While all plans are poor, estimates leave out
 * something that plans of a split share: those of the others are then wrong by as much. */
static double rank(const struct search *s, unsigned i)
{
    const struct plan_alternative *of = s->a->of, *one = &of[i];
    const double wrong = s->poor ? least_ratio(s, &one->choice) : 0;
    unsigned same = 0;
    if (wrong > 0)
        return one->estimate * wrong / least_ratio(s, NULL);
    for (unsigned j = 0; j < s->a->count; j++)
        same += s->tried[j] && same_split(&one->choice, &of[j].choice);
    return one->estimate * (1 + SAME_SPLIT * (same < s->alike ? 0 : same));
}

static unsigned cheapest_untried(const struct search *s)
{
    const unsigned count = s->a->count;
    unsigned found = count;
    for (unsigned i = 0; i < count; i++)
        if (!s->tried[i] && (found == count || rank(s, i) < rank(s, found)))
            found = i;
    return found;
}

double plan_estimate(const struct plan_description *d)
{
    struct plan_alternatives a;
    const struct search search = {.a = &a};
    list(d, NULL, &a);
    const unsigned best = cheapest_untried(&search);
    return best < a.count ? a.of[best].estimate : 0;
}

/* Of the multiplications, and of a slow memory for all that it moves at least. */
static double least_cycles(const struct plan_description *d)
{
    const double slow = plan_beat_cycles(&d->memory);
    return larger((double)d->least.cycles, slow > 1 ? (double)d->least.bytes / sizes_of(d).port : 0);
}

/* A search may take as long as what it can bring is worth, in cycles or in bytes; 1: no bound is near. */
static double worth(const struct plan_description *d, const struct plan_price *best)
{
    const struct plan_price *least = &d->least;
    const double floor = least_cycles(d), gain = least->cycles ? (double)best->cycles / floor - 1 : WORTH,
                 bytes = (double)best->bytes <= LEAN * (double)least->bytes ? 0 : WORTH_BYTES;
    return gain >= WORTH ? 1 : larger(gain / WORTH, bytes);
}

/* Entries beyond those for which a search has a time of its own. */
static double many_entries(const struct plan_description *d)
{
    return larger(0, (double)d->weights->start[d->weights->rows] - ASKED_MANY);
}

/* Ends a search without a given number of plans. */
static bool is_enough(const struct plan_description *d, const struct search *s, uint64_t asked,
                      double estimate)
{
    const struct plan_price *best = &s->a->of[s->a->best].price;
    const double entries = d->weights->start[d->weights->rows], asks = CYCLES_ASKED + many_entries(d),
                 most = s->poor ? larger(CYCLES_POOR, entries) : asks * worth(d, best),
                 hopeless = s->poor ? HOPELESS_POOR : HOPELESS;
    return (double)asked > most || estimate > hopeless * (double)best->cycles;
}

static bool can_be(const struct plan_alternatives *a, unsigned i)
{
    return a->of[i].price.cycles && a->of[i].same_as == i;
}

/* Cycles that decide. What its parts tell is doubted when others are known as a whole. */
static double cycles_of(const struct plan_alternatives *a, unsigned i, bool whole)
{
    return (double)a->of[i].price.cycles * (whole && a->of[i].in_parts ? DOUBT : 1);
}

/* The fastest that was priced by its parts; `count`: there is none. */
static unsigned fastest_in_parts(const struct plan_alternatives *a)
{
    unsigned found = a->count;
    for (unsigned i = 0; i < a->count; i++)
        if (can_be(a, i) && a->of[i].in_parts && !a->of[i].by_memory &&
            a->of[i].price.cycles > a->of[i].price.memory &&
            (found == a->count || a->of[i].price.cycles < a->of[found].price.cycles))
            found = i;
    return found;
}

/* Asks about some of the plans that their parts make nearly the best, as a whole, if it does not take long.
 * Parts do not tell when parts of the array run away from each other, so products are asked about however
 * good they look. The fastest of those goes to `kept`. False: about none. */
static bool settle(const struct plan_description *d, plan_cost *cost, void *context,
                   struct plan_alternatives *a, struct plan *kept)
{
    const struct plan_price best = a->of[a->best].price;
    /* Its parts say less than any plan takes, or much less than what follows from sizes. */
    const bool doubtful =
        best.cycles <= d->least.cycles || HOPELESS * (double)best.cycles < a->of[a->best].estimate;
    const double usual =
                     (CYCLES_SETTLED + SETTLED_MANY * many_entries(d)) * (d->window ? worth(d, &best) : 1),
                 all = doubtful ? larger(CYCLES_POOR, usual) : usual;
    double asked = 0;
    bool any = false;
    for (unsigned i = fastest_in_parts(a); i < a->count; i = fastest_in_parts(a)) {
        struct plan_alternative *one = &a->of[i];
        struct plan plan = {0};
        const double fastest = (double)a->of[a->best].price.cycles; /* as a whole, once any is known so */
        if ((double)one->price.cycles > NEARLY * fastest || asked + (double)one->price.cycles > all)
            break;
        one->in_parts = plan_make(d, &one->choice, &plan) || !cost(context, &plan, &one->price);
        take_memory(&one->price, one->in_parts ? one->price.memory : memory_cycles_of(d, &plan));
        if (!one->in_parts && (!any || one->price.cycles < a->of[a->best].price.cycles))
            keep(a, i, &plan, kept);
        plan_free(&plan);
        if (one->in_parts)
            break;
        asked += (double)one->price.cycles + CYCLES_ENTRY * (double)d->weights->start[d->weights->rows];
        any = true;
    }
    return any;
}

/* Whether results go to a frame, and memory is as fast as the device: cycles of a slow one are all that
 * counts where it is. */
static bool is_in_frame(const struct plan_description *d)
{
    return d->to && plan_beat_cycles(&d->memory) <= 1;
}

/* What decides, of a plan that can be: its cycles, and in a frame some for its bytes, since operators in one
 * program may move few more than each in a program of its own. */
static double weight_of(const struct plan_description *d, const struct plan_alternatives *a, unsigned i,
                        bool whole)
{
    if (a->of[i].price.memory)
        return cycles_of(a, i, whole) + SLOW_SHARE * (double)a->of[i].price.memory;
    const double beats = (double)a->of[i].price.bytes / sizes_of(d).port, beat = !is_in_frame(d) ? 0
                                                                                 : d->variant->local_bytes
                                                                                     ? BANK_BEAT
                                                                                     : FRAME_BEAT;
    return cycles_of(a, i, whole) + beat * beats;
}

/* What a plan moves to and from memory: cycles of a slow one, to compare, or bytes. */
static uint64_t moved(const struct plan_alternatives *a, unsigned i)
{
    const struct plan_price *price = &a->of[i].price;
    return price->memory ? price->memory : price->bytes;
}

/* The fastest plan, or one that takes hardly longer and moves fewer bytes. `best` is freed if it is another.
 */
static void take_best(const struct plan_description *d, struct plan_alternatives *a, bool whole,
                      struct plan *best)
{
    unsigned found = a->count;
    for (unsigned i = 0; i < a->count; i++)
        if (can_be(a, i) && (found == a->count || weight_of(d, a, i, whole) < weight_of(d, a, found, whole)))
            found = i;
    const double most = AS_GOOD * cycles_of(a, found, whole);
    for (unsigned i = 0; i < a->count; i++)
        if (can_be(a, i) && cycles_of(a, i, whole) <= most && moved(a, i) < moved(a, found))
            found = i;
    if (found != a->best)
        plan_free(best);
    a->best = found;
}

/* Asks the cycle model about the best plan, and while another one becomes the best by what it says, about
 * that. */
static void ask_of_best(const struct plan_description *d, plan_cost *cost, void *context,
                        struct plan_alternatives *a, struct plan *plan, uint64_t *asked)
{
    take_best(d, a, false, plan);
    while (a->of[a->best].by_memory) {
        struct plan_alternative *one = &a->of[a->best];
        if (!is_made(plan) && plan_make(d, &one->choice, plan))
            return;
        one->in_parts = plan->part[0].share > 0;
        if (!ask(d, cost, context, plan, one, asked))
            return;
        take_best(d, a, false, plan);
    }
}

static bool is_listed(const struct plan_alternatives *a, const struct plan_choice *c)
{
    for (unsigned i = 0; i < a->count; i++) {
        const struct plan_alternative *one = &a->of[i];
        const bool given = one->choice.rows_held && one->choice.lines;
        const unsigned width = given ? one->choice.rows_held : one->summary.rows_held,
                       lines = given ? one->choice.lines : one->summary.lines;
        if (same_split(&one->choice, c) && one->choice.mapping == c->mapping && width == c->rows_held &&
            lines == c->lines)
            return true;
    }
    return false;
}

static void add_tile(const struct plan_description *d, struct plan_choice choice, struct plan_alternatives *a)
{
    const double cycles = window_estimate_in_frame(d, &choice);
    if (cycles > 0 && !is_listed(a, &choice))
        add(a, choice, cycles);
}

/* Asks about some of the alternatives from `first` on. */
static void try_some(const struct plan_description *d, plan_cost *cost, void *context, unsigned first,
                     struct plan_alternatives *a, struct plan *plan, uint64_t *asked)
{
    struct search search = {.a = a};
    for (unsigned i = 0; i < first; i++)
        search.tried[i] = true;
    for (unsigned tries = 0; tries < FRAME_TILES; tries++) {
        const unsigned i = cheapest_untried(&search);
        if (i == a->count)
            return;
        search.tried[i] = true;
        try(d, cost, context, a, i, plan, asked);
    }
}

/* In a frame results beyond an image are computed again, and smaller tiles begin sooner: those that are best
 * by that are asked about, too, of all splits, and then of each width with the best plan's split. */
static void try_tiles(const struct plan_description *d, plan_cost *cost, void *context,
                      struct plan_alternatives *a, struct plan *plan, uint64_t *asked)
{
    const unsigned first = a->count;
    for (unsigned i = 0; i < PLAN_AXES * PLAN_AXES; i++) {
        const struct plan_split split = {(enum plan_axis)(i / PLAN_AXES), (enum plan_axis)(i % PLAN_AXES)};
        add_tile(d, (struct plan_choice){.split = split}, a);
    }
    try_some(d, cost, context, first, a, plan, asked);
    const unsigned second = a->count;
    const struct plan_choice best = a->of[a->best].choice;
    for (unsigned i = 0; i < 2 * PRODUCT_HELD_MAX; i++)
        add_tile(d,
                 (struct plan_choice){
                     .mapping = best.mapping, .split = best.split, .rows_held = 1 + i / 2, .lines = i % 2},
                 a);
    try_some(d, cost, context, second, a, plan, asked);
}

/* `plan` may still lack its program, or be free: it is that of a->best. */
static enum plan_status choose(const struct plan_description *d, const struct plan_wish *wish,
                               plan_cost *cost, void *context, unsigned most, struct plan_alternatives *a,
                               struct plan *plan)
{
    struct search search = {.a = a, .alike = d->window ? 2 : 0};
    unsigned asked = 0, refused = PLAN_ALTERNATIVES_MAX; /* refused: the likeliest that was */
    uint64_t cycles = 0;                                 /* that the cost function was asked about */
    struct plan_description of = *d;
    of.parts = !most;
    *plan = (struct plan){0};
    if (!d->weights->rows || !d->weights->columns || !d->m)
        return plan_refuse(PLAN_INVALID, "nothing to do");
    list(d, wish, a);
    while (!most || asked < most || !is_made(plan)) {
        search.poor = !most && is_made(plan) && is_poor(d, &a->of[a->best].price);
        const unsigned i = cheapest_untried(&search);
        if (i == a->count || (!most && d->slice && asked >= SLICE_MOST && is_made(plan)) ||
            (!most && asked >= (d->window ? WINDOWS_LEAST : PLANS_LEAST) && is_made(plan) &&
             is_enough(d, &search, cycles, a->of[i].estimate)))
            break;
        search.tried[i] = true;
        try(&of, cost, context, a, i, plan, &cycles);
        refused = a->of[i].refused && refused == PLAN_ALTERNATIVES_MAX ? i : refused;
        asked += a->of[i].made && a->of[i].same_as == i;
    }
    if (is_made(plan)) {
        if (!most && d->window && is_in_frame(d) && !(wish && wish->only))
            try_tiles(&of, cost, context, a, plan, &cycles);
        ask_of_best(&of, cost, context, a, plan, &cycles);
        take_best(d, a, settle(d, cost, context, a, plan), plan);
        return PLAN_OK;
    }
    return refused < a->count ? plan_refuse(a->of[refused].refused, "%s", a->of[refused].message)
                              : plan_refuse(PLAN_UNSUPPORTED, "no alternative");
}

enum plan_status plan_choose(const struct plan_description *d, const struct plan_wish *wish, plan_cost *cost,
                             void *context, unsigned most, struct plan_alternatives *a, struct plan *plan)
{
    struct plan_needed needed;
    struct plan none = {0}, *best = plan ? plan : &none;
    bool ok;
    *best = (struct plan){0};
    const bool few = needed_find(d, &needed, &ok);
    if (!ok)
        return plan_no_memory();
    struct plan_order order = {0};
    struct plan_description of = few ? needed.description : *d;
    of.order = &order;
    enum plan_status why = choose(&of, wish, cost, context, most, a, best);
    if (!why && plan && !plan->program.len) {
        plan_free(plan);
        why = plan_make(&of, &a->of[a->best].choice, plan);
    }
    if (!why && few && plan && needed_widen(&needed, 0, needed.weights.rows, 0, needed.rows, plan))
        why = plan_no_memory();
    plan_free(&none);
    needed_free(&needed);
    free(order.column);
    return why;
}

/* ---- explaining ------------------------------------------------------------------------------ */

const char *plan_choice_name(const struct plan_choice *c, char text[32])
{
    static const char *const gathers[] = {"",           "x stays",     "x in pages", "diagonal",
                                          "x in steps", "elementwise", "softmax"};
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
    if (s->plain == s->sets && s->plain)
        sb_addf(to, "; weights are plain, a byte each");
    else if (s->plain)
        sb_addf(to, "; weights of %u of %u steps are plain", s->plain, s->sets);
    if (s->bitmaps == s->sets && s->bitmaps)
        sb_addf(to, "; weights are bitmaps, a byte each and a bit for each place");
    else if (s->bitmaps)
        sb_addf(to, "; weights of %u of %u steps are bitmaps", s->bitmaps, s->sets);
    if (s->parts)
        sb_addf(to, "; %u more parts of long rows", s->parts);
}

static int by_cycles(const void *x, const void *y)
{
    const struct plan_alternative *a = *(const struct plan_alternative *const *)x,
                                  *b = *(const struct plan_alternative *const *)y;
    if (!a->price.cycles != !b->price.cycles)
        return a->price.cycles ? -1 : 1;
    if (a->price.cycles != b->price.cycles)
        return a->price.cycles < b->price.cycles ? -1 : 1;
    if (a->estimate != b->estimate)
        return a->estimate < b->estimate ? -1 : 1;
    return (a > b) - (a < b);
}

static void explain_one(const struct plan_alternatives *all, const struct plan_alternative *a,
                        struct strbuf *to)
{
    char name[32], other[32];
    sb_addf(to, "| %s | %.0f | ", plan_choice_name(&a->choice, name), a->estimate);
    if (a->price.cycles)
        sb_addf(to, "%llu | ", (unsigned long long)a->price.cycles);
    else
        sb_addf(to, "- | ");
    if (a->refused)
        sb_addf(to, "cannot be: %s", a->message);
    else if (!a->made)
        sb_addf(to, "not looked at: its estimate is higher");
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
            (unsigned long long)best->price.cycles);
    if (measured)
        sb_addf(to, ", measured %llu", (unsigned long long)measured);
    if (a->note)
        sb_addf(to, "\nsearch: %s", a->note);
    sb_addf(to, "\n\n| plan | estimate | cycle model | what it does |\n| --- | --- | --- | --- |\n");
    for (unsigned i = 0; i < a->count; i++)
        explain_one(a, order[i], to);
}

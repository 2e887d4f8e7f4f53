/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the candidates: the named variants and a grid around base, which
 * docs/tulle.md describes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/variant/keys.h"
#include "host/cli/advise.h"
#include "host/measure/measurement.h"
#include "host/operator/operator.h"

#define SETS 16
#define SET_ROOM 40
#define MACS_SEVERAL 1000000
#define MACS_MANY 4000000
#define AS_GOOD 1.02 /* times the shortest time */

static const struct place nowhere = {0};

/* ---- the grid ---------------------------------------------------------------------------------------------
 */

struct point {
    unsigned n, m, k, scan, memory;
    bool shallow; /* buffers as tiny has them */
};

/* Rows share what the memory delivers; a row alone takes all of it. */
static unsigned bus_of(const struct point *p)
{
    const unsigned share = p->memory / p->n, most = p->n > 1 && share > 256 ? 256 : share;
    return most < 128 ? 128 : most;
}

static bool load_point(const struct point *p, struct variant *to)
{
    char text[SETS][SET_ROOM];
    const char *sets[SETS];
    unsigned count = 0;
    struct diag diag = {0};
    const struct {
        const char *key;
        unsigned value;
        bool set;
    } values[] = {{"n", p->n, true},
                  {"m", p->m, true},
                  {"k", p->k, true},
                  {"scan", p->scan, true},
                  {"memory_width", p->memory, true},
                  {"row_bus_width", bus_of(p), true},
                  {"input_buffer_depth", 1024, p->shallow},
                  {"weight_queue_depth", 128, p->shallow},
                  {"segment_max", 64, p->shallow},
                  {"activation_queue_depth", 16, p->shallow},
                  {"output_queue_depth", 16, p->shallow},
                  {"unit_bytes", 16384, p->shallow}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].set) {
            snprintf(text[count], SET_ROOM, "%s=%u", values[i].key, values[i].value);
            sets[count] = text[count];
            count++;
        }
    snprintf(text[count], SET_ROOM, "name=n%um%uk%us%ud%u%s", p->n, p->m, p->k, p->scan, p->memory,
             p->shallow ? "_shallow" : "");
    sets[count] = text[count];
    const bool ok = variant_load_named("base", sets, count + 1, to, &diag);
    diag_free(&diag); /* what the rules forbid is no candidate */
    return ok;
}

static bool same(const struct variant *a, const struct variant *b)
{
    struct variant named = *a;
    memcpy(named.name, b->name, sizeof named.name);
    return variant_hash(&named, "") == variant_hash(b, "");
}

static bool is_there(const struct advise *a, const struct variant *v)
{
    for (unsigned i = 0; i < a->count; i++)
        if (same(&a->of[i].variant, v))
            return true;
    return false;
}

/* ---- what a candidate takes -------------------------------------------------------------------------------
 */

static bool add(struct advise *a, const struct variant *v, const struct estimate_source *source, bool named,
                struct diag *diag)
{
    const struct fpga_part *part = &a->request->part;
    const unsigned there[ESTIMATE_LONGEST_PATH] = {part->luts, part->flip_flops, part->dsps,
                                                   part->block_rams};
    if (a->count == ADVISE_CANDIDATES || is_there(a, v))
        return true;
    struct advise_candidate *c = &a->of[a->count];
    *c = (struct advise_candidate){.variant = *v, .named = named, .state = ADVISE_SLOWER};
    a->count++; /* what there is of the estimate is freed with it */
    if (!estimate_make(v, source, &c->estimate, diag))
        return false;
    for (unsigned f = 0; f < ESTIMATE_LONGEST_PATH; f++) {
        const unsigned board = f == ESTIMATE_BLOCK_RAMS ? part->board_block_rams : 0;
        c->share[f] = (c->estimate.of[ESTIMATE_DEVICE][f] + board) / there[f];
        if (c->share[f] > a->request->fill)
            c->state = ADVISE_TOO_LARGE;
    }
    c->clock_mhz = a->request->clock_mhz > 0 ? a->request->clock_mhz
                   : part->board_mhz > 0     ? part->board_mhz
                                             : c->estimate.clock_mhz;
    return true;
}

static bool add_named(struct advise *a, const struct estimate_source *source, struct diag *diag)
{
    struct variant v;
    const char *name;
    for (size_t i = 0; (name = variant_named(i)); i++)
        if (!variant_load_named(name, NULL, 0, &v, diag) || !add(a, &v, source, true, diag))
            return false;
    return true;
}

bool advise_candidates(struct advise *a, struct diag *diag)
{
    static const unsigned shapes[][2] = {{1, 1}, {1, 2}, {2, 2}, {2, 4}, {4, 4}, {8, 4}}, pes[] = {4, 8},
                          scans[] = {2, 4}, memories[] = {128, 512};
    const struct estimate_source *source = estimate_find(a->request->part.family, diag);
    struct variant v;
    if (!source || !add_named(a, source, diag))
        return false;
    for (unsigned i = 0; i < 2 * 2 * 2 * 2 * sizeof shapes / sizeof *shapes; i++) {
        const struct point p = {.n = shapes[i / 16][0],
                                .m = shapes[i / 16][1],
                                .k = pes[i / 8 % 2],
                                .scan = scans[i / 4 % 2],
                                .memory = memories[i / 2 % 2],
                                .shallow = i % 2};
        if (load_point(&p, &v) && !add(a, &v, source, false, diag))
            return false;
    }
    return true;
}

/* ---- what the operands take on it
 * -------------------------------------------------------------------------- */

static struct plan_description description_of(const struct advise *a, const struct advise_candidate *c,
                                              unsigned matrix)
{
    return (struct plan_description){.variant = &c->variant,
                                     .operator= a->request->operator,
                                     .weights = & a->weights[matrix],
                                     .m = a->request->rows,
                                     .element = 2,
                                     .density = a->request->density};
}

static double us_of(const struct advise_candidate *c, double cycles)
{
    return c->clock_mhz > 0 ? cycles / c->clock_mhz : 0;
}

static void guess(const struct advise *a, struct advise_candidate *c)
{
    for (unsigned i = 0; i < a->request->matrices; i++) {
        const struct plan_description d = description_of(a, c, i);
        c->likely_us += us_of(c, plan_estimate(&d));
    }
}

/* Candidates that fit come first, by the planner's estimate. */
static int by_guess(const void *x, const void *y)
{
    const struct advise_candidate *a = x, *b = y;
    const bool fits_a = a->state != ADVISE_TOO_LARGE, fits_b = b->state != ADVISE_TOO_LARGE;
    if (fits_a != fits_b)
        return fits_b - fits_a;
    if (a->likely_us != b->likely_us)
        return a->likely_us < b->likely_us ? -1 : 1;
    return strcmp(a->variant.name, b->variant.name);
}

/* Those that ran come first, the fastest of them; of equals the smaller one. */
static int by_time(const void *x, const void *y)
{
    const struct advise_candidate *a = x, *b = y;
    if (a->state != b->state)
        return (int)b->state - (int)a->state;
    if (a->state != ADVISE_TRIED || a->us == b->us)
        return by_guess(x, y);
    return a->us < b->us ? -1 : 1;
}

static void try_matrix(const struct advise *a, struct advise_candidate *c, unsigned matrix)
{
    const struct plan_description d = description_of(a, c, matrix);
    const struct sparse *w = &a->weights[matrix];
    const uint64_t macs = (uint64_t)w->start[w->rows] * d.m;
    struct cost cost = {
        .variant = &c->variant, .density = a->request->density, .most_macs = UINT64_MAX, .macs = macs};
    struct plan_alternatives alternatives;
    struct plan plan;
    const unsigned plans = a->request->effort ? a->request->effort : macs > MACS_SEVERAL ? 2 : 4;
    const enum plan_status status = plan_choose(&d, NULL, cost_of_plan, &cost, plans, &alternatives, &plan);
    plan_free(&plan);
    if (status) {
        snprintf(c->why, sizeof c->why, "%s", plan_message());
        return;
    }
    c->cycles[matrix] = alternatives.of[alternatives.best].price.cycles;
    c->all_cycles += c->cycles[matrix];
    const struct limits limits =
        limits_of_product(&c->variant, (uint64_t)((double)macs * a->request->density), w, d.m);
    c->roofline_cycles += roofline(&limits);
}

static void try_candidate(const struct advise *a, struct advise_candidate *c)
{
    for (unsigned i = 0; i < a->request->matrices && !*c->why; i++)
        try_matrix(a, c, i);
    c->state = *c->why ? ADVISE_NO_PLAN : ADVISE_TRIED;
    c->us = us_of(c, (double)c->all_cycles);
}

/* The one that fills the part least, and with what. */
static void say_nothing_fits(const struct advise *a, struct diag *diag)
{
    static const char *const what[ESTIMATE_LONGEST_PATH] = {"LUTs", "flip-flops", "DSPs", "block RAMs"};
    const struct advise_candidate *least = NULL;
    unsigned by = 0;
    double fill = 0;
    for (unsigned i = 0; i < a->count; i++) {
        unsigned most = 0;
        for (unsigned f = 1; f < ESTIMATE_LONGEST_PATH; f++)
            most = a->of[i].share[f] > a->of[i].share[most] ? f : most;
        if (!least || a->of[i].share[most] < fill) {
            least = &a->of[i];
            fill = least->share[most];
            by = most;
        }
    }
    diag_error(
        diag, nowhere,
        "no candidate fits %s with a fill of %.0f %%: the smallest, %s, takes %.0f %% of its %s; raise "
        "--fill or take a larger part",
        a->request->part.name, 100 * a->request->fill, least->variant.name, 100 * fill, what[by]);
}

/* What the cycle model takes grows with the multiplications; beyond these, fewer candidates are run. */
static bool is_long(const struct advise *a)
{
    uint64_t macs = 0;
    for (unsigned i = 0; i < a->request->matrices; i++)
        macs += (uint64_t)a->weights[i].start[a->weights[i].rows] * a->request->rows;
    return macs > MACS_MANY;
}

static double largest_share(const struct advise_candidate *c)
{
    double largest = 0;
    for (unsigned f = 0; f < ESTIMATE_LONGEST_PATH; f++)
        largest = c->share[f] > largest ? c->share[f] : largest;
    return largest;
}

/* Of those that are as good as the fastest the one that leaves most of the part goes to the front. */
static void recommend(struct advise *a)
{
    unsigned best = 0;
    for (unsigned i = 1;
         i < a->count && a->of[i].state == ADVISE_TRIED && a->of[i].us <= AS_GOOD * a->of[0].us; i++)
        if (largest_share(&a->of[i]) < largest_share(&a->of[best]))
            best = i;
    const struct advise_candidate chosen = a->of[best];
    memmove(&a->of[1], &a->of[0], best * sizeof *a->of);
    a->of[0] = chosen;
}

bool advise_try(struct advise *a, struct progress *progress, struct diag *diag)
{
    const bool brief = is_long(a);
    const unsigned most = a->request->tried ? a->request->tried : brief ? 3 : 8;
    unsigned tried = 0;
    for (unsigned i = 0; i < a->count; i++)
        if (a->of[i].state != ADVISE_TOO_LARGE)
            guess(a, &a->of[i]);
    qsort(a->of, a->count, sizeof *a->of, by_guess);
    if (a->of[0].state == ADVISE_TOO_LARGE) {
        say_nothing_fits(a, diag);
        return false;
    }
    for (unsigned i = 0; i < a->count && a->of[i].state != ADVISE_TOO_LARGE; i++) {
        const bool anyhow = a->of[i].named && !brief;
        if (!anyhow && tried >= most)
            continue;
        progress_step(progress, "running the cycle model");
        tried += !anyhow;
        try_candidate(a, &a->of[i]);
    }
    qsort(a->of, a->count, sizeof *a->of, by_time);
    if (a->of[0].state == ADVISE_TRIED) {
        recommend(a);
        return true;
    }
    diag_error(diag, nowhere, "no candidate that fits %s has a plan for these operands: %s",
               a->request->part.name, *a->of[0].why ? a->of[0].why : "none was tried");
    return false;
}

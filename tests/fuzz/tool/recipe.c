/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/tool/recipe.h"

#include <string.h>

#include "sim/board/settings.h"
#include "tests/sim_model/support.h"

const struct recipe_number recipe_numbers[] = {
#define X(name, most, plain) {#name, (most), (plain), (most) == UINT64_MAX},
    RECIPE_NUMBERS(X)
#undef X
        {NULL, 0, 0, false}};

uint64_t *recipe_number(struct recipe *recipe, unsigned index)
{
    return (uint64_t *)(void *)recipe + index;
}

/* ---- by chance ------------------------------------------------------------------------------- */

#define CHOOSE(dice, ...) \
    (((const unsigned[]){ \
        __VA_ARGS__})[random_below((dice), sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))])

/* 1, sizes about the array's, odd ones. */
static unsigned random_side(struct random *dice, unsigned group, unsigned most)
{
    unsigned near = group * random_range(dice, 1, 4);
    switch (random_below(dice, 5)) {
    case 0:
        return 1;
    case 1:
        return near;
    case 2:
        return near > 1 && random_chance(dice, 50) ? near - 1 : near + 1;
    default:
        return random_range(dice, 1, most);
    }
}

static void choose_operator(struct recipe *r, struct random *dice, const struct variant *v)
{
    unsigned array = v->n * v->m;
    r->operator= CHOOSE(dice, FUZZ_TILE, FUZZ_TILE, FUZZ_SPMM, FUZZ_SPMM, FUZZ_SPMV, FUZZ_SPMV,
                        FUZZ_CONVOLUTION, FUZZ_LOOPS);
    r->numbers = random_next(dice);
    r->size = random_range(dice, 8, 64);
    r->k = r->operator== FUZZ_SPMV ? random_side(dice, 8, 160) : 8 * random_side(dice, 1, 24);
    r->n = random_side(dice, v->k, 8 * v->k);
    r->rows = r->operator== FUZZ_SPMV ? random_side(dice, array * v->k, 12 * array * v->k)
                                      : random_side(dice, array, 8 * array);
    r->held = CHOOSE(dice, 1, 2, 4, 8);
    r->packet = random_chance(dice, 50) ? 0 : random_range(dice, 64, 4096);
    r->density = CHOOSE(dice, 0, 1, 3, 10, 20, 50, 90, 100);
    r->acts = CHOOSE(dice, 0, 10, 30, 50, 100, 100);
    /* By dice of their own, so that the operators of other variants stay what they were. */
    struct random own = {r->numbers ^ UINT64_C(0x50414952)}, bank = {r->numbers ^ UINT64_C(0x42414E4B)};
    if (v->local_bytes && random_chance(&bank, 25)) {
        r->operator= FUZZ_BANK;
        return;
    }
    if (v->joins && random_chance(&own, 10))
        r->operator= FUZZ_PAIR;
    if (!v->softmax || !random_chance(&own, 10))
        return;
    r->operator= FUZZ_SOFTMAX;
    r->n = random_side(&own, v->k, random_chance(&own, 20) ? v->softmax + v->k : 8 * v->k);
}

#define LATENCY_OF_CLUSTERS 256 /* cycles for each read at a time, of one cluster */

static void choose_harm(struct recipe *r, struct random *dice)
{
    r->change = random_next(dice);
    r->changes = CHOOSE(dice, 1, 1, 1, 2, 3);
    unsigned chance = random_range(dice, 1, 100);
    if (chance <= 45)
        r->mutation = random_range(dice, MUTATION_NONE + 1, MUTATION_WORD - 1);
    else if (chance <= 65)
        r->fault = random_range(dice, FAULT_NONE + 1, FAULTS - 1);
    else if (chance <= 75)
        r->abuse = random_range(dice, ABUSE_NONE + 1, ABUSES - 1);
}

/* Many clusters whose results or partial sums go one after the other to a slow memory take millions of
 * cycles. */
static void choose_memory(struct recipe *r, struct random *dice, const struct variant *v)
{
    const uint64_t most = LATENCY_OF_CLUSTERS * v->outstanding_reads / (v->n * v->m);
    r->latency = CHOOSE(dice, 0, 1, 5, 64, 64, 64, 200, 400);
    r->latency = r->latency < most ? r->latency : most;
    r->cycles = CHOOSE(dice, 1, 1, 1, 2, 3, 8);
    r->beats = random_chance(dice, 50) ? 1 : random_range(dice, 1, (unsigned)r->cycles);
    r->bursts = CHOOSE(dice, 1, 2, 4, 64, 64, 64);
    r->stalls = random_chance(dice, 50) ? 0 : 1 + random_below(dice, 1u << 30);
    r->reorder = random_chance(dice, 50);
}

void recipe_random(struct recipe *r, const struct variant *v, const struct recipe_taste *taste, uint64_t seed)
{
    struct random dice = {seed * UINT64_C(0x9E3779B97F4A7C15) ^ UINT64_C(0x46555A5A)};
    *r = (struct recipe){.changes = 1, .span = 1000};
    choose_operator(r, &dice, v);
    choose_memory(r, &dice, v);
    r->power_on = random_next(&dice);
    r->place = random_next(&dice);
    r->next = random_chance(&dice, 50) ? 0 : random_next(&dice);
    r->reset = random_chance(&dice, 80);
    r->writes = random_chance(&dice, 40);
    r->moment = random_below(&dice, 1001);
    r->span = random_range(&dice, 1, 1000);
    if (!taste->legal_only)
        choose_harm(r, &dice);
    struct random own = {r->numbers ^ UINT64_C(0x51554555)};
    r->queued = v->job_queue && random_chance(&own, 70) ? random_next(&own) : 0;
}

/* ---- as text --------------------------------------------------------------------------------- */

bool recipe_set(struct recipe *recipe, const char *setting)
{
    size_t length = strcspn(setting, "=");
    uint64_t value;
    if (!setting[length] || !settings_number(setting + length + 1, &value))
        return false;
    for (unsigned i = 0; recipe_numbers[i].name; i++) {
        const struct recipe_number *number = &recipe_numbers[i];
        if (strlen(number->name) != length || strncmp(number->name, setting, length) != 0)
            continue;
        *recipe_number(recipe, i) = value;
        return value <= number->most;
    }
    return false;
}

void recipe_difference(const struct recipe *from, const struct recipe *to, struct strbuf *text)
{
    struct recipe before = *from, after = *to;
    for (unsigned i = 0; recipe_numbers[i].name; i++)
        if (*recipe_number(&before, i) != *recipe_number(&after, i))
            sb_addf(text, " --set %s=%llu", recipe_numbers[i].name,
                    (unsigned long long)*recipe_number(&after, i));
}

static void describe_operator(const struct recipe *r, struct strbuf *text)
{
#define N(name) (unsigned long long)r->name
    switch (r->operator) {
    case FUZZ_TILE:
        sb_addf(text, "tile of size %llu", N(size));
        break;
    case FUZZ_SPMM:
        sb_addf(text, "spmm of %llu x %llu x %llu, %llu rows held, %llu %% of the weights", N(rows), N(k),
                N(n), N(held), N(density));
        break;
    case FUZZ_SPMV:
        sb_addf(text, "spmv of %llu x %llu, %llu %% of the matrix", N(rows), N(k), N(density));
        break;
    case FUZZ_CONVOLUTION:
        sb_add(text, "convolution");
        break;
    case FUZZ_PAIR:
        sb_addf(text, "join of %llu x %llu", N(rows), N(n));
        break;
    case FUZZ_SOFTMAX:
        sb_addf(text, "softmax of %llu rows of %llu", N(rows), N(n));
        break;
    case FUZZ_BANK:
        sb_add(text, "activation bank");
        break;
    default:
        sb_add(text, "loops");
    }
}

void recipe_describe(const struct recipe *r, struct strbuf *text)
{
    static const char *const mutations[] = {"unharmed",           "words flipped", "fields changed",
                                            "operations swapped", "program cut",   "a slot's size changed",
                                            "weights changed",    "a word flipped"};
    static const char *const abuses[] = {"", "soft reset", "start again", "a slot taken away"};
    static const char *const faults[] = {"", "SLVERR", "DECERR", "dead", "deaf"};
    describe_operator(r, text);
    sb_addf(text, "; %s", mutations[r->mutation]);
    if (r->fault && r->where)
        sb_addf(text, "; %s %s of slot %llu", faults[r->fault], r->writes ? "writes" : "reads", N(where) - 1);
    else if (r->fault)
        sb_addf(text, "; %s %s from %llu/1000 of the job on, for %llu/1000", faults[r->fault],
                r->writes ? "writes" : "reads", N(moment), N(span));
    if (r->abuse)
        sb_addf(text, "; %s at %llu/1000 of the job", abuses[r->abuse], N(moment));
    sb_addf(text, "; latency %llu, bandwidth %llu/%llu, %llu bursts%s%s", N(latency), N(beats), N(cycles),
            N(bursts), r->stalls ? ", stalls" : "", r->reorder ? ", reordered" : "");
#undef N
}

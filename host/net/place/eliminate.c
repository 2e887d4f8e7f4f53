/* SPDX-License-Identifier: Apache-2.0
 *
 * The least predicted time exactly, by dynamic programming over any graph: one
 * variable after another is eliminated. What all terms with the variable add up
 * to, with its best choice, becomes a table over its neighbours, and the best
 * choices are kept for the way back. On a chain this is the shortest path. On a
 * series-parallel network a table never has more than two neighbours, if the
 * variable whose table is smallest goes first.
 *
 * Variables are the operations, and each value that several readers may move:
 * its state is the set of processors that have it, so that a move is paid for
 * once however many read it there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/place/strategy.h"

enum { TABLE_MOST = 1 << 16, SUMS_MOST = 1 << 20, SETS_MOST = 1 << 10 };

struct variable {
    size_t size;
    uint8_t processors[PLACE_PROCESSORS_MOST]; /* of an operation: those that can run it */
    uint32_t *sets;                            /* of a value: its states; NULL: an operation */
    double entries; /* of the table that its elimination would make; 0: to be found again */
    bool gone;
    size_t *scope; /* once gone: what its choice depends on */
    size_t scope_count;
    uint16_t *choice;
};

struct factor {
    size_t *scope;
    size_t count;
    double *table; /* the last variable of the scope changes fastest */
    bool gone;
};

struct elimination {
    const struct place_problem *p;
    struct variable *variables;
    size_t variable_count;
    struct factor *factors;
    size_t factor_count, factor_room;
    size_t *at; /* a choice for each variable */
    bool fits, failed;
};

/* ---- tables -------------------------------------------------------------------------------------- */

static size_t index_of(const struct elimination *e, const size_t *scope, size_t count)
{
    size_t index = 0;
    for (size_t i = 0; i < count; i++)
        index = index * e->variables[scope[i]].size + e->at[scope[i]];
    return index;
}

/* 0: more than a table may have. */
static size_t entries_of(const struct elimination *e, const size_t *scope, size_t count)
{
    size_t entries = 1;
    for (size_t i = 0; i < count && entries; i++) {
        entries *= e->variables[scope[i]].size;
        entries = entries > TABLE_MOST ? 0 : entries;
    }
    return entries;
}

/* The next choice of all in the scope; false: that was the last one. */
static bool next_choice(struct elimination *e, const size_t *scope, size_t count)
{
    for (size_t i = count; i--;) {
        if (++e->at[scope[i]] < e->variables[scope[i]].size)
            return true;
        e->at[scope[i]] = 0;
    }
    return false;
}

/* A new factor, all 0. NULL: out of memory, or too large. */
static struct factor *add_factor(struct elimination *e, const size_t *scope, size_t count)
{
    const size_t entries = entries_of(e, scope, count);
    if (!entries) {
        e->fits = false;
        return NULL;
    }
    if (e->factor_count == e->factor_room) {
        const size_t room = 2 * e->factor_room + 16;
        struct factor *more = realloc(e->factors, room * sizeof *more);
        e->failed = e->failed || !more;
        if (!more)
            return NULL;
        e->factors = more;
        e->factor_room = room;
    }
    struct factor *f = &e->factors[e->factor_count];
    *f = (struct factor){.count = count,
                         .scope = malloc((count + 1) * sizeof *f->scope),
                         .table = calloc(entries, sizeof *f->table)};
    if (!f->scope || !f->table) {
        free(f->scope);
        free(f->table);
        e->failed = true;
        return NULL;
    }
    memcpy(f->scope, scope, count * sizeof *scope);
    e->factor_count++;
    return f;
}

/* ---- terms --------------------------------------------------------------------------------------- */

static uint8_t processor_at(const struct elimination *e, size_t operation, size_t choice)
{
    return e->variables[operation].processors[choice];
}

static void add_own(struct elimination *e, size_t operation)
{
    struct variable *v = &e->variables[operation];
    for (size_t q = 0; q < e->p->processors; q++)
        if (isfinite(place_own(e->p, operation, q)))
            v->processors[v->size++] = (uint8_t)q;
    if (!v->size)
        v->processors[v->size++] = PLACE_HOST; /* then every placement takes forever */
    struct factor *f = add_factor(e, &operation, 1);
    for (size_t i = 0; f && i < v->size; i++)
        f->table[i] = place_own(e->p, operation, v->processors[i]);
}

static void add_link(struct elimination *e, const struct place_link *l)
{
    const size_t scope[] = {l->first, l->second};
    const size_t seconds = e->variables[l->second].size;
    struct factor *f = l->first == l->second ? NULL : add_factor(e, scope, 2);
    for (size_t i = 0; f && i < e->variables[l->first].size * seconds; i++) {
        const bool first = processor_at(e, l->first, i / seconds) == l->processor,
                   second = processor_at(e, l->second, i % seconds) == l->processor;
        f->table[i] = first == second ? 0 : INFINITY;
    }
}

/* Processors where the value may be wanted, and those where it surely is. */
static void wanted_on(const struct elimination *e, const struct place_value *v, uint32_t *may, uint32_t *must)
{
    *may = *must = v->wanted ? 1U << PLACE_HOST : 0;
    for (size_t r = 0; r < v->reader_count; r++) {
        const struct variable *reader = &e->variables[v->readers[r]];
        for (size_t i = 0; i < reader->size; i++)
            *may |= 1U << reader->processors[i];
        if (reader->size == 1)
            *must |= 1U << reader->processors[0];
    }
}

static double move_to_set(const struct elimination *e, const struct place_value *v, size_t from, uint32_t set)
{
    double seconds = 0;
    for (size_t to = 0; to < e->p->processors; to++)
        if (set >> to & 1)
            seconds += place_moving(e->p, from, to, v->bytes);
    return seconds;
}

/* A variable for the value: each set between `must` and `may`. */
static struct variable *add_sets(struct elimination *e, uint32_t may, uint32_t must)
{
    const uint32_t open = may & ~must;
    const size_t sets = (size_t)1 << __builtin_popcount(open);
    if (sets > SETS_MOST) {
        e->fits = false;
        return NULL;
    }
    struct variable *v = &e->variables[e->variable_count];
    v->sets = malloc(sets * sizeof *v->sets);
    if (!v->sets) {
        e->failed = true;
        return NULL;
    }
    for (uint32_t set = open;; set = (set - 1) & open) {
        v->sets[v->size++] = set | must;
        if (!set)
            break;
    }
    e->variable_count++;
    return v;
}

/* What moving to each set takes, from each place of the producer. */
static void add_moves(struct elimination *e, const struct place_value *value, size_t set_variable)
{
    const struct variable *sets = &e->variables[set_variable];
    if (value->producer == PLACE_NOWHERE) {
        struct factor *f = add_factor(e, &set_variable, 1);
        for (size_t s = 0; f && s < sets->size; s++)
            f->table[s] = move_to_set(e, value, PLACE_HOST, sets->sets[s]);
        return;
    }
    const size_t scope[] = {value->producer, set_variable};
    struct factor *f = add_factor(e, scope, 2);
    for (size_t i = 0; f && i < e->variables[value->producer].size * sets->size; i++)
        f->table[i] = move_to_set(e, value, processor_at(e, value->producer, i / sets->size),
                                  sets->sets[i % sets->size]);
}

/* A reader runs where its value is. */
static void add_reader(struct elimination *e, size_t reader, size_t set_variable)
{
    const struct variable *sets = &e->variables[set_variable];
    const size_t scope[] = {reader, set_variable};
    if (e->variables[reader].size == 1)
        return;
    struct factor *f = add_factor(e, scope, 2);
    for (size_t i = 0; f && i < e->variables[reader].size * sets->size; i++)
        f->table[i] =
            sets->sets[i % sets->size] >> processor_at(e, reader, i / sets->size) & 1 ? 0 : INFINITY;
}

static void add_value(struct elimination *e, const struct place_value *v)
{
    uint32_t may, must;
    wanted_on(e, v, &may, &must);
    if (!may)
        return;
    const size_t set_variable = e->variable_count;
    if (!add_sets(e, may, must))
        return;
    add_moves(e, v, set_variable);
    for (size_t r = 0; r < v->reader_count; r++)
        add_reader(e, v->readers[r], set_variable);
}

/* ---- elimination --------------------------------------------------------------------------------- */

static bool has(const size_t *scope, size_t count, size_t variable)
{
    for (size_t i = 0; i < count; i++)
        if (scope[i] == variable)
            return true;
    return false;
}

/* All that the variable stands with in a factor. Returns how many; `scope` has room for all. */
static size_t neighbours(const struct elimination *e, size_t variable, size_t *scope)
{
    size_t count = 0;
    for (size_t i = 0; i < e->factor_count; i++) {
        const struct factor *f = &e->factors[i];
        if (f->gone || !has(f->scope, f->count, variable))
            continue;
        for (size_t k = 0; k < f->count; k++)
            if (f->scope[k] != variable && !has(scope, count, f->scope[k]))
                scope[count++] = f->scope[k];
    }
    return count;
}

/* The one whose table is smallest. SIZE_MAX: none fits. */
static size_t cheapest(struct elimination *e, size_t *scope)
{
    size_t best = SIZE_MAX;
    double least = SUMS_MOST;
    for (size_t i = 0; i < e->variable_count; i++) {
        struct variable *v = &e->variables[i];
        if (v->gone)
            continue;
        const size_t count = v->entries > 0 ? 0 : neighbours(e, i, scope);
        v->entries = v->entries > 0 ? v->entries : 1;
        for (size_t k = 0; k < count; k++)
            v->entries *= (double)e->variables[scope[k]].size;
        if (v->entries * (double)v->size < least) {
            least = v->entries * (double)v->size;
            best = i;
        }
    }
    return best;
}

/* The factors with a variable; behind the last one is SIZE_MAX. NULL: out of memory. */
static size_t *factors_with(const struct elimination *e, size_t variable)
{
    size_t *list = malloc((e->factor_count + 1) * sizeof *list), count = 0;
    for (size_t i = 0; list && i < e->factor_count; i++)
        if (!e->factors[i].gone && has(e->factors[i].scope, e->factors[i].count, variable))
            list[count++] = i;
    if (list)
        list[count] = SIZE_MAX;
    return list;
}

/* Terms with the variable at the choices `at`. */
static double sum_of(const struct elimination *e, const size_t *factors)
{
    double sum = 0;
    for (; *factors != SIZE_MAX; factors++) {
        const struct factor *f = &e->factors[*factors];
        sum += f->table[index_of(e, f->scope, f->count)];
    }
    return sum;
}

/* The best choice of the variable at the choices `at` of its scope, and what the terms add up to. */
static uint16_t best_choice(struct elimination *e, size_t variable, const size_t *factors, double *least)
{
    uint16_t best = 0;
    *least = INFINITY;
    for (size_t choice = 0; choice < e->variables[variable].size; choice++) {
        e->at[variable] = choice;
        const double sum = sum_of(e, factors);
        if (sum < *least) {
            *least = sum;
            best = (uint16_t)choice;
        }
    }
    return best;
}

/* The same for each choice of the scope. */
static void fill(struct elimination *e, size_t variable, const size_t *factors, double *table)
{
    const struct variable *v = &e->variables[variable];
    size_t index = 0;
    memset(e->at, 0, e->variable_count * sizeof *e->at);
    do {
        v->choice[index] = best_choice(e, variable, factors, &table[index]);
        index++;
    } while (next_choice(e, v->scope, v->scope_count));
}

static void eliminate(struct elimination *e, size_t variable, size_t *scope)
{
    struct variable *v = &e->variables[variable];
    const size_t count = neighbours(e, variable, scope);
    size_t *factors = factors_with(e, variable);
    const struct factor *f = add_factor(e, scope, count);
    v->scope_count = count;
    v->scope = malloc((count + 1) * sizeof *scope);
    v->choice = malloc((entries_of(e, scope, count) + 1) * sizeof *v->choice);
    v->gone = true;
    if (f && factors && v->scope && v->choice) {
        memcpy(v->scope, scope, count * sizeof *scope);
        fill(e, variable, factors, f->table);
        for (const size_t *at = factors; *at != SIZE_MAX; at++)
            e->factors[*at].gone = true;
        for (size_t i = 0; i < count; i++)
            e->variables[scope[i]].entries = 0;
    } else if (f || e->fits) {
        e->failed = true;
    }
    free(factors);
}

/* Eliminates all, in *order, and chooses in the other direction. */
static void solve(struct elimination *e, size_t *order, size_t *scope)
{
    for (size_t done = 0; done < e->variable_count; done++) {
        order[done] = cheapest(e, scope);
        if (order[done] == SIZE_MAX) {
            e->fits = false;
            return;
        }
        eliminate(e, order[done], scope);
        if (!e->fits || e->failed)
            return;
    }
    memset(e->at, 0, e->variable_count * sizeof *e->at);
    for (size_t i = e->variable_count; i--;) {
        const struct variable *v = &e->variables[order[i]];
        e->at[order[i]] = v->choice[index_of(e, v->scope, v->scope_count)];
    }
}

static void add_terms(struct elimination *e)
{
    const struct place_problem *p = e->p;
    for (size_t i = 0; i < p->count; i++)
        add_own(e, i);
    for (size_t i = 0; i < p->link_count; i++)
        add_link(e, &p->links[i]);
    for (size_t i = 0; i < p->value_count && e->fits && !e->failed; i++)
        add_value(e, &p->values[i]);
}

static void free_all(struct elimination *e)
{
    for (size_t i = 0; e->variables && i < e->variable_count; i++) {
        free(e->variables[i].sets);
        free(e->variables[i].scope);
        free(e->variables[i].choice);
    }
    for (size_t i = 0; i < e->factor_count; i++) {
        free(e->factors[i].scope);
        free(e->factors[i].table);
    }
    free(e->variables);
    free(e->factors);
    free(e->at);
}

bool place_eliminate(const struct place_problem *p, uint8_t *places, bool *fits)
{
    const size_t most = p->count + p->value_count + 1;
    struct elimination e = {.p = p,
                            .variables = calloc(most, sizeof *e.variables),
                            .variable_count = p->count,
                            .at = calloc(most, sizeof *e.at),
                            .fits = true};
    size_t *order = calloc(most, sizeof *order), *scope = calloc(most, sizeof *scope);
    e.failed = !e.variables || !e.at || !order || !scope;
    if (!e.failed)
        add_terms(&e);
    if (!e.failed && e.fits)
        solve(&e, order, scope);
    for (size_t i = 0; !e.failed && e.fits && i < p->count; i++)
        places[i] = e.variables[i].processors[e.at[i]];
    *fits = e.fits && !e.failed;
    const bool ok = !e.failed;
    free(order);
    free(scope);
    free_all(&e);
    return ok;
}

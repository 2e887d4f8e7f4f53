/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/scalar.h"

#include <stdlib.h>
#include <string.h>

/* Arithmetic that wraps: sizes of networks never do (NET_SIZE_MOST), and no program stops for it. */
static int64_t compute(enum scalar_kind kind, int64_t a, int64_t b)
{
    switch (kind) {
    case SCALAR_ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case SCALAR_SUBTRACT:
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case SCALAR_MULTIPLY:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    default:
        return b > 0 ? a / b : 0;
    }
}

void scalar_free(struct scalar_program *p)
{
    free(p->scalars);
    free(p->results);
    *p = (struct scalar_program){.count = 0};
}

void scalar_run(const struct scalar_program *p, int64_t (*size_of_name)(void *context, const char *name),
                void *context, int64_t tile, int64_t *values)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct scalar *s = &p->scalars[i];
        if (s->kind == SCALAR_COUNTER)
            values[i] = values[s->a] <= 1 ? 0 : tile < values[s->a] ? tile : values[s->a] - 1;
        else
            values[i] = s->kind == SCALAR_NUMBER ? s->value
                        : s->kind == SCALAR_NAME ? size_of_name(context, s->name)
                                                 : compute(s->kind, values[s->a], values[s->b]);
    }
}

/* ---- simplifying --------------------------------------------------------------------------------- */

static bool is_number(const struct scalar_program *p, size_t at, int64_t value)
{
    return p->scalars[at].kind == SCALAR_NUMBER && p->scalars[at].value == value;
}

/* An operation of numbers becomes one, and so does the counter of a loop that runs once. */
static bool fold(const struct scalar_program *p, struct scalar *s)
{
    if (s->kind == SCALAR_COUNTER && p->scalars[s->a].kind == SCALAR_NUMBER && p->scalars[s->a].value <= 1) {
        *s = (struct scalar){.kind = SCALAR_NUMBER};
        return true;
    }
    if (s->kind < SCALAR_ADD || p->scalars[s->a].kind != SCALAR_NUMBER ||
        p->scalars[s->b].kind != SCALAR_NUMBER)
        return false;
    *s = (struct scalar){.kind = SCALAR_NUMBER,
                         .value = compute(s->kind, p->scalars[s->a].value, p->scalars[s->b].value)};
    return true;
}

static bool commutes(enum scalar_kind kind)
{
    return kind == SCALAR_ADD || kind == SCALAR_MULTIPLY;
}

/* The operand that an operation gives as it is; SIZE_MAX: it does not. */
static size_t identity(const struct scalar_program *p, const struct scalar *s)
{
    if (s->kind < SCALAR_ADD)
        return SIZE_MAX;
    const int64_t neutral = s->kind == SCALAR_ADD || s->kind == SCALAR_SUBTRACT ? 0 : 1;
    if (is_number(p, s->b, neutral))
        return s->a;
    return commutes(s->kind) && is_number(p, s->a, neutral) ? s->b : SIZE_MAX;
}

static bool same(const struct scalar *x, const struct scalar *y)
{
    if (x->kind != y->kind)
        return false;
    if (x->kind == SCALAR_NUMBER)
        return x->value == y->value;
    if (x->kind == SCALAR_NAME)
        return !strcmp(x->name, y->name);
    if (x->kind == SCALAR_COUNTER)
        return x->value == y->value && x->a == y->a;
    return (x->a == y->a && x->b == y->b) || (commutes(x->kind) && x->a == y->b && x->b == y->a);
}

static size_t slot_of(const struct scalar *s, size_t slots)
{
    uint64_t hash = (uint64_t)s->kind * 31;
    if (s->kind == SCALAR_NUMBER || s->kind == SCALAR_COUNTER)
        hash += (uint64_t)s->value;
    for (const char *c = s->kind == SCALAR_NAME ? s->name : ""; *c; c++)
        hash = hash * 131 + (unsigned char)*c;
    if (s->kind >= SCALAR_ADD)
        hash += (uint64_t)(s->a + s->b) * 977; /* of sums and products in either order */
    hash *= 0x9E3779B97F4A7C15U;
    return (size_t)(hash >> 32) & (slots - 1);
}

/* An earlier scalar that is the same; else it goes to the table, and `at` is given. */
static size_t find_common(const struct scalar_program *p, size_t at, size_t *table, size_t slots)
{
    size_t slot = slot_of(&p->scalars[at], slots);
    while (table[slot] && !same(&p->scalars[table[slot] - 1], &p->scalars[at]))
        slot = (slot + 1) & (slots - 1);
    if (!table[slot])
        table[slot] = at + 1;
    return table[slot] - 1;
}

/* Its operands get other numbers. */
static void renumber(struct scalar *s, const size_t *numbers)
{
    if (s->kind >= SCALAR_COUNTER)
        s->a = numbers[s->a];
    if (s->kind >= SCALAR_ADD)
        s->b = numbers[s->b];
}

/* What each scalar is instead: an earlier one, or itself. */
static void replace(struct scalar_program *p, size_t *instead, size_t *table, size_t slots,
                    struct scalar_savings *savings)
{
    for (size_t i = 0; i < p->count; i++) {
        struct scalar *s = &p->scalars[i];
        renumber(s, instead);
        savings->constants += fold(p, s);
        instead[i] = identity(p, s);
        savings->identities += instead[i] != SIZE_MAX;
        if (instead[i] != SIZE_MAX)
            continue;
        instead[i] = find_common(p, i, table, slots);
        savings->common += instead[i] != i;
    }
    for (size_t i = 0; i < p->result_count; i++)
        p->results[i].at = instead[p->results[i].at];
}

/* Takes away what nothing asks for, with the numbers that scalars have then. */
static size_t compact(struct scalar_program *p, size_t *numbers)
{
    const size_t before = p->count;
    size_t kept = 0;
    memset(numbers, 0, (before + 1) * sizeof *numbers);
    for (size_t i = 0; i < p->result_count; i++)
        numbers[p->results[i].at] = 1;
    for (size_t i = before; i--;) {
        const struct scalar *s = &p->scalars[i];
        if (numbers[i] && s->kind >= SCALAR_COUNTER)
            numbers[s->a] = 1;
        if (numbers[i] && s->kind >= SCALAR_ADD)
            numbers[s->b] = 1;
    }
    for (size_t i = 0; i < before; i++) {
        struct scalar s = p->scalars[i];
        if (!numbers[i])
            continue;
        renumber(&s, numbers);
        p->scalars[kept] = s;
        numbers[i] = kept++;
    }
    for (size_t i = 0; i < p->result_count; i++)
        p->results[i].at = numbers[p->results[i].at];
    p->count = kept;
    return before - kept;
}

bool scalar_simplify(struct scalar_program *p, struct scalar_savings *savings)
{
    size_t slots = 64;
    while (slots < 2 * p->count)
        slots *= 2;
    size_t *instead = calloc(p->count + 1, sizeof *instead), *table = calloc(slots, sizeof *table);
    *savings = (struct scalar_savings){0};
    const bool ok = instead && table;
    if (ok) {
        replace(p, instead, table, slots, savings);
        const size_t gone = compact(p, instead);
        savings->dead = gone - savings->identities - savings->common;
    }
    free(instead);
    free(table);
    return ok;
}

size_t scalar_in_loops(const struct scalar_program *p, bool *in)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct scalar *s = &p->scalars[i];
        in[i] = s->kind == SCALAR_COUNTER || (s->kind >= SCALAR_ADD && (in[s->a] || in[s->b]));
        count += in[i];
    }
    return count;
}

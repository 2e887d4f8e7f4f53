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
    case SCALAR_MULTIPLY:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    default:
        return b > 0 ? a / b : 0;
    }
}

/* ---- lowering ------------------------------------------------------------------------------------ */

static size_t add(struct scalar_program *p, struct scalar scalar)
{
    if (p->count == p->room) {
        const size_t room = 2 * p->room + 256;
        struct scalar *more = realloc(p->scalars, room * sizeof *more);
        p->failed = p->failed || !more;
        if (!more)
            return 0;
        p->scalars = more;
        p->room = room;
    }
    p->scalars[p->count] = scalar;
    return p->count++;
}

static size_t number(struct scalar_program *p, int64_t value)
{
    return add(p, (struct scalar){.kind = SCALAR_NUMBER, .value = value});
}

static size_t operation(struct scalar_program *p, enum scalar_kind kind, size_t a, size_t b)
{
    return add(p, (struct scalar){.kind = kind, .a = a, .b = b});
}

/* a / b rounded up. */
static size_t divide_up(struct scalar_program *p, size_t a, int64_t b)
{
    return operation(p, SCALAR_DIVIDE, operation(p, SCALAR_ADD, a, number(p, b - 1)), number(p, b));
}

/* An expression of sizes. NOLINTNEXTLINE(misc-no-recursion): as deep as dim.c lets it be */
static size_t size_of(struct scalar_program *p, struct dim dim)
{
    char what;
    const char *name;
    struct dim a, b;
    if (!dim_parts(dim, &what, &name, &a, &b))
        return number(p, dim.value);
    if (!what)
        return add(p, (struct scalar){.kind = SCALAR_NAME, .name = name});
    const size_t left = size_of(p, a), right = size_of(p, b);
    return operation(p,
                     what == '+'   ? SCALAR_ADD
                     : what == '*' ? SCALAR_MULTIPLY
                                   : SCALAR_DIVIDE,
                     left, right);
}

static void ask(struct scalar_program *p, size_t node, enum scalar_use use, size_t at)
{
    if (p->result_count == p->result_room) {
        const size_t room = 2 * p->result_room + 64;
        struct scalar_result *more = realloc(p->results, room * sizeof *more);
        p->failed = p->failed || !more;
        if (!more)
            return;
        p->results = more;
        p->result_room = room;
    }
    p->results[p->result_count++] = (struct scalar_result){node, use, at};
}

/* All strides of the result, of which the tensor operation is told that of its rows; its loops over tiles,
 * and where it lies. Returns the address behind it. */
static size_t lower(struct scalar_program *p, size_t node, const struct tensor *t, size_t address)
{
    const int rank = t->shape->rank;
    size_t stride = number(p, 1), row = stride, columns = stride;
    for (int i = rank; i--;) {
        const size_t size = size_of(p, t->shape->dim[i]);
        stride = operation(p, SCALAR_MULTIPLY, stride, size);
        row = i == rank - 1 ? stride : row;
        columns = i == rank - 1 ? size : columns;
    }
    const size_t rows = operation(p, SCALAR_DIVIDE, stride, columns),
                 each = number(p, (int64_t)net_type_bytes(t->type, 1)),
                 bytes = operation(p, SCALAR_MULTIPLY, stride, each);
    ask(p, node, SCALAR_ADDRESS, address);
    ask(p, node, SCALAR_BYTES, bytes);
    ask(p, node, SCALAR_ROW_STRIDE, operation(p, SCALAR_MULTIPLY, row, each));
    ask(p, node, SCALAR_LOOPS,
        operation(p, SCALAR_MULTIPLY, divide_up(p, rows, SCALAR_TILE_ROWS),
                  divide_up(p, columns, SCALAR_TILE_COLUMNS)));
    const size_t blocks = divide_up(p, bytes, SCALAR_ALIGNMENT);
    return operation(p, SCALAR_ADD, address,
                     operation(p, SCALAR_MULTIPLY, blocks, number(p, SCALAR_ALIGNMENT)));
}

bool scalar_lower(const struct net *net, struct scalar_program *to)
{
    *to = (struct scalar_program){.count = 0};
    size_t address = number(to, 0);
    for (size_t i = 0; i < net->node_count && !to->failed; i++) {
        const struct tensor *t = net->nodes[i]->output_count ? net->nodes[i]->outputs[0] : NULL;
        if (t && t->shape && t->shape->rank >= 0)
            address = lower(to, i, t, address);
    }
    return !to->failed;
}

void scalar_free(struct scalar_program *p)
{
    free(p->scalars);
    free(p->results);
    *p = (struct scalar_program){.count = 0};
}

void scalar_run(const struct scalar_program *p, int64_t (*size_of_name)(void *context, const char *name),
                void *context, int64_t *values)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct scalar *s = &p->scalars[i];
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

/* An operation of numbers becomes one. */
static bool fold(const struct scalar_program *p, struct scalar *s)
{
    if (s->kind < SCALAR_ADD || p->scalars[s->a].kind != SCALAR_NUMBER ||
        p->scalars[s->b].kind != SCALAR_NUMBER)
        return false;
    *s = (struct scalar){.kind = SCALAR_NUMBER,
                         .value = compute(s->kind, p->scalars[s->a].value, p->scalars[s->b].value)};
    return true;
}

/* The operand that an operation gives as it is; SIZE_MAX: it does not. */
static size_t identity(const struct scalar_program *p, const struct scalar *s)
{
    if (s->kind < SCALAR_ADD)
        return SIZE_MAX;
    const int64_t neutral = s->kind == SCALAR_ADD ? 0 : 1;
    if (is_number(p, s->b, neutral))
        return s->a;
    return s->kind != SCALAR_DIVIDE && is_number(p, s->a, neutral) ? s->b : SIZE_MAX;
}

static bool same(const struct scalar *x, const struct scalar *y)
{
    if (x->kind != y->kind)
        return false;
    if (x->kind == SCALAR_NUMBER)
        return x->value == y->value;
    if (x->kind == SCALAR_NAME)
        return !strcmp(x->name, y->name);
    return (x->a == y->a && x->b == y->b) || (x->kind != SCALAR_DIVIDE && x->a == y->b && x->b == y->a);
}

static size_t slot_of(const struct scalar *s, size_t slots)
{
    uint64_t hash = (uint64_t)s->kind * 31;
    if (s->kind == SCALAR_NUMBER)
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

/* What each scalar is instead: an earlier one, or itself. */
static void replace(struct scalar_program *p, size_t *instead, size_t *table, size_t slots,
                    struct scalar_savings *savings)
{
    for (size_t i = 0; i < p->count; i++) {
        struct scalar *s = &p->scalars[i];
        if (s->kind >= SCALAR_ADD) {
            s->a = instead[s->a];
            s->b = instead[s->b];
        }
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
    for (size_t i = before; i--;)
        if (numbers[i] && p->scalars[i].kind >= SCALAR_ADD)
            numbers[p->scalars[i].a] = numbers[p->scalars[i].b] = 1;
    for (size_t i = 0; i < before; i++) {
        struct scalar s = p->scalars[i];
        if (!numbers[i])
            continue;
        if (s.kind >= SCALAR_ADD) {
            s.a = numbers[s.a];
            s.b = numbers[s.b];
        }
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/graph/dim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An expression with more names than this gets a name: printing and comparing stay cheap whatever a file
 * says. */
enum { NAMES_MAX = 32 };

enum kind { NAME, SUM, PRODUCT, QUOTIENT };

struct dim_term {
    enum kind kind;
    unsigned names;
    const char *name;
    struct dim a, b;
};

static const struct dim zero = {0, NULL};

static unsigned names_in(struct dim dim)
{
    return dim.term ? dim.term->names : 0;
}

static struct dim term(struct arena *arena, enum kind kind, struct dim a, struct dim b)
{
    const unsigned names = names_in(a) + names_in(b);
    struct dim_term *t = arena_take(arena, 1, sizeof *t);
    if (!t)
        return zero;
    if (names <= NAMES_MAX) {
        *t = (struct dim_term){kind, names, NULL, a, b};
        return (struct dim){0, t};
    }
    char text[32];
    const int length = snprintf(text, sizeof text, "unnamed_%zu", arena->used);
    *t = (struct dim_term){NAME, 1, arena_text(arena, text, (size_t)length), zero, zero};
    return t->name ? (struct dim){0, t} : zero;
}

struct dim dim_named(struct arena *arena, const char *name)
{
    struct dim_term *t = arena_take(arena, 1, sizeof *t);
    if (!t)
        return zero;
    *t = (struct dim_term){NAME, 1, name, zero, zero};
    return (struct dim){0, t};
}

/* NOLINTNEXTLINE(misc-no-recursion): at most NAMES_MAX names */
bool dim_equal(struct dim a, struct dim b)
{
    if (!a.term || !b.term)
        return !a.term && !b.term && a.value == b.value;
    if (a.term == b.term)
        return true;
    if (a.term->kind != b.term->kind || a.term->names != b.term->names)
        return false;
    if (a.term->kind == NAME)
        return !strcmp(a.term->name, b.term->name);
    return dim_equal(a.term->a, b.term->a) && dim_equal(a.term->b, b.term->b);
}

/* ---- arithmetic ---------------------------------------------------------------------------------- */

static struct dim sum_of(int64_t a, int64_t b)
{
    int64_t value;
    return dim_number(__builtin_add_overflow(a, b, &value) ? DIM_MOST : value);
}

static struct dim product_of(int64_t a, int64_t b)
{
    int64_t value;
    return dim_number(__builtin_mul_overflow(a, b, &value) ? DIM_MOST : value);
}

/* NULL: the size is not of that kind. */
static const struct dim_term *as(struct dim dim, enum kind kind)
{
    return dim.term && dim.term->kind == kind ? dim.term : NULL;
}

/* The number that is a factor of a product, or a summand of a sum, is its second operand. */
static const struct dim_term *with_number(struct dim dim, enum kind kind)
{
    const struct dim_term *t = as(dim, kind);
    return t && !t->b.term ? t : NULL;
}

static struct dim base(struct dim dim, int64_t *factor)
{
    const struct dim_term *t = with_number(dim, PRODUCT);
    *factor = t ? t->b.value : 1;
    return t ? t->a : dim;
}

/* Adds b to the summand of a that differs in its number alone. NOLINTNEXTLINE(misc-no-recursion) */
static bool add_to_summand(struct arena *arena, struct dim a, struct dim b, struct dim *sum)
{
    int64_t p, q;
    const struct dim x = base(a, &p), y = base(b, &q);
    if (dim_equal(x, y)) {
        *sum = dim_mul(arena, x, sum_of(p, q));
        return true;
    }
    const struct dim_term *t = as(a, SUM);
    const bool left = t && add_to_summand(arena, t->a, b, sum);
    if (!t || (!left && !add_to_summand(arena, t->b, b, sum)))
        return false;
    *sum = dim_add(arena, left ? t->b : t->a, *sum);
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): each call takes a number off */
struct dim dim_add(struct arena *arena, struct dim a, struct dim b)
{
    struct dim sum;
    if (!a.term && !b.term)
        return sum_of(a.value, b.value);
    if (!a.term)
        return dim_add(arena, b, a);
    if (dim_is(b, 0))
        return a;
    const struct dim_term *left = with_number(a, SUM), *right = with_number(b, SUM);
    if (left && !b.term)
        return dim_add(arena, left->a, sum_of(left->b.value, b.value));
    if (left)
        return dim_add(arena, dim_add(arena, left->a, b), left->b);
    if (right)
        return dim_add(arena, dim_add(arena, a, right->a), right->b);
    const struct dim_term *both = as(b, SUM);
    if (both)
        return dim_add(arena, dim_add(arena, a, both->a), both->b);
    if (b.term && add_to_summand(arena, a, b, &sum))
        return sum;
    return term(arena, SUM, a, b);
}

struct dim dim_sub(struct arena *arena, struct dim a, struct dim b)
{
    return dim_add(arena, a, dim_mul(arena, b, dim_number(-1)));
}

/* NOLINTNEXTLINE(misc-no-recursion) */
struct dim dim_mul(struct arena *arena, struct dim a, struct dim b)
{
    if (!a.term && !b.term)
        return product_of(a.value, b.value);
    if (!a.term)
        return dim_mul(arena, b, a);
    if (dim_is(b, 0) || dim_is(b, 1))
        return b.value ? a : b;
    const struct dim_term *left = with_number(a, PRODUCT), *right = with_number(b, PRODUCT);
    if (left && !b.term)
        return dim_mul(arena, left->a, product_of(left->b.value, b.value));
    if (left)
        return dim_mul(arena, dim_mul(arena, left->a, b), left->b);
    if (right)
        return dim_mul(arena, dim_mul(arena, a, right->a), right->b);
    return term(arena, PRODUCT, a, b);
}

/* Whether a is a multiple of b as it is written. NOLINTNEXTLINE(misc-no-recursion) */
static bool cancel(struct arena *arena, struct dim a, struct dim b, struct dim *quotient)
{
    struct dim left, right;
    *quotient = dim_number(1);
    if (dim_equal(a, b))
        return !dim_is(b, 0);
    if (!a.term) {
        *quotient = dim_number(!b.term && b.value ? a.value / b.value : 0);
        return dim_is(a, 0) || (!b.term && b.value && a.value % b.value == 0);
    }
    const struct dim_term *sum = as(a, SUM), *product = as(a, PRODUCT);
    if (sum && cancel(arena, sum->a, b, &left) && cancel(arena, sum->b, b, &right)) {
        *quotient = dim_add(arena, left, right);
        return true;
    }
    const bool first = product && cancel(arena, product->a, b, &left);
    if (!product || (!first && !cancel(arena, product->b, b, &right)))
        return false;
    *quotient = first ? dim_mul(arena, left, product->b) : dim_mul(arena, product->a, right);
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
struct dim dim_div(struct arena *arena, struct dim a, struct dim b)
{
    struct dim quotient;
    if (dim_is(b, 1))
        return a;
    if (dim_is(b, 0) || (!b.term && b.value < 0))
        return zero;
    if (!a.term && !b.term) {
        const int64_t down = a.value / b.value;
        return dim_number(down - (a.value % b.value < 0));
    }
    if (cancel(arena, a, b, &quotient))
        return quotient;
    const struct dim_term *product = as(b, PRODUCT);
    if (product)
        return dim_div(arena, dim_div(arena, a, product->a), product->b);
    return term(arena, QUOTIENT, a, b);
}

struct dim dim_div_up(struct arena *arena, struct dim a, int64_t b)
{
    return dim_div(arena, dim_add(arena, a, dim_number(b - 1)), dim_number(b));
}

/* ---- text ---------------------------------------------------------------------------------------- */

/* NOLINTNEXTLINE(misc-no-recursion) */
void dim_print(struct strbuf *to, struct dim dim)
{
    static const char *const signs[] = {[SUM] = " + ", [PRODUCT] = "*", [QUOTIENT] = "/"};
    const struct dim_term *t = dim.term;
    if (!t) {
        sb_addf(to, "%" PRId64, dim.value);
        return;
    }
    if (t->kind == NAME) {
        sb_add(to, t->name);
        return;
    }
    const bool minus = t->kind == SUM && !t->b.term && t->b.value < 0;
    for (unsigned side = 0; side < 2; side++) {
        const struct dim part = side ? t->b : t->a;
        const bool closed = !part.term || part.term->kind == NAME || t->kind == SUM;
        if (side)
            sb_add(to, minus ? " - " : signs[t->kind]);
        sb_add(to, closed ? "" : "(");
        dim_print(to, side && minus ? dim_number(-part.value) : part);
        sb_add(to, closed ? "" : ")");
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
void dim_names(struct dim dim, void (*each)(void *context, const char *name), void *context)
{
    if (dim.term && dim.term->kind == NAME) {
        each(context, dim.term->name);
    } else if (dim.term) {
        dim_names(dim.term->a, each, context);
        dim_names(dim.term->b, each, context);
    }
}

bool dim_parts(struct dim dim, char *operation, const char **name, struct dim *a, struct dim *b)
{
    static const char operations[] = {[NAME] = 0, [SUM] = '+', [PRODUCT] = '*', [QUOTIENT] = '/'};
    if (!dim.term)
        return false;
    *operation = operations[dim.term->kind];
    *name = dim.term->name;
    *a = dim.term->a;
    *b = dim.term->b;
    return true;
}

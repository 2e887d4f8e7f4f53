/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions over named dimensions have the value of what they were made of.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/formats/random.h"
#include "host/net/graph/dim.h"

static struct arena arena;

static void open_arena(void)
{
    cr_assert(arena_open(&arena, 1 << 24));
}

static void close_arena(void)
{
    arena_close(&arena);
}

TestSuite(host_net_dims, .init = open_arena, .fini = close_arena);

static void prints(struct dim dim, const char *text)
{
    struct strbuf to = {0};
    dim_print(&to, dim);
    cr_assert_str_eq(sb_text(&to), text);
    sb_free(&to);
}

Test(host_net_dims, are_simplified)
{
    const struct dim n = dim_named(&arena, "N"), m = dim_named(&arena, "M"), two = dim_number(2),
                     three = dim_number(3);
    prints(dim_add(&arena, n, n), "N*2");
    prints(dim_sub(&arena, n, n), "0");
    prints(dim_add(&arena, dim_add(&arena, n, two), three), "N + 5");
    prints(dim_sub(&arena, dim_add(&arena, n, two), three), "N - 1");
    prints(dim_add(&arena, two, dim_add(&arena, m, dim_add(&arena, n, m))), "N + M*2 + 2");
    prints(dim_div(&arena, dim_mul(&arena, n, dim_number(12)), three), "N*4");
    prints(dim_div(&arena, dim_mul(&arena, n, m), n), "M");
    prints(dim_div(&arena, dim_add(&arena, dim_mul(&arena, n, two), dim_number(4)), two), "N + 2");
    prints(dim_div(&arena, dim_add(&arena, n, three), two), "(N + 3)/2");
    prints(dim_div_up(&arena, n, 2), "(N + 1)/2");
    prints(dim_mul(&arena, n, dim_number(0)), "0");
    prints(dim_div(&arena, dim_number(-3), two), "-2");
    prints(dim_div(&arena, n, dim_number(0)), "0");
    cr_assert(dim_equal(dim_mul(&arena, two, n), dim_add(&arena, n, dim_named(&arena, "N"))));
    cr_assert(!dim_equal(n, m));
}

Test(host_net_dims, overflow_is_remembered)
{
    cr_assert(dim_is(dim_mul(&arena, dim_number(INT64_MAX / 2), dim_number(3)), DIM_MOST));
    cr_assert(dim_is(dim_add(&arena, dim_number(INT64_MAX), dim_number(1)), DIM_MOST));
}

/* ---- values -------------------------------------------------------------------------------------- */

static const int64_t value_of[3] = {5, 7, 64};

/* The value of a printed expression: sums, products and quotients from left to right, in this order of
 * strength. */
static int64_t sum(const char **at);

static int64_t factor(const char **at)
{
    if (**at == '(') {
        ++*at;
        const int64_t value = sum(at);
        cr_assert_eq(**at, ')');
        ++*at;
        return value;
    }
    if (**at >= 'A' && **at <= 'C')
        return value_of[*(*at)++ - 'A'];
    return strtoll(*at, (char **)at, 10);
}

static int64_t down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t product(const char **at)
{
    int64_t value = factor(at);
    while (**at == '*' || **at == '/') {
        const char operation = *(*at)++;
        const int64_t other = factor(at);
        value = operation == '*' ? value * other : down(value, other);
    }
    return value;
}

static int64_t sum(const char **at)
{
    int64_t value = product(at);
    while (!strncmp(*at, " + ", 3) || !strncmp(*at, " - ", 3)) {
        const bool minus = (*at)[1] == '-';
        *at += 3;
        value += minus ? -product(at) : product(at);
    }
    return value;
}

static void has_value(struct dim dim, int64_t value)
{
    struct strbuf text = {0};
    dim_print(&text, dim);
    const char *at = sb_text(&text);
    cr_assert_eq(sum(&at), value, "%s is not %lld", sb_text(&text), (long long)value);
    cr_assert_eq(*at, 0, "%s", sb_text(&text));
    sb_free(&text);
}

/* One of both: a name or a small number. */
static struct dim leaf(struct random *r, int64_t *value)
{
    static const char *const names[] = {"A", "B", "C"};
    const uint64_t pick = random_below(r, 6);
    *value = pick < 3 ? value_of[pick] : (int64_t)pick;
    return pick < 3 ? dim_named(&arena, names[pick]) : dim_number(*value);
}

Test(host_net_dims, keep_their_value)
{
    struct random r = {1};
    for (unsigned i = 0; i < 5000; i++) {
        int64_t value, other;
        struct dim dim = leaf(&r, &value);
        for (unsigned k = 0; k < 6; k++) {
            const struct dim with = leaf(&r, &other);
            switch (random_below(&r, 4)) {
            case 0:
                dim = dim_add(&arena, dim, with);
                value += other;
                break;
            case 1:
                dim = dim_sub(&arena, dim, with);
                value -= other;
                break;
            case 2:
                dim = dim_mul(&arena, dim, with);
                value *= other;
                break;
            default:
                dim = dim_div(&arena, dim, with);
                value = down(value, other);
            }
        }
        has_value(dim, value);
    }
}

/* An expression that doubles with each step does not: it gets a name. */
Test(host_net_dims, stay_small)
{
    struct dim dim = dim_named(&arena, "N");
    struct strbuf text = {0};
    for (unsigned i = 0; i < 100; i++)
        dim = dim_mul(&arena, dim_add(&arena, dim, dim_named(&arena, "M")), dim);
    dim_print(&text, dim);
    cr_assert_lt(text.len, 1000u);
    sb_free(&text);
    cr_assert(!arena.full);
}

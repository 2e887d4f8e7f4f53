/* SPDX-License-Identifier: Apache-2.0
 *
 * Gathering plans of SpMV: matrices with bands, long rows, long columns, empty
 * rows and columns, x shorter and longer than the input buffers.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/numerics/numerics.h"
#include "tests/gen_base/rounds.h"
#include "tests/host_plan/problem.h"

struct kind {
    unsigned band, per_row;           /* entries of a row, within so many columns of the diagonal */
    unsigned long_rows, long_columns; /* per cent of entries of the first rows, that there are */
    unsigned empty;                   /* per cent of rows */
};

static int ascending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The columns of a row, ascending, each once. */
static uint32_t row_columns(struct random *dice, const struct kind *kind, uint32_t row, uint32_t columns,
                            uint32_t *to)
{
    uint32_t count = 0, kept = 0;
    if (row < kind->long_rows)
        for (uint32_t c = 0; c < columns; c++)
            if (random_chance(dice, 70))
                to[count++] = c;
    for (unsigned i = 0; row >= kind->long_rows && i < kind->per_row; i++) {
        int64_t c = kind->band ? (int64_t)row + (int64_t)random_below(dice, 2 * kind->band + 1) - kind->band
                               : (int64_t)random_below(dice, columns);
        if (c >= 0 && c < columns)
            to[count++] = (uint32_t)c;
    }
    for (uint32_t c = 0; row >= kind->long_rows && c < kind->long_columns && c < columns; c++)
        if (random_chance(dice, 80))
            to[count++] = c * 3 % columns;
    qsort(to, count, sizeof *to, ascending);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || to[kept - 1] != to[i])
            to[kept++] = to[i];
    return random_chance(dice, kind->empty) ? 0 : kept;
}

static void make_matrix(struct sparse *w, struct random *dice, const struct kind *kind, uint32_t rows,
                        uint32_t columns, unsigned data_width)
{
    size_t row_room = (size_t)columns + kind->per_row + kind->long_columns,
           room = (size_t)kind->long_rows * columns + (size_t)rows * (kind->per_row + kind->long_columns);
    uint32_t *row = malloc((row_room + 1) * sizeof *row);
    *w = (struct sparse){.rows = rows, .columns = columns};
    w->start = calloc((size_t)rows + 1, sizeof *w->start);
    w->column = malloc((room + 1) * sizeof *w->column);
    w->value = malloc((room + 1) * sizeof *w->value);
    cr_assert(row && w->start && w->column && w->value);
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t count = row_columns(dice, kind, r, columns, row), at = w->start[r];
        for (uint32_t i = 0; i < count; i++) {
            w->column[at + i] = row[i];
            w->value[at + i] = (int32_t)random_signed_non_zero(dice, data_width);
        }
        w->start[r + 1] = at + count;
    }
    free(row);
}

static void random_problem(struct problem *p, struct random *dice)
{
    static const char *const names[] = {"tiny", "odd", "base", "base4"};
    static const char *const int16[] = {"data_width=16", "acc_width=48", NULL};
    static const char *const wide[] = {"input_buffer_depth=65536", "long_jumps=on", NULL};
    struct variant v = random_chance(dice, 20) ? variant_of("base", int16)
                       : random_chance(dice, 25)
                           ? variant_of("base", wide)
                           : variant_of(names[random_below(dice, 4)], (const char *const[]){NULL});
    struct kind kind = {.band = random_chance(dice, 60) ? random_range(dice, 1, 90) : 0,
                        .per_row = random_range(dice, 0, 12),
                        .long_rows = random_chance(dice, 30) ? random_range(dice, 1, 3) : 0,
                        .long_columns = random_chance(dice, 30) ? random_range(dice, 1, 9) : 0,
                        .empty = random_chance(dice, 30) ? 40 : 0};
    uint32_t columns = random_range(dice, 1,
                                    v.long_jumps              ? 65536
                                    : random_chance(dice, 50) ? 300
                                                              : 7000),
             rows = kind.band ? columns : random_range(dice, 1, 400);
    *p = (struct problem){0};
    make_matrix(&p->w, dice, &kind, rows, columns, v.data_width);
    const uint32_t vectors = random_chance(dice, 30) ? random_range(dice, 2, 5) : 1;
    problem_around(p, dice, &v, vectors > 1 ? PLAN_SPMM : PLAN_SPMV, vectors);
    if (random_chance(dice, 20) && v.functions & 1)
        p->d.function.function = 1;
    else if (p->own.bias && random_chance(dice, 60)) {
        p->d.function =
            (struct plan_function){.function = NUM_REQUANTISE, .multiplier = 3, .shift = 7, .high = 120};
        p->d.element = (unsigned)random_below(dice, 3);
    }
    problem_scale(p);
}

/* Plans of every kind; how many there were. */
static unsigned try_plans(uint64_t seed, const struct problem *p, struct random *dice)
{
    unsigned made = 0;
    int64_t *expected = problem_expected(p);
    for (unsigned i = 0; i <= PLAN_GATHER_STEPS; i++) {
        struct plan_choice choice = {.gather = (enum plan_gather)i, .split = {PLAN_N, PLAN_N}};
        struct plan plan = {0};
        char what[128];
        if (random_chance(dice, 30))
            choice.packet_bytes = random_range(dice, 16, 3000);
        if (i == PLAN_GATHER_PAGES && random_chance(dice, 30))
            choice.block = 64 * random_range(dice, 1, 16);
        if (i == PLAN_GATHER_STEPS && random_chance(dice, 70))
            choice.block = random_range(dice, 1, 5);
        snprintf(what, sizeof what, "TULLE_PLAN_SEED=%llu: %s %u x %u gather %u packet %u block %u",
                 (unsigned long long)seed, p->v.name, p->w.rows, p->w.columns, i, choice.packet_bytes,
                 choice.block);
        const char *why = plan_why(plan_make(&p->d, &choice, &plan));
        cr_assert(!why || strlen(why) > 10, "%s: a refusal must say why", what);
        if (!why)
            problem_run(p, &plan, expected, what);
        if (!why && seed % 5 == 0)
            problem_time(p, &plan, expected, what);
        made += !why;
        plan_free(&plan);
    }
    free(expected);
    return made;
}

/* Every fifth runs on the cycle model as well.
 * Reproduce a failure: TULLE_PLAN_SEED=<seed> TULLE_PLANS=1 build/tests/host_plan --filter vector/random */
Test(vector, random)
{
    uint64_t seed = from_environment("TULLE_PLAN_SEED", 1),
             count = from_environment("TULLE_PLANS", FEWER_ROUNDS(250));
    unsigned made = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct random dice = {seed + i};
        struct problem p;
        random_problem(&p, &dice);
        p.v.kept_weights = (seed + i) % 3 == 0;
        made += try_plans(seed + i, &p, &dice);
        problem_free(&p);
    }
    cr_assert(made > count, "only %u of %llu had a plan", made, (unsigned long long)count * 4);
}

/* What random matrices found: packets of the plan along the diagonal that did not fit the queues of a
 * cluster, a diagonal that moves on by more than the input buffers have, and a last row without entries in a
 * group of its own. */
Test(vector, found)
{
    static const uint64_t seeds[] = {410, 2125, 553, 1448, 383};
    for (unsigned i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        struct random dice = {seeds[i]};
        struct problem p;
        random_problem(&p, &dice);
        try_plans(seeds[i], &p, &dice);
        problem_free(&p);
    }
}

static void expect_plan(const char *name, const struct kind *kind, uint32_t rows, uint32_t columns,
                        enum plan_gather gather, bool parts)
{
    struct variant v = variant_of(name, (const char *const[]){NULL});
    struct random dice = {rows};
    struct problem p = {0};
    struct plan plan = {0};
    make_matrix(&p.w, &dice, kind, rows, columns, v.data_width);
    problem_around(&p, &dice, &v, PLAN_SPMV, 1);
    p.d.channels = (struct plan_channels){0}; /* no table has so many rows */
    int64_t *expected = problem_expected(&p);
    const char *why = plan_why(plan_make(&p.d, &(struct plan_choice){.gather = gather}, &plan));
    cr_assert(!why, "%s", why);
    cr_assert_eq(plan.summary.parts > 0, parts);
    problem_run(&p, &plan, expected, name);
    problem_time(&p, &plan, expected, name);
    free(expected);
    plan_free(&plan);
    problem_free(&p);
}

/* An arrow: a full row, a full column, a diagonal, far wider than the input buffers. */
Test(vector, arrow)
{
    const struct kind arrow = {.band = 1, .per_row = 1, .long_rows = 1, .long_columns = 1};
    expect_plan("tiny", &arrow, 5000, 5000, PLAN_GATHER_PAGES, true);
    expect_plan("base", &arrow, 20000, 20000, PLAN_GATHER_PAGES, true);
}

/* A row longer than the weight queues. */
Test(vector, long_row)
{
    const struct kind one = {.per_row = 4, .long_rows = 1};
    expect_plan("tiny", &one, 200, 900, PLAN_GATHER_STAY, true);
    expect_plan("base", &one, 900, 4000, PLAN_GATHER_STAY, true);
}

Test(vector, band)
{
    expect_plan("base", &(struct kind){.band = 30, .per_row = 22}, 9000, 9000, PLAN_GATHER_PAGES, false);
    expect_plan("odd", &(struct kind){.band = 5, .per_row = 3}, 4000, 4000, PLAN_GATHER_PAGES, false);
}

/* ---- bytes of an entry ------------------------------------------------------------------------- */

static struct variant wide_variant(void)
{
    return variant_of("base", (const char *const[]){"input_buffer_depth=65536", "long_jumps=on", NULL});
}

/* Packed bytes of an entry; the plan gives the right results on both models. */
static double bytes_of_entry(const struct sparse *w, const struct plan_choice *choice, uint32_t *repeats)
{
    const struct variant v = wide_variant();
    struct random dice = {7};
    struct problem p = {.w = *w};
    struct plan plan = {0};
    problem_around(&p, &dice, &v, PLAN_SPMV, 1);
    p.d.channels = (struct plan_channels){0};
    int64_t *expected = problem_expected(&p);
    const char *why = plan_why(plan_make(&p.d, choice, &plan));
    cr_assert(!why, "%s", why);
    problem_run(&p, &plan, expected, "bytes of an entry");
    problem_time(&p, &plan, expected, "bytes of an entry");
    const double bytes = (double)plan.weights.len / w->start[w->rows];
    *repeats = plan.layout.repeats;
    free(expected);
    plan_free(&plan);
    problem_free(&p);
    return bytes;
}

/* Five points, a row and a column of the matrix for each point, in an order of their own. */
static void make_mesh(struct sparse *w, uint32_t side, bool mixed)
{
    static const int apart[][2] = {{0, 0}, {0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    const uint32_t points = side * side;
    struct random dice = {11};
    uint32_t *number = malloc(points * sizeof *number), *point = malloc(points * sizeof *point);
    *w = (struct sparse){.rows = points, .columns = points};
    w->start = calloc((size_t)points + 1, sizeof *w->start);
    w->column = malloc((size_t)5 * points * sizeof *w->column);
    w->value = malloc((size_t)5 * points * sizeof *w->value);
    cr_assert(number && point && w->start && w->column && w->value);
    for (uint32_t i = 0; i < points; i++) {
        const uint32_t other = mixed ? (uint32_t)random_below(&dice, i + 1) : i;
        point[i] = point[other];
        point[other] = i;
    }
    for (uint32_t i = 0; i < points; i++)
        number[point[i]] = i;
    for (uint32_t r = 0, at = 0; r < points; r++) {
        const int64_t y = point[r] / side, x = point[r] % side;
        for (unsigned i = 0; i < 5; i++)
            if (y + apart[i][0] >= 0 && y + apart[i][0] < side && x + apart[i][1] >= 0 &&
                x + apart[i][1] < side)
                w->column[at++] = number[(y + apart[i][0]) * side + x + apart[i][1]];
        qsort(w->column + w->start[r], at - w->start[r], sizeof *w->column, ascending);
        for (uint32_t e = w->start[r]; e < at; e++)
            w->value[e] = (int32_t)random_signed_non_zero(&dice, 8);
        w->start[r + 1] = at;
    }
    free(number);
    free(point);
}

/* Rows read neighbours, in whatever order they come: with a column where it saves most jumps an entry takes
 * at most 2.7 bytes, of which two are the least. In steps the first entry of a row takes no jump, either. */
Test(vector, mesh)
{
    for (unsigned mixed = 0; mixed < 2; mixed++) {
        struct sparse w;
        uint32_t repeats;
        make_mesh(&w, 100, mixed);
        const double stay = bytes_of_entry(&w, &(struct plan_choice){.gather = PLAN_GATHER_STAY}, &repeats);
        make_mesh(&w, 100, mixed);
        const double steps =
            bytes_of_entry(&w, &(struct plan_choice){.gather = PLAN_GATHER_STEPS, .block = 1}, &repeats);
        cr_expect(stay < 2.5 && steps < 2.15, "%s: %.3f bytes an entry, %.3f in steps",
                  mixed ? "mixed" : "in order", stay, steps);
        cr_expect_eq(repeats, 0);
    }
}

/* A column that most rows have is there at every base: no row has a jump between it and the diagonal. */
Test(vector, common)
{
    const struct kind arrow = {.band = 1, .per_row = 1, .long_rows = 1, .long_columns = 1};
    struct random dice = {3};
    struct sparse w;
    uint32_t repeats;
    make_matrix(&w, &dice, &arrow, 6000, 6000, 8);
    const double bytes = bytes_of_entry(&w, &(struct plan_choice){.gather = PLAN_GATHER_STEPS}, &repeats);
    cr_expect(bytes < 2.5 && repeats > 10, "%.3f bytes an entry, %u copies", bytes, repeats);
}

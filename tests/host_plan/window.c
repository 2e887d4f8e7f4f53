/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans of convolutions: every mapping with every split and all sorts of
 * tiles give what a plain computation gives, on the functional model and in
 * time.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/numerics/numerics.h"
#include "tests/gen_base/rounds.h"
#include "tests/host_plan/problem.h"

#define PLANS 27

static struct plan_choice plan_number(unsigned i)
{
    return (struct plan_choice){
        .mapping = (enum plan_mapping)(i / 9),
        .split = {.rows = (enum plan_axis)(i / 3 % 3), .columns = (enum plan_axis)(i % 3)}};
}

static void describe(char text[160], uint64_t seed, const struct problem *p, const struct plan_choice *c)
{
    const struct plan_window *w = &p->window;
    char split[8];
    snprintf(text, 160,
             "TULLE_PLAN_SEED=%llu: %s %ux%ux%ux%u -> %u, %ux%u, stride %u,%u, dilation %u,%u%s, %s %s",
             (unsigned long long)seed, p->v.name, p->d.m, w->height, w->width, w->channels, p->w.rows,
             w->side_y, w->side_x, w->stride_y, w->stride_x, w->dilation_y, w->dilation_x,
             w->maximum     ? " maximum"
             : w->depthwise ? " depthwise"
                            : "",
             plan_mapping_name(c->mapping), plan_split_name(c->split, split));
}

static void vary(struct plan_choice *choice, struct random *dice)
{
    if (random_chance(dice, 30))
        choice->rows_held = random_range(dice, 1, 5);
    if (random_chance(dice, 30))
        choice->lines = random_range(dice, 1, 4);
    if (random_chance(dice, 30))
        choice->block = 8 * random_range(dice, 1, 4);
    if (random_chance(dice, 30))
        choice->packet_bytes = random_range(dice, 16, 600);
    choice->deals = random_chance(dice, 20);
    choice->natural = random_chance(dice, 40);
}

/* One plan on the functional model, or in time; whether there is one. */
static bool try_plan(const struct problem *p, const struct plan_choice *choice, const int64_t *expected,
                     bool timed, uint64_t seed)
{
    struct plan plan = {0};
    char what[160];
    describe(what, seed, p, choice);
    const char *why = plan_why(plan_make(&p->d, choice, &plan));
    if (why)
        cr_assert_gt(strlen(why), 10, "%s: a refusal must say why", what);
    else if (timed)
        problem_time(p, &plan, expected, what);
    else
        problem_run(p, &plan, expected, what);
    plan_free(&plan);
    return !why;
}

static struct plan_window random_window(struct random *dice, unsigned channels_most)
{
    struct plan_window w = {.side_y = random_range(dice, 1, 4),
                            .side_x = random_range(dice, 1, 4),
                            .stride_y = random_range(dice, 1, 3),
                            .stride_x = random_range(dice, 1, 3),
                            .dilation_y = random_chance(dice, 25) ? 2 : 1,
                            .dilation_x = random_chance(dice, 25) ? 3 : 1,
                            .channels = random_range(dice, 1, channels_most),
                            .depthwise = random_chance(dice, 35)};
    w.maximum = w.depthwise && random_chance(dice, 40);
    if (!w.depthwise && random_chance(dice, 30)) {
        w.groups = random_range(dice, 1, 8);
        w.channels = w.groups * random_range(dice, 1, channels_most / 4);
    }
    w.height = (w.side_y - 1) * w.dilation_y + random_range(dice, 1, 12);
    w.width = (w.side_x - 1) * w.dilation_x + random_range(dice, 1, 12);
    return w;
}

static void random_problem(struct problem *p, struct random *dice, const char *const *names, unsigned count)
{
    static const unsigned densities[] = {0, 10, 30, 50, 100};
    static const char *const int16[] = {"data_width=16", "acc_width=48", NULL};
    struct variant v = random_chance(dice, 15)
                           ? variant_of("base", int16)
                           : variant_of(names[random_below(dice, count)], (const char *const[]){NULL});
    const struct plan_window w = random_window(dice, random_chance(dice, 20) ? 100 : 20);
    problem_convolution(p, dice, &v, &w, random_range(dice, 1, 3),
                        w.depthwise ? w.channels
                        : w.groups  ? w.groups * random_range(dice, 1, 10)
                                    : random_range(dice, 1, 40),
                        w.maximum ? 100 : densities[random_below(dice, 5)]);
    if (v.functions & 1)
        p->d.function.function = random_chance(dice, 50);
    p->d.element = (unsigned)random_below(dice, 4);
    problem_join(p, dice);
    problem_results(p, dice);
}

static void try_random(uint64_t seed, uint64_t count, bool timed, const char *const *names,
                       unsigned name_count)
{
    uint64_t made = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct random dice = {seed + i};
        struct problem p;
        random_problem(&p, &dice, names, name_count);
        p.v.kept_weights = (seed + i) % 3 == 0;
        int64_t *expected = problem_expected(&p);
        for (unsigned j = 0; j < 6; j++) {
            struct plan_choice choice = plan_number((unsigned)random_below(&dice, PLANS));
            if (j)
                vary(&choice, &dice);
            made += try_plan(&p, &choice, expected, timed, seed + i);
        }
        free(expected);
        problem_free(&p);
    }
    cr_assert(made > 2 * count, "only %llu of %llu had a plan", (unsigned long long)made,
              (unsigned long long)count * 6);
}

/* Reproduce a failure: TULLE_PLAN_SEED=<seed> TULLE_PLANS=1 build/tests/host_plan --filter window/random */
Test(window, random)
{
    static const char *const names[] = {"tiny", "tiny", "odd", "base", "deep"};
    try_random(from_environment("TULLE_PLAN_SEED", 1), from_environment("TULLE_PLANS", FEWER_ROUNDS(300)),
               false, names, 5);
}

/* In time: stores that follow their packets, packets that wait for stores. */
Test(window, in_time)
{
    static const char *const names[] = {"tiny", "tiny", "odd", "base", "wide"};
    try_random(from_environment("TULLE_PLAN_SEED", 100000), from_environment("TULLE_PLANS", FEWER_ROUNDS(60)),
               true, names, 5);
}

/* None of the 27 may be refused where they make sense. */
static void all_plans(const char *name, const struct plan_window *w, uint32_t n, unsigned percent)
{
    struct variant v = variant_of(name, (const char *const[]){NULL});
    struct random dice = {w->height + n};
    struct problem p;
    problem_convolution(&p, &dice, &v, w, 1, n, percent);
    int64_t *expected = problem_expected(&p);
    for (unsigned i = 0; i < PLANS; i++) {
        const struct plan_choice choice = plan_number(i);
        const bool k = choice.split.rows == PLAN_K || choice.split.columns == PLAN_K;
        cr_assert_eq(try_plan(&p, &choice, expected, true, 0), !(w->depthwise && k), "plan %u of %s", i,
                     name);
    }
    free(expected);
    problem_free(&p);
}

Test(window, all_plans)
{
    const struct plan_window same = problem_3x3(10, 9, 70);
    struct plan_window depthwise = same;
    depthwise.depthwise = true;
    all_plans("tiny", &same, 30, 30);
    all_plans("base", &same, 64, 50);
    all_plans("tiny", &depthwise, 70, 90);
    all_plans("base", &depthwise, 70, 90);
    struct plan_window groups = problem_3x3(10, 9, 64), apart = problem_3x3(14, 17, 24);
    groups.groups = 16;
    apart.dilation_y = 4;
    apart.dilation_x = 3;
    all_plans("tiny", &groups, 32, 90);
    all_plans("base", &groups, 128, 50);
    all_plans("tiny", &apart, 9, 50);
    all_plans("base", &apart, 40, 50);
}

/* Multiplications of a PE of `base` and a cycle. */
static double busy(const struct plan_window *w, uint32_t n, unsigned percent,
                   const struct plan_choice *choice)
{
    struct variant v = variant_of("base", (const char *const[]){NULL});
    struct random dice = {9};
    struct problem p;
    struct plan plan = {0};
    problem_convolution(&p, &dice, &v, w, 1, n, percent);
    cr_assert_eq(plan_make(&p.d, choice, &plan), PLAN_OK, "%s", plan_message());
    int64_t *expected = problem_expected(&p);
    const struct job_result result = problem_time(&p, &plan, expected, "busy");
    free(expected);
    plan_free(&plan);
    problem_free(&p);
    return (double)result.effective_macs / (double)result.cycles / 32;
}

/* Each block of channels has the results of its groups, so no part of the array waits for others; and what
 * taps that are apart do not meet is not sent. */
Test(window, groups_and_dilation)
{
    const struct plan_choice choice = {.mapping = PLAN_INPUT_STATIONARY, .split = {PLAN_N, PLAN_M}};
    struct plan_window w = problem_3x3(16, 16, 64);
    w.groups = 16;
    const double grouped = busy(&w, 64, 100, &choice);
    printf("3x3 in 16 groups: %.3f a PE and cycle\n", grouped);
    cr_assert_gt(grouped, 0.55);
    w = problem_3x3(36, 36, 64);
    w.dilation_y = w.dilation_x = 6;
    const double apart = busy(&w, 32, 20, &choice);
    printf("3x3, dilation 6: %.3f a PE and cycle\n", apart);
    cr_assert_gt(apart, 0.9);
}

static const char *refusal(struct plan_window w, uint32_t n, const struct plan_choice *choice,
                           const char *name)
{
    struct variant v = variant_of(name, (const char *const[]){NULL});
    struct random dice = {1};
    struct problem p;
    struct plan plan = {0};
    problem_convolution(&p, &dice, &v, &w, 1, n, 50);
    const char *why = plan_why(plan_make(&p.d, choice, &plan));
    plan_free(&plan);
    problem_free(&p);
    return why ? why : "";
}

Test(window, refusals)
{
    const struct plan_window w = problem_3x3(8, 8, 8);
    struct plan_window depthwise = w;
    depthwise.depthwise = true;
    cr_assert(strstr(refusal(depthwise, 9, &(struct plan_choice){0}, "base"), "do not fit"));
    cr_assert(
        strstr(refusal(depthwise, 8, &(struct plan_choice){.split = {PLAN_K, PLAN_M}}, "base"), "no k"));
    cr_assert(
        strstr(refusal(depthwise, 8, &(struct plan_choice){.deals = true}, "base"), "order of the channels"));
    cr_assert(strstr(refusal(w, 9, &(struct plan_choice){.rows_held = 7}, "base"), "tile"));
    cr_assert(strstr(refusal(w, 9, &(struct plan_choice){.block = 12}, "base"), "multiple"));
}

/* ---- a residual operand ------------------------------------------------------------------------ */

/* Of a 3x3 convolution whose results are requantised by their channels, on the same plan. */
static struct job_result residual(bool joined, uint64_t *operand_bytes)
{
    static const char *const sets[] = {"roundings=on", "collector_width=256", NULL};
    const struct plan_window w = problem_3x3(16, 16, 64);
    struct variant v = variant_of("base", sets);
    struct random dice = {3};
    struct problem p;
    struct plan plan = {0};
    do { /* with channels of their own, and a join */
        dice.state += 2;
        problem_convolution(&p, &dice, &v, &w, 1, 64, 20);
        p.d.function = (struct plan_function){.function = NUM_REQUANTISE, .rounding = NUM_TWO_STEPS};
        p.d.element = NUM_INT8;
        problem_join(&p, &dice);
        if (!p.operand)
            problem_free(&p);
    } while (!p.operand);
    p.d.partial = false;
    free(p.partial);
    p.partial = NULL;
    if (!joined) {
        p.d.join.join = JOIN_NONE;
        free(p.operand);
        p.operand = NULL;
    }
    int64_t *expected = problem_expected(&p);
    const char *why = plan_why(plan_make(&p.d, &(struct plan_choice){0}, &plan));
    cr_assert(!why, "%s", why);
    const struct job_result result = problem_time(&p, &plan, expected, "residual");
    *operand_bytes = (uint64_t)p.rows * p.w.rows << p.d.join.element;
    free(expected);
    plan_free(&plan);
    problem_free(&p);
    return result;
}

/* The bar: its bytes once and at most 5 % more, and at most 2 % more cycles. */
Test(window, a_residual_operand_costs_its_bytes)
{
    uint64_t bytes;
    const struct job_result without = residual(false, &bytes), with = residual(true, &bytes);
    const uint64_t more = with.bytes_read - without.bytes_read;
    printf("3x3 with a residual operand: %llu cycles, %llu without; %llu bytes more, %llu of the operand\n",
           (unsigned long long)with.cycles, (unsigned long long)without.cycles, (unsigned long long)more,
           (unsigned long long)bytes);
    cr_expect_leq((double)more, 1.05 * (double)bytes);
    cr_expect_leq((double)with.cycles, 1.02 * (double)without.cycles);
}

/* ---- one cluster ----------------------------------------------------------------------------- */

/* Multiplications a PE and cycle, and bytes that cross the row bus, of the automatic plan on one cluster. */
static double one_cluster(const struct plan_window *w, uint32_t n, unsigned percent, uint64_t *sent,
                          uint64_t *weights)
{
    struct variant v = variant_of("base", (const char *const[]){"n=1", "m=1", "memory_width=256", NULL});
    struct random dice = {7};
    struct problem p;
    struct plan plan = {0};
    problem_convolution(&p, &dice, &v, w, 1, n, percent);
    p.d.zero = 0;
    p.d.has_no_sign = false;
    for (size_t i = 0; i < (size_t)w->height * w->width * w->channels; i++)
        p.input[i] = (int32_t)random_signed_non_zero(&dice, 8);
    int64_t *expected = problem_expected(&p);
    const char *why = plan_why(plan_make(&p.d, &(struct plan_choice){0}, &plan));
    cr_assert(!why, "%s", why);
    const uint64_t cycles = problem_time(&p, &plan, expected, "one cluster").cycles;
    *sent = problem_run(&p, &plan, expected, "one cluster").bus_beats * v.row_bus_width / 8;
    *weights = plan.weights.len;
    const double macs = (double)p.rows * p.w.start[p.w.rows];
    plan_free(&plan);
    free(expected);
    problem_free(&p);
    return macs / ((double)cycles * v.k);
}

/* 64 results of 64 channels: weights enter the cluster once. */
Test(window, weights_once)
{
    const struct plan_window w = problem_3x3(18, 6, 64);
    uint64_t sent, weights;
    const double busy = one_cluster(&w, 64, 50, &sent, &weights);
    printf("3x3, 64 results: %.3f a PE and cycle, %llu bytes sent, %llu of weights\n", busy,
           (unsigned long long)sent, (unsigned long long)weights);
    cr_assert_geq(busy, 0.90);
    cr_assert_lt(sent, weights + weights / 2);
}

/* What neighbouring windows share is sent once, but for the edges of tiles: nine times would be without. */
Test(window, overlap_once)
{
    struct plan_window w = problem_3x3(58, 58, 16);
    w.depthwise = true;
    uint64_t sent, weights;
    const double busy = one_cluster(&w, 16, 100, &sent, &weights), image = 58 * 58 * 16;
    printf("depthwise 3x3, 16 channels: %.3f a PE and cycle, %.2f times the image sent\n", busy,
           (double)sent / image);
    cr_assert_geq(busy, 0.60);
    cr_assert_lt((double)sent, 2.0 * image);
}

/* ---- where the memory is what limits --------------------------------------------------------- */

/* A pool's kernels: `side` x `side` ones, in steps of that. Beats that the image takes over the cycles of the
 * automatic plan. */
static double pool_busy(const char *variant, struct plan_window w, uint32_t side, uint32_t images,
                        struct plan_layout *layout)
{
    const struct variant v = variant_of(variant, NULL);
    struct random dice = {7};
    struct problem p;
    struct plan plan = {0};
    w.side_y = w.side_x = w.stride_y = w.stride_x = side;
    w.depthwise = true;
    problem_convolution(&p, &dice, &v, &w, images, w.channels, 100);
    int64_t *expected = problem_expected(&p);
    const char *why = plan_why(plan_make(&p.d, &(struct plan_choice){0}, &plan));
    cr_assert(!why, "%s", why);
    const double beats = (double)images * w.height * w.width * w.channels / (v.memory_width / 8.0),
                 busy = beats / (double)problem_time(&p, &plan, expected, "pool").cycles;
    *layout = plan.layout;
    plan_free(&plan);
    free(expected);
    problem_free(&p);
    return busy;
}

/* Tiles come while packets wait for the clusters, and those of a row's clusters with one operation: 0.67
 * without. */
Test(window, tiles_come_ahead)
{
    struct plan_layout layout;
    const double busy = pool_busy("tiny", problem_3x3(56, 56, 16), 2, 1, &layout);
    printf("pool 2x2 on tiny: the memory is busy for %.3f of the time\n", busy);
    cr_assert_geq(busy, 0.75);
}

/* 96 channels would fit, in two beats each; 64 are one. */
Test(window, blocks_are_whole_beats)
{
    struct plan_layout layout;
    const double busy = pool_busy("wide", problem_3x3(7, 7, 1024), 7, 16, &layout);
    printf("pool 7x7 on wide: the memory is busy for %.3f of the time\n", busy);
    cr_assert_eq(layout.window.blocks, 1024 / 64);
    cr_assert_geq(busy, 0.70);
}

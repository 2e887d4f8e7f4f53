/* SPDX-License-Identifier: Apache-2.0
 *
 * Strategies on random problems. The default has the least time of all placements, and is never above another
 * strategy.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_base/rounds.h"
#include "tests/host_net_place/problems.h"

TestSuite(host_net_place_strategies);

enum { MOST = 300 };

static double seconds_of(const struct place_problem *p, const char *name, const struct place_options *o,
                         bool *proven)
{
    uint8_t places[MOST];
    struct place_result to = {.places = places};
    const struct place_strategy *strategy = place_strategy_named(name);
    cr_assert(strategy);
    cr_assert(strategy->place(p, o, &to));
    cr_assert_eq(to.seconds, place_seconds(p, places), "%s", name);
    for (size_t i = 0; i < p->count; i++)
        cr_assert(isfinite(place_own(p, i, places[i])), "%s", name);
    if (proven)
        *proven = to.proven;
    sb_free(&to.log);
    return to.seconds;
}

/* What no other strategy may be below. */
static void compare_all(const struct place_problem *p, double least)
{
    const struct place_options o = {.thresholds = {true, true, 20, 5}};
    for (const struct place_strategy *s = place_strategies; s->name; s++) {
        const double seconds = seconds_of(p, s->name, &o, NULL);
        cr_assert_geq(seconds, least, "%s", s->name);
        cr_assert(isfinite(seconds), "%s", s->name);
    }
}

static void compare_with_all_placements(size_t processors, uint32_t most, uint64_t seed, int rounds)
{
    struct random random = {seed};
    bool proven;
    for (int round = 0; round < rounds; round++) {
        struct place_problem p = random_problem(&random, processors, 2 + random_below(&random, most - 1));
        const double least = least_of_all(&p);
        const double seconds = seconds_of(&p, "path", &(struct place_options){.steps = 0}, &proven);
        cr_assert_eq(seconds, least, "round %d", round);
        cr_assert(proven);
        compare_all(&p, least);
        place_problem_free(&p);
    }
}

Test(host_net_place_strategies, two_processors)
{
    compare_with_all_placements(2, 14, 1, FEWER_ROUNDS(300));
}

Test(host_net_place_strategies, three_processors)
{
    compare_with_all_placements(3, 9, 2, FEWER_ROUNDS(300));
}

/* Branch and bound gives the same, and what it has not proven is no worse than before. */
Test(host_net_place_strategies, branch_and_bound)
{
    struct random random = {3};
    for (int round = 0; round < FEWER_ROUNDS(300); round++) {
        const size_t processors = 2 + random_below(&random, 2);
        struct place_problem p =
            random_problem(&random, processors, 2 + random_below(&random, processors == 2 ? 11 : 7));
        uint8_t places[MOST] = {0}, few[MOST] = {0};
        bool proven;
        cr_assert(place_branch(&p, 1 << 24, places, &proven));
        cr_assert(proven);
        cr_assert_eq(place_seconds(&p, places), least_of_all(&p), "round %d", round);
        cr_assert(place_branch(&p, 5, few, &proven));
        cr_assert_leq(place_seconds(&p, few), place_seconds(&p, (uint8_t[MOST]){0}));
        place_problem_free(&p);
    }
}

/* Networks of branches that join are solved exactly at any length. */
Test(host_net_place_strategies, series_parallel)
{
    struct random random = {4};
    bool proven;
    for (int round = 0; round < FEWER_ROUNDS(100); round++) {
        struct place_problem small = series_parallel(&random, 2, 13);
        cr_assert_eq(seconds_of(&small, "path", &(struct place_options){.steps = 0}, &proven),
                     least_of_all(&small), "round %d", round);
        place_problem_free(&small);
        struct place_problem large = series_parallel(&random, 4, MOST - 1);
        const double least = seconds_of(&large, "path", &(struct place_options){.steps = 0}, &proven);
        cr_assert(proven);
        if (round < 5)
            compare_all(&large, least);
        place_problem_free(&large);
    }
}

/* Too tangled for tables: nothing is proven, and still no other strategy is below. */
Test(host_net_place_strategies, tangled)
{
    struct random random = {5};
    bool proven;
    struct place_problem p = random_problem(&random, 8, 60);
    const struct place_options o = {.thresholds = {true, true, 20, 5}, .steps = 5000};
    const double least = seconds_of(&p, "path", &o, &proven);
    cr_assert_not(proven);
    compare_all(&p, least);
    place_problem_free(&p);
}

/* ---- networks with numbers ------------------------------------------------------------------------- */

/* A chain; `on` has the seconds on the host and on the device of each, INFINITY where it cannot run. A value
 * takes one second to move. */
static struct place_problem chain(size_t count, const double (*on)[2])
{
    struct place_problem p;
    cr_assert(place_problem_new(&p, 2, count, count + 1, 0));
    p.move[0][1] = p.move[1][0] = (struct place_move){1, 0};
    for (size_t i = 0; i < count; i++) {
        p.operations[i] = (struct place_operation){.name = "layer", .type = "Conv", .complexity = 1};
        p.operations[i].on[0].run = on[i][0];
        p.operations[i].on[1].run = on[i][1];
        p.values[i].producer = i;
        if (i)
            cr_assert(place_add_reader(&p.values[i - 1], i));
    }
    p.values[count].producer = PLACE_NOWHERE;
    cr_assert(place_add_reader(&p.values[count], 0));
    p.values[count - 1].wanted = true;
    return p;
}

static void expect_places(const struct place_problem *p, const char *strategy, const char *places,
                          double seconds)
{
    uint8_t to[MOST];
    struct place_result result = {.places = to};
    char text[MOST] = {0};
    cr_assert(place_strategy_named(strategy)->place(p, &(struct place_options){.steps = 0}, &result));
    for (size_t i = 0; i < p->count; i++)
        text[i] = (char)('0' + to[i]);
    cr_assert_str_eq(text, places, "%s", strategy);
    cr_assert_float_eq(result.seconds, seconds, 1e-9, "%s: %g", strategy, result.seconds);
    sb_free(&result.log);
}

/* A Clip, a Cast or a Reshape between operators of the CPU: the device is twice as fast, and the copies cost
 * more. */
Test(host_net_place_strategies, alone_between_host_operations)
{
    static const double on[][2] = {{5, INFINITY}, {1, 0.5}, {5, INFINITY}};
    struct place_problem p = chain(3, on);
    expect_places(&p, "path", "000", 11);
    expect_places(&p, "device", "010", 12.5);
    place_problem_free(&p);
}

/* Supported and not in turn: each supported one is a little faster on the device, which the two moves eat up.
 */
Test(host_net_place_strategies, no_ping_pong)
{
    static const double on[][2] = {{3, 2}, {1, INFINITY}, {3, 2}, {1, INFINITY}, {3, 2}};
    struct place_problem p = chain(5, on);
    expect_places(&p, "path", "00000", 11);
    expect_places(&p, "device", "10101", 14);
    place_problem_free(&p);
}

/* Each step to the device looks too dear alone: only the whole is worth its two moves. Greedy does not see
 * it. */
Test(host_net_place_strategies, worth_it_together)
{
    static const double on[][2] = {{2, 1.5}, {2, 1.5}, {2, 1.5}, {2, 1.5}, {2, 1.5}, {2, 1.5}};
    struct place_problem p = chain(6, on);
    expect_places(&p, "path", "111111", 11);
    expect_places(&p, "greedy", "000000", 12);
    place_problem_free(&p);
}

/* A value that two operations read on the device is moved there once. */
Test(host_net_place_strategies, moved_once)
{
    static const double on[][2] = {{1, INFINITY}, {3, 2}, {3, 2}};
    struct place_problem p = chain(3, on);
    p.values[1].reader_count = 0; /* both read the first result instead */
    cr_assert(place_add_reader(&p.values[0], 2));
    p.values[1].wanted = false;
    p.values[2].wanted = false;
    expect_places(&p, "path", "011", 6);
    place_problem_free(&p);
}

/* ---- thresholds ---------------------------------------------------------------------------------------- */

static void expect_threshold(const struct place_problem *p, struct place_thresholds t, const char *places,
                             const char *log)
{
    uint8_t to[MOST];
    struct place_result result = {.places = to};
    char text[MOST] = {0};
    cr_assert(place_threshold(p, &(struct place_options){.thresholds = t}, &result));
    for (size_t i = 0; i < p->count; i++)
        text[i] = (char)('0' + to[i]);
    cr_assert_str_eq(text, places, "%s", sb_text(&result.log));
    cr_assert(strstr(sb_text(&result.log), log), "%s", sb_text(&result.log));
    sb_free(&result.log);
}

/* Benefits on the device are 5 - 2 + 1 = 4 and 1 - 4 + 1 = -2. */
Test(host_net_place_strategies, thresholds)
{
    static const double on[][2] = {{5, 2}, {1, 4}};
    struct place_problem p = chain(2, on);
    expect_threshold(&p, (struct place_thresholds){.has_benefit = true, .benefit = 3}, "10", ": passes\n");
    /* 2 + 1 for the first alone is too dear, and so are the two together; on the host it costs 5. */
    expect_threshold(&p, (struct place_thresholds){.has_cost = true, .cost = 2.5}, "10",
                     "does not pass with its successor");
    /* Nothing has such a benefit. */
    expect_threshold(&p, (struct place_thresholds){.has_benefit = true, .benefit = 5}, "10",
                     "nothing passes, the largest benefit");
    /* The second one does not pass alone, and with its predecessor it does. */
    expect_threshold(&p, (struct place_thresholds){true, true, 8, 2}, "11", "passes with its predecessor");
    place_problem_free(&p);
}

Test(host_net_place_strategies, names)
{
    cr_assert_str_eq(place_strategies[0].name, "path");
    cr_assert_null(place_strategy_named("magic"));
}

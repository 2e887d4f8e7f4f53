/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that hand results to each other on the device: activations from
 * where another one has left them, results in a frame for the next, on the
 * functional model and in time.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "tests/gen_base/rounds.h"
#include "tests/host_plan/problem.h"

struct handed {
    struct plan_places from;
    struct plan_frame to;
};

static struct plan_window random_window(struct random *dice)
{
    struct plan_window w = {.side_y = random_range(dice, 1, 4),
                            .side_x = random_range(dice, 1, 4),
                            .stride_y = random_range(dice, 1, 3),
                            .stride_x = random_range(dice, 1, 3),
                            .dilation_y = random_chance(dice, 15) ? 2 : 1,
                            .dilation_x = random_chance(dice, 15) ? 3 : 1,
                            .channels = random_range(dice, 1, random_chance(dice, 20) ? 80 : 20),
                            .depthwise = random_chance(dice, 45)};
    w.maximum = w.depthwise && random_chance(dice, 30);
    w.height = (w.side_y - 1) * w.dilation_y + random_range(dice, 1, 14);
    w.width = (w.side_x - 1) * w.dilation_x + random_range(dice, 1, 14);
    return w;
}

/* Channels of the variant's groups of K, innermost or in planes, with some room around the images. */
static struct plan_places random_places(struct random *dice, const struct variant *v,
                                        const struct plan_window *w)
{
    const uint32_t bytes = v->data_width / 8, unit = v->k % 8 ? 8 * v->k : v->k,
                   channels = math_round_up(w->channels, unit) + unit * (uint32_t)random_below(dice, 2),
                   height = w->height + (uint32_t)random_below(dice, 3),
                   width = w->width + (uint32_t)random_below(dice, 3);
    const bool planes = random_chance(dice, 50);
    struct plan_places p = {.group = planes ? unit : channels};
    p.pixel = (uint64_t)p.group * bytes;
    p.line = p.pixel * width;
    p.plane = p.line * height;
    p.image = (uint64_t)channels * bytes * height * width;
    p.first = random_below(dice, 4) * 64 + random_below(dice, height - w->height + 1) * p.line +
              random_below(dice, width - w->width + 1) * p.pixel;
    return p;
}

static struct plan_frame random_frame(struct random *dice, const struct plan_window *w)
{
    struct plan_frame f = {.top = (uint32_t)random_below(dice, 3),
                           .left = (uint32_t)random_below(dice, 3),
                           .channels = random_chance(dice, 30) ? random_range(dice, 1, 90) : 0,
                           .planes = w->depthwise && random_chance(dice, 60)};
    f.height = f.top + plan_window_out_height(w) + (uint32_t)random_below(dice, 3);
    f.width = f.left + plan_window_out_width(w) + (uint32_t)random_below(dice, 3);
    return f;
}

static void random_problem(struct problem *p, struct handed *handed, struct random *dice)
{
    static const char *const names[] = {"tiny", "odd", "base", "networks", "networks"};
    static const unsigned densities[] = {10, 40, 100};
    struct variant v = variant_of(names[random_below(dice, 5)], (const char *const[]){NULL});
    const struct plan_window w = random_window(dice);
    problem_convolution(p, dice, &v, &w, random_range(dice, 1, 3),
                        w.depthwise ? w.channels : random_range(dice, 1, 70),
                        w.maximum ? 100 : densities[random_below(dice, 3)]);
    free(p->partial);
    p->partial = NULL;
    p->d.partial = false;
    p->d.element = (unsigned)random_below(dice, 3);
    problem_scale(p);
    problem_results(p, dice);
    handed->from = random_places(dice, &v, &w);
    handed->to = random_frame(dice, &w);
    p->d.from = random_chance(dice, 70) ? &handed->from : NULL;
    p->d.to = !p->d.from || random_chance(dice, 70) ? &handed->to : NULL;
}

static bool try_plan(const struct problem *p, const struct plan_choice *choice, const int64_t *expected,
                     bool timed, uint64_t seed)
{
    const struct plan_window *w = &p->window;
    struct plan plan = {0};
    char what[200], split[8];
    snprintf(what, sizeof what, "TULLE_PLAN_SEED=%llu: %s %ux%ux%ux%u -> %u, %ux%u%s, %s %s%s%s",
             (unsigned long long)seed, p->v.name, p->d.m, w->height, w->width, w->channels, p->w.rows,
             w->side_y, w->side_x, w->depthwise ? " depthwise" : "", plan_mapping_name(choice->mapping),
             plan_split_name(choice->split, split),
             !p->d.from                       ? ""
             : p->d.from->group < w->channels ? ", from planes"
                                              : ", from",
             !p->d.to          ? ""
             : p->d.to->planes ? ", to planes"
                               : ", to");
    const char *why = plan_why(plan_make(&p->d, choice, &plan));
    if (why)
        cr_assert_gt(strlen(why), 10, "%s: a refusal must say why", what);
    else
        (timed ? problem_time : problem_run)(p, &plan, expected, what);
    plan_free(&plan);
    return !why;
}

static void try_random(uint64_t seed, uint64_t count, bool timed)
{
    uint64_t made = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct random dice = {seed + i};
        struct problem p;
        struct handed handed;
        random_problem(&p, &handed, &dice);
        int64_t *expected = problem_expected(&p);
        for (unsigned j = 0; j < 6; j++) {
            struct plan_choice choice = {
                .mapping = (enum plan_mapping)random_below(&dice, 3),
                .split = {(enum plan_axis)random_below(&dice, 3), (enum plan_axis)random_below(&dice, 3)}};
            if (random_chance(&dice, 30))
                choice.rows_held = random_range(&dice, 1, 5);
            if (random_chance(&dice, 30))
                choice.lines = random_range(&dice, 1, 4);
            if (random_chance(&dice, 30))
                choice.packet_bytes = random_range(&dice, 16, 600);
            made += try_plan(&p, &choice, expected, timed, seed + i);
        }
        free(expected);
        problem_free(&p);
    }
    cr_assert(made > 2 * count, "only %llu of %llu had a plan", (unsigned long long)made,
              (unsigned long long)count * 6);
}

/* Reproduce a failure: TULLE_PLAN_SEED=<seed> TULLE_PLANS=1 build/tests/host_plan --filter places/random */
Test(places, random)
{
    try_random(from_environment("TULLE_PLAN_SEED", 1), from_environment("TULLE_PLANS", FEWER_ROUNDS(300)),
               false);
}

Test(places, in_time)
{
    try_random(from_environment("TULLE_PLAN_SEED", 300000), from_environment("TULLE_PLANS", FEWER_ROUNDS(60)),
               true);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Random operators through the planner: a plan that can be made runs and gives
 * what a plain computation gives; otherwise there is a message.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_base/rounds.h"
#include "tests/sim_model/support.h"
#include "tests/sim_numerics/reference.h"

enum shape { ANYWHERE, BANDED };

struct problem {
    uint64_t seed; /* TULLE_PLAN_SEED that makes it, with TULLE_PLANS=1 */
    struct variant v;
    struct sparse w;
    struct plan plan;
    struct slots slots;
    uint32_t m;
    int16_t *a; /* m vectors of w.columns */
};

static const unsigned densities[] = {0, 1, 5, 10, 20, 50, 100};

static unsigned random_density(struct random *dice)
{
    return densities[random_below(dice, sizeof densities / sizeof *densities)];
}

static bool inside_band(uint32_t row, uint32_t column, uint32_t half)
{
    return column + half >= row && column <= row + half;
}

/* Some rows are empty whatever the density. */
static void random_sparse(struct random *dice, struct sparse *s, enum shape shape, unsigned data_width)
{
    unsigned percent = random_density(dice);
    uint32_t half = random_range(dice, 0, 40), count = 0;
    s->start = calloc((size_t)s->rows + 1, sizeof *s->start);
    s->column = malloc((size_t)s->rows * s->columns * sizeof *s->column + 1);
    s->value = malloc((size_t)s->rows * s->columns * sizeof *s->value + 1);
    cr_assert(s->start && s->column && s->value);
    for (uint32_t r = 0; r < s->rows; r++) {
        bool empty = random_chance(dice, 10);
        for (uint32_t c = 0; c < s->columns && !empty; c++) {
            if ((shape == BANDED && !inside_band(r, c, half)) || !random_chance(dice, percent))
                continue;
            s->column[count] = c;
            s->value[count++] = (int32_t)random_signed_non_zero(dice, data_width);
        }
        s->start[r + 1] = count;
    }
}

static void random_activations(struct random *dice, struct problem *p)
{
    unsigned percent = random_density(dice);
    size_t count = (size_t)p->m * p->w.columns;
    p->a = calloc(count + 1, sizeof *p->a);
    cr_assert(p->a);
    for (size_t i = 0; i < count; i++)
        p->a[i] = random_chance(dice, percent) ? (int16_t)random_signed(dice, p->v.data_width) : 0;
    if (count && random_chance(dice, 5)) { /* one non-zero in all */
        memset(p->a, 0, count * sizeof *p->a);
        p->a[random_below(dice, count)] = 1;
    }
}

static void make_slots(struct problem *p)
{
    unsigned bytes = p->v.data_width / 8;
    size_t count = (size_t)p->m * p->w.columns;
    uint8_t *input = calloc(p->plan.input_bytes + 1, 1);
    cr_assert(input);
    for (size_t i = 0; i < count; i++) {
        const uint64_t at =
            plan_input_offset(&p->plan, (uint32_t)(i / p->w.columns), (uint32_t)(i % p->w.columns));
        for (unsigned b = 0; at != PLAN_NOWHERE && b < bytes; b++)
            input[at + b] = (uint8_t)((uint16_t)p->a[i] >> (8 * b));
    }
    plan_repeat(&p->plan, input);
    p->slots = (struct slots){0};
    slots_set(&p->slots, SLOT_PROGRAM, p->plan.program.text, p->plan.program.len);
    slots_set(&p->slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(&p->slots, SLOT_WEIGHTS, sb_text(&p->plan.weights), p->plan.weights.len);
    slots_set(&p->slots, SLOT_INPUT, input, p->plan.input_bytes);
    slots_set(&p->slots, SLOT_OUTPUT, NULL, p->plan.output_bytes);
    if (p->plan.scratch_bytes)
        slots_set(&p->slots, SLOT_SCRATCH, NULL, p->plan.scratch_bytes);
    free(input);
}

static void expect_results(const struct problem *p, const struct job_result *result)
{
    cr_assert_eq(result->code, JOB_OK, "TULLE_PLAN_SEED=%llu: %s of queue %d at %llu",
                 (unsigned long long)p->seed, job_code_name(result->code), result->queue,
                 (unsigned long long)result->offset);
    uint64_t macs = 0;
    for (uint32_t r = 0; r < p->m; r++)
        for (uint32_t n = 0; n < p->w.rows; n++) {
            big sum = 0;
            for (uint32_t i = p->w.start[n]; i < p->w.start[n + 1]; i++) {
                int16_t a = p->a[(size_t)r * p->w.columns + p->w.column[i]];
                sum += (big)a * p->w.value[i];
                macs += a != 0 && (p->w.value[i] || !p->v.plain_weights);
            }
            int64_t expected = reference_wrap(reference_wrap(sum, p->v.acc_width), 32);
            cr_assert_eq(plan_result(&p->plan, p->slots.job.slots[SLOT_OUTPUT].bytes, r, n, 0), expected,
                         "TULLE_PLAN_SEED=%llu: row %u column %u", (unsigned long long)p->seed, r, n);
        }
    cr_assert_eq(result->effective_macs, macs, "effective MACs");
}

/* True when there was a plan. */
static bool run_problem(struct problem *p, const char *refusal)
{
    if (refusal)
        cr_assert_gt(strlen(refusal), 5, "a refusal must say why");
    else {
        make_slots(p);
        struct job_result result = run_model(&p->v, &p->slots);
        expect_traffic(&p->v, &p->slots, &result);
        expect_results(p, &result);
        slots_free(&p->slots);
    }
    plan_free(&p->plan);
    sparse_free(&p->w);
    free(p->a);
    return !refusal;
}

static struct variant random_variant(struct random *dice)
{
    static const char *const names[] = {"tiny", "base", "base4", "wide", "odd"};
    static const char *const buffers[] = {"instruction_buffers=8", NULL};
    static const char *const deep[] = {"index_width=10", "segment_max=256", "weight_queue_depth=512", NULL};
    static const char *const int16[] = {"data_width=16", "acc_width=48", NULL};
    struct variant v;
    unsigned choice = (unsigned)random_below(dice, 10);
    if (choice < 5)
        return variant_of(names[choice], buffers);
    if (choice < 7)
        return variant_of("base", choice == 5 ? deep : int16);
    variant_random(random_below(dice, 1000000), &v);
    return v;
}

static const char *make_plan(struct problem *p, const struct plan_choice *choice)
{
    const struct plan_description d = {.variant = &p->v,
                                       .operator= choice->gather ? PLAN_SPMV : PLAN_SPMM,
                                       .weights = &p->w,
                                       .m = p->m,
                                       .element = 2};
    return plan_why(plan_make(&d, choice, &p->plan));
}

static bool try_spmm(uint64_t seed)
{
    struct random dice = {seed};
    struct problem p = {.seed = seed, .v = random_variant(&dice)};
    const struct plan_choice choice = {.mapping = (enum plan_mapping)random_below(&dice, PLAN_MAPPINGS),
                                       .split = {(enum plan_axis)random_below(&dice, PLAN_AXES),
                                                 (enum plan_axis)random_below(&dice, PLAN_AXES)},
                                       .deals = random_chance(&dice, 20),
                                       .rows_held = random_chance(&dice, 50)   ? 0
                                                    : random_chance(&dice, 90) ? 1u << random_below(&dice, 3)
                                                                               : random_range(&dice, 0, 9),
                                       .packet_bytes =
                                           random_chance(&dice, 50) ? 0 : random_range(&dice, 64, 4096)};
    p.m = random_range(&dice, 1, 40);
    p.w.rows = random_range(&dice, 1, 60);
    p.w.columns = random_chance(&dice, 95) ? 8 * random_range(&dice, 1, 30) : random_range(&dice, 1, 100);
    random_sparse(&dice, &p.w, ANYWHERE, p.v.data_width);
    random_activations(&dice, &p);
    return run_problem(&p, make_plan(&p, &choice));
}

static bool try_diagonal(uint64_t seed)
{
    struct random dice = {seed};
    struct problem p = {.seed = seed, .v = random_variant(&dice), .m = 1};
    const struct plan_choice choice = {.gather = PLAN_GATHER_DIAGONAL,
                                       .packet_bytes =
                                           random_chance(&dice, 50) ? 0 : random_range(&dice, 64, 4096)};
    enum shape shape = random_chance(&dice, 50) ? BANDED : ANYWHERE;
    p.w.rows = random_range(&dice, 1, random_chance(&dice, 20) ? 900 : 100);
    p.w.columns = shape == BANDED ? p.w.rows : random_range(&dice, 1, 300);
    random_sparse(&dice, &p.w, shape, p.v.data_width);
    random_activations(&dice, &p);
    return run_problem(&p, make_plan(&p, &choice));
}

/* Runs `count` of them from the seed on, `enough` of which must have a plan. */
static void try_many(bool (*try)(uint64_t seed), uint64_t count, uint64_t enough)
{
    uint64_t seed = from_environment("TULLE_PLAN_SEED", 1), ran = 0;
    count = from_environment("TULLE_PLANS", count);
    for (uint64_t i = 0; i < count; i++)
        ran += try(seed + i);
    cr_log_info("%llu of %llu had a plan", (unsigned long long)ran, (unsigned long long)count);
    cr_assert(ran >= enough || getenv("TULLE_PLANS"), "only %llu of %llu had a plan", (unsigned long long)ran,
              (unsigned long long)count);
}

/* Reproduce a failure: TULLE_PLAN_SEED=<seed> TULLE_PLANS=1 build/tests/sim_model --filter "plans/spmm" */
Test(plans, spmm)
{
    try_many(try_spmm, FEWER_ROUNDS(6000), FEWER_ROUNDS(2500));
}

Test(plans, diagonal)
{
    try_many(try_diagonal, FEWER_ROUNDS(3000), FEWER_ROUNDS(1500));
}

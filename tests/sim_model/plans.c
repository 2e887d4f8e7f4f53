/* SPDX-License-Identifier: Apache-2.0
 *
 * Random operators through the planners: what a plan accepts runs and gives
 * what a plain computation gives, and what it does not accept it refuses with
 * a message.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

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

static unsigned random_density(struct dice *dice)
{
    return densities[dice_below(dice, sizeof densities / sizeof *densities)];
}

static bool inside_band(uint32_t row, uint32_t column, uint32_t half)
{
    return column + half >= row && column <= row + half;
}

/* Some rows are empty whatever the density. */
static void random_sparse(struct dice *dice, struct sparse *s, enum shape shape, unsigned data_width)
{
    unsigned percent = random_density(dice);
    uint32_t half = dice_range(dice, 0, 40), count = 0;
    s->start = calloc((size_t)s->rows + 1, sizeof *s->start);
    s->column = malloc((size_t)s->rows * s->columns * sizeof *s->column + 1);
    s->value = malloc((size_t)s->rows * s->columns * sizeof *s->value + 1);
    cr_assert(s->start && s->column && s->value);
    for (uint32_t r = 0; r < s->rows; r++) {
        bool empty = dice_chance(dice, 10);
        for (uint32_t c = 0; c < s->columns && !empty; c++) {
            if ((shape == BANDED && !inside_band(r, c, half)) || !dice_chance(dice, percent))
                continue;
            s->column[count] = c;
            s->value[count++] = (int32_t)dice_nonzero(dice, data_width);
        }
        s->start[r + 1] = count;
    }
}

static void random_activations(struct dice *dice, struct problem *p)
{
    unsigned percent = random_density(dice);
    size_t count = (size_t)p->m * p->w.columns;
    p->a = calloc(count + 1, sizeof *p->a);
    cr_assert(p->a);
    for (size_t i = 0; i < count; i++)
        p->a[i] = dice_chance(dice, percent) ? (int16_t)dice_signed(dice, p->v.data_width) : 0;
    if (count && dice_chance(dice, 5)) { /* one non-zero in all */
        memset(p->a, 0, count * sizeof *p->a);
        p->a[dice_below(dice, count)] = 1;
    }
}

static void make_slots(struct problem *p)
{
    unsigned bytes = p->v.data_width / 8;
    size_t count = (size_t)p->m * p->w.columns;
    uint8_t *input = calloc(p->plan.input_bytes + 1, 1);
    cr_assert(input);
    for (size_t i = 0; i < count && (i + 1) * bytes <= p->plan.input_bytes; i++)
        for (unsigned b = 0; b < bytes; b++)
            input[i * bytes + b] = (uint8_t)((uint16_t)p->a[i] >> (8 * b));
    p->slots = (struct slots){0};
    slots_set(&p->slots, SLOT_PROGRAM, p->plan.program.text, p->plan.program.len);
    slots_set(&p->slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(&p->slots, SLOT_WEIGHTS, sb_text(&p->plan.weights), p->plan.weights.len);
    slots_set(&p->slots, SLOT_INPUT, input, p->plan.input_bytes);
    slots_set(&p->slots, SLOT_OUTPUT, NULL, p->plan.output_bytes);
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
                macs += a != 0;
            }
            int64_t expected = reference_wrap(reference_wrap(sum, p->v.acc_width), 32);
            const uint8_t *at = p->slots.job.slots[SLOT_OUTPUT].bytes + (size_t)r * p->plan.output_pitch;
            cr_assert_eq(num_get_element(at + 4 * (size_t)n, NUM_INT32), expected,
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
        expect_results(p, &result);
        slots_free(&p->slots);
    }
    plan_free(&p->plan);
    sparse_free(&p->w);
    free(p->a);
    return !refusal;
}

static struct variant random_variant(struct dice *dice)
{
    static const char *const names[] = {"tiny", "base", "base4", "wide", "odd"};
    static const char *const buffers[] = {"instruction_buffers=8", NULL};
    static const char *const deep[] = {"index_width=10", "segment_max=256", "weight_queue_depth=512", NULL};
    static const char *const int16[] = {"data_width=16", "acc_width=48", NULL};
    struct variant v;
    unsigned choice = (unsigned)dice_below(dice, 10);
    if (choice < 5)
        return variant_of(names[choice], buffers);
    if (choice < 7)
        return variant_of("base", choice == 5 ? deep : int16);
    variant_random(dice_below(dice, 1000000), &v);
    return v;
}

static bool try_spmm(uint64_t seed)
{
    struct dice dice = {seed};
    struct problem p = {.seed = seed, .v = random_variant(&dice)};
    const struct plan_options options = {
        .rows_held = dice_chance(&dice, 90) ? 1u << dice_below(&dice, 3) : dice_range(&dice, 0, 9),
        .packet_bytes = dice_chance(&dice, 50) ? 0 : dice_range(&dice, 64, 4096)};
    p.m = dice_range(&dice, 1, 40);
    p.w.rows = dice_range(&dice, 1, 60);
    p.w.columns = dice_chance(&dice, 95) ? 8 * dice_range(&dice, 1, 30) : dice_range(&dice, 1, 100);
    random_sparse(&dice, &p.w, ANYWHERE, p.v.data_width);
    random_activations(&dice, &p);
    return run_problem(&p, plan_spmm(&p.v, &p.w, p.m, &options, &p.plan));
}

static bool try_spmv(uint64_t seed)
{
    struct dice dice = {seed};
    struct problem p = {.seed = seed, .v = random_variant(&dice), .m = 1};
    const struct plan_options options = {.packet_bytes =
                                             dice_chance(&dice, 50) ? 0 : dice_range(&dice, 64, 4096)};
    enum shape shape = dice_chance(&dice, 50) ? BANDED : ANYWHERE;
    p.w.rows = dice_range(&dice, 1, dice_chance(&dice, 20) ? 900 : 100);
    p.w.columns = shape == BANDED ? p.w.rows : dice_range(&dice, 1, 300);
    random_sparse(&dice, &p.w, shape, p.v.data_width);
    random_activations(&dice, &p);
    return run_problem(&p, plan_spmv(&p.v, &p.w, &options, &p.plan));
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
    try_many(try_spmm, 6000, 2500);
}

Test(plans, spmv)
{
    try_many(try_spmv, 3000, 1500);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators in several jobs, when device memory is small.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host_plan/problem.h"

/* The job's part of the problem: weights and expected results of its columns. */
static void run_job(const struct problem *p, const struct plan_job *job, const int64_t *expected)
{
    struct problem part = *p;
    uint32_t *start = calloc((size_t)job->rows + 1, sizeof *start);
    int64_t *wanted = calloc((size_t)p->d.m * job->rows + 1, sizeof *wanted);
    cr_assert(start && wanted);
    for (uint32_t r = 0; r <= job->rows; r++)
        start[r] = p->w.start[job->first + r] - p->w.start[job->first];
    for (uint32_t m = 0; m < p->d.m; m++)
        for (uint32_t n = 0; n < job->rows; n++)
            wanted[(size_t)m * job->rows + n] = expected[(size_t)m * p->w.rows + job->first + n];
    part.w.rows = job->rows;
    part.w.start = start;
    problem_run(&part, &job->plan, wanted, "a job");
    free(start);
    free(wanted);
}

static void expect_jobs(enum plan_operator operator, const struct plan_choice * choice, uint32_t m,
                        unsigned share)
{
    struct variant v = variant_of("tiny", (const char *const[]){NULL});
    struct random dice = {share};
    struct problem p;
    struct plan whole = {0};
    struct plan_jobs jobs;
    problem_make(&p, &dice, &v, operator, m, 160, 200, 30);
    free(p.partial);
    p.partial = NULL;
    p.d.partial = false;
    int64_t *expected = problem_expected(&p);
    cr_assert(!plan_make(&p.d, choice, &whole));
    uint64_t memory = plan_memory(&whole) / share + 3000;
    const char *why = plan_why(plan_make_jobs(&p.d, choice, memory, &jobs));
    cr_assert(!why, "%s", why);
    cr_assert(jobs.count >= 2 && jobs.count <= 4 * share, "%u jobs", jobs.count);
    uint32_t next = 0;
    for (uint32_t i = 0; i < jobs.count; i++) {
        cr_assert_eq(jobs.of[i].first, next);
        cr_assert_leq(plan_memory(&jobs.of[i].plan), memory);
        run_job(&p, &jobs.of[i], expected);
        next += jobs.of[i].rows;
    }
    cr_assert_eq(next, p.w.rows);
    plan_jobs_free(&jobs);
    plan_free(&whole);
    free(expected);
    problem_free(&p);
}

Test(jobs, products)
{
    expect_jobs(PLAN_SPMM, &(struct plan_choice){.mapping = PLAN_OUTPUT_STATIONARY}, 6, 3);
    expect_jobs(PLAN_SPMM, &(struct plan_choice){.split = {PLAN_N, PLAN_K}}, 6, 2);
}

Test(jobs, vectors)
{
    expect_jobs(PLAN_SPMV, &(struct plan_choice){.gather = PLAN_GATHER_STAY}, 1, 3);
}

Test(jobs, too_small)
{
    struct variant v = variant_of("tiny", (const char *const[]){NULL});
    struct random dice = {1};
    struct problem p;
    struct plan_jobs jobs;
    problem_make(&p, &dice, &v, PLAN_SPMM, 6, 160, 20, 30);
    const char *why = plan_why(plan_make_jobs(&p.d, &(struct plan_choice){0}, 500, &jobs));
    cr_assert(why && strstr(why, "device memory"), "%s", why);
    cr_assert_null(jobs.of);
    problem_free(&p);
}

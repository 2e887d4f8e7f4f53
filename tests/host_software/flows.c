/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>

#include "host/software/form.h"
#include "host/software/trace.h"
#include "tests/host_software/checked.h"

static size_t check_seeds(const char *name, uint64_t first, unsigned count, bool harmed)
{
    const struct variant v = variant_of(name, without_bank);
    const struct recipe_taste taste = {.legal_only = true};
    size_t results = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct recipe recipe;
        struct subject subject;
        recipe_random(&recipe, &v, &taste, seed);
        if (subject_make(&subject, &v, &recipe))
            continue;
        recipe.mutation = seed % 4 ? MUTATION_SEALED : MUTATION_WEIGHTS;
        recipe.change = seed;
        recipe.changes = 1;
        if (harmed)
            subject_mutate(&subject, &recipe);
        results += check_flow(&subject, seed, NULL);
        subject_free(&subject);
    }
    return results;
}

Test(flows, random_programs_of_the_smallest_variant)
{
    cr_assert_gt(check_seeds("tiny", 1, 150, false), 1000);
}

Test(flows, random_programs_with_everything_that_networks_need)
{
    cr_assert_gt(check_seeds("networks", 1, 60, false), 1000);
}

/* What has changed in a program changes in its data flow, and what the model refuses is refused with its
 * word. */
Test(flows, harmed_programs)
{
    cr_assert_gt(check_seeds("tiny", 5000, 100, true), 100);
    cr_assert_gt(check_seeds("networks", 5000, 40, true), 100);
}

static struct subject legal_subject(const char *name, uint64_t seed, enum fuzz_operator kind)
{
    const struct variant v = variant_of(name, without_bank);
    const struct recipe_taste taste = {.legal_only = true};
    struct subject subject;
    for (;; seed++) {
        struct recipe recipe;
        recipe_random(&recipe, &v, &taste, seed);
        recipe.operator= kind;
        if (!subject_make(&subject, &v, &recipe))
            return subject;
    }
}

/* Weights may not be operands: then there is no software. */
Test(flows, weights_that_are_operands_are_refused_by_name)
{
    struct subject s = legal_subject("tiny", 1, FUZZ_SPMM);
    struct trace_job job = {.variant = &s.victim.v, .job = s.victim.slots.job};
    struct flow flow;
    struct strbuf why = {0};
    job.constant[SLOT_PROGRAM] = job.constant[SLOT_WEIGHTS] = true;
    cr_assert(trace_program(&job, &flow, &why), "%s", sb_text(&why));
    flow_free(&flow);
    /* The model runs with what is there; only the tracer minds. */
    job.constant[SLOT_WEIGHTS] = false;
    cr_assert(!trace_program(&job, &flow, &why));
    cr_assert(why.len);
    flow_free(&flow);
    sb_free(&why);
    subject_free(&s);
}

/* Results that are computed alike share loops: places times columns are all results. */
Test(flows, forms_have_every_result_once)
{
    struct subject s = legal_subject("networks", 3, FUZZ_CONVOLUTION);
    struct trace_job job = {.variant = &s.victim.v, .job = s.victim.slots.job};
    struct flow flow;
    struct form form;
    struct strbuf why = {0};
    job.constant[SLOT_PROGRAM] = job.constant[SLOT_WEIGHTS] = job.constant[SLOT_PARTIAL] = true;
    cr_assert(trace_program(&job, &flow, &why), "%s", sb_text(&why));
    cr_assert(form_make(&flow, &form, &why), "%s", sb_text(&why));
    size_t results = 0;
    for (size_t g = 0; g < form.count; g++)
        results += form.groups[g].places * form.groups[g].column_count;
    cr_assert_eq(results, flow.result_count);
    cr_assert_lt(form.count, flow.result_count);
    form_free(&form);
    flow_free(&flow);
    sb_free(&why);
    subject_free(&s);
}

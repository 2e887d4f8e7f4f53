/* SPDX-License-Identifier: Apache-2.0
 *
 * What storage units hold over jobs is one context's: a job of another one does not find it, whatever number
 * its program expects.
 */
#include <criterion/criterion.h>

#include "host/plan/stay.h"
#include "sim/model/job.h"
#include "support.h"

enum { NUMBER = 7 };

/* A product that leaves its weights, and one that expects them. */
struct pair {
    struct work whole, again;
};

static struct pair pair_make(void)
{
    const char *const key = "kept_weights=on";
    struct variant v;
    struct diag diag = {0};
    struct pair p = {.whole = work_make(1)};
    struct strbuf rest = {0};
    cr_assert(variant_load("tiny", &key, 1, &v, &diag));
    cr_assert(stay_program(&v, &p.whole.program, &rest));
    stay_number(&p.whole.program, 0, NUMBER);
    stay_number(&rest, NUMBER, NUMBER);
    p.again = p.whole;
    p.again.program = rest;
    return p;
}

static void pair_free(struct pair *p)
{
    sb_free(&p->again.program);
    work_free(&p->whole);
}

static void is_stale(const struct buffers *b, cl_command_queue queue)
{
    cl_event event;
    ok(clEnqueueTask(queue, b->kernel, 0, NULL, &event));
    ok(clFinish(queue));
    cr_expect_eq(event_status(event), CL_TULLE_JOB_ENDED(JOB_STALE_WEIGHTS), "%d", event_status(event));
    ok(clReleaseEvent(event));
}

Test(kept, weights_are_one_contexts)
{
    struct rig rig;
    struct buffers whole, again, other;
    cl_int status;
    rig_open(&rig, "model:tiny;set=kept_weights=on");
    struct pair p = pair_make();
    cl_context context = make_context(rig.device[0]);
    cl_command_queue queue = make_queue(context, rig.device[0], 0);
    cl_program program = clCreateProgramWithBuiltInKernels(context, 1, rig.device, "tulle_run", &status);
    ok(status);
    buffers_make(&whole, rig.context, rig.program, &p.whole);
    buffers_make(&again, rig.context, rig.program, &p.again);
    buffers_make(&other, context, program, &p.again);
    cr_expect(work_run(&p.whole, &whole, rig.queue, NULL));
    cr_expect(work_run(&p.again, &again, rig.queue, NULL), "the same context");
    is_stale(&other, queue);
    is_stale(&again, rig.queue);
    cr_expect(work_run(&p.whole, &whole, rig.queue, NULL));
    cr_expect(work_run(&p.again, &again, rig.queue, NULL));
    buffers_free(&other);
    buffers_free(&again);
    buffers_free(&whole);
    ok(clReleaseProgram(program));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
    pair_free(&p);
    rig_close(&rig);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What other processes see of the driver's devices: the counters of its jobs.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/monitor/monitor.h"
#include "support.h"
#include "tests/gen_base/scratch.h"

static void set_folder(void)
{
    char here[4096];
    scratch_enter();
    cr_assert_not_null(getcwd(here, sizeof here));
    cr_assert_eq(setenv("XDG_RUNTIME_DIR", here, 1), 0);
    cr_assert_eq(unsetenv(MONITOR_VARIABLE), 0);
}

TestSuite(monitor, .init = set_folder, .fini = scratch_leave, .timeout = 240);

/* How many devices of this process there are; `to` is the last one's sample. */
static unsigned seen(struct monitor_sample *to)
{
    struct monitor_samples all;
    unsigned count = 0;
    cr_assert(monitor_read(&all));
    for (size_t i = 0; i < all.count; i++)
        if (!*all.item[i].why && all.item[i].about.pid == (uint64_t)getpid()) {
            *to = all.item[i];
            count++;
        }
    monitor_free(&all);
    return count;
}

/* The counters of a job are added to `sum`; its status is returned. */
static cl_int run_job(struct rig *rig, const struct buffers *buffers, struct monitor_counts *sum)
{
    cl_event event;
    cl_ulong value = 0;
    ok(clEnqueueTask(rig->queue, buffers->kernel, 0, NULL, &event));
    ok(clFinish(rig->queue));
    cl_profiling_info info = CL_PROFILING_TULLE_CYCLES; /* the others follow in this order */
#define X(name, timed)                                                                    \
    if (clGetEventProfilingInfo(event, info++, sizeof value, &value, NULL) == CL_SUCCESS) \
        sum->name += value;
    JOB_COUNTERS(X)
#undef X
    cl_int status = event_status(event);
    ok(clReleaseEvent(event));
    return status;
}

static void has_counters(const struct monitor_counts *sum)
{
    struct monitor_sample s;
    cr_assert_eq(seen(&s), 1);
#define X(name, timed)                                                                                  \
    cr_assert_eq(s.counts.name, sum->name, #name ": %llu, not %llu", (unsigned long long)s.counts.name, \
                 (unsigned long long)sum->name);
    JOB_COUNTERS(X)
#undef X
}

static void counters_are_those_of_jobs(const char *device, bool clock)
{
    struct rig rig;
    struct monitor_counts sum = {0};
    struct monitor_sample s;
    struct buffers buffers;
    rig_open(&rig, device);
    cr_assert_eq(seen(&s), 0, "a device that nobody has used");
    struct work work = work_make(1);
    buffers_make(&buffers, rig.context, rig.program, &work);
    for (unsigned i = 1; i <= 5; i++) {
        cr_assert_eq(run_job(&rig, &buffers, &sum), CL_COMPLETE);
        has_counters(&sum);
        cr_assert_eq(seen(&s), 1);
        cr_assert(s.counts.jobs == i && !s.counts.failures && !s.counts.running_since && s.counts.busy);
    }
    cr_assert(sum.effective_macs && !sum.cycles == !clock);
    cr_assert_str_eq(s.about.variant, "tiny");
    cr_assert(!strncmp(s.about.name, "model:tiny", 10) && s.about.pes == 8);
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

Test(monitor, counters_are_those_of_jobs)
{
    counters_are_those_of_jobs("model:tiny", false);
}

Test(monitor, cycles_are_those_of_jobs)
{
    counters_are_those_of_jobs("model:tiny;timed=1", true);
}

Test(monitor, a_job_that_the_device_ends_with_an_error_is_a_failure)
{
    struct rig rig;
    struct monitor_counts sum = {0};
    struct monitor_sample s;
    struct buffers buffers;
    cl_ulong small = 64;
    rig_open(&rig, "model:tiny");
    struct work work = work_make(1);
    buffers_make(&buffers, rig.context, rig.program, &work);
    cr_assert_eq(run_job(&rig, &buffers, &sum), CL_COMPLETE);
    ok(clSetKernelArg(buffers.kernel, CL_TULLE_FIRST_SIZE + SLOT_INPUT, sizeof small, &small));
    cr_assert_eq(run_job(&rig, &buffers, &sum), CL_TULLE_JOB_ENDED(JOB_OUT_OF_SLOT));
    cr_assert_eq(seen(&s), 1);
    cr_assert(s.counts.jobs == 2 && s.counts.failures == 1 && s.counts.last_failure == JOB_OUT_OF_SLOT);
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

/* Jobs until the first that fails, on a device that fails some time. */
static void fails_with(const char *device, uint64_t failure)
{
    struct rig rig;
    struct monitor_counts sum = {0};
    struct monitor_sample s;
    struct buffers buffers;
    unsigned good = 0;
    cr_assert_eq(setenv("TULLE_TIMEOUT_MS", "100", 1), 0);
    rig_open(&rig, device);
    struct work work = work_make(1);
    buffers_make(&buffers, rig.context, rig.program, &work);
    while (run_job(&rig, &buffers, &sum) == CL_COMPLETE)
        good++;
    cr_assert_eq(seen(&s), 1);
    cr_assert(good && s.counts.jobs == good && s.counts.failures == 1 && s.counts.last_failure == failure,
              "%u good; %llu jobs, %llu failures, %s", good, (unsigned long long)s.counts.jobs,
              (unsigned long long)s.counts.failures, monitor_failure_name(s.counts.last_failure));
    cr_assert(!s.counts.running_since);
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

Test(monitor, a_job_that_does_not_end_is_a_failure)
{
    fails_with("model:tiny;fault=hang:1000", MONITOR_TIMEOUT);
}

Test(monitor, a_lost_device_is_a_failure)
{
    fails_with("model:tiny;fault=gone:1000", MONITOR_LOST);
}

Test(monitor, can_be_switched_off)
{
    struct rig rig;
    struct monitor_counts sum = {0};
    struct monitor_sample s;
    struct buffers buffers;
    cr_assert_eq(setenv(MONITOR_VARIABLE, "off", 1), 0);
    rig_open(&rig, "model:tiny");
    struct work work = work_make(1);
    buffers_make(&buffers, rig.context, rig.program, &work);
    cr_assert_eq(run_job(&rig, &buffers, &sum), CL_COMPLETE);
    cr_assert_eq(seen(&s), 0);
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

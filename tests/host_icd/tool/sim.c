/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults of a simulated device, seen through the driver. TULLE_ICD_SIM is a
 * folder of sim/board/build, with board-trace.so, of the variant tiny;
 * TULLE_ICD_CONTAINER a container of it, TULLE_ICD_OTHER one of the functional
 * model of the same variant.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/base/input.h"
#include "sim/model/job.h"
#include "tests/host_icd/support.h"

TestSuite(sim, .timeout = 280);

/* The device with these settings of its board. */
static void open_with(struct rig *rig, const char *settings)
{
    static char list[4096];
    const char *place = getenv("TULLE_ICD_SIM");
    cr_assert(place, "TULLE_ICD_SIM is not set");
    snprintf(list, sizeof list, "sim:%s;memory=64M%s", place, settings);
    rig_open(rig, list);
}

/* The end of a job, then, when `next`, that another one is right. */
static cl_int end_of_job(const char *settings, bool next)
{
    struct rig rig;
    struct buffers buffers;
    cl_event event;
    open_with(&rig, settings);
    struct work work = work_make(3);
    buffers_make(&buffers, rig.context, rig.program, &work);
    ok(clEnqueueTask(rig.queue, buffers.kernel, 0, NULL, &event));
    (void)clWaitForEvents(1, &event);
    cl_int status = event_status(event);
    ok(clReleaseEvent(event));
    for (unsigned turn = 0; next && turn < 50 && status != CL_COMPLETE;
         turn++) { /* until the memory is well again */
        ok(clEnqueueTask(rig.queue, buffers.kernel, 0, NULL, &event));
        if (clWaitForEvents(1, &event) == CL_SUCCESS)
            turn = 50;
        ok(clReleaseEvent(event));
    }
    if (next)
        cr_assert(work_run(&work, &buffers, rig.queue, NULL), "the next job");
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
    return status;
}

static void set(const char *name, const char *value)
{
    cr_assert_eq(setenv(name, value, 1), 0);
}

Test(sim, stalls_and_slow_memory)
{
    cr_assert_eq(end_of_job(";stalls=5;latency=200;bandwidth=1/3;reorder=1", true), CL_COMPLETE);
}

Test(sim, errors_of_memory_end_the_job_and_not_the_device)
{
    cr_assert_eq(end_of_job(";fault=slverr:read:*:0-1500", true), CL_TULLE_JOB_ENDED(JOB_READ_SLAVE_ERROR));
    cl_int status = end_of_job(";fault=slverr:write:*:0-2000", false);
    cr_assert(status == CL_TULLE_JOB_ENDED(JOB_WRITE_SLAVE_ERROR) || status == CL_COMPLETE, "%d", status);
}

Test(sim, a_dead_memory_is_found_by_the_watchdog)
{
    set("TULLE_WATCHDOG", "5000");
    cr_assert_eq(end_of_job(";fault=dead:read:*:0-1500", true), CL_TULLE_JOB_ENDED(JOB_WATCHDOG));
}

Test(sim, without_a_watchdog_the_driver_ends_it)
{
    set("TULLE_WATCHDOG", "0");
    set("TULLE_TIMEOUT_MS", "500");
    cr_assert_eq(end_of_job(";fault=dead:read", false), CL_TULLE_JOB_TIMEOUT);
}

Test(sim, the_bound_may_be_the_contexts)
{
    struct rig rig;
    cl_int status;
    cl_event event;
    set("TULLE_WATCHDOG", "0");
    open_with(&rig, ";fault=dead:read");
    const cl_context_properties properties[] = {CL_CONTEXT_TULLE_TIMEOUT_MS, 300, 0};
    cl_context context = clCreateContext(properties, 1, rig.device, NULL, NULL, &status);
    ok(status);
    cl_command_queue queue = clCreateCommandQueue(context, rig.device[0], 0, &status);
    cl_program program = clCreateProgramWithBuiltInKernels(context, 1, rig.device, "tulle_run", &status);
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, context, program, &work);
    ok(clEnqueueTask(queue, buffers.kernel, 0, NULL, &event));
    is(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cr_assert_eq(event_status(event), CL_TULLE_JOB_TIMEOUT);
    ok(clReleaseEvent(event));
    buffers_free(&buffers);
    work_free(&work);
    ok(clReleaseProgram(program));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
    rig_close(&rig);
}

/* A board that fails in the middle of a job: its waveform cannot be written. A new context opens it again. */
Test(sim, a_board_that_fails_is_lost_until_the_next_context)
{
    struct rig rig;
    struct buffers buffers;
    cl_event event;
    cl_int status;
    cl_bool available = CL_TRUE;
    open_with(&rig, ";trace=/nowhere/x.fst;from=900");
    struct work work = work_make(1);
    buffers_make(&buffers, rig.context, rig.program, &work);
    ok(clEnqueueTask(rig.queue, buffers.kernel, 0, NULL, &event));
    is(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cr_assert_eq(event_status(event), CL_DEVICE_NOT_AVAILABLE);
    cr_assert(strstr(sb_text(&rig.told), "/nowhere/x.fst"), "%s", sb_text(&rig.told));
    is(clEnqueueWriteBuffer(rig.queue, buffers.slot[SLOT_INPUT], CL_TRUE, 0, 1, "x", 0, NULL, NULL),
       CL_DEVICE_NOT_AVAILABLE);
    ok(clGetDeviceInfo(rig.device[0], CL_DEVICE_AVAILABLE, sizeof available, &available, NULL));
    cr_assert_eq(available, CL_FALSE);
    cl_context again = clCreateContext(NULL, 1, rig.device, NULL, NULL, &status);
    ok(status);
    ok(clGetDeviceInfo(rig.device[0], CL_DEVICE_AVAILABLE, sizeof available, &available, NULL));
    cr_assert_eq(available, CL_TRUE);
    is(clEnqueueWriteBuffer(rig.queue, buffers.slot[SLOT_INPUT], CL_TRUE, 0, 1, "x", 0, NULL, NULL),
       CL_DEVICE_NOT_AVAILABLE);
    ok(clReleaseContext(again));
    ok(clReleaseEvent(event));
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

/* ---- programs ---------------------------------------------------------------------------------- */

static cl_program load(struct rig *rig, const char *variable, cl_int *status)
{
    const char *path = getenv(variable);
    struct strbuf bytes = {0};
    struct diag diag = {0};
    cr_assert(path, "%s is not set", variable);
    cr_assert(input_read(path, (size_t)1 << 30, &bytes, &diag), "%s", sb_text(&diag.text));
    const unsigned char *binary = (const unsigned char *)bytes.text;
    cl_program p = clCreateProgramWithBinary(rig->context, 1, rig->device, &bytes.len, &binary, NULL, status);
    sb_free(&bytes);
    return p;
}

Test(sim, a_program_from_the_container_of_the_device)
{
    struct rig rig;
    struct buffers buffers;
    cl_int status;
    open_with(&rig, "");
    cl_program p = load(&rig, "TULLE_ICD_CONTAINER", &status);
    cr_assert_eq(status, CL_SUCCESS, "%s", sb_text(&rig.told));
    ok(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    struct work work = work_make(1);
    buffers_make(&buffers, rig.context, p, &work);
    cr_assert(work_run(&work, &buffers, rig.queue, NULL));
    buffers_free(&buffers);
    work_free(&work);
    ok(clReleaseProgram(p));
    rig_close(&rig);
}

Test(sim, a_container_of_the_model_is_not_for_it)
{
    struct rig rig;
    cl_int status;
    open_with(&rig, "");
    cr_assert_null(load(&rig, "TULLE_ICD_OTHER", &status));
    cr_assert_eq(status, CL_INVALID_BINARY);
    cr_assert(strstr(sb_text(&rig.told), "transport model") && strstr(sb_text(&rig.told), "transport sim"),
              "%s", sb_text(&rig.told));
    rig_close(&rig);
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* The process ends while a job runs that would take minutes: it does not wait for it. */
Test(sim, the_end_of_the_process_does_not_wait_for_a_job, .exit_code = 0, .timeout = 100)
{
    struct rig rig;
    set("TULLE_WATCHDOG", "0");
    open_with(&rig, ";fault=dead:read");
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, rig.program, &work);
    ok(clEnqueueTask(rig.queue, buffers.kernel, 0, NULL, NULL));
    exit(0);
}

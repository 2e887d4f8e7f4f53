/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices that cannot be used when it comes to it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

/* A sanitizer's own memory would not fit either. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
static void limit_memory(rlim_t bytes)
{
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

Test(devices, a_board_that_does_not_open)
{
    struct rig rig;
    cl_event event;
    char byte = 0;
    rig_open(&rig, "model:tiny;memory=512G");
    cl_mem m = make_buffer(rig.context, 0, 64, NULL);
    limit_memory((rlim_t)256 << 30);
    ok(clEnqueueWriteBuffer(rig.queue, m, CL_FALSE, 0, 1, &byte, 0, NULL, &event));
    ok(clFinish(rig.queue));
    cr_assert_eq(event_status(event), CL_DEVICE_NOT_AVAILABLE);
    is(clEnqueueReadBuffer(rig.queue, m, CL_TRUE, 0, 1, &byte, 0, NULL, NULL), CL_DEVICE_NOT_AVAILABLE);
    cr_assert(strstr(sb_text(&rig.told), "address range"), "%s", sb_text(&rig.told));
    limit_memory(RLIM_INFINITY);
    ok(clEnqueueReadBuffer(rig.queue, m, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    ok(clReleaseEvent(event));
    ok(clReleaseMemObject(m));
    rig_close(&rig);
}
#endif

Test(devices, timeouts_that_are_no_numbers_are_the_usual_one)
{
    struct rig rig;
    cr_assert_eq(setenv("TULLE_TIMEOUT_MS", "soon", 1), 0);
    cr_assert_eq(setenv("TULLE_WATCHDOG", "-x", 1), 0);
    rig_open(&rig, "model:tiny");
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, rig.program, &work);
    cr_assert(work_run(&work, &buffers, rig.queue, NULL));
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

/* ---- devices that are lost ------------------------------------------------------------------------ */

/* Jobs, all in the queue at once, on a board that fails among them. */
struct loss {
    struct rig rig;
    struct work work;
    struct buffers buffers;
};

static void begin_loss(struct loss *l, const char *device)
{
    rig_open(&l->rig, device);
    l->work = work_make(1);
    buffers_make(&l->buffers, l->rig.context, l->rig.program, &l->work);
}

static void end_loss(struct loss *l)
{
    buffers_free(&l->buffers);
    work_free(&l->work);
    rig_close(&l->rig);
}

#define JOBS 40

/* How many end well before the first that does not; from then on all end with `wanted`. */
static unsigned run_until_lost(struct loss *l, cl_int wanted)
{
    cl_event event[JOBS];
    unsigned good = 0;
    for (unsigned i = 0; i < JOBS; i++)
        ok(clEnqueueTask(l->rig.queue, l->buffers.kernel, 0, NULL, &event[i]));
    ok(clFinish(l->rig.queue));
    while (good < JOBS && event_status(event[good]) == CL_COMPLETE)
        good++;
    for (unsigned i = good; i < JOBS; i++)
        cr_assert_eq(event_status(event[i]), wanted, "job %u: %d", i, event_status(event[i]));
    for (unsigned i = 0; i < JOBS; i++)
        ok(clReleaseEvent(event[i]));
    return good;
}

static bool available(cl_device_id device)
{
    cl_bool answer = CL_FALSE;
    ok(clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof answer, &answer, NULL));
    return answer;
}

/* With a context of its own, as a program that begins anew. */
static void works_again(cl_device_id device)
{
    cl_int status;
    struct buffers buffers;
    struct work work = work_make(2);
    cl_context context = make_context(device);
    cr_assert(available(device));
    cl_command_queue queue = make_queue(context, device, 0);
    cl_program program = clCreateProgramWithBuiltInKernels(context, 1, &device, "tulle_run", &status);
    buffers_make(&buffers, context, program, &work);
    cr_assert(work_run(&work, &buffers, queue, NULL));
    buffers_free(&buffers);
    work_free(&work);
    ok(clReleaseProgram(program));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
}

static void is_lost_and_found(const char *device, const char *reason)
{
    struct loss l;
    char byte = 0;
    begin_loss(&l, device);
    unsigned good = run_until_lost(&l, CL_DEVICE_NOT_AVAILABLE);
    cr_assert(good > 0 && good < JOBS, "%u", good);
    cr_assert(strstr(sb_text(&l.rig.told), reason), "%s", sb_text(&l.rig.told));
    cr_assert_not(available(l.rig.device[0]));
    is(clEnqueueWriteBuffer(l.rig.queue, l.buffers.slot[SLOT_INPUT], CL_TRUE, 0, 1, &byte, 0, NULL, NULL),
       CL_DEVICE_NOT_AVAILABLE);
    works_again(l.rig.device[0]);
    sb_free(&l.rig.told);
    is(clEnqueueReadBuffer(l.rig.queue, l.buffers.slot[SLOT_INPUT], CL_TRUE, 0, 1, &byte, 0, NULL, NULL),
       CL_DEVICE_NOT_AVAILABLE);
    cr_assert(strstr(sb_text(&l.rig.told), "make another"), "what the old context had is lost: %s",
              sb_text(&l.rig.told));
    cr_assert_eq(run_until_lost(&l, CL_DEVICE_NOT_AVAILABLE), 0);
    cr_assert(available(l.rig.device[0]), "an old context does not hurt it");
    end_loss(&l);
}

/* A program that looks for devices that are available finds it again, once nobody has what is lost. */
Test(devices, one_that_nobody_has_lost_anything_on_is_available)
{
    struct loss l;
    begin_loss(&l, "model:tiny;fault=gone:1000");
    cl_device_id device = l.rig.device[0];
    (void)run_until_lost(&l, CL_DEVICE_NOT_AVAILABLE);
    cr_assert_not(available(device));
    cr_assert_not(available(device), "asking again changes nothing");
    ok(clRetainContext(l.rig.context));
    cl_context held = l.rig.context;
    end_loss(&l);
    cr_assert_not(available(device), "a context of before the loss is there");
    ok(clReleaseContext(held));
    cr_assert(available(device));
    works_again(device);
    cr_assert(available(device));
}

Test(devices, one_off_the_bus_is_lost_and_found)
{
    is_lost_and_found("model:tiny;fault=ones:1000", "all ones");
}

Test(devices, one_that_fails_is_lost_and_found)
{
    is_lost_and_found("model:tiny;fault=gone:1000", "does not answer");
}

Test(devices, one_that_no_reset_helps_is_lost_and_found)
{
    is_lost_and_found("model:tiny;fault=stuck:1000", "a reset does not end it");
}

Test(devices, one_that_a_reset_helps_goes_on)
{
    struct loss l;
    char byte = 0;
    begin_loss(&l, "model:tiny;fault=hang:1000");
    unsigned good = run_until_lost(&l, CL_TULLE_JOB_TIMEOUT);
    cr_assert(good > 0 && good < JOBS, "%u", good);
    cr_assert(available(l.rig.device[0]));
    ok(clEnqueueReadBuffer(l.rig.queue, l.buffers.slot[SLOT_INPUT], CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    cr_assert_eq(byte, l.work.input[0]);
    end_loss(&l);
}

/* In a process of its own, because devices are found once: transfers and jobs until the first error, each of
 * which is one that a lost device has. 0 when that is so. */
static int ends_with_errors(const char *device)
{
    struct loss l;
    cl_event event;
    bool failed = false;
    begin_loss(&l, device);
    for (unsigned turn = 0; turn < 4 && !failed; turn++) {
        ok(clEnqueueTask(l.rig.queue, l.buffers.kernel, 0, NULL, &event));
        ok(clFinish(l.rig.queue));
        cl_int status = event_status(event);
        failed = status != CL_COMPLETE;
        if (failed && status != CL_DEVICE_NOT_AVAILABLE && status != CL_TULLE_JOB_TIMEOUT)
            return 1;
        ok(clReleaseEvent(event));
    }
    end_loss(&l);
    return failed ? 0 : 2;
}

/* Each call of the interface may be the one that fails, and reading ones may begin with it. */
Test(devices, a_board_may_fail_with_any_call, .timeout = 100)
{
    static const char *const kinds[] = {"ones", "gone", "stuck", "hang"};
    for (unsigned kind = 0; kind < 4; kind++)
        for (unsigned calls = 0; calls < 150; calls += 1 + calls / 10) {
            pid_t child = fork();
            cr_assert(child >= 0);
            if (!child) {
                char device[64];
                snprintf(device, sizeof device, "model:tiny;fault=%s:%u", kinds[kind], calls);
                alarm(60); /* an assertion that fails in here would wait for ever for Criterion's answer */
                _exit(ends_with_errors(device));
            }
            int end;
            cr_assert_eq(waitpid(child, &end, 0), child);
            cr_assert(WIFEXITED(end) && WEXITSTATUS(end) == 0, "%s after %u calls: 0x%x", kinds[kind], calls,
                      (unsigned)end);
        }
}

/* What is on one device is lost with it, the other one goes on. */
Test(devices, the_loss_of_one_of_two)
{
    struct loss l;
    char byte = 0;
    begin_loss(&l, "model:tiny;fault=gone:1000,model:tiny;memory=64M");
    cl_command_queue other = make_queue(l.rig.context, l.rig.device[1], 0);
    (void)run_until_lost(&l, CL_DEVICE_NOT_AVAILABLE);
    sb_free(&l.rig.told);
    is(clEnqueueReadBuffer(other, l.buffers.slot[SLOT_OUTPUT], CL_TRUE, 0, 1, &byte, 0, NULL, NULL),
       CL_DEVICE_NOT_AVAILABLE);
    cr_assert(strstr(sb_text(&l.rig.told), "does not answer"), "%s", sb_text(&l.rig.told));
    cl_mem fresh = make_buffer(l.rig.context, CL_MEM_COPY_HOST_PTR, 4, "new");
    ok(clEnqueueReadBuffer(other, fresh, CL_TRUE, 2, 1, &byte, 0, NULL, NULL));
    cr_assert_eq(byte, 'w');
    works_again(l.rig.device[1]);
    works_again(l.rig.device[0]);
    ok(clReleaseMemObject(fresh));
    ok(clReleaseCommandQueue(other));
    end_loss(&l);
}

Test(devices, contexts_by_type_open_lost_devices_again)
{
    struct loss l;
    cl_int status;
    cl_uint count = 0;
    begin_loss(&l, "model:tiny;fault=ones:1000");
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)l.rig.platform,
                                                0};
    (void)run_until_lost(&l, CL_DEVICE_NOT_AVAILABLE);
    cl_context context = clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &status);
    ok(status);
    ok(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    cr_assert(count == 1 && available(l.rig.device[0]));
    ok(clReleaseContext(context));
    end_loss(&l);
}

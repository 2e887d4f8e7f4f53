/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices that cannot be used when it comes to it.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
    cl_int status;
    char byte = 0;
    rig_open(&rig, "model:tiny;memory=512G");
    cl_mem m = clCreateBuffer(rig.context, 0, 64, NULL, &status);
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

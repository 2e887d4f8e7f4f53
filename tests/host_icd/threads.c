/* SPDX-License-Identifier: Apache-2.0
 *
 * Several threads with queues and contexts of their own on the same devices.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>

#include "support.h"

#define THREADS 6
#define TURNS 12

struct one {
    struct rig *rig;
    unsigned number;
    bool right;
};

/* Asserts belong to the test's thread: this one says how it went. */
static void *run_jobs(void *argument)
{
    struct one *one = argument;
    struct rig *rig = one->rig;
    cl_int status;
    cl_device_id device = rig->device[one->number % rig->devices];
    bool own = one->number % 2; /* a context of its own, or the one of all */
    cl_context context = own ? clCreateContext(NULL, 1, &device, NULL, NULL, &status) : rig->context;
    cl_program program =
        own ? clCreateProgramWithBuiltInKernels(context, 1, &device, "tulle_run", &status) : rig->program;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    struct work work = work_make(one->number);
    struct buffers buffers;
    buffers_make(&buffers, context, program, &work);
    one->right = true;
    for (unsigned turn = 0; turn < TURNS; turn++)
        one->right = work_run(&work, &buffers, queue, NULL) && one->right;
    buffers_free(&buffers);
    work_free(&work);
    clReleaseCommandQueue(queue);
    if (own) {
        clReleaseProgram(program);
        clReleaseContext(context);
    }
    return NULL;
}

Test(threads, jobs_of_several_at_a_time, .timeout = 200)
{
    struct rig rig;
    pthread_t thread[THREADS];
    struct one one[THREADS];
    rig_open(&rig, "model:tiny,model:tiny;memory=64M");
    for (unsigned i = 0; i < THREADS; i++) {
        one[i] = (struct one){.rig = &rig, .number = i};
        cr_assert_eq(pthread_create(&thread[i], NULL, run_jobs, &one[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_join(thread[i], NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert(one[i].right, "thread %u", i);
    rig_close(&rig);
}

/* ---- one queue and one buffer, many threads -------------------------------------------------------- */

static void *add_commands(void *argument)
{
    struct one *one = argument;
    struct rig *rig = one->rig;
    cl_int status;
    cl_mem m = clCreateBuffer(rig->context, 0, 4096, NULL, &status);
    one->right = m;
    for (unsigned turn = 0; turn < 200 && one->right; turn++) {
        cl_event event;
        unsigned wanted = one->number << 16 | turn, got = 0;
        one->right = clEnqueueFillBuffer(rig->queue, m, &wanted, sizeof wanted, 0, 4096, 0, NULL, &event) ==
                         CL_SUCCESS &&
                     clEnqueueReadBuffer(rig->queue, m, CL_TRUE, 4092, sizeof got, &got, 1, &event, NULL) ==
                         CL_SUCCESS &&
                     got == wanted && clReleaseEvent(event) == CL_SUCCESS;
    }
    clReleaseMemObject(m);
    return NULL;
}

Test(threads, a_queue_that_all_use, .timeout = 200)
{
    struct rig rig;
    pthread_t thread[THREADS];
    struct one one[THREADS];
    rig_open(&rig, "model:tiny");
    for (unsigned i = 0; i < THREADS; i++) {
        one[i] = (struct one){.rig = &rig, .number = i};
        cr_assert_eq(pthread_create(&thread[i], NULL, add_commands, &one[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_join(thread[i], NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        cr_assert(one[i].right, "thread %u", i);
    rig_close(&rig);
}

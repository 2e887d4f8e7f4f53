/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs on a device of the variant tiny, whatever it is (see job_devices).
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/board/job.h"
#include "support.h"

/* Simulated devices take their time on a busy machine. */
TestSuite(jobs, .timeout = 240);

Test(jobs, an_operator_end_to_end)
{
    struct rig rig;
    rig_open(&rig, job_devices());
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct work work = work_make(seed);
        struct buffers buffers;
        buffers_make(&buffers, rig.context, rig.program, &work);
        cr_assert(work_run(&work, &buffers, rig.queue, NULL));
        cr_assert(work_run(&work, &buffers, rig.queue, NULL), "the same again");
        buffers_free(&buffers);
        work_free(&work);
    }
    rig_close(&rig);
}

Test(jobs, every_device_of_a_context)
{
    struct rig rig;
    char list[8192];
    snprintf(list, sizeof list, "%s,%s,model:tiny", job_devices(), job_devices());
    rig_open(&rig, list);
    cr_assert_eq(rig.devices, 3);
    struct work work = work_make(5);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, rig.program, &work);
    for (unsigned turn = 0; turn < 2 * rig.devices; turn++) {
        cl_command_queue queue = make_queue(rig.context, rig.device[turn % rig.devices], 0);
        cr_assert(work_run(&work, &buffers, queue, NULL), "buffers go from device to device");
        ok(clReleaseCommandQueue(queue));
    }
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

static uint32_t number_of(const uint8_t *record)
{
    struct job_result result;
    struct strbuf why = {0};
    uint32_t number;
    cr_assert(job_read_status(record, &result, &number, &why), "%s", sb_text(&why));
    cr_assert_eq(result.code, JOB_OK);
    return number;
}

Test(jobs, the_job_number_is_an_argument_or_counts)
{
    struct rig rig;
    uint8_t record[ISA_STATUS_BYTES];
    cl_uint number = 0xCAFE1234;
    rig_open(&rig, job_devices());
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, rig.program, &work);
    cr_assert(work_run(&work, &buffers, rig.queue, record));
    uint32_t first = number_of(record);
    cr_assert(work_run(&work, &buffers, rig.queue, record));
    cr_assert_eq(number_of(record), first + 1);
    ok(clSetKernelArg(buffers.kernel, CL_TULLE_JOB_NUMBER, sizeof number, &number));
    cr_assert(work_run(&work, &buffers, rig.queue, record));
    cr_assert_eq(number_of(record), number);
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

/* What is set between a job's enqueueing and its beginning is the next one's. */
Test(jobs, have_the_arguments_of_their_enqueueing)
{
    struct rig rig;
    uint8_t record[2][ISA_STATUS_BYTES];
    cl_event gate, event;
    rig_open(&rig, job_devices());
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, rig.program, &work);
    cl_mem other = make_buffer(rig.context, 0, ISA_STATUS_BYTES, NULL);
    gate = make_gate(rig.context);
    for (cl_uint number = 71; number <= 72; number++) {
        ok(clSetKernelArg(buffers.kernel, SLOT_STATUS, sizeof other,
                          number == 71 ? &other : &buffers.slot[SLOT_STATUS]));
        ok(clSetKernelArg(buffers.kernel, CL_TULLE_JOB_NUMBER, sizeof number, &number));
        ok(clEnqueueTask(rig.queue, buffers.kernel, 1, &gate, &event));
        ok(clReleaseEvent(event));
    }
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clEnqueueReadBuffer(rig.queue, other, CL_TRUE, 0, ISA_STATUS_BYTES, record[0], 0, NULL, NULL));
    ok(clEnqueueReadBuffer(rig.queue, buffers.slot[SLOT_STATUS], CL_TRUE, 0, ISA_STATUS_BYTES, record[1], 0,
                           NULL, NULL));
    cr_assert(number_of(record[0]) == 71 && number_of(record[1]) == 72);
    ok(clReleaseEvent(gate));
    ok(clReleaseMemObject(other));
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

/* What becomes of a job with these arguments. */
static cl_int end_of(struct rig *rig, struct buffers *buffers)
{
    const size_t one = 1;
    cl_event event;
    ok(clEnqueueNDRangeKernel(rig->queue, buffers->kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    ok(clFinish(rig->queue));
    cl_int status = event_status(event);
    is(clWaitForEvents(1, &event), status < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    ok(clReleaseEvent(event));
    return status;
}

Test(jobs, what_the_device_finds_wrong_is_the_end_of_the_event)
{
    struct rig rig;
    cl_ulong small = 64, whole = CL_TULLE_WHOLE;
    const uint32_t zero = 0;
    rig_open(&rig, job_devices());
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, rig.program, &work);
    cr_assert_eq(end_of(&rig, &buffers), CL_COMPLETE);
    ok(clSetKernelArg(buffers.kernel, CL_TULLE_FIRST_SIZE + SLOT_INPUT, sizeof small, &small));
    cl_int end = end_of(&rig, &buffers);
    cr_assert_eq(end, CL_TULLE_JOB_ENDED(JOB_OUT_OF_SLOT), "%d", end);
    ok(clSetKernelArg(buffers.kernel, CL_TULLE_FIRST_SIZE + SLOT_INPUT, sizeof whole, &whole));
    cr_assert_eq(end_of(&rig, &buffers), CL_COMPLETE, "the whole buffer again");
    ok(clSetKernelArg(buffers.kernel, SLOT_INPUT, sizeof(cl_mem), NULL));
    cr_assert_eq(end_of(&rig, &buffers), CL_TULLE_JOB_ENDED(JOB_OUT_OF_SLOT), "no buffer has size 0");
    ok(clSetKernelArg(buffers.kernel, SLOT_INPUT, sizeof(cl_mem), &buffers.slot[SLOT_INPUT]));
    ok(clEnqueueWriteBuffer(rig.queue, buffers.slot[SLOT_PROGRAM], CL_FALSE, 0, sizeof zero, &zero, 0, NULL,
                            NULL));
    cr_assert_eq(end_of(&rig, &buffers), CL_TULLE_JOB_ENDED(JOB_BAD_MAGIC));
    ok(clEnqueueWriteBuffer(rig.queue, buffers.slot[SLOT_PROGRAM], CL_FALSE, 0, sizeof zero,
                            work.program.text, 0, NULL, NULL));
    cr_assert(work_run(&work, &buffers, rig.queue, NULL), "the next job is not hurt");
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

Test(jobs, profiling_is_in_order_and_has_the_counters)
{
    struct rig rig;
    cl_event event;
    cl_ulong time[4], macs = 0, bytes = 0, cycles = 0;
    uint8_t record[ISA_STATUS_BYTES];
    struct job_result result;
    struct strbuf why = {0};
    uint32_t number;
    rig_open(&rig, job_devices());
    struct work work = work_make(1);
    struct buffers buffers;
    buffers_make(&buffers, rig.context, rig.program, &work);
    ok(clEnqueueTask(rig.queue, buffers.kernel, 0, NULL, &event));
    ok(clWaitForEvents(1, &event));
    for (cl_uint i = 0; i < 4; i++)
        ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof *time, &time[i], NULL));
    cr_assert(time[0] && time[0] <= time[1] && time[1] <= time[2] && time[2] < time[3]);
    ok(clGetEventProfilingInfo(event, CL_PROFILING_TULLE_EFFECTIVE_MACS, sizeof macs, &macs, NULL));
    ok(clGetEventProfilingInfo(event, CL_PROFILING_TULLE_BYTES_WRITTEN, sizeof bytes, &bytes, NULL));
    ok(clGetEventProfilingInfo(event, CL_PROFILING_TULLE_CYCLES, sizeof cycles, &cycles, NULL));
    ok(clEnqueueReadBuffer(rig.queue, buffers.slot[SLOT_STATUS], CL_TRUE, 0, sizeof record, record, 0, NULL,
                           NULL));
    cr_assert(job_read_status(record, &result, &number, &why));
    cr_assert(macs && macs == result.effective_macs && bytes == result.bytes_written);
    cr_assert(bytes >= sizeof(int32_t) * work.rows * work.columns);
    cr_assert_eq(!cycles, !strncmp(job_devices(), "model", 5), "only a device with a clock has cycles");
    ok(clGetEventProfilingInfo(event, CL_PROFILING_TULLE_ELAPSED, sizeof macs, &macs, NULL));
    /* The device counts from the write that starts it, the board from what it was at before. */
    cr_assert(cycles ? macs + 4 >= cycles : !macs, "%llu cycles of %llu", (unsigned long long)macs,
              (unsigned long long)cycles);
    is(clGetEventProfilingInfo(event, CL_PROFILING_TULLE_MOVED + 1, sizeof macs, &macs, NULL),
       CL_INVALID_VALUE);
    is(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 1, &macs, NULL), CL_INVALID_VALUE);
    ok(clReleaseEvent(event));
    cl_command_queue plain = make_queue(rig.context, rig.device[0], 0);
    ok(clEnqueueTask(plain, buffers.kernel, 0, NULL, &event));
    ok(clWaitForEvents(1, &event));
    is(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof macs, &macs, NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
    ok(clReleaseEvent(event));
    ok(clReleaseCommandQueue(plain));
    buffers_free(&buffers);
    work_free(&work);
    rig_close(&rig);
}

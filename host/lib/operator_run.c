/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs operators. tulle_start() enqueues all commands of a run; tulle_wait()
 * waits as long as the caller allows and writes the results once all commands
 * have ended.
 *
 * A run is a list of steps, one for each part and each block of dense rows. A
 * step copies the input and the initial sums to the device, runs the job, and
 * copies the results and the status record back. The commands use memory of
 * the run. It is freed after the last command, even when the caller has freed
 * the run before.
 */
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "host/icd/tulle_cl.h"
#include "host/lib/library.h"
#include "host/lib/wait.h"
#include "sim/model/status.h"

enum { LOOKS = 64 }; /* between looks at the clock */

struct step {
    struct slice slice;
    uint8_t *input, *second, *partial, *output; /* partial: NULL when the part's own is used */
    uint8_t record[ISA_STATUS_BYTES];
    cl_event task;
    bool again; /* its job expects what the one before it on the device has left */
};

struct tulle_run {
    struct tulle_operator *op;
    struct image *image;
    struct buffers *buffers;
    struct run_input input;
    struct tulle_output output;
    const struct tulle_matrix *const *inputs; /* of a sequence; then the caller's, until the run is judged */
    const struct tulle_output *const *outputs;
    struct step *step;
    uint32_t steps;
    int64_t *values; /* room for a dense row of results */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    struct pace_run pace;
    unsigned pending; /* commands that have not ended, and the start; guarded by the lock */
    atomic_bool over; /* none is pending any more */
    bool forgotten;   /* by the caller: the last of them frees the run; likewise */
    cl_int worst;     /* of commands that are no jobs; likewise */
    bool judged;      /* the rest is set */
    enum tulle_status status;
    struct strbuf message;
    struct tulle_counters counters;
};

/* ---- objects ----------------------------------------------------------------------------------------- */

static void free_run(struct tulle_run *run)
{
    for (uint32_t i = 0; i < run->steps; i++) {
        free(run->step[i].input);
        free(run->step[i].second);
        free(run->step[i].partial);
        free(run->step[i].output);
        if (run->step[i].task)
            clReleaseEvent(run->step[i].task);
    }
    free(run->step);
    free(run->values);
    operands_free(&run->input);
    sb_free(&run->message);
    if (run->buffers)
        buffers_give(run->op->device, run->buffers);
    image_release(run->op->device, run->image);
    tulle_operator_free(run->op);
    pthread_cond_destroy(&run->ended);
    pthread_mutex_destroy(&run->lock);
    free(run);
}

void tulle_run_free(struct tulle_run *run)
{
    if (!run)
        return;
    pthread_mutex_lock(&run->lock);
    run->forgotten = true;
    bool ended = !run->pending;
    pthread_mutex_unlock(&run->lock);
    if (ended)
        free_run(run);
}

static struct tulle_run *new_run(struct tulle_operator *op)
{
    struct tulle_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    if (!wait_init(&run->lock, &run->ended)) {
        free(run);
        return NULL;
    }
    run->op = operator_keep(op);
    return run;
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static bool prepare_step(struct tulle_run *run, struct step *step)
{
    const struct plan *plan = &step->slice.part->plan;
    step->input = malloc(plan->input_bytes + 1);
    step->output = malloc(plan->output_bytes + 1);
    step->second = run->input.second ? malloc(plan->operand_bytes + 1) : NULL;
    step->partial = run->input.initial ? malloc(plan->partial_bytes + 1) : NULL;
    if (!step->input || !step->output || (run->input.initial && !step->partial) ||
        (run->input.second && !step->second))
        return false;
    if (run->inputs) {
        sequence_input(run->op->sequence, run->inputs, step->input);
        return true;
    }
    operands_input(&step->slice, &run->input, step->input);
    if (step->second)
        operands_second(&step->slice, run->input.second, step->second);
    if (step->partial)
        operands_partial(&step->slice, run->input.initial, step->partial);
    return true;
}

static enum tulle_status prepare_steps(struct tulle_run *run)
{
    const struct packed *packed = &run->image->packed;
    const struct planned *of = &run->image->of;
    const uint32_t rows = packed->block * operator_unit(of), blocks = (of->m - 1) / rows + 1;
    run->step = calloc((size_t)blocks * packed->parts, sizeof *run->step);
    run->values = malloc(((size_t)of->n + 1) * sizeof *run->values);
    if (!run->step || !run->values)
        return message_no_memory();
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t p = 0; p < packed->parts; p++) {
            uint32_t first = b * rows, left = of->m - first;
            struct step *step = &run->step[run->steps++];
            step->slice = (struct slice){.op = of,
                                         .packed = packed,
                                         .part = &packed->part[p],
                                         .first = first,
                                         .count = left < rows ? left : rows};
            if (!prepare_step(run, step))
                return message_no_memory();
        }
    return TULLE_OK;
}

/* ---- enqueueing -------------------------------------------------------------------------------------- */

static void one_less(struct tulle_run *run, cl_int status)
{
    pthread_mutex_lock(&run->lock);
    if (status < run->worst)
        run->worst = status;
    bool last = !--run->pending;
    bool forgotten = run->forgotten;
    if (last) {
        pace_end(&run->op->device->pace, &run->pace, &run->op->typical);
        atomic_store(&run->over, true);
        pthread_cond_broadcast(&run->ended);
    }
    pthread_mutex_unlock(&run->lock);
    if (last && forgotten)
        free_run(run);
}

static void CL_CALLBACK command_ended(cl_event event, cl_int status, void *data)
{
    (void)event;
    one_less(data, status);
}

/* Of commands whose failure is told by a job: the job itself, and what waits for it. */
static void CL_CALLBACK told_command_ended(cl_event event, cl_int status, void *data)
{
    (void)status;
    command_ended(event, CL_COMPLETE, data);
}

/* The run lasts until the event's command has ended. */
static enum tulle_status track(struct tulle_run *run, cl_event event, bool told)
{
    pthread_mutex_lock(&run->lock);
    run->pending++;
    pthread_mutex_unlock(&run->lock);
    cl_int code = clSetEventCallback(event, CL_COMPLETE, told ? told_command_ended : command_ended, run);
    if (code) {
        clWaitForEvents(1, &event); /* as long as the driver lets a job last */
        told_command_ended(event, CL_COMPLETE, run);
    }
    return code ? message_opencl("an event's callback", code) : TULLE_OK;
}

static enum tulle_status track_and_release(struct tulle_run *run, cl_event event, bool told)
{
    enum tulle_status status = track(run, event, told);
    clReleaseEvent(event);
    return status;
}

static enum tulle_status enqueue_write(struct tulle_run *run, cl_mem to, const void *from, uint64_t bytes)
{
    cl_event event;
    if (!bytes)
        return TULLE_OK;
    run->counters.bytes_to_device += bytes;
    cl_int code = clEnqueueWriteBuffer(run->op->device->queue, to, CL_FALSE, 0, bytes, from, 0, NULL, &event);
    return code ? message_opencl("operands to the device", code) : track_and_release(run, event, false);
}

/* After the job, if it ended well. */
static enum tulle_status enqueue_read(struct tulle_run *run, const struct step *step, cl_mem from, void *to,
                                      uint64_t bytes, bool in_any_case)
{
    cl_event event;
    if (!bytes)
        return TULLE_OK;
    run->counters.bytes_from_device += bytes;
    cl_int code = clEnqueueReadBuffer(run->op->device->queue, from, CL_FALSE, 0, bytes, to, !in_any_case,
                                      in_any_case ? NULL : &step->task, &event);
    return code ? message_opencl("results from the device", code)
                : track_and_release(run, event, !in_any_case);
}

static enum tulle_status set_arguments(const struct tulle_run *run, const struct step *step)
{
    const struct part *part = step->slice.part;
    const struct plan *plan = &part->plan;
    const struct resident *resident = &run->image->resident[part - step->slice.packed->part];
    const struct buffers *b = run->buffers;
    const cl_ulong size[ISA_SLOTS] = {[SLOT_PROGRAM] =
                                          step->again ? resident->again_bytes : plan->program.len,
                                      [SLOT_STATUS] = ISA_STATUS_BYTES,
                                      [SLOT_WEIGHTS] = plan->weights.len,
                                      [SLOT_INPUT] = plan->input_bytes,
                                      [SLOT_OUTPUT] = plan->output_bytes,
                                      [SLOT_PARTIAL] = plan->partial_bytes,
                                      [SLOT_SCRATCH] = plan->scratch_bytes,
                                      [SLOT_EXTRA] = plan->operand_bytes};
    cl_int code = CL_SUCCESS;
    for (cl_uint s = 0; s < ISA_SLOTS && !code; s++) {
        cl_mem memory = s == SLOT_PROGRAM && step->again         ? resident->again
                        : s == SLOT_PROGRAM && resident->program ? resident->program
                        : s == SLOT_WEIGHTS && resident->weights ? resident->weights
                                                                 : b->slot[s];
        code = clSetKernelArg(b->kernel, s, sizeof(cl_mem), size[s] ? (const void *)&memory : NULL);
        if (!code)
            code = clSetKernelArg(b->kernel, CL_TULLE_FIRST_SIZE + s, sizeof *size, &size[s]);
    }
    return code ? message_opencl("the kernel's arguments", code) : TULLE_OK;
}

/* Jobs of other threads may come in between: the device looks at the number, too. `whole`: all is loaded. */
static enum tulle_status enqueue_job(struct tulle_run *run, struct step *step, bool whole)
{
    struct tulle_device *device = run->op->device;
    const uint32_t number = run->image->resident[step->slice.part - step->slice.packed->part].number,
                   before = atomic_exchange(&device->left, number);
    step->again = number && before == number && !whole;
    enum tulle_status status = set_arguments(run, step);
    if (status)
        return status;
    cl_int code = clEnqueueTask(device->queue, run->buffers->kernel, 0, NULL, &step->task);
    return code ? message_opencl("the job", code) : track(run, step->task, true);
}

static enum tulle_status enqueue_step(struct tulle_run *run, struct step *step, bool whole)
{
    const struct part *part = step->slice.part;
    assert(part);
    const struct plan *plan = &part->plan;
    cl_mem *slot = run->buffers->slot;
    enum tulle_status status = TULLE_OK;
    if (run->image->streamed) {
        status = enqueue_write(run, slot[SLOT_PROGRAM], plan->program.text, plan->program.len);
        if (!status)
            status = enqueue_write(run, slot[SLOT_WEIGHTS], plan->weights.text, plan->weights.len);
    }
    if (!status)
        status = enqueue_write(run, slot[SLOT_INPUT], step->input, plan->input_bytes);
    if (!status)
        status = enqueue_write(run, slot[SLOT_EXTRA], step->second, plan->operand_bytes);
    if (!status)
        status = enqueue_write(run, slot[SLOT_PARTIAL], step->partial ? step->partial : part->partial,
                               plan->partial_bytes);
    if (!status)
        status = enqueue_job(run, step, whole);
    if (!status)
        status = enqueue_read(run, step, slot[SLOT_OUTPUT], step->output, plan->output_bytes, false);
    return status ? status : enqueue_read(run, step, slot[SLOT_STATUS], step->record, ISA_STATUS_BYTES, true);
}

/* The caller's operands in structures of this version. */
struct taken {
    struct tulle_operands operands;
    struct tulle_matrix input, initial, second;
    struct tulle_output output;
};

static enum tulle_status take(const struct tulle_operands *given, struct taken *to)
{
    struct tulle_operands *o = &to->operands;
    enum tulle_status status = sized_take(SIZED_OPERANDS, given, o);
    if (!status)
        status = sized_take(SIZED_MATRIX, o->input, &to->input);
    if (!status)
        status = sized_take(SIZED_MATRIX, o->initial, &to->initial);
    if (!status)
        status = sized_take(SIZED_MATRIX, o->second, &to->second);
    if (!status)
        status = sized_take(SIZED_OUTPUT, o->output, &to->output);
    o->input = o->input ? &to->input : NULL;
    o->initial = o->initial ? &to->initial : NULL;
    o->second = o->second ? &to->second : NULL;
    o->output = o->output ? &to->output : NULL;
    return status;
}

/* The image for these operands. The first ones may be a reason for another plan. */
static enum tulle_status take_image(struct tulle_run *run, const struct tulle_operands *operands)
{
    const uint32_t units = operands_units(&run->op->of, operands->input);
    enum tulle_status status = image_for(run->op, units, &run->image);
    if (!status)
        status = operands_take(&run->image->of, &run->image->packed, operands, &run->input);
    if (status || !run->op->learns)
        return status;
    struct shares shares;
    if (!shares_take(&run->image->of, &run->input, &shares))
        operator_learn(run->op, &shares);
    shares_free(&shares);
    image_release(run->op->device, run->image);
    run->image = NULL;
    return image_for(run->op, units, &run->image);
}

static bool is_stale(const struct step *step)
{
    uint32_t number;
    struct job_result r;
    struct strbuf why = {0};
    const bool stale =
        step->again && job_read_status(step->record, &r, &number, &why) && r.code == JOB_STALE_WEIGHTS;
    sb_free(&why);
    return stale;
}

static bool forget_stale(struct step *step)
{
    if (!is_stale(step))
        return false;
    clReleaseEvent(step->task);
    step->task = NULL;
    return true;
}

/* All steps; `stale`: those alone, and whole, that did not find what they expected. */
static enum tulle_status enqueue_steps(struct tulle_run *run, bool stale)
{
    enum tulle_status status = TULLE_OK;
    pace_begin(&run->op->device->pace, &run->pace);
    atomic_store(&run->over, false);
    run->pending = 1; /* so that the run does not end while it starts */
    for (uint32_t i = 0; !status && i < run->steps; i++)
        if (!stale || forget_stale(&run->step[i]))
            status = enqueue_step(run, &run->step[i], stale);
    clFlush(run->op->device->queue);
    one_less(run, CL_COMPLETE);
    return status;
}

/* With an image. */
static enum tulle_status enqueue(struct tulle_run *run)
{
    enum tulle_status status = buffers_take(run->op, run->image, &run->buffers);
    if (!status)
        status = prepare_steps(run);
    return status ? status : enqueue_steps(run, false);
}

static enum tulle_status begin(struct tulle_run *run, const struct tulle_operands *operands)
{
    struct taken taken;
    enum tulle_status status = take(operands, &taken);
    if (!status)
        status = take_image(run, &taken.operands);
    run->output = taken.output;
    return status ? status : enqueue(run);
}

static enum tulle_status note_loss(struct tulle_device *device, enum tulle_status status)
{
    if (status == TULLE_DEVICE_LOST)
        atomic_store(&device->lost, true);
    return status;
}

enum tulle_status tulle_start(struct tulle_operator *op, const struct tulle_operands *operands,
                              struct tulle_run **to)
{
    if (!op || !operands || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_start: op, operands or run is NULL");
    enum tulle_status status = device_check(op->device);
    if (!status)
        status = operator_check_alone(op, "tulle_start");
    if (status)
        return status;
    struct tulle_run *run = new_run(op);
    if (!run)
        return message_no_memory();
    status = note_loss(op->device, begin(run, operands));
    if (status)
        tulle_run_free(run);
    else
        *to = run;
    return status;
}

enum tulle_status run_start_sequence(struct tulle_operator *op, const struct tulle_matrix *const *inputs,
                                     const struct tulle_output *const *outputs, struct tulle_run **to)
{
    enum tulle_status status = device_check(op->device);
    struct tulle_run *run = status ? NULL : new_run(op);
    if (!run)
        return status ? status : message_no_memory();
    run->inputs = inputs;
    run->outputs = outputs;
    run->image = image_keep(op->image);
    status = note_loss(op->device, enqueue(run));
    if (status)
        tulle_run_free(run);
    else
        *to = run;
    return status;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* What a bus gives for a device that is gone. The record is read last, so results may be of that kind, too.
 */
static bool is_all_ones(const uint8_t record[ISA_STATUS_BYTES])
{
    size_t ones = 0;
    while (ones < ISA_STATUS_BYTES && record[ones] == 0xFF)
        ones++;
    return ones == ISA_STATUS_BYTES;
}

/* What one step came to, from its event and its record. */
static enum tulle_status judge_step(struct tulle_run *run, const struct step *step)
{
    cl_int code = CL_COMPLETE;
    uint32_t number;
    struct job_result r;
    struct strbuf why = {0};
    clGetEventInfo(step->task, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof code, &code, NULL);
    bool device_said =
        code <= CL_TULLE_JOB_ENDED(0) && code > CL_TULLE_JOB_ENDED(0x10000) && code != CL_TULLE_JOB_TIMEOUT;
    if (code < 0 && !device_said)
        return message_opencl("the job", code);
    if (is_all_ones(step->record))
        return message_opencl("the job's record", CL_DEVICE_NOT_AVAILABLE);
    enum tulle_status status = TULLE_OK;
    if (!job_read_status(step->record, &r, &number, &why))
        status = message_set(TULLE_JOB_FAILED, "the device's status record is invalid: %s", sb_text(&why));
    else if (r.code != JOB_OK)
        status = message_set(
            TULLE_JOB_FAILED,
            "the device ended the job with %s, at %llu of the program (row %u, cluster %u, PE %u)",
            job_code_name(r.code), (unsigned long long)r.offset, r.row, r.cluster, r.pe);
    sb_free(&why);
    cl_ulong cycles;
    /* The record was written before the end; the driver knows the cycles to the interrupt. */
    if (clGetEventProfilingInfo(step->task, CL_PROFILING_TULLE_CYCLES, sizeof cycles, &cycles, NULL) ==
        CL_SUCCESS)
        r.cycles = cycles;
    run->counters.jobs++;
#define X(name, timed) run->counters.name += r.name;
    JOB_COUNTERS(X)
#undef X
    return status;
}

static enum tulle_status judge(struct tulle_run *run)
{
    enum tulle_status status = TULLE_OK;
    for (uint32_t i = 0; !status && i < run->steps; i++)
        status = judge_step(run, &run->step[i]);
    if (!status && run->worst < 0)
        status = message_opencl("a transfer", run->worst);
    if (!status && run->outputs)
        status = sequence_output(run->op->sequence, run->step->output, run->outputs);
    for (uint32_t i = 0; !status && !run->outputs && i < run->steps; i++)
        operands_output(&run->step[i].slice, run->step[i].output, run->input.initial, &run->output,
                        run->values);
    return note_loss(run->op->device, status);
}

/* With the lock, without which it looks. */
static void look(struct tulle_run *run)
{
    pthread_mutex_unlock(&run->lock);
    for (unsigned i = 0; i < LOOKS && !atomic_load(&run->over); i++)
        sched_yield();
    pthread_mutex_lock(&run->lock);
}

/* False: not ended in that time. */
static bool wait_for_end(struct tulle_run *run, unsigned milliseconds)
{
    const uint64_t deadline = wait_nanoseconds(wait_deadline(milliseconds));
    pthread_mutex_lock(&run->lock);
    while (run->pending && wait_nanoseconds(wait_deadline(0)) < deadline) {
        uint64_t until;
        const enum pace_wait how =
            pace_wait(&run->op->device->pace, &run->pace, atomic_load(&run->op->typical), &until);
        const struct timespec next = wait_time(how == PACE_SLEEP || until > deadline ? deadline : until);
        if (how != PACE_LOOK)
            pthread_cond_timedwait(&run->ended, &run->lock, &next);
        else
            look(run);
    }
    bool ended = !run->pending;
    pthread_mutex_unlock(&run->lock);
    return ended;
}

/* The same with steps that begin once more, because another job came between them and what they expected. */
static bool wait_for_whole(struct tulle_run *run, unsigned milliseconds)
{
    const uint64_t deadline = wait_nanoseconds(wait_deadline(milliseconds));
    bool stale = false;
    if (!wait_for_end(run, milliseconds))
        return false;
    for (uint32_t i = 0; i < run->steps; i++)
        stale = stale || is_stale(&run->step[i]);
    if (!stale)
        return true;
    run->status = enqueue_steps(run, true);
    const uint64_t now = wait_nanoseconds(wait_deadline(0));
    return wait_for_end(run, now < deadline ? (unsigned)((deadline - now) / 1000000) : 0);
}

/* What devices say of jobs that may still run: their cycles so far. */
static struct tulle_counters so_far(const struct tulle_run *run)
{
    struct tulle_counters counters = {.size = sizeof counters};
    for (uint32_t i = 0; i < run->steps; i++) {
        cl_ulong cycles = 0;
        if (run->step[i].task && clGetEventProfilingInfo(run->step[i].task, CL_PROFILING_TULLE_ELAPSED,
                                                         sizeof cycles, &cycles, NULL) == CL_SUCCESS)
            counters.cycles += cycles;
    }
    return counters;
}

enum tulle_status tulle_wait(struct tulle_run *run, unsigned milliseconds, struct tulle_counters *counters)
{
    if (!run)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_wait: run is NULL");
    enum tulle_status status = counters ? sized_check(SIZED_COUNTERS, counters) : TULLE_OK;
    if (status)
        return status;
    if (!run->judged) {
        if (!wait_for_whole(run, milliseconds)) {
            const struct tulle_counters counted = so_far(run);
            if (counters)
                sized_give(SIZED_COUNTERS, &counted, counters);
            return message_set(TULLE_TIMEOUT, "the run did not end in %u ms", milliseconds);
        }
        run->status = run->status ? run->status : judge(run);
        run->judged = true;
        if (run->status)
            sb_add(&run->message, tulle_message());
    }
    if (run->status)
        return message_set(run->status, "%s", sb_text(&run->message));
    if (counters)
        sized_give(SIZED_COUNTERS, &run->counters, counters);
    return TULLE_OK;
}

enum tulle_status tulle_run(struct tulle_operator *op, const struct tulle_operands *operands,
                            unsigned milliseconds, struct tulle_counters *counters)
{
    struct tulle_run *run = NULL;
    enum tulle_status status = counters ? sized_check(SIZED_COUNTERS, counters) : TULLE_OK;
    if (!status)
        status = tulle_start(op, operands, &run);
    if (status)
        return status;
    status = tulle_wait(run, milliseconds, counters);
    tulle_run_free(run);
    return status;
}

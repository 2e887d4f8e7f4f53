/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* readlink */
#include "support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/formats/generate.h"
#include "host/measure/measurement.h"
#include "host/plan/planner.h"

void use_devices(const char *list)
{
    char path[4096] = "";
    /* $(BUILD)/tests/host_icd or $(BUILD)/tests/tool/x, and $(BUILD)/vendors/tulle.icd */
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    cr_assert(length > 0);
    path[length] = 0;
    char *tests = strstr(path, "/tests/");
    cr_assert(tests, "%s", path);
    strcpy(tests, "/vendors/tulle.icd");
    cr_assert_eq(access(path, R_OK), 0, "%s", path);
    *strrchr(path, '/') = 0;
    cr_assert_eq(setenv("OCL_ICD_VENDORS", path, 1), 0);
    cr_assert_eq(setenv("TULLE_DEVICES", list, 1), 0);
}

const char *job_devices(void)
{
    const char *list = getenv("TULLE_ICD_TEST");
    return list ? list : "model:tiny";
}

/* ---- rigs -------------------------------------------------------------------------------------- */

static void CL_CALLBACK hear(const char *text, const void *data, size_t bytes, void *rig)
{
    (void)data;
    (void)bytes;
    sb_add(&((struct rig *)rig)->told, text);
}

void rig_open(struct rig *rig, const char *devices)
{
    cl_int status;
    *rig = (struct rig){.devices = 0};
    use_devices(devices);
    ok(clGetPlatformIDs(1, &rig->platform, NULL));
    ok(clGetDeviceIDs(rig->platform, CL_DEVICE_TYPE_ACCELERATOR, DEVICES_MAX, rig->device, &rig->devices));
    rig->context = clCreateContext(NULL, rig->devices, rig->device, hear, rig, &status);
    ok(status);
    rig->queue = make_queue(rig->context, rig->device[0], CL_QUEUE_PROFILING_ENABLE);
    rig->program =
        clCreateProgramWithBuiltInKernels(rig->context, rig->devices, rig->device, "tulle_run", &status);
    ok(status);
    rig->kernel = clCreateKernel(rig->program, "tulle_run", &status);
    ok(status);
}

void rig_close(struct rig *rig)
{
    ok(clReleaseKernel(rig->kernel));
    ok(clReleaseProgram(rig->program));
    ok(clFinish(rig->queue));
    ok(clReleaseCommandQueue(rig->queue));
    ok(clReleaseContext(rig->context));
    sb_free(&rig->told);
}

/* ---- single objects ---------------------------------------------------------------------------- */

cl_context make_context(cl_device_id device)
{
    cl_int status;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    ok(status);
    return context;
}

cl_command_queue make_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(context, device, properties, &status);
    ok(status);
    return queue;
}

cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host)
{
    cl_int status;
    cl_mem m = clCreateBuffer(context, flags, bytes, host, &status);
    ok(status);
    return m;
}

cl_event make_gate(cl_context context)
{
    cl_int status;
    cl_event event = clCreateUserEvent(context, &status);
    ok(status);
    return event;
}

cl_event make_marker(cl_command_queue queue, cl_uint count, const cl_event *events)
{
    cl_event event;
    ok(clEnqueueMarkerWithWaitList(queue, count, events, &event));
    return event;
}

/* ---- work -------------------------------------------------------------------------------------- */

static int32_t plain(const int8_t *row, const struct sparse *w, uint32_t column)
{
    int32_t sum = 0;
    for (uint32_t i = w->start[column]; i < w->start[column + 1]; i++)
        sum += row[w->column[i]] * w->value[i];
    return sum;
}

struct work work_make(uint64_t seed)
{
    const uint32_t k = 64;
    struct work w = {.rows = 8, .columns = 32};
    struct variant tiny;
    struct diag diag = {0};
    struct plan plan = {.padding = 0};
    struct sparse matrix = sparse_random(w.columns, k, 0.3, seed);
    cr_assert(variant_load_named("tiny", NULL, 0, &tiny, &diag));
    const char *why = plan_why(
        plan_make(&(struct plan_description){.variant = &tiny, .weights = &matrix, .m = w.rows, .element = 2},
                  &(struct plan_choice){.split = {PLAN_M, PLAN_M}, .rows_held = 2}, &plan));
    cr_assert_null(why, "%s", why);
    w.program = plan.program;
    w.weights = plan.weights;
    w.input_bytes = plan.input_bytes;
    w.output_bytes = plan.output_bytes;
    w.pitch = plan.output_pitch;
    w.input = calloc(1, w.input_bytes);
    w.expected = malloc(sizeof *w.expected * w.rows * w.columns);
    cr_assert(w.input && w.expected);
    cr_assert(generate_activations(w.input, (uint64_t)w.rows * k, 0.8, seed + 1));
    for (uint32_t r = 0; r < w.rows; r++)
        for (uint32_t c = 0; c < w.columns; c++)
            w.expected[r * w.columns + c] = plain(w.input + (size_t)r * k, &matrix, c);
    sparse_free(&matrix);
    return w;
}

void work_free(struct work *w)
{
    sb_free(&w->program);
    sb_free(&w->weights);
    free(w->input);
    free(w->expected);
}

bool work_done(const struct work *w, const uint8_t *output)
{
    for (uint32_t r = 0; r < w->rows; r++)
        if (memcmp(output + r * w->pitch, w->expected + r * w->columns, w->columns * sizeof *w->expected) !=
            0)
            return false;
    return true;
}

/* ---- buffers ------------------------------------------------------------------------------------- */

static cl_mem filled(cl_context context, const void *from, size_t bytes)
{
    return make_buffer(context, CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0), bytes, (void *)from);
}

void buffers_make(struct buffers *b, cl_context context, cl_program program, const struct work *w)
{
    cl_int status;
    *b = (struct buffers){.slot = {[SLOT_PROGRAM] = filled(context, w->program.text, w->program.len),
                                   [SLOT_STATUS] = filled(context, NULL, ISA_STATUS_BYTES),
                                   [SLOT_WEIGHTS] = filled(context, w->weights.text, w->weights.len),
                                   [SLOT_INPUT] = filled(context, w->input, w->input_bytes),
                                   [SLOT_OUTPUT] = filled(context, NULL, w->output_bytes)}};
    b->kernel = clCreateKernel(program, "tulle_run", &status);
    ok(status);
    for (cl_uint s = 0; s < ISA_SLOTS; s++)
        ok(clSetKernelArg(b->kernel, s, sizeof(cl_mem), b->slot[s] ? &b->slot[s] : NULL));
}

void buffers_free(struct buffers *b)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        if (b->slot[s])
            ok(clReleaseMemObject(b->slot[s]));
    ok(clReleaseKernel(b->kernel));
}

bool work_run(const struct work *w, const struct buffers *b, cl_command_queue queue, uint8_t *record)
{
    cl_event event;
    uint8_t *output = malloc(w->output_bytes);
    const uint8_t ones = 0xFF;
    cr_assert(output);
    ok(clEnqueueFillBuffer(queue, b->slot[SLOT_OUTPUT], &ones, 1, 0, w->output_bytes, 0, NULL, NULL));
    ok(clEnqueueTask(queue, b->kernel, 0, NULL, &event));
    ok(clEnqueueReadBuffer(queue, b->slot[SLOT_OUTPUT], CL_TRUE, 0, w->output_bytes, output, 0, NULL, NULL));
    cr_assert_eq(event_status(event), CL_COMPLETE, "%d", event_status(event));
    if (record)
        ok(clEnqueueReadBuffer(queue, b->slot[SLOT_STATUS], CL_TRUE, 0, ISA_STATUS_BYTES, record, 0, NULL,
                               NULL));
    ok(clReleaseEvent(event));
    bool right = work_done(w, output);
    free(output);
    return right;
}

cl_int event_status(cl_event event)
{
    cl_int status;
    ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver as an application sees it: through the loader, which is told of
 * the library by the environment.
 */
#ifndef TULLE_TESTS_ICD_H
#define TULLE_TESTS_ICD_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"
#include "host/icd/tulle_cl.h"

/* Fails the test with the status that a call returned. */
#define ok(call)                                                           \
    do {                                                                   \
        cl_int ok_status_ = (call);                                        \
        cr_assert_eq(ok_status_, CL_SUCCESS, "%s: %d", #call, ok_status_); \
    } while (0)
#define is(call, wanted)                                                                  \
    do {                                                                                  \
        cl_int is_status_ = (call);                                                       \
        cr_assert_eq(is_status_, (wanted), "%s: %d, not %s", #call, is_status_, #wanted); \
    } while (0)

/* A creator that refuses gives no object, and this status, for which the call has `&refusal`. */
#define none(call, wanted)                                                          \
    do {                                                                            \
        cl_int refusal = CL_SUCCESS;                                                \
        cr_assert_null(call);                                                       \
        cr_assert_eq(refusal, (wanted), "%s: %d, not %s", #call, refusal, #wanted); \
    } while (0)

#define DEVICES_MAX 8

struct rig {
    cl_platform_id platform;
    cl_device_id device[DEVICES_MAX];
    cl_uint devices;
    cl_context context;     /* of all of them */
    cl_command_queue queue; /* on device[0], with profiling */
    cl_program program;     /* built in */
    cl_kernel kernel;
    struct strbuf told; /* through the context's callback */
};

/* Names the library and the devices to the loader; before the first call. */
void use_devices(const char *list);

/* The devices that jobs are tested on: of the environment's TULLE_ICD_TEST, or the functional model. All have
 * the variant tiny. */
const char *job_devices(void);

/* `rig` must stay where it is. */
void rig_open(struct rig *rig, const char *devices);
void rig_close(struct rig *rig);

/* Objects beside those of the rig; the test fails when they cannot be made. */
cl_context make_context(cl_device_id device); /* of that one alone */
cl_command_queue make_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties);
cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host);
cl_event make_gate(cl_context context); /* a user event */
cl_event make_marker(cl_command_queue queue, cl_uint count, const cl_event *events);

/* A job: SpMM on the variant tiny, with what must come out. */
struct work {
    struct strbuf program, weights;
    int8_t *input;
    size_t input_bytes, output_bytes, pitch;
    uint32_t rows, columns;
    int32_t *expected; /* rows x columns */
};

struct work work_make(uint64_t seed);
void work_free(struct work *work);
bool work_done(const struct work *work, const uint8_t *output);

/* Its buffers on a context, and a kernel with them as arguments. */
struct buffers {
    cl_mem slot[ISA_SLOTS];
    cl_kernel kernel;
};

void buffers_make(struct buffers *buffers, cl_context context, cl_program program, const struct work *work);
void buffers_free(struct buffers *buffers);

/* Enqueues, reads and compares; `record` gets the status record when it is not NULL. */
bool work_run(const struct work *work, const struct buffers *buffers, cl_command_queue queue,
              uint8_t *record);

cl_int event_status(cl_event event);

#endif

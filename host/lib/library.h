/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface between the parts of libtulle. The library reaches devices
 * through the OpenCL API alone. It shares variants, the planner, the models
 * (numerics, cost of a plan) and the containers' manifests with the rest of
 * the project.
 */
#ifndef TULLE_HOST_LIBRARY_H
#define TULLE_HOST_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "host/lib/pace.h"
#include "host/operator/sequence.h"

/* ---- messages (message.c) ------------------------------------------------------------------------ */

/* Sets the message for an OpenCL call that failed and returns the status for its code. */
enum tulle_status message_opencl(const char *what, cl_int code);

/* ---- sizes of the caller's structures (sized.c) ----------------------------------------------------- */

/* Kind, structure, and the last field of the first version with sizes, which never changes. */
#define SIZED_STRUCTURES(X)                                         \
    X(SIZED_DEVICE_INFO, tulle_device_info, memory_bytes_per_cycle) \
    X(SIZED_DEVICE_OPTIONS, tulle_device_options, memory)           \
    X(SIZED_MATRIX, tulle_matrix, more_indices)                     \
    X(SIZED_OUTPUT, tulle_output, values)                           \
    X(SIZED_WINDOW, tulle_window, exclude_padding)                  \
    X(SIZED_EPILOGUE, tulle_epilogue, reserved)                     \
    X(SIZED_CHANNELS, tulle_channels, high)                         \
    X(SIZED_SECOND, tulle_second, reserved)                         \
    X(SIZED_SOFTMAX, tulle_softmax, reserved)                       \
    X(SIZED_PLAN_OPTIONS, tulle_plan_options, reserved)             \
    X(SIZED_OPERATOR_OPTIONS, tulle_operator_options, plan)         \
    X(SIZED_OPERATOR_INFO, tulle_operator_info, streamed)           \
    X(SIZED_OPERANDS, tulle_operands, output)                       \
    X(SIZED_COUNTERS, tulle_counters, moved)                        \
    X(SIZED_FLOAT_OPTIONS, tulle_float_options, plan)               \
    X(SIZED_FLOAT_INFO, tulle_float_info, worst_error)              \
    X(SIZED_FLOAT_OPERANDS, tulle_float_operands, values)           \
    X(SIZED_NET_OPTIONS, tulle_net_options, train)                  \
    X(SIZED_NET_INFO, tulle_net_info, live_bytes)                   \
    X(SIZED_TENSOR, tulle_tensor, zero)                             \
    X(SIZED_POOL_OPTIONS, tulle_pool_options, repeats)              \
    X(SIZED_POOL_INFO, tulle_pool_info, repeated)                   \
    X(SIZED_STEP, tulle_step, reserved)
#define X(kind, tag, last) kind,
enum sized { SIZED_STRUCTURES(X) };
#undef X

/* Copies a structure of the caller to `to`, where missing fields are 0. NULL stands for a structure whose
 * fields are all 0. */
enum tulle_status sized_take(enum sized kind, const void *from, void *to);
/* Checks the size of a structure that the library fills. */
enum tulle_status sized_check(enum sized kind, const void *structure);
/* Fills a structure after sized_check(); fields that this version does not know become 0. */
void sized_give(enum sized kind, const void *from, void *to);

/* ---- devices (device.c) -------------------------------------------------------------------------- */

struct tulle_device {
    atomic_uint references;
    atomic_bool lost;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue; /* in order; threads may share it */
    cl_program program;
    struct variant variant;
    struct variant_derived derived;
    struct tulle_device_info info;
    uint64_t largest; /* bytes of the largest buffer */
    pthread_mutex_t lock;
    struct buffers *idle;     /* buffers for runs of any operator; guarded by the lock */
    unsigned beat_cycles;     /* in which memory moves a beat */
    struct kept_store *store; /* what searches for plans of sequences have found */
    struct pace pace;
    _Atomic uint32_t left; /* the number that the last job leaves in the storage units; 0: none */
};

struct tulle_device *device_keep(struct tulle_device *device);
/* TULLE_OK or TULLE_DEVICE_LOST. */
enum tulle_status device_check(const struct tulle_device *device);

/* Reads a file into a string, for containers and saved operators. */
enum tulle_status device_read_file(const char *path, size_t limit, struct strbuf *to);

/* ---- operators (create.c, image.c, operator_run.c, save.c) ---------------------------------------- */

/* The part of an operator that an update replaces. Runs share it, and it is replaced as a whole. */
struct image {
    atomic_uint references;
    struct planned of; /* the operator, with fewer dense rows if so; its arrays are the operator's */
    struct packed packed;
    struct resident {
        cl_mem program, weights; /* NULL when streamed, or empty */
        cl_mem again; /* the program of a job directly behind one of this part; NULL: there is none */
        uint64_t again_bytes;
        uint32_t number; /* of what the part leaves in the storage units; with `again` */
    } * resident;        /* one for each part */
    bool streamed;       /* every run copies programs and weights to the device */
};

struct tulle_operator {
    atomic_uint references;
    struct tulle_device *device;
    struct planned of;
    pthread_mutex_t lock; /* guards the images and what changes with them */
    struct image *image;
    struct image *fewer;       /* of the last run with fewer dense rows, or NULL */
    atomic_bool learns;        /* from its first input how many activations are not 0 */
    struct sequence *sequence; /* of several operators in a job; NULL: it is one */
    _Atomic uint64_t typical;  /* pace.h */
};

struct tulle_operator *operator_new(struct tulle_device *device);

static inline struct tulle_operator *operator_keep(struct tulle_operator *op)
{
    atomic_fetch_add(&op->references, 1);
    return op;
}

/* The caller's options in structures of this version. */
struct operator_request {
    struct tulle_operator_options options; /* epilogue and plan are there */
    struct tulle_matrix matrix;
    struct tulle_window window;
    struct tulle_epilogue epilogue;
    struct tulle_channels channels;
    struct tulle_second second;
    struct tulle_softmax softmax;
    struct tulle_plan_options plan;
};
enum tulle_status request_take(const struct tulle_operator_options *given, struct operator_request *to);
/* Starts a run of the operator's sequence. */
enum tulle_status run_start_sequence(struct tulle_operator *op, const struct tulle_matrix *const *inputs,
                                     const struct tulle_output *const *outputs, struct tulle_run **to);
/* TULLE_OK, or a message for calls that take an operator that is no sequence. */
enum tulle_status operator_check_alone(const struct tulle_operator *op, const char *call);
/* Fills the sizes of `info`. */
void operator_sizes(struct tulle_operator *op);

/* The device memory of one run, and a kernel with these buffers as arguments. */
struct buffers {
    struct buffers *next;
    const struct image *image;
    cl_kernel kernel;
    cl_mem slot[ISA_SLOTS]; /* program and weights only when streamed */
};

/* An empty image. */
struct image *image_new(void);
/* Copies the programs and weights of a packed image of the operator, or of fewer dense rows of it, to the
 * device. Weights that another image has there are shared; `other` may be NULL. */
enum tulle_status image_finish(struct tulle_operator *op, const struct planned *of, struct image *image,
                               const struct image *other);
/* Plans an operator that learns again, if the zeros that its first input has ask for another plan, or
 * predicts the cycles of its plan again. Without memory for that it stays as it is, and when it would take
 * more than a little of the device's. */
void operator_learn(struct tulle_operator *op, const struct shares *shares);
/* Of a run, with what all runs share. */
uint64_t image_device_bytes(const struct image *image);
/* The image for so many units, to be released; made if it is not there. */
enum tulle_status image_for(struct tulle_operator *op, uint32_t units, struct image **to);
struct image *image_keep(struct image *image);
void image_release(struct tulle_device *device, struct image *image);
/* Takes idle buffers or makes new ones. */
enum tulle_status buffers_take(const struct tulle_operator *op, const struct image *image,
                               struct buffers **to);
void buffers_give(struct tulle_device *device, struct buffers *buffers);
/* Frees the idle buffers of one image, or of all (NULL). Returns whether there were any. */
bool buffers_drop(struct tulle_device *device, const struct image *image);

#endif

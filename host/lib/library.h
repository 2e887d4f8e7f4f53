/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of libtulle know of each other. The library reaches devices
 * through the OpenCL API alone; what it shares with the rest of the project
 * are variants, the planner, the models (numerics, the cost of a plan) and
 * containers' manifests.
 */
#ifndef TULLE_HOST_LIBRARY_H
#define TULLE_HOST_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "gen/base/strbuf.h"
#include "host/plan/planner.h"
#include "host/tulle.h"
#include "sim/numerics/numerics.h"

/* ---- messages (message.c) ------------------------------------------------------------------------ */

/* Sets this thread's message and gives the status back. */
__attribute__((format(printf, 2, 3))) enum tulle_status tell(enum tulle_status status, const char *format,
                                                             ...);
enum tulle_status tell_no_memory(void);
/* About an OpenCL call; the status that fits the code. */
enum tulle_status tell_cl(const char *what, cl_int code);

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
    uint64_t largest; /* buffer */
    pthread_mutex_t lock;
    struct buffers *idle; /* room for runs of any operator; guarded by the lock */
};

struct tulle_device *device_keep(struct tulle_device *device);
/* TULLE_OK, or lost. */
enum tulle_status device_check(const struct tulle_device *device);

/* A file as a string (for containers and operators that were saved); TULLE_FILE with the reason. */
enum tulle_status file_read(const char *path, size_t limit, struct strbuf *to);

/* ---- operands (intake.c, operands.c) ------------------------------------------------------------- */

/* The sparse operand, in the planner's order: a row for each result of a dense row. */
struct intake {
    const char *name; /* for messages */
    const struct tulle_matrix *matrix;
    bool transposed; /* rows of the result are columns of the matrix */
    unsigned data_bytes;
    int zero;
    bool quantise;
    bool floats; /* values are taken as they are: the bits of floats (float_bits) */
};

static inline int32_t float_bits(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of_bits(int32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A value of a matrix of any type; NULL counts as all 1. */
float matrix_float(const struct tulle_matrix *matrix, int64_t at);
/* Which of the values element (row, column) of a dense matrix is. */
int64_t matrix_place(const struct tulle_matrix *matrix, int64_t row, int64_t column);

/* Checks everything. `scale` is set when values are quantised, else 1. */
enum tulle_status intake_matrix(const struct intake *intake, struct sparse *to, double *scale);

/* Sizes, pointers and types of a matrix; `name` is for messages. */
enum tulle_status matrix_check(const struct tulle_matrix *matrix, const char *name);
enum tulle_status strides_check(int64_t row_stride, int64_t column_stride, int64_t rows, int64_t columns,
                                const char *name);
unsigned type_bytes(enum tulle_type type);
const char *type_name(enum tulle_type type);

/* One integer of an array. */
static inline int64_t element_at(const void *values, enum tulle_type type, int64_t at)
{
    switch (type) {
    case TULLE_INT8:
        return ((const int8_t *)values)[at];
    case TULLE_INT16:
        return ((const int16_t *)values)[at];
    case TULLE_INT32:
        return ((const int32_t *)values)[at];
    default:
        return ((const int64_t *)values)[at];
    }
}

/* Every row's columns ascend then; a place that is there twice is refused, in the name of `name`. */
enum tulle_status sparse_sort(const char *name, struct sparse *w);

/* ---- windows (window.c, window_input.c)
 * -------------------------------------------------------------------------- */

/* How the device does it; what one cannot, the next may. */
enum window_kind {
    WINDOW_DEPTHWISE, /* every channel for itself */
    WINDOW_SLIDING,
    WINDOW_UNROLLED, /* a product: a dense row has all pixels under the window of a result */
    WINDOW_KINDS
};

/* A convolution or pool. The device's images have their borders, and only the pixels that are used: its
 * (y, x) is the caller's (y * step_y - pad_top, x * step_x - pad_left). */
struct window {
    struct tulle_window of; /* as it was given, with nothing left out; batch 0: the operator is a product */
    uint32_t out_height, out_width, step_y, step_x;
    uint32_t copies; /* depthwise: channels of the device, one after another, that are one of the caller's */
    enum window_kind kind;
    struct plan_window plan;
};

/* Everything but the kind and what depends on it. */
enum tulle_status window_take(const struct tulle_window *given, struct window *to);
enum window_kind window_first_kind(const struct window *window, const struct variant *variant);
void window_set_kind(struct window *window, enum window_kind kind, uint32_t channels_of_results);
/* What a pool cannot have, and what it has for a convolution of ones: groups and an epilogue of sums. */
enum tulle_status window_pool(struct tulle_operator_options *options, struct window *window);
/* Over images on the device; otherwise it is a product there. */
bool window_slides(const struct window *window);
/* What it adds to the name of a plan; "" for what needs no word. */
const char *window_kind_name(const struct window *window);
/* Of the planner's weights. */
uint32_t window_columns(const struct window *window);
/* From the caller's columns to the planner's. */
enum tulle_status window_weights(const struct window *window, struct sparse *matrix);
/* Weights of a pool, as a caller would give them. */
enum tulle_status window_ones(const struct window *window, struct sparse *to);

/* ---- operators (operator.c, cost.c) -------------------------------------------------------------- */

/* A part of the operator on the device: what a job of it takes. The same for every block of dense rows. */
struct part {
    uint32_t first, rows; /* of the sparse operand */
    struct plan plan;
    cl_mem program, weights; /* NULL when streamed, or empty */
    uint8_t *partial;        /* sums that runs begin with which bring none; NULL: the plan takes none */
};

/* What of an operator may change while runs use it: shared by them, replaced whole. */
struct image {
    atomic_uint references;
    struct part *part;
    uint32_t parts;
    uint32_t block; /* units in a job: dense rows, or images */
    bool streamed;  /* programs and weights go to the device with every run */
    uint64_t input_bytes, output_bytes, partial_bytes, scratch_bytes; /* the largest of all parts' */
    uint64_t program_bytes, weights_bytes;                            /* likewise */
    uint64_t all_program_bytes, all_weights_bytes;
    int64_t *bias;  /* of each row, zero points in it; NULL: all 0 */
    int64_t *bound; /* of the magnitude of each result, without what a run brings */
};

struct tulle_operator {
    atomic_uint references;
    struct tulle_device *device;
    struct tulle_operator_info info;
    bool has_initial, wraps, adds; /* adds: the plan begins with sums from memory */
    unsigned element;              /* of results */
    struct plan_function function;
    int matrix_zero, input_zero;
    bool quantise;
    uint32_t n, k, m; /* results of a dense row, weights of a result, dense rows */
    struct window window;
    struct sparse matrix; /* all entries, for updates; empty when loaded */
    int32_t *bias;        /* as it was given, or NULL */
    struct plan_choice choice;
    struct plan_alternatives alternatives; /* what was looked at; one when loaded */
    pthread_mutex_t lock;                  /* of `image` and of what changes with it */
    struct image *image;
};

struct tulle_operator *operator_keep(struct tulle_operator *op);
/* Room for one run, with a kernel whose arguments it is. */
struct buffers {
    struct buffers *next;
    const struct image *image;
    cl_kernel kernel;
    cl_mem slot[ISA_SLOTS]; /* program and weights only when streamed */
};

/* An image without anything in it. */
struct image *image_new(void);
/* What is idle, or new. */
enum tulle_status buffers_take(const struct tulle_operator *op, const struct image *image,
                               struct buffers **to);
void buffers_give(struct tulle_device *device, struct buffers *buffers);
/* Lets go of what is idle, of one image or of all (NULL); whether there was anything. */
bool buffers_drop(struct tulle_device *device, const struct image *image);
struct image *image_keep(struct image *image);
void image_release(struct tulle_device *device, struct image *image);

/* Dense rows that are not cut: those of an image when a window goes over it, otherwise one. */
uint32_t operator_unit(const struct tulle_operator *op);
/* The operator's plan of so many units, without weights. */
struct plan_description operator_description(const struct tulle_operator *op, const struct sparse *weights,
                                             uint32_t units);
/* What is applied to sums, for results that no weight contributes to. */
int64_t operator_finish(const struct tulle_operator *op, int64_t sum);
/* Makes plans of all parts and brings them to the device. */
enum tulle_status operator_image(struct tulle_operator *op, const struct sparse *weights,
                                 struct image **made);
/* The rest of an image whose plans are made: bias in place, buffers on the device. */
enum tulle_status image_finish(struct tulle_operator *op, struct image *image);
/* What `info` says of sizes. */
void operator_sizes(struct tulle_operator *op);
struct tulle_operator *operator_new(struct tulle_device *device);

/* Cycles by the cycle model; the context is a struct cost. */
struct cost {
    const struct variant *variant;
    double density;     /* of activations that are not 0 */
    uint64_t most_macs; /* plans with more are not asked about: 1 cycle */
    uint64_t macs;
};
bool cost_cycles(void *context, const struct plan *plan, uint64_t *cycles);

/* ---- to and from the device's order (operands.c) ---------------------------------------------------- */

/* Dense rows first .. first + count - 1 of what a run brings and takes, for one part. */
struct slice {
    const struct tulle_operator *op;
    const struct image *image;
    const struct part *part;
    uint32_t first, count;
};

/* What a run is given: as it was, or its entries, a row for each dense row. */
struct run_input {
    const struct tulle_matrix *dense; /* NULL: entries */
    struct sparse entries;
    int64_t *initial; /* sums to begin with, by dense rows; NULL: none */
};

/* Places in the caller's array, in elements, of dense rows, which may be those of several images. */
struct walk {
    int64_t pixels, by_image, by_pixel, by_number;
};

static inline int64_t walk_row(const struct walk *walk, int64_t row)
{
    return row / walk->pixels * walk->by_image + row % walk->pixels * walk->by_pixel;
}

static inline void put_integer(uint8_t *to, unsigned bytes, int64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)((uint64_t)value >> (8 * i));
}

/* Of results, in the caller's array. */
struct walk result_walk(const struct tulle_operator *op, int64_t row_stride, int64_t column_stride);
/* The size of an input, and where results may go. */
enum tulle_status operands_check_input(const struct tulle_operator *op, const struct tulle_matrix *m);
enum tulle_status operands_check_output(const struct tulle_operator *op, const struct tulle_output *out);
/* Images in the input slot. */
void window_input(const struct slice *slice, const struct tulle_matrix *images, const struct walk *walk,
                  uint8_t *to);
/* Whether the slot has room for every pixel; of a plan from a file. */
bool window_places_fit(const struct slice *slice);
/* The part's input slot, all of it. */
void operands_input(const struct slice *slice, const struct run_input *input, uint8_t *to);
/* Its slot of sums to begin with; `initial` may be NULL. */
void operands_partial(const struct slice *slice, const int64_t *initial, uint8_t *to);
void operands_bias(const struct tulle_operator *op, const struct image *image, const struct part *part,
                   uint8_t *to);
/* Results from its output slot. `values` has room for a row of the part. */
void operands_output(const struct slice *slice, const uint8_t *from, const int64_t *initial,
                     const struct tulle_output *output, int64_t *values);

/* Checks everything that a run is given, before anything is done; nothing is left to free on failure. */
enum tulle_status operands_take(const struct tulle_operator *op, const struct image *image,
                                const struct tulle_operands *operands, struct run_input *input);
void operands_free(struct run_input *input);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * libtulle: products of sparse matrices and convolutions with them on a Tulle
 * device, through OpenCL.
 * docs/libtulle.md is the guide; the manual page of each group of calls has
 * every detail.
 *
 * Every call returns a status. When it is not TULLE_OK nothing has changed:
 * no object was made, no output was written, and tulle_message() of the same
 * thread says what is wrong, where, and what to do.
 *
 * Structures are all zero where nothing else is said: clear them, then set
 * what you need. Calls may come from any thread; one object is used by one
 * thread at a time, except that runs of one operator are independent.
 */
#ifndef TULLE_H
#define TULLE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TULLE_API __attribute__((visibility("default")))
#else
#define TULLE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statuses ------------------------------------------------------------------------------------ */

enum tulle_status {
    TULLE_OK,
    TULLE_INVALID_ARGUMENT, /* a call is wrong: sizes, types, flags */
    TULLE_INVALID_MATRIX,   /* what a matrix holds is wrong: indices, order, values */
    TULLE_OUT_OF_MEMORY,    /* of the host */
    TULLE_DEVICE_MEMORY,    /* the device has not enough */
    TULLE_NO_DEVICE,        /* there is none of that name, or it cannot be used */
    TULLE_UNSUPPORTED,      /* this device cannot do that */
    TULLE_RANGE,            /* sums could leave the accumulator */
    TULLE_TIMEOUT,          /* not done in the time that the caller gave */
    TULLE_DEVICE_LOST,      /* it does not answer any more: close it and open it again */
    TULLE_JOB_FAILED,       /* the device ended the job with an error */
    TULLE_FILE,             /* a file cannot be read or written */
    TULLE_INVALID_FILE,     /* a file is not what it should be */
    TULLE_STATUSES
};

/* "invalid matrix"; a text for numbers that are none, too. */
TULLE_API const char *tulle_status_text(enum tulle_status status);

/* About this thread's last call that failed; "" before. Lasts until the next one. */
TULLE_API const char *tulle_message(void);

TULLE_API const char *tulle_version(void);

/* ---- devices ------------------------------------------------------------------------------------- */

#define TULLE_NAME_BYTES 128

struct tulle_device_info {
    char name[TULLE_NAME_BYTES];    /* to open it with */
    char variant[TULLE_NAME_BYTES]; /* of the array */
    char platform[TULLE_NAME_BYTES];
    uint64_t hash;                /* of the variant */
    uint64_t memory;              /* bytes */
    unsigned rows, clusters, pes; /* clusters in a row, PEs in a cluster */
    unsigned data_bytes;          /* of weights and activations: 1 or 2 */
    unsigned accumulator_bits;
    unsigned memory_bytes_per_cycle;
};

struct tulle_device; /* an open device */

struct tulle_device_options {
    const char *container; /* a file: what is on a device that does not say it itself, as a vendor's cards */
    uint64_t memory;       /* bytes to use; 0: all */
};

/* The devices of all OpenCL platforms that say what they are. `count`: how many there are; the first `room`
 * of them go to `list`, which may be NULL when `room` is 0. */
TULLE_API enum tulle_status tulle_devices(struct tulle_device_info *list, size_t room, size_t *count);

/* `name`: a device's name, its number in the list, or NULL for the first; with a vendor's container, a name
 * or number among all OpenCL devices. `options` may be NULL. */
TULLE_API enum tulle_status tulle_device_open(const char *name, const struct tulle_device_options *options,
                                              struct tulle_device **device);

/* Operators and runs keep their device: it goes when the last of them has gone. NULL is nothing. */
TULLE_API void tulle_device_close(struct tulle_device *device);

TULLE_API enum tulle_status tulle_device_describe(const struct tulle_device *device,
                                                  struct tulle_device_info *info);

/* ---- matrices ------------------------------------------------------------------------------------ */

enum tulle_type { TULLE_INT8, TULLE_INT16, TULLE_INT32, TULLE_INT64, TULLE_FLOAT32, TULLE_TYPES };

enum tulle_format {
    TULLE_DENSE, /* values; strides */
    TULLE_CSR,   /* starts: rows + 1; indices: columns, ascending in each row */
    TULLE_CSC,   /* starts: columns + 1; indices: rows, ascending in each column */
    TULLE_COO,   /* indices: rows; more_indices: columns; in any order */
    TULLE_FORMATS
};

/* An operand; the library does not change it, and does not need it after the call. No place twice; what is
 * stored counts as an entry although it be 0. */
struct tulle_matrix {
    enum tulle_format format;
    enum tulle_type type; /* of the values */
    int64_t rows, columns;
    int64_t row_stride, column_stride; /* dense: in elements; both 0: row by row without gaps */
    int64_t entries;                   /* not dense */
    enum tulle_type index_type;        /* TULLE_INT32 or TULLE_INT64, of starts and indices; not dense */
    const void *values;                /* not dense: NULL counts as all 1 */
    const void *starts, *indices, *more_indices;
};

/* Where a result goes. */
struct tulle_output {
    enum tulle_type type; /* the operator's `output_type` */
    int64_t row_stride, column_stride;
    void *values;
};

/* ---- operators ----------------------------------------------------------------------------------- */

enum tulle_operation {
    TULLE_SPMV,       /* y = S x: dense columns 1 */
    TULLE_SPMM_LEFT,  /* C = S B: S rows x columns, B columns x dense, C rows x dense */
    TULLE_SPMM_RIGHT, /* C = A S: A dense x rows, S rows x columns, C dense x columns */
    /* Of images, described by a struct tulle_window. */
    TULLE_CONVOLUTION,  /* S: a row for each channel of the results */
    TULLE_MAX_POOL,     /* no S, no bias, nothing but an epilogue */
    TULLE_AVERAGE_POOL, /* likewise */
    TULLE_OPERATIONS
};

/* How images lie in a matrix, and the weights of a kernel in a row of S. */
enum tulle_layout {
    TULLE_NHWC, /* a pixel in each row: (batch x height x width) x channels; weights (dy, dx, channel) */
    TULLE_NCHW, /* a channel in each row: (batch x channels) x (height x width); weights (channel, dy, dx) */
    TULLE_LAYOUTS
};

/* A window that goes over images. Result (y, x) is of the pixels at y * stride_y + dy * dilation_y - pad_top,
 * x * stride_x + dx * dilation_x - pad_left; those outside the image stand for 0, and are in no maximum. */
struct tulle_window {
    int64_t batch; /* images; 0: 1 */
    int64_t height, width, channels;
    int64_t kernel_height, kernel_width;
    int64_t stride_y, stride_x, dilation_y, dilation_x; /* 0: 1 */
    int64_t pad_top, pad_bottom, pad_left, pad_right;
    int64_t groups; /* of channels, each with its own part of the results; 0: 1. Not of pools */
    enum tulle_layout input_layout, output_layout, weights_layout;
    int exclude_padding; /* averages: of the pixels that are there alone */
};

/* What is done to complete sums, on the device; docs/numerics.md says it bit by bit. */
enum tulle_function {
    TULLE_NONE,
    TULLE_RELU,
    TULLE_LEAKY_RELU, /* slope / 2^15 below 0 */
    TULLE_CLAMP,      /* to low .. high */
    TULLE_SIGMOID,
    TULLE_TANH,
    TULLE_REQUANTISE, /* limit(round(sum * multiplier / 2^shift) + zero, low, high): relu with low = zero */
    TULLE_FUNCTIONS
};

struct tulle_epilogue {
    enum tulle_function function;
    int32_t multiplier;
    unsigned shift; /* 0 .. 63 */
    int low, high, zero, slope;
};

/* multiplier / 2^shift as near to `scale` as it gets; for requantisation. */
TULLE_API enum tulle_status tulle_scale(double scale, int32_t *multiplier, unsigned *shift);

/* How to lay the operator on the array; NULL leaves it to the planner. */
struct tulle_plan_options {
    const char *mapping; /* "is", "os", "ws" */
    const char *split;   /* two of the letters m, n, k */
    unsigned effort;     /* plans to try at most; 0: what is worth it */
};

struct tulle_operator_options {
    enum tulle_operation operation;
    const struct tulle_matrix *matrix; /* S; NULL for pools */
    const struct tulle_window *window; /* of convolutions and pools; else NULL */
    int64_t dense;                     /* rows of A or columns of B; SpMV: 0 or 1; with a window: 0 */
    enum tulle_type output_type;       /* TULLE_INT8, ...; of the results of the device: no floats */
    struct tulle_epilogue epilogue;
    const int32_t *bias;         /* one for each row of S (left, SpMV) or column of S (right); NULL: none */
    int matrix_zero, input_zero; /* zero points: what is stored for 0. Entries that S does not have are 0 */
    int quantise; /* values may be floats: scaled by the largest to the device's integers, to nearest */
    int wraps;    /* sums may leave the accumulator: results are modulo 2^accumulator_bits */
    int initial;  /* runs may bring sums to begin with (C0, y0) */
    double input_density; /* 0 to 1: how many elements of inputs are not 0, to choose a plan by; 0: all */
    struct tulle_plan_options plan;
};

struct tulle_operator;

TULLE_API enum tulle_status tulle_operator_create(struct tulle_device *device,
                                                  const struct tulle_operator_options *options,
                                                  struct tulle_operator **op);

/* Runs keep their operator: it goes when the last of them has gone. NULL is nothing. */
TULLE_API void tulle_operator_free(struct tulle_operator *op);

/* New values of the same places: `matrix` has the format, sizes, order of entries and indices of the one that
 * the operator was made of. Waits for nothing: runs that were started before still have the old values. */
TULLE_API enum tulle_status tulle_operator_update(struct tulle_operator *op,
                                                  const struct tulle_matrix *matrix);

struct tulle_operator_info {
    enum tulle_operation operation;
    int64_t rows, columns, entries; /* of S */
    int64_t dense;                  /* with a window: results of a channel, batch x out_height x out_width */
    int64_t out_height, out_width;  /* with a window; else 0 */
    enum tulle_type output_type;
    double matrix_scale;       /* value = scale * (integer); 1 unless quantised */
    char plan[48];             /* "ws mm" and the like */
    char mapping[8], split[8]; /* "-" when the plan has none */
    uint64_t predicted_cycles; /* 0: not predicted */
    uint64_t device_bytes;     /* on the device, for one run at a time */
    uint64_t run_bytes;        /* on the device, for every further run at the same time */
    uint64_t host_bytes;
    uint64_t weights_bytes; /* packed weights */
    unsigned jobs;          /* of the device for a run: more than 1 when its memory is too small for all */
    int streamed;           /* weights go to the device with every run */
};

TULLE_API enum tulle_status tulle_operator_describe(const struct tulle_operator *op,
                                                    struct tulle_operator_info *info);

/* What was chosen and why, as text; `measured`: cycles that a run took, or 0. Like snprintf: at most `room`
 * bytes, always with an end; `needed` (NULL is allowed) is the length without it. An operator that was loaded
 * knows only what was chosen. */
TULLE_API enum tulle_status tulle_operator_explain(const struct tulle_operator *op, uint64_t measured,
                                                   char *text, size_t room, size_t *needed);

/* The file has all that loading needs on a device of the same variant; an operator that was loaded cannot be
 * updated. Written whole or not at all. */
TULLE_API enum tulle_status tulle_operator_save(const struct tulle_operator *op, const char *path);
TULLE_API enum tulle_status tulle_operator_load(struct tulle_device *device, const char *path,
                                                struct tulle_operator **op);

/* ---- running ------------------------------------------------------------------------------------- */

struct tulle_operands {
    const struct tulle_matrix *input;   /* x, A or B: dense or sparse, int8 or int16 */
    const struct tulle_matrix *initial; /* y0 or C0: dense, integers that fit the accumulator; NULL: 0 */
    struct tulle_output output;
};

/* What the device counted, added up over the jobs of a run. */
struct tulle_counters {
    unsigned jobs;
    uint64_t cycles; /* 0 on a device without a clock */
    uint64_t effective_macs, scanned, pe_busy;
    uint64_t bytes_read, bytes_written, bus_beats;
    uint64_t stall_load, stall_weights, stall_output, stall_store, moved;
};

/* Runs and waits; the output is written whole or not at all. `counters` may be NULL. */
TULLE_API enum tulle_status tulle_run(struct tulle_operator *op, const struct tulle_operands *operands,
                                      unsigned milliseconds, struct tulle_counters *counters);

struct tulle_run; /* one under way */

/* The output must stay where it is until tulle_wait() has said TULLE_OK, which writes it, or the run is
 * freed. Several runs may be under way. */
TULLE_API enum tulle_status tulle_start(struct tulle_operator *op, const struct tulle_operands *operands,
                                        struct tulle_run **run);

/* Until the run has ended, but not longer; 0 asks whether it has. TULLE_TIMEOUT: it goes on, wait again. The
 * same answer as often as it is asked once it has ended. */
TULLE_API enum tulle_status tulle_wait(struct tulle_run *run, unsigned milliseconds,
                                       struct tulle_counters *counters);

/* At any time: a run that goes on is forgotten, its output stays as it was. NULL is nothing. */
TULLE_API void tulle_run_free(struct tulle_run *run);

/* ---- floats -------------------------------------------------------------------------------------- */

/* An operator for floats: weights are brought to the device's integers with a scale for each result of a
 * dense row, inputs with one scale, and its sums back to floats. */
struct tulle_float;

/* As in struct tulle_operator_options, where nothing else is said. */
struct tulle_float_options {
    enum tulle_operation operation;    /* no pools */
    const struct tulle_matrix *matrix; /* of any type */
    const struct tulle_window *window;
    int64_t dense;
    const float *bias;
    enum tulle_function function;       /* on the host: none, ReLU, leaky ReLU, clamp */
    float low, high, slope;             /* clamp: 0 and 6 are ReLU6; leaky ReLU: 0 to 1 */
    float range;                        /* inputs are from -range to range; 0: as those of the example */
    const struct tulle_matrix *example; /* an input like those that will come, or NULL */
    double input_density;
    struct tulle_plan_options plan;
};

TULLE_API enum tulle_status tulle_float_create(struct tulle_device *device,
                                               const struct tulle_float_options *options,
                                               struct tulle_float **to);
/* NULL is nothing. */
TULLE_API void tulle_float_free(struct tulle_float *op);

struct tulle_float_info {
    float range;           /* of inputs; others are brought to its ends */
    double input_scale;    /* value = scale * (integer) */
    double expected_error; /* of a result: square root of the mean square, over all results of a dense row */
    double worst_error;    /* no result has a larger one, while inputs are in the range */
};

TULLE_API enum tulle_status tulle_float_describe(const struct tulle_float *op, struct tulle_float_info *info);

/* The same for each result of a dense row, or channel; the first `room` of them. `count`: how many there are.
 * Each pointer may be NULL. */
TULLE_API enum tulle_status tulle_float_errors(const struct tulle_float *op, double *expected, double *worst,
                                               size_t room, size_t *count);

/* To describe and explain it; it goes with the float operator. */
TULLE_API const struct tulle_operator *tulle_float_operator(const struct tulle_float *op);

struct tulle_float_operands {
    const struct tulle_matrix *input;  /* of any type, dense or sparse */
    int64_t row_stride, column_stride; /* of the results */
    float *values;
};

/* Runs and waits; results are written whole or not at all. `clipped`: how many numbers of the input were out
 * of the range; it and `counters` may be NULL. */
TULLE_API enum tulle_status tulle_float_run(struct tulle_float *op,
                                            const struct tulle_float_operands *operands,
                                            unsigned milliseconds, uint64_t *clipped,
                                            struct tulle_counters *counters);

#ifdef __cplusplus
}
#endif

#endif

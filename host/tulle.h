/* SPDX-License-Identifier: Apache-2.0
 *
 * libtulle multiplies sparse matrices and runs convolutions on a Tulle
 * device, which it reaches through OpenCL. docs/libtulle.md is the guide; the
 * manual pages describe each call in full.
 *
 * Every call returns a status. When it is not TULLE_OK, the call has changed
 * nothing: it has made no object and written no output. tulle_message() of the
 * same thread then says what is wrong, where, and what to do.
 *
 * Structures grow: later versions append fields. The first field of each
 * structure is therefore its size, which the caller sets, and all other fields
 * are 0 unless the caller sets them:
 *
 *     struct tulle_matrix matrix = {.size = sizeof matrix, .rows = 4};     C
 *     tulle_matrix matrix = tulle_matrix(); matrix.size = sizeof matrix;   C++
 *
 * A program that was compiled with an older header passes a smaller size: the
 * library takes the fields that are missing as 0, which is each field's
 * default, and writes only the fields that are there. A larger size is
 * accepted when all bytes behind the fields that the library knows are 0. Any
 * other size is TULLE_INVALID_ARGUMENT.
 *
 * Calls may come from any thread. One thread at a time may use an object, with
 * one exception: runs of one operator are independent of each other.
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
    TULLE_INVALID_ARGUMENT, /* an argument is wrong: a size, a type, a flag */
    TULLE_INVALID_MATRIX,   /* the contents of a matrix are wrong: indices, their order, values */
    TULLE_OUT_OF_MEMORY,    /* the host has not enough memory */
    TULLE_DEVICE_MEMORY,    /* the device has not enough memory */
    TULLE_NO_DEVICE,        /* no device has this name, or it cannot be used */
    TULLE_UNSUPPORTED,      /* the device does not support the request */
    TULLE_RANGE,            /* sums could overflow the accumulator */
    TULLE_TIMEOUT,          /* the run has not ended in the caller's time */
    TULLE_DEVICE_LOST,      /* the device no longer answers: close it and open it again */
    TULLE_JOB_FAILED,       /* the device ended the job with an error */
    TULLE_FILE,             /* a file cannot be read or written */
    TULLE_INVALID_FILE,     /* a file has the wrong contents */
    TULLE_CANCELLED,        /* the caller has cancelled the request */
    TULLE_STATUSES
};

/* A short text such as "invalid matrix". Unknown numbers have a text, too. */
TULLE_API const char *tulle_status_text(enum tulle_status status);

/* The message of this thread's last call that failed, or "". It is valid until the next call fails. */
TULLE_API const char *tulle_message(void);

TULLE_API const char *tulle_version(void);

/* ---- devices ------------------------------------------------------------------------------------- */

#define TULLE_NAME_BYTES 128

struct tulle_device_info {
    size_t size;
    char name[TULLE_NAME_BYTES];    /* for tulle_device_open() */
    char variant[TULLE_NAME_BYTES]; /* name of the array's variant */
    char platform[TULLE_NAME_BYTES];
    uint64_t hash;                /* of the variant */
    uint64_t memory;              /* bytes */
    unsigned rows, clusters, pes; /* rows, clusters in a row, PEs in a cluster */
    unsigned data_bytes;          /* of a weight or activation: 1 or 2 */
    unsigned accumulator_bits;
    unsigned memory_bytes_per_cycle;
};

struct tulle_device; /* an open device */

#define TULLE_BEAT_CYCLES_MAX 1000u

struct tulle_device_options {
    size_t size;
    const char *container; /* file that describes a device which cannot describe itself, as a vendor's card */
    uint64_t memory;       /* bytes to use at most; 0: all */
    unsigned rows;         /* of the array, the first ones, as if it had no others; 0: all */
    unsigned beat_cycles;  /* in which its memory moves a beat, for plans that move less; 0: one */
};

/* Lists the Tulle devices of all OpenCL platforms. `count` is set to their number; the first `room` of them
 * are written to `list`. The caller sets the size of the first element of `list`, and the library that of the
 * others. `list` may be NULL when `room` is 0. */
TULLE_API enum tulle_status tulle_devices(struct tulle_device_info *list, size_t room, size_t *count);

/* Opens the device of that name or of that number in the list; NULL is the first one. With a vendor's
 * container, name and number are those of all OpenCL devices. `options` may be NULL. */
TULLE_API enum tulle_status tulle_device_open(const char *name, const struct tulle_device_options *options,
                                              struct tulle_device **device);

/* Operators and runs keep their device open: it is closed when the last of them is freed. NULL is allowed. */
TULLE_API void tulle_device_close(struct tulle_device *device);

TULLE_API enum tulle_status tulle_device_describe(const struct tulle_device *device,
                                                  struct tulle_device_info *info);

/* Copies so many bytes to the device and back, for programs that choose where to compute. Gives the seconds
 * that each of the two took, behind what the device had to do before. */
TULLE_API enum tulle_status tulle_device_copy(struct tulle_device *device, uint64_t bytes, double *to_device,
                                              double *from_device);

/* ---- matrices ------------------------------------------------------------------------------------ */

enum tulle_type { TULLE_INT8, TULLE_INT16, TULLE_INT32, TULLE_INT64, TULLE_FLOAT32, TULLE_TYPES };

enum tulle_format {
    TULLE_DENSE, /* values and strides */
    TULLE_CSR,   /* starts: rows + 1; indices: columns, ascending in each row */
    TULLE_CSC,   /* starts: columns + 1; indices: rows, ascending in each column */
    TULLE_COO,   /* indices: rows; more_indices: columns; in any order */
    TULLE_FORMATS
};

/* An operand. The library does not change the arrays and does not need them after the call. Duplicates are
 * rejected. Stored zeros count as entries. */
struct tulle_matrix {
    size_t size;
    enum tulle_format format;
    enum tulle_type type; /* of the values */
    int64_t rows, columns;
    int64_t row_stride, column_stride; /* dense: in elements; both 0: row by row without gaps */
    int64_t entries;                   /* sparse: number of stored values */
    enum tulle_type index_type;        /* sparse: type of starts and indices, TULLE_INT32 or TULLE_INT64 */
    const void *values;                /* sparse: NULL stands for values that are all 1 */
    const void *starts, *indices, *more_indices;
};

/* The place of a result. */
struct tulle_output {
    size_t size;
    enum tulle_type type; /* the operator's `output_type` */
    int64_t row_stride, column_stride;
    void *values;
    int64_t room; /* elements that `values` has room for; 0: for all results */
};

/* ---- operators ----------------------------------------------------------------------------------- */

enum tulle_operation {
    TULLE_SPMV,       /* y = S x; dense: 1 column */
    TULLE_SPMM_LEFT,  /* C = S B; S: rows x columns, B: columns x dense, C: rows x dense */
    TULLE_SPMM_RIGHT, /* C = A S; A: dense x rows, S: rows x columns, C: dense x columns */
    /* The following work on images, which a struct tulle_window describes. */
    TULLE_CONVOLUTION,  /* S has a row for each channel of the results */
    TULLE_MAX_POOL,     /* takes no S and no bias; an epilogue is allowed */
    TULLE_AVERAGE_POOL, /* likewise */
    /* Without S, bias, window and initial sums. */
    TULLE_ELEMENTWISE, /* C = A and a second operand of the same size, or a row for all rows of A */
    TULLE_SOFTMAX,     /* C = the softmax of each row of A, as TFLite computes it */
    TULLE_OPERATIONS
};

/* The order of images in a matrix, and of a kernel's weights in a row of S. */
enum tulle_layout {
    TULLE_NHWC, /* a row for each pixel: (batch x height x width) x channels; weights (dy, dx, channel) */
    TULLE_NCHW, /* a row for each channel: (batch x channels) x (height x width); weights (channel, dy, dx) */
    TULLE_LAYOUTS
};

/* A window that slides over images. Result (y, x) is computed from the pixels at
 * y * stride_y + dy * dilation_y - pad_top, x * stride_x + dx * dilation_x - pad_left. A sum takes pixels
 * outside the image as 0; a maximum ignores them. */
struct tulle_window {
    size_t size;
    int64_t batch; /* images; 0: 1 */
    int64_t height, width, channels;
    int64_t kernel_height, kernel_width;
    int64_t stride_y, stride_x, dilation_y, dilation_x; /* 0: 1 */
    int64_t pad_top, pad_bottom, pad_left, pad_right;
    int64_t groups; /* of channels, each with its own part of the results; 0: 1; not for pools */
    enum tulle_layout input_layout, output_layout, weights_layout;
    int exclude_padding; /* averages are over the pixels inside the image only */
    int round_away;      /* averages are those of TFLite: halves go away from zero, and nothing is scaled */
    int reserved;        /* 0 */
};

/* The function that the device applies to complete sums; docs/numerics.md defines each bit by bit. */
enum tulle_function {
    TULLE_NONE,
    TULLE_RELU,
    TULLE_LEAKY_RELU, /* slope / 2^15 below 0 */
    TULLE_CLAMP,      /* to low .. high */
    TULLE_SIGMOID,
    TULLE_TANH,
    TULLE_REQUANTISE, /* limit(round(sum * multiplier / 2^shift) + zero, low, high); low = zero adds a ReLU */
    TULLE_FUNCTIONS
};

/* What becomes of halves; docs/numerics.md, "Rounding". Others than up need a device with `roundings`. */
enum tulle_rounding {
    TULLE_ROUND_UP,
    TULLE_ROUND_EVEN,      /* to the even neighbour, as ONNX prescribes */
    TULLE_ROUND_TWO_STEPS, /* up after 31 places, then away from zero, as TFLite rounds sums of 32 bits */
    TULLE_ROUNDINGS
};

struct tulle_epilogue {
    size_t size;
    enum tulle_function function;
    int32_t multiplier;
    unsigned shift; /* 0 .. 63 */
    int low, high, zero, slope;
    int reserved; /* 0 */
    enum tulle_rounding rounding;
    int reserved2;        /* 0 */
    const int8_t *lookup; /* 256 entries for numbers requantised to int8; NULL: none. Needs lookup */
};

/* Tables for `lookup`: curve((v - input_zero) * input_scale) / output_scale + output_zero, rounded with
 * halves away from zero, for each v of int8. TFLite and ONNX take an output scale of 1/256 and -128 for the
 * sigmoid, and 1/128 and 0 for tanh. */
enum tulle_curve {
    TULLE_CURVE_SIGMOID,
    TULLE_CURVE_TANH,
    TULLE_CURVE_HARD_SWISH, /* x min(max(x + 3, 0), 6) / 6 */
    TULLE_CURVE_GELU,       /* x (1 + erf(x / sqrt(2))) / 2 */
    TULLE_CURVE_ELU,        /* x, or e^x - 1 below 0 */
    TULLE_CURVES
};

struct tulle_curve_scales {
    double input_scale, output_scale;
    int input_zero, output_zero;
};

TULLE_API enum tulle_status tulle_curve_table(enum tulle_curve curve, const struct tulle_curve_scales *scales,
                                              int8_t table[256]);

/* What each output channel has of its own: arrays with a value for each row of S (left, SpMV, convolutions)
 * or column of S (right), or for each channel of a pool, or NULL. Needs a device of a variant with
 * channel_groups. */
struct tulle_channels {
    size_t size;
    const int32_t *multiplier; /* in place of those of TULLE_REQUANTISE: both or neither */
    const uint8_t *shift;      /* 0 .. 63 */
    const int16_t *low, *high; /* in place of those of TULLE_REQUANTISE or TULLE_CLAMP: both or neither */
};

/* Finds the multiplier / 2^shift that is nearest to `scale`, for requantisation. */
TULLE_API enum tulle_status tulle_scale(double scale, int32_t *multiplier, unsigned *shift);

enum tulle_join { TULLE_JOIN_NONE, TULLE_JOIN_ADD, TULLE_JOIN_SUBTRACT, TULLE_JOIN_MULTIPLY, TULLE_JOINS };

/* A second operand, which the device joins with each result of a product or a convolution, or with each
 * element of the input of TULLE_ELEMENTWISE; docs/numerics.md, "Two operands". Needs a device of a variant
 * with joins. The epilogue, TULLE_REQUANTISE, makes the final result. Results that are joined have scales and
 * limits of their channels, and these are without a zero point. */
struct tulle_second {
    size_t size;
    enum tulle_join join;
    enum tulle_type type; /* TULLE_INT8 or TULLE_INT16; that of the input of TULLE_ELEMENTWISE, too */
    int64_t columns;      /* of both operands of TULLE_ELEMENTWISE; otherwise 0 */
    int is_row;           /* TULLE_ELEMENTWISE: the operand has one row; otherwise 0 */
    int has_no_sign;      /* it holds uint8_t or uint16_t; needs zero_points */
    int zero;             /* its zero point */
    int32_t multiplier;   /* 2^30 or more, unless numbers are multiplied; tulle_join_scales() finds it */
    unsigned shift;       /* 31 to 46, with fraction_15 to 41 */
    int scale_first;      /* multiplier and shift are those of the first operand, not of the second */
    int fraction_15;      /* 15 fraction bits, not 20, as TFLite has for numbers of 16 bits */
    int reserved;         /* 0 */
};

/* Sets the scales of two operands and of the result: multiplier, shift, scale_first and fraction_15 of
 * `second`, whose join and type are set, and multiplier and shift of `epilogue`. */
TULLE_API enum tulle_status tulle_join_scales(double first_scale, double second_scale, double output_scale,
                                              struct tulle_second *second, struct tulle_epilogue *epilogue);

/* Softmax of rows of int8, to int8 or int16; docs/numerics.md, "Softmax". Needs a device of a variant with
 * softmax. There is no epilogue, and the zero point of the input does not matter. */
struct tulle_softmax {
    size_t size;
    int64_t columns;    /* of a row: at most 4095, and what the variant takes */
    int32_t multiplier; /* these three say what a difference is worth; tulle_softmax_scale() finds them */
    unsigned shift;     /* 0 to 63 */
    int least;          /* a difference from the largest element below this is as good as infinite */
    int reserved;       /* 0 */
};

/* Sets multiplier, shift and least for inputs of this scale; `beta` is 1 in most networks. One is 256 or
 * 65536 of results, less 128 or 32768. */
TULLE_API enum tulle_status tulle_softmax_scale(double input_scale, double beta,
                                                struct tulle_softmax *softmax);

/* How to map the operator to the array. The planner chooses everything that is NULL or 0. */
struct tulle_plan_options {
    size_t size;
    const char *mapping; /* "is", "os", "ws" */
    const char *split;   /* two of the letters m, n, k */
    unsigned effort;     /* plans to try at most; 0: as many as pay off */
    unsigned reserved;   /* 0 */
};

struct tulle_operator_options {
    size_t size;
    enum tulle_operation operation;
    const struct tulle_matrix *matrix;     /* S; NULL for pools */
    const struct tulle_window *window;     /* of convolutions and pools, otherwise NULL */
    int64_t dense;                         /* rows of A or columns of B; SpMV: 0 or 1; with a window: 0 */
    enum tulle_type output_type;           /* of the device's results: any but TULLE_FLOAT32 */
    const struct tulle_epilogue *epilogue; /* NULL: none */
    const int32_t *bias;         /* one for each row of S (left, SpMV) or column of S (right); NULL: none */
    int matrix_zero, input_zero; /* zero points: the stored numbers that stand for 0; missing entries are 0 */
    int quantise;         /* values may be floats: the largest sets the scale to the device's integers */
    int wraps;            /* sums may overflow the accumulator: results are modulo 2^accumulator_bits */
    int initial;          /* runs may bring initial sums (C0, y0) */
    double input_density; /* 0 to 1: share of inputs that are not zeros, for plans; 0: the first input's */
    const struct tulle_plan_options *plan; /* NULL: the planner chooses */
    int input_unsigned;  /* int8 and int16 inputs hold uint8_t and uint16_t; needs zero_points */
    int output_unsigned; /* int8 and int16 results are uint8_t and uint16_t; needs zero_points, and scales */
    const struct tulle_channels *channels; /* NULL: all channels have the epilogue's numbers */
    const struct tulle_second *second;     /* NULL: results have one operand */
    const struct tulle_softmax *softmax;   /* of TULLE_SOFTMAX, otherwise NULL */
};

struct tulle_operator;

TULLE_API enum tulle_status tulle_operator_create(struct tulle_device *device,
                                                  const struct tulle_operator_options *options,
                                                  struct tulle_operator **op);

/* Runs keep their operator: it is freed when the last of them is freed. NULL is allowed. */
TULLE_API void tulle_operator_free(struct tulle_operator *op);

/* Replaces the values. `matrix` has the format, the sizes, the indices and the order of entries of the matrix
 * that the operator was created from. The call does not wait: runs already started use the old values. */
TULLE_API enum tulle_status tulle_operator_update(struct tulle_operator *op,
                                                  const struct tulle_matrix *matrix);

struct tulle_operator_info {
    size_t size;
    enum tulle_operation operation;
    int64_t rows, columns, entries; /* of S */
    int64_t dense;                  /* with a window: results of a channel, batch x out_height x out_width */
    int64_t out_height, out_width;  /* with a window, otherwise 0 */
    enum tulle_type output_type;
    double matrix_scale;       /* value = scale * integer; 1 unless quantised */
    char plan[48];             /* name of the plan, as "ws mm" */
    char mapping[8], split[8]; /* "-" when the plan has none */
    uint64_t predicted_cycles; /* 0: not predicted */
    uint64_t device_bytes;     /* device memory for one run at a time */
    uint64_t run_bytes;        /* device memory for each further run at the same time */
    uint64_t host_bytes;
    uint64_t weights_bytes; /* packed weights */
    unsigned jobs;          /* of a run; more than 1 when the operator does not fit the device's memory */
    int streamed;           /* every run copies the weights to the device */
    uint64_t bytes_read, bytes_written;  /* of the device's memory, by a run; 0: not known before it */
    uint64_t weights_read, program_read; /* of these: weights with their tables, and the program */
};

TULLE_API enum tulle_status tulle_operator_describe(const struct tulle_operator *op,
                                                    struct tulle_operator_info *info);

/* Writes a text that explains the plan and the alternatives. `measured` is the number of cycles that a run
 * took, or 0. As with snprintf(), at most `room` bytes are written, always with a terminator; `needed` may be
 * NULL and is set to the length of the whole text. A loaded operator knows only the plan itself. */
TULLE_API enum tulle_status tulle_operator_explain(const struct tulle_operator *op, uint64_t measured,
                                                   char *text, size_t room, size_t *needed);

/* Saves the operator for devices of the same variant. The file is written completely or not at all. A loaded
 * operator cannot be updated. */
TULLE_API enum tulle_status tulle_operator_save(const struct tulle_operator *op, const char *path);
TULLE_API enum tulle_status tulle_operator_load(struct tulle_device *device, const char *path,
                                                struct tulle_operator **op);

/* The same bytes as in a file, for programs that keep them elsewhere. `needed` is set to their number;
 * nothing is written to `bytes` when there is less room, or when it is NULL. */
TULLE_API enum tulle_status tulle_operator_save_bytes(const struct tulle_operator *op, void *bytes,
                                                      size_t room, size_t *needed);
TULLE_API enum tulle_status tulle_operator_load_bytes(struct tulle_device *device, const void *bytes,
                                                      size_t size, struct tulle_operator **op);

/* Writes software that gives the operator's bits, as tulle_net_software() does. */
TULLE_API enum tulle_status tulle_operator_software(const struct tulle_operator *op, const char *path,
                                                    const char *weights);

/* ---- running ------------------------------------------------------------------------------------- */

struct tulle_operands {
    size_t size;
    const struct tulle_matrix *input;   /* x, A or B: dense or sparse, integers; see below for fewer rows */
    const struct tulle_matrix *initial; /* y0 or C0: dense, integers that fit the accumulator; NULL: 0 */
    const struct tulle_output *output;
    const struct tulle_matrix *second; /* dense, if the operator has a second operand; otherwise NULL */
};

/* A run may have fewer dense rows than its operator was made for (rows of A, columns of B, images of a
 * batch), and costs what those cost. All operands then have the sizes for so many. The first such run packs
 * the program for them, which takes some time; the next ones with as many do not. Loaded operators take all
 * rows. */

/* The device's counters, added up over the jobs of a run. */
struct tulle_counters {
    size_t size;
    unsigned jobs;
    uint64_t cycles; /* 0 on a device without a clock */
    uint64_t effective_macs, scanned, pe_busy;
    uint64_t bytes_read, bytes_written, bus_beats;
    uint64_t stall_load, stall_weights, stall_output, stall_store, moved;
    uint64_t bytes_to_device, bytes_from_device; /* that the host copied for the run */
};

/* Runs the operator and waits. The output is written completely or not at all. `counters` may be NULL. */
TULLE_API enum tulle_status tulle_run(struct tulle_operator *op, const struct tulle_operands *operands,
                                      unsigned milliseconds, struct tulle_counters *counters);

struct tulle_run; /* a run that has been started */

/* Starts a run. The output's array must stay valid until tulle_wait() returns TULLE_OK, which writes it, or
 * the run is freed. Several runs may be in progress. */
TULLE_API enum tulle_status tulle_start(struct tulle_operator *op, const struct tulle_operands *operands,
                                        struct tulle_run **run);

/* Waits until the run has ended, at most that long; 0 only asks. After TULLE_TIMEOUT the run goes on, and the
 * caller may wait again; `cycles` are then those so far, of devices that can tell, and all other counters 0.
 * Once the run has ended, every call gives the same answer. */
TULLE_API enum tulle_status tulle_wait(struct tulle_run *run, unsigned milliseconds,
                                       struct tulle_counters *counters);

/* May be called at any time. The output of a run that is in progress stays as it was. NULL is allowed. */
TULLE_API void tulle_run_free(struct tulle_run *run);

/* ---- sequences ------------------------------------------------------------------------------------ */

/* Several operators in one job of the device: each reads results of others before it where these have left
 * them, and the host is not asked between them. */
struct tulle_step {
    size_t size;
    const struct tulle_operator_options *options; /* without initial sums; a second operand is no row */
    size_t input, second;                         /* the step whose results it reads, or TULLE_FROM_HOST */
    int wanted;   /* the results are an output of the sequence; the last step's always are */
    int reserved; /* 0 */
    /* Images that several steps make piece by piece, and steps that read a piece of images. All 0: the
     * results are images of their own, and whole images are read. */
    size_t image; /* the first step that makes a piece of these images; others read that */
    int64_t image_height, image_width;                      /* of the images; 0: the results are no piece */
    int64_t top, left;                                      /* where the results begin in them */
    int64_t read_height, read_width;                        /* of the piece that is read; 0: whole images */
    int64_t input_top, input_left, second_top, second_left; /* where it begins */
    size_t same; /* 1 and the number of a step before with equal options, whose plan may serve; 0: none */
    /* What the step may read, dense and as the host would give it: the plan suits its zeros. NULL: options
     * have a density, or none is known. It is used while the sequence is created. */
    const struct tulle_matrix *sample;
};
#define TULLE_FROM_HOST ((size_t)-1)

/* Makes an operator that runs the steps. Images that are handed on have the height, width, channels and
 * layout of the window that reads them; a product reads an image as one row. TULLE_UNSUPPORTED: a step cannot
 * be in the sequence, by its number in *failed, which may be NULL. */
TULLE_API enum tulle_status tulle_sequence_create(struct tulle_device *device, const struct tulle_step *steps,
                                                  size_t count, struct tulle_operator **op, size_t *failed);

/* Starts a run of such an operator; tulle_wait() waits for it. `inputs`: dense, one for each step whose input
 * is TULLE_FROM_HOST, in their order; `outputs`: one for each step that is wanted, without strides. All
 * arrays must stay valid until tulle_wait() returns TULLE_OK, which writes the outputs, or the run is freed.
 */
TULLE_API enum tulle_status tulle_sequence_start(struct tulle_operator *op,
                                                 const struct tulle_matrix *const *inputs, size_t input_count,
                                                 const struct tulle_output *const *outputs,
                                                 size_t output_count, struct tulle_run **run);

/* ---- floats -------------------------------------------------------------------------------------- */

/* An operator for floats. The library quantises the weights with one scale for each output channel (each
 * result of a dense row) and the inputs with a single scale, and turns the device's sums back into floats. */
struct tulle_float;

/* Fields without a comment are those of struct tulle_operator_options. */
struct tulle_float_options {
    size_t size;
    enum tulle_operation operation;    /* no pools */
    const struct tulle_matrix *matrix; /* of any type */
    const struct tulle_window *window;
    int64_t dense;
    const float *bias;
    enum tulle_function function;       /* on the host: none, ReLU, leaky ReLU, clamp */
    float low, high, slope;             /* clamp: 0 and 6 make a ReLU6; leaky ReLU: 0 to 1 */
    float range;                        /* inputs are from -range to range; 0: the range of the example */
    const struct tulle_matrix *example; /* a typical input, or NULL */
    double input_density;
    const struct tulle_plan_options *plan;
};

TULLE_API enum tulle_status tulle_float_create(struct tulle_device *device,
                                               const struct tulle_float_options *options,
                                               struct tulle_float **to);
/* NULL is allowed. */
TULLE_API void tulle_float_free(struct tulle_float *op);

struct tulle_float_info {
    size_t size;
    float range;           /* of inputs; values outside are clipped to it */
    double input_scale;    /* value = scale * integer */
    double expected_error; /* root mean square of a result's error, over all output channels */
    double worst_error;    /* upper bound of each result's error while the inputs are in the range */
};

TULLE_API enum tulle_status tulle_float_describe(const struct tulle_float *op, struct tulle_float_info *info);

/* Writes the errors of the first `room` output channels; `count` is set to the number of channels. Each
 * pointer may be NULL. */
TULLE_API enum tulle_status tulle_float_errors(const struct tulle_float *op, double *expected, double *worst,
                                               size_t room, size_t *count);

/* The integer operator inside, to describe and explain it. It is freed with the float operator. */
TULLE_API const struct tulle_operator *tulle_float_operator(const struct tulle_float *op);

struct tulle_float_operands {
    size_t size;
    const struct tulle_matrix *input;  /* of any type, dense or sparse */
    int64_t row_stride, column_stride; /* of the results */
    float *values;
};

/* Runs the operator and waits. Results are written completely or not at all. `clipped` is set to the number
 * of input values outside the range; it and `counters` may be NULL. */
TULLE_API enum tulle_status tulle_float_run(struct tulle_float *op,
                                            const struct tulle_float_operands *operands,
                                            unsigned milliseconds, uint64_t *clipped,
                                            struct tulle_counters *counters);

/* ---- networks ------------------------------------------------------------------------------------ */

/* A network that was read from a file: ONNX, TFLite or Caffe. The file stays open, and must not be changed,
 * until the network is freed. */
struct tulle_net;

struct tulle_net_options {
    size_t size;
    const char *weights;       /* Caffe: the caffemodel; NULL: none */
    const char *const *shapes; /* "NAME=8" for a dimension without a size, "INPUT=1x3x32x32" for an input */
    size_t shape_count;
    int sized;        /* dimensions without a size are an error */
    int train;        /* Caffe: the phase TRAIN, otherwise TEST */
    unsigned threads; /* that share the work of a run, the caller's own among them: at most 256; 0: 1 */
    int reserved;     /* 0 */
    struct tulle_device *device; /* what it can compute with the CPU's bits runs there; NULL: nothing */
    unsigned milliseconds;       /* that a layer, or a part, may take on the device; 0: 60,000 */
    unsigned reserved2;          /* 0 */
    int fused;     /* 1: neighbours on the device are one job; 0: each layer is one; 2: as is predicted */
    int reserved3; /* 0 */
    /* Further devices: each layer is cut into pieces for `device` and these, which run at the same time. Not
     * with `fused`. */
    struct tulle_device *const *others;
    size_t other_count;
};

/* Reads a network, and makes operators for a device. Weights stay there, and the device open, until the
 * network is freed. Only nodes whose sizes are all known are for a device; with one, the first of several
 * dimensions of an input counts as 1 if it has no size (the batch; `shapes` gives another). A file with
 * anything that is not supported is refused, and the message names all of it. `options` may be NULL. */
TULLE_API enum tulle_status tulle_net_load(const char *path, const struct tulle_net_options *options,
                                           struct tulle_net **net);

/* Marks a result inside the network as an output as well (external output), or takes the mark away (`on` 0).
 * The name is that of a tensor, or of a node, whose first result it is then: of a Caffe network that of the
 * layer. Marked results come behind the network's own outputs, in the order of their names' bytes, and
 * nothing else changes. Marks that a Caffe file or a compiled network has are there from the beginning. After
 * an error all marks are as they were. */
TULLE_API enum tulle_status tulle_net_mark(struct tulle_net *net, const char *name, int on);

/* Saves a network that was loaded for a device, with the operators of its layers: a compiled network, which
 * tulle_net_load() reads for devices of the same variant without planning. The file is written completely or
 * not at all. */
TULLE_API enum tulle_status tulle_net_save(const struct tulle_net *net, const char *path);

/* Writes software that gives the bits of the network on its device: C11, if `path` ends with .c, and the
 * header beside it, or ONNX, if it ends with .onnx. Marked results are outputs of it behind those of the
 * network, by name. Files that are there are replaced. Of C, weights of 8 bits go to the file `weights`;
 * NULL: they are arrays. TULLE_UNSUPPORTED: there is no software for a layer or a marked result, which the
 * message names. */
TULLE_API enum tulle_status tulle_net_software(const struct tulle_net *net, const char *path,
                                               const char *weights);

/* NULL is allowed. */
TULLE_API void tulle_net_free(struct tulle_net *net);

/* Numbers that depend on dimensions without a size are 0. */
struct tulle_net_info {
    size_t size;
    uint64_t inputs, outputs, nodes;
    uint64_t parameters;      /* numbers that the file has, or should have */
    uint64_t non_zeros;       /* of these; 0 without weights */
    uint64_t multiplications; /* of convolutions, matrix products and recurrent layers */
    uint64_t weight_bytes;
    uint64_t activation_bytes; /* of inputs and of all results of nodes */
    uint64_t live_bytes;       /* of these, the most that are needed at a time */
    uint64_t kept_bytes;       /* runs keep at most so much of what they make of weights, for the next */
    uint64_t device_nodes;     /* that run on the device */
};

TULLE_API enum tulle_status tulle_net_describe(const struct tulle_net *net, struct tulle_net_info *info);

/* Elements of a network's tensors, in the order of the machine's bytes. */
enum tulle_element {
    TULLE_ELEMENT_NONE,
    TULLE_ELEMENT_BOOL,
    TULLE_ELEMENT_INT8,
    TULLE_ELEMENT_UINT8,
    TULLE_ELEMENT_INT16,
    TULLE_ELEMENT_UINT16,
    TULLE_ELEMENT_INT32,
    TULLE_ELEMENT_UINT32,
    TULLE_ELEMENT_INT64,
    TULLE_ELEMENT_UINT64,
    TULLE_ELEMENT_FLOAT16,
    TULLE_ELEMENT_BFLOAT16,
    TULLE_ELEMENT_FLOAT32,
    TULLE_ELEMENT_FLOAT64,
    TULLE_ELEMENTS
};

#define TULLE_RANK_MAX 16

/* An input or an output, elements one after another, the last dimension first. */
struct tulle_tensor {
    size_t size;
    const char *name; /* NULL: `index` says which */
    size_t index;     /* among the inputs, or among the outputs */
    enum tulle_element type;
    unsigned rank;                      /* how many dimensions */
    int64_t dimensions[TULLE_RANK_MAX]; /* -1: open; no input has it when it runs */
    void *values;                       /* of an input they are only read */
    size_t bytes;                       /* room at `values` */
    double scale; /* of a quantised tensor, whose element e is scale * (e - zero); 0: it is none */
    int64_t zero;
};

/* Describes an input or an output: its name, which lasts as long as the network, its type, and its
 * dimensions as far as they are known. `bytes` is what its values need, 0 with open dimensions; `values` is
 * NULL. */
TULLE_API enum tulle_status tulle_net_input(const struct tulle_net *net, size_t index,
                                            struct tulle_tensor *tensor);
TULLE_API enum tulle_status tulle_net_output(const struct tulle_net *net, size_t index,
                                             struct tulle_tensor *tensor);

/* Runs the network, on the CPU where it is not on its device: with a value for each of its inputs, for those
 * of its outputs that are wanted. Types and dimensions must be those of the network; open dimensions of
 * outputs are set. Outputs are written completely or not at all. Results do not depend on the number of
 * threads, nor on the device. */
TULLE_API enum tulle_status tulle_net_run(struct tulle_net *net, const struct tulle_tensor *const *inputs,
                                          size_t input_count, struct tulle_tensor *const *outputs,
                                          size_t output_count);

/* ---- requests to networks ------------------------------------------------------------------------ */

/* A network on several devices, or several times on the CPU, each with threads of its own. Requests may come
 * from any thread, and many can be under way. */
struct tulle_pool;

struct tulle_pool_options {
    size_t size;
    const struct tulle_net_options *net; /* how the file is read; its device is NULL. NULL: the defaults */
    const char *const *marks;            /* external outputs, beside those of the file */
    size_t mark_count;
    struct tulle_device *const *devices; /* each gets the network; NULL: the CPU has it */
    size_t device_count;
    unsigned networks; /* without devices: how many times; 0: once */
    unsigned requests; /* that can be under way, at most 65,536; 0: two for each network */
    int in_turn;       /* requests go to the networks in turn; 0: to the first that is free */
    int repeats;       /* a request whose device is lost is repeated once by another; 0: it ends so */
};

/* Reads the file once for each network. A compiled network is not planned again for each device, and has two
 * threads on each, which use the same weights there, so that the host works for a request while the device
 * computes another. */
TULLE_API enum tulle_status tulle_pool_open(const char *path, const struct tulle_pool_options *options,
                                            struct tulle_pool **pool);

/* Cancels what is under way and waits for its end, which the time of a layer bounds. Requests stay until they
 * are freed. NULL is allowed. */
TULLE_API void tulle_pool_free(struct tulle_pool *pool);

/* Describe an input or an output of the network, as tulle_net_input() does, at any time. */
TULLE_API enum tulle_status tulle_pool_input(const struct tulle_pool *pool, size_t index,
                                             struct tulle_tensor *tensor);
TULLE_API enum tulle_status tulle_pool_output(const struct tulle_pool *pool, size_t index,
                                              struct tulle_tensor *tensor);

/* Counts of requests, but for the first four. */
struct tulle_pool_info {
    size_t size;
    uint64_t inputs, outputs; /* of the network, marked ones among them */
    uint64_t networks, lost;  /* networks, and those whose device is lost: they get no requests any more */
    uint64_t waiting, running;
    uint64_t answered, failed, cancelled; /* that are over */
    uint64_t repeated;
};

TULLE_API enum tulle_status tulle_pool_describe(struct tulle_pool *pool, struct tulle_pool_info *info);

struct tulle_request;

/* Starts a run, as tulle_net_run() does it, once fewer requests are under way than can be, for which it waits
 * at most so long. The tensors and their values must stay as they are until the request is over. */
TULLE_API enum tulle_status tulle_pool_start(struct tulle_pool *pool,
                                             const struct tulle_tensor *const *inputs, size_t input_count,
                                             struct tulle_tensor *const *outputs, size_t output_count,
                                             unsigned milliseconds, struct tulle_request **request);

/* Waits for the end of the request and returns its status, the same each time; TULLE_TIMEOUT: it is not over
 * yet. The outputs are written when it is TULLE_OK, and otherwise as they were. Whoever waits for requests in
 * the order in which they were started has their results in order. */
TULLE_API enum tulle_status tulle_request_wait(struct tulle_request *request, unsigned milliseconds);

/* A request that waits ends at once; one that runs ends with the node that it is at. If it is over, nothing
 * happens. */
TULLE_API void tulle_request_cancel(struct tulle_request *request);

/* Cancels the request and waits for its end, if it is not over. NULL is allowed. */
TULLE_API void tulle_request_free(struct tulle_request *request);

#ifdef __cplusplus
}
#endif

#endif

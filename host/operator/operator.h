/* SPDX-License-Identifier: Apache-2.0
 *
 * The half of an operator that needs no device: it checks what the caller
 * asks for, chooses a plan with the cycle model, packs programs and weights,
 * and puts operands and results in the device's order. libtulle adds devices,
 * buffers and runs (host/lib). A compiler can use this half for a variant of
 * which no device is open.
 */
#ifndef TULLE_HOST_OPERATOR_H
#define TULLE_HOST_OPERATOR_H

#include <stdbool.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/base/strbuf.h"
#include "host/plan/planner.h"
#include "host/tulle.h"
#include "sim/numerics/numerics.h"

/* ---- messages (message.c) ------------------------------------------------------------------------ */

/* Sets this thread's message and returns the status. */
__attribute__((format(printf, 2, 3))) enum tulle_status message_set(enum tulle_status status,
                                                                    const char *format, ...);
enum tulle_status message_no_memory(void);
/* The message that this thread set last. */
const char *message_text(void);

/* ---- operands (intake.c, operands.c) ------------------------------------------------------------- */

/* How to read a sparse operand into the planner's order, with a row for each result of a dense row. */
struct intake {
    const char *name; /* for messages */
    const struct tulle_matrix *matrix;
    bool transposed; /* rows of the result are columns of the matrix */
    unsigned data_bytes;
    int zero;
    bool quantise;
    bool has_no_sign; /* values are from 0 on */
    bool floats;      /* store the bits of floats unchanged (float_bits) */
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

/* A value of a matrix of any type; without an array of values it is 1. */
float matrix_float(const struct tulle_matrix *matrix, int64_t at);
/* The index of element (row, column) in the values of a dense matrix. */
int64_t matrix_place(const struct tulle_matrix *matrix, int64_t row, int64_t column);

/* Checks the whole operand. `scale` is 1 unless values are quantised. */
enum tulle_status intake_matrix(const struct intake *intake, struct sparse *to, double *scale);

/* Checks sizes, pointers and types of a matrix; `name` is for messages. */
enum tulle_status matrix_check(const struct tulle_matrix *matrix, const char *name);
enum tulle_status matrix_check_strides(int64_t row_stride, int64_t column_stride, int64_t rows,
                                       int64_t columns, const char *name);
unsigned matrix_type_bytes(enum tulle_type type);
const char *matrix_type_name(enum tulle_type type);

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

/* The same of an array whose types of 8 and 16 bits have no sign, if so. */
static inline int64_t activation_at(const struct tulle_matrix *matrix, int64_t at, bool has_no_sign)
{
    const int64_t value = element_at(matrix->values, matrix->type, at);
    if (!has_no_sign || matrix->type > TULLE_INT16)
        return value;
    return value & (matrix->type == TULLE_INT8 ? UINT8_MAX : UINT16_MAX);
}

/* Sorts each row by columns and rejects duplicates; `name` is for the message. */
enum tulle_status intake_sort(const char *name, struct sparse *w);

/* ---- windows (window.c, window_input.c) ---------------------------------------------------------- */

/* The ways in which the device computes a window, in the order in which they are tried. */
enum window_kind {
    WINDOW_DEPTHWISE, /* each channel separately */
    WINDOW_SLIDING,
    WINDOW_UNROLLED, /* a product: a dense row has all pixels under the window of a result */
    WINDOW_KINDS
};

/* A convolution or pool. The device's images contain their borders and only the pixels that are used: pixel
 * (y, x) of the device is the caller's (y * step_y - pad_top, x * step_x - pad_left). */
struct window {
    struct tulle_window of; /* the caller's, with defaults filled in; batch 0: the operator is a product */
    uint32_t out_height, out_width, step_y, step_x;
    uint32_t copies; /* depthwise: consecutive channels of the device for one of the caller's */
    enum window_kind kind;
    struct plan_window plan;
    bool doubles; /* a pool's weights are 2, not 1 */
};

/* Checks the caller's window and fills everything that does not depend on the kind. */
enum tulle_status window_take(const struct tulle_window *given, struct window *to);
enum window_kind window_first_kind(const struct window *window, const struct variant *variant);
void window_set_kind(struct window *window, enum window_kind kind, uint32_t channels_of_results);
/* Checks the options of a pool and makes it a convolution with weights of 1 or 2: sets groups and epilogue.
 * Activations have so many bytes. */
enum tulle_status window_pool(const struct tulle_operator_options *options, unsigned data_bytes,
                              struct tulle_epilogue *epilogue, struct window *window);
/* Whether the device computes it over images; otherwise it computes a product. */
bool window_slides(const struct window *window);
/* Places of an image under the window. */
uint32_t window_taps(const struct window *window);
/* The suffix of the plan's name, or "". */
const char *window_kind_name(const struct window *window);
/* The columns of the planner's weights. */
uint32_t window_columns(const struct window *window);
/* Converts the caller's columns to the planner's. */
enum tulle_status window_weights(const struct window *window, struct sparse *matrix);
/* The weights of a pool in the caller's order. */
enum tulle_status window_ones(const struct window *window, struct sparse *to);

/* ---- output channels (channels.c) ---------------------------------------------------------------- */

struct own_channels;

enum tulle_status channels_check(const struct variant *variant, const struct tulle_operator_options *options,
                                 enum tulle_function function);
/* Copies what there is, `count` values each. */
void lookup_take(const int8_t *table, bool no_sign, int8_t to[256]);

/* A limit of results that are less by `lift`; the lowest stays the lowest. */
int channel_limit(int limit, int lift);
enum tulle_status channels_take(const struct tulle_channels *channels, uint32_t count, int lift,
                                struct own_channels *to);
/* Averages of so many activations instead of their sums: like the epilogue, channels' scales have the
 * division.
 */
void channels_divide(struct own_channels *own, uint32_t count, int64_t by);
void channels_free(struct own_channels *own);

/* ---- second operands (second.c) ------------------------------------------------------------------- */

/* What can be wrong with the caller's softmax, which may be NULL (softmax.c). */
enum tulle_status softmax_check(const struct variant *variant, const struct tulle_operator_options *options);

/* What can be wrong with the caller's second operand, which may be NULL, and with what goes with it. */
enum tulle_status second_check(const struct variant *variant, const struct tulle_operator_options *options);
struct plan_join second_join(const struct tulle_second *second);

/* ---- operators (operator.c, cost.c) -------------------------------------------------------------- */

/* A part of the operator: the program and weights of one job. Every block of dense rows uses them. */
struct part {
    uint32_t first, rows; /* of the sparse operand */
    struct plan plan;
    uint8_t *partial; /* initial sums of runs that bring none; NULL: the plan reads none */
};

/* Appends the part's program, which leaves that number in the storage units, and the one that runs behind it,
 * and behind itself, without what is there (host/plan/stay.h). False: nothing stays that is worth it, or
 * there is no memory. */
bool part_again(const struct variant *variant, const struct part *part, uint32_t number,
                struct strbuf *program, struct strbuf *again);

/* The programs and packed weights of an operator. */
struct packed {
    struct part *part;
    uint32_t parts;
    uint32_t block; /* units in a job: dense rows, or images */
    uint64_t input_bytes, output_bytes, partial_bytes, scratch_bytes,
        operand_bytes;                     /* maximum of the parts */
    uint64_t program_bytes, weights_bytes; /* likewise */
    uint64_t all_program_bytes, all_weights_bytes;
    int64_t *bias;  /* of each row, including the zero points; NULL: all 0 */
    int64_t *bound; /* of the magnitude of each result, without initial sums */
};

/* What is stored on the device with its highest bit inverted, since a sequence wants it so. */
struct planned_inverted {
    bool input, second, output;
};

struct kept_store;

struct planned {
    const struct variant *variant; /* of the device; it must outlive the operator */
    unsigned data_bytes;           /* of an activation */
    unsigned beat_cycles;          /* in which memory moves a beat; 0: one */
    bool slice;                    /* of a sequence in which layers are cut: searches are short */
    uint64_t memory;               /* bytes of device memory that one job may take */
    struct tulle_operator_info info;
    bool loaded;                       /* from a file, without what a plan is made of */
    bool has_initial, wraps, adds;     /* adds: the plan begins with sums from memory */
    unsigned element;                  /* of results */
    double density;                    /* of activations that are not 0, in estimates */
    const struct tulle_matrix *sample; /* of a sequence: an input that the plan is to suit; or NULL */
    const struct shares *shares;       /* while a plan is chosen: more about it; NULL: not known */
    struct kept_store *store;          /* of a sequence: what was found before; or NULL */
    struct plan_function function;
    int matrix_zero, input_zero;
    bool input_unsigned, output_unsigned;
    struct planned_inverted inverted; /* already in the two, in input_zero and in join */
    bool looks_up;                    /* results in this */
    int8_t lookup[256];
    bool quantise;
    uint32_t n, k, m; /* results of a dense row, weights of a result, dense rows */
    struct window window;
    struct sparse matrix; /* all entries; empty when loaded */
    int32_t *bias;        /* the caller's, or NULL */
    struct own_channels {
        int32_t *multiplier;
        uint8_t *shift;
        int16_t *low, *high;
    } own;                 /* of each output channel; NULL: the function's */
    bool bias_by_channel;  /* the device adds biases from its table of channels */
    struct plan_join join; /* of a second operand */
    bool joins_row;        /* elementwise: the second operand is a row */
    struct tulle_softmax softmax;
    /* In a sequence (sequence.h): where activations are, and the frame for results; group and height 0: as
     * the plan wants them. `spread`: places of a product's activations in their row; NULL: all in their
     * order. */
    struct plan_places from;
    struct plan_frame to;
    const uint32_t *spread;
    uint32_t spread_columns;
    struct plan_choice choice;
    struct plan_alternatives alternatives; /* the plans considered; one when loaded */
};

/* With the table that results are looked up in. */
static inline struct plan_function planned_function(const struct planned *op)
{
    struct plan_function function = op->function;
    function.lookup = op->looks_up ? op->lookup : NULL;
    return function;
}

/* What the device subtracts from activations; where it cannot, the bias makes up for the zero point. */
static inline int planned_device_zero(const struct planned *op)
{
    return op->variant->zero_points ? op->input_zero : 0;
}

static inline bool operation_has_window(enum tulle_operation operation)
{
    return operation >= TULLE_CONVOLUTION && operation <= TULLE_AVERAGE_POOL;
}

static inline bool planned_is_pair(const struct planned *op)
{
    return op->info.operation == TULLE_ELEMENTWISE;
}

static inline bool planned_is_softmax(const struct planned *op)
{
    return op->info.operation == TULLE_SOFTMAX;
}

/* Without weights: the store engine alone works. */
static inline bool planned_rests(const struct planned *op)
{
    return planned_is_pair(op) || planned_is_softmax(op);
}

/* Elements from a row of such an operator to the next: softmax begins at whole groups of K. */
static inline uint32_t planned_pitch(const struct planned *op)
{
    return planned_is_softmax(op) ? math_round_up(op->n, op->variant->k) : op->n;
}

/* Elementwise, with a row that the device repeats: whole groups of K. Other rows are repeated here. */
static inline bool planned_repeats_row(const struct planned *op)
{
    return op->joins_row && op->n % op->variant->k == 0;
}

/* Bytes of an element of the input. */
static inline unsigned planned_input_bytes(const struct planned *op)
{
    return planned_is_pair(op) ? 1u << op->join.element : planned_is_softmax(op) ? 1 : op->data_bytes;
}

/* The least activation as it is stored. */
static inline int planned_least_input(const struct planned *op)
{
    return op->input_unsigned ? 0 : -(1 << (8 * planned_input_bytes(op) - 1));
}

/* Checks the options. `op` has the variant, data_bytes and memory; it is to be freed in any case. `epilogue`
 * is that of the options; for a pool it becomes the one of its convolution. */
enum tulle_status planned_begin(struct planned *op, const struct tulle_operator_options *options,
                                struct tulle_epilogue *epilogue);
/* Takes the weights, chooses a plan and packs it. */
enum tulle_status planned_make(struct planned *op, const struct tulle_operator_options *options,
                               struct packed *packed);
/* Whether the caller has left the plan to the planner. */
bool planned_is_free(const struct planned *op, const struct tulle_plan_options *options);
/* Chooses a plan for an input with such shares and packs it. */
enum tulle_status planned_learn(struct planned *op, const struct shares *shares, struct packed *packed);
/* What the plan that was chosen takes with such an input. */
enum tulle_status planned_foresee(struct planned *op, const struct shares *shares);
/* After `status`, whether the window can be done in another way; planned_make() tries that way then. */
bool planned_next_way(struct planned *op, enum tulle_status status);
/* The same operator with so many units (operator_unit()), fewer than it has. It shares all arrays. */
struct planned planned_fewer(const struct planned *op, uint32_t units);
/* Packs such an operator for the plan that was chosen. */
enum tulle_status planned_pack_fewer(const struct planned *fewer, struct packed *packed);
/* New values at the same places, packed for the plan that was chosen. `values` is the new matrix, to be
 * freed. */
enum tulle_status planned_update(const struct planned *op, const struct tulle_matrix *matrix,
                                 struct sparse *values, double *scale, struct packed *packed);
void planned_free(struct planned *op);
void packed_free(struct packed *packed);
/* The largest sizes and the sums of a packed operator's parts. */
void packed_sizes(struct packed *packed);
/* A size as the driver's allocator rounds it. */
uint64_t packed_blocks(uint64_t bytes);
/* Makes the initial sums of runs that bring none. */
enum tulle_status packed_partial(const struct planned *op, struct packed *packed);

/* The dense rows that stay together in a job: those of an image when a window slides over it, else one. */
uint32_t operator_unit(const struct planned *op);
/* The operator's plan of so many units, without weights. */
struct plan_description operator_description(const struct planned *op, const struct sparse *weights,
                                             uint32_t units);
/* Operators without weights, of so many rows. */
struct plan_pair operator_pair(const struct planned *op, uint32_t rows);
/* Applies the epilogue to a sum on the host, for results without weights. */
int64_t operator_finish(const struct planned *op, int64_t sum);

/* The price by the cycle model; the context is a struct cost. */
struct cost {
    const struct variant *variant;
    double density;     /* of activations that are not zeros */
    int zero;           /* zero point of the activations on the device */
    uint64_t most_macs; /* plans with more are not asked about */
    uint64_t macs;
    bool near; /* activations come from the activation bank, or go to it, and not to memory */
    /* Fills the input slot of a plan for all rows and columns; without it, all of the slot is activations. */
    bool (*input)(void *of, const struct plan *plan, uint8_t *to);
    void *of;
};
#define COST_MACS_ONE 64000000 /* multiplications up to which the cycle model is asked about a whole */
#define COST_NOT_ASKED 1       /* cycles of plans that were not asked about */
plan_cost cost_of_plan;
/* Cycles that a job of its own takes and a fence does not; false: out of memory. */
bool cost_of_joint(const struct variant *variant, uint64_t *cycles);
/* One next to the zero point in as many elements as are taken to be no zeros, here and there. */
void cost_draw(double density, int zero, unsigned bytes, uint64_t size, uint8_t *to);

/* What a user of an operator may give it (drawn.c). Borders of images and places that fill blocks are zeros
 * as in a run, and cost what they cost there. */
struct drawn {
    const struct planned *op;
    struct tulle_matrix dense; /* without values until they are needed */
};
/* Of a struct cost, whose `of` is a struct drawn. */
bool drawn_input(void *of, const struct plan *plan, uint8_t *to);
void drawn_free(struct drawn *drawn);

/* ---- to and from the device's order (operands.c) ---------------------------------------------------- */

/* Dense rows first .. first + count - 1 of the operands of a run, for one part. */
struct slice {
    const struct planned *op;
    const struct packed *packed;
    const struct part *part;
    uint32_t first, count;
};

/* The operands of a run: the dense input, or its entries with a row for each dense row. */
struct run_input {
    const struct tulle_matrix *dense;  /* NULL: entries */
    const struct tulle_matrix *second; /* NULL: none */
    struct sparse entries;
    int64_t *initial; /* initial sums by dense rows; NULL: none */
};

/* Strides of dense rows in the caller's array, in elements; the rows may be those of several images. */
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

/* The strides of the dense input, and of the results. */
struct walk operands_input_walk(const struct planned *op, int64_t row_stride, int64_t column_stride);
struct walk operands_result_walk(const struct planned *op, int64_t row_stride, int64_t column_stride);
/* How many units the input has: all, if its size is not that of fewer, or it is NULL. */
uint32_t operands_units(const struct planned *op, const struct tulle_matrix *input);
/* Check the size of an input, and the place of the results. */
enum tulle_status operands_check_input(const struct planned *op, const struct tulle_matrix *m);
/* A dense input with all its numbers. */
enum tulle_status operands_check_dense(const struct planned *op, const struct tulle_matrix *m);
enum tulle_status operands_check_output(const struct planned *op, const struct tulle_output *out);
/* The same of an output of another size. */
enum tulle_status operands_check_place(const struct planned *op, int64_t rows, int64_t columns,
                                       const struct tulle_output *out);
/* Fills an input slot with one activation. */
void operands_fill(const struct planned *op, int activation, uint64_t size, uint8_t *to);
/* Writes images to the input slot. */
void window_input(const struct slice *slice, const struct tulle_matrix *images, const struct walk *walk,
                  uint8_t *to);
/* Whether every pixel fits the input slot, for a plan from a file. */
bool window_places_fit(const struct slice *slice);
/* Rows, columns and type of the dense operand that has an element for each activation; how many there are. */
uint64_t operands_input_shape(const struct planned *op, struct tulle_matrix *to);
/* Writes the whole input slot of the part. */
void operands_input(const struct slice *slice, const struct run_input *input, uint8_t *to);
/* Writes the slot of initial sums; `initial` may be NULL. */
void operands_partial(const struct slice *slice, const int64_t *initial, uint8_t *to);
void operands_bias(const struct planned *op, const struct packed *packed, const struct part *part,
                   uint8_t *to);
/* Writes the whole slot of the second operand. */
void operands_second(const struct slice *slice, const struct tulle_matrix *second, uint8_t *to);
/* Reads results from the output slot. `values` has room for a row of the part. */
void operands_output(const struct slice *slice, const uint8_t *from, const int64_t *initial,
                     const struct tulle_output *output, int64_t *values);

/* Checks and converts all operands of a run. On failure there is nothing to free. */
enum tulle_status operands_take(const struct planned *op, const struct packed *packed,
                                const struct tulle_operands *operands, struct run_input *input);
void operands_free(struct run_input *input);

/* ---- how many activations are zeros (shares.c) -------------------------------------------------------- */

/* The shares of activations that are not zeros on the device: of all, and of the rows and of the numbers of
 * a row, as multiples of that of all. NULL: all are alike. */
struct shares {
    double all;
    size_t rows, numbers;
    float *row, *number;
};

/* Counts them in the input of a run. To be freed in any case. */
enum tulle_status shares_take(const struct planned *op, const struct run_input *input, struct shares *to);
void shares_free(struct shares *shares);
/* Draws as many elements as operands_input_shape() has, one next to the zero point where none is a zero. */
void shares_draw(const struct planned *op, const struct shares *shares, uint8_t *to);

#endif

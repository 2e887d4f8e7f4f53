/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and checks the options of `tulle run` and `tulle explain`.
 */
#ifndef TULLE_HOST_CLI_REQUEST_H
#define TULLE_HOST_CLI_REQUEST_H

#include "host/cli/cli.h"
#include "host/tulle.h"

/* An option with a number; `given` is its text, or NULL. */
struct request_number {
    const char *given;
    int64_t value;
};

struct request_real {
    const char *given;
    double value;
};

/* A number for all output channels, or a file with one for each. */
struct request_values {
    const char *given, *file;
    double value;
};

#define REQUEST_SCALE_MOST 1e9

struct request_word {
    const char *given;
    unsigned value;
};

/* Numbers with x between them. */
struct request_sizes {
    const char *given;
    int64_t value[4];
    unsigned count;
};

struct request {
    enum tulle_operation operation;
    bool left; /* --left */
    /* Images. */
    bool depthwise;
    struct request_sizes in, kernel, stride, dilation, pad;
    struct request_number batch, out_channels, groups;
    struct request_word layout, weights_layout, pool;
    struct tulle_window window; /* made from these options; batch 0: a product */
    /* Operands: from files, or generated. */
    const char *weights, *input, *initial, *bias;
    bool transpose, random_values, quantise, input_unsigned;
    struct request_number input_zero;
    struct request_number rows, k, n, per_row, band, block, edges, seed;
    struct request_real density, act_density;
    /* Functions of the sums. */
    bool relu, wraps;
    bool floats; /* --float */
    /* A second operand, of add, sub and mul or of --residual. */
    const char *second;
    bool second_row, second_unsigned;
    struct request_word residual, second_type; /* a place among request_joins; TULLE_INT8 or TULLE_INT16 */
    struct request_number second_zero;
    enum tulle_join join; /* of the operator or of --residual; TULLE_JOIN_NONE: there is no second operand */
    struct request_word lookup; /* enum tulle_curve */
    /* What the requantised sums, or the input of add, sub and mul, stand for; and the results. */
    struct request_real first_scale, second_scale, result_scale;
    struct request_number sum_zero;
    struct request_values scale, low, high;
    struct request_number zero;
    struct request_word output_type;       /* enum tulle_type, or REQUEST_UINT8 */
    struct request_word rounding;          /* enum tulle_rounding, or REQUEST_ROUND_AWAY */
    struct request_real input_scale, beta; /* of softmax */
    /* Device and plan. */
    const char *device, *container;
    struct request_word mapping;
    const char *split;
    struct request_number effort, timeout, repeat;
    /* Results. */
    const char *save, *load, *output;
    bool check, json, quiet, measure;
};

/* The names of enum tulle_type that results may have; NULL at the end. */
enum { REQUEST_UINT8 = TULLE_INT64 + 1 };      /* not a type of the library: TULLE_INT8 without a sign */
enum { REQUEST_ROUND_AWAY = TULLE_ROUNDINGS }; /* nor a rounding: round_away of the window */
extern const char *const request_types[];
/* Likewise, of plans, layouts and pools. */
extern const char *const request_mappings[], *const request_layouts[], *const request_pools[];
/* Of enum tulle_join, without its first. */
extern const char *const request_joins[];
/* "spmm", "conv" and so on, the same for both sides of the sparse operand, for a message. */
const char *request_operation_name(enum tulle_operation operation);
/* Whether the operator has a sparse operand. */
bool request_has_weights(enum tulle_operation operation);
/* Whether a generated sparse operand is described. */
bool request_is_generated(const struct request *request);
/* The type of a second operand on a device whose numbers have so many bytes. */
enum tulle_type request_second_type(const struct request *request, unsigned data_bytes);

/* `command` is "run" or "explain". False when the program ends, with its exit status in `status`. */
bool request_parse(const char *command, int argc, char **argv, struct request *request, int *status);

#endif

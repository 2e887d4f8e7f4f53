/* SPDX-License-Identifier: Apache-2.0
 *
 * The planner: an operator and how it is to be laid out become a program, its
 * packed weights, and where everything is in memory. docs/planner.md has the
 * way from the one to the other.
 *
 * O[m][n] = function(C0[m][n] + I[m][k] x W[k][n]), W sparse, known when
 * planning; I and O dense. A product with the sparse operand on the left is
 * the same with both dense ones transposed.
 */
#ifndef TULLE_HOST_PLANNER_H
#define TULLE_HOST_PLANNER_H

#include "host/plan/plan.h"
#include "sim/numerics/numerics.h"

enum plan_operator { PLAN_SPMM, PLAN_SPMV, PLAN_CONVOLUTION };

/* A convolution: I is an image, or m of them, and a row of W^T a kernel of side_y x side_x taps, its columns
 * (dy, dx, c). Result (y, x) begins at row y * stride_y and column x * stride_x of the image, which has its
 * borders already. */
struct plan_window {
    uint32_t height, width, channels;
    uint32_t side_y, side_x, stride_y, stride_x, dilation_y, dilation_x;
    uint32_t groups; /* result n comes of the channels of its group alone, in order; 0: there is one */
    bool depthwise;  /* result n comes of channel n alone; columns of a kernel are (dy, dx) */
    bool maximum; /* depthwise: the largest product, not the sum; kernels have all columns, and borders count
                   */
    /* The pixels that are no border, for estimates; height 0: all. */
    struct {
        uint32_t top, left, height, width;
    } inner;
};

/* The share of all multiplications that are not with pixels of a border. */
double plan_window_inside(const struct plan_window *window);
/* Results of an image. */
uint32_t plan_window_out_height(const struct plan_window *window);
uint32_t plan_window_out_width(const struct plan_window *window);

/* What happens to complete sums, in words of the instruction set (its values of `function` and `element`). */
struct plan_function {
    unsigned function, shift;
    int32_t multiplier;
    int low, high, zero, slope;
    unsigned rounding;
    const int8_t *lookup; /* 256 entries, by a number's byte, of the function lookup; else NULL */
};
/* As sim/numerics has it, with results of that element. */
struct num_step plan_function_step(const struct plan_function *function, unsigned element);

/* What output channels have of their own, one value for each row of the weights; pointers that are NULL
 * although they are wanted: 0, for the cost of a plan. */
struct plan_channels {
    bool has_bias, has_scale, has_limits;
    const int64_t *bias;
    const int32_t *multiplier; /* with the shifts in place of the function's */
    const uint8_t *shift;
    const int16_t *low, *high; /* in place of the function's */
};

/* A second operand of results, or of a first operand, in words of the instruction set (`operand`, `join`).
 * Its elements are in the slot `extra`. */
struct plan_join {
    unsigned join;    /* 0: none */
    unsigned element; /* int8 or int16 */
    bool has_no_sign; /* uint8 or uint16; then half of the range is subtracted from the elements, and from the
                         zero point by the caller. Needs `zero_points` */
    int zero;
    int32_t multiplier; /* 2^30 or more */
    unsigned shift;
    bool scale_first, fraction_15;
};

/* An image that has a border for the operators that read it: results are the pixels from (top, left) on. The
 * plan says where everything is (layout.to). A product has no frame, and its rows are one behind the other.
 */
struct plan_frame {
    uint32_t top, left, height, width; /* height and width: with the border */
    uint32_t channels;                 /* that a pixel has room for, at least */
    bool planes; /* depthwise: channels in planes of K, one behind the other; else innermost */
};

/* A memory that is slower than the device: plans that move fewer bytes are faster then. */
struct plan_memory {
    unsigned beat_cycles;         /* in which it moves a beat, in each direction; 0: one */
    bool input_near, output_near; /* activations come from the activation bank, or go to it */
    uint32_t sums_near;           /* bytes of sums of k steps that have room there */
};

/* What a plan costs. */
struct plan_price {
    uint64_t cycles; /* of an alternative also those of the memory, if they are more */
    uint64_t bytes;  /* read from memory and written to it */
    uint64_t memory; /* cycles that a memory takes which is as slow as the description says; 0: it is not */
};

struct plan_description {
    const struct variant *variant;
    enum plan_operator operator;
    const struct sparse *weights;     /* n rows, the columns of W, of k columns */
    const struct plan_window *window; /* convolutions only */
    uint32_t m;                       /* 1 for SpMV; images of a convolution */
    unsigned element;                 /* of the results: value of `element`; 2, int32, is what comes without
                                         a function */
    struct plan_function function;
    struct plan_channels channels;
    struct plan_join join;     /* of results that have scale and limits of their channels */
    bool partial;              /* results begin with sums from the slot `partial` */
    bool has_no_sign;          /* activations; needs `zero_points` */
    bool results_have_no_sign; /* int8 and int16 are written plus 2^7 or 2^15; needs `zero_points` */
    int zero;                  /* their zero point; others than 0 need `zero_points` */
    bool whole_rows; /* activations are copied row by row: also those that no weight meets have places */
    /* NULL; or where another operator has left the activations, and the frame that results are wanted in.
     * Such results are all there is: none beyond the image. A second operand lies as they do. */
    const struct plan_places *from;
    const struct plan_frame *to;
    bool parts;     /* programs of a part of the work are wanted instead of the whole, where it is much */
    double density; /* share of the activations that are not zeros, for estimates; 0: not known, and taken as
                       1 */
    /* That no plan goes below; 0 cycles: not known. The closer to it the best plan is, the shorter is the
     * search. */
    struct plan_price least;
    struct plan_memory memory;
    bool slice;                       /* one of many pieces of a layer: a search is short */
    const struct plan_needed *needed; /* NULL; the planner's own */
    struct plan_order *order;         /* the same: of x, for all plans of a search */
};

/* Columns of a matrix that have entries, in the order in which x has them; NULL: not known yet. */
struct plan_order {
    uint32_t *column;
    bool own; /* that of the matrix */
};

/* How; what is 0 is chosen. */
struct plan_choice {
    enum plan_gather gather; /* SpMV only */
    bool deals;              /* columns of the result in the order of their non-zeros, so that PEs have equal
                                shares; else they stay as they are. Gathering plans do so anyhow */
    enum plan_mapping mapping;
    struct plan_split split;
    unsigned rows_held;    /* rows of activations that a cluster holds; results of a line of a tile */
    unsigned lines;        /* of a tile, convolutions only */
    uint32_t block;        /* columns of a k block; channels of it in convolutions; segments of a step */
    uint32_t packet_bytes; /* of a packet of weights */
    bool natural; /* results of a convolution lie as the images do: slower where kernels are small, because
                     a group of K is a write of its own */
};

/* Otherwise there is no such plan; `plan` is then to be freed all the same. */
enum plan_status plan_make(const struct plan_description *description, const struct plan_choice *choice,
                           struct plan *plan);

/* Joins of two tensors of `elements` int8 or int16, without weights: the first is in the slot `input`, the
 * second in `extra`, results in `output`, each from its beginning on in its order. All are padded to whole
 * groups of K; K divides `vector`. */
struct plan_pair {
    const struct variant *variant;
    uint64_t elements;
    uint32_t vector; /* elements of the second one, which repeats; 0: as many as of the first */
    unsigned first_element;
    bool first_has_no_sign;
    int first_zero;
    struct plan_join join;
    struct plan_function function; /* requantise */
    unsigned element;              /* of the results */
    bool results_have_no_sign;
    uint32_t lines; /* 0 or 1: one; else `elements` are those of a line, without a vector, and lines begin so
                       many bytes apart */
    uint64_t first_pitch, second_pitch, result_pitch;
};
enum plan_status plan_make_pair(const struct plan_pair *pair, struct plan *plan);

/* Softmax of rows of int8, as num_softmax (sim/numerics/softmax.h) with these numbers: from the slot `input`
 * to `output`, rows one behind the other, each padded to whole groups of K. What is behind a row is the
 * smallest result. */
struct plan_softmax {
    const struct variant *variant;
    uint32_t rows, elements;
    bool has_no_sign; /* uint8; needs `zero_points` */
    int32_t multiplier;
    unsigned shift;
    int32_t least;
    unsigned element;          /* of the results: int8 or int16 */
    bool results_have_no_sign; /* needs `zero_points` */
};
enum plan_status plan_make_softmax(const struct plan_softmax *softmax, struct plan *plan);

/* ---- several jobs ------------------------------------------------------------------------------------- */

/* Bytes of device memory that a plan's buffers take, the status record included. */
uint64_t plan_memory(const struct plan *plan);

/* Rows first .. first + rows - 1 of the weights: a job of its own, with results of its own. */
struct plan_job {
    uint32_t first, rows;
    struct plan plan;
};

struct plan_jobs {
    struct plan_job *of;
    uint32_t count;
};

/* As few jobs as it takes for each to fit `memory` bytes, of nearly as many non-zeros each; all read the same
 * activations. PLAN_DEVICE_MEMORY: one row and the activations need more. */
enum plan_status plan_make_jobs(const struct plan_description *description, const struct plan_choice *choice,
                                uint64_t memory, struct plan_jobs *jobs);
void plan_jobs_free(struct plan_jobs *jobs);

/* ---- choosing ------------------------------------------------------------------------------------------ */

/* The cycle model, or what stands for it; of a part of the work when the summary has a share. False: it
 * cannot say. */
typedef bool plan_cost(void *context, const struct plan *plan, struct plan_price *price);

struct plan_alternative {
    struct plan_choice choice;
    double estimate; /* cycles, from sizes alone: it decides which plans are made at all */
    enum plan_status refused;
    char message[PLAN_MESSAGE_BYTES]; /* why there is no such plan */
    bool made;
    struct plan_price price; /* of the cost function; 0 cycles: not asked */
    bool in_parts;           /* what follows from parts of its work */
    bool by_memory;          /* it is what a slow memory takes: the cost function was not asked */
    unsigned same_as;        /* an earlier alternative with the same program; its own number: none */
    uint64_t hash;           /* of program and weights */
    uint64_t weights_bytes;
    struct plan_summary summary;
};

#define PLAN_ALTERNATIVES_MAX 80

struct plan_alternatives {
    struct plan_alternative of[PLAN_ALTERNATIVES_MAX];
    unsigned count, best;
    const char *note; /* on the search as a whole, or NULL */
    bool kept;        /* nothing was searched: the only one is that of an earlier search */
};

/* What the choice is limited to. */
struct plan_wish {
    bool mapping_given, split_given;
    enum plan_mapping mapping;
    struct plan_split split;
    const struct plan_choice *only; /* is looked at, as it is; NULL: any */
};

/* The cheapest plan: of all alternatives the `most` with the lowest estimates are made and asked the cost of;
 * with 0 as many as have half a million cycles in all, long ones by parts of their work, but none
 * with an estimate half as much again as the best, and more where `least` says that all are poor. Of plans
 * whose cycles are nearly the same it is the one that moves the fewest bytes. `wish` may be NULL, and so may
 * `plan`, when only the choice is wanted. Deterministic. */
enum plan_status plan_choose(const struct plan_description *description, const struct plan_wish *wish,
                             plan_cost *cost, void *context, unsigned most,
                             struct plan_alternatives *alternatives, struct plan *plan);

/* Cycles of a PE for each of its weights when so many activations are not 0: it multiplies one a cycle, and
 * scans `scan`. */
double plan_mac_share(const struct variant *variant, double density);
/* At least 1. */
double plan_beat_cycles(const struct plan_memory *memory);
/* Bytes of all weights in memory, as packets have them, before any is packed. */
double plan_weight_bytes(const struct plan_description *description);

/* Cycles of the likeliest plan, from sizes alone; for comparing variants, in no time. */
double plan_estimate(const struct plan_description *description);

/* A table: what was chosen and why, its sizes, and the alternatives. `measured`: cycles that the chosen one
 * took on the device; 0: unknown. */
void plan_explain(const struct plan_alternatives *alternatives, uint64_t measured, struct strbuf *to);

/* ---- where things are in memory --------------------------------------------------------------------- */

#define PLAN_NOWHERE UINT64_MAX

/* Byte offsets in the slots of these names. With places of `from` a product's k counts as one pixel's number.
 * PLAN_NOWHERE: an activation that no weight meets, or a result that no weight contributes to, may have no
 * place in gathering plans. */
uint64_t plan_input_offset(const struct plan *plan, uint32_t m, uint32_t k);
/* A row of k activations of a byte each, `step` apart, to their places. */
void plan_put_bytes(const struct plan *plan, uint32_t m, const int8_t *from, int64_t step, uint32_t k,
                    uint8_t *to);

/* Puts activations that are there several times into their other places, once all are in their first ones.
 * Only plans of one row have such. */
void plan_repeat(const struct plan *plan, uint8_t *to);

uint64_t plan_output_offset(const struct plan *plan, uint32_t m, uint32_t n);
/* Whether result n of each row has one. */
bool plan_has_place(const struct plan *plan, uint32_t n);
/* How many results of a row, from the n-th on, lie one behind another; there may be fewer. */
uint32_t plan_outputs_beside(const struct plan *plan, uint32_t n);
/* The same of the first channel of a pixel of an image; the others follow it. Images are as large as
 * layout.window says, which may be larger than what was described: whole tiles of results. Rows of results,
 * m, are counted (image, y, x) over the results that there are. */
uint64_t plan_pixel_offset(const struct plan *plan, uint32_t image, uint32_t y, uint32_t x);
/* Of any channel, also where they lie in planes. */
uint64_t plan_channel_offset(const struct plan *plan, uint32_t image, uint32_t y, uint32_t x,
                             uint32_t channel);
/* A result from the bytes of the output slot, sign-extended: the sum of its parts when a long row was cut,
 * modulo 2^(8 * element bytes); without a place it is `otherwise`. */
int64_t plan_result(const struct plan *plan, const uint8_t *output, uint32_t m, uint32_t n,
                    int64_t otherwise);
/* All results of SpMV at once; `to` holds what they are without a place. */
void plan_results(const struct plan *plan, const uint8_t *output, uint32_t m, int64_t *to, uint32_t n);
/* Partial sums are as wide as the accumulator needs: 4 bytes, or 8 when it has more than 32 bits. */
uint64_t plan_partial_offset(const struct plan *plan, uint32_t m, uint32_t n);
/* The second operand of a result, in the slot `extra`. */
uint64_t plan_operand_offset(const struct plan *plan, uint32_t m, uint32_t n);

/* ---- names ------------------------------------------------------------------------------------------- */

/* "is", "os", "ws"; "mn" for a split; `text` has room for 8 characters. */
const char *plan_mapping_name(enum plan_mapping mapping);
const char *plan_split_name(struct plan_split split, char text[8]);
/* "ws mm", "x stays, 1024" and the like. */
const char *plan_choice_name(const struct plan_choice *choice, char text[32]);

#endif

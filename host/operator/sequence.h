/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators one behind the other in one job: each reads what others before it
 * have left in the device's memory, and the host is not asked between them.
 *
 * A value that stays on the device lies in a frame: an image with the border
 * that its readers need, channels innermost, or in planes of K channels where
 * a depthwise convolution makes it, which writes them faster. Borders are
 * written once, by the host, and nothing on the device changes them. So a value
 * with a border has memory of its own; others share it over their lifetimes.
 * What the host gives and takes is in the order of the operator that reads or
 * makes it.
 *
 * Several steps may make pieces of one value, and a step may read a piece
 * (pieces.h).
 */
#ifndef TULLE_HOST_SEQUENCE_H
#define TULLE_HOST_SEQUENCE_H

#include "host/operator/operator.h"
#include "host/plan/border.h"

#define SEQUENCE_HOST SIZE_MAX /* in place of a value: the host gives it */

/* Pixels of a value; height 0: all of it. */
struct sequence_piece {
    int64_t top, left, height, width;
};

/* What an operator makes, or several, each a piece. */
struct sequence_value {
    bool wanted;    /* by the host: the caller says so */
    bool in_pieces; /* the caller gives height and width */
    /* The rest is found. */
    int64_t images, height, width, channels; /* rows of a product: height and width 1 */
    bool by_channel;                         /* the caller's order: each channel's pixels side by side */
    size_t made, last;                       /* by which step, and who reads it last; made: nobody */
    bool framed;                             /* read on the device */
    bool bordered;
    int border;    /* as it is stored */
    bool inverted; /* stored with its highest bit inverted: an int8 as a uint8, and the other way around */
    bool written;  /* its border, by a join of borders */
    size_t alike;  /* the first value that must lie as this one does, since joins go through both in order */
    bool wide;     /* its pixels have room for any plan's channels, those of its class being of many sizes */
    struct plan_frame frame;
    struct plan_places places;
    enum isa_slot slot;
    uint64_t base, bytes;
};

/* Whether a border is written once, before the first step, and never by one. */
static inline bool sequence_keeps_border(const struct sequence_value *value)
{
    return value->bordered && !value->written;
}

struct sequence_step {
    const struct tulle_operator_options *options;
    const struct tulle_matrix *sample; /* of x, in the caller's order; or NULL */
    size_t x, w, y;                    /* w: of a join, otherwise SEQUENCE_HOST */
    struct sequence_piece at_x, at_w, at_y;
    size_t same;  /* the first step with equal options; SEQUENCE_HOST: it is this one */
    bool shares;  /* it has the plan of step `owner`, which frees it */
    size_t owner; /* a step before */
    struct planned of;
    struct tulle_epilogue epilogue; /* the options', or what becomes of it in a pool */
    struct packed packed;
    uint32_t *spread;
    uint64_t input_base, sums_base; /* of what the host gives; of sums of k steps */
    uint64_t weights_base, partial_base;
    enum isa_slot sums_slot;
    bool weights_stay;      /* of a plan that serves several steps: they are copied to the activation bank */
    uint64_t weights_bank;  /* to this place there */
    size_t before;          /* it runs before this step, whose result it begins; or itself */
    uint64_t memory_cycles; /* of a slow memory, for what the step moves from where all has its place */
};

/* What a slot holds from the first run on. */
struct sequence_border {
    enum isa_slot slot; /* output or scratch */
    uint64_t base, bytes;
    int activation;
};

struct kept_store;

struct sequence {
    const struct variant *variant;
    struct kept_store *store; /* the device's, or NULL: what searches found before */
    unsigned beat_cycles;     /* in which memory moves a beat */
    unsigned data_bytes;      /* of an activation */
    bool pieces;              /* there are steps that make or read a piece */
    size_t narrow; /* a class of values whose pieces have room for different channels; SEQUENCE_HOST: none */
    struct sequence_step *step;
    size_t steps;
    struct sequence_value *value;
    size_t values;
    size_t failed; /* after TULLE_UNSUPPORTED: the step that cannot be in it */
    struct sequence_border *border;
    size_t borders;
    struct strbuf initial[ISA_SLOTS]; /* of scratch and output, from the borders */
    struct plan_border *bank_border;  /* that are written in the activation bank (bank.h) */
    size_t *bank_before;              /* the step before which each is; 0: when the job begins */
    size_t bank_borders;
    struct plan *bank_copy; /* of each step's weights that are copied to the bank */
    struct plan *bank_plan; /* which do it: of all, or with pieces of each */
    size_t bank_plans;
    uint64_t saved;     /* cycles of configurations that steps find in their buffers */
    uint64_t predicted; /* cycles; the sum of the operators', less what a job of their own costs */
};

/* Plans the steps and links them; `packed` gets one part. Steps and values are the caller's, with their first
 * fields filled, and become the sequence's. TULLE_UNSUPPORTED: they cannot be handed from one to the next. */
enum tulle_status sequence_make(struct sequence *sequence, unsigned data_bytes, uint64_t memory,
                                struct packed *packed);
void sequence_free(struct sequence *sequence);

/* Fills `initial`, for slots as large as the program's. */
enum tulle_status sequence_begin(struct sequence *sequence, const struct packed *packed);
/* Whether it takes at most so many bytes of the device's memory. */
bool sequence_fits(const struct packed *packed, uint64_t memory);
/* A value that the host takes, in whose slot everything must lie within so many bytes. */
bool sequence_value_fits(const struct sequence_value *value, unsigned element_bytes, uint64_t room);

/* Checks what the host gives each step with x of SEQUENCE_HOST, and takes, in their order. */
enum tulle_status sequence_check(const struct sequence *sequence, const struct tulle_matrix *const *inputs,
                                 const struct tulle_output *const *outputs);
/* The input slot from what the host gives each step with x of SEQUENCE_HOST, in their order. */
void sequence_input(const struct sequence *sequence, const struct tulle_matrix *const *inputs, uint8_t *to);
/* One value that the host takes, from the output slot, and how many numbers it has. */
enum tulle_status sequence_take(const struct sequence *sequence, const struct sequence_value *value,
                                const uint8_t *from, const struct tulle_output *to);
uint64_t sequence_elements(const struct sequence *sequence, const struct sequence_value *value);
/* The wanted values, in their order, from the output slot. */
enum tulle_status sequence_output(const struct sequence *sequence, const uint8_t *from,
                                  const struct tulle_output *const *outputs);

#endif

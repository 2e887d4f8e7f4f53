/* SPDX-License-Identifier: Apache-2.0
 *
 * The clusters' instruction buffers in a program of several plans. A
 * configuration takes a cluster some 12 cycles for each instruction, at rest:
 * 300 cycles for a convolution, before its first multiplication. Layers of the
 * same shape have the same configurations, so a plan does not send again what
 * a buffer has. And a plan takes other buffers than the plan before, if there
 * are some, so that layers of two kinds in turn find theirs.
 *
 * A buffer whose packets go on where the last one ended must be where it
 * began: all addresses, and the results by as many places, since these run
 * around in the output queue.
 *
 * Configurations that no plan uses any more stay in their buffers, and in pages of
 * the register files. Where too few pages are left, such buffers get the plan's
 * shortest configuration.
 */
#ifndef TULLE_HOST_BUFFERS_H
#define TULLE_HOST_BUFFERS_H

#include "host/plan/use.h"
#include "sim/model/sequence.h"

#define BUFFERS_CONFIGS USE_BUFFERS

struct buffer {
    bool configured, uneven;
    struct sequence sequence;
    uint64_t iterations; /* since it was configured */
    unsigned used;       /* by which plan, from 1 */
};

struct buffers {
    const struct variant *variant;
    struct buffer of[USE_BUFFERS];
    unsigned plans;
};

/* A configuration that a plan sends. */
struct buffer_config {
    uint32_t position;      /* of the operation */
    const uint8_t *data;    /* in the plan's program */
    uint32_t offset, bytes; /* in the data that the program carries */
    unsigned buffer;
    bool there; /* the buffer has it already */
};

/* What becomes of a plan's configurations. */
struct buffers_choice {
    unsigned swap; /* its buffers are those of the plan, exclusive or this */
    struct buffer_config config[BUFFERS_CONFIGS];
    unsigned configs, sent;
    uint64_t saved; /* cycles that those that are not sent would have taken a cluster */
    unsigned least; /* the configuration with the fewest instructions */
    uint32_t freed; /* buffers that get that one first, so that they give back pages of the register file */
};

/* The plan's buffers, and what they are from then on. `fixed`: as the plan has them.
 * PLAN_UNSUPPORTED: the register files are too small. */
enum plan_status buffers_choose(struct buffers *buffers, const struct plan *plan, bool fixed,
                                struct buffers_choice *choice);
/* The plan has run. */
void buffers_used(struct buffers *buffers, const struct plan_use *use, unsigned swap);
/* Names the buffers anew that the configurations refer to, in a copy of the plan's data. */
void buffers_rename(const struct buffers_choice *choice, uint8_t *data);

#endif

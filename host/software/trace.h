/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a device program as data flow. The program is executed in the order of the functional model, with
 * references to numbers in place of the numbers: memories, buffers and queues hold where a number comes from.
 * Tokens, queues and buffers are gone from what results.
 */
#ifndef TULLE_HOST_SOFTWARE_TRACE_H
#define TULLE_HOST_SOFTWARE_TRACE_H

#include "host/software/flow.h"
#include "sim/model/job.h"

/* A job as for the model. What is in slots that are not constant does not matter, but their sizes do. */
struct trace_job {
    const struct variant *variant;
    struct job job;
    bool constant[ISA_SLOTS];
};

/* Fills the data flow, which is to be freed in any case. False: the model refuses the program, or it does
 * what has no data flow; `why` has the reason. */
bool trace_program(const struct trace_job *job, struct flow *flow, struct strbuf *why);

/* Takes a stage: what is between two fences, or between one of them and an end of the program. References to
 * slots that the program writes are to what is there when the stage begins. False: `why` has the reason. */
struct trace_stages {
    void *context;
    bool (*take)(void *context, struct flow *stage, struct strbuf *why);
    /* Whether a byte of memory is the same in all runs when the stage begins, as copies of weights are. */
    bool (*constant)(void *context, unsigned slot, uint64_t offset, uint8_t *byte);
};

/* The same stage by stage, without what a stage takes out of the array's buffers that one before has put
 * there: such programs are refused. */
bool trace_stages(const struct trace_job *job, const struct trace_stages *to, struct strbuf *why);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What every executor of device programs is given and gives back: the
 * argument slots and the result of a job. The functional model and the cycle
 * model take the same job; the board's registers carry the same facts.
 */
#ifndef TULLE_SIM_JOB_H
#define TULLE_SIM_JOB_H

#include <stdint.h>

#include "gen/isa/table.h"

/* Slots of programs: those with a buffer of the host's, and the activation bank. */
#define JOB_SLOTS (SLOT_BANK + 1)

struct job {
    struct {
        uint8_t *bytes; /* may be NULL when size is 0 */
        uint64_t size;
    } slots[JOB_SLOTS];      /* the bank's is the executor's own, whatever the caller says */
    uint32_t steady;         /* slots, a bit each, that the job does not change; the executor's own, too */
    uint32_t number;         /* copied into the status record */
    uint64_t max_operations; /* bound on operations executed, loops unrolled; reported as watchdog; 0: 2^32 */
};

/* How a job ends: the status codes of the instruction set. */
enum job_code {
#define X(number, name, NAME, text) JOB_##NAME = (number),
    ISA_STATUS_LIST(X)
#undef X
};

enum job_queue {
    QUEUE_NONE,
    QUEUE_COMMAND,
    QUEUE_LOAD,
    QUEUE_DISTRIBUTE,
    QUEUE_STORE,
    QUEUE_ACCUMULATE,
    QUEUE_CLUSTER,
    QUEUE_PE
};

/* How a job ended; the contents of the status record. */
struct job_result {
    enum job_code code;
    enum job_queue queue;
    unsigned row, cluster, pe;
    uint64_t offset; /* in the program */
    uint64_t cycles; /* 0 from the functional model */
    uint64_t effective_macs, scanned, pe_busy;
    uint64_t bytes_read, bytes_written, bus_beats;
    uint64_t stall_load, stall_weights, stall_output, stall_store, moved;
};

#endif

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

enum job_slot {
    SLOT_PROGRAM,
    SLOT_STATUS,
    SLOT_WEIGHTS,
    SLOT_INPUT,
    SLOT_OUTPUT,
    SLOT_PARTIAL,
    SLOT_SCRATCH,
    SLOT_EXTRA
};

struct job {
    struct {
        uint8_t *bytes; /* may be NULL when size is 0 */
        uint64_t size;
    } slots[ISA_SLOTS];
    uint32_t number;         /* copied into the status record */
    uint64_t max_operations; /* bound on operations executed, loops unrolled; reported as watchdog; 0: 2^32 */
};

enum job_code {
    JOB_OK = 0,
    JOB_BAD_MAGIC = 2,
    JOB_BAD_VERSION,
    JOB_BAD_CHECK,
    JOB_WRONG_VARIANT,
    JOB_BAD_OPCODE,
    JOB_BAD_RESERVED,
    JOB_BAD_FIELD,
    JOB_BAD_LOOP,
    JOB_BAD_LENGTH,
    JOB_DEADLOCK,
    JOB_TOKEN_OVERFLOW,
    JOB_OUT_OF_SLOT = 16,
    JOB_NOT_WRITABLE,
    JOB_WATCHDOG = 22,
    JOB_BAD_COMMAND = 32,
    JOB_BAD_INSTRUCTION,
    JOB_CONFIG_VERSION,
    JOB_CONFIG_CHECK,
    JOB_CONFIG_LENGTH,
    JOB_NOT_CONFIGURED,
    JOB_OUT_OF_BUFFER,
    JOB_QUEUE_OVERFLOW,
    JOB_BAD_ESCAPE,
    JOB_NO_FUNCTION,
    JOB_NO_FEATURE,
    JOB_PACKET_LENGTH,
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

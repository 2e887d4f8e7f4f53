/* SPDX-License-Identifier: Apache-2.0
 *
 * The status record: how a job ended, as the device writes it to memory.
 */
#ifndef TULLE_SIM_STATUS_H
#define TULLE_SIM_STATUS_H

#include <stdbool.h>

#include "gen/base/strbuf.h"
#include "sim/model/job.h"

/* The counters of a result: X(name, whether time alone decides it; then it is 0 in the functional model). */
#define JOB_COUNTERS(X)      \
    X(cycles, true)          \
    X(effective_macs, false) \
    X(scanned, false)        \
    X(pe_busy, false)        \
    X(bytes_read, false)     \
    X(bytes_written, false)  \
    X(bus_beats, false)      \
    X(stall_load, true)      \
    X(stall_weights, true)   \
    X(stall_output, true)    \
    X(stall_store, true)     \
    X(moved, true)

void job_write_status(const struct job_result *result, uint32_t number, uint8_t record[ISA_STATUS_BYTES]);

/* Whether the bytes are a status record: magic, version and check; what is wrong goes into `why`. */
bool job_read_status(const uint8_t record[ISA_STATUS_BYTES], struct job_result *result, uint32_t *number,
                     struct strbuf *why);

/* The name of a status code, for messages. */
const char *job_code_name(enum job_code code);

/* A field of job results, by its name in the status record. */
struct result_field {
    const char *name;
    bool timed;
    uint64_t (*get)(const struct job_result *result);
    void (*set)(struct job_result *result, uint64_t value);
};
extern const struct result_field job_result_fields[]; /* ends with a name of NULL */

#endif

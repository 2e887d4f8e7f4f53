/* SPDX-License-Identifier: Apache-2.0
 *
 * The array without time: storage units, clusters with their instruction
 * buffers, input buffers and output queues, and collectors, as state that
 * operations change one after another. The functional model calls these in
 * program order; the cycle model calls the same functions when its clock says
 * that they happen, and is told through a `work_sink` what the PEs have to do.
 */
#ifndef TULLE_SIM_ARRAY_H
#define TULLE_SIM_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/model/program.h"

#define PE_NONE UINT32_MAX /* in place of a PE: the cluster itself */

struct lane;
struct operands;
struct packet;
struct sequence;

/* Told what an exec packet makes a cluster do; every member may be NULL. */
struct work_sink {
    void *context;
    /* A buffer begins, with these operands: the packet's, or one that it triggers. */
    void (*begin)(void *context, unsigned cluster, unsigned buffer, const struct sequence *sequence,
                  const struct packet *packet, const struct operands *operands);
    /* The packet brings PE `pe` weights: the newest `segments` segments of the lane. */
    void (*weights)(void *context, unsigned cluster, unsigned pe, const struct lane *lane, uint32_t segments);
    /* PE `pe` multiplies the segment at its head; effective[i] tells whether entry i meets a non-zero
     * activation. */
    void (*mac)(void *context, unsigned cluster, unsigned pe, unsigned entries, const uint8_t *effective);
};

struct array;

struct array *array_new(const struct variant *variant);
void array_free(struct array *array);

/* A job begins: nothing is configured, and everything is zero, but for storage units that a job before left
 * with the number that this one expects. JOB_STALE_WEIGHTS: it expects another number than they have. From
 * now on they have none. */
enum job_code array_open(struct array *array, uint32_t expects, struct job_result *result);

/* It has ended without an error: storage units have this number, which the memory that they were loaded from
 * does not change any more. */
void array_leave(struct array *array, uint32_t leaves);

/* After array_open(): memories hold anything, by seed, which is not 0, but for storage units that were
 * expected. */
void array_fill(struct array *array, uint64_t seed);

/* The same job with the array's activation bank as its slot, which takes and gives no bytes of memory. */
struct job array_with_bank(const struct array *array, const struct job *job);

/* A job of the caller, who tells of every change to memory by array_changed(), begins. Without this call, or
 * with jobs that change their own weights, packets are recognised by their bytes. */
void array_begin(struct array *array, const struct job *job);
void array_changed(struct array *array, const uint8_t *begin, uint64_t bytes);

/* Each returns JOB_OK or an error with queue and place in the array filled into `result`. Jobs have the
 * array's bank. */
/* Memory ports, a bit each, that a load for these rows goes over: row r through port r modulo their number.
 */
unsigned array_load_ports(const struct variant *variant, uint32_t rows);

enum job_code array_load(struct array *array, const struct operation *op, const struct job *job,
                         struct job_result *result);
enum job_code array_distribute(struct array *array, const struct operation *op, const struct work_sink *sink,
                               struct job_result *result);
/* The same for one row in two steps, for who knows time: what the packet brings, and what it does. `data`
 * NULL: what it brings now. */
void array_gather(struct array *array, unsigned row, const struct operation *op, uint8_t *to);
enum job_code array_deliver(struct array *array, unsigned row, const struct operation *op,
                            const uint8_t *data, const struct work_sink *sink, struct job_result *result);
enum job_code array_accumulate(struct array *array, const struct operation *op, const struct job *job,
                               struct job_result *result);
enum job_code array_store(struct array *array, const struct operation *op, const struct job *job,
                          struct job_result *result);

/* Whether a store can be tried: the collectors hold everything it takes, or it can only fail. */
bool array_store_ready(const struct array *array, const struct operation *op, const struct job *job);

/* Effective multiplications and scanned weights so far. */
void array_counters(const struct array *array, struct job_result *result);

/* The most groups of K results that wait for a store in one cluster's queue. */
size_t array_results_left(const struct array *array);

/* Facts of a configured buffer, for the cycle model; NULL when it is not configured. */
const struct sequence *array_sequence(const struct array *array, unsigned row, unsigned cluster,
                                      unsigned buffer);

#endif

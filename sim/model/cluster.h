/* SPDX-License-Identifier: Apache-2.0
 *
 * A cluster without time: instruction buffers, and per PE the input buffer,
 * weight queue, accumulators and output queue. Executes packets.
 */
#ifndef TULLE_SIM_CLUSTER_H
#define TULLE_SIM_CLUSTER_H

#include "gen/base/random.h"
#include "sim/model/array.h"
#include "sim/model/lanes.h"
#include "sim/model/sequence.h"

#define ACCUMULATORS 4
#define SCALARS 16 /* scalar registers; number 0 stands for none */
#define BUFFERS_MAX 32
#define PES_MAX 16
#define CLUSTERS_MAX 256 /* of the array */

/* Results a cluster may have waiting for a store. A device stops long before that, because its collectors are
 * full; here it is what keeps a program that never stores from taking all memory. */
#define RESULTS_MAX ((size_t)1 << 22)

/* Results on their way to the collector, K at a time. */
struct results {
    int64_t *value;
    size_t begin, end, room;
};

/* See notes.h. */
struct notes {
    uint16_t *zero; /* addresses below `written` that hold 0, ascending */
    uint32_t zeros;
    uint32_t begin, end; /* not looked at since they were written */
    int32_t *unrolled;
    uint32_t wrap; /* of `unrolled`; 0: that is of no use */
};

struct cluster {
    const struct variant *variant;
    const struct variant_derived *derived;
    bool configured[BUFFERS_MAX];
    struct sequence buffer[BUFFERS_MAX];
    struct {
        uint8_t *payload; /* that the buffer's sequence was parsed from, with so much room; NULL: none */
        size_t bytes;
        unsigned room;
    } parsed[BUFFERS_MAX];
    struct operands operands[BUFFERS_MAX][SEQUENCE_MAX];
    int32_t *input;   /* input[pe * depth + address], the zero point subtracted */
    bool *zeros;      /* as input: whether an activation counts although it is 0 */
    bool zeros_count; /* some may */
    uint32_t written; /* no address of the input buffer from here on was written since the last reset */
    struct notes notes;
    bool scattered; /* PEs may hold different activations */
    uint64_t loads; /* counts what was written to the input buffers, so that copies know their age */
    struct lane lanes[PES_MAX];
    int64_t acc[PES_MAX][ACCUMULATORS]; /* 0 when closed */
    uint16_t scalar[SCALARS];
    int64_t *output; /* output[pe * depth + address] */
    struct results results;
    uint64_t effective_macs, scanned;
    uint8_t *effective; /* scratch for a work sink */
};

/* A packet as the row bus delivers it. */
struct packet {
    uint8_t command;
    bool scatter;
    uint16_t count;
    const uint8_t *data;
    size_t bytes;
};

bool cluster_init(struct cluster *cluster, const struct variant *variant,
                  const struct variant_derived *derived);
void cluster_free(struct cluster *cluster);
void cluster_reset(struct cluster *cluster);
/* After a reset: input buffers and output queues hold anything, by seed. */
void cluster_fill(struct cluster *cluster, uint64_t seed);

/* One packet to one cluster. `id` is what the sink is told. *pe says which PE an error is of, or PE_NONE. */
enum job_code cluster_execute(struct cluster *cluster, const struct packet *packet, unsigned id,
                              const struct work_sink *sink, unsigned *pe);

/* Every instruction's operands as configured. */
void cluster_start_operands(struct cluster *cluster, unsigned buffer);

/* An ST: the entries of the K PEs, on their way to the collector. */
enum job_code cluster_store_results(struct cluster *cluster, uint32_t result);

/* The end of a MAC of a packet: a PE's sum, or maximum, goes where the instruction says. */
void cluster_close(struct cluster *cluster, const struct sequence *sequence, const struct instruction *mac,
                   uint8_t command, unsigned pe, uint32_t result, int64_t sum);

/* The same for all PEs, whose sums are `pitch` apart. */
void cluster_close_all(struct cluster *cluster, const struct sequence *sequence,
                       const struct instruction *mac, uint8_t command, uint32_t result, const int32_t *sums,
                       size_t pitch);

static inline int64_t *cluster_entry(struct cluster *c, unsigned pe, uint32_t address)
{
    return &c->output[(size_t)pe * c->variant->output_queue_depth + address];
}

/* Until something is scattered, all PEs hold the same activations and plane 0 stands for all. */
static inline size_t cluster_plane(const struct cluster *c, unsigned pe)
{
    return c->scattered ? (size_t)pe * c->variant->input_buffer_depth : 0;
}

static inline int32_t *cluster_input(struct cluster *c, unsigned pe)
{
    return &c->input[cluster_plane(c, pe)];
}

#endif

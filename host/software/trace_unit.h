/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the tracer share: an array that holds references in place of numbers.
 */
#ifndef TULLE_HOST_SOFTWARE_TRACE_UNIT_H
#define TULLE_HOST_SOFTWARE_TRACE_UNIT_H

#include "host/software/trace.h"
#include "host/software/values.h"
#include "sim/model/cluster.h"

/* A byte of a storage unit: a constant, or a byte of a space. Bytes of results that were stored before are in
 * the space of their own, 8 bytes for each. */
typedef uint64_t byte_ref;
#define BYTE_CONSTANT (UINT64_C(1) << 63)
#define BYTE_STALE (UINT64_C(1) << 62) /* of a stage that is over */
#define BYTE_RESULTS FLOW_SPACES
static inline byte_ref byte_of(unsigned space, uint64_t offset)
{
    return (uint64_t)space << FLOW_OFFSET_BITS | offset;
}

struct traced_cluster {
    bool configured[BUFFERS_MAX];
    struct sequence buffer[BUFFERS_MAX];
    struct operands operands[BUFFERS_MAX][SEQUENCE_MAX];
    int64_t *input; /* sources, [pe * depth + address]; of PE 0 for all until something is scattered */
    bool scattered;
    struct lane lanes[PES_MAX];
    uint32_t acc[PES_MAX][ACCUMULATORS]; /* values */
    uint16_t scalar[SCALARS];
    uint32_t *output; /* values, [pe * depth + address] */
    struct {
        uint32_t *value;
        size_t begin, end, room;
    } results;
};

struct traced_packet {
    uint8_t command;
    bool scatter;
    uint16_t count;
    const byte_ref *data;
    size_t bytes;
};

/* What an accumulate has set. */
struct traced_reading {
    struct pattern pattern;
    enum num_element element;
    bool no_sign;
    uint64_t taken;
};

struct trace {
    const struct trace_job *of;
    const struct trace_stages *stages; /* NULL: the program is one */
    const struct variant *variant;
    struct variant_derived derived;
    struct flow *flow;
    struct values values;
    byte_ref *units, *packet;
    byte_ref *plain; /* of a plain packet, as it is on the row bus */
    uint8_t *bytes;  /* of a packet of constants, and what it is made of */
    struct traced_cluster *clusters;
    unsigned count;
    bool source, sum_clusters, sum_rows;
    struct flow_finish finish; /* without what is by channel */
    struct channel_use by_channel;
    struct traced_reading partial, first, second;
    struct operand_scale scale;
    struct channel *channels;
    int32_t lookup[NUM_SOFTMAX_ENTRIES], exponentials[NUM_SOFTMAX_ENTRIES];
    unsigned softmax, softmax_at;
    int64_t *row; /* of softmax */
    uint64_t
        *written[JOB_SLOTS]; /* by bytes: the result that is there, 8 numbers for each, from 8; 0: none */
    uint32_t *stored;        /* the value of each result that is a plain sum, else UINT32_MAX */
    size_t stored_room;
};

/* The element of so many bytes. Constants are values, all others references of that kind. False: it is
 * neither, and the reason is noted. */
struct traced_element {
    bool constant;
    int64_t value; /* less the zero point */
    flow_ref ref;
    uint32_t sum; /* a value that was stored as it is, or UINT32_MAX */
};
bool trace_element(struct trace *trace, const byte_ref *bytes, struct flow_kind kind,
                   struct traced_element *to);

bool traced_execute(struct trace *trace, struct traced_cluster *cluster, const struct traced_packet *packet);
void traced_start_operands(struct traced_cluster *cluster, unsigned buffer);

bool trace_store(struct trace *trace, const struct operation *op);
bool trace_accumulate(struct trace *trace, const struct operation *op);
/* Whether this byte of weights is known; it may be a copy that a stage before has made. */
bool trace_constant(const struct trace *trace, byte_ref from, uint8_t *byte);
/* The references of a run of bytes in a slot. */
void trace_read(struct trace *trace, unsigned slot, uint64_t offset, uint64_t bytes, byte_ref *to);

#endif

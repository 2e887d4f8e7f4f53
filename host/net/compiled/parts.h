/* SPDX-License-Identifier: Apache-2.0
 *
 * What writing and reading compiled networks share: docs/compiled.md.
 */
#ifndef TULLE_HOST_NET_COMPILED_PARTS_H
#define TULLE_HOST_NET_COMPILED_PARTS_H

#include "host/container/archive.h"

#define COMPILED_MAGIC UINT64_C(0x54454E454C4C5554) /* "TULLENET" */

enum part_kind {
    PART_NETWORK,  /* the graph */
    PART_OPERATOR, /* the operator of a node, and of the nodes that are within it: digest of its job, then it
                    */
    PART_CPU,      /* why a node is on the CPU */
    PART_MARK,     /* the name of a result that is marked as an output */
    PART_BEFORE, /* the graph before its passes, of which any result can be marked; empty: it is the network's
                  */
    PART_SIDE,   /* the part of it that the marked results need */
    PART_FUSED,  /* neighbours on the device are one job; no bytes */
    PART_JOINED, /* the operator of several nodes: digest of its steps, the last node, then it */
    PART_KINDS
};

struct piece {
    uint32_t kind, node;
    const uint8_t *bytes;
    size_t count;
};

/* One list of fields for both ways. */
static inline void part_do(struct archive *a, struct piece *part)
{
    part->kind = archive_word(a, part->kind, PART_KINDS - 1);
    part->node = archive_word(a, part->node, INT32_MAX);
    archive_bytes(a, &part->bytes, &part->count);
}

/* Before the operator of several nodes, behind its digest. */
static inline void part_do_last(struct archive *a, size_t *last)
{
    *last = archive_word(a, (uint32_t)*last, INT32_MAX);
}
enum { PART_LAST_BYTES = 8 };

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices there may be: what TULLE_DEVICES names, each looked at so far
 * that one that cannot be used is known, with the reason. Knows boards and
 * containers, and nothing of OpenCL.
 */
#ifndef TULLE_HOST_CANDIDATE_H
#define TULLE_HOST_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/base/strbuf.h"
#include "gen/variant/variant.h"
#include "sim/board/board.h"

#define CANDIDATES_VARIABLE "TULLE_DEVICES"
#define CANDIDATE_BOARDS_VARIABLE "TULLE_BOARDS" /* folders with simulated devices, separated by colons */
#define CANDIDATES_MAX 64
#define CANDIDATE_SETTINGS_MAX 32
#define CANDIDATE_WHY_BYTES 512

struct candidate {
    char *text; /* as it was named, cut at its settings: "model:tiny" */
    const struct board_api *api;
    const char *place;                               /* in text, or found */
    char *found;                                     /* by the search path */
    bool packed;                                     /* in a container */
    const char *setting[CANDIDATE_SETTINGS_MAX + 1]; /* in text, NULL at the end */
    char why[CANDIDATE_WHY_BYTES];                   /* it cannot be used; "" when it can */
    struct variant variant;
    uint64_t hash;       /* of the variant */
    uint32_t isa;        /* the register isa_version */
    uint64_t memory;     /* bytes of device memory */
    struct board *board; /* once it is open */
};

struct candidates {
    struct candidate *item;
    size_t count;
};

/* By a list "model:tiny,sim:FOLDER-OR-CONTAINER;latency=5;stalls=1": devices, each with settings of its
 * board. NULL: every named variant on the functional model. A simulated board is opened, because nothing less
 * tells that it can be; the functional model is not yet. False when out of memory. */
bool candidates_find(const char *list, struct candidates *found);
void candidates_free(struct candidates *found);

/* Opens the board and compares what its registers tell with the variant. False with the reason in `why`. */
bool candidate_open(struct candidate *candidate);
void candidate_close(struct candidate *candidate);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices that TULLE_DEVICES names. Each is examined far enough to say why
 * it cannot be used. This module knows boards and containers, and nothing of
 * OpenCL.
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
    char *text; /* the name without settings: "model:tiny" */
    const struct board_api *api;
    const char *place;                               /* in text, or found */
    char *found;                                     /* by the search path */
    bool packed;                                     /* in a container */
    const char *setting[CANDIDATE_SETTINGS_MAX + 1]; /* in text, NULL at the end */
    char why[CANDIDATE_WHY_BYTES];                   /* the reason why it cannot be used, or "" */
    struct variant variant;
    uint64_t hash;       /* of the variant */
    uint32_t isa;        /* the register isa_version */
    uint64_t memory;     /* bytes of device memory */
    struct board *board; /* NULL until it is open */
};

struct candidates {
    struct candidate *item;
    size_t count;
};

/* Parses a list of devices, each with settings of its board:
 * "model:tiny,sim:FOLDER-OR-CONTAINER;latency=5;stalls=1". NULL stands for every named variant on the
 * functional model. Simulated boards are opened, because only this shows that they can be; functional models
 * are opened later. False when out of memory. */
bool candidates_find(const char *list, struct candidates *found);
/* The same without a list, and simulated devices of the search path as sim:NAME, each name once. */
bool candidates_find_all(struct candidates *found);
void candidates_free(struct candidates *found);

/* Opens the board and compares its registers with the variant. False with the reason in `why`. */
bool candidate_open(struct candidate *candidate);
void candidate_close(struct candidate *candidate);

#endif

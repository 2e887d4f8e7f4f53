/* SPDX-License-Identifier: Apache-2.0
 *
 * What FPGAs have, and which is on which board: bitstreams/parts.tsv, which
 * the build puts into the command.
 */
#ifndef TULLE_HOST_CLI_PARTS_H
#define TULLE_HOST_CLI_PARTS_H

#include "gen/base/diag.h"

struct part_source {
    const char *name, *label, *text;
};
extern const struct part_source part_sources[];
extern const size_t part_source_count;

#define PART_WORD 64

struct fpga_part {
    char name[PART_WORD], family[PART_WORD], boards[PART_WORD], source[PART_WORD];
    unsigned luts, flip_flops, dsps, block_rams;
    double board_mhz;          /* of the board's own clock; 0: it is not known here */
    unsigned board_block_rams; /* that the board's device memory takes, where it is of block RAM */
};

/* By the name of a board or of the part itself, upper and lower case the same. False, with a message that has
 * all names, when there is none. */
bool part_find(const char *name, struct fpga_part *to, struct diag *diag);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The resources of FPGAs and the FPGA of each board. The build embeds
 * bitstreams/parts.tsv in the command.
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
    double board_mhz;          /* of the board's own clock; 0: unknown */
    unsigned board_block_rams; /* that the board's device memory uses, when it is in block RAM */
};

/* Finds a part by its name or the name of a board, without regard to case. False with a message that lists
 * all names when there is none. */
bool part_find(const char *name, struct fpga_part *to, struct diag *diag);

#endif

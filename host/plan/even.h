/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets of weights that are all alike, for loops. Packets are as long as
 * their entries, so a program names the length of each: an operation of 64
 * bytes to load it and another to send it. When all tiles have as many
 * segments, and packets are padded to the longest of their k step, these
 * operations step evenly and become loops (roll.h). The padding is read and
 * sent, so the planner asks what such a plan costs (choose.c).
 */
#ifndef TULLE_HOST_EVEN_H
#define TULLE_HOST_EVEN_H

#include "host/plan/product.h"

/* Cuts the tiles anew, none with more segments than any before but the last had. False when out of memory. */
bool even_cut(struct product *product);

/* Pads the packets of all sets in `text`, of so many rows and columns of clusters; those of tiles with fewer
 * segments stay as they are. False when out of memory. */
bool even_pad(struct product *product, struct packer *packer, unsigned rows, unsigned columns,
              struct strbuf *text);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan of O = I x W while it is made: cut into tiles (product.c), written
 * as a program (product_program.c). Rows of activations are cut into passes,
 * the columns of the result into tiles, k into blocks; a step is a packet set
 * of a tile and a k step for a pass.
 */
#ifndef TULLE_HOST_PRODUCT_H
#define TULLE_HOST_PRODUCT_H

#include "host/plan/channels.h"
#include "host/plan/pack.h"
#include "host/plan/planner.h"
#include "host/plan/steps.h"

#define PRODUCT_HELD_MAX 7
#define PRODUCT_BUFFERS 8
#define PRODUCT_SLOTS 8 /* packet sets in the storage unit, at most */
#define PRODUCT_AHEAD 2 /* steps whose weights are asked for before the current one's packets */
#define PRODUCT_CLUSTERS_MAX 16

struct product_tile {
    uint32_t first, segments;
};

/* The packets of a tile and a k step, one for each column of clusters that wants its own; those of all rows
 * are equally long. In memory: row by row, in each packet by packet. */
struct product_set {
    uint64_t offset;
    uint32_t bytes[PRODUCT_CLUSTERS_MAX], row_bytes;
    uint32_t span; /* of plain packets: weights of a segment, of bitmaps: masks; 0: they are entries */
    bool bitmap;
    uint32_t unit; /* where it is in the storage units */
};

/* What a convolution has besides; `of` NULL: a product. Where a product holds rows of activations, it holds a
 * tile of an image: the rows held are the results of a line of the tile. */
struct product_window {
    const struct plan_window *of;
    uint32_t out_height, out_width;    /* results of an image */
    uint32_t tiles_down, tiles_across; /* of an image */
    bool grouped;                      /* blocks are whole groups, which have results of their own */
    bool in_frame;                     /* estimates are those for results in a frame */
    uint32_t skipped;                  /* passes of each block that a program of a part begins after */
    uint32_t unit;                     /* of channels in memory */
    uint32_t block_channels, most; /* channels that a cluster gets at a time; at most so many, 0: no matter */
    uint32_t in_height, in_width;  /* pixels of the image under a tile, those that it uses */
    uint32_t apart_y, apart_x;     /* lines and columns between them, and between the results of a tile */
    /* Activations in an input buffer: those of a pixel that lie side by side, of a line, and of a plane of
     * channels. */
    uint32_t pe_channels, pe_line, pe_plane;
    struct sparse placed;
};

struct product {
    const struct plan_description *d;
    const struct sparse *rows;    /* the description's, or its rows in another order */
    const struct sparse *weights; /* the same, or with its columns as places in an input buffer */
    struct product_window window;
    const struct variant *variant;
    struct variant_derived derived;
    enum plan_mapping mapping;
    bool deals, natural;
    struct plan_split split;
    uint32_t parts[PLAN_AXES]; /* of every axis over the array */
    uint32_t k, n, segments;   /* segments: of every part of n */
    unsigned held, held_most, data_bytes;
    uint32_t lines;       /* how often a segment is used: lines of a tile of results, 1 in products */
    uint32_t blocks;      /* of n and passes: several where blocks of channels have results of their own */
    uint32_t input_words; /* activations of a step in an input buffer */
    uint32_t passes, block, k_steps;
    bool on_chip; /* sums stay in the output queues from k step to k step; else they are spilled */
    bool ring;    /* results go on where the last packet's ended */
    struct product_tile *tiles;
    uint32_t tile_count, tile_room;
    struct product_set *sets; /* block by block, tile by tile, k step by k step */
    uint32_t set_count;
    uint32_t largest_set;
    /* in the storage units */
    uint32_t input_at, input_tile, input_half, weights_at, slots;
    struct channel_columns channels;
    bool resident; /* every set has a place of its own, and is loaded once */
    uint32_t input_pitch, output_pitch, element_bytes, partial_bytes;
    struct plan_places to; /* in a frame, or as the rows of a product; group 0: another order */
};

/* Which part of an axis a cluster has. */
uint32_t product_part(const struct product *p, enum plan_axis axis, unsigned row, unsigned cluster);

/* Whether channels are scattered over PEs: then parts of n have channels of their own, not the same ones. */
bool product_scatters(const struct product *p);
/* Whether each block of channels has results of its own; otherwise blocks of k add up. */
bool product_has_own_results(const struct product *p);
/* Whether MACs keep the largest product. */
bool product_maximum(const struct product *p);
/* Tiles of activations that the clusters of a row want, and how many rows want others than the first. */
unsigned product_input_columns(const struct product *p);
unsigned product_input_rows(const struct product *p);

/* Parts of the array whose results go to places of their own when they go to the images' order: those of m,
 * and those of n where they have channels of their own, unless these go to planes. */
uint32_t product_store_parts(const struct product *p);
bool product_stores_parts_of_n(const struct product *p);

/* Whether results are joined with a second operand that lies in a frame as they do. Each store then has a
 * set-up of its own, which reads what belongs to its results. */
bool product_joins_frame(const struct product *p);

/* Results of a segment and row of activations that a store takes, in groups of K. */
uint32_t product_streams(const struct product *p);

/* Checks the description and the choice, and sets what follows from them at once. */
enum plan_status product_begin(struct product *p, const struct plan_description *description,
                               const struct plan_choice *choice);

/* Results of a segment that a cluster gives, in groups of K. */
uint32_t product_results(const struct product *p);

/* Passes of a block, and which block a pass is of. */
uint32_t product_block_passes(const struct product *p);
uint32_t product_block_of(const struct product *p, uint32_t pass);

/* Number of the packet set in `sets`. */
uint32_t product_set_number(const struct product *p, uint32_t block, uint32_t tile, uint32_t k_step);

/* ---- convolutions (window.c) ---------------------------------------------------------------------- */

/* NULL, or what is wrong with the description or the choice. */
enum plan_status window_check(const struct product *p);
/* Chooses the tile: rows held, lines, passes. */
enum plan_status window_choose_tile(struct product *p, const struct plan_choice *choice);
/* Channels of a block for at least so many k steps, and the weights' places in it. */
enum plan_status window_choose_block(struct product *p, const struct plan_choice *choice,
                                     uint32_t least_steps);
/* Bytes of an image in memory; results of all images, in whole tiles, and those that only fill a pass up. */
uint64_t window_image_bytes(const struct product *p);
uint64_t window_results(const struct product *p);
void window_images(const struct product *p, struct plan_images *images);
/* What the plan that would be made takes, roughly, in cycles. */
double window_estimate(const struct plan_description *description, const struct plan_choice *choice);
/* The same of results in a frame, with the best tile of those that the choice allows, which goes to it. */
double window_estimate_in_frame(const struct plan_description *description, struct plan_choice *choice);
/* Whether activations come as planes of channels. */
bool window_has_planes(const struct product *p);
/* The first result of the tile of a pass and part of m. Those that fill the last pass up are in images that
 * do not exist; with a frame the last tile is computed again instead, and tiles at the end of a line or an
 * image move back into it. */
struct window_place {
    uint32_t image, y, x;
};
/* Whether a line of a tile is a run of the memory: all channels of pixels that lie side by side. */
bool window_whole_lines(const struct product *p);
struct window_place window_place(const struct product *p, uint32_t pass, uint32_t m_part);
/* Taps that meet no border, of all results of the first passes, or of those from `skipped` on. */
double window_work(const struct product *p, uint32_t passes);

/* Rows of activations that a cluster usually holds, at most so many: fewer leave room for longer k blocks,
 * and MACs of few weights take longer than their weights. */
unsigned product_usual_held(const struct variant *variant, const struct sparse *weights, unsigned k_parts,
                            unsigned most);

/* The plan of planner.h for products with several rows of activations, and for convolutions. */
enum plan_status plan_product(const struct plan_description *description, const struct plan_choice *choice,
                              struct plan *plan);

/* Writes the program; the message is NULL on success. */
enum plan_status product_write(struct product *p, struct plan *plan);

#endif

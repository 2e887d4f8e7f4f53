/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan was made of, and where its operands and results are.
 */
#ifndef TULLE_HOST_LAYOUT_H
#define TULLE_HOST_LAYOUT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Tile loops, named by the operand that stays: innermost n of input-stationary, k of output-stationary, m of
 * weight-stationary. */
enum plan_mapping { PLAN_INPUT_STATIONARY, PLAN_OUTPUT_STATIONARY, PLAN_WEIGHT_STATIONARY, PLAN_MAPPINGS };

enum plan_axis { PLAN_M, PLAN_N, PLAN_K, PLAN_AXES };

/* What is split over the rows of the array, and over the clusters of a row. */
struct plan_split {
    enum plan_axis rows, columns;
};

/* Plans of SpMV of another kind: x without the columns that no weight meets, rows dealt to PEs by their
 * non-zeros, without a mapping or a split. x stays in the input buffers, or comes and goes in pages. Or, with
 * everything in its order, a window of x slides along the diagonal: int32 results of int8 alone. Or x stays,
 * and rows that read neighbouring places of it follow each other. At last, joins of two tensors and softmax,
 * which have no weights at all. */
enum plan_gather {
    PLAN_GATHER_NONE,
    PLAN_GATHER_STAY,
    PLAN_GATHER_PAGES,
    PLAN_GATHER_DIAGONAL,
    PLAN_GATHER_STEPS,
    PLAN_PAIR,
    PLAN_SOFTMAX
};

/* Images of a convolution in memory; all 0: the plan is of another kind. */
struct plan_images {
    uint32_t height, width, channels; /* of each, in the input slot: what is behind the image is read, too */
    uint32_t out_height, out_width;   /* results that are wanted */
    uint32_t rows, columns;           /* results that there are, in whole tiles */
    uint32_t tile_height, tile_width; /* of results */
    uint32_t apart_y, apart_x;        /* lines and columns between neighbours in a tile, at least 1 */
    bool scattered;                   /* depthwise */
    bool natural; /* results lie as the images do, channels innermost; else in the order in which they come */
    uint32_t blocks; /* of channels, each with results of its own (depthwise), else 1 */
};

/* Where the images, or rows, of an operand lie that operators on the device hand to each other, in bytes:
 * number c of pixel (y, x) of image i is at first + i * image + y * line + x * pixel + c / group * plane, and
 * c % group numbers further on. A product has a row for an image, of one pixel. group 0: they lie as the plan
 * wants them. */
struct plan_places {
    uint64_t first, image, line, pixel, plane;
    uint32_t group; /* numbers of a pixel that lie side by side; all of them, or K */
};

struct plan_needed;

/* Sizes that the functions of planner.h compute places from. */
struct plan_layout {
    uint32_t input_pitch, data_bytes, element_bytes, partial_bytes, operand_bytes;
    uint32_t pes, held, m_parts, n_parts, segments, passes;
    bool n_first;    /* results of a segment: parts of n outside parts of m */
    uint32_t *tiles; /* weight-stationary: first segment of each, one more at the end; else NULL */
    uint32_t tile_count;
    /* Places of activations in their row and of results, counted in elements; UINT32_MAX: none. NULL: all are
     * in their order. Of gathering plans pairs of a row and one more place of it: parts of a long row, to be
     * added. */
    uint32_t *compact, *place, *more;
    uint32_t more_count;
    /* Activations at the start of a row that are there again at each multiple of so many places, so often. */
    uint32_t repeated, repeat_pitch, repeats;
    const struct plan_needed
        *needed; /* while plans are chosen: the rows and columns that there are; or NULL */
    struct plan_images window;
    struct plan_places from, to;
};

/* Whether it is one of a gathering plan. */
static inline bool layout_gathers(const struct plan_layout *layout)
{
    return layout->compact && !layout->segments;
}

/* Where a number is in the operand's slot, which has numbers of so many bytes. */
static inline uint64_t plan_place(const struct plan_places *p, uint64_t image, uint32_t y, uint32_t x,
                                  uint32_t c, unsigned bytes)
{
    assert(p);
    return p->first + image * p->image + y * p->line + x * p->pixel + c / p->group * p->plane +
           (uint64_t)(c % p->group) * bytes;
}

struct plan_summary {
    enum plan_mapping mapping;
    struct plan_split split;
    unsigned rows_held, lines; /* lines: of a tile of a convolution, rows_held its width; 1 in products */
    uint32_t passes, tiles, k_steps, block, largest_packet;
    enum plan_gather gather; /* not none: no mapping, no split */
    bool deals;              /* columns of the result come in another order */
    uint32_t parts;          /* of rows, beyond the first of each */
    bool spills;             /* partial results go to memory and back between k steps */
    bool weights_stay;       /* all weights stay in the storage units */
    uint32_t sets, plain; /* packet sets of weights, and those of plain packets; only to explain a choice */
    uint32_t bitmaps;     /* and those of bitmaps */
    double share;         /* of the work, in a program of a part of it; 0: it is the whole */
};

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans: a sparse operator cut into tiles, its weights packed, and the device
 * program that runs it. What these functions build runs unchanged on the
 * functional model, the cycle model and the device.
 */
#ifndef TULLE_HOST_PLAN_H
#define TULLE_HOST_PLAN_H

#include "host/plan/layout.h"
#include "host/plan/writer.h"

/* A sparse matrix by rows: row r's entries are at start[r] .. start[r + 1] - 1, columns ascending. */
struct sparse {
    uint32_t rows, columns;
    uint32_t *start;
    uint32_t *column;
    int32_t *value;
};

void sparse_free(struct sparse *matrix);

/* What a plan produces. Buffers are what the slots of those names must hold. */
struct plan {
    struct strbuf program, weights;
    uint64_t input_bytes, output_bytes;
    uint32_t output_pitch; /* bytes between rows of the result */
    uint64_t padding;      /* bytes of the packed weights that carry no entry */
    /* Only plans of planner.h have what follows. */
    uint64_t partial_bytes, scratch_bytes;
    struct plan_layout layout;
    struct plan_summary summary;
};

void plan_free(struct plan *plan);

struct plan_options {
    unsigned rows_held;    /* MACs per segment: rows of activations a cluster holds */
    unsigned packet_bytes; /* longest exec packet; 0: chosen from the weight queue */
};

/* C[m][n] = A[m][k] x W[k][n]: `weights` has n rows (the columns of W) and k columns. The input slot holds A,
 * row-major int8, rows k bytes apart (k a multiple of 8); C comes as int32. Splits m over rows and clusters;
 * m is padded to whole passes, n to whole groups of PEs. NULL message on success. */
const char *plan_spmm(const struct variant *variant, const struct sparse *weights, uint32_t m,
                      const struct plan_options *options, struct plan *plan);

/* y = A x: `weights` is A; the input slot holds x (int8), y comes as int32. Rows are split over the rows and
 * clusters of the array. x either stays whole in the input buffers or slides through them along the diagonal.
 */
const char *plan_spmv(const struct variant *variant, const struct sparse *weights,
                      const struct plan_options *options, struct plan *plan);

/* A convolution of an image [height][width][channels] (padded already) with kernels of side x side taps. */
struct convolution {
    uint32_t height, width, channels; /* of the input; channels a multiple of 8 */
    uint32_t side, stride;
    uint32_t tile_width, tile_height; /* output pixels that a cluster holds; width is also MACs per segment */
    bool depthwise;                   /* every channel with a kernel of its own; channels a multiple of K */
    bool maximum; /* the largest of a window's products, not their sum; what pads the image counts as well */
};

uint32_t convolution_out_height(const struct convolution *shape);
uint32_t convolution_out_width(const struct convolution *shape);

/* `weights` has a row for each output channel and side x side x channels columns, (dy, dx, c); side x side
 * columns for a depthwise convolution. The output is
 * [height][width][channels], int32, channels padded to whole groups of PEs. Splits pixels over rows and
 * clusters; weights are broadcast, and each crosses the bus once for tile_width x tile_height pixels. */
const char *plan_spconv(const struct variant *variant, const struct sparse *weights,
                        const struct convolution *shape, struct plan *plan);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the rules for shapes have to work with (rules.c, rules_window.c,
 * rules_move.c). A rule sets the shapes of its node's outputs as far as the
 * inputs are known, and fails with a message where the inputs contradict each
 * other.
 */
#ifndef TULLE_HOST_NET_DERIVE_H
#define TULLE_HOST_NET_DERIVE_H

#include "host/net/graph/operators.h"

struct derive {
    struct net *net;
    struct node *node;
    struct arena *arena;
};

enum { DERIVE_FEW_MAX = 64 };

/* False: the input is left out, or nothing is known of its shape. */
bool in_shape(const struct derive *d, size_t input, struct shape *shape);
bool has_input(const struct derive *d, size_t input);
/* NULL: not known before running. */
const struct dim *in_few(const struct derive *d, size_t input, unsigned *count);
/* A list of numbers that is an input, or an attribute of earlier operator sets. False: not known. `count` is
 * 0 when neither is there. */
bool in_list(const struct derive *d, size_t input, const char *attribute, int64_t to[NET_RANK_MAX],
             unsigned *count);
/* Counts negative axes from the end. */
bool in_axis(const struct derive *d, int64_t axis, int rank, int *to);

bool set_shape(struct derive *d, size_t output, const struct shape *shape);
bool set_type(struct derive *d, size_t output, int64_t type);
bool set_few(struct derive *d, size_t output, const struct dim *values, unsigned count);
__attribute__((format(printf, 2, 3))) bool refuse(const struct derive *d, const char *format, ...);

/* The shape that a list of sizes says: of unknown sizes where only its length is known. False: not even that.
 */
bool shape_from_few(struct derive *d, size_t input, struct shape *shape);

/* A size of operands that are broadcast, with one more of them. False after an error: they do not fit. */
bool merge_dim(const struct derive *d, struct dim *to, struct dim dim);

/* A dimension that nothing is known of, with a name of its own. */
struct dim unknown_dim(struct derive *d, size_t output, int axis);

typedef bool derive_rule(struct derive *d);
derive_rule rule_same, rule_same_each, rule_broadcast, rule_qlinear_join, rule_compare, rule_cast,
    rule_shape_of, rule_size_of, rule_constant, rule_constant_of_shape, rule_arithmetic, rule_conv,
    rule_conv_transpose, rule_qlinear_conv, rule_conv_integer, rule_pool, rule_global_pool, rule_matmul,
    rule_qlinear_matmul, rule_gemm, rule_qgemm, rule_concat, rule_qlinear_concat, rule_split, rule_slice,
    rule_gather, rule_like_indices, rule_gather_nd, rule_reshape, rule_flatten, rule_transpose, rule_squeeze,
    rule_unsqueeze, rule_expand, rule_tile, rule_pad, rule_reduce, rule_reduce_index, rule_resize, rule_range,
    rule_top_k, rule_one_hot, rule_recurrent, rule_depth_to_space, rule_space_to_depth, rule_non_zero,
    rule_layer_norm, rule_batch_norm, rule_dynamic_quantize, rule_eye_like, rule_image_scaler,
    rule_feature_extractor, rule_tflite_lstm, rule_like_first, rule_det, rule_quantize, rule_einsum;

typedef struct dim derive_count(struct derive *d);
derive_count count_conv, count_qlinear_conv, count_matmul, count_qlinear_matmul, count_gemm, count_qgemm,
    count_recurrent, count_tflite_lstm, count_conv_transpose, count_einsum;

#endif

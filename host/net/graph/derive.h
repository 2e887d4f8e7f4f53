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

/* A dimension that nothing is known of, with a name of its own. */
struct dim unknown_dim(struct derive *d, size_t output, int axis);

#define RULES(X)                                                                                          \
    X(same)                                                                                               \
    X(same_each)                                                                                          \
    X(broadcast)                                                                                          \
    X(compare)                                                                                            \
    X(cast)                                                                                               \
    X(shape_of)                                                                                           \
    X(size_of)                                                                                            \
    X(constant)                                                                                           \
    X(constant_of_shape)                                                                                  \
    X(arithmetic)                                                                                         \
    X(conv)                                                                                               \
    X(conv_transpose)                                                                                     \
    X(qlinear_conv)                                                                                       \
    X(conv_integer)                                                                                       \
    X(pool)                                                                                               \
    X(global_pool)                                                                                        \
    X(matmul)                                                                                             \
    X(qlinear_matmul)                                                                                     \
    X(gemm) X(concat) X(split) X(slice) X(gather) X(like_indices) X(gather_nd) X(reshape) X(flatten)      \
        X(transpose) X(squeeze) X(unsqueeze) X(expand) X(tile) X(pad) X(reduce) X(reduce_index) X(resize) \
            X(range) X(top_k) X(one_hot) X(recurrent) X(depth_to_space) X(space_to_depth) X(non_zero)     \
                X(layer_norm) X(batch_norm) X(dynamic_quantize) X(eye_like) X(image_scaler)               \
                    X(feature_extractor) X(tflite_lstm) X(like_first) X(det) X(quantize)
#define X(name) bool rule_##name(struct derive *d);
RULES(X)
#undef X

struct dim count_conv(struct derive *d);
struct dim count_qlinear_conv(struct derive *d);
struct dim count_matmul(struct derive *d);
struct dim count_qlinear_matmul(struct derive *d);
struct dim count_gemm(struct derive *d);
struct dim count_recurrent(struct derive *d);
struct dim count_tflite_lstm(struct derive *d);
struct dim count_conv_transpose(struct derive *d);

#endif

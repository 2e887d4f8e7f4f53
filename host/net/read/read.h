/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a network file into a graph: ONNX, Caffe (prototxt with the weights in a
 * caffemodel, or without weights) or TFLite. What a file holds decides, not its
 * name.
 *
 * A file is read completely or refused. What is not supported is listed in one
 * run: operators, attributes, and dimensions that need a value.
 */
#ifndef TULLE_HOST_NET_READ_H
#define TULLE_HOST_NET_READ_H

#include "host/net/graph/operators.h"

/* All zero is the default. */
struct net_read_options {
    const char *weights;       /* a caffemodel; NULL: none */
    bool train;                /* Caffe's phase, otherwise TEST */
    const char *const *shapes; /* "NAME=8" for a dimension, "INPUT=1x3x32x32" for an input */
    size_t shape_count;
    bool sized; /* a dimension without a value is an error */
};

/* The bound on the memory of a network: so many times its files, and that many bytes for small ones. */
enum { NET_MEMORY_TIMES = 4, NET_MEMORY_LEAST = 1 << 20 };

/* NULL after errors, all of which are in `diag`. */
struct net *net_read(const char *path, const struct net_read_options *options, struct diag *diag);
/* The same for one input at a time: where the first of an input's dimensions is a name without a value, it
 * counts as 1. `names` gets these names, with commas between them. */
struct net *net_read_single(const char *path, const struct net_read_options *options, struct strbuf *names,
                            struct diag *diag);

/* Reads an ONNX file that is in memory; the bytes are not needed afterwards. `path` is for messages, and
 * stays with the network. */
struct net *net_read_onnx(const char *path, const void *bytes, size_t size, struct diag *diag);
/* Reads what net_write_graph() wrote: the same graph. Numbers in other files are refused. */
struct net *net_read_graph(const char *path, const void *bytes, size_t size, struct diag *diag);

/* Reads a tensor from a TensorProto file (.pb), as ONNX's tests have them. It is the network's only tensor.
 */
struct net *net_read_tensor(const char *path, struct diag *diag);

#endif

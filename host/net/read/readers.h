/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface between the readers of formats.
 */
#ifndef TULLE_HOST_NET_READERS_H
#define TULLE_HOST_NET_READERS_H

#include "host/net/read/read.h"

struct reading {
    struct net *net;
    const struct net_read_options *options;
    struct diag *diag;
    bool *shape_used; /* for each of the options' shapes */
    bool as_it_is;    /* an ONNX file that net_write_graph() wrote */
};

/* Each fills the network from its source; false after errors, or when memory is full. Operators that are not
 * known become nodes without an entry. */
bool onnx_read(struct reading *r);
bool caffe_read(struct reading *r);
bool tflite_read(struct reading *r);
bool tflite_is(const struct source *source);

/* What an ONNX graph says of tensors in annotations. False after an error. */
bool onnx_take_notes(struct reading *r, struct proto graph);

/* A TensorProto into a tensor that has its name already. Files of its numbers are opened in `folder`. */
bool onnx_read_tensor(struct reading *r, struct proto m, struct tensor *tensor);

/* The value that the options give to a dimension of that name, or the name. */
struct dim reading_dim(struct reading *r, const char *name, size_t length);
/* An input with the shape of the file, or that of the options. */
bool reading_input(struct reading *r, struct tensor *tensor, const struct shape *shape);

/* A file beside the network's, for numbers of tensors; NULL after an error. It is opened once. */
const struct source *reading_external(struct reading *r, struct origin origin, const char *name,
                                      size_t length);

#endif

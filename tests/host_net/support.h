/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks for tests: ONNX and Caffe files from texts, a TFLite file by hand, and
 * what reading must say.
 */
#ifndef TULLE_TESTS_HOST_NET_SUPPORT_H
#define TULLE_TESTS_HOST_NET_SUPPORT_H

#include "host/net/read/read.h"

void write_bytes(const char *path, const struct strbuf *bytes);
/* A file of that message, from its text form. */
struct strbuf wire_of(const struct proto_message *type, const char *text);
void write_wire(const char *path, const struct proto_message *type, const char *text);

/* An ONNX file of operator set 13 with these fields of its graph, in the text form. */
void write_onnx(const char *path, const char *graph);
/* The same text for a graph with one node, whose attributes follow in the text: "X" of the shape, "Y". */
void write_node(const char *path, const char *type, const char *shape, const char *attributes);

/* A convolution with a fused function, a pool and a matrix product, in int8. */
struct strbuf small_tflite(void);
/* A tensor of a TFLite file: a scaled one has the scale 0.5 and the zero point 3. `numbers`: a constant's,
 * in 32 bits each, or 8 of int8; NULL: none. */
struct tflite_tensor {
    int64_t type; /* TFLite's number */
    size_t rank;
    int64_t shape[4];
    bool scaled;
    const int64_t *numbers;
};
enum { TFLITE_FLOATS = 0, TFLITE_INT32S = 2, TFLITE_BOOLS = 6, TFLITE_INT8S = 9 };
/* A file with one operator: its code, its operands, results behind them, and the fields of its options.
 * Operands without numbers are the network's inputs. */
struct strbuf tflite_of(int64_t code, const struct tflite_tensor *tensors, size_t inputs, size_t outputs,
                        unsigned fields, const int64_t *options);
/* The two files of a Caffe network with a convolution, functions in place, and a matrix product. */
const char *small_prototxt(void);
struct strbuf small_caffemodel(void);

/* Reads what must be read, and what must not, with a word of the message. */
struct net *reads(const char *path, const struct net_read_options *options);
void refuses(const char *path, const struct net_read_options *options, const char *word);
/* Whether a tensor has that shape, as text. */
void has_shape(const struct net *net, const char *tensor, const char *shape);

#endif

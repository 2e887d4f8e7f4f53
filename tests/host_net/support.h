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
/* The two files of a Caffe network with a convolution, functions in place, and a matrix product. */
const char *small_prototxt(void);
struct strbuf small_caffemodel(void);

/* Reads what must be read, and what must not, with a word of the message. */
struct net *reads(const char *path, const struct net_read_options *options);
void refuses(const char *path, const struct net_read_options *options, const char *word);
/* Whether a tensor has that shape, as text. */
void has_shape(const struct net *net, const char *tensor, const char *shape);

#endif

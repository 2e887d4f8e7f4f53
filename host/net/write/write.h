/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a graph as an ONNX file, which other tools read. What ONNX says in
 * another way is written in its way: the order of an image's dimensions as
 * Transpose nodes, and quantised tensors as DequantizeLinear before an operator
 * and QuantizeLinear behind it. Weights that no file gave become inputs.
 */
#ifndef TULLE_HOST_NET_WRITE_H
#define TULLE_HOST_NET_WRITE_H

#include "host/net/graph/operators.h"

/* Appends the file. sb_ok() says whether the memory was enough. */
void net_write_onnx(const struct net *net, struct strbuf *to);

/* Appends the graph as it is, for net_read_graph() alone: what other tools do not have stays, and what is
 * said of tensors is in annotations. */
void net_write_graph(const struct net *net, struct strbuf *to);

#endif

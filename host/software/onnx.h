/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes operators as ONNX: standard operators on integers, which give the same bits wherever they run; and
 * products of floats, each rounded by itself, where the host multiplies sums by floats.
 * Tensors are [batch, elements] between layers, each input of a batch computed alone.
 */
#ifndef TULLE_HOST_SOFTWARE_ONNX_H
#define TULLE_HOST_SOFTWARE_ONNX_H

#include "host/software/form.h"
#include "host/software/onnx_wire.h"
#include "host/software/plain.h"

/* The results of the operator, [batch, elements], of its element's type. `second` is 0 where there is none.
 * 0: `why` has the reason. */
onnx_value onnx_operator(struct onnx *to, const struct plain *plain, const struct form *form, onnx_value in,
                         onnx_value second, struct strbuf *why);
/* What the host makes of sums of int32 that it multiplies by floats. 0: no memory. */
struct c_float;
onnx_value onnx_float(struct onnx *to, const struct c_float *f, onnx_value sums);
/* Each byte of a tensor becomes the table's. */
onnx_value onnx_bytes(struct onnx *to, const uint8_t table[256], bool no_sign, onnx_value in);
/* Of tensors of a batch: these elements of each, which are [batch, ...dimensions of the list]; one behind the
 * other; and [batch, elements] of whatever is one for each input. */
onnx_value onnx_picked(struct onnx *to, onnx_value v, const int64_t *list, uint64_t count);
onnx_value onnx_behind(struct onnx *to, onnx_value first, onnx_value second);
onnx_value onnx_flat(struct onnx *to, onnx_value v);
enum onnx_type onnx_type_of(unsigned bytes, bool no_sign);

#endif

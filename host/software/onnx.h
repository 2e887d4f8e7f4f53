/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes operators as ONNX: standard operators on integers, which give the same bits wherever they run; and
 * products of floats, each rounded by itself, where the host multiplies sums by floats.
 * Tensors are flat between layers.
 */
#ifndef TULLE_HOST_SOFTWARE_ONNX_H
#define TULLE_HOST_SOFTWARE_ONNX_H

#include "host/software/form.h"
#include "host/software/onnx_wire.h"
#include "host/software/plain.h"

/* The results of the operator, flat, of its element's type. `second` is 0 where there is none. 0: `why` has
 * the reason. */
onnx_value onnx_operator(struct onnx *to, const struct plain *plain, const struct form *form, onnx_value in,
                         onnx_value second, struct strbuf *why);
/* What the host makes of sums of int32 that it multiplies by floats. 0: no memory. */
struct c_float;
onnx_value onnx_float(struct onnx *to, const struct c_float *f, onnx_value sums);
/* Each byte of a flat tensor becomes the table's. */
onnx_value onnx_bytes(struct onnx *to, const uint8_t table[256], bool no_sign, onnx_value in);
enum onnx_type onnx_type_of(unsigned bytes, bool no_sign);

#endif

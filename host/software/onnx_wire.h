/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes ONNX files node by node. Values are named by numbers.
 */
#ifndef TULLE_HOST_SOFTWARE_ONNX_WIRE_H
#define TULLE_HOST_SOFTWARE_ONNX_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/base/strbuf.h"

/* The numbers are those of ONNX files. */
enum onnx_type {
    ONNX_FLOAT = 1, /* a constant has the bits */
    ONNX_UINT8 = 2,
    ONNX_INT8 = 3,
    ONNX_UINT16 = 4,
    ONNX_INT16 = 5,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7
};

typedef unsigned onnx_value; /* 0: left out */

#define ONNX_BATCH                                                                           \
    (-1) /* a dimension of an input or an output that has any size, the same for all of them \
          */

struct onnx {
    struct strbuf graph; /* nodes, constants, inputs and outputs, as fields of the graph */
    onnx_value last;
};

/* A constant of numbers, with its dimensions. */
onnx_value onnx_constant(struct onnx *to, enum onnx_type type, const int64_t *values, const int64_t *dims,
                         unsigned rank);
/* The same of one number, of no dimensions. */
onnx_value onnx_number(struct onnx *to, enum onnx_type type, int64_t value);

/* A node with up to three operands and an attribute of an integer, or NULL; `axes` is a list of one. */
onnx_value onnx_node(struct onnx *to, const char *op, onnx_value a, onnx_value b, onnx_value c,
                     const char *attribute, int64_t integer);
onnx_value onnx_cast(struct onnx *to, onnx_value value, enum onnx_type type);
/* With the list of numbers as the second operand: axes, or a shape. */
onnx_value onnx_listed(struct onnx *to, const char *op, onnx_value value, const int64_t *list,
                       unsigned count);

onnx_value onnx_input(struct onnx *to, const char *name, enum onnx_type type, const int64_t *dims,
                      unsigned rank);
void onnx_output(struct onnx *to, onnx_value value, const char *name, enum onnx_type type,
                 const int64_t *dims, unsigned rank);

/* The whole file. */
void onnx_write(const struct onnx *onnx, const char *name, struct strbuf *to);
void onnx_free(struct onnx *onnx);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/software/c.h"
#include "host/software/onnx.h"

static int64_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static onnx_value factors(struct onnx *to, const struct c_float *f)
{
    const int64_t dims[] = {f->channels, 1};
    int64_t *list = malloc(((size_t)f->channels + 1) * sizeof *list);
    onnx_value v = 0;
    for (int64_t c = 0; list && c < f->channels; c++)
        list[c] = bits_of(f->factors[c]);
    if (list)
        v = onnx_constant(to, ONNX_FLOAT, list, dims, 2);
    free(list);
    return v;
}

/* Limits are integers of 16 bits less a zero point: floats have them exactly, and so has the limited product.
 */
onnx_value onnx_float(struct onnx *to, const struct c_float *f, onnx_value sums)
{
    const int64_t shape[] = {0, -1, f->channels, f->channels == 1 ? 1 : f->pitch}; /* 0: as it is */
    const onnx_value low = onnx_number(to, ONNX_FLOAT, bits_of((float)(f->low - f->zero))),
                     high = onnx_number(to, ONNX_FLOAT, bits_of((float)(f->high - f->zero))),
                     factor = factors(to, f);
    if (!factor)
        return 0;
    onnx_value v = onnx_cast(to, onnx_listed(to, "Reshape", sums, shape, 4), ONNX_FLOAT);
    v = onnx_node(to, "Round", onnx_node(to, "Mul", v, factor, 0, NULL, 0), 0, 0, NULL, 0);
    v = onnx_cast(to, onnx_node(to, "Clip", v, low, high, NULL, 0), ONNX_INT32);
    v = onnx_node(to, "Add", v, onnx_number(to, ONNX_INT32, f->zero), 0, NULL, 0);
    return onnx_flat(to, onnx_cast(to, v, onnx_type_of(f->out_bytes, f->out_no_sign)));
}

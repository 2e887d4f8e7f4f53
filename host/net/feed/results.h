/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of tensors as files, and how two values differ.
 */
#ifndef TULLE_HOST_NET_RESULTS_H
#define TULLE_HOST_NET_RESULTS_H

#include "host/net/cpu/cpu.h"

/* A .npy file. numpy has no bfloat16: these become float32. */
void result_npy(const struct view *v, struct strbuf *to);
/* {"name": ..., "type": ..., "shape": [...], "values": [...]}, values in one list. What JSON has no number
 * for is a text: "nan", "inf" or "-inf". */
void result_json(const char *name, const struct view *v, struct strbuf *to);

/* The file name of a tensor, which no other tensor of the net has: letters, digits and ._- stay as they are,
 * any other byte becomes % and two hexadecimal digits. Of a long name the beginning, and a number made from
 * all of it. */
enum { RESULT_NAME = 256 };
void result_file_name(const char *tensor, char to[RESULT_NAME]);

/* What may be between a float and a stored one: a part of the element, as in ONNX's own tests, and a part of
 * the largest element, as sums of such numbers are rounded. */
#define RESULT_OF_ELEMENT 1e-3
#define RESULT_OF_LARGEST 1e-6

/* How many elements of two values of one shape differ by more than is allowed, which for integers is nothing.
 * The largest difference. */
size_t result_differing(const struct view *a, const struct view *b, double *largest);
bool result_same_sizes(const struct view *a, const struct view *b);

#endif

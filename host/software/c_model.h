/* SPDX-License-Identifier: Apache-2.0
 *
 * A model of several operators as one C file: functions of layers, the memory between them, and the function
 * that calls them in order.
 */
#ifndef TULLE_HOST_SOFTWARE_C_MODEL_H
#define TULLE_HOST_SOFTWARE_C_MODEL_H

#include "host/software/c.h"
#include "host/software/onnx_wire.h"
#include "host/software/plain_narrow.h"

enum { C_NONE = -1, C_RANK_MOST = 8 };

/* A value. Values of the same memory have the same number in `same`, the lowest of them. */
struct c_tensor {
    const char *name; /* for comments */
    uint64_t elements;
    unsigned bytes;
    bool no_sign;
    int input, output; /* its number among those of the model, or C_NONE */
    int from, to;      /* of the memory: the input or output where it lies, or C_NONE */
    size_t same;
    size_t last; /* the step that reads it last */
    int buffer;  /* where it is between steps, or C_NONE */
    bool inner;  /* between stages of a part, in the order that the device has there */
    int64_t dims[C_RANK_MOST];
    unsigned rank;
    onnx_value value; /* of the memory, flat, in an ONNX file */
    uint64_t length;  /* of `value`, while steps make it piece by piece */
};

/* A call of a layer's function. */
struct c_step {
    char name[64];
    size_t in, second, out; /* tensors; second: SIZE_MAX, or the second operand */
    bool in_no_sign, second_no_sign, out_no_sign;
    bool piece;   /* its operands and its result are parts of tensors, from these elements on */
    bool partial; /* others make more of the result behind it */
    struct plain_firsts first;
};

struct c_model {
    const char *name;  /* of the function NAME_run, and of the header */
    const char *title; /* what the file says it is made of */
    struct c_tensor *tensors;
    size_t tensor_count;
    struct c_step *steps;
    size_t step_count;
    bool tested; /* the file has a test, which expects `sum` */
    uint64_t sum;
    bool traced; /* another function, NAME_trace, tells the result of each step */
    struct c_file file;
    struct onnx *onnx; /* NULL: C is written; else this, and no functions */
};

/* Whether the step's result is a whole value that the device gives as well. */
static inline bool c_model_shows(const struct c_model *model, const struct c_step *step)
{
    return !step->partial && !model->tensors[step->out].inner;
}

/* An identifier of a text: letters, digits and lines below. */
void c_identifier(const char *text, char *to, size_t room);

/* The whole file, and its header. False: out of memory. */
bool c_model_write(struct c_model *model, struct strbuf *source, struct strbuf *header);

#endif

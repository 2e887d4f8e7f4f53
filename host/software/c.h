/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes operators and networks as C11: one file, which includes stdint.h and nothing else, and its header.
 */
#ifndef TULLE_HOST_SOFTWARE_C_H
#define TULLE_HOST_SOFTWARE_C_H

#include "host/software/form.h"
#include "host/software/plain.h"

/* A C file while it is written. */
struct c_file {
    struct strbuf body;    /* arrays and functions of layers */
    struct strbuf why;     /* why something cannot be written */
    bool apart;            /* weights of 8 bits go to a file of their own */
    struct strbuf weights; /* its bytes */
    const char *called;    /* the last operator's function: its own, or one with the same text */
    /* What was written once (c_shared.c). */
    struct c_text *texts;
    struct c_blob *blobs;
    size_t text_count, blob_count;
};

/* A function `name`(in, second, out) of the operator: "static void name(const T *in, T *out)"; none if there
 * is one that does the same. `called` is the one to be called. */
bool c_operator(struct c_file *file, const char *name, const char *comment, const struct plain *plain,
                const struct form *form);

/* A function `name`(in, out) that looks each byte up in a table. */
void c_bytes(struct c_file *file, const char *name, const char *comment, const uint8_t table[256],
             uint64_t elements);

/* A function `name`(in, out) that moves numbers: which one of the input each result is, or PLAIN_CONSTANT,
 * and then it stays as it is. False: out of memory. */
struct c_moving {
    const char *name, *comment;
    unsigned bytes;
    bool no_sign;
    const uint64_t *from;
    uint64_t elements;
};
bool c_move(struct c_file *file, const struct c_moving *m);

/* What the host makes of an operator's sums of 32 bits: the product with a float, rounded to an integer. */
struct c_float {
    const char *name, *sums, *comment; /* the function, and that of the sums */
    const float *factors;              /* of each channel */
    int64_t channels, pitch;           /* elements from one channel to the next */
    int32_t zero, low, high;
    unsigned in_bytes, out_bytes;
    bool in_no_sign, out_no_sign;
    uint64_t elements;
};
void c_float(struct c_file *file, const struct c_float *f);

/* The helpers that the text uses, in an order in which they can stand. */
void c_helpers(const char *text, struct strbuf *to);

/* Whether an operand, or the results, have no sign. */
bool c_reads_no_sign(const struct form *form, unsigned space);
bool c_gives_no_sign(const struct form *form);

/* The type of an element. */
const char *c_type(unsigned bytes, bool no_sign);

/* Lines of numbers, so many on each. */
void c_number(struct strbuf *to, size_t at, int64_t value);

void c_file_free(struct c_file *file);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of cases (tests/bench/cases.tsv says how they look): each an operator
 * on a variant, with the least efficiency it must have.
 */
#ifndef TULLE_HOST_CASE_FILE_H
#define TULLE_HOST_CASE_FILE_H

#include "host/plan/plan.h"

enum case_operator { CASE_SPMM, CASE_SPMV, CASE_SPCONV, CASE_DEPTHWISE, CASE_EMPTY };

struct one_case {
    const char *name, *variant, *weights; /* in the file's text */
    enum case_operator operator;
    uint32_t rows;     /* of activations */
    const char *shape; /* of a convolution, in the place of rows: shape_read() has it */
    double density;
    bool has_bar;
    double bar;
};

struct case_file {
    struct strbuf text;
    struct one_case *list;
    size_t count;
};

/* False, with the message on standard error, when the file is not understood or cannot be read. */
bool case_file_read(const char *path, struct case_file *to);
void case_file_free(struct case_file *file);

/* Whether it has a shape. */
bool case_convolves(const struct one_case *c);

/* The weights of a case; NULL, or why there are none here. */
const char *case_weights(const struct one_case *c, struct sparse *to);
/* The same of weights as a file of cases names them. */
const char *case_weights_named(const char *text, struct sparse *to);

#endif

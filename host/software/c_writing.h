/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that write the C of an operator share: loops, arrays of weights, sums, and images of
 * operands.
 */
#ifndef TULLE_HOST_SOFTWARE_C_WRITING_H
#define TULLE_HOST_SOFTWARE_C_WRITING_H

#include "host/software/c.h"
#include "host/software/c_finish.h"

/* More nests of places are written as a list. */
enum { C_NAME = 200, C_NESTS_MOST = 48 };

/* The function of an operator while it is written. */
struct c_writing {
    struct c_file *file;
    const char *name;
    const struct plain *plain;
    const struct form *form;
    struct strbuf text;               /* of the function */
    size_t begin;                     /* what of the body belongs to it alone */
    char sum[C_NAME], finish[C_NAME]; /* the names of the group's NAME_sum and NAME_finish */
};

/* Notes the first reason; false. */
bool c_fail(struct c_writing *w, const char *why);

/* ---- text that is there already (c_shared.c) -------------------------------------------------------- */

/* Functions of sums and finishes with their arrays, and functions of operators with lists of places. */
enum c_sharing { C_SHARED_SUM, C_SHARED_FINISH, C_SHARED_FUNCTION };
/* Takes the body's text from `begin` on back if there is the same under another name, which it returns. Else
 * it returns the name, and the text gets the comment, which may be NULL, before it. */
const char *c_share(struct c_file *file, enum c_sharing kind, const char *name, size_t begin,
                    const char *comment);
/* The same of weights that are apart: where they are. */
size_t c_share_weights(struct c_file *file, size_t begin);
void c_share_end(struct c_file *file);

/* ---- loops (c_loops.c) ------------------------------------------------------------------------------ */

void c_indent(struct strbuf *to, unsigned depth);
/* The variable of a nest's loop; the outermost is 0. */
const char *c_index(unsigned loop);
/* Opens the loops of a nest, outermost first; `scope`: the number of loops around it. */
void c_open_loops(struct strbuf *to, const struct form_nest *nest, unsigned scope);
/* A number of a nest as an expression of its indices. */
void c_expression(struct strbuf *to, const struct form_nest *nest, enum form_number number);
bool c_varies(const struct form_nest *nests, size_t count, enum form_number number);

/* ---- weights (c_weights.c) -------------------------------------------------------------------------- */

/* Bounds of a group's sums. */
struct c_bounds {
    struct c_range sum;
    bool huge;      /* they may not fit 64 bits */
    int64_t weight; /* the largest magnitude */
};
struct c_bounds c_bounds_of(const struct flow *flow, const struct form_group *group);

/* Where the weights of a group are: in arrays of the file, or in the bytes that are apart. */
struct c_weights {
    const char *type;
    bool apart;
    size_t at; /* there */
};
bool c_weights(struct c_writing *w, const char *name, const struct form_group *group, struct c_weights *to);

/* ---- sums (c_sums.c) -------------------------------------------------------------------------------- */

const char *c_sum_type(const struct c_bounds *bounds);
/* Of sums 0; of the largest what is below all products, or a candidate. */
void c_start(const struct c_writing *w, const struct form_group *group, struct strbuf *to);
/* The function NAME_sum(x[, n]) with its weights. */
bool c_sum(struct c_writing *w, const char *name, const struct form_group *group,
           const struct c_bounds *bounds, bool by_column);
/* Rows of softmax, whose elements are beside each other (c_softmax.c). */
bool c_softmax(struct c_writing *w, const char *name, const struct form_group *group);

/* ---- operands --------------------------------------------------------------------------------------- */

/* The tensor with its border, in the order in which the sums take it (c_image.c). */
bool c_image(struct c_writing *w);
/* Text that sets elements of the array `target` to those of `in` from the list, where it has any; the body
 * may get a list. False: out of memory (c_copies.c). */
bool c_copies(struct strbuf *body, struct strbuf *text, const char *name, const char *target,
              const uint64_t *from, uint64_t elements);
/* What a source is called in the function, with the sign that it is read with. */
void c_operand(struct c_writing *w, const struct form_source *source, struct strbuf *to);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What passes have to change a graph with. Nodes that go are marked, new nodes wait,
 * and the list of nodes is made again when the pass has ended. Counts of users are
 * those of before the pass, but where edit_bypass() and edit_drop() change them.
 */
#ifndef TULLE_HOST_NET_EDIT_H
#define TULLE_HOST_NET_EDIT_H

#include "host/net/graph/operators.h"
#include "host/net/pass/pass.h"

struct edit {
    struct net *net;
    void *context; /* of the caller of pass_run_with() */
    size_t changes;
    struct waiting {
        struct node *node;
        const struct node *behind;
    } * waiting;
    size_t waiting_count;
    bool failed; /* the memory is full */
};

/* All uses of a tensor become uses of another. Outputs of the net stay. */
void edit_replace(struct edit *e, struct tensor *from, struct tensor *to);
void edit_drop(struct edit *e, struct node *node);
/* Drops a node whose first output is the same as `input`. False: both have names that must stay. */
bool edit_bypass(struct edit *e, struct node *node, struct tensor *input);
/* A new node that runs behind another, or before all (NULL), with a new output like `like`; NULL when the
 * memory is full. */
struct node *edit_node_behind(struct edit *e, const struct node *behind, const char *type, size_t inputs,
                              struct tensor *like);
/* A constant of that type and shape, of which the numbers are copied. */
struct tensor *edit_constant(struct edit *e, const char *like, enum net_type type, const struct shape *shape,
                             const void *numbers);
struct tensor *edit_floats(struct edit *e, const char *like, const struct shape *shape,
                           const double *numbers);
/* Gives a layer of an input and weights this bias, a number for each channel; NULL: there is no memory. */
bool edit_put_bias(struct edit *e, struct node *layer, size_t channels, const double *bias);

/* The constant floats of an input, to be freed; NULL: it is none, or the memory is full. */
double *edit_reals(struct edit *e, const struct tensor *t, size_t *count);
/* A constant with one number. */
bool edit_number(const struct tensor *t, double *value);

bool is_op(const struct node *node, const char *type);
/* The input, NULL: left out. */
struct tensor *input_of(const struct node *node, size_t i);
/* The node that makes a tensor, when the tensor is for one node alone and no output; else NULL. */
struct node *sole_producer(const struct tensor *t);
/* The one node that reads a tensor; NULL: none, several, or it is an output. */
struct node *sole_user(const struct edit *e, const struct tensor *t);
/* Whether a node has what ONNX says in another way: another layout, or a function that follows. */
bool is_plain(const struct node *node);
bool has_values(const struct tensor *t);

#endif

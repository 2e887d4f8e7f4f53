/* SPDX-License-Identifier: Apache-2.0
 *
 * What grouping sees of a network: layers, and the values between them with their
 * rows, columns and bytes. A layer is a node with those behind it that only compute
 * each number of its result anew; values between these never exist. A layer says of
 * each value that it reads which rows and columns it needs for some of its own.
 */
#ifndef TULLE_HOST_NET_GROUP_CHART_H
#define TULLE_HOST_NET_GROUP_CHART_H

#include "host/net/graph/operators.h"

enum { GROUP_ROWS = 0, GROUP_COLUMNS = 1, GROUP_AXES = 2 };
#define GROUP_NONE SIZE_MAX

/* What a layer needs of a value along an axis for its results. */
enum group_reach {
    REACH_SAME,   /* the same rows */
    REACH_WINDOW, /* those of a window */
    REACH_WHOLE   /* all of them */
};

struct group_window {
    enum group_reach reach;
    int64_t kernel, stride, dilation, before; /* of REACH_WINDOW; before: padding at the beginning */
};

/* A value that a layer reads: operand `input` of its node number `node`. */
struct group_operand {
    size_t value, node, input;
    struct group_window window[GROUP_AXES];
};

struct group_layer {
    struct node **nodes;
    size_t node_count;
    struct group_operand *operands;
    size_t operand_count;
    size_t value; /* that it makes; GROUP_NONE: several, or one that is no image or list of fixed type */
    bool alone;   /* it cannot be in a group */
    bool whole;   /* its result needs all rows of something that has several */
    uint64_t multiplications, weights; /* weights: bytes, those of tables of channels included */
};

struct group_value {
    struct tensor *tensor;
    int64_t size[GROUP_AXES]; /* 1 and 1: it is no image */
    uint64_t bytes;
    size_t made;        /* by which layer; GROUP_NONE: an input of the network */
    size_t first, last; /* layers that read it; first is GROUP_NONE: none does */
    bool wanted;        /* in memory, whoever reads it */
};

struct group_chart {
    struct net *net;
    int axis[GROUP_AXES]; /* dimensions of images that are rows and columns */
    uint64_t unit; /* frames on chip have whole units of so many bytes for each place of an image; the caller
                      may change it */
    bool reads_through; /* layers read what a group gets from memory as they need it, and it has no frame; the
                           caller's */
    struct group_layer *layers;
    size_t layer_count;
    struct group_value *values;
    size_t value_count;
    struct node **order; /* nodes of layers, one layer behind the other */
    size_t ordered;
    struct node **fixed; /* nodes that compute from constants alone, before all layers */
    size_t fixed_count;
};

/* False after an error: a size is not known, or the memory is full. */
bool group_chart_open(struct net *net, struct group_chart *chart, struct diag *diag);
void group_chart_close(struct group_chart *chart);

/* The layer's name: that of its first node, or of its last result. */
const char *group_layer_name(const struct group_layer *layer);
/* The layer that has a node of that name, or makes the tensor of that name; GROUP_NONE: none. */
size_t group_layer_find(const struct group_chart *chart, const char *name, size_t length);

/* The value of that tensor, or that the node of that name makes, goes to memory whoever reads it. False: it
 * is no value of the chart. */
bool group_chart_want(struct group_chart *chart, const char *name);

#endif

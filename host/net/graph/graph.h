/* SPDX-License-Identifier: Apache-2.0
 *
 * A network as a graph: nodes, the tensors between them, and where in the file
 * each came from. Operators are those of ONNX (operators.h), whatever format
 * the file has, and a graph can be written as ONNX at any time.
 *
 * Numbers of constant tensors are not copied: `values` points into the mapped
 * file. They are little-endian and may lie at any address.
 */
#ifndef TULLE_HOST_NET_GRAPH_H
#define TULLE_HOST_NET_GRAPH_H

#include <stdarg.h>

#include "host/net/base/keep.h"
#include "host/net/base/spare.h"
#include "host/net/graph/dim.h"
#include "host/net/proto/proto.h"

/* The numbers are those of ONNX files. */
enum net_type {
    NET_NO_TYPE = 0,
    NET_FLOAT = 1,
    NET_UINT8 = 2,
    NET_INT8 = 3,
    NET_UINT16 = 4,
    NET_INT16 = 5,
    NET_INT32 = 6,
    NET_INT64 = 7,
    NET_STRING = 8,
    NET_BOOL = 9,
    NET_FLOAT16 = 10,
    NET_DOUBLE = 11,
    NET_UINT32 = 12,
    NET_UINT64 = 13,
    NET_COMPLEX64 = 14,
    NET_COMPLEX128 = 15,
    NET_BFLOAT16 = 16,
    NET_UINT4 = 21,
    NET_INT4 = 22,
    NET_TYPES = 23
};

/* "float32" and so on; "?" for no type. */
const char *net_type_name(enum net_type type);
/* Bits of an element; 0 for strings and no type. */
unsigned net_type_bits(enum net_type type);

enum { NET_RANK_MAX = 16 };
#define NET_SIZE_MOST (INT64_C(1) << 48) /* of a dimension, and elements of a tensor */

struct shape {
    int rank; /* -1: nothing is known */
    struct dim dim[NET_RANK_MAX];
};

/* Numbers of a constant. */
struct values {
    const uint8_t *at; /* one piece of little-endian numbers; NULL: in a list, or not there */
    size_t size;
    struct proto list; /* a message with a repeated field of them */
    const char *field;
};

/* value = scale * (integer - zero) */
struct quantisation {
    unsigned count; /* 1: for the tensor; more: one for each index of the axis */
    unsigned axis;
    const float *scale;
    const int32_t *zero;
};

/* What is said of tensors in a graph that is written as it is (quantization_annotation): numbers of 32 bits
 * with eight hexadecimal digits each. */
#define NET_NOTE_AXIS "axis"
#define NET_NOTE_SCALES "scales"
#define NET_NOTE_ZEROS "zeros"
#define NET_NOTE_VARIABLE "variable"

/* The place of something in its file. */
struct origin {
    const struct source *source;
    const void *at; /* in the file; NULL: unknown, or in a text */
    unsigned line;  /* of a text, otherwise 0 */
};

struct tensor {
    const char *name;
    enum net_type type;
    struct shape *shape;   /* NULL: nothing is known */
    struct values values;  /* of a constant */
    const struct dim *few; /* a short list of integers, as far as known without running */
    unsigned few_count;
    const struct quantisation *quantisation;
    struct node *producer;
    struct origin origin;
    unsigned users;       /* nodes that have it as an input */
    bool constant, input; /* constant without values: a weight that no file gives */
    bool output;
    bool kept;     /* a run keeps its value to the end, as those of outputs */
    bool variable; /* keeps its value from one run to the next; 0 at first */
    bool few_known;
    bool ready; /* while nodes are put in order: its producer has its place */
    bool held;  /* its values are a run's, and go with it */
    bool sized; /* its type and sizes were known before the run */
};

enum attribute_kind {
    ATTRIBUTE_INT,
    ATTRIBUTE_INTS,
    ATTRIBUTE_FLOAT,
    ATTRIBUTE_FLOATS,
    ATTRIBUTE_STRING,
    ATTRIBUTE_STRINGS,
    ATTRIBUTE_TENSOR,
    ATTRIBUTE_OTHER /* graphs and types: no operator of the table has them */
};

struct attribute {
    const char *name;
    enum attribute_kind kind;
    size_t count; /* 1 unless it is a list */
    const int64_t *integers;
    const float *reals;
    const char *const *texts;
    struct tensor *tensor;
};

struct node {
    const char *name; /* "" when the file gives none */
    const char *type, *domain;
    const struct operator_entry *op; /* NULL: not known */
    struct attribute *attributes;
    size_t attribute_count;
    struct tensor **inputs, **outputs; /* NULL: left out */
    size_t input_count, output_count;
    struct dim multiplications;
    struct origin origin;
    size_t looked_at; /* inputs, while nodes are put in order */
    bool waits;       /* likewise: it has its place, or its inputs get theirs */
    bool gone;        /* while a pass changes the graph: it leaves the list at the end */
    bool settled;     /* a run has derived it, and another one finds the same */
};

struct net {
    struct arena arena;
    struct source source[2]; /* the network, and Caffe's weights */
    struct source **external;
    size_t external_count;
    struct strbuf text; /* the wire form of a prototxt */
    const char *name, *format;
    unsigned opset;
    struct node **nodes; /* each behind those that its inputs come from */
    size_t node_count;
    struct tensor **tensors;
    size_t tensor_count;
    struct tensor **inputs, **outputs;
    size_t input_count, output_count;
    const char **marks; /* tensors that the file marks as outputs (external_output), and are none */
    size_t mark_count;
    struct tensor **names; /* hash table of tensors */
    size_t names_size;
    struct keep keep;   /* what runs make of weights; in net_kept_most() bytes */
    struct spare spare; /* room for values of runs */
    struct diag *diag;  /* of the call that works on it */
};

/* `most`: the bound on its memory. NULL when there is not so much address space. */
struct net *net_new(size_t most);
void net_free(struct net *net);

/* All give NULL, or false, when the memory is full. */
struct tensor *net_find(const struct net *net, const char *name, size_t length);
/* Found, or made. */
struct tensor *net_tensor(struct net *net, const char *name, size_t length);
/* With a name that none has: that of `like`, with a number behind it. */
struct tensor *net_new_tensor(struct net *net, const char *like);
/* Another name, when that is free. */
bool net_rename(struct net *net, struct tensor *tensor, const char *name);
struct node *net_node(struct net *net, const char *type, size_t inputs, size_t outputs);
bool net_add_node(struct net *net, struct node *node);
bool net_add_input(struct net *net, struct tensor *tensor);
bool net_add_output(struct net *net, struct tensor *tensor);
bool net_add_mark(struct net *net, const char *name);
/* Counts users and finds producers again. Tensors that no node has any more go; their names stay taken. */
void net_recount(struct net *net);
bool net_shape(struct net *net, struct tensor *tensor, const struct shape *shape);

/* A copy that can be changed: a tensor's own has no more dimensions than it needs. */
struct shape net_shape_of(const struct tensor *tensor);
/* A constant of integers or floats that is made here. */
struct tensor *net_integers(struct net *net, const char *like, const int64_t *values, size_t count);
struct tensor *net_floats(struct net *net, const char *like, const float *values, size_t count);
/* Sets an attribute, in place of one that is there. `name` and `text` are borrowed. */
bool node_set_integers(struct net *net, struct node *node, const char *name, const int64_t *values,
                       size_t count);
bool node_set_integer(struct net *net, struct node *node, const char *name, int64_t value);
bool node_set_real(struct net *net, struct node *node, const char *name, double value);
bool node_set_reals(struct net *net, struct node *node, const char *name, const double *values, size_t count);
bool node_set_text(struct net *net, struct node *node, const char *name, const char *text);

const struct attribute *node_attribute(const struct node *node, const char *name);

/* Elements; a dimension's product. 1 for a scalar. */
struct dim shape_elements(struct net *net, const struct shape *shape);
void shape_print(struct strbuf *to, const struct shape *shape);
/* Bytes of that many elements, rounded up. */
uint64_t net_type_bytes(enum net_type type, uint64_t elements);

/* Integers of a constant one after another: true until `values` has no more. */
struct value_reader {
    const struct tensor *tensor;
    size_t place;
    struct proto_numbers numbers;
};
struct value_reader value_reader(const struct tensor *tensor);
/* The bits of the next element, as its type has them; a float's too. */
bool value_next(struct value_reader *reader, uint64_t *bits);
int64_t value_integer(enum net_type type, uint64_t bits);
float value_real(enum net_type type, uint64_t bits);

/* Reports an error of a node or a tensor, with its place and name. */
__attribute__((format(printf, 3, 4))) void node_error(const struct net *net, const struct node *node,
                                                      const char *format, ...);
__attribute__((format(printf, 3, 0))) void node_verror(const struct net *net, const struct node *node,
                                                       const char *format, va_list args);
__attribute__((format(printf, 3, 4))) void origin_error(const struct net *net, struct origin origin,
                                                        const char *format, ...);

#endif

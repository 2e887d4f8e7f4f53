/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of operators: the one source of checks, of shapes and types, of
 * costs and of docs/operators.md. An entry is written as text:
 *
 *   inputs, outputs   "X:T axis:T2.?"      name:type; . has one value, ? may be left out, * any number
 *                                          (at the end)
 *   types             "T=float|float64"    what a type of the others stands for; one tensor binds it for all
 *   attributes        "axis:int=-1<13"     name:kind; ! must be given, =default, <13 and >=13 operator sets
 *                                          that have it, ~ only in graphs that are read from other formats
 *
 * A type is a class (any, number, float, integer, index, bool, byte, string) or
 * the name of one type. A tensor with a quantisation stands for real numbers:
 * it fits where float does, whatever integers it holds.
 */
#ifndef TULLE_HOST_NET_OPERATORS_H
#define TULLE_HOST_NET_OPERATORS_H

#include "host/net/graph/graph.h"

struct derive;

struct operator_entry {
    const char *name, *domain;
    unsigned since, until; /* operator sets; until 0: still there */
    const char *inputs, *outputs, *types, *attributes;
    bool (*shape)(struct derive *d); /* NULL: shapes are known only from the file or when running */
    struct dim (*multiplications)(struct derive *d); /* NULL: none that count */
};

extern const struct operator_entry operators[];
extern const size_t operator_count;

/* NULL: the table has none of that name in that operator set. */
const struct operator_entry *operator_find(const char *domain, const char *name, unsigned opset);

/* One word of `inputs` or `outputs`; false: there is none for that index. */
struct operator_slot {
    struct proto_text name, type;
    bool single, optional, variadic;
};
bool operator_slot(const char *slots, size_t index, struct operator_slot *slot);
/* The text behind "T=", or the type itself. */
struct proto_text operator_type(const struct operator_entry *op, struct proto_text type);
bool operator_type_has(struct proto_text type, enum net_type one);

struct operator_attribute {
    struct proto_text name, kind, fallback;
    unsigned since, until; /* 0: not limited */
    bool required, internal;
};
/* The attribute at *at in an entry's text, from its beginning at first; false at the end. */
bool operator_next_attribute(const char **at, struct operator_attribute *attribute);
bool operator_attribute(const struct operator_entry *op, const char *name, unsigned opset,
                        struct operator_attribute *attribute);

/* Attributes of a node, or the table's default, or 0, "" or NULL. */
int64_t node_integer(const struct node *node, const char *name);
double node_real(const struct node *node, const char *name);
struct proto_text node_text(const struct node *node, const char *name);
const int64_t *node_integers(const struct node *node, const char *name, size_t *count);

/* ---- shapes and types ---------------------------------------------------------------------------- */

/* Checks a node against its entry and derives what its outputs are. False after errors. */
bool derive_node(struct net *net, struct node *node);
/* All nodes in their order. False after errors. */
bool derive_net(struct net *net);
/* The integers of a short constant, or what is known of a computed list. */
const struct dim *derive_few(struct net *net, struct tensor *tensor, unsigned *count);

/* Prints the table as the page docs/operators.md. */
void operators_page(struct strbuf *to);

#endif

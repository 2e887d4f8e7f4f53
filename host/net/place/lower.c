/* SPDX-License-Identifier: Apache-2.0
 *
 * Scalar operations as they are written down at first, with nothing left out:
 * sizes by the rules of windows, loops of every operator, and in the loops the
 * addresses of each tile and of what it is computed from.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/graph/operators.h"
#include "host/net/place/scalar.h"

/* A tensor in memory. Distances are in bytes. */
struct value {
    const struct tensor *tensor;
    size_t address, size[NET_RANK_MAX], distance[NET_RANK_MAX];
};

/* Counters of the loops over tiles of an operator's results. */
struct loops {
    size_t row, column;
};

struct lowering {
    const struct net *net;
    const size_t *within; /* as of scalar_lower() */
    struct scalar_program *p;
    struct value *values;     /* those of inputs behind those of nodes' results */
    size_t value_count, next; /* the address behind the last value */
    struct loops *loops;      /* of each node */
};

static size_t add(struct scalar_program *p, struct scalar scalar)
{
    if (p->count == p->room) {
        const size_t room = 2 * p->room + 256;
        struct scalar *more = realloc(p->scalars, room * sizeof *more);
        p->failed = p->failed || !more;
        if (!more)
            return 0;
        p->scalars = more;
        p->room = room;
    }
    p->scalars[p->count] = scalar;
    return p->count++;
}

static size_t number(struct scalar_program *p, int64_t value)
{
    return add(p, (struct scalar){.kind = SCALAR_NUMBER, .value = value});
}

static size_t operation(struct scalar_program *p, enum scalar_kind kind, size_t a, size_t b)
{
    return add(p, (struct scalar){.kind = kind, .a = a, .b = b});
}

/* With a number as the second operand. */
static size_t by(struct scalar_program *p, enum scalar_kind kind, size_t a, int64_t b)
{
    return operation(p, kind, a, number(p, b));
}

static size_t divide_up(struct scalar_program *p, size_t a, int64_t b)
{
    return by(p, SCALAR_DIVIDE, by(p, SCALAR_ADD, a, b - 1), b);
}

static void ask(struct scalar_program *p, size_t node, enum scalar_use use, size_t at)
{
    if (p->result_count == p->result_room) {
        const size_t room = 2 * p->result_room + 64;
        struct scalar_result *more = realloc(p->results, room * sizeof *more);
        p->failed = p->failed || !more;
        if (!more)
            return;
        p->results = more;
        p->result_room = room;
    }
    p->results[p->result_count++] = (struct scalar_result){node, use, at};
}

/* ---- sizes --------------------------------------------------------------------------------------- */

/* An expression of sizes. NOLINTNEXTLINE(misc-no-recursion): as deep as dim.c lets it be */
static size_t size_of(struct scalar_program *p, struct dim dim)
{
    char what;
    const char *name;
    struct dim a, b;
    if (!dim_parts(dim, &what, &name, &a, &b))
        return number(p, dim.value);
    if (!what)
        return add(p, (struct scalar){.kind = SCALAR_NAME, .name = name});
    const size_t left = size_of(p, a), right = size_of(p, b);
    return operation(p,
                     what == '+'   ? SCALAR_ADD
                     : what == '*' ? SCALAR_MULTIPLY
                                   : SCALAR_DIVIDE,
                     left, right);
}

static bool is_one_of(const struct node *node, const char *const *types)
{
    while (*types && strcmp(*types, node->type) != 0)
        types++;
    return *types;
}

static bool is_known(const struct tensor *t)
{
    return t && t->shape && t->shape->rank >= 0;
}

/* The tensor that tiles are computed from; NULL: its shape is not known, or it is a constant. */
static const struct tensor *source_of(const struct node *node)
{
    const struct tensor *t = node->input_count ? node->inputs[0] : NULL;
    return is_known(t) && !t->constant && (t->input || t->producer) ? t : NULL;
}

/* How a window moves along a dimension of the image. */
struct slides {
    int64_t kernel, stride, dilation, before, after;
};

/* Of a list with a number for each of so many dimensions. */
static int64_t of_list(const struct node *node, const char *name, size_t dims, int at, int64_t otherwise)
{
    size_t count;
    const int64_t *list = node_integers(node, name, &count);
    return list && count == dims ? list[at] : otherwise;
}

/* What a window does in that dimension of the results. False: the node has none, it depends on sizes that are
 * not known, or the dimension is no dimension of the image. */
static bool window_along(const struct node *node, int dimension, struct slides *to)
{
    static const char *const types[] = {"Conv", "QLinearConv", "ConvInteger", "MaxPool", "AveragePool", NULL};
    const struct tensor *x = source_of(node), *y = node->outputs[0];
    size_t dims = 0;
    if (!is_one_of(node, types) || !x || x->shape->rank != y->shape->rank ||
        !node_integers(node, "kernel_shape", &dims) || x->shape->rank != (int)dims + 2)
        return false;
    const bool last = proto_is(node_text(node, "layout"), "NHWC");
    const int at = dimension - (last ? 1 : 2);
    const struct dim in = x->shape->dim[dimension], out = y->shape->dim[dimension];
    if (at < 0 || at >= (int)dims)
        return false;
    *to = (struct slides){.kernel = of_list(node, "kernel_shape", dims, at, 1),
                          .stride = of_list(node, "strides", dims, at, 1),
                          .dilation = of_list(node, "dilations", dims, at, 1),
                          .before = of_list(node, "pads", 2 * dims, at, 0),
                          .after = of_list(node, "pads", 2 * dims, at + (int)dims, 0)};
    const struct proto_text pads = node_text(node, "auto_pad");
    const int64_t reach = (to->kernel - 1) * to->dilation + 1;
    if (proto_is(pads, "NOTSET"))
        return to->stride > 0 && !node_integer(node, "ceil_mode");
    if (in.term || out.term || !out.value || to->stride < 1)
        return false;
    const int64_t all = (out.value - 1) * to->stride + reach - in.value, some = all > 0 ? all : 0;
    to->before = proto_is(pads, "SAME_LOWER") ? some - some / 2 : some / 2;
    to->after = some - to->before;
    return true;
}

/* The size of a node's results by the rule of its windows, or as the graph has it. */
static size_t size_along(struct lowering *l, const struct node *node, const struct value *x, int dimension)
{
    struct scalar_program *p = l->p;
    const struct dim in = x ? x->tensor->shape->dim[dimension] : dim_number(0),
                     out = node->outputs[0]->shape->dim[dimension];
    struct slides s;
    if (!x || !window_along(node, dimension, &s))
        return size_of(p, out);
    const int64_t reach = (s.kernel - 1) * s.dilation;
    if (!in.term && !dim_is(out, (in.value + s.before + s.after - reach - 1) / s.stride + 1))
        return size_of(p, out);
    const size_t padded = by(p, SCALAR_ADD, by(p, SCALAR_ADD, x->size[dimension], s.before), s.after),
                 starts = by(p, SCALAR_SUBTRACT, by(p, SCALAR_SUBTRACT, padded, reach), 1);
    return by(p, SCALAR_ADD, by(p, SCALAR_DIVIDE, starts, s.stride), 1);
}

/* ---- values -------------------------------------------------------------------------------------- */

static struct value *find(const struct lowering *l, const struct tensor *t)
{
    for (size_t i = 0; t && i < l->value_count; i++)
        if (l->values[i].tensor == t)
            return &l->values[i];
    return NULL;
}

/* Its place is the next one; sizes are there. Returns its bytes. */
static size_t lay(struct lowering *l, struct value *v)
{
    struct scalar_program *p = l->p;
    size_t distance = number(p, (int64_t)net_type_bytes(v->tensor->type, 1));
    for (int i = v->tensor->shape->rank; i--;) {
        v->distance[i] = distance;
        distance = operation(p, SCALAR_MULTIPLY, distance, v->size[i]);
    }
    v->address = l->next;
    l->next = operation(p, SCALAR_ADD, v->address,
                        by(p, SCALAR_MULTIPLY, divide_up(p, distance, SCALAR_ALIGNMENT), SCALAR_ALIGNMENT));
    return distance;
}

/* What the caller gives lies before what reads it first. */
static struct value *take_input(struct lowering *l, const struct tensor *t)
{
    struct value *v = find(l, t);
    if (v || !t || t->producer)
        return v;
    v = &l->values[l->value_count++];
    *v = (struct value){.tensor = t};
    for (int i = 0; i < t->shape->rank; i++)
        v->size[i] = size_of(l->p, t->shape->dim[i]);
    (void)lay(l, v);
    return v;
}

/* ---- loops --------------------------------------------------------------------------------------- */

/* The counter of a loop over tiles of a node's results. */
static size_t counter(struct scalar_program *p, size_t node, bool column, size_t count)
{
    return add(p, (struct scalar){.kind = SCALAR_COUNTER, .value = 2 * (int64_t)node + column, .a = count});
}

/* How places of results say where their operand is. */
enum relation { RELATION_NONE, RELATION_SAME, RELATION_ROWS, RELATION_WINDOWS };

static enum relation relation_of(const struct node *node, const struct tensor *x)
{
    static const char *const products[] = {"MatMul", "QLinearMatMul", "MatMulInteger", NULL};
    static const char *const each[] = {
        "Relu", "Clip", "LeakyRelu", "PRelu", "Sigmoid", "Tanh",           "HardSwish",        "Elu",
        "Add",  "Sub",  "Mul",       "Div",   "Cast",    "QuantizeLinear", "DequantizeLinear", "QLinearAdd",
        NULL};
    const struct tensor *y = node->outputs[0];
    struct slides s;
    bool same = x && x->shape->rank == y->shape->rank;
    const int rank = same ? y->shape->rank : 0;
    for (int i = 0; same && i < rank - 1; i++)
        same = dim_equal(x->shape->dim[i], y->shape->dim[i]);
    if (rank && window_along(node, rank == 2 ? 1 : 2, &s))
        return RELATION_WINDOWS;
    if (!same || !rank)
        return RELATION_NONE;
    if (is_one_of(node, products) && rank > 1)
        return RELATION_ROWS;
    return is_one_of(node, each) && dim_equal(x->shape->dim[rank - 1], y->shape->dim[rank - 1])
               ? RELATION_SAME
               : RELATION_NONE;
}

/* The place of the operand in a dimension, by that of the result. */
static size_t place_in(struct scalar_program *p, const struct node *node, enum relation relation,
                       int dimension, size_t place)
{
    static const char *const pools[] = {"MaxPool", "AveragePool", NULL};
    const int rank = node->outputs[0]->shape->rank;
    struct slides s;
    if (relation == RELATION_ROWS && dimension == rank - 1)
        return number(p, 0);
    if (relation != RELATION_WINDOWS)
        return place;
    if (window_along(node, dimension, &s))
        return by(p, SCALAR_SUBTRACT, by(p, SCALAR_MULTIPLY, place, s.stride), s.before);
    return dimension == 0 || is_one_of(node, pools) ? place
                                                    : number(p, 0); /* all channels, from the first on */
}

/* The address of what a tile is computed from. */
static void lower_source(struct lowering *l, size_t node, const struct value *x, const struct value *y,
                         size_t first_row, size_t first_column)
{
    struct scalar_program *p = l->p;
    const struct node *of = l->net->nodes[node];
    const enum relation relation = relation_of(of, x ? x->tensor : NULL);
    size_t address = x ? x->address : 0, rows = first_row;
    if (relation == RELATION_NONE)
        return;
    for (int i = y->tensor->shape->rank; i--;) {
        size_t place = first_column;
        if (i < y->tensor->shape->rank - 1) {
            const size_t above = operation(p, SCALAR_DIVIDE, rows, y->size[i]);
            place = i ? operation(p, SCALAR_SUBTRACT, rows, operation(p, SCALAR_MULTIPLY, above, y->size[i]))
                      : rows;
            rows = above;
        }
        address =
            operation(p, SCALAR_ADD, address,
                      operation(p, SCALAR_MULTIPLY, place_in(p, of, relation, i, place), x->distance[i]));
    }
    ask(p, node, SCALAR_SOURCE, address);
}

/* Its loops, or those that it is computed in, and what they are told. */
static void lower_tiles(struct lowering *l, size_t node, const struct value *x, const struct value *y,
                        size_t bytes)
{
    struct scalar_program *p = l->p;
    const int rank = y->tensor->shape->rank;
    const int64_t each = (int64_t)net_type_bytes(y->tensor->type, 1);
    const size_t one = number(p, 1), columns = rank ? y->size[rank - 1] : one,
                 row = operation(p, SCALAR_MULTIPLY, columns, number(p, each)),
                 row_tiles = divide_up(p, operation(p, SCALAR_DIVIDE, bytes, row), SCALAR_TILE_ROWS),
                 column_tiles = divide_up(p, columns, SCALAR_TILE_COLUMNS);
    const size_t in = l->within ? l->within[node] : node;
    l->loops[node] =
        in != node ? l->loops[in]
                   : (struct loops){counter(p, node, false, row_tiles), counter(p, node, true, column_tiles)};
    const struct loops loops = l->loops[node];
    const size_t first_row = by(p, SCALAR_MULTIPLY, loops.row, SCALAR_TILE_ROWS),
                 first_column = by(p, SCALAR_MULTIPLY, loops.column, SCALAR_TILE_COLUMNS);
    ask(p, node, SCALAR_ADDRESS, y->address);
    ask(p, node, SCALAR_BYTES, bytes);
    ask(p, node, SCALAR_ROW_STRIDE, row);
    ask(p, node, SCALAR_LOOPS, operation(p, SCALAR_MULTIPLY, row_tiles, column_tiles));
    ask(p, node, SCALAR_TILE,
        operation(p, SCALAR_ADD,
                  operation(p, SCALAR_ADD, y->address, operation(p, SCALAR_MULTIPLY, first_row, row)),
                  by(p, SCALAR_MULTIPLY, first_column, each)));
    lower_source(l, node, x, y, first_row, first_column);
}

static void lower(struct lowering *l, size_t node)
{
    const struct node *of = l->net->nodes[node];
    struct value *x = take_input(l, source_of(of));
    struct value *y = &l->values[l->value_count];
    *y = (struct value){.tensor = of->outputs[0]};
    for (int i = 0; i < y->tensor->shape->rank; i++)
        y->size[i] = size_along(l, of, x, i);
    l->value_count++;
    lower_tiles(l, node, x, y, lay(l, y));
}

bool scalar_lower(const struct net *net, const size_t *within, struct scalar_program *to)
{
    *to = (struct scalar_program){.count = 0};
    struct value *values = calloc(2 * net->node_count + 1, sizeof *values);
    struct loops *loops = calloc(net->node_count + 1, sizeof *loops);
    struct lowering l = {.net = net, .within = within, .p = to, .values = values, .loops = loops};
    to->failed = !values || !loops;
    l.next = to->failed ? 0 : number(to, 0);
    for (size_t i = 0; i < net->node_count && !to->failed; i++)
        if (net->nodes[i]->output_count && is_known(net->nodes[i]->outputs[0]))
            lower(&l, i);
    free(values);
    free(loops);
    return !to->failed;
}

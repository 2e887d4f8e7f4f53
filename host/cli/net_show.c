/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_show.h"

#include <inttypes.h>
#include <string.h>

#include "host/net/graph/summary.h"

/* ---- text ---------------------------------------------------------------------------------------- */

static void add_tensor(struct strbuf *to, const struct tensor *t)
{
    sb_addf(to, "%s %s ", t->name, net_type_name(t->type));
    shape_print(to, t->shape);
    if (t->quantisation && t->quantisation->count == 1)
        sb_addf(to, ", scale %g, zero %d", (double)t->quantisation->scale[0], (int)t->quantisation->zero[0]);
    else if (t->quantisation)
        sb_addf(to, ", %u scales", t->quantisation->count);
}

static bool is_marked(const struct net *net, const struct tensor *t)
{
    bool marked = false;
    for (size_t i = 0; !marked && i < net->mark_count; i++)
        marked = net_find(net, net->marks[i], strlen(net->marks[i])) == t;
    return marked;
}

static void show_ends(struct strbuf *to, const char *what, const struct net *net, struct tensor *const *list,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sb_addf(to, "%-16s ", i ? "" : what);
        add_tensor(to, list[i]);
        sb_add(to, is_marked(net, list[i]) ? " (external_output)\n" : "\n");
    }
}

/* Columns are as wide as their longest word. */
enum { NAME_MAX_SHOWN = 48 };
enum { OPERATOR, OUTPUT, TYPE, SHAPE, PARAMETERS, MULTIPLICATIONS, COLUMNS };
static const char *const headings[COLUMNS] = {"operator", "output",     "type",
                                              "shape",    "parameters", "multiplications"};

static void cell(struct net *net, const struct node *node, unsigned column, struct strbuf *to)
{
    const struct tensor *out = node->output_count ? node->outputs[0] : NULL;
    const struct attribute *function = node_attribute(node, "function");
    to->len = 0;
    switch (column) {
    case OPERATOR:
        sb_add(to, node->type);
        if (function)
            sb_addf(to, "+%s", function->texts[0]);
        break;
    case OUTPUT:
        sb_addf(to, "%.*s%s", NAME_MAX_SHOWN, out ? out->name : "",
                out && strlen(out->name) > NAME_MAX_SHOWN ? "..." : "");
        break;
    case TYPE:
        sb_add(to, out ? net_type_name(out->type) : "");
        break;
    case SHAPE:
        shape_print(to, out ? out->shape : NULL);
        break;
    case PARAMETERS:
        dim_print(to, node_parameters(net, node));
        break;
    default:
        dim_print(to, node->multiplications);
    }
}

static void pad(struct strbuf *to, const char *text, size_t width, bool right)
{
    const size_t length = strlen(text);
    for (size_t i = length; right && i < width; i++)
        sb_add(to, " ");
    sb_add(to, text);
    for (size_t i = length; !right && i < width; i++)
        sb_add(to, " ");
}

static void show_nodes(struct net *net, struct strbuf *to)
{
    size_t width[COLUMNS];
    struct strbuf text = {0};
    for (unsigned c = 0; c < COLUMNS; c++) {
        width[c] = strlen(headings[c]);
        for (size_t i = 0; i < net->node_count; i++) {
            cell(net, net->nodes[i], c, &text);
            width[c] = text.len > width[c] ? text.len : width[c];
        }
    }
    for (size_t row = 0; row <= net->node_count; row++) {
        for (unsigned c = 0; c < COLUMNS; c++) {
            if (row)
                cell(net, net->nodes[row - 1], c, &text);
            sb_add(to, c ? "  " : "");
            pad(to, row ? (text.len ? sb_text(&text) : "") : headings[c], width[c], c >= PARAMETERS);
        }
        sb_add(to, "\n");
    }
    sb_free(&text);
}

void net_show(struct net *net, struct strbuf *to)
{
    const struct net_summary s = net_summarise(net);
    sb_addf(to, "%-16s %s, operator set %u\n", "format", net->format, net->opset);
    show_ends(to, "inputs", net, net->inputs, net->input_count);
    show_ends(to, "outputs", net, net->outputs, net->output_count);
    sb_addf(to, "%-16s %zu\n", "nodes", net->node_count);
    sb_addf(to, "%-16s ", "parameters");
    dim_print(to, s.parameters);
    sb_add(to, s.missing ? " (weights are missing)\n" : "\n");
    if (!s.missing)
        sb_addf(to, "%-16s %" PRIu64 "\n", "non-zeros", s.non_zeros);
    sb_addf(to, "%-16s ", "multiplications");
    dim_print(to, s.multiplications);
    sb_addf(to, "\n%-16s ", "memory");
    dim_print(to, s.weight_bytes);
    sb_add(to, " bytes of weights, ");
    dim_print(to, s.activation_bytes);
    sb_add(to, " bytes of activations");
    if (s.live_bytes)
        sb_addf(to, ", of which %" PRIu64 " at a time", s.live_bytes);
    if (s.kept_bytes)
        sb_addf(to, ", and at most %" PRIu64 " bytes that runs keep of weights", s.kept_bytes);
    sb_add(to, "\n\n");
    show_nodes(net, to);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void add_dim(struct strbuf *to, struct dim dim)
{
    struct strbuf text = {0};
    dim_print(&text, dim);
    if (dim.term)
        sb_add_json(to, sb_text(&text));
    else
        sb_add(to, sb_text(&text));
    sb_free(&text);
}

static void add_tensor_json(struct strbuf *to, const struct tensor *t)
{
    sb_add(to, "{\"name\": ");
    sb_add_json(to, t->name);
    sb_addf(to, ", \"type\": \"%s\", \"shape\": ", net_type_name(t->type));
    sb_add(to, t->shape ? "[" : "null");
    for (int i = 0; t->shape && i < t->shape->rank; i++) {
        sb_add(to, i ? ", " : "");
        add_dim(to, t->shape->dim[i]);
    }
    sb_add(to, t->shape ? "]}" : "}");
}

static void add_list(struct strbuf *to, const char *name, struct tensor *const *list, size_t count,
                     const char *indent)
{
    bool any = false;
    sb_addf(to, "%s\"%s\": [", indent, name);
    for (size_t i = 0; i < count; i++) {
        if (!list[i])
            continue;
        sb_add(to, any ? ", " : "");
        add_tensor_json(to, list[i]);
        any = true;
    }
    sb_add(to, "]");
}

void net_show_json(struct net *net, const char *passes, struct strbuf *to)
{
    const struct net_summary s = net_summarise(net);
    sb_add(to, "{\n  \"format\": ");
    sb_add_json(to, net->format);
    sb_addf(to, ",\n  \"operator_set\": %u,\n", net->opset);
    add_list(to, "inputs", net->inputs, net->input_count, "  ");
    sb_add(to, ",\n");
    add_list(to, "outputs", net->outputs, net->output_count, "  ");
    sb_add(to, ",\n  \"parameters\": ");
    add_dim(to, s.parameters);
    sb_add(to, ",\n  \"non_zeros\": ");
    if (s.missing)
        sb_add(to, "null");
    else
        sb_addf(to, "%" PRIu64, s.non_zeros);
    sb_add(to, ",\n  \"multiplications\": ");
    add_dim(to, s.multiplications);
    sb_add(to, ",\n  \"weight_bytes\": ");
    add_dim(to, s.weight_bytes);
    sb_add(to, ",\n  \"activation_bytes\": ");
    add_dim(to, s.activation_bytes);
    sb_addf(to, ",\n  \"live_bytes\": %" PRIu64 ",\n  \"kept_bytes\": %" PRIu64 ",\n  \"passes\": [",
            s.live_bytes, s.kept_bytes);
    sb_add(to, passes);
    sb_add(to, *passes ? "\n  ],\n  \"nodes\": [" : "],\n  \"nodes\": [");
    for (size_t i = 0; i < net->node_count; i++) {
        const struct node *node = net->nodes[i];
        sb_add(to, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        sb_add_json(to, node->name);
        sb_add(to, ", \"operator\": ");
        sb_add_json(to, node->type);
        if (node_attribute(node, "function"))
            sb_addf(to, ", \"function\": \"%s\"", node_attribute(node, "function")->texts[0]);
        add_list(to, "outputs", node->outputs, node->output_count, ", ");
        sb_add(to, ", \"parameters\": ");
        add_dim(to, node_parameters(net, node));
        sb_add(to, ", \"multiplications\": ");
        add_dim(to, node->multiplications);
        sb_add(to, "}");
    }
    sb_add(to, "\n  ]\n}\n");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the texts of the table's entries, and checks nodes against them.
 */
#include "host/net/graph/operators.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/near.h"
#include "host/net/graph/derive.h"

/* ---- texts --------------------------------------------------------------------------------------- */

/* The word at *at up to a blank, with what ends it stepped over. */
static struct proto_text word(const char **at, char end)
{
    const char *begin = *at += strspn(*at, " ");
    const size_t length = end == ' ' ? strcspn(begin, " ") : strcspn(begin, (char[]){end, 0});
    *at = begin + length + (begin[length] == end);
    return (struct proto_text){begin, length};
}

static struct proto_text before(struct proto_text text, char c)
{
    const char *at = memchr(text.at, c, text.length);
    return at ? (struct proto_text){text.at, (size_t)(at - text.at)} : text;
}

static struct proto_text behind(struct proto_text text, size_t length)
{
    return length < text.length ? (struct proto_text){text.at + length + 1, text.length - length - 1}
                                : (struct proto_text){"", 0};
}

bool operator_slot(const char *slots, size_t index, struct operator_slot *slot)
{
    struct proto_text w = {"", 0};
    for (size_t i = 0; i <= index && (*slots || !i); i++) {
        w = word(&slots, ' ');
        if (w.length && i < index && !*slots && w.at[w.length - 1] != '*')
            return false;
    }
    if (!w.length)
        return false;
    const char last = w.at[w.length - 1];
    slot->optional = last == '?';
    slot->variadic = last == '*';
    w.length -= slot->optional || slot->variadic;
    slot->single = w.at[w.length - 1] == '.';
    w.length -= slot->single;
    slot->name = before(w, ':');
    slot->type = behind(w, slot->name.length);
    return true;
}

struct proto_text operator_type(const struct operator_entry *op, struct proto_text type)
{
    const char *at = op->types;
    while (*at) {
        const struct proto_text rule = word(&at, ';'), name = before(rule, '=');
        if (name.length == type.length && !memcmp(name.at, type.at, type.length))
            return behind(rule, name.length);
    }
    return type;
}

static bool class_has(struct proto_text class, enum net_type one)
{
    const bool is_float = one == NET_FLOAT || one == NET_DOUBLE || one == NET_FLOAT16 || one == NET_BFLOAT16;
    const bool is_byte = one == NET_INT8 || one == NET_UINT8;
    const bool is_index = one == NET_INT32 || one == NET_INT64;
    const bool is_integer = is_byte || is_index || one == NET_INT16 || one == NET_UINT16 ||
                            one == NET_UINT32 || one == NET_UINT64 || one == NET_INT4 || one == NET_UINT4;
    return proto_is(class, "any") || (proto_is(class, "float") && is_float) ||
           (proto_is(class, "byte") && is_byte) || (proto_is(class, "index") && is_index) ||
           (proto_is(class, "integer") && is_integer) ||
           (proto_is(class, "number") && (is_float || is_integer)) || proto_is(class, net_type_name(one));
}

bool operator_type_has(struct proto_text type, enum net_type one)
{
    for (;;) {
        const struct proto_text class = before(type, '|');
        if (class_has(class, one))
            return true;
        if (class.length == type.length)
            return false;
        type = behind(type, class.length);
    }
}

bool operator_next_attribute(const char **at, struct operator_attribute *a)
{
    struct proto_text w = word(at, ' ');
    *a = (struct operator_attribute){.required = false};
    if (!w.length)
        return false;
    a->name = before(w, ':');
    w = behind(w, a->name.length);
    const char *bound = memchr(w.at, '<', w.length), *from = memchr(w.at, '>', w.length);
    if (from)
        a->since = (unsigned)strtoul(from + 2, NULL, 10);
    if (bound)
        a->until = (unsigned)strtoul(bound + 1, NULL, 10);
    w = before(before(w, '<'), '>');
    a->internal = w.length && w.at[w.length - 1] == '~';
    w.length -= a->internal;
    a->required = w.length && w.at[w.length - 1] == '!';
    w.length -= a->required;
    a->kind = before(w, '=');
    a->fallback = behind(w, a->kind.length);
    return true;
}

bool operator_attribute(const struct operator_entry *op, const char *name, unsigned opset,
                        struct operator_attribute *a)
{
    const char *at = op->attributes;
    while (operator_next_attribute(&at, a))
        if (proto_is(a->name, name) && (!opset || (opset >= a->since && (!a->until || opset < a->until))))
            return true;
    return false;
}

const struct operator_entry *operator_find(const char *domain, const char *name, unsigned opset)
{
    const bool is_main = !strcmp(domain, "ai.onnx");
    for (size_t i = 0; i < operator_count; i++) {
        const struct operator_entry *op = &operators[i];
        if (!strcmp(op->name, name) && !strcmp(op->domain, is_main ? "" : domain) &&
            (*op->domain || (opset >= op->since && (!op->until || opset < op->until))))
            return op;
    }
    return NULL;
}

/* ---- attributes of nodes ------------------------------------------------------------------------- */

static struct proto_text fallback(const struct node *node, const char *name)
{
    struct operator_attribute a;
    return node->op && operator_attribute(node->op, name, 0, &a) ? a.fallback : (struct proto_text){"", 0};
}

int64_t node_integer(const struct node *node, const char *name)
{
    const struct attribute *a = node_attribute(node, name);
    return a && a->integers ? a->integers[0] : (int64_t)strtoll(fallback(node, name).at, NULL, 10);
}

/* The table's numbers are few and short: no locale writes a digit or an "e" otherwise, but the point. */
static double table_real(struct proto_text text)
{
    double value = 0, place = 0;
    for (size_t i = text.length && *text.at == '-'; i < text.length && text.at[i] != 'e'; i++) {
        if (text.at[i] == '.') {
            place = 1;
            continue;
        }
        value = value * 10 + (text.at[i] - '0');
        place *= 10;
    }
    value = place > 0 ? value / place : value;
    const struct proto_text exponent = behind(text, before(text, 'e').length);
    for (long e = exponent.length ? strtol(exponent.at, NULL, 10) : 0; e < 0; e++)
        value /= 10;
    return text.length && *text.at == '-' ? -value : value;
}

double node_real(const struct node *node, const char *name)
{
    const struct attribute *a = node_attribute(node, name);
    return a && a->reals ? (double)a->reals[0] : table_real(fallback(node, name));
}

struct proto_text node_text(const struct node *node, const char *name)
{
    const struct attribute *a = node_attribute(node, name);
    return a && a->texts ? (struct proto_text){a->texts[0], strlen(a->texts[0])} : fallback(node, name);
}

const int64_t *node_integers(const struct node *node, const char *name, size_t *count)
{
    const struct attribute *a = node_attribute(node, name);
    *count = a && a->integers ? a->count : 0;
    return *count ? a->integers : NULL;
}

/* ---- checks -------------------------------------------------------------------------------------- */

static bool check_kind(const struct net *net, const struct node *node, const struct attribute *a,
                       struct proto_text kind)
{
    static const char *const kinds[] = {
        [ATTRIBUTE_INT] = "int",       [ATTRIBUTE_INTS] = "ints",
        [ATTRIBUTE_FLOAT] = "float",   [ATTRIBUTE_FLOATS] = "floats",
        [ATTRIBUTE_STRING] = "string", [ATTRIBUTE_STRINGS] = "strings",
        [ATTRIBUTE_TENSOR] = "tensor", [ATTRIBUTE_OTHER] = "something else",
    };
    if (proto_is(kind, kinds[a->kind]) && (a->kind == ATTRIBUTE_OTHER || a->count))
        return true;
    if (a->kind != ATTRIBUTE_OTHER && !a->count && proto_is(kind, kinds[a->kind]))
        return true; /* an empty list */
    node_error(net, node, "attribute %.60s is %s; it must be %.*s", a->name, kinds[a->kind], (int)kind.length,
               kind.at);
    return false;
}

static bool check_attribute(const struct net *net, const struct node *node, const struct attribute *a)
{
    enum { MOST = 24 };
    const char *names[MOST], *at = node->op->attributes;
    char text[MOST][40];
    struct operator_attribute known;
    size_t count = 0;
    if (operator_attribute(node->op, a->name, *node->op->domain ? 0 : net->opset, &known))
        return check_kind(net, node, a, known.kind);
    if (!strcmp(a->name, "consumed_inputs") && net->opset < 6)
        return true; /* it said what may be overwritten */
    while (count < MOST && operator_next_attribute(&at, &known)) {
        snprintf(text[count], sizeof *text, "%.*s", (int)known.name.length, known.name.at);
        names[count] = text[count];
        count++;
    }
    const char *near = near_word(a->name, names, count);
    node_error(net, node, "attribute %.60s is not known in operator set %u%s%s", a->name, net->opset,
               near ? "; there is " : "", near ? near : "");
    return false;
}

static bool check_attributes(const struct net *net, const struct node *node)
{
    const char *at = node->op->attributes;
    struct operator_attribute known;
    bool ok = true;
    for (size_t i = 0; i < node->attribute_count; i++)
        ok &= check_attribute(net, node, &node->attributes[i]);
    while (operator_next_attribute(&at, &known)) {
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)known.name.length, known.name.at);
        if (known.required && net->opset >= known.since && !node_attribute(node, name)) {
            node_error(net, node, "attribute %s is missing", name);
            ok = false;
        }
    }
    return ok;
}

static bool check_count(const struct net *net, const struct node *node, const char *slots,
                        struct tensor *const *tensors, size_t count, const char *what)
{
    struct operator_slot slot;
    for (size_t i = 0; i < count; i++)
        if (!operator_slot(slots, i, &slot)) {
            node_error(net, node, "it has %zu %ss; the operator takes %zu", count, what, i);
            return false;
        }
    for (size_t i = 0; operator_slot(slots, i, &slot) && !(slot.variadic && i); i++)
        if (!slot.optional && (i >= count || !tensors[i])) {
            node_error(net, node, "%s %.*s is missing", what, (int)slot.name.length, slot.name.at);
            return false;
        }
    return true;
}

static bool check_single(const struct net *net, const struct node *node, size_t i)
{
    struct operator_slot slot;
    const struct tensor *t = node->inputs[i];
    if (!t || !t->shape || !operator_slot(node->op->inputs, i, &slot) || !slot.single)
        return true;
    bool ok = true;
    for (int k = 0; k < t->shape->rank; k++)
        ok = ok && (t->shape->dim[k].term || t->shape->dim[k].value == 1);
    if (!ok)
        node_error(net, node, "input %.*s is a list; it must be one value", (int)slot.name.length,
                   slot.name.at);
    return ok;
}

/* ---- types --------------------------------------------------------------------------------------- */

/* What a tensor counts as for a class of types. */
static enum net_type seen(const struct tensor *t, struct proto_text class)
{
    return t->quantisation && operator_type_has(class, NET_FLOAT) ? NET_FLOAT : t->type;
}

/* The type that an earlier input has given to a name of types; NET_NO_TYPE: none yet. */
static enum net_type bound(const struct node *node, struct proto_text name, size_t inputs)
{
    struct operator_slot slot;
    const struct proto_text class = operator_type(node->op, name);
    if (class.at == name.at)
        return NET_NO_TYPE; /* a class, not a name */
    for (size_t i = 0; i < inputs; i++)
        if (node->inputs[i] && node->inputs[i]->type && operator_slot(node->op->inputs, i, &slot) &&
            slot.type.length == name.length && !memcmp(slot.type.at, name.at, name.length))
            return seen(node->inputs[i], class);
    return NET_NO_TYPE;
}

static bool check_type(const struct net *net, const struct node *node, size_t i)
{
    struct operator_slot slot;
    const struct tensor *t = node->inputs[i];
    if (!t || !t->type || !operator_slot(node->op->inputs, i, &slot))
        return true;
    const struct proto_text class = operator_type(node->op, slot.type);
    const enum net_type type = seen(t, class), other = bound(node, slot.type, i);
    if (!operator_type_has(class, type)) {
        node_error(net, node, "input %.*s is %s; it must be %.*s", (int)slot.name.length, slot.name.at,
                   net_type_name(t->type), (int)class.length, class.at);
        return false;
    }
    if (other && other != type) {
        node_error(net, node, "input %.*s is %s, but an input before it is %s; both must be the same",
                   (int)slot.name.length, slot.name.at, net_type_name(type), net_type_name(other));
        return false;
    }
    return true;
}

static bool give_type(struct derive *d, size_t i)
{
    struct operator_slot slot;
    const struct node *node = d->node;
    if (!node->outputs[i] || !operator_slot(node->op->outputs, i, &slot))
        return true;
    const struct proto_text class = operator_type(node->op, slot.type);
    enum net_type type = bound(node, slot.type, node->input_count);
    for (int one = 1; !type && class.at == slot.type.at && one < NET_TYPES; one++)
        if (proto_is(class, net_type_name((enum net_type)one)))
            type = (enum net_type)one;
    return !type || set_type(d, i, type);
}

bool derive_node(struct net *net, struct node *node)
{
    struct derive d = {net, node, &net->arena};
    node->settled = false;
    bool ok = check_attributes(net, node) &&
              check_count(net, node, node->op->inputs, node->inputs, node->input_count, "input") &&
              check_count(net, node, node->op->outputs, node->outputs, node->output_count, "output");
    for (size_t i = 0; ok && i < node->input_count; i++)
        ok = check_type(net, node, i) && check_single(net, node, i);
    for (size_t i = 0; ok && i < node->output_count; i++)
        ok = give_type(&d, i);
    ok = ok && (!node->op->shape || node->op->shape(&d));
    node->multiplications = ok && node->op->multiplications ? node->op->multiplications(&d) : dim_number(0);
    return ok;
}

bool derive_net(struct net *net)
{
    bool ok = true;
    for (size_t i = 0; i < net->node_count; i++)
        ok &= !net->nodes[i]->op || derive_node(net, net->nodes[i]);
    return ok;
}

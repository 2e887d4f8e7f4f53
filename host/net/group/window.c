/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/group/window.h"

#include <string.h>

enum { IMAGE_RANK = 4 };

static const struct {
    const char *type;
    size_t weights; /* operand; 0: none */
} windows[] = {{"Conv", 1}, {"QLinearConv", 3}, {"MaxPool", 0}, {"AveragePool", 0}};

static const char *const each[] = {"Relu",
                                   "Clip",
                                   "LeakyRelu",
                                   "PRelu",
                                   "Sigmoid",
                                   "Tanh",
                                   "Elu",
                                   "Exp",
                                   "HardSwish",
                                   "HardSigmoid",
                                   "Identity",
                                   "Add",
                                   "Sub",
                                   "Mul",
                                   "Max",
                                   "Min",
                                   "QuantizeLinear",
                                   "DequantizeLinear",
                                   "QLinearAdd",
                                   "QLinearMul",
                                   "QLinearLeakyRelu",
                                   "QLinearSigmoid"};

/* Of all channels at a place, if these are the operator's axis. */
static const char *const along_channels[] = {"Concat", "Softmax", "QLinearConcat"};

static bool is_one_of(const struct node *node, const char *const *types, size_t count)
{
    size_t at = 0;
    while (at < count && strcmp(types[at], node->type) != 0)
        at++;
    return at < count;
}

int64_t group_size(const struct group_chart *chart, const struct tensor *tensor, int axis)
{
    const bool image = tensor->shape && tensor->shape->rank == IMAGE_RANK;
    return image ? tensor->shape->dim[chart->axis[axis]].value : 1;
}

size_t group_weights_operand(const struct node *node)
{
    static const struct {
        const char *type;
        size_t weights;
    } products[] = {{"Gemm", 1}, {"MatMul", 1}, {"QLinearMatMul", 3}, {"QGemm", 3}, {"ConvTranspose", 1}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        if (!strcmp(windows[i].type, node->type))
            return windows[i].weights;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (!strcmp(products[i].type, node->type))
            return products[i].weights;
    return 0;
}

bool group_has_window(const struct node *node)
{
    size_t at = 0;
    while (at < sizeof windows / sizeof *windows && strcmp(windows[at].type, node->type) != 0)
        at++;
    /* The mean of padding that the image's size decides would be another one in a slice. */
    const bool other = node_integer(node, "ceil_mode") && node_integer(node, "count_include_pad");
    return at < sizeof windows / sizeof *windows && node->output_count == 1 && !other;
}

/* ---- operands at the same place ------------------------------------------------------------------------ */

/* Whether a constant operand is the same for all rows and columns. */
static bool is_same_everywhere(const struct group_chart *chart, const struct node *node,
                               const struct tensor *t)
{
    const struct tensor *out = node->outputs[0];
    bool same = t->shape && out->shape && t->shape->rank <= out->shape->rank;
    for (int axis = 0; same && axis < GROUP_AXES && out->shape->rank == IMAGE_RANK; axis++) {
        const int at = chart->axis[axis] - (out->shape->rank - t->shape->rank);
        same = at < 0 || dim_is(t->shape->dim[at], 1);
    }
    return same;
}

static bool has_channels_axis(const struct group_chart *chart, const struct node *node)
{
    const struct tensor *out = node->outputs[0];
    const int channel = chart->axis[GROUP_ROWS] == 1 ? IMAGE_RANK - 1 : 1;
    int64_t axis = node_integer(node, "axis");
    if (!out->shape || out->shape->rank != IMAGE_RANK)
        return false;
    axis += axis < 0 ? IMAGE_RANK : 0;
    return axis == channel;
}

/* Numbers of scales, limits and the like do not belong to places. */
static bool is_parameter(const struct node *node, size_t input)
{
    static const char *const arithmetic[] = {"Add", "Sub", "Mul", "Max", "Min", "PRelu", "Concat"};
    return input && !is_one_of(node, arithmetic, sizeof arithmetic / sizeof *arithmetic) &&
           node->inputs[input]->shape->rank <= 1;
}

/* Scales of a QuantizeLinear and so on that are for channels, and a Softmax of channels alone. */
static bool has_axis(const struct group_chart *chart, const struct node *node)
{
    enum { SOFTMAX_OF_ONE_AXIS = 13 };
    const bool linear = !strcmp(node->type, "QuantizeLinear") || !strcmp(node->type, "DequantizeLinear"),
               softmax = !strcmp(node->type, "Softmax"), last = chart->axis[GROUP_ROWS] == 1;
    if (softmax && chart->net->opset < SOFTMAX_OF_ONE_AXIS && !last)
        return false;
    if (linear && shape_elements(chart->net, node->inputs[1]->shape).value == 1)
        return true;
    return (!linear && !is_one_of(node, along_channels, sizeof along_channels / sizeof *along_channels)) ||
           has_channels_axis(chart, node);
}

/* Whether results are where operands are: of all operands that are images the sizes are those of the result.
 */
bool group_is_each(const struct group_chart *chart, const struct node *node)
{
    const bool along = is_one_of(node, along_channels, sizeof along_channels / sizeof *along_channels);
    if (node->output_count != 1 || (!along && !is_one_of(node, each, sizeof each / sizeof *each)) ||
        !has_axis(chart, node))
        return false;
    bool same = true;
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *t = node->inputs[i];
        if (!t)
            continue;
        if (t->constant)
            same = same && (is_parameter(node, i) || is_same_everywhere(chart, node, t));
        for (int axis = 0; axis < GROUP_AXES && !t->constant; axis++)
            same = same && (group_size(chart, t, axis) == group_size(chart, node->outputs[0], axis) ||
                            group_size(chart, t, axis) == 1);
    }
    return same;
}

/* ---- windows --------------------------------------------------------------------------------------- */

static int64_t kernel_of(const struct node *node, int axis)
{
    const size_t weights = group_weights_operand(node);
    size_t count;
    const int64_t *kernel = node_integers(node, "kernel_shape", &count);
    if (!weights)
        return kernel && count > (size_t)axis ? kernel[axis] : 1;
    const struct proto_text layout = node_text(node, "weights_layout");
    const int first = proto_is(layout, "OHWI") || proto_is(layout, "1HWO") ? 1 : 2;
    const struct shape *shape = node->inputs[weights]->shape;
    return shape && shape->rank == IMAGE_RANK ? shape->dim[first + axis].value : 1;
}

static int64_t number_of(const struct node *node, const char *name, size_t at, int64_t fallback)
{
    size_t count;
    const int64_t *list = node_integers(node, name, &count);
    return list && at < count ? list[at] : fallback;
}

static int64_t padding_before(const struct group_window *w, const struct node *node, int axis, int64_t in,
                              int64_t out)
{
    const struct proto_text automatic = node_text(node, "auto_pad");
    const int64_t reach = (w->kernel - 1) * w->dilation + 1, total = (out - 1) * w->stride + reach - in,
                  all = total > 0 ? total : 0;
    if (proto_is(automatic, "SAME_UPPER"))
        return all / 2;
    if (proto_is(automatic, "SAME_LOWER"))
        return all - all / 2;
    return proto_is(automatic, "VALID") ? 0 : number_of(node, "pads", (size_t)axis, 0);
}

void group_window_read(const struct group_chart *chart, const struct node *node, size_t input,
                       struct group_window window[GROUP_AXES])
{
    const struct tensor *in = node->inputs[input], *out = node->outputs[0];
    const bool is_each = group_is_each(chart, node),
               slides = input == 0 && group_has_window(node) && in->shape && in->shape->rank == IMAGE_RANK;
    for (int axis = 0; axis < GROUP_AXES; axis++) {
        const int64_t size = group_size(chart, in, axis), results = group_size(chart, out, axis);
        struct group_window *w = &window[axis];
        *w = (struct group_window){.reach = is_each && size == results ? REACH_SAME : REACH_WHOLE};
        if (!slides)
            continue;
        *w = (struct group_window){.reach = REACH_WINDOW,
                                   .kernel = kernel_of(node, axis),
                                   .stride = number_of(node, "strides", (size_t)axis, 1),
                                   .dilation = number_of(node, "dilations", (size_t)axis, 1)};
        w->before = padding_before(w, node, axis, size, results);
    }
}

struct group_span group_window_span(const struct group_window *window, int64_t size, int64_t begin,
                                    int64_t end)
{
    const struct group_window *w = window;
    if (w->reach == REACH_WHOLE)
        return (struct group_span){.end = size};
    if (w->reach == REACH_SAME)
        return (struct group_span){.begin = begin, .end = end};
    const int64_t low = begin * w->stride - w->before,
                  high = (end - 1) * w->stride - w->before + (w->kernel - 1) * w->dilation + 1;
    return (struct group_span){.begin = low > 0 ? low : 0,
                               .end = high < size ? high : size,
                               .before = low < 0 ? -low : 0,
                               .after = high > size ? high - size : 0};
}

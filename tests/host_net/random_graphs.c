/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_net/random_graphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/host_net/support.h"

enum { TENSORS_MOST = 64, SIZE_MOST = 9 };

/* A graph's text while it grows. Tensors are t0, t1, ...: images of one batch. */
struct graph {
    struct random *random;
    struct strbuf text;
    unsigned count;     /* tensors */
    unsigned constants; /* c0, c1, ... */
    unsigned dim[TENSORS_MOST][3];
};

static unsigned pick(struct graph *g, unsigned low, unsigned high)
{
    return random_range(g->random, low, high);
}

static double real(struct graph *g)
{
    return ((double)pick(g, 0, 4000) - 2000) / 1000;
}

/* ---- pieces -------------------------------------------------------------------------------------- */

/* A constant of floats from low to high; "1, 2, 3" are its dimensions. Returns its number. */
static unsigned constant(struct graph *g, const char *dims, unsigned count, double low, double high)
{
    sb_addf(&g->text, "initializer { name: 'c%u' dims: [%s] data_type: 1 float_data: [", g->constants, dims);
    for (unsigned i = 0; i < count; i++)
        sb_addf(&g->text, "%s%.9g", i ? ", " : "", low + (high - low) * (real(g) + 2) / 4);
    sb_add(&g->text, "] }\n");
    return g->constants++;
}

static unsigned integers(struct graph *g, const char *dims, int type, const int64_t *values, unsigned count)
{
    sb_addf(&g->text, "initializer { name: 'c%u' dims: [%s] data_type: %d %s: [", g->constants, dims, type,
            type == NET_INT64   ? "int64_data"
            : type == NET_FLOAT ? "float_data"
                                : "int32_data");
    for (unsigned i = 0; i < count; i++)
        sb_addf(&g->text, "%s%lld", i ? ", " : "", (long long)values[i]);
    sb_add(&g->text, "] }\n");
    return g->constants++;
}

static const char *dims_of(char to[64], const unsigned *dim, unsigned count)
{
    int at = 0;
    *to = 0;
    for (unsigned i = 0; i < count; i++)
        at += snprintf(to + at, 64 - (size_t)at, "%s%u", i ? ", " : "", dim[i]);
    return to;
}

/* Begins a node that reads tensor `from`; its output is the next tensor, of the same shape. */
static void begin(struct graph *g, const char *type, unsigned from)
{
    sb_addf(&g->text, "node { op_type: '%s' input: 't%u' ", type, from);
    for (unsigned i = 0; i < 3; i++)
        g->dim[g->count][i] = g->dim[from][i];
}

static unsigned end(struct graph *g)
{
    sb_addf(&g->text, "output: 't%u' }\n", g->count);
    return g->count++;
}

static void ints(struct graph *g, const char *name, const unsigned *values, unsigned count)
{
    char text[64];
    sb_addf(&g->text, "attribute { name: '%s' type: INTS ints: [%s] } ", name, dims_of(text, values, count));
}

static void number(struct graph *g, const char *name, double value)
{
    sb_addf(&g->text, "attribute { name: '%s' type: FLOAT f: %.9g } ", name, value);
}

static unsigned unary(struct graph *g, const char *type, unsigned from)
{
    begin(g, type, from);
    return end(g);
}

/* ---- layers of floats ---------------------------------------------------------------------------- */

struct window {
    unsigned kernel[2], pads[4];
};

/* One that the image has room for. */
static struct window draw_window(struct graph *g, unsigned from)
{
    struct window w;
    for (unsigned i = 0; i < 2; i++) {
        const unsigned size = g->dim[from][1 + i];
        w.kernel[i] = pick(g, 1, size < 3 ? size : 3);
        w.pads[i] = pick(g, 0, w.kernel[i] > 1);
        w.pads[2 + i] = pick(g, 0, w.kernel[i] > 1);
    }
    return w;
}

/* The window's attributes, and the sizes of the result. */
static void put_window(struct graph *g, const struct window *w)
{
    ints(g, "kernel_shape", w->kernel, 2);
    ints(g, "pads", w->pads, 4);
    for (unsigned i = 0; i < 2; i++)
        g->dim[g->count][1 + i] += w->pads[i] + w->pads[2 + i] + 1 - w->kernel[i];
}

/* Weights, of which some results have none. */
static unsigned kernels(struct graph *g, const unsigned shape[4])
{
    char dims[64];
    const unsigned row = shape[1] * shape[2] * shape[3];
    sb_addf(&g->text, "initializer { name: 'c%u' dims: [%s] data_type: 1 float_data: [", g->constants,
            dims_of(dims, shape, 4));
    for (unsigned o = 0; o < shape[0]; o++) {
        const bool dead = pick(g, 0, 3) == 0;
        for (unsigned i = 0; i < row; i++)
            sb_addf(&g->text, "%s%.9g", o || i ? ", " : "", dead ? 0 : real(g) / 2);
    }
    sb_add(&g->text, "] }\n");
    return g->constants++;
}

static unsigned convolve(struct graph *g, unsigned from)
{
    const unsigned outputs = pick(g, 1, 4), inputs = g->dim[from][0];
    const struct window window = draw_window(g, from);
    const unsigned shape[] = {outputs, inputs, window.kernel[0], window.kernel[1]};
    const bool has_bias = pick(g, 0, 1);
    char dims[64];
    const unsigned w = kernels(g, shape);
    if (has_bias)
        constant(g, dims_of(dims, shape, 1), outputs, -1, 1);
    begin(g, "Conv", from);
    sb_addf(&g->text, "input: 'c%u' ", w);
    if (has_bias)
        sb_addf(&g->text, "input: 'c%u' ", w + 1);
    put_window(g, &window);
    g->dim[g->count][0] = outputs;
    return end(g);
}

static unsigned pool_of(struct graph *g, const char *type, unsigned from)
{
    const struct window window = draw_window(g, from);
    begin(g, type, from);
    put_window(g, &window);
    return end(g);
}

static unsigned transposed(struct graph *g, unsigned from)
{
    const unsigned outputs = pick(g, 1, 3), shape[] = {g->dim[from][0], outputs, 2, 2};
    char dims[64];
    const unsigned w = constant(g, dims_of(dims, shape, 4), shape[0] * outputs * 4, -1, 1);
    begin(g, "ConvTranspose", from);
    sb_addf(&g->text, "input: 'c%u' ", w);
    g->dim[g->count][0] = outputs;
    g->dim[g->count][1]++;
    g->dim[g->count][2]++;
    return end(g);
}

static unsigned normalise(struct graph *g, unsigned from)
{
    unsigned c[4];
    char dims[64];
    for (unsigned i = 0; i < 4; i++)
        c[i] = constant(g, dims_of(dims, g->dim[from], 1), g->dim[from][0], i == 0 || i == 3 ? 0.5 : -1, 1.5);
    begin(g, "BatchNormalization", from);
    sb_addf(&g->text, "input: 'c%u' input: 'c%u' input: 'c%u' input: 'c%u' ", c[0], c[1], c[2], c[3]);
    return end(g);
}

/* A factor or a sum: one number, one for each channel, or one for each column, which no convolution takes. */
static unsigned arithmetic(struct graph *g, unsigned from)
{
    static const char *const types[] = {"Mul", "Add", "Sub", "Div"};
    const unsigned type = pick(g, 0, 3), *d = g->dim[from];
    const unsigned shapes[4][4] = {{1, 1, 1, 1}, {1, d[0], 1, 1}, {d[0], 1, 1, 1}, {1, 1, 1, d[2]}};
    const unsigned shape = pick(g, 0, 3), rank = shape == 2 ? 3 : 4,
                   count = shape == 0   ? 1
                           : shape == 3 ? d[2]
                                        : d[0];
    char dims[64];
    const unsigned c = constant(g, dims_of(dims, shapes[shape], rank), count, 0.5, 2);
    const bool first = type != 3 && pick(g, 0, 1);
    begin(g, types[type], from);
    if (first) {
        g->text.len -= (size_t)snprintf(dims, sizeof dims, "input: 't%u' ", from);
        sb_addf(&g->text, "input: 'c%u' input: 't%u' ", c, from);
    } else
        sb_addf(&g->text, "input: 'c%u' ", c);
    return end(g);
}

static unsigned function(struct graph *g, unsigned from)
{
    static const char *const types[] = {"Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "Elu", "Clip"};
    const unsigned type = pick(g, 0, 6);
    const unsigned low = constant(g, "", 1, -1, 0), high = constant(g, "", 1, 0.5, 1);
    begin(g, types[type], from);
    if (type == 1 || type == 5)
        number(g, "alpha", 0.25);
    if (type == 6 && pick(g, 0, 1))
        sb_addf(&g->text, "input: 'c%u' input: 'c%u' ", low, high);
    else if (type == 6)
        sb_addf(&g->text, "input: '' input: 'c%u' ", high);
    return end(g);
}

/* A Pad, of 0 or minus infinity, and a window behind it. */
static unsigned padded(struct graph *g, unsigned from)
{
    const bool most = pick(g, 0, 1);
    int64_t pads[8] = {0};
    for (unsigned i = 0; i < 2; i++) {
        pads[2 + i] = pick(g, 0, 1);
        pads[6 + i] = pick(g, 0, 1);
    }
    const unsigned c = integers(g, "8", NET_INT64, pads, 8);
    const unsigned v = g->constants;
    if (most) {
        sb_addf(&g->text, "initializer { name: 'c%u' data_type: 1 raw_data: '\\000\\000\\200\\377' }\n", v);
        g->constants++;
    }
    begin(g, "Pad", from);
    sb_addf(&g->text, "input: 'c%u' ", c);
    if (most)
        sb_addf(&g->text, "input: 'c%u' ", v);
    for (unsigned i = 0; i < 2; i++)
        g->dim[g->count][1 + i] += (unsigned)(pads[2 + i] + pads[6 + i]);
    const unsigned pad = end(g);
    if (!most && pick(g, 0, 1))
        return convolve(g, pad);
    return pool_of(g, most ? "MaxPool" : "AveragePool", pad);
}

static unsigned pool(struct graph *g, unsigned from)
{
    return pool_of(g, pick(g, 0, 1) ? "MaxPool" : "AveragePool", from);
}

/* Nodes that do nothing. */
static unsigned idle(struct graph *g, unsigned from)
{
    static const char *const types[] = {"Identity", "Dropout", "Concat", "Sum"};
    const unsigned which = pick(g, 0, 8);
    const int64_t shape[] = {1, g->dim[from][0], g->dim[from][1], g->dim[from][2]}, zeros[8] = {0};
    unsigned c = which == 4   ? integers(g, "4", NET_INT64, shape, 4)
                 : which == 5 ? constant(g, "1", 1, 1, 1)
                 : which == 6 ? integers(g, "8", NET_INT64, zeros, 8)
                              : 0;
    if (which < 4) {
        begin(g, types[which], from);
        if (which == 2)
            sb_add(&g->text, "attribute { name: 'axis' type: INT i: 1 } ");
        return end(g);
    }
    if (which < 7) {
        begin(g, which == 4 ? "Reshape" : which == 5 ? "Mul" : "Pad", from);
        sb_addf(&g->text, "input: 'c%u' ", c);
        return end(g);
    }
    begin(g, which == 7 ? "Transpose" : "Cast", from);
    if (which == 7)
        ints(g, "perm", (const unsigned[]){0, 1, 2, 3}, 4);
    else
        sb_add(&g->text, "attribute { name: 'to' type: INT i: 1 } ");
    return end(g);
}

/* A factor that is computed from constants, or a shape that is. */
static unsigned computed(struct graph *g, unsigned from)
{
    char name[16];
    snprintf(name, sizeof name, "x%u", g->count);
    if (pick(g, 0, 1)) {
        sb_addf(&g->text, "node { op_type: 'Shape' input: 't%u' output: '%s' }\n", from, name);
        begin(g, "Reshape", from);
    } else {
        const unsigned a = constant(g, "1", 1, 0.5, 1), b = constant(g, "1", 1, 0.5, 1);
        sb_addf(&g->text,
                "node { op_type: 'Constant' output: '%sc' attribute { name: 'value' type: TENSOR t { dims: 1 "
                "data_type: 1 float_data: 0.75 } } }\n",
                name);
        sb_addf(&g->text, "node { op_type: 'Add' input: 'c%u' input: 'c%u' output: '%sa' }\n", a, b, name);
        sb_addf(&g->text, "node { op_type: 'Mul' input: '%sa' input: '%sc' output: '%s' }\n", name, name,
                name);
        begin(g, "Mul", from);
    }
    sb_addf(&g->text, "input: '%s' ", name);
    return end(g);
}

static unsigned sum(struct graph *g, unsigned from)
{
    unsigned other = from;
    for (unsigned i = 0; i < g->count; i++)
        if (pick(g, 0, 1) && g->dim[i][0] == g->dim[from][0] && g->dim[i][1] == g->dim[from][1] &&
            g->dim[i][2] == g->dim[from][2])
            other = i;
    begin(g, "Add", from);
    sb_addf(&g->text, "input: 't%u' ", other);
    return end(g);
}

/* ---- whole graphs -------------------------------------------------------------------------------- */

static void open_graph(struct graph *g, struct random *random)
{
    *g = (struct graph){.random = random, .count = 1};
    g->dim[0][0] = pick(g, 1, 3);
    g->dim[0][1] = pick(g, 4, SIZE_MOST);
    g->dim[0][2] = pick(g, 4, SIZE_MOST);
    sb_addf(&g->text,
            "input { name: 't0' type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { "
            "dim_value: %u } "
            "dim { dim_value: %u } dim { dim_value: %u } } } } }\n",
            g->dim[0][0], g->dim[0][1], g->dim[0][2]);
}

/* The last tensor is an output, and now and then others are. */
static void close_graph(struct graph *g, const char *path)
{
    for (unsigned i = 1; i < g->count; i++)
        if (i == g->count - 1 || pick(g, 0, 9) == 0)
            sb_addf(&g->text, "output { name: 't%u' }\n", i);
    write_onnx(path, sb_text(&g->text));
    sb_free(&g->text);
}

void graph_of_floats(struct random *random, const char *path)
{
    typedef unsigned layer(struct graph * g, unsigned from);
    static layer *const layers[] = {convolve, convolve, normalise, arithmetic, function, padded,    pool,
                                    idle,     computed, sum,       transposed, function, arithmetic};
    struct graph g;
    open_graph(&g, random);
    const unsigned steps = pick(&g, 3, 14);
    for (unsigned i = 0; i < steps; i++) {
        /* Mostly the last tensor: patterns are chains. Another one leaves a dead end now and then. */
        const unsigned from = pick(&g, 0, 5) ? g.count - 1 : pick(&g, 0, g.count - 1);
        layer *add = layers[pick(&g, 0, sizeof layers / sizeof *layers - 1)];
        if (g.dim[from][1] >= 1 && g.dim[from][2] >= 1)
            add(&g, from);
    }
    close_graph(&g, path);
}

/* ---- quantised ----------------------------------------------------------------------------------- */

/* A scale around that size. */
static double scale_of(struct graph *g, double about, bool exact)
{
    return exact ? exp2(floor(log2(about))) : about * (0.6 + 0.4 * (real(g) + 2) / 4);
}

static unsigned scale_constant(struct graph *g, double scale)
{
    return constant(g, "", 1, scale, scale);
}

/* QuantizeLinear and DequantizeLinear with the scale of that number and the zero point behind it. */
static void quantise_again(struct graph *g, unsigned numbers)
{
    for (unsigned i = 0; i < 2; i++) {
        begin(g, i ? "DequantizeLinear" : "QuantizeLinear", g->count - 1);
        sb_addf(&g->text, "input: 'c%u' input: 'c%u' ", numbers, numbers + 1);
        end(g);
    }
}

/* The same with a new scale and zero point; returns the scale. */
static double quantise(struct graph *g, double about, bool exact)
{
    const double scale = scale_of(g, about, exact);
    const bool is_signed = pick(g, 0, 1);
    const int64_t zero = is_signed ? (pick(g, 0, 1) ? -128 : (int64_t)pick(g, 0, 40) - 20)
                                   : (pick(g, 0, 1) ? 0 : (int64_t)pick(g, 100, 150));
    const unsigned numbers = scale_constant(g, scale);
    integers(g, "", is_signed ? NET_INT8 : NET_UINT8, &zero, 1);
    quantise_again(g, numbers);
    return scale;
}

/* Some results have no weights, and some inputs. */
static void clear_channels(struct graph *g, int64_t *values, const unsigned *shape, unsigned taps)
{
    const unsigned row = shape[1] * taps;
    for (unsigned o = 0; o < shape[0]; o++)
        if (pick(g, 0, 3) == 0)
            memset(values + o * row, 0, row * sizeof *values);
    for (unsigned i = 0; i < shape[1]; i++)
        for (unsigned o = pick(g, 0, 3) ? shape[0] : 0; o < shape[0]; o++)
            memset(values + o * row + i * taps, 0, taps * sizeof *values);
}

/* Weights in int8 behind a DequantizeLinear, named w and their number. */
static void weights(struct graph *g, unsigned id, const unsigned *shape, unsigned rank, unsigned channel_axis,
                    double *scales, bool each, bool exact)
{
    int64_t values[4 * 3 * 9 + 256];
    char dims[64];
    unsigned count = 1;
    const unsigned channels = each ? shape[channel_axis] : 1;
    for (unsigned i = 0; i < rank; i++)
        count *= shape[i];
    for (unsigned i = 0; i < count; i++)
        values[i] = (int64_t)pick(g, 0, 254) - 127;
    if (rank == 4)
        clear_channels(g, values, shape, count / shape[0] / shape[1]);
    const unsigned w = integers(g, dims_of(dims, shape, rank), NET_INT8, values, count);
    sb_addf(&g->text, "initializer { name: 'c%u' %s data_type: 1 float_data: [", g->constants,
            each ? (snprintf(dims, sizeof dims, "dims: %u", channels), dims) : "");
    for (unsigned i = 0; i < channels; i++) {
        scales[i] = scale_of(g, 1.0 / 128, exact);
        sb_addf(&g->text, "%s%.9g", i ? ", " : "", scales[i] = (double)(float)scales[i]);
    }
    sb_addf(
        &g->text,
        "] }\nnode { op_type: 'DequantizeLinear' input: 'c%u' input: 'c%u' output: 'w%u' attribute { name: "
        "'axis' type: INT i: %u } }\n",
        w, g->constants, id, channel_axis);
    g->constants++;
}

static void quantised_conv(struct graph *g, double *scale, bool exact)
{
    const unsigned from = g->count - 1, id = g->count, outputs = pick(g, 1, 4);
    const unsigned shape[] = {outputs, g->dim[from][0], 2, 2}, pads[] = {1, 0, 0, 1};
    const bool each = pick(g, 0, 1), has_bias = pick(g, 0, 1), padded = pick(g, 0, 2) == 0;
    double scales[4];
    char dims[64];
    weights(g, id, shape, 4, 0, scales, each, exact);
    if (has_bias) {
        int64_t bias[4];
        for (unsigned i = 0; i < outputs; i++)
            bias[i] = (int64_t)pick(g, 0, 40000) - 20000;
        const unsigned b = integers(g, dims_of(dims, shape, 1), NET_INT32, bias, outputs);
        sb_addf(&g->text, "initializer { name: 'c%u' dims: %u data_type: 1 float_data: [", g->constants,
                outputs);
        for (unsigned i = 0; i < outputs; i++)
            sb_addf(&g->text, "%s%.9g", i ? ", " : "", *scale * scales[each ? i : 0]);
        sb_addf(&g->text,
                "] }\nnode { op_type: 'DequantizeLinear' input: 'c%u' input: 'c%u' output: 'b%u' attribute { "
                "name: 'axis' type: INT i: 0 } }\n",
                b, g->constants++, id);
    }
    begin(g, "Conv", from);
    sb_addf(&g->text, "input: 'w%u' ", id);
    if (has_bias)
        sb_addf(&g->text, "input: 'b%u' ", id);
    if (padded)
        ints(g, "pads", pads, 4);
    g->dim[g->count][0] = outputs;
    g->dim[g->count][1] -= !padded;
    g->dim[g->count][2] -= !padded;
    end(g);
    const unsigned what = pick(g, 0, 3);
    if (what == 1)
        unary(g, "Relu", g->count - 1);
    if (what == 2) {
        const unsigned low = scale_constant(g, pick(g, 0, 1) ? -1.5 : 0), high = scale_constant(g, 2);
        begin(g, "Clip", g->count - 1);
        sb_addf(&g->text, "input: 'c%u' input: 'c%u' ", low, high);
        end(g);
    }
    *scale = quantise(g, 8.0 / 128, exact);
}

/* An image above itself. */
static unsigned stack(struct graph *g, unsigned from)
{
    begin(g, "Concat", from);
    sb_addf(&g->text, "input: 't%u' attribute { name: 'axis' type: INT i: 2 } ", from);
    g->dim[g->count][1] *= 2;
    return end(g);
}

/* MatMul, or Gemm with weights in either order, to three numbers. */
static void product(struct graph *g, unsigned columns, bool exact)
{
    const unsigned kind = pick(g, 0, 2), shape[] = {columns, 3}, rows[] = {3, columns};
    double scales[4];
    weights(g, g->count, kind == 2 ? rows : shape, 2, kind != 2, scales, pick(g, 0, 1), exact);
    begin(g, kind ? "Gemm" : "MatMul", g->count - 1);
    sb_addf(&g->text, "input: 'w%u' ", g->count);
    if (kind == 2)
        sb_add(&g->text, "attribute { name: 'transB' type: INT i: 1 } ");
    end(g);
    quantise(g, 16.0 / 128, exact);
}

/* The last tensor and itself with another scale. */
static void quantised_join(struct graph *g, double *scale, bool exact)
{
    const bool product = pick(g, 0, 1);
    const unsigned from = g->count - 1;
    quantise(g, *scale * (product ? 0.5 : 2), exact);
    begin(g, product ? "Mul" : "Add", pick(g, 0, 1) ? from : g->count - 1);
    sb_addf(&g->text, "input: 't%u' ", pick(g, 0, 1) ? from : g->count - 1);
    end(g);
    if (pick(g, 0, 1))
        unary(g, "Relu", g->count - 1);
    *scale = quantise(g, 8.0 / 128, exact);
}

/* Windows of four numbers, in which padding may count. */
static void quantised_average(struct graph *g, double *scale, bool exact)
{
    const unsigned kernel[] = {2, 2}, pads[] = {1, 0, 0, 1}, from = g->count - 1;
    const bool padded = pick(g, 0, 1);
    begin(g, "AveragePool", from);
    ints(g, "kernel_shape", kernel, 2);
    if (padded) {
        ints(g, "pads", pads, 4);
        if (pick(g, 0, 2))
            sb_add(&g->text, "attribute { name: 'count_include_pad' type: INT i: 1 } ");
    }
    g->dim[g->count][1] -= !padded;
    g->dim[g->count][2] -= !padded;
    end(g);
    *scale = quantise(g, 4.0 / 128, exact);
}

void graph_of_scales(struct random *random, unsigned layers, bool exact, const char *path)
{
    struct graph g;
    open_graph(&g, random);
    double scale = quantise(&g, 2.0 / 128, exact);
    for (unsigned i = 0; i < layers && g.dim[g.count - 1][1] > 1 && g.dim[g.count - 1][2] > 1; i++) {
        quantised_conv(&g, &scale, exact);
        /* A move between the same numbers. */
        if (pick(&g, 0, 1)) {
            if (pick(&g, 0, 2))
                pool_of(&g, "MaxPool", g.count - 1);
            else
                stack(&g, g.count - 1);
            if (pick(&g, 0, 3))
                quantise_again(&g, g.constants - 2);
            else
                scale = quantise(&g, 8.0 / 128, exact);
        }
        if (pick(&g, 0, 2) == 0)
            quantised_join(&g, &scale, exact);
        if (pick(&g, 0, 2) == 0 && g.dim[g.count - 1][1] > 1 && g.dim[g.count - 1][2] > 1)
            quantised_average(&g, &scale, exact);
    }
    const unsigned *d = g.dim[g.count - 1], columns = d[0] * d[1] * d[2];
    if (layers > 1 && columns <= 80) {
        const int64_t flat[] = {1, columns};
        const unsigned r = integers(&g, "2", NET_INT64, flat, 2), s = g.constants - 3;
        begin(&g, "Reshape", g.count - 1);
        sb_addf(&g.text, "input: 'c%u' ", r);
        end(&g);
        quantise_again(&g, s);
        product(&g, columns, exact);
    }
    /* Only the end is an output: one in between is a float, which integer operators do not have. */
    sb_addf(&g.text, "output { name: 't%u' }\n", g.count - 1);
    write_onnx(path, sb_text(&g.text));
    sb_free(&g.text);
}

/* ---- integers in floats -------------------------------------------------------------------------- */

void graph_of_integers(struct random *random, const char *path)
{
    struct graph g;
    open_graph(&g, random);
    const unsigned layers = pick(&g, 1, 3);
    for (unsigned i = 0; i < layers && g.dim[g.count - 1][1] > 2 && g.dim[g.count - 1][2] > 2; i++) {
        const unsigned from = g.count - 1, outputs = pick(&g, 1, 4), inputs = g.dim[from][0];
        const unsigned shape[] = {outputs, inputs, 2, 2};
        const bool floor_of = pick(&g, 0, 1);
        int64_t w[64], kappa[4], lambda[4], factor = pick(&g, 3, 60), divisor = pick(&g, 200, 4000);
        char dims[64];
        for (unsigned k = 0; k < outputs * inputs * 4; k++)
            w[k] = (int64_t)pick(&g, 0, 60) - 30;
        for (unsigned k = 0; k < outputs; k++) {
            kappa[k] = pick(&g, 1, 20);
            lambda[k] = (int64_t)pick(&g, 0, 20000) - 10000;
        }
        const unsigned cw = integers(&g, dims_of(dims, shape, 4), NET_FLOAT, w, outputs * inputs * 4);
        const unsigned by_channel[] = {1, outputs, 1, 1};
        const unsigned ck = integers(&g, dims_of(dims, by_channel, 4), NET_FLOAT, kappa, outputs),
                       cl = integers(&g, dims, NET_FLOAT, lambda, outputs);
        const unsigned cf = integers(&g, "1", floor_of ? NET_FLOAT : NET_INT64, &factor, 1),
                       cd = integers(&g, "1", floor_of ? NET_FLOAT : NET_INT64, &divisor, 1);
        const unsigned low = scale_constant(&g, 0), high = scale_constant(&g, 255);
        begin(&g, "Conv", from);
        sb_addf(&g.text, "input: 'c%u' ", cw);
        g.dim[g.count][0] = outputs;
        g.dim[g.count][1]--;
        g.dim[g.count][2]--;
        unsigned t = end(&g);
        begin(&g, "Mul", t);
        sb_addf(&g.text, "input: 'c%u' ", ck);
        t = end(&g);
        begin(&g, "Add", t);
        sb_addf(&g.text, "input: 'c%u' ", cl);
        t = end(&g);
        if (!floor_of) {
            begin(&g, "Cast", t);
            sb_add(&g.text, "attribute { name: 'to' type: INT i: 7 } ");
            t = end(&g);
            begin(&g, "Mul", t);
            sb_addf(&g.text, "input: 'c%u' ", cf);
            t = end(&g);
        }
        begin(&g, "Div", t);
        sb_addf(&g.text, "input: 'c%u' ", cd);
        t = end(&g);
        if (floor_of) {
            t = unary(&g, "Floor", t);
        } else {
            begin(&g, "Cast", t);
            sb_add(&g.text, "attribute { name: 'to' type: INT i: 1 } ");
            t = end(&g);
        }
        begin(&g, "Clip", t);
        sb_addf(&g.text, "input: 'c%u' input: 'c%u' ", low, high);
        t = end(&g);
        if (pick(&g, 0, 1)) {
            pool_of(&g, "MaxPool", t);
        }
    }
    sb_addf(&g.text, "output { name: 't%u' }\n", g.count - 1);
    write_onnx(path, sb_text(&g.text));
    sb_free(&g.text);
}

/* ---- channels that are dead ---------------------------------------------------------------------- */

/* Weights whose rows and columns are 0 now and then; rows of outputs first. Returns their number. */
static unsigned sparse_weights(struct graph *g, const char *dims, unsigned outputs, unsigned inputs,
                               unsigned taps, bool inputs_first)
{
    bool row[64], column[64];
    for (unsigned i = 0; i < 64; i++) {
        row[i] = pick(g, 0, 2) == 0;
        column[i] = pick(g, 0, 3) == 0;
    }
    sb_addf(&g->text, "initializer { name: 'c%u' dims: [%s] data_type: 1 float_data: [", g->constants, dims);
    for (unsigned i = 0; i < outputs * inputs * taps; i++) {
        const unsigned o = inputs_first ? i % outputs : i / taps / inputs,
                       k = inputs_first ? i / outputs : i / taps % inputs;
        sb_addf(&g->text, "%s%.9g", i ? ", " : "", row[o] || column[k] ? 0 : real(g));
    }
    sb_add(&g->text, "] }\n");
    return g->constants++;
}

static void dense_layer(struct graph *g, unsigned from, unsigned outputs, unsigned kernel)
{
    const unsigned inputs = g->dim[from][0], dim[] = {outputs, inputs, kernel, kernel};
    char dims[64];
    const unsigned w = sparse_weights(g, dims_of(dims, dim, 4), outputs, inputs, kernel * kernel, false);
    begin(g, "Conv", from);
    sb_addf(&g->text, "input: 'c%u' ", w);
    ints(g, "kernel_shape", dim + 2, 2);
    g->dim[g->count][0] = outputs;
    g->dim[g->count][1] -= kernel - 1;
    g->dim[g->count][2] -= kernel - 1;
    end(g);
    if (pick(g, 0, 1))
        unary(g, "Relu", g->count - 1);
}

/* An image as a list of numbers, in one of the ways to say it; or as the means of its channels. */
static unsigned flat(struct graph *g)
{
    const unsigned from = g->count - 1, *dim = g->dim[from];
    const unsigned kind = pick(g, 0, 3), all = kind == 3 ? dim[0] : dim[0] * dim[1] * dim[2];
    const int64_t sizes[][2] = {{1, all}, {-1, all}, {1, -1}, {0, -1}}, axes[] = {2, 3};
    if (kind == 3)
        unary(g, "GlobalAveragePool", from);
    const unsigned c = kind == 3  ? integers(g, "2", NET_INT64, axes, 2)
                       : kind > 0 ? integers(g, "2", NET_INT64, sizes[pick(g, 0, 3)], 2)
                                  : 0;
    begin(g, kind == 3 ? "Squeeze" : kind ? "Reshape" : "Flatten", g->count - 1);
    if (kind)
        sb_addf(&g->text, "input: 'c%u' ", c);
    end(g);
    return all;
}

static void dense_product(struct graph *g, unsigned inputs, unsigned outputs)
{
    const bool rows = pick(g, 0, 1);
    const unsigned dim[] = {rows ? outputs : inputs, rows ? inputs : outputs};
    char dims[64];
    const unsigned w = sparse_weights(g, dims_of(dims, dim, 2), outputs, inputs, 1, !rows);
    const unsigned bias = constant(g, dims_of(dims, &outputs, 1), outputs, 0, 0);
    begin(g, "Gemm", g->count - 1);
    sb_addf(&g->text, "input: 'c%u' input: 'c%u' ", w, bias);
    if (rows)
        sb_add(&g->text, "attribute { name: 'transB' type: INT i: 1 } ");
    end(g);
}

void graph_of_dead_channels(struct random *random, const char *path)
{
    struct graph g;
    open_graph(&g, random);
    dense_layer(&g, 0, pick(&g, 2, 6), 1);
    const unsigned first = g.count - 1;
    dense_layer(&g, pick(&g, 0, 1) ? 0 : first, pick(&g, 2, 6), 1);
    const unsigned second = g.count - 1;
    begin(&g, "Concat", first);
    sb_addf(&g.text, "input: 't%u' attribute { name: 'axis' type: INT i: %d } ", second,
            pick(&g, 0, 1) ? 1 : -3);
    g.dim[g.count][0] += g.dim[second][0];
    end(&g);
    dense_layer(&g, g.count - 1, pick(&g, 2, 4), pick(&g, 1, 3));
    const unsigned features = flat(&g), hidden = pick(&g, 2, 8);
    if (features <= 64) {
        dense_product(&g, features, hidden);
        unary(&g, "Relu", g.count - 1);
        dense_product(&g, hidden, 3);
    }
    sb_addf(&g.text, "output { name: 't%u' }\n", g.count - 1);
    write_onnx(path, sb_text(&g.text));
    sb_free(&g.text);
}

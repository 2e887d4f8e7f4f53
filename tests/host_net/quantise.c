/* SPDX-License-Identifier: Apache-2.0
 *
 * The quantiser on small networks that a seed makes: what it promises of codes,
 * weights, pruning and equalisation, and that the file it writes gives the integers
 * that it has measured.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/kernel.h"
#include "host/net/quantise/quantiser.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/random_graphs.h"
#include "tests/host_net/support.h"

TestSuite(host_net_quantise, .init = scratch_enter, .fini = scratch_leave, .timeout = 120);

static double draw(struct random *random, double most)
{
    return most * (random_range(random, 0, 2000) / 1000.0 - 1);
}

/* ---- codes and ranges ---------------------------------------------------------------------------- */

static const enum net_type types[] = {NET_INT8, NET_UINT8, NET_INT16};

static void check_code(const struct code *c, double low, double high)
{
    const double step = (double)c->scale;
    cr_assert_eq(code_value(c, code_nearest(c, 0)), 0, "0 is not exact from %g to %g", low, high);
    cr_assert(c->zero >= c->low && c->zero <= c->high);
    for (int i = 0; i <= 20; i++) {
        const double value = low + (high - low) * i / 20;
        /* The zero point is rounded, so the ends may be cut by half a step. */
        cr_assert(fabs(code_value(c, code_nearest(c, value)) - value) <= 1.001 * step,
                  "%g from %g to %g becomes %g", value, low, high, code_value(c, code_nearest(c, value)));
    }
}

Test(host_net_quantise, zero_is_exact_in_any_range)
{
    struct random random = {1};
    for (int i = 0; i < 3000; i++) {
        const double a = draw(&random, ldexp(1, (int)random_range(&random, 0, 40) - 20)),
                     b = draw(&random, 1);
        const enum net_type type = types[random_range(&random, 0, 2)];
        const double low = fmin(0, fmin(a, b)), high = fmax(0, fmax(a, b));
        const struct code c = code_for(type, false, low, high), s = code_for(NET_INT8, true, low, high);
        check_code(&c, low, high);
        check_code(&s, low, high);
        cr_assert_eq(s.zero, 0);
        if (low == 0 && type != NET_INT16)
            cr_assert_eq(c.zero, c.low, "the zero of a ReLU up to %g has the code %d", high, c.zero);
    }
    const struct code none = code_for(NET_INT8, false, 0, 0);
    cr_assert(none.scale == 1 && code_value(&none, code_nearest(&none, 0)) == 0);
}

/* Values of a bell around 0, or without those below it, and one far away. */
static double bell(struct random *random, bool positive)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += draw(random, 1);
    return positive ? fmax(0, sum) : sum;
}

enum { VALUES = 20000 };

static struct histogram histogram_of(const double *values)
{
    struct histogram h = {.bins = calloc(HISTOGRAM_BINS, sizeof(double))};
    for (int i = 0; i < VALUES; i++)
        histogram_widen(&h, values[i]);
    for (int i = 0; i < VALUES; i++)
        histogram_count(&h, values[i]);
    return h;
}

static double squared(const struct code *c, const double *values)
{
    double sum = 0;
    for (int i = 0; i < VALUES; i++)
        sum += pow(values[i] - code_value(c, code_nearest(c, values[i])), 2);
    return sum;
}

static struct code by(const struct histogram *h, enum quantise_ranges ranges)
{
    const struct quantise_options o = {.ranges = ranges, .percentile = 99.9};
    return histogram_code(h, &o, NET_INT8);
}

Test(host_net_quantise, ranges_leave_out_what_lies_far_away)
{
    static double values[VALUES];
    for (int positive = 0; positive < 2; positive++) {
        struct random random = {5};
        for (int i = 0; i < VALUES; i++)
            values[i] = bell(&random, positive);
        values[0] = 8;
        struct histogram h = histogram_of(values);
        const struct code all = by(&h, QUANTISE_MIN_MAX), part = by(&h, QUANTISE_PERCENTILE),
                          least = by(&h, QUANTISE_ERROR), even = by(&h, QUANTISE_ENTROPY);
        cr_assert(code_value(&all, 127) >= 7.9, "%g", code_value(&all, 127));
        cr_assert(code_value(&part, 127) > 3.5 && code_value(&part, 127) < 6, "%g", code_value(&part, 127));
        cr_assert(code_value(&even, 127) > 3 && code_value(&even, 127) < 7, "%g", code_value(&even, 127));
        cr_assert(squared(&least, values) < 0.99 * squared(&all, values), "%g and %g",
                  squared(&least, values), squared(&all, values));
        cr_assert(squared(&least, values) <= 1.001 * squared(&part, values));
        if (positive)
            cr_assert(least.zero == -128 && part.zero == -128 && even.zero == -128);
        free(h.bins);
    }
}

/* ---- weights ------------------------------------------------------------------------------------- */

enum { CHANNELS = 6, EACH = 18, COUNT = CHANNELS * EACH };

static double weights_error(const struct layer *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->count; i++) {
        const double scale = (double)l->scale[l->scales > 1 ? layer_output(l, i) : 0];
        sum += pow((double)l->w[i] - scale * weight_code(l, i), 2);
    }
    return sum;
}

/* In either order of weights; one channel is zero, and one is small. */
static void check_weights(struct random *random, bool columns)
{
    float w[COUNT], b[CHANNELS], scale[CHANNELS];
    double shift[CHANNELS] = {0};
    struct layer l = {.w = w,
                      .b = b,
                      .count = COUNT,
                      .channels = CHANNELS,
                      .inner = columns ? 1 : EACH,
                      .columns = columns,
                      .scale = scale,
                      .shift = shift};
    for (size_t i = 0; i < COUNT; i++) {
        const size_t c = layer_output(&l, i);
        w[i] = (float)(c == 0 ? 0 : draw(random, c == 1 ? 1e-4 : 1));
        b[c] = (float)draw(random, c == 2 ? 1e12 : 3);
    }
    weights_scale(&l, 0.25F, true);
    const double tensor = weights_error(&l);
    weights_scale(&l, 0.25F, false);
    cr_assert(weights_error(&l) <= tensor, "%g with scales for channels, %g with one", weights_error(&l),
              tensor);
    for (size_t c = 0; c < CHANNELS; c++) {
        const double step = (double)bias_scale(&l, c, 0.25F), code = bias_code(&l, c, 0.25F);
        cr_assert(fabs(code) <= 0x1.1p30 &&
                      fabs(code * step - (double)b[c]) <= 0.51 * step + 1e-6 * fabs(code * step),
                  "channel %zu: bias %g becomes %g", c, (double)b[c], code * step);
    }
}

Test(host_net_quantise, scales_for_channels_are_never_worse)
{
    struct random random = {7};
    for (int i = 0; i < 500; i++)
        check_weights(&random, i % 2);
}

/* ---- networks ------------------------------------------------------------------------------------ */

static void add_numbers(struct strbuf *to, struct random *random, const char *name, const char *dims,
                        unsigned count, double most)
{
    sb_addf(to, "initializer { name: '%s' dims: [%s] data_type: 1 float_data: [", name, dims);
    for (unsigned i = 0; i < count; i++)
        sb_addf(to, "%s%.9g", i ? ", " : "", draw(random, most));
    sb_add(to, "] }\n");
}

#define INPUT                                                                                                \
    "input { name: 'X' type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 4 } " \
    "dim { dim_value: 6 } dim { dim_value: 5 } } } } }\n"
#define NODE(type, in, out, more) \
    "node { op_type: '" type "' name: '" out ".node' input: " in " output: '" out "' " more "}\n"

/* Convolution, ReLU, depthwise convolution, ReLU, pool, convolution; a sum; a matrix product of 8 channels.
 * Weights of a channel are up to `spread` times those of others. */
static void write_chain(uint64_t seed, double spread)
{
    struct random random = {seed};
    struct strbuf text = {0};
    sb_add(&text, INPUT);
    for (unsigned c = 0; c < 8; c++) {
        char name[16];
        snprintf(name, sizeof name, "w%u", c);
        add_numbers(&text, &random, name, "1, 4, 3, 3", 36, c % 2 ? spread : 1);
    }
    sb_add(&text, NODE("Concat", "['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7']", "w",
                       "attribute { name: 'axis' type: INT i: 0 } "));
    add_numbers(&text, &random, "b", "8", 8, 1);
    add_numbers(&text, &random, "d", "8, 1, 3, 3", 72, 0.5);
    add_numbers(&text, &random, "e", "8", 8, 0.5);
    add_numbers(&text, &random, "p", "8, 8, 3, 1", 192, 0.5);
    add_numbers(&text, &random, "g", "8, 5", 40, 0.5);
    add_numbers(&text, &random, "h", "5", 5, 0.5);
    sb_add(&text, NODE("Conv", "['X', 'w', 'b']", "first",
                       "attribute { name: 'pads' type: INTS ints: [1, 1, 1, 1] } "));
    sb_add(&text, NODE("Relu", "'first'", "positive", ""));
    sb_add(&text,
           NODE("Conv", "['positive', 'd', 'e']", "deep", "attribute { name: 'group' type: INT i: 8 } "));
    sb_add(&text, NODE("Relu", "'deep'", "deeper", ""));
    sb_add(&text, NODE("MaxPool", "'deeper'", "pooled",
                       "attribute { name: 'kernel_shape' type: INTS ints: [2, 2] } "));
    sb_add(&text, NODE("Conv", "['pooled', 'p']", "point",
                       "attribute { name: 'pads' type: INTS ints: [1, 0, 1, 0] } "));
    sb_add(&text, NODE("Add", "['point', 'point']", "sum", ""));
    sb_add(&text, NODE("GlobalAveragePool", "'sum'", "mean", ""));
    sb_add(&text, NODE("Flatten", "'mean'", "flat", ""));
    if (seed % 2) {
        sb_add(&text, NODE("Gemm", "['flat', 'g', 'h']", "scores", ""));
    } else {
        sb_add(&text, NODE("MatMul", "['flat', 'g']", "product", ""));
        sb_add(&text, NODE("Add", "['h', 'product']", "scores", ""));
    }
    sb_add(&text, NODE("Softmax", "'scores'", "shares", ""));
    sb_add(&text, "output { name: 'shares' } output { name: 'scores' }");
    write_onnx("chain.onnx", sb_text(&text));
    sb_free(&text);
}

/* Samples of one input of 1 x 4 x 6 x 5, or of another size. */
enum { SAMPLES = 6, PIXELS = 4 * 6 * 5 };

struct samples {
    float numbers[SAMPLES][PIXELS];
    struct view views[SAMPLES];
    struct quantise_samples all;
};

static void make_samples(struct samples *s, uint64_t seed, int64_t width)
{
    struct random random = {seed};
    s->all = (struct quantise_samples){.count = SAMPLES, .views = s->views};
    for (int i = 0; i < SAMPLES; i++) {
        s->views[i] = (struct view){.type = NET_FLOAT,
                                    .rank = 4,
                                    .dim = {1, 4, 6, width},
                                    .count = (size_t)(24 * width),
                                    .data = s->numbers[i]};
        for (int k = 0; k < PIXELS; k++)
            s->numbers[i][k] = (float)draw(&random, 2);
    }
}

static const struct quantise_options plain = {.correct = true};

/* What a file has become; net is in the form of integers. */
struct made {
    struct net *net, *reference;
    struct strbuf onnx;
    struct quantise_report report;
};

static struct made make(const char *path, const struct quantise_samples *samples,
                        const struct quantise_options *o)
{
    struct diag diag = {0};
    struct made m = {.net = reads(path, NULL), .reference = reads(path, NULL)};
    cr_assert(quantise_net(m.net, m.reference, samples, o, &m.onnx, &m.report, &diag), "%s",
              sb_text(&diag.text));
    return m;
}

static void free_made(struct made *m)
{
    quantise_report_free(&m->report);
    sb_free(&m->onnx);
    net_free(m->net);
    net_free(m->reference);
}

static void refused(const char *path, const struct quantise_samples *samples,
                    const struct quantise_options *o, const char *word)
{
    struct diag diag = {0};
    struct quantise_report report;
    struct strbuf onnx = {0};
    struct net *net = reads(path, NULL), *reference = reads(path, NULL);
    cr_assert(!quantise_net(net, reference, samples, o, &onnx, &report, &diag), "%s", word);
    cr_assert(strstr(sb_text(&diag.text), word), "no '%s' in: %s", word, sb_text(&diag.text));
    diag_free(&diag);
    quantise_report_free(&report);
    sb_free(&onnx);
    net_free(net);
    net_free(reference);
}

static const struct quantise_tensor *tensor_of(const struct quantise_report *r, const char *name)
{
    for (size_t i = 0; i < r->tensor_count; i++)
        if (!strcmp(r->tensors[i].name, name))
            return &r->tensors[i];
    cr_assert_fail("no tensor %s", name);
    return NULL;
}

/* Outputs of both for each sample are the same bits. */
static void same_outputs(struct net *a, struct net *b, const struct quantise_samples *samples,
                         const char *what)
{
    struct diag diag = {0};
    struct view *x = outputs_of(a, samples, &diag), *y = outputs_of(b, samples, &diag);
    cr_assert(x && y && a->output_count == b->output_count, "%s: %s", what, sb_text(&diag.text));
    const size_t count = samples->count * a->output_count;
    for (size_t i = 0; i < count; i++)
        cr_assert(x[i].count == y[i].count && x[i].type == y[i].type &&
                      !memcmp(x[i].data, y[i].data, x[i].count * type_bytes(x[i].type)),
                  "%s: output %zu differs", what, i);
    outputs_free(x, count);
    outputs_free(y, count);
}

static size_t count_nodes(const struct net *net, const char *type)
{
    size_t count = 0;
    for (size_t i = 0; i < net->node_count; i++)
        count += !strcmp(net->nodes[i]->type, type);
    return count;
}

/* What was written, read again and brought to integers. */
static struct net *read_integers(const struct strbuf *onnx)
{
    struct diag diag = {0};
    write_bytes("again.onnx", onnx);
    struct net *net = reads("again.onnx", NULL);
    cr_assert(passes_settle(net, NULL, &diag), "%s", sb_text(&diag.text));
    return net;
}

static const struct quantise_options ways[] = {
    {.correct = true},
    {.ranges = QUANTISE_MIN_MAX},
    {.ranges = QUANTISE_PERCENTILE, .percentile = 99, .unsigned_codes = true},
    {.ranges = QUANTISE_ENTROPY, .symmetric = true, .correct = true},
    {.per_tensor = true, .equalise = true, .correct = true},
    {.wide_below = 40, .correct = true},
    {.prune = {.share = 0.5, .global = true}, .correct = true},
    {.prune = {.channels = 0.3}, .equalise = true},
};

Test(host_net_quantise, the_file_gives_what_was_measured)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            struct samples s;
            char what[32];
            snprintf(what, sizeof what, "seed %d, way %zu", (int)seed, i);
            write_chain(seed, 8);
            make_samples(&s, seed, 5);
            struct made m = make("chain.onnx", &s.all, &ways[i]),
                        again = make("chain.onnx", &s.all, &ways[i]);
            cr_assert(m.onnx.len == again.onnx.len && !memcmp(m.onnx.text, again.onnx.text, m.onnx.len),
                      "%s: other bytes the second time", what);
            struct net *net = read_integers(&m.onnx);
            same_outputs(net, m.net, &s.all, what);
            if (!ways[i].wide_below)
                cr_assert_eq(count_nodes(net, "QLinearConv"), 5, "%s: %zu", what,
                             count_nodes(net, "QLinearConv"));
            cr_assert_eq(count_nodes(net, "Conv") + count_nodes(net, "QLinearConv") +
                             count_nodes(net, "Gemm") + count_nodes(net, "MatMul") +
                             count_nodes(net, "GlobalAveragePool"),
                         5);
            net_free(net);
            free_made(&again);
            free_made(&m);
        }
}

Test(host_net_quantise, errors_are_small_and_counted)
{
    struct samples s;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        write_chain(seed, 1);
        make_samples(&s, seed, 5);
        struct made m = make("chain.onnx", &s.all, &plain);
        cr_assert_eq(m.report.layers, 4);
        cr_assert_eq(m.report.output_count, 2);
        for (size_t i = 0; i < m.report.tensor_count; i++) {
            const struct quantise_tensor *t = &m.report.tensors[i];
            cr_assert(quantise_decibels(&t->own) > 35 && quantise_decibels(&t->all) > 20, "%s: %g and %g dB",
                      t->name, quantise_decibels(&t->own), quantise_decibels(&t->all));
            cr_assert(t->all.noise >= 0.3 * t->own.noise, "%s", t->name);
            if (!strcmp(t->made_by, "Relu"))
                cr_assert(t->zero == -128 && t->type == NET_INT8);
        }
        cr_assert(tensor_of(&m.report, "pooled")->scale == tensor_of(&m.report, "deeper")->scale);
        cr_assert_eq(m.report.outputs[1].rows, SAMPLES);
        cr_assert_geq(m.report.outputs[1].same, SAMPLES - 1);
        free_made(&m);
    }
}

/* Numbers that are codes already: nothing is lost. */
Test(host_net_quantise, numbers_of_few_bits_stay)
{
    struct samples s;
    write_onnx("exact.onnx", INPUT "initializer { name: 'w' dims: [2, 4, 1, 1] data_type: 1 float_data: "
                                   "[127, -3, 0, 5, 1, 2, 127, -64] }\n" NODE("Conv", "['X', 'w']", "Y", "")
                                       NODE("Relu", "'Y'", "Z", "") "output { name: 'Z' }");
    make_samples(&s, 1, 5);
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < PIXELS; k++)
            s.numbers[i][k] = k == 0 ? 255 : (float)((k * 7 + i) % 2); /* scale 1, zero -128 */
    const struct quantise_options o = {.ranges = QUANTISE_MIN_MAX};
    struct made m = make("exact.onnx", &s.all, &o);
    const struct quantise_tensor *x = &m.report.tensors[0], *z = &m.report.tensors[1];
    cr_assert(x->scale == 1 && x->zero == -128 && x->all.noise == 0, "%g %d", (double)x->scale, x->zero);
    cr_assert(!strcmp(z->name, "Z") && z->zero == -128);
    /* The sums are exact, so only the rounding of the result is left. */
    cr_assert_float_eq(z->all.noise, z->own.noise, 1e-6 * z->own.noise);
    free_made(&m);
}

/* A Clip goes where the codes have its limits, and stays where they have others. */
Test(host_net_quantise, limits_that_codes_have_go)
{
    struct samples s;
    make_samples(&s, 1, 5);
    for (int stays = 0; stays < 2; stays++) {
        struct strbuf text = {0};
        sb_addf(
            &text,
            INPUT
            "initializer { name: 'w' dims: [2, 4, 1, 1] data_type: 1 float_data: [9, -8, 7, 6, 5, 6, -7, 8] "
            "}\n initializer { name: 'low' data_type: 1 float_data: [%s] }\n initializer { name: "
            "'high' data_type: 1 float_data: [6] }\n",
            stays ? "3" : "0");
        sb_add(&text, NODE("Conv", "['X', 'w']", "Y", "")
                          NODE("Clip", "['Y', 'low', 'high']", "Z", "") "output { name: 'Z' }");
        write_onnx("clip.onnx", sb_text(&text));
        sb_free(&text);
        const struct quantise_options o = {.ranges = QUANTISE_MIN_MAX};
        struct made m = make("clip.onnx", &s.all, &o);
        write_bytes("again.onnx", &m.onnx);
        struct net *net = reads("again.onnx", NULL);
        cr_assert_eq(count_nodes(net, "Clip"), (size_t)stays, "%d: %zu", stays, count_nodes(net, "Clip"));
        cr_assert_eq(count_nodes(m.net, "QLinearConv"), 1);
        cr_assert(quantise_decibels(&tensor_of(&m.report, "Z")->all) > 30);
        net_free(net);
        free_made(&m);
    }
}

/* ---- pruning and equalisation -------------------------------------------------------------------- */

static struct quantiser prepared(struct net *net, const struct quantise_samples *samples,
                                 const struct quantise_options *o, struct diag *diag)
{
    struct quantiser q = {.net = net, .options = o, .samples = samples, .diag = diag};
    cr_assert(quantiser_layers(&q) && quantiser_prune(&q) && quantiser_equalise(&q), "%s",
              sb_text(&diag->text));
    return q;
}

static size_t zeros_of(const struct layer *l)
{
    size_t zeros = 0;
    for (size_t i = 0; i < l->count; i++)
        zeros += l->w[i] == 0;
    return zeros;
}

Test(host_net_quantise, pruning_takes_its_share)
{
    struct samples s;
    struct diag diag = {0};
    write_chain(3, 1);
    make_samples(&s, 3, 5);
    for (int global = 0; global < 2; global++) {
        const struct quantise_options o = {.prune = {.share = 0.25, .global = global}};
        struct net *net = reads("chain.onnx", NULL);
        struct quantiser q = prepared(net, &s.all, &o, &diag);
        size_t all = 0, zeros = 0;
        for (size_t i = 0; i < q.layer_count; i++) {
            all += q.layers[i].count;
            zeros += zeros_of(&q.layers[i]);
            if (!global)
                cr_assert_eq(zeros_of(&q.layers[i]), q.layers[i].count / 4);
        }
        cr_assert_eq(zeros, all / 4);
        quantiser_free(&q);
        net_free(net);
    }
}

/* Of four input channels in a row two are left, the largest; a depthwise layer has none in a row. */
Test(host_net_quantise, patterns_are_along_input_channels)
{
    struct samples s;
    struct diag diag = {0};
    const struct quantise_options o = {.prune = {.keep = 2, .of = 4}};
    write_chain(4, 1);
    make_samples(&s, 4, 5);
    struct net *net = reads("chain.onnx", NULL);
    struct quantiser q = prepared(net, &s.all, &o, &diag);
    for (size_t i = 0; i < q.layer_count; i++) {
        const struct layer *l = &q.layers[i];
        const bool deep = l->groups > 1;
        const size_t kernel = l->columns ? 1 : l->inner / (l->inputs / l->groups);
        cr_assert_eq(zeros_of(l), deep ? 0 : l->count / 2, "layer %zu: %zu of %zu", i, zeros_of(l), l->count);
        for (size_t k = 0; k < l->count; k++)
            for (size_t j = 0; j < l->count; j++)
                if (!deep && l->w[k] == 0 && l->w[j] != 0 && layer_output(l, k) == layer_output(l, j) &&
                    layer_input(l, k) / 4 == layer_input(l, j) / 4 && k % kernel == j % kernel)
                    cr_assert(fabsf(l->full[k]) <= fabsf(l->full[j]));
    }
    quantiser_free(&q);
    net_free(net);
}

Test(host_net_quantise, whole_channels_go_but_not_of_the_last_layer)
{
    struct samples s;
    struct diag diag = {0};
    const struct quantise_options o = {.prune = {.channels = 0.5}};
    write_chain(5, 1);
    make_samples(&s, 5, 5);
    struct net *net = reads("chain.onnx", NULL);
    struct quantiser q = prepared(net, &s.all, &o, &diag);
    for (size_t i = 0; i < q.layer_count; i++) {
        const struct layer *l = &q.layers[i];
        size_t dead = 0;
        for (size_t c = 0; c < l->channels; c++) {
            bool any = false;
            for (size_t k = 0; k < l->count; k++)
                any |= layer_output(l, k) == c && l->w[k] != 0;
            dead += !any;
        }
        cr_assert_eq(dead, i + 1 < q.layer_count ? l->channels / 2 : 0, "layer %zu: %zu", i, dead);
    }
    quantiser_free(&q);
    net_free(net);
}

Test(host_net_quantise, repairs_make_up_for_pruning)
{
    struct samples s;
    double noise[2] = {0};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        write_chain(seed, 1);
        make_samples(&s, seed, 5);
        for (int correct = 0; correct < 2; correct++) {
            const struct quantise_options o = {.prune = {.share = 0.5}, .correct = correct};
            struct made m = make("chain.onnx", &s.all, &o);
            cr_assert(m.report.pruned && m.report.zeros >= m.report.weights / 2 - 4);
            noise[correct] += m.report.outputs[1].pruned.noise / m.report.outputs[1].pruned.signal;
            free_made(&m);
        }
    }
    cr_log_info("%g and %g", noise[1], noise[0]);
    cr_assert(noise[1] < 0.6 * noise[0], "%g and %g", noise[1], noise[0]);
}

/* Mean and deviation of the channels of a tensor with 8 of them, for all samples together. */
static void means_of(struct net *net, const char *name, const struct quantise_samples *samples,
                     double mean[8], double deviation[8])
{
    struct diag diag = {0};
    double squares[8] = {0}, count = 0;
    memset(mean, 0, 8 * sizeof *mean);
    for (size_t i = 0; i < samples->count; i++) {
        struct run *run = sample_run(net, samples, i, &diag);
        struct view v;
        cr_assert(run && run_nodes(run) && run_get(run, net_find(net, name, strlen(name)), &v) &&
                  v.dim[1] == 8);
        for (size_t k = 0; k < v.count; k++) {
            mean[k / (v.count / 8)] += view_real(&v, k);
            squares[k / (v.count / 8)] += pow(view_real(&v, k), 2);
        }
        count += (double)(v.count / 8);
        run_free(run);
    }
    for (int c = 0; c < 8; c++) {
        mean[c] /= count;
        deviation[c] = sqrt(fmax(0, squares[c] / count - mean[c] * mean[c]));
    }
}

Test(host_net_quantise, repaired_channels_are_what_they_were)
{
    static const char *const results[] = {"first", "deep", "point"};
    const struct quantise_options o = {.prune = {.share = 0.6}, .correct = true};
    struct diag diag = {0};
    struct samples s;
    write_chain(7, 1);
    make_samples(&s, 7, 5);
    struct net *net = reads("chain.onnx", NULL), *pruned = reads("chain.onnx", NULL);
    struct quantiser q = prepared(pruned, &s.all, &o, &diag);
    cr_assert(quantiser_repair(&q), "%s", sb_text(&diag.text));
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        double mean[2][8], deviation[2][8];
        means_of(net, results[i], &s.all, mean[0], deviation[0]);
        means_of(pruned, results[i], &s.all, mean[1], deviation[1]);
        for (int c = 0; c < 8; c++) {
            cr_assert_float_eq(mean[1][c], mean[0][c], 1e-4, "%s, mean %d: %g, %g", results[i], c, mean[1][c],
                               mean[0][c]);
            /* Channels without weights, or that need more than the largest factor, have less. */
            cr_assert(
                deviation[1][c] <= 1.0001 * deviation[0][c] &&
                    (deviation[1][c] >= 0.9999 * deviation[0][c] || deviation[1][c] < 0.5 * deviation[0][c]),
                "%s, deviation %d: %g, %g", results[i], c, deviation[1][c], deviation[0][c]);
        }
    }
    cr_assert(zeros_of(&q.layers[0]) == q.layers[0].count * 6 / 10);
    quantiser_free(&q);
    net_free(net);
    net_free(pruned);
}

static double unlike(const struct quantiser *q)
{
    double most[2][8] = {{0}}, worst = 1;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < q->layers[i].count; k++) {
            const struct layer *l = &q->layers[i];
            double *to = &most[i][i ? layer_input(l, k) : layer_output(l, k)];
            *to = fmax(*to, fabs((double)l->w[k]));
        }
    for (int c = 0; c < 8; c++)
        worst = fmax(worst, fmax(most[0][c] / most[1][c], most[1][c] / most[0][c]));
    return worst;
}

Test(host_net_quantise, equalisation_keeps_every_bit)
{
    struct samples s;
    struct diag diag = {0};
    const struct quantise_options none = {.per_tensor = true}, equal = {.per_tensor = true, .equalise = true};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        write_chain(seed, 32);
        make_samples(&s, seed, 5);
        struct net *a = reads("chain.onnx", NULL), *b = reads("chain.onnx", NULL);
        struct quantiser before = prepared(a, &s.all, &none, &diag),
                         after = prepared(b, &s.all, &equal, &diag);
        same_outputs(a, b, &s.all, "equalised");
        cr_assert(unlike(&before) > 8 && unlike(&after) <= 2, "%g becomes %g", unlike(&before),
                  unlike(&after));
        quantiser_free(&before);
        quantiser_free(&after);
        net_free(a);
        net_free(b);
    }
}

/* ---- 16 bits ------------------------------------------------------------------------------------- */

Test(host_net_quantise, what_is_named_keeps_16_bits)
{
    struct samples s;
    const char *names[] = {"sum", "first.node", "nothing"};
    struct quantise_options o = {.wide = names, .wide_count = 2, .correct = true};
    write_chain(6, 1);
    make_samples(&s, 6, 5);
    struct made m = make("chain.onnx", &s.all, &o);
    static const char *const wide[] = {"sum", "positive"}, *const narrow[] = {"X", "pooled", "point", "mean",
                                                                              "scores"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        cr_assert(tensor_of(&m.report, wide[i])->type == NET_INT16 &&
                  quantise_decibels(&tensor_of(&m.report, wide[i])->own) > 80);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        cr_assert_eq(tensor_of(&m.report, narrow[i])->type, NET_INT8, "%s", narrow[i]);
    free_made(&m);
    o.wide_count = 3;
    refused("chain.onnx", &s.all, &o, "has the name \"nothing\"");
    o = (struct quantise_options){.wide_below = 100};
    m = make("chain.onnx", &s.all, &o);
    for (size_t i = 0; i < m.report.tensor_count; i++)
        cr_assert_eq(m.report.tensors[i].type, NET_INT16, "%s", m.report.tensors[i].name);
    free_made(&m);
}

/* ---- what is refused, and what is defined -------------------------------------------------------- */

#define POINT(more)                                                       \
    INPUT "initializer { name: 'w' dims: [1, 4, 1, 1] data_type: 1 " more \
          " }\n" NODE("Conv", "['X', 'w']", "Y", "") "output { name: 'Y' }"

Test(host_net_quantise, wrong_samples_and_numbers_are_named)
{
    struct samples s;
    write_chain(1, 1);
    make_samples(&s, 1, 5);
    refused("chain.onnx", &(struct quantise_samples){.count = 0}, &plain, "no inputs to calibrate with");
    make_samples(&s, 1, 4);
    refused("chain.onnx", &s.all, &plain, "\"X\"");
    make_samples(&s, 1, 5);
    s.numbers[2][7] = NAN;
    refused("chain.onnx", &s.all, &plain, "element 7 of \"X\" is not finite");
    make_samples(&s, 1, 5);
    write_onnx(
        "nan.onnx",
        POINT(
            "raw_data: '\\000\\000\\000\\000\\000\\000\\300\\177\\000\\000\\000\\000\\000\\000\\000\\000'"));
    refused("nan.onnx", &s.all, &plain, "element 1 of \"w\" is not finite");
    write_onnx("large.onnx", POINT("float_data: [3e38, 3e38, 3e38, 3e38]"));
    for (int k = 0; k < PIXELS; k++)
        s.numbers[0][k] = 2;
    refused("large.onnx", &s.all, &plain, "of \"Y\" is not finite");
    write_onnx("none.onnx", INPUT NODE("Relu", "'X'", "Y", "") "output { name: 'Y' }");
    refused("none.onnx", &s.all, &plain, "no convolution or matrix product");
}

Test(host_net_quantise, a_quantised_network_is_refused)
{
    struct samples s;
    write_chain(1, 1);
    make_samples(&s, 1, 5);
    struct made m = make("chain.onnx", &s.all, &plain);
    write_bytes("again.onnx", &m.onnx);
    refused("again.onnx", &s.all, &plain, "the network is quantised already");
    free_made(&m);
}

/* A file of operator set 8, where limits of Clip are attributes, and Softmax takes all dimensions from its
 * axis on. */
static void write_early(const char *softmax_input)
{
    struct strbuf text = {0};
    sb_addf(
        &text,
        "ir_version: 3 opset_import { version: 8 } graph { name: 'g' " INPUT
        "initializer { name: 'w' dims: [3, 4, 1, 1] data_type: 1 float_data: [1, 2, -1, 0.5, 0.25, -1, 1, 2, "
        "1, 1, 0.5, -2] }\n" NODE("Conv", "['X', 'w']", "Y", "") NODE(
            "Clip", "'Y'", "Z",
            "attribute { name: 'min' type: FLOAT f: -0.25 } attribute { name: 'max' type: FLOAT f: 0.5 } ")
            NODE("GlobalAveragePool", "'Z'", "P", "") NODE("Flatten", "'P'", "F", "")
                NODE("Softmax", "'%s'", "S", "") "output { name: 'S' } }",
        softmax_input);
    write_wire("early.onnx", onnx_model, sb_text(&text));
    sb_free(&text);
}

Test(host_net_quantise, earlier_operator_sets_are_raised)
{
    struct samples s;
    write_early("F");
    make_samples(&s, 1, 5);
    struct made m = make("early.onnx", &s.all, &plain);
    cr_assert_eq(m.net->opset, 13);
    cr_assert(m.report.outputs[0].pruned.noise < 1e-10, "%g", m.report.outputs[0].pruned.noise);
    cr_assert(quantise_decibels(&m.report.outputs[0].all) > 30);
    free_made(&m);
    write_early("Z");
    refused("early.onnx", &s.all, &plain, "it has operator set 8");
}

Test(host_net_quantise, a_layer_of_zeros_gives_zeros)
{
    struct samples s;
    write_onnx("zero.onnx", POINT("float_data: [0, 0, 0, 0]"));
    make_samples(&s, 1, 5);
    struct made m = make("zero.onnx", &s.all, &plain);
    const struct quantise_tensor *y = tensor_of(&m.report, "Y");
    cr_assert(y->scale == 1 && y->all.noise == 0 && m.report.outputs[0].all.largest == 0);
    free_made(&m);
}

/* Any graph of the generator with a convolution: its own file gives the integers that were measured. */
Test(host_net_quantise, random_graphs)
{
    unsigned quantised = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random random = {seed};
        struct diag diag = {0};
        struct quantise_report report;
        struct strbuf onnx = {0};
        graph_of_floats(&random, "graph.onnx");
        struct net *net = reads("graph.onnx", NULL), *reference = reads("graph.onnx", NULL);
        struct view v = {.type = NET_FLOAT, .rank = net->inputs[0]->shape->rank, .count = 1};
        for (int k = 0; k < v.rank; k++) {
            v.dim[k] = net->inputs[0]->shape->dim[k].value;
            v.count *= (size_t)v.dim[k];
        }
        float *numbers = calloc(v.count + 1, sizeof *numbers);
        for (size_t k = 0; k < v.count; k++)
            numbers[k] = (float)draw(&random, 2);
        v.data = numbers;
        const struct quantise_samples one = {.count = 1, .views = &v};
        const bool ok = net->input_count == 1 &&
                        quantise_net(net, reference, &one, &ways[seed % 8], &onnx, &report, &diag);
        if (ok) {
            struct net *again = read_integers(&onnx);
            char what[32];
            snprintf(what, sizeof what, "seed %d", (int)seed);
            same_outputs(again, net, &one, what);
            net_free(again);
            quantise_report_free(&report);
            quantised++;
        } else
            cr_assert(strstr(sb_text(&diag.text), "no convolution") ||
                          strstr(sb_text(&diag.text), "operator set") ||
                          strstr(sb_text(&diag.text), "is not finite"),
                      "seed %d: %s", (int)seed, sb_text(&diag.text));
        diag_free(&diag);
        sb_free(&onnx);
        free(numbers);
        net_free(net);
        net_free(reference);
    }
    cr_assert(quantised >= 80, "%u graphs", quantised);
}

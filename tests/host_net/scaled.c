/* SPDX-License-Identifier: Apache-2.0
 *
 * Scaled tensors on the CPU: layers against plain loops, other operators against numbers by hand or the real
 * functions, and what is refused.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "gen/base/random.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/graphs.h"
#include "tests/host_net/support.h"

TestSuite(host_net_scaled, .init = scratch_enter, .fini = scratch_leave);

#define ROUNDS 400

/* ---- layers -------------------------------------------------------------------------------------- */

enum { NUMBERS_MOST = 1 << 14 };

/* A convolution of random sizes and numbers. */
struct problem {
    struct scaled_layer layer;
    struct view x, w, b, y;
    int64_t x_numbers[NUMBERS_MOST], w_numbers[NUMBERS_MOST], b_numbers[64], y_numbers[NUMBERS_MOST];
    struct num_step steps[64];
    int32_t zeros[64];
    bool last, one_for_each;
};

static void fill(struct random *random, struct view *view, enum net_type type, int64_t count,
                 int64_t *numbers)
{
    *view = (struct view){.type = type, .count = (size_t)count, .data = numbers};
    for (size_t i = 0; i < (size_t)count * type_bytes(type); i++)
        ((uint8_t *)numbers)[i] = (uint8_t)random_next(random);
}

static void make_sizes(struct random *random, struct slide *s)
{
    s->dims = 2;
    s->images = random_range(random, 1, 2);
    for (int i = 0; i < 2; i++) {
        s->kernel[i] = random_range(random, 1, 3);
        s->stride[i] = random_range(random, 1, 2);
        s->dilation[i] = random_range(random, 1, 2);
        s->pad[i] = random_range(random, 0, 2);
        s->size[i] = random_range(random, 1, 7);
        const int64_t reach = (s->kernel[i] - 1) * s->dilation[i] + 1,
                      room = s->size[i] + 2 * s->pad[i] - reach;
        s->result[i] = room < 0 ? 1 : room / s->stride[i] + 1;
    }
}

static void make_problem(struct random *random, struct problem *p)
{
    static const enum net_type types[] = {NET_INT8, NET_UINT8, NET_INT16};
    struct slide *s = &p->layer.slide;
    const enum net_type type = types[random_below(random, 3)], weights = type == NET_INT16 ? NET_INT8 : type;
    memset(p, 0, sizeof *p);
    make_sizes(random, s);
    p->last = random_chance(random, 60);
    p->one_for_each = p->last && random_chance(random, 40);
    s->groups = random_range(random, 1, 4);
    s->each = p->one_for_each             ? 1
              : random_chance(random, 20) ? random_range(random, 30, 70)
                                          : random_range(random, 1, 9);
    s->from.channels = s->groups * s->each;
    s->to.channels = s->groups * random_range(random, 1, 3);
    slide_count(s, p->last, p->one_for_each);
    fill(random, &p->x, type, s->images * s->from.channels * s->area, p->x_numbers);
    fill(random, &p->w, weights, s->to.channels * s->each * s->taps, p->w_numbers);
    fill(random, &p->b, type == NET_INT16 ? NET_INT64 : NET_INT32, s->to.channels, p->b_numbers);
    fill(random, &p->y, type, s->images * s->to.channels * s->results, p->y_numbers);
    p->layer.x_zero =
        type == NET_INT16 ? 0 : (int32_t)random_below(random, 256) - (type == NET_INT8 ? 128 : 0);
    for (int64_t o = 0; o < s->to.channels; o++) {
        view_set_integer(&p->b, (size_t)o, (int64_t)random_below(random, 2000) - 1000);
        p->zeros[o] = random_chance(random, 50) ? 0 : (int32_t)random_below(random, 100);
        p->steps[o] = step_of(type, (int32_t)random_below(random, 20));
        num_set_scale(&p->steps[o], (int32_t)(random_below(random, 1u << 30) + (1u << 30)),
                      -(int)random_below(random, 12), type == NET_INT16);
    }
    p->layer.steps = p->steps;
    p->layer.w_zero = random_chance(random, 50) ? p->zeros : NULL;
}

/* The number at a place of an image, less the zero point; 0 outside. */
static int64_t pixel(const struct problem *p, int64_t image, int64_t channel, const int64_t at[2])
{
    const struct slide *s = &p->layer.slide;
    if (at[0] < 0 || at[1] < 0 || at[0] >= s->size[0] || at[1] >= s->size[1])
        return 0;
    const int64_t place = at[0] * s->size[1] + at[1];
    const int64_t index = p->last ? (image * s->area + place) * s->from.channels + channel
                                  : (image * s->from.channels + channel) * s->area + place;
    return view_integer(&p->x, (size_t)index) - p->layer.x_zero;
}

static int64_t weight(const struct problem *p, int64_t o, int64_t k, int64_t tap)
{
    const struct slide *s = &p->layer.slide;
    const int64_t index = p->one_for_each ? tap * s->to.channels + o
                          : p->last       ? (o * s->taps + tap) * s->each + k
                                          : (o * s->each + k) * s->taps + tap;
    return view_integer(&p->w, (size_t)index) - (p->layer.w_zero ? p->layer.w_zero[o] : 0);
}

static int64_t expected(const struct problem *p, int64_t image, int64_t o, int64_t y, int64_t x)
{
    const struct slide *s = &p->layer.slide;
    const int64_t first = o / (s->to.channels / s->groups) * s->each;
    int64_t sum = view_integer(&p->b, (size_t)o);
    for (int64_t k = 0; k < s->each; k++)
        for (int64_t tap = 0; tap < s->taps; tap++) {
            const int64_t at[] = {y * s->stride[0] + tap / s->kernel[1] * s->dilation[0] - s->pad[0],
                                  x * s->stride[1] + tap % s->kernel[1] * s->dilation[1] - s->pad[1]};
            sum += pixel(p, image, first + k, at) * weight(p, o, k, tap);
        }
    return num_apply(&p->layer.steps[o], sum);
}

static void check_problem(const struct problem *p, unsigned round)
{
    const struct slide *s = &p->layer.slide;
    for (int64_t i = 0; i < (int64_t)p->y.count; i++) {
        const int64_t o = p->last ? i % s->to.channels : i / s->results % s->to.channels,
                      at = p->last ? i / s->to.channels % s->results : i % s->results,
                      image = i / s->to.channels / s->results;
        cr_assert_eq(view_integer(&p->y, (size_t)i),
                     expected(p, image, o, at / s->result[1], at % s->result[1]), "round %u, result %lld",
                     round, (long long)i);
    }
}

Test(host_net_scaled, layers_are_what_plain_loops_give)
{
    static struct problem p;
    struct random random = {7};
    for (unsigned round = 0; round < ROUNDS; round++) {
        make_problem(&random, &p);
        cr_assert(p.x.count * type_bytes(p.x.type) <= sizeof p.x_numbers);
        for (p.layer.form = tile_forms; p.layer.form->name; p.layer.form++) {
            if (!p.layer.form->is_there())
                continue;
            memset(p.y.data, 0x5a, p.y.count * type_bytes(p.y.type));
            cr_assert(scaled_layer(&p.layer, &p.x, &p.w, &p.b, &p.y));
            check_problem(&p, round);
        }
    }
}

/* Sums of the largest products there are, of more than 32 bits. */
Test(host_net_scaled, sums_are_exact)
{
    enum { COUNT = 70000 };
    static int16_t x[COUNT];
    static int8_t w[COUNT];
    int16_t y;
    struct num_step step = step_of(NET_INT16, 0);
    struct scaled_layer layer = {.slide = {.images = 1, .groups = 1, .each = COUNT}, .steps = &step};
    for (int i = 0; i < COUNT; i++) {
        x[i] = INT16_MIN;
        w[i] = INT8_MIN;
    }
    layer.slide.from.channels = COUNT;
    layer.slide.to.channels = 1;
    slide_count(&layer.slide, true, false);
    num_set_scale(&step, 1 << 30, -24, true); /* 2^-25 */
    cr_assert(scaled_layer(&layer, &(struct view){.type = NET_INT16, .data = x},
                           &(struct view){.type = NET_INT8, .data = w}, NULL,
                           &(struct view){.type = NET_INT16, .data = &y}));
    cr_assert_eq(y, 8750); /* 70000 * 2^22 / 2^25 */
}

/* y = (x - 1) / 2 * (w / 4) + b / 8, in units of 1/2 from 2. */
Test(host_net_scaled, a_fully_connected_node)
{
    const int64_t two[] = {1, 2}, square[] = {2, 2}, few[] = {2};
    int8_t x[] = {5, -7}, w[] = {4, 2, -8, 1}, y[2];
    int32_t b[] = {8, -4};
    const struct operand in = operand_of(NET_INT8, 2, two, x, 0.5F, 1),
                         weights = operand_of(NET_INT8, 2, square, w, 0.25F, 0),
                         bias = operand_of(NET_INT32, 1, few, b, 0.125F, 0),
                         out = operand_of(NET_INT8, 2, two, y, 0.5F, 2);
    const struct operand *const list[] = {&in, &weights, &bias};
    struct diag diag = {0};
    struct node *node;
    struct net *net = graph_of("", "Gemm", list, 3, &out, &node);
    cr_assert(net && node_set_integer(net, node, "transB", 1) && graph_run(net, list, &out, &diag), "%s",
              sb_text(&diag.text));
    net_free(net);
    cr_assert(y[0] == 4 && y[1] == -9, "%d %d", y[0], y[1]); /* 1 and -5.5 */
}

Test(host_net_scaled, sizes_that_do_not_fit)
{
    const int64_t two[] = {1, 2}, square[] = {2, 2}, one[] = {1};
    int8_t x[2] = {0}, w[4] = {0}, y[2];
    int32_t b[1] = {0};
    const struct operand in = operand_of(NET_INT8, 2, two, x, 0.5F, 1),
                         weights = operand_of(NET_INT8, 2, square, w, 0.25F, 0),
                         bias = operand_of(NET_INT32, 1, one, b, 0.125F, 0),
                         out = operand_of(NET_INT8, 2, two, y, 0.5F, 2);
    const struct operand *const list[] = {&in, &weights, &bias};
    struct diag diag = {0};
    struct node *node;
    struct net *net = graph_of("", "Gemm", list, 3, &out, &node);
    cr_assert(net && node_set_integer(net, node, "transB", 1) && !graph_run(net, list, &out, &diag));
    cr_assert(strstr(sb_text(&diag.text), "do not fit its weights, its bias"), "%s", sb_text(&diag.text));
    net_free(net);
    diag_free(&diag);
}

/* ---- operators ----------------------------------------------------------------------------------- */

static void runs(const char *type, const struct operand *const *in, size_t count, const struct operand *out,
                 const char *wrong)
{
    struct diag diag = {0};
    struct node *node;
    struct net *net =
        graph_of(!strcmp(type, "UnidirectionalSequenceLSTM") ? "tulle" : "", type, in, count, out, &node);
    cr_assert(net);
    const bool ok = graph_run(net, in, out, &diag);
    net_free(net);
    if (!wrong) {
        cr_assert(ok, "%s: %s", type, sb_text(&diag.text));
        diag_free(&diag);
        return;
    }
    cr_assert(!ok && diag.errors, "%s runs", type);
    cr_assert(strstr(sb_text(&diag.text), wrong), "%s: %s", type, sb_text(&diag.text));
    diag_free(&diag);
}

/* An operator on lists of int8, with a scale and a zero point each. */
struct list {
    float scale;
    int32_t zero;
    int8_t numbers[4];
};

static void becomes(const char *type, const struct list *in, size_t count, const struct list *out,
                    const char *wrong)
{
    const int64_t dim[] = {4};
    struct operand operands[2];
    const struct operand *list[] = {&operands[0], &operands[1]};
    int8_t numbers[2][4], result[4] = {0};
    for (size_t i = 0; i < count; i++) {
        memcpy(numbers[i], in[i].numbers, 4);
        operands[i] = operand_of(NET_INT8, 1, dim, numbers[i], in[i].scale, in[i].zero);
    }
    const struct operand y = operand_of(NET_INT8, 1, dim, result, out->scale, out->zero);
    runs(type, list, count, &y, wrong);
    for (int i = 0; i < 4 && !wrong; i++)
        cr_assert_eq(result[i], out->numbers[i], "%s %d: %d, not %d", type, i, result[i], out->numbers[i]);
}

Test(host_net_scaled, other_scales)
{
    becomes("Identity", &(struct list){0.5F, 3, {3, 4, 127, -128}}, 1,
            &(struct list){0.25F, -10, {-10, -8, 127, -128}}, NULL);
    /* Halves go up in the first step, and away from zero in the second. */
    becomes("Identity", &(struct list){0.5F, 0, {1, -1, 3, -3}}, 1, &(struct list){1, 0, {1, 0, 2, -1}},
            NULL);
    becomes("Identity", &(struct list){0.25F, 0, {2, -2, 6, -6}}, 1, &(struct list){1, 0, {1, -1, 2, -2}},
            NULL);
    becomes("Relu", &(struct list){0.5F, 0, {-5, 5, 0, 100}}, 1,
            &(struct list){1, -128, {-128, -125, -128, -78}}, NULL);
    becomes("Sigmoid", &(struct list){0.125F, 0, {0, 127, -128, 16}}, 1,
            &(struct list){1 / 256.0F, -128, {0, 127, -128, 97}}, NULL);
    becomes("HardSwish", &(struct list){0.0625F, 10, {10, -128, 127, 42}}, 1,
            &(struct list){0.0625F, -20, {-20, -20, 97, 7}}, NULL);
    becomes("Tanh", &(struct list){0.125F, 0, {0, 127, -128, 8}}, 1,
            &(struct list){1 / 128.0F, 0, {0, 127, -128, 97}}, NULL);
}

Test(host_net_scaled, two_operands)
{
    const struct list pair[] = {{0.5F, 2, {2, 4, 12, 127}}, {0.25F, -1, {-1, 3, -9, 127}}};
    becomes("Add", pair, 2, &(struct list){0.5F, 1, {1, 5, 7, 127}}, NULL);
    becomes("Sub", pair, 2, &(struct list){0.5F, 1, {1, 1, 15, 62}}, NULL);
    becomes("Mul", pair, 2, &(struct list){0.25F, 0, {0, 4, -40, 127}}, NULL);
    becomes("Max", (const struct list[]){{1, 5, {1, 2, 3, 4}}, {1, 5, {4, 3, 2, 1}}}, 2,
            &(struct list){1, 5, {4, 3, 3, 4}}, NULL);
    becomes("Max", pair, 2, &(struct list){0.5F, 2, {0}}, "must have the same scale and type");
    becomes("Add", (const struct list[]){{1, 0, {0}}, {0, 0, {0}}}, 2, &(struct list){1, 0, {0}},
            "both must be the same");
    becomes("Div", pair, 2, &(struct list){1, 0, {0}}, "with scaled values yet");
}

Test(host_net_scaled, from_and_to_real_numbers)
{
    const int64_t dim[] = {4}, none[] = {1};
    float real[] = {1.25F, -1.25F, 100, -0.7F}, scale = 0.5F, back[4];
    int8_t zero = 3, codes[4];
    const struct operand x = operand_of(NET_FLOAT, 1, dim, real, 0, 0),
                         s = operand_of(NET_FLOAT, 0, none, &scale, 0, 0),
                         z = operand_of(NET_INT8, 0, none, &zero, 0, 0),
                         y = operand_of(NET_INT8, 1, dim, codes, 0.5F, 3),
                         f = operand_of(NET_FLOAT, 1, dim, back, 0, 0);
    runs("QuantizeLinear", (const struct operand *const[]){&x, &s, &z}, 3, &y, NULL);
    cr_assert(codes[0] == 6 && codes[1] == 0 && codes[2] == 127 && codes[3] == 2, "%d %d %d %d", codes[0],
              codes[1], codes[2], codes[3]);
    runs("DequantizeLinear", (const struct operand *const[]){&y, &s, &z}, 3, &f, NULL);
    cr_assert(back[0] == 1.5F && back[1] == -1.5F && back[2] == 62 && back[3] == -0.5F);
}

Test(host_net_scaled, concatenation_brings_to_one_scale)
{
    const int64_t two[] = {2}, four[] = {4};
    int8_t a[] = {10, -10}, b[] = {4, 127}, y[4];
    const struct operand x = operand_of(NET_INT8, 1, two, a, 1, 0), z = operand_of(NET_INT8, 1, two, b, 2, 0),
                         result = operand_of(NET_INT8, 1, four, y, 1, 0);
    struct diag diag = {0};
    struct node *node;
    const struct operand *const in[] = {&x, &z};
    struct net *net = graph_of("", "Concat", in, 2, &result, &node);
    cr_assert(net && node_set_integer(net, node, "axis", 0));
    cr_assert(graph_run(net, in, &result, &diag), "%s", sb_text(&diag.text));
    net_free(net);
    cr_assert(y[0] == 10 && y[1] == -10 && y[2] == 8 && y[3] == 127, "%d %d", y[2], y[3]);
}

Test(host_net_scaled, means_and_shares)
{
    const int64_t dim[] = {1, 4}, one[] = {1, 1};
    int8_t x[] = {10, 11, 12, 14}, mean = 0, shares[4];
    const struct operand in = operand_of(NET_INT8, 2, dim, x, 0.5F, 2),
                         out = operand_of(NET_INT8, 2, one, &mean, 0.25F, 0),
                         to = operand_of(NET_INT8, 2, dim, shares, 1 / 256.0F, -128);
    struct diag diag = {0};
    struct node *node;
    const struct operand *const list[] = {&in};
    struct net *net = graph_of("", "ReduceMean", list, 1, &out, &node);
    cr_assert(net && node_set_integers(net, node, "axes", (const int64_t[]){1}, 1) &&
              graph_run(net, list, &out, &diag));
    net_free(net);
    cr_assert_eq(mean, 20, "%d", mean); /* (47 - 8) / 4 * 2 = 19.5 */
    memset(x, 7, sizeof x);
    net = graph_of("", "Softmax", list, 1, &to, &node);
    cr_assert(net && node_set_integer(net, node, "axis", -1) && graph_run(net, list, &to, &diag));
    net_free(net);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(shares[i], -64, "%d", shares[i]);
}

/* The average takes what is in the image alone. */
Test(host_net_scaled, pools_leave_padding_out)
{
    const int64_t dim[] = {1, 2, 2, 1}, three[] = {1, 3, 3, 1};
    int8_t x[] = {-8, -6, -4, -1}, y[9];
    const struct operand in = operand_of(NET_INT8, 4, dim, x, 1, -20),
                         out = operand_of(NET_INT8, 4, three, y, 1, -20);
    static const int8_t average[] = {-8, -7, -6, -6, -5, -4, -4, -3, -1},
                        most[] = {-8, -6, -6, -4, -1, -1, -4, -1, -1};
    struct diag diag = {0};
    struct node *node;
    const struct operand *const list[] = {&in};
    for (int largest = 0; largest < 2; largest++) {
        struct net *net = graph_of("", largest ? "MaxPool" : "AveragePool", list, 1, &out, &node);
        cr_assert(net && node_set_text(net, node, "layout", "NHWC") &&
                  node_set_integers(net, node, "kernel_shape", (const int64_t[]){2, 2}, 2) &&
                  node_set_integers(net, node, "pads", (const int64_t[]){1, 1, 1, 1}, 4));
        cr_assert(graph_run(net, list, &out, &diag), "%s", sb_text(&diag.text));
        net_free(net);
        for (int i = 0; i < 9; i++)
            cr_assert_eq(y[i], largest ? most[i] : average[i], "%d: %d", i, y[i]);
    }
}

/* ---- recurrent layers ---------------------------------------------------------------------------- */

enum { STEPS = 6, INPUTS = 5, HIDDEN = 3, LSTM_OPERANDS = 20 };

struct lstm {
    int8_t x[STEPS * INPUTS], w[GATES][HIDDEN * INPUTS], r[GATES][HIDDEN * HIDDEN], y[STEPS * HIDDEN];
    int32_t b[GATES][HIDDEN];
};

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The same layer with real numbers: weights in units of 1/64, inputs of 1/32, states of 1/128. */
static void real_step(const struct lstm *l, int step, double *state, double *cell)
{
    double gates[GATES][HIDDEN];
    for (int g = 0; g < GATES; g++)
        for (int o = 0; o < HIDDEN; o++) {
            double sum = l->b[g][o] / 2048.0;
            for (int i = 0; i < INPUTS; i++)
                sum += (l->x[step * INPUTS + i] - 5) / 32.0 * l->w[g][o * INPUTS + i] / 64;
            for (int i = 0; i < HIDDEN; i++)
                sum += state[i] * l->r[g][o * HIDDEN + i] / 64;
            gates[g][o] = g == GATE_CELL ? tanh(sum) : sigmoid(sum);
        }
    for (int o = 0; o < HIDDEN; o++) {
        cell[o] = gates[GATE_FORGET][o] * cell[o] + gates[GATE_INPUT][o] * gates[GATE_CELL][o];
        state[o] = gates[GATE_OUTPUT][o] * tanh(cell[o]);
    }
}

Test(host_net_scaled, recurrent_layers_are_near_real_numbers)
{
    struct random random = {3};
    struct lstm l;
    struct operand operands[LSTM_OPERANDS];
    const struct operand *list[LSTM_OPERANDS] = {NULL};
    const int64_t image[] = {1, STEPS, INPUTS}, in[] = {HIDDEN, INPUTS}, back[] = {HIDDEN, HIDDEN},
                  few[] = {HIDDEN}, kept[] = {1, HIDDEN}, result[] = {1, STEPS, HIDDEN};
    int16_t cells[HIDDEN] = {0};
    int8_t states[HIDDEN] = {1, 1, 1};
    double state[HIDDEN] = {0}, cell[HIDDEN] = {0};
    for (size_t i = 0; i < sizeof l; i++)
        ((int8_t *)&l)[i] = (int8_t)random_next(&random);
    for (int g = 0; g < GATES; g++) {
        for (int o = 0; o < HIDDEN; o++)
            l.b[g][o] = (int32_t)random_below(&random, 4096) - 2048;
        operands[1 + g] = operand_of(NET_INT8, 2, in, l.w[g], 1 / 64.0F, 0);
        operands[5 + g] = operand_of(NET_INT8, 2, back, l.r[g], 1 / 64.0F, 0);
        operands[12 + g] = operand_of(NET_INT32, 1, few, l.b[g], 1 / 2048.0F, 0);
        list[1 + g] = &operands[1 + g];
        list[5 + g] = &operands[5 + g];
        list[12 + g] = &operands[12 + g];
    }
    operands[0] = operand_of(NET_INT8, 3, image, l.x, 1 / 32.0F, 5);
    operands[18] = operand_of(NET_INT8, 2, kept, states, 1 / 128.0F, 1);
    operands[19] = operand_of(NET_INT16, 2, kept, cells, 1 / 4096.0F, 0);
    list[0] = &operands[0];
    list[18] = &operands[18];
    list[19] = &operands[19];
    const struct operand out = operand_of(NET_INT8, 3, result, l.y, 1 / 128.0F, 1);
    runs("UnidirectionalSequenceLSTM", list, LSTM_OPERANDS, &out, NULL);
    for (int step = 0; step < STEPS; step++) {
        real_step(&l, step, state, cell);
        for (int o = 0; o < HIDDEN; o++) {
            const double far = (l.y[step * HIDDEN + o] - 1) - fmin(state[o] * 128, 126);
            cr_assert(fabs(far) < 1.6, "step %d: %d is %f off", step, l.y[step * HIDDEN + o], far);
        }
    }
    operands[19] = operand_of(NET_INT16, 2, kept, cells, 0.3F, 0);
    runs("UnidirectionalSequenceLSTM", list, LSTM_OPERANDS, &out, "must be a power of two");
}

/* ---- runs ---------------------------------------------------------------------------------------- */

Test(host_net_scaled, a_run_leaves_the_graph_as_it_was)
{
    float numbers[8] = {0};
    struct diag diag = {0};
    write_onnx(
        "a.onnx",
        "node {op_type: 'Relu' input: 'x' output: 'y'} "
        "input {name: 'x' type {tensor_type {elem_type: 1 shape {dim {dim_param: 'N'} dim {dim_value: 2}}}}} "
        "output {name: 'y' type {tensor_type {elem_type: 1}}}");
    struct net *net = reads("a.onnx", NULL);
    const size_t memory = net->arena.used;
    for (int64_t batch = 1; batch <= 4; batch++) {
        struct run *run = run_new(net, &diag);
        struct view v;
        cr_assert(run_set(run, net->inputs[0],
                          &(struct view){NET_FLOAT, 2, {batch, 2}, (size_t)(2 * batch), numbers}));
        cr_assert(run_nodes(run) && run_get(run, net->outputs[0], &v) && v.dim[0] == batch, "%s",
                  sb_text(&diag.text));
        run_free(run);
        cr_assert_eq(net->arena.used, memory);
        has_shape(net, "y", "[N, 2]");
    }
    net_free(net);
}

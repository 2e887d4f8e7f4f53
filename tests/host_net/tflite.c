/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators of TFLite, each in a file of its own: what it gives for numbers by hand, on scaled tensors and on
 * floats.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "host/net/cpu/cpu.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/support.h"

TestSuite(host_net_tflite, .init = scratch_enter, .fini = scratch_leave);

enum { FEW = 16 };

/* Numbers are those that a tensor holds: of a scaled one the integers. */
struct sample {
    const char *name;
    int64_t code;
    size_t inputs, outputs;
    struct tflite_tensor tensors[6];
    double in[2][FEW]; /* of the inputs that are no constants */
    double out[FEW];   /* of the last result */
    unsigned fields;
    int64_t options[6];
};

static bool give_inputs(struct run *run, const struct net *net, const struct sample *s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < net->input_count; i++) {
        struct tensor *t = net->inputs[i];
        double room[FEW] = {0};
        struct view v = {.type = t->type, .rank = t->shape->rank, .count = 1, .data = room};
        for (int k = 0; k < v.rank; k++) {
            v.dim[k] = t->shape->dim[k].value;
            v.count *= (size_t)v.dim[k];
        }
        for (size_t k = 0; k < v.count; k++) {
            if (v.type == NET_FLOAT)
                ((float *)v.data)[k] = (float)s->in[i][k];
            else
                ((int8_t *)v.data)[k] = (int8_t)s->in[i][k];
        }
        ok = run_set(run, t, &v);
    }
    return ok;
}

static double number(const struct view *v, size_t at)
{
    return v->type == NET_FLOAT   ? (double)((const float *)v->data)[at]
           : v->type == NET_INT32 ? ((const int32_t *)v->data)[at]
           : v->type == NET_BOOL  ? ((const uint8_t *)v->data)[at]
                                  : ((const int8_t *)v->data)[at];
}

static void check(const struct sample *s)
{
    struct strbuf file = tflite_of(s->code, s->tensors, s->inputs, s->outputs, s->fields, s->options);
    struct diag diag = {0};
    struct view v;
    write_bytes("a.tflite", &file);
    struct net *net = reads("a.tflite", NULL);
    struct run *run = run_new(net, &diag);
    cr_assert(run && give_inputs(run, net, s) && run_nodes(run), "%s: %s", s->name, sb_text(&diag.text));
    cr_assert(run_get(run, net->outputs[net->output_count - 1], &v), "%s", s->name);
    for (size_t i = 0; i < v.count; i++)
        cr_assert(fabs(number(&v, i) - s->out[i]) < 1e-6, "%s %zu: %g, not %g", s->name, i, number(&v, i),
                  s->out[i]);
    run_free(run);
    net_free(net);
    diag_free(&diag);
    sb_free(&file);
}

#define I8(...)                                                                                   \
    {                                                                                             \
        TFLITE_INT8S, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), {__VA_ARGS__}, true, NULL \
    }
#define F32(...)                                                                                    \
    {                                                                                               \
        TFLITE_FLOATS, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), {__VA_ARGS__}, false, NULL \
    }
#define LIST(count, ...)                                    \
    {                                                       \
        TFLITE_INT32S, 1, {count}, false, (const int64_t[]) \
        {                                                   \
            __VA_ARGS__                                     \
        }                                                   \
    }
#define SCALAR(value)                                   \
    {                                                   \
        TFLITE_INT32S, 0, {0}, false, (const int64_t[]) \
        {                                               \
            value                                       \
        }                                               \
    }

Test(host_net_tflite, parts_are_moved)
{
    const struct sample samples[] = {
        {"PACK", 83, 2, 1, {I8(2), I8(2), I8(2, 2)}, {{1, 2}, {3, 4}}, {1, 3, 2, 4}, 2, {2, 1}},
        {"UNPACK", 88, 1, 2, {I8(2, 2), I8(2), I8(2)}, {{1, 2, 3, 4}}, {2, 4}, 2, {2, 1}},
        {"SLICE",
         65,
         3,
         1,
         {I8(2, 3), LIST(2, 0, 1), LIST(2, 2, -1), I8(2, 2)},
         {{1, 2, 3, 4, 5, 6}},
         {2, 3, 5, 6},
         0,
         {0}},
        /* The second row, backwards from the last but one. */
        {"STRIDED_SLICE",
         45,
         4,
         1,
         {I8(2, 3), LIST(2, 1, -2), LIST(2, 0, 0), LIST(2, 1, -1), I8(2)},
         {{1, 2, 3, 4, 5, 6}},
         {5, 4},
         5,
         {0, 2, 0, 0, 1}},
        {"SPLIT_V",
         102,
         3,
         2,
         {I8(1, 4), LIST(2, 3, -1), SCALAR(1), I8(1, 3), I8(1, 1)},
         {{1, 2, 3, 4}},
         {4},
         0,
         {0}},
        {"TILE", 69, 2, 1, {I8(1, 2), LIST(2, 2, 2), I8(2, 4)}, {{1, 2}}, {1, 2, 1, 2, 1, 2, 1, 2}, 0, {0}},
        {"DEPTH_TO_SPACE",
         5,
         1,
         1,
         {I8(1, 1, 1, 8), I8(1, 2, 2, 2)},
         {{1, 2, 3, 4, 5, 6, 7, 8}},
         {1, 2, 3, 4, 5, 6, 7, 8},
         1,
         {2}},
        {"SPACE_TO_DEPTH",
         26,
         1,
         1,
         {I8(1, 2, 4, 1), I8(1, 1, 2, 4)},
         {{1, 2, 3, 4, 5, 6, 7, 8}},
         {1, 2, 5, 6, 3, 4, 7, 8},
         1,
         {2}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check(&samples[i]);
}

Test(host_net_tflite, scaled_numbers)
{
    const struct sample samples[] = {
        /* (x - 3) * (1 or 0.25) + 3, halves away from zero behind the first step, which rounds up. */
        {"LEAKY_RELU", 98, 1, 1, {I8(4), I8(4)}, {{3, 103, -97, -1}}, {3, 103, -22, 2}, 1, {0x3e800000}},
        /* Below 0: times the slope, which has scale and zero point as well; a half goes up. */
        {"PRELU",
         54,
         2,
         1,
         {I8(1, 2, 2), I8(2), I8(1, 2, 2)},
         {{103, -97, -2, -1}, {4, 11}},
         {103, -128, 1, -13},
         0,
         {0}},
        {"SELECT",
         64,
         3,
         1,
         {{TFLITE_BOOLS, 2, {2, 2}, false, NULL},
          I8(2, 2),
          {TFLITE_INT8S, 2, {2, 2}, true, (const int64_t[]){5, 6, 7, 8}},
          I8(2, 2)},
         {{1, 0, 0, 1}, {1, 2, 3, 4}},
         {1, 6, 7, 4},
         0,
         {0}},
        {"REDUCE_MAX", 82, 2, 1, {I8(2, 2), LIST(1, 1), I8(2)}, {{1, 2, 4, 3}}, {2, 4}, 1, {0}},
        /* Sums of products less the zero points, times 0.5 * 0.5 / 0.5. */
        {"BATCH_MATMUL",
         126,
         2,
         1,
         {I8(1, 2, 2), I8(1, 2, 2), I8(1, 2, 2)},
         {{5, 7, 3, 13}, {4, 5, 7, 3}},
         {3 + 5, 3 + 4, 3 + 10, 3 + 0},
         2,
         {0, 1}},
        {"ARG_MAX",
         56,
         2,
         1,
         {I8(2, 3), SCALAR(1), {TFLITE_INT32S, 1, {2}, false, NULL}},
         {{1, 9, 3, 7, 5, 6}},
         {1, 0},
         1,
         {2}},
        {"RESIZE_NEAREST_NEIGHBOR",
         97,
         2,
         1,
         {I8(1, 2, 2, 1), LIST(2, 2, 4), I8(1, 2, 4, 1)},
         {{1, 2, 3, 4}},
         {1, 1, 2, 2, 3, 3, 4, 4},
         2,
         {0, 1}},
        /* Thirds are 683 / 1024. */
        {"RESIZE_BILINEAR",
         23,
         2,
         1,
         {I8(1, 2, 1, 2), LIST(2, 3, 1), I8(1, 3, 1, 2)},
         {{0, -100, 90, 100}},
         {0, -100, 60, 33, 90, 100},
         4,
         {0, 0, 0, 0}},
        {"RESIZE_BILINEAR, corners",
         23,
         2,
         1,
         {I8(1, 2, 1, 1), LIST(2, 3, 1), I8(1, 3, 1, 1)},
         {{0, 90}},
         {0, 45, 90},
         4,
         {0, 0, 1, 0}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check(&samples[i]);
}

Test(host_net_tflite, floats)
{
    const struct sample samples[] = {
        {"L2_NORMALIZATION", 11, 1, 1, {F32(2, 2), F32(2, 2)}, {{3, 4, 0, -2}}, {0.6, 0.8, 0, -1}, 1, {0}},
        {"SQUARED_DIFFERENCE", 99, 2, 1, {F32(2), F32(2), F32(2)}, {{1, 5}, {4, 3}}, {9, 4}, 0, {0}},
        {"SQUARE", 92, 1, 1, {F32(2), F32(2)}, {{-3, 5}}, {9, 25}, 0, {0}},
        {"RSQRT", 76, 1, 1, {F32(2), F32(2)}, {{4, 16}}, {0.5, 0.25}, 0, {0}},
        {"ADD_N", 106, 2, 1, {F32(2), F32(2), F32(2)}, {{1, 5}, {4, 3}}, {5, 8}, 0, {0}},
        {"BATCH_MATMUL", 126, 2, 1, {F32(2, 1), F32(2, 1), F32(1, 1)}, {{1, 5}, {4, 3}}, {19}, 2, {1, 0}},
        {"NOT_EQUAL",
         72,
         2,
         1,
         {F32(2), F32(2), {TFLITE_BOOLS, 1, {2}, false, NULL}},
         {{1, 5}, {4, 5}},
         {1, 0},
         0,
         {0}},
        {"CAST", 53, 1, 1, {F32(2), {TFLITE_INT32S, 1, {2}, false, NULL}}, {{-1.5, 7}}, {-1, 7}, 0, {0}},
        {"RESIZE_NEAREST_NEIGHBOR",
         97,
         2,
         1,
         {F32(1, 1, 3, 1), LIST(2, 1, 2), F32(1, 1, 2, 1)},
         {{1, 2, 3}},
         {1, 3},
         2,
         {1, 0}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check(&samples[i]);
}

/* Two pixels side by side become a line of four: each is spread by a window of three pixels at a stride of
 * two. In SAME, one pixel of the last window is cut off. */
Test(host_net_tflite, transposed_convolutions)
{
    const struct sample samples[] = {
        {"TRANSPOSE_CONV of floats",
         67,
         3,
         1,
         {LIST(4, 1, 1, 4, 1),
          {TFLITE_FLOATS, 4, {1, 1, 3, 1}, false, (const int64_t[]){0x3f800000, 0x40000000, 0x40400000}},
          F32(1, 1, 2, 1),
          F32(1, 1, 4, 1)},
         {{1, 10}},
         {1, 2, 13, 20},
         4,
         {0, 2, 1, 0}},
        /* Less the zero points: inputs 2 4 and 10 0; weights of the first output 1 1, 2 0, 3 0, of the second
         * 0 0, 1 0, 0 0. Sums are halved. */
        {"TRANSPOSE_CONV",
         67,
         3,
         1,
         {LIST(4, 1, 1, 4, 2),
          {TFLITE_INT8S, 4, {2, 1, 3, 2}, true, (const int64_t[]){4, 4, 5, 3, 6, 3, 3, 3, 4, 3, 3, 3}},
          I8(1, 1, 2, 2),
          I8(1, 1, 4, 2)},
         {{5, 7, 13, 3}},
         {6, 3, 5, 4, 11, 3, 13, 8},
         4,
         {0, 2, 1, 0}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check(&samples[i]);
}

Test(host_net_tflite, what_is_not_supported_says_so)
{
    const struct tflite_tensor scaled[] = {I8(2, 2), I8(2, 2)};
    struct strbuf file = tflite_of(53, scaled, 1, 1, 0, NULL);
    write_bytes("a.tflite", &file);
    refuses("a.tflite", NULL, "CAST of \"t_1\": an operand has a scale");
    sb_free(&file);
    const struct tflite_tensor slice[] = {I8(2, 3), LIST(2, 1, -2), LIST(2, 0, 0), LIST(2, 1, -1), I8(2)};
    file = tflite_of(45, slice, 4, 1, 5, (const int64_t[]){0, 0, 1, 0, 0});
    write_bytes("a.tflite", &file);
    refuses("a.tflite", NULL, "ellipsis_mask, new_axis_mask and offset are not supported");
    sb_free(&file);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Recurrent layers: RNN, GRU and LSTM, forward, backward and in both directions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/kernel.h"

/* Sizes, the operands, and the state of one direction for one image of the batch. */
struct layer {
    const struct call *c;
    bool gru, lstm, batch_first;
    int64_t steps, batch, inputs, hidden, directions, gates;
    int64_t direction, image;
    double *state, *cell, *sums, *recurrent; /* hidden, hidden, gates x hidden each */
};

static const struct view *operand(const struct layer *l, size_t i)
{
    return i < l->c->inputs ? l->c->in[i] : NULL;
}

static double activate(const struct layer *l, int index, double x)
{
    static const char *const defaults[] = {"Sigmoid", "Tanh", "Tanh"};
    const struct attribute *a = node_attribute(l->c->node, "activations");
    const int each = l->lstm ? 3 : l->gru ? 2 : 1;
    const size_t at = (size_t)(l->direction * each + index);
    const char *name =
        a && a->texts && at < a->count ? a->texts[at] : defaults[l->gru || l->lstm ? index : 1];
    return !strcmp(name, "Sigmoid") ? 1 / (1 + exp(-x))
           : !strcmp(name, "Relu")  ? fmax(0, x)
           : !strcmp(name, "Tanh")  ? tanh(x)
                                    : (double)NAN;
}

/* The place of an input or result: [steps][batch], or [batch][steps]. */
static size_t step_at(const struct layer *l, int64_t step)
{
    return (size_t)(l->batch_first ? l->image * l->steps + step : step * l->batch + l->image);
}

/* Products of the weights with the input, or with the state; both with their bias. */
static void multiply(const struct layer *l, int64_t step)
{
    const struct view *x = operand(l, 0), *w = operand(l, 1), *r = operand(l, 2), *b = operand(l, 3);
    const int64_t rows = l->gates * l->hidden;
    for (int64_t i = 0; i < rows; i++) {
        const size_t row = (size_t)(l->direction * rows + i);
        l->sums[i] = b ? view_real(b, (size_t)(l->direction * 2 * rows + i)) : 0;
        l->recurrent[i] = b ? view_real(b, (size_t)(l->direction * 2 * rows + rows + i)) : 0;
        for (int64_t k = 0; k < l->inputs; k++)
            l->sums[i] += view_real(w, row * (size_t)l->inputs + (size_t)k) *
                          view_real(x, step_at(l, step) * (size_t)l->inputs + (size_t)k);
        for (int64_t k = 0; k < l->hidden; k++)
            l->recurrent[i] += view_real(r, row * (size_t)l->hidden + (size_t)k) * l->state[k];
    }
}

static double peephole(const struct layer *l, int64_t gate, int64_t i, double cell)
{
    const struct view *p = operand(l, 7);
    return p ? cell * view_real(p, (size_t)((l->direction * 3 + gate) * l->hidden + i)) : 0;
}

/* Gates lie in the order input, output, forget, cell. */
static void lstm_step(const struct layer *l)
{
    const int64_t n = l->hidden;
    for (int64_t i = 0; i < n; i++) {
        const double *s = l->sums, *r = l->recurrent;
        const double in = activate(l, 0, s[i] + r[i] + peephole(l, 0, i, l->cell[i]));
        const double forget = activate(l, 0, s[2 * n + i] + r[2 * n + i] + peephole(l, 2, i, l->cell[i]));
        l->cell[i] = forget * l->cell[i] + in * activate(l, 1, s[3 * n + i] + r[3 * n + i]);
        const double out = activate(l, 0, s[n + i] + r[n + i] + peephole(l, 1, i, l->cell[i]));
        l->state[i] = out * activate(l, 2, l->cell[i]);
    }
}

/* Gates lie in the order update, reset, hidden. */
static bool gru_step(const struct layer *l)
{
    const int64_t n = l->hidden;
    const bool after = node_integer(l->c->node, "linear_before_reset") != 0;
    const struct view *r = operand(l, 2), *b = operand(l, 3);
    double *next = calloc((size_t)n + 1, sizeof *next);
    if (!next)
        return kernel_no_memory(l->c);
    for (int64_t i = 0; i < n; i++) {
        const double update = activate(l, 0, l->sums[i] + l->recurrent[i]);
        double sum = b ? view_real(b, (size_t)((l->direction * 6 + 5) * n + i)) : 0;
        for (int64_t k = 0; !after && k < n; k++)
            sum += view_real(r, (size_t)(((l->direction * 3 + 2) * n + i) * n + k)) * l->state[k] *
                   activate(l, 0, l->sums[n + k] + l->recurrent[n + k]);
        if (after)
            sum = l->recurrent[2 * n + i] * activate(l, 0, l->sums[n + i] + l->recurrent[n + i]);
        next[i] = (1 - update) * activate(l, 1, l->sums[2 * n + i] + sum) + update * l->state[i];
    }
    memcpy(l->state, next, (size_t)n * sizeof *next);
    free(next);
    return true;
}

static bool step(const struct layer *l, int64_t at)
{
    multiply(l, at);
    if (l->lstm)
        lstm_step(l);
    for (int64_t i = 0; !l->lstm && !l->gru && i < l->hidden; i++)
        l->state[i] = activate(l, 0, l->sums[i] + l->recurrent[i]);
    return !l->gru || gru_step(l);
}

/* The place of a state: [directions][batch], or [batch][directions]. */
static size_t state_at(const struct layer *l, int64_t i)
{
    return (size_t)((l->batch_first ? l->image * l->directions + l->direction
                                    : l->direction * l->batch + l->image) *
                        l->hidden +
                    i);
}

static void put(const struct layer *l, size_t output, size_t at, double value)
{
    if (output < l->c->outputs && l->c->out[output])
        view_set_real(l->c->out[output], at, value);
}

static bool run_direction(const struct layer *l, bool backward)
{
    const struct view *lengths = operand(l, 4), *h = operand(l, 5), *cell = operand(l, 6);
    const int64_t given = lengths ? view_integer(lengths, (size_t)l->image) : l->steps,
                  length = given < 0          ? 0
                           : given > l->steps ? l->steps
                                              : given;
    for (int64_t i = 0; i < l->hidden; i++) {
        l->state[i] = h ? view_real(h, state_at(l, i)) : 0;
        l->cell[i] = l->lstm && cell ? view_real(cell, state_at(l, i)) : 0;
    }
    for (int64_t t = 0; t < length; t++) {
        const int64_t at = backward ? length - 1 - t : t;
        if (!step(l, at))
            return false;
        for (int64_t i = 0; i < l->hidden; i++) {
            const int64_t line = l->batch_first ? (l->image * l->steps + at) * l->directions + l->direction
                                                : (at * l->directions + l->direction) * l->batch + l->image;
            put(l, 0, (size_t)(line * l->hidden + i), l->state[i]);
        }
    }
    for (int64_t i = 0; i < l->hidden; i++) {
        put(l, 1, state_at(l, i), l->state[i]);
        put(l, 2, state_at(l, i), l->cell[i]);
    }
    return true;
}

static bool recurrent(const struct call *c)
{
    const struct view *x = c->in[0], *r = c->in[2];
    const bool first = node_integer(c->node, "layout") != 0,
               reverse = proto_is(node_text(c->node, "direction"), "reverse");
    struct layer l = {.c = c,
                      .gru = !strcmp(c->node->type, "GRU"),
                      .lstm = !strcmp(c->node->type, "LSTM"),
                      .batch_first = first,
                      .steps = x->dim[first],
                      .batch = x->dim[!first],
                      .inputs = x->dim[2],
                      .hidden = r->dim[2],
                      .directions = r->dim[0]};
    bool ok = true;
    l.gates = l.lstm ? 4 : l.gru ? 3 : 1;
    if (node_attribute(c->node, "clip") || node_integer(c->node, "input_forget"))
        return kernel_fails(c, "the operator cannot be run on the CPU yet with clip or input_forget");
    const size_t n = (size_t)l.hidden, rows = n * (size_t)l.gates;
    double *memory = calloc(2 * n + 2 * rows + 1, sizeof *memory);
    if (!memory)
        return kernel_no_memory(c);
    l.state = memory;
    l.cell = memory + n;
    l.sums = memory + 2 * n;
    l.recurrent = l.sums + rows;
    for (l.direction = 0; ok && l.direction < l.directions; l.direction++)
        for (l.image = 0; ok && l.image < l.batch; l.image++)
            ok = run_direction(&l, reverse || l.direction == 1);
    free(memory);
    return ok;
}

const struct kernel recurrent_kernels[] = {
    {"RNN", recurrent}, {"GRU", recurrent}, {"LSTM", recurrent}, {NULL, NULL}};

/* SPDX-License-Identifier: Apache-2.0
 *
 * TFLite's recurrent layer on scaled tensors, as TFLite Micro computes it.
 */
#include <math.h>
#include <stdlib.h>

#include "host/net/cpu/scaled.h"

enum { GATE_POWER = -12 }; /* the sums of a gate are in units of 2^-12 */

/* The state of one sequence, and its gates. */
struct memory {
    int32_t *state, *cell, *gates[GATES];
};

static int64_t product(const struct view *w, size_t row, const struct view *x, size_t at, int32_t zero,
                       int64_t count)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (view_integer(x, at + (size_t)i) - zero) * view_integer(w, row + (size_t)i);
    return sum;
}

static int64_t state_product(const struct scaled_lstm *l, const struct view *w, size_t row,
                             const int32_t *state)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < l->hidden; i++)
        sum += (int64_t)(state[i] - l->state_zero) * view_integer(w, row + (size_t)i);
    return sum;
}

static void compute_gate(const struct scaled_lstm *l, int gate, const struct view *x, size_t at,
                         const struct memory *m)
{
    const struct scaled_gate *g = &l->gates[gate];
    for (int64_t o = 0; o < l->hidden; o++) {
        const int64_t bias = g->bias ? view_integer(g->bias, (size_t)o) : 0,
                      input = product(g->w, (size_t)(o * l->inputs), x, at, l->x_zero, l->inputs) + bias,
                      state = state_product(l, g->recurrent, (size_t)(o * l->hidden), m->state);
        const int32_t sum =
            (int32_t)num_saturate(num_apply(&g->input, input) + num_apply(&g->state, state), 16);
        m->gates[gate][o] =
            gate == GATE_CELL ? num_gate_tanh(sum, GATE_POWER) : num_gate_sigmoid(sum, GATE_POWER);
    }
}

static int32_t next_cell(const struct scaled_lstm *l, const struct memory *m, int64_t o)
{
    const int64_t kept = num_join_apply(&l->forget, m->gates[GATE_FORGET][o], m->cell[o]),
                  more = num_join_apply(&l->add, m->gates[GATE_INPUT][o], m->gates[GATE_CELL][o]);
    const int32_t cell = (int32_t)num_saturate(kept + more, 16), clip = l->cell_clip;
    return !clip ? cell : cell > clip ? clip : cell < -clip ? -clip : cell;
}

static void step(const struct scaled_lstm *l, const struct view *x, const struct view *y, int64_t place,
                 const struct memory *m)
{
    for (int gate = 0; gate < GATES; gate++)
        compute_gate(l, gate, x, (size_t)(place * l->inputs), m);
    for (int64_t o = 0; o < l->hidden; o++) {
        m->cell[o] = next_cell(l, m, o);
        m->state[o] = (int32_t)num_join_apply(&l->result, m->gates[GATE_OUTPUT][o],
                                              num_gate_tanh(m->cell[o], l->cell_power));
        view_set_integer(y, (size_t)(place * l->hidden + o), m->state[o]);
    }
}

bool scaled_lstm(const struct scaled_lstm *l, const struct view *x, const struct view *y)
{
    int32_t *room = calloc((size_t)l->hidden * (GATES + 2) + 1, sizeof *room);
    struct memory m = {.state = room};
    if (!room)
        return false;
    m.cell = room + l->hidden;
    for (int gate = 0; gate < GATES; gate++)
        m.gates[gate] = room + (gate + 2) * l->hidden;
    for (int64_t b = 0; b < l->batch; b++) {
        for (int64_t o = 0; o < l->hidden; o++) {
            m.state[o] = l->state_zero;
            m.cell[o] = 0;
        }
        for (int64_t t = 0; t < l->steps; t++)
            step(l, x, y, l->time_major ? t * l->batch + b : b * l->steps + t, &m);
    }
    free(room);
    return true;
}

/* ---- nodes --------------------------------------------------------------------------------------- */

/* The operands of TFLite's layer. */
enum {
    WEIGHTS = 1,
    RECURRENT = 5,
    PEEPHOLES = 9,
    BIASES = 12,
    PROJECTION = 16,
    STATE = 18,
    CELL = 19,
    NORMALISATION = 20,
    OPERANDS = 24
};

static bool check(const struct call *c)
{
    const struct node *node = c->node;
    const enum net_type x = node->inputs[0]->type;
    if (node->input_count < CELL + 1 || !node->inputs[STATE] || !node->inputs[CELL])
        return kernel_fails(c, "its state is missing");
    for (size_t i = WEIGHTS; i < PEEPHOLES; i++)
        if (!c->more[i] || c->more[i]->type != NET_INT8)
            return kernel_fails(c, "its weights must all be there, as int8");
    for (size_t i = PEEPHOLES; i < node->input_count; i++)
        if (node->inputs[i] && ((i < BIASES) || i == PROJECTION || i == PROJECTION + 1 || i >= NORMALISATION))
            return kernel_fails(c, "peepholes, a projection and normalisation are not supported");
    if ((x != NET_INT8 && x != NET_INT16) || node->outputs[0]->type != x)
        return kernel_fails(c, "scaled values of %s are not supported", net_type_name(x));
    return node_real(node, "projection_clip") > 0 ? kernel_fails(c, "a projection is not supported") : true;
}

/* What the kernel reads must be there, whatever a file says. */
static bool check_sizes(const struct call *c, const struct scaled_lstm *l)
{
    for (int gate = 0; gate < GATES; gate++) {
        const struct view *w = c->more[WEIGHTS + gate], *recurrent = c->more[RECURRENT + gate],
                          *bias = c->more[BIASES + gate];
        if ((int64_t)w->count != l->hidden * l->inputs ||
            (int64_t)recurrent->count != l->hidden * l->hidden || (bias && (int64_t)bias->count != l->hidden))
            return kernel_fails(c, "its weights do not fit %lld inputs and %lld cells", (long long)l->inputs,
                                (long long)l->hidden);
    }
    return true;
}

static bool set_gate(const struct call *c, int gate, struct scale x, struct scale state,
                     struct scaled_gate *g)
{
    const bool sums_64 = c->node->inputs[0]->type == NET_INT16;
    const struct node *node = c->node;
    struct scale w, recurrent;
    if (!scale_of(c, node->inputs[WEIGHTS + gate], &w) ||
        !scale_of(c, node->inputs[RECURRENT + gate], &recurrent))
        return false;
    g->w = c->more[WEIGHTS + gate];
    g->recurrent = c->more[RECURRENT + gate];
    g->bias = c->more[BIASES + gate];
    g->input = g->state = step_of(NET_INT16, 0);
    return step_scale(c, &g->input, ldexp((double)(x.scale * w.scale), -GATE_POWER), sums_64) &&
           step_scale(c, &g->state, ldexp((double)(state.scale * recurrent.scale), -GATE_POWER), sums_64);
}

static bool set_products(const struct call *c, struct scale state, struct scale cell, struct scaled_lstm *l)
{
    struct num_join *const joins[] = {&l->forget, &l->add, &l->result};
    const double factors[] = {ldexp(1, -15), ldexp(1, -30) / (double)cell.scale,
                              ldexp(1, -30) / (double)state.scale};
    for (int i = 0; i < 3; i++) {
        joins[i]->joining = NUM_MULTIPLY;
        joins[i]->step = i < 2 ? step_of(NET_INT16, 0) : step_of(c->out[0]->type, state.zero);
        if (!step_scale(c, &joins[i]->step, factors[i], false))
            return false;
    }
    return true;
}

static bool lstm(const struct call *c)
{
    struct scale x, state, cell;
    if (!check(c) || !scale_of(c, c->node->inputs[0], &x) || !scale_of(c, c->node->inputs[STATE], &state) ||
        !scale_of(c, c->node->inputs[CELL], &cell))
        return false;
    const struct view *in = c->more[0];
    struct scaled_lstm l = {.time_major = node_integer(c->node, "time_major") != 0,
                            .inputs = in->dim[2],
                            .hidden = c->out[0]->dim[2],
                            .x_zero = x.zero,
                            .state_zero = state.zero};
    l.steps = in->dim[l.time_major ? 0 : 1];
    l.batch = in->dim[l.time_major ? 1 : 0];
    if (!check_sizes(c, &l))
        return false;
    const double clip = node_real(c->node, "cell_clip") / (double)cell.scale;
    l.cell_clip = clip > 0 ? (int32_t)fmin(clip, INT16_MAX) : 0;
    if (frexp((double)cell.scale, &l.cell_power) != 0.5 || l.cell_power > 0 || l.cell_power < -29)
        return kernel_fails(c, "the scale of its cells is %g; it must be a power of two", (double)cell.scale);
    l.cell_power--;
    for (int gate = 0; gate < GATES; gate++)
        if (!set_gate(c, gate, x, state, &l.gates[gate]))
            return false;
    return set_products(c, state, cell, &l) && (scaled_lstm(&l, in, c->out[0]) || kernel_no_memory(c));
}

const struct kernel scaled_lstm_kernels[] = {{"UnidirectionalSequenceLSTM", lstm}, {NULL, NULL}};

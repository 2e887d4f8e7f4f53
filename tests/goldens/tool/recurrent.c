/* SPDX-License-Identifier: Apache-2.0
 *
 * Recurrent layers of int8 and int16, by the kernel of host/net/cpu; its curves are those of sim/numerics.
 */
#include "tests/goldens/tool/cpu.h"
#include "tests/goldens/tool/operators.h"

static const struct {
    const char *keys, *files;
} gates[GATES] = {[GATE_INPUT] = {"INPUT", "input"},
                  [GATE_FORGET] = {"FORGET", "forget"},
                  [GATE_CELL] = {"CELL", "cell"},
                  [GATE_OUTPUT] = {"OUTPUT", "output"}};

enum { NAME_MOST = 64 };

static struct num_step step(const struct golden *golden, enum golden_type type, const char *name,
                            enum sums sums)
{
    char multiplier[NAME_MOST], shift[NAME_MOST];
    struct num_step step = {.function = NUM_REQUANTISE,
                            .element = NUM_INT16,
                            .low = type == GOLDEN_INT8 ? INT8_MIN : INT16_MIN,
                            .high = type == GOLDEN_INT8 ? INT8_MAX : INT16_MAX};
    snprintf(multiplier, sizeof multiplier, "%s_MULTIPLIER", name);
    snprintf(shift, sizeof shift, "%s_SHIFT", name);
    requantise(&step, golden, sums, golden_number(golden, multiplier, 0, INT32_MAX),
               golden_number(golden, shift, SHIFT_MIN, SHIFT_MAX - 16));
    return step;
}

static struct view gate_view(struct golden *golden, const char *gate, const char *what, int64_t count)
{
    char name[NAME_MOST];
    snprintf(name, sizeof name, "%s_gate_%s", gate, what);
    const struct numbers numbers = golden_tensor(golden, name, (size_t)count);
    return cpu_view(golden, numbers.type, numbers.values, numbers.count);
}

struct gate_views {
    struct view w, recurrent, bias;
};

static void read_gate(struct golden *golden, struct scaled_lstm *lstm, int gate, enum sums sums,
                      struct gate_views *views)
{
    char name[NAME_MOST];
    struct scaled_gate *g = &lstm->gates[gate];
    views->w = gate_view(golden, gates[gate].files, "input_weights", lstm->hidden * lstm->inputs);
    views->recurrent = gate_view(golden, gates[gate].files, "hidden_weights", lstm->hidden * lstm->hidden);
    views->bias = gate_view(golden, gates[gate].files, "bias", lstm->hidden);
    snprintf(name, sizeof name, "%s_GATE_INPUT", gates[gate].keys);
    g->input = step(golden, GOLDEN_INT16, name, sums);
    snprintf(name, sizeof name, "%s_GATE_HIDDEN", gates[gate].keys);
    g->state = step(golden, GOLDEN_INT16, name, sums);
    g->w = &views->w;
    g->recurrent = &views->recurrent;
    g->bias = &views->bias;
}

void recurrent(struct golden *golden, struct answer *answer)
{
    struct gate_views views[GATES];
    struct scaled_lstm lstm = {
        .steps = size_of(golden, "TIME_STEPS"),
        .batch = size_of(golden, "BATCH_SIZE"),
        .inputs = size_of(golden, "INPUT_SIZE"),
        .hidden = size_of(golden, "HIDDEN_SIZE"),
        .time_major = golden_says(golden, "TIME_MAJOR", "true"),
        .x_zero = -(int32_t)golden_number(golden, "INPUT_ZERO_POINT", INT16_MIN, INT16_MAX),
        .state_zero = (int32_t)golden_number(golden, "OUTPUT_ZERO_POINT", INT16_MIN, INT16_MAX),
        .cell_power = (int)golden_number(golden, "CELL_SCALE_POWER", -30, 0),
        .cell_clip = (int32_t)golden_number(golden, "CELL_CLIP", 0, INT16_MAX)};
    const struct numbers input =
        golden_input(golden, "input_tensor", (size_t)(lstm.steps * lstm.batch * lstm.inputs));
    golden_expect(golden, answer, (size_t)(lstm.steps * lstm.batch * lstm.hidden));
    answer->type = type_word(input.type);
    for (int gate = 0; gate < GATES; gate++)
        read_gate(golden, &lstm, gate, input.type == GOLDEN_INT16 ? SUMS_64 : SUMS_32, &views[gate]);
    lstm.forget = (struct num_join){.joining = NUM_MULTIPLY,
                                    .step = step(golden, GOLDEN_INT16, "FORGET_TO_CELL", SUMS_32)};
    lstm.add = (struct num_join){.joining = NUM_MULTIPLY,
                                 .step = step(golden, GOLDEN_INT16, "INPUT_TO_CELL", SUMS_32)};
    lstm.result =
        (struct num_join){.joining = NUM_MULTIPLY, .step = step(golden, input.type, "OUTPUT", SUMS_32)};
    lstm.result.step.zero = (int16_t)lstm.state_zero;
    const struct view x = cpu_view(golden, input.type, input.values, input.count),
                      y = cpu_view(golden, answer->expected.type, NULL, answer->expected.count);
    if (golden->diag->errors)
        return;
    scaled_lstm(&lstm, &x, &y);
    cpu_values(&y, answer->values);
}

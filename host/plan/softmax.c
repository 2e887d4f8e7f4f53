/* SPDX-License-Identifier: Apache-2.0
 *
 * Softmax of rows, without weights: the store engine reads each row and looks at it three times, and the
 * array rests. The table of exponentials is in the slot of the weights.
 */
#include "sim/numerics/softmax.h"
#include "host/plan/roll.h"
#include "host/plan/steps.h"

#define PIECE_MAX (1u << 30) /* elements of a store */
#define MINOR 2              /* version of the instruction set that has softmax */

static enum plan_status check(const struct plan_softmax *s)
{
    const struct variant *v = s->variant;
    if (!v->softmax)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has no softmax");
    if (s->element > NUM_INT16)
        return plan_refuse(PLAN_UNSUPPORTED, "softmax has results of int8 or int16");
    if ((s->has_no_sign || s->results_have_no_sign) && !v->zero_points)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has no elements without a sign (zero_points)");
    if (!s->rows || !s->elements || s->multiplier < 0 || s->shift > 63)
        return plan_refuse(PLAN_INVALID, "softmax has rows and elements, a multiplier from 0, a shift to 63");
    if (s->elements > v->softmax || s->elements > NUM_SOFTMAX_MOST)
        return plan_refuse(PLAN_UNSUPPORTED, "rows of %u elements; softmax of the variant takes %u",
                           s->elements, v->softmax < NUM_SOFTMAX_MOST ? v->softmax : NUM_SOFTMAX_MOST);
    return PLAN_OK;
}

static void pack_table(const struct plan_softmax *s, struct strbuf *to)
{
    int32_t table[NUM_SOFTMAX_ENTRIES];
    num_softmax_table(&(struct num_softmax){.input = NUM_INT8,
                                            .result = (enum num_element)s->element,
                                            .multiplier = s->multiplier,
                                            .shift = s->shift,
                                            .least = s->least},
                      table);
    for (unsigned i = 0; i < NUM_SOFTMAX_ENTRIES; i++) {
        uint8_t entry[4];
        num_put_element(entry, NUM_INT32, table[i]);
        sb_addn(to, (const char *)entry, sizeof entry);
    }
}

/* One is 2^bits less the zero point of the results, and a sum below 2^20 has 62 - bits places. */
static void set_up(struct writer *w, const struct plan_softmax *s)
{
    const unsigned bits = 8u << s->element;
    writer_op(w, "accumulate",
              SETTINGS{{"column", COLUMN_EXPONENTIAL},
                       {"slot", SLOT_WEIGHTS},
                       {"element", NUM_INT32},
                       {"source", 1},
                       {"length", NUM_SOFTMAX_ENTRIES * 4},
                       {NULL, 0}});
    writer_op(w, "accumulate",
              SETTINGS{{"softmax", s->elements},
                       {"alone", 1},
                       {"final", 1},
                       {"function", NUM_REQUANTISE},
                       {"rounding", NUM_TWO_STEPS},
                       {"shift", 62 - bits},
                       {"result", s->element},
                       {"low", -(1 << (bits - 1))},
                       {"high", (1 << (bits - 1)) - 1},
                       {"zero", -(1 << (bits - 1))},
                       {NULL, 0}});
}

static void write_piece(struct writer *w, const struct plan_softmax *s, uint64_t at, uint32_t elements)
{
    step_operand(w, &(struct operand_step){.operand = OPERAND_FIRST,
                                           .slot = SLOT_INPUT,
                                           .element = NUM_INT8,
                                           .has_no_sign = s->has_no_sign,
                                           .at = at,
                                           .elements = elements,
                                           .runs = 1,
                                           .waits = true,
                                           .signals = true});
    writer_op(w, "store",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"slot", SLOT_OUTPUT},
                       {"element", s->element},
                       {"unsigned", s->results_have_no_sign},
                       {"offset", (int64_t)(at << s->element)},
                       {"length", (int64_t)elements << s->element},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_SET_UP},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_STORED},
                       {NULL, 0}});
}

enum plan_status plan_make_softmax(const struct plan_softmax *s, struct plan *plan)
{
    *plan = (struct plan){0};
    enum plan_status why = check(s);
    if (why)
        return why;
    const uint32_t pitch = math_round_up(s->elements, s->variant->k);
    const uint64_t all = (uint64_t)s->rows * pitch, piece = PIECE_MAX / pitch * pitch;
    struct writer w;
    writer_begin(&w, s->variant);
    w.minor = MINOR;
    w.tokens[TOKEN_STORED] = 1;
    set_up(&w, s);
    for (uint64_t at = 0; at < all; at += piece)
        write_piece(&w, s, at, (uint32_t)(all - at < piece ? all - at : piece));
    writer_roll(&w, false);
    writer_finish(&w, 0, &plan->program);
    why = w.failed;
    writer_free(&w);
    pack_table(s, &plan->weights);
    plan->input_bytes = all;
    plan->output_bytes = all << s->element;
    plan->output_pitch = pitch << s->element;
    plan->summary.gather = PLAN_SOFTMAX;
    plan->layout.element_bytes = 1u << s->element;
    plan->layout.data_bytes = 1;
    plan->layout.input_pitch = pitch;
    return why ? why : sb_ok(&plan->weights) ? PLAN_OK : plan_no_memory();
}

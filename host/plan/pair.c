/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins of two tensors without weights: the store engine reads both, and the array rests. A store takes as
 * much as one pattern of the second operand gives.
 */
#include "host/plan/roll.h"
#include "host/plan/steps.h"

#define RUNS_MAX 65535u
#define PIECE_MAX (1u << 30) /* elements */
#define MINOR 2              /* version of the instruction set that has joins */

static enum plan_status check(const struct plan_pair *p)
{
    const struct variant *v = p->variant;
    if (!v->joins)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has no joins");
    if (p->vector % v->k)
        return plan_refuse(PLAN_UNSUPPORTED, "a vector of %u elements; joins repeat whole groups of %u",
                           p->vector, v->k);
    if (!p->elements || (p->vector && p->elements % p->vector))
        return plan_refuse(PLAN_INVALID, "the vector does not divide the tensor");
    if (p->lines > 1 && (p->vector || p->lines > RUNS_MAX || p->elements > PIECE_MAX || p->elements % v->k))
        return plan_refuse(PLAN_UNSUPPORTED, "lines of a join that are too many, or no whole groups of %u",
                           v->k);
    return PLAN_OK;
}

static void set_up(struct writer *w, const struct plan_pair *p)
{
    const struct plan_function *f = &p->function;
    writer_op(w, "accumulate",
              SETTINGS{{"join", p->join.join},
                       {"alone", 1},
                       {"final", 1},
                       {"function", f->function},
                       {"rounding", f->rounding},
                       {"shift", f->shift},
                       {"result", p->element},
                       {"multiplier", f->multiplier},
                       {"low", f->low},
                       {"high", f->high},
                       {"zero", f->zero},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_SET_UP},
                       {NULL, 0}});
}

static void write_piece(struct writer *w, const struct plan_pair *p, uint64_t at, uint32_t elements)
{
    const uint32_t vector = p->vector ? p->vector : elements, lines = p->lines ? p->lines : 1;
    step_operand(w, &(struct operand_step){.operand = OPERAND_FIRST,
                                           .slot = SLOT_INPUT,
                                           .element = p->first_element,
                                           .has_no_sign = p->first_has_no_sign,
                                           .zero = p->first_zero,
                                           .at = at,
                                           .elements = elements,
                                           .runs = lines,
                                           .run_pitch = p->first_pitch,
                                           .waits = true});
    step_operand(w, &(struct operand_step){.operand = OPERAND_SECOND,
                                           .slot = SLOT_EXTRA,
                                           .element = p->join.element,
                                           .has_no_sign = p->join.has_no_sign,
                                           .zero = p->join.zero,
                                           .scale = &p->join,
                                           .at = p->vector ? 0 : at,
                                           .elements = vector,
                                           .runs = lines > 1 ? lines : elements / vector,
                                           .run_pitch = p->second_pitch});
    set_up(w, p);
    writer_op(w, "store",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"slot", SLOT_OUTPUT},
                       {"element", p->element},
                       {"unsigned", p->results_have_no_sign},
                       {"offset", (int64_t)(at << p->element)},
                       {"length", (int64_t)elements << p->element},
                       {"runs", lines},
                       {"run_pitch", (int64_t)p->result_pitch},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_SET_UP},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_STORED},
                       {NULL, 0}});
}

enum plan_status plan_make_pair(const struct plan_pair *p, struct plan *plan)
{
    *plan = (struct plan){0};
    enum plan_status why = check(p);
    if (why)
        return why;
    const uint64_t all = math_round_up(p->elements, p->variant->k);
    uint64_t piece = p->vector ? (uint64_t)p->vector * RUNS_MAX : PIECE_MAX;
    if (piece > PIECE_MAX)
        piece = PIECE_MAX / p->vector * (uint64_t)p->vector;
    struct writer w;
    writer_begin(&w, p->variant);
    w.minor = MINOR;
    w.tokens[TOKEN_STORED] = 1;
    for (uint64_t at = 0; at < all; at += piece)
        write_piece(&w, p, at, (uint32_t)(all - at < piece ? all - at : piece));
    writer_roll(&w);
    writer_finish(&w, 0, &plan->program);
    why = w.failed;
    writer_free(&w);
    plan->summary.gather = PLAN_PAIR;
    plan->layout.element_bytes = 1u << p->element;
    plan->layout.data_bytes = 1u << p->first_element;
    plan->layout.operand_bytes = 1u << p->join.element;
    const uint64_t before = p->lines ? p->lines - 1 : 0; /* lines before the last one */
    plan->input_bytes = before * p->first_pitch + (all << p->first_element);
    plan->operand_bytes = before * p->second_pitch + ((p->vector ? p->vector : all) << p->join.element);
    plan->output_bytes = before * p->result_pitch + (all << p->element);
    return why;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/border.h"

#include "gen/base/math.h"
#include "host/plan/steps.h"

#define MINOR 2 /* version of the instruction set that has joins and the bank */
#define RUNS_MAX 65535u

/* Runs of the slot. */
struct piece {
    uint64_t offset, length, runs, pitch;
};

enum { PIECES_MAX = 3 };

static bool is_whole(const struct plan_border *b, const struct piece *p)
{
    const uint64_t group = b->variant->k * b->data_bytes;
    return p->offset % group == 0 && p->length % group == 0 && p->pitch % group == 0;
}

/* One piece above, one below and one for all that is beside; the whole where that would be many. */
static unsigned find_pieces(const struct plan_border *b, struct piece to[PIECES_MAX])
{
    const struct plan_places *at = b->places;
    const struct plan_frame *f = b->frame;
    const uint64_t line = at->line, pixel = at->pixel, inside = b->width * pixel,
                   first = f->top * line + f->left * pixel, last = first + (b->height - 1) * line + inside;
    if (b->images > 1 || f->planes || line <= inside || last > b->bytes || b->height > RUNS_MAX) {
        to[0] = (struct piece){.length = math_round_up(b->bytes, b->variant->k * b->data_bytes), .runs = 1};
        return 1;
    }
    to[0] = (struct piece){.length = first, .runs = 1};
    to[1] = (struct piece){first + inside, line - inside, b->height - 1, line};
    to[2] = (struct piece){last, b->bytes - last, 1, 0};
    return PIECES_MAX;
}

/* Of zeros, once more for the second one. */
static void read_zeros(struct writer *w, const struct plan_border *b, const struct piece *p, bool second)
{
    writer_op(w, "accumulate",
              SETTINGS{{"operand", second ? OPERAND_SECOND : OPERAND_FIRST},
                       {"slot", SLOT_OUTPUT},
                       {"element", b->data_bytes - 1},
                       {"source", 1},
                       {"offset", (int64_t)p->offset},
                       {"length", (int64_t)p->length},
                       {"runs", (int64_t)p->runs},
                       {"run_pitch", (int64_t)p->pitch},
                       {"multiplier", second ? ISA_OPERAND_MULTIPLIER : 0},
                       {"shift", second ? ISA_OPERAND_SHIFT : 0},
                       {"wait_a", !second},
                       {"wait_a_token", second ? 0 : TOKEN_STORED},
                       {NULL, 0}});
}

static void write_piece(struct writer *w, const struct plan_border *b, const struct piece *p)
{
    const int bits = 8 * (int)b->data_bytes, highest = (1 << (bits - 1)) - 1;
    read_zeros(w, b, p, false);
    read_zeros(w, b, p, true);
    writer_op(w, "accumulate",
              SETTINGS{{"join", JOIN_ADD},
                       {"alone", 1},
                       {"final", 1},
                       {"function", NUM_REQUANTISE},
                       {"result", b->data_bytes - 1},
                       {"multiplier", 1},
                       {"low", -highest - 1},
                       {"high", highest},
                       {"zero", b->activation > highest ? b->activation - (1 << bits) : b->activation},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_SET_UP},
                       {NULL, 0}});
    writer_op(w, "store",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"slot", SLOT_OUTPUT},
                       {"element", b->data_bytes - 1},
                       {"offset", (int64_t)p->offset},
                       {"length", (int64_t)p->length},
                       {"runs", (int64_t)p->runs},
                       {"run_pitch", (int64_t)p->pitch},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_SET_UP},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_STORED},
                       {NULL, 0}});
}

enum plan_status plan_make_border(const struct plan_border *b, struct plan *plan)
{
    struct piece pieces[PIECES_MAX];
    struct writer w;
    *plan = (struct plan){0};
    if (!b->variant->joins)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has no joins");
    const unsigned count = find_pieces(b, pieces);
    for (unsigned i = 0; i < count; i++)
        if (!is_whole(b, &pieces[i]))
            return plan_refuse(PLAN_UNSUPPORTED, "a border that is not in whole groups of %u", b->variant->k);
    writer_begin(&w, b->variant);
    w.minor = MINOR;
    w.tokens[TOKEN_STORED] = 1;
    for (unsigned i = 0; i < count; i++)
        if (pieces[i].length && pieces[i].runs)
            write_piece(&w, b, &pieces[i]);
    writer_finish(&w, 0, &plan->program);
    const enum plan_status why = w.failed;
    writer_free(&w);
    plan->summary.gather = PLAN_PAIR;
    plan->output_bytes = math_round_up(b->bytes, b->variant->k * b->data_bytes);
    return why;
}

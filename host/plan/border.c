/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/border.h"

#include "host/plan/steps.h"

#define MINOR 2 /* version of the instruction set that has joins and the bank */
#define RUNS_MAX 65535u

/* Runs of the slot. */
struct piece {
    uint64_t offset, length, runs, pitch;
};

enum { PIECES_MAX = 3, OPERATIONS_A_PIECE = 4 };

static bool is_whole(const struct variant *v, const struct plan_border *b, const struct piece *p)
{
    const uint64_t group = v->k * b->data_bytes;
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
        to[0] = (struct piece){.offset = b->base, .length = b->bytes, .runs = 1};
        return 1;
    }
    to[0] = (struct piece){b->base, first, 1, 0};
    to[1] = (struct piece){b->base + first + inside, line - inside, b->height - 1, line};
    to[2] = (struct piece){b->base + last, b->bytes - last, 1, 0};
    return PIECES_MAX;
}

/* Of what is there, once more for the second one, whose scale is the one that is set up soonest. */
static void read_old(struct writer *w, const struct plan_border *b, const struct piece *p, bool second)
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
                       {"shift", second ? ISA_OPERAND_SHIFT_MAX_20 : 0},
                       {"wait_a", !second},
                       {"wait_a_token", second ? 0 : TOKEN_STORED},
                       {NULL, 0}});
}

static void write_piece(struct writer *w, const struct plan_border *b, const struct piece *p)
{
    const int bits = 8 * (int)b->data_bytes, highest = (1 << (bits - 1)) - 1,
              number = b->activation > highest ? b->activation - (1 << bits) : b->activation;
    read_old(w, b, p, false);
    read_old(w, b, p, true);
    writer_op(w, "accumulate",
              SETTINGS{{"join", JOIN_ADD},
                       {"alone", 1},
                       {"final", 1},
                       {"function", NUM_REQUANTISE},
                       {"result", b->data_bytes - 1},
                       {"multiplier", 1},
                       {"low", number},
                       {"high", number},
                       {"zero", number},
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

enum plan_status plan_border_check(const struct variant *v, const struct plan_border *b)
{
    struct piece pieces[PIECES_MAX];
    if (!v->joins)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has no joins");
    const unsigned count = find_pieces(b, pieces);
    for (unsigned i = 0; i < count; i++)
        if (!is_whole(v, b, &pieces[i]))
            return plan_refuse(PLAN_UNSUPPORTED, "a border that is not in whole groups of %u", v->k);
    return PLAN_OK;
}

uint64_t plan_border_program(const struct plan_border *b)
{
    struct piece pieces[PIECES_MAX];
    return (uint64_t)find_pieces(b, pieces) * OPERATIONS_A_PIECE * ISA_OPERATION_BYTES;
}

enum plan_status plan_make_borders(const struct variant *v, const struct plan_border *borders, size_t count,
                                   struct plan *plan)
{
    struct writer w;
    *plan = (struct plan){0};
    writer_begin(&w, v);
    w.minor = MINOR;
    w.tokens[TOKEN_STORED] = 1;
    for (size_t i = 0; i < count; i++) {
        struct piece pieces[PIECES_MAX];
        const unsigned number = find_pieces(&borders[i], pieces);
        for (unsigned j = 0; j < number; j++)
            if (pieces[j].length && pieces[j].runs)
                write_piece(&w, &borders[i], &pieces[j]);
    }
    writer_finish(&w, 0, &plan->program);
    const enum plan_status why = w.failed;
    writer_free(&w);
    plan->summary.gather = PLAN_PAIR;
    return why;
}

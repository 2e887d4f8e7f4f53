/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/buffers.h"

#include <limits.h>

#include "gen/isa/codec.h"
#include "host/plan/steps.h"

#define TURN_MAX 4096 /* iterations after which addresses must be where they began */

/* ---- configurations of a plan -------------------------------------------------------------------- */

static void list_configs(const struct plan *plan, const struct variant *v, struct buffers_choice *to)
{
    struct program program;
    struct operation op;
    if (!use_open(plan, v, &program))
        return;
    const uint64_t data = program.lines * ISA_OPERATION_BYTES;
    while (use_next(&program, &op) && to->configs < BUFFERS_CONFIGS) {
        if (op.code != OP_DISTRIBUTE)
            continue;
        if (op.command >= EXEC)
            return; /* all configurations come first */
        to->config[to->configs++] =
            (struct buffer_config){.position = (uint32_t)(op.place / ISA_OPERATION_BYTES) - 1,
                                   .data = (const uint8_t *)plan->program.text + data + op.unit_address,
                                   .offset = op.unit_address,
                                   .bytes = (uint32_t)program_pattern_bytes(&op.memory),
                                   .buffer = op.command % USE_BUFFERS};
    }
}

static bool parse(const struct variant *v, const struct buffer_config *config, unsigned swap,
                  struct sequence *sequence)
{
    if (sequence_parse(sequence, v, v->register_file_entries, config->data, config->bytes))
        return false;
    sequence->after_buffer ^= sequence->after ? swap : 0;
    sequence->trigger_buffer ^= sequence->trigger ? swap : 0;
    return true;
}

/* ---- what is there already ----------------------------------------------------------------------- */

static bool same_place(const struct operands *a, const struct operands *b)
{
    return a->address == b->address && a->pass == b->pass && a->turn == b->turn;
}

/* Whether so many iterations bring the instruction's address back. */
static bool address_returns(const struct instruction *i, uint64_t iterations, uint32_t depth)
{
    struct operands start, o;
    operands_start(&start, i);
    o = start;
    for (unsigned turn = 1; turn <= TURN_MAX; turn++) {
        operands_advance(&o, i, depth);
        if (same_place(&o, &start))
            return iterations % turn == 0;
    }
    return false;
}

static bool is_where_it_began(const struct variant *v, const struct buffer *b)
{
    const struct sequence *s = &b->sequence;
    if (s->restart || !b->iterations)
        return true;
    for (unsigned i = 0; i < s->instructions; i++) {
        const bool alike = i == 0 || s->code[i].result_stride == s->code[i - 1].result_stride ||
                           s->code[i - 1].opcode == I_LD;
        if (!alike || !address_returns(&s->code[i], b->iterations, v->output_queue_depth))
            return false;
    }
    return !b->uneven;
}

static bool is_there(const struct variant *v, const struct buffer *b, const struct sequence *wanted)
{
    return b->configured && sequence_same(&b->sequence, wanted) && is_where_it_began(v, b);
}

/* ---- the choice ---------------------------------------------------------------------------------- */

struct swapped {
    int64_t saved;   /* cycles */
    unsigned newest; /* plan that used one of the buffers that are configured */
    uint32_t freed;
};

static unsigned pages_of(const struct buffers *b, const struct sequence *s)
{
    return variant_register_pages(b->variant, s->instructions);
}

/* Whether there is a page for every instruction while the configurations are sent in turn, once the buffers
 * of `freed` have the one of c->least. */
static bool fits_registers(const struct buffers *b, const struct buffers_choice *c, unsigned swap,
                           uint32_t freed)
{
    const struct variant *v = b->variant;
    const unsigned all = variant_register_pages(v, v->register_file_entries);
    unsigned pages[USE_BUFFERS] = {0}, taken = 0;
    struct sequence s;
    for (unsigned i = 0; i < USE_BUFFERS; i++) {
        const bool is_freed = freed >> i & 1 && parse(v, &c->config[c->least], swap, &s);
        if (b->of[i].configured)
            pages[i] = pages_of(b, is_freed ? &s : &b->of[i].sequence);
        taken += pages[i];
    }
    for (unsigned i = 0; i < c->configs && taken <= all; i++) {
        unsigned *at = &pages[c->config[i].buffer ^ swap];
        taken -= *at;
        *at = parse(v, &c->config[i], swap, &s) ? pages_of(b, &s) : 0;
        taken += *at;
    }
    return taken <= all;
}

/* Whether one of the plan's configurations is in the buffer already. */
static bool is_kept(const struct buffers *b, const struct buffers_choice *c, unsigned swap, unsigned buffer)
{
    struct sequence s;
    bool kept = false;
    for (unsigned i = 0; i < c->configs && !kept; i++)
        kept = (c->config[i].buffer ^ swap) == buffer && parse(b->variant, &c->config[i], swap, &s) &&
               is_there(b->variant, &b->of[buffer], &s);
    return kept;
}

/* The buffer that gives back most pages, and of equal ones the one that was used longest ago; USE_BUFFERS:
 * none gives any. */
static unsigned next_freed(const struct buffers *b, const struct buffers_choice *c, unsigned swap,
                           uint32_t freed)
{
    struct sequence least;
    unsigned best = USE_BUFFERS, most;
    if (!c->configs || !parse(b->variant, &c->config[c->least], swap, &least))
        return USE_BUFFERS;
    most = pages_of(b, &least);
    for (unsigned i = 0; i < USE_BUFFERS; i++) {
        const struct buffer *of = &b->of[i];
        const unsigned pages = of->configured ? pages_of(b, &of->sequence) : 0;
        if (freed >> i & 1 || pages < most ||
            (best < USE_BUFFERS && pages == most && of->used >= b->of[best].used) ||
            pages <= pages_of(b, &least) || is_kept(b, c, swap, i))
            continue;
        best = i;
        most = pages;
    }
    return best;
}

/* Which buffers must give back pages. False: that does not suffice. */
static bool find_freed(const struct buffers *b, const struct buffers_choice *c, unsigned swap,
                       uint32_t *freed)
{
    *freed = 0;
    while (!fits_registers(b, c, swap, *freed)) {
        const unsigned next = next_freed(b, c, swap, *freed);
        if (next == USE_BUFFERS)
            return false;
        *freed |= UINT32_C(1) << next;
    }
    return true;
}

static bool look_at(const struct buffers *b, const struct buffers_choice *c, unsigned swap,
                    struct swapped *to)
{
    *to = (struct swapped){0};
    for (unsigned i = 0; i < c->configs; i++) {
        const unsigned at = c->config[i].buffer ^ swap;
        const struct buffer *buffer = &b->of[at];
        struct sequence s;
        if (at >= b->variant->instruction_buffers || !parse(b->variant, &c->config[i], swap, &s))
            return false;
        if (is_there(b->variant, buffer, &s))
            to->saved += step_config_cycles(s.instructions);
        else if (buffer->used > to->newest)
            to->newest = buffer->used;
    }
    if (!find_freed(b, c, swap, &to->freed))
        return false;
    for (uint32_t left = to->freed; left; left &= left - 1)
        to->saved -= step_config_cycles(0);
    return true;
}

/* Most cycles saved; then those that were used longest ago. */
static unsigned best_swap(const struct buffers *b, const struct buffers_choice *c)
{
    struct swapped best = {0}, one;
    unsigned swap = 0;
    bool any = false;
    for (unsigned s = 0; s < b->variant->instruction_buffers; s++) {
        if (!look_at(b, c, s, &one))
            continue;
        if (any && (one.saved < best.saved || (one.saved == best.saved && one.newest >= best.newest)))
            continue;
        any = true;
        best = one;
        swap = s;
    }
    return swap;
}

static void find_least(const struct variant *v, struct buffers_choice *c)
{
    struct sequence s;
    unsigned least = UINT_MAX;
    for (unsigned i = 0; i < c->configs; i++)
        if (parse(v, &c->config[i], 0, &s) && s.instructions < least) {
            least = s.instructions;
            c->least = i;
        }
}

static void free_pages(struct buffers *b, const struct buffers_choice *c)
{
    struct sequence s;
    for (unsigned i = 0; i < USE_BUFFERS; i++)
        if (c->freed >> i & 1) {
            const bool known = parse(b->variant, &c->config[c->least], c->swap, &s);
            b->of[i] = (struct buffer){.configured = known, .sequence = s};
        }
}

enum plan_status buffers_choose(struct buffers *b, const struct plan *plan, bool fixed,
                                struct buffers_choice *choice)
{
    *choice = (struct buffers_choice){0};
    list_configs(plan, b->variant, choice);
    find_least(b->variant, choice);
    choice->swap = fixed ? 0 : best_swap(b, choice);
    if (!find_freed(b, choice, choice->swap, &choice->freed))
        return plan_refuse(PLAN_UNSUPPORTED, "the configurations of several plans do not fit the clusters' "
                                             "register files");
    b->plans++;
    free_pages(b, choice);
    for (unsigned i = 0; i < choice->configs; i++) {
        struct buffer_config *config = &choice->config[i];
        struct buffer *buffer = &b->of[config->buffer ^ choice->swap];
        struct sequence s;
        const bool known = parse(b->variant, config, choice->swap, &s);
        config->there = known && is_there(b->variant, buffer, &s);
        choice->sent += !config->there;
        choice->saved += config->there ? step_config_cycles(s.instructions) : 0;
        if (!config->there)
            *buffer = (struct buffer){.configured = known, .sequence = s};
        buffer->used = b->plans;
    }
    return PLAN_OK;
}

void buffers_used(struct buffers *b, const struct plan_use *use, unsigned swap)
{
    for (unsigned i = 0; i < b->variant->instruction_buffers; i++) {
        struct buffer *buffer = &b->of[(i ^ swap) % USE_BUFFERS];
        buffer->uneven |= use->uneven[i];
        buffer->iterations += use->iterations[i][0];
        for (unsigned c = 1; c < b->variant->m; c++)
            buffer->uneven |= use->iterations[i][c] != use->iterations[i][0];
    }
}

/* ---- names in configurations --------------------------------------------------------------------- */

static void swap_name(const struct isa_format *header, const char *has, const char *name, unsigned swap,
                      uint8_t *record)
{
    const struct isa_field *flag = isa_find_field(header, has), *field = isa_find_field(header, name);
    const unsigned lsb = isa_field_lsb(&isa_config, header, field, isa_int8_widths);
    if (isa_get_bits(record, isa_field_lsb(&isa_config, header, flag, isa_int8_widths), 1))
        isa_put_bits(record, lsb, (unsigned)field->bits,
                     isa_get_bits(record, lsb, (unsigned)field->bits) ^ swap);
}

void buffers_rename(const struct buffers_choice *choice, uint8_t *data)
{
    const struct isa_format *header = isa_find_format(&isa_config, "config_header");
    for (unsigned i = 0; choice->swap && i < choice->configs; i++) {
        uint8_t *record = data + choice->config[i].offset;
        swap_name(header, "after", "after_buffer", choice->swap, record);
        swap_name(header, "trigger", "trigger_buffer", choice->swap, record);
        isa_seal(&isa_config, header, record, choice->config[i].bytes, 0);
    }
}

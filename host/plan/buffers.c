/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/buffers.h"

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
    const uint64_t data = ((uint64_t)program.operations + 1) * ISA_OPERATION_BYTES;
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
    uint64_t saved;  /* cycles */
    unsigned newest; /* plan that used one of the buffers that are configured */
};

/* Configurations are sent one after the other, and a buffer returns what it had when it gets its own. */
static bool fits_registers(const struct buffers *b, const struct buffers_choice *c, unsigned swap)
{
    const struct variant *v = b->variant;
    const unsigned room = variant_register_pages(v, v->register_file_entries);
    unsigned pages[USE_BUFFERS] = {0}, taken = 0;
    for (unsigned i = 0; i < USE_BUFFERS; i++) {
        pages[i] = b->of[i].configured ? variant_register_pages(v, b->of[i].sequence.instructions) : 0;
        taken += pages[i];
    }
    for (unsigned i = 0; i < c->configs; i++) {
        unsigned *const of = &pages[c->config[i].buffer ^ swap];
        struct sequence s;
        taken -= *of;
        *of = parse(v, &c->config[i], 0, &s) ? variant_register_pages(v, s.instructions) : 0;
        taken += *of;
        if (taken > room)
            return false;
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
    return fits_registers(b, c, swap);
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

enum plan_status buffers_choose(struct buffers *b, const struct plan *plan, bool fixed,
                                struct buffers_choice *choice)
{
    *choice = (struct buffers_choice){0};
    list_configs(plan, b->variant, choice);
    choice->swap = fixed ? 0 : best_swap(b, choice);
    if (!fits_registers(b, choice, choice->swap))
        return plan_refuse(PLAN_UNSUPPORTED, "the configurations of several plans do not fit the clusters' "
                                             "register files");
    b->plans++;
    for (unsigned i = 0; i < choice->configs; i++) {
        struct buffer_config *config = &choice->config[i];
        struct buffer *buffer = &b->of[config->buffer ^ choice->swap];
        struct sequence s;
        const bool known = parse(b->variant, config, choice->swap, &s);
        config->there = known && is_there(b->variant, buffer, &s);
        choice->kept += !config->there;
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

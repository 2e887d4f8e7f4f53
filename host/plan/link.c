/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/link.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/isa/codec.h"
#include "sim/model/program.h"

#define BANK_MINOR 2 /* version of the instruction set that has the activation bank */

/* Where a format has a field; no bits: it has none. */
struct bits {
    unsigned lsb, bits;
};

/* What is changed in the operations of an opcode. */
struct kind {
    struct bits slot, offset, wait[2], wait_token[2], signal[2], signal_token[2];
};

enum { KINDS = OP_FENCE + 1, CONFIG_COMMANDS = EXEC, BUFFERS = 32 };

struct linker {
    const struct variant *variant;
    struct writer writer;
    struct kind kind[KINDS];
    int count[ISA_TOKENS]; /* of each token, when a part begins; -1: none has used it */
    unsigned pages[BUFFERS];
    uint64_t *data; /* where that of each part is */
};

static struct bits find(const struct isa_format *format, const char *name)
{
    const struct isa_field *field = isa_find_field(format, name);
    return field ? (struct bits){isa_field_lsb(&isa_operation, format, field, isa_int8_widths),
                                 (unsigned)field->bits}
                 : (struct bits){0};
}

static void find_kinds(struct kind kinds[KINDS])
{
    for (const struct isa_format *f = isa_operation.formats; f->name; f++) {
        struct kind *k = &kinds[isa_find_field(f, "opcode")->min];
        *k = (struct kind){.slot = find(f, "slot"),
                           .offset = find(f, "offset"),
                           .wait = {find(f, "wait_a"), find(f, "wait_b")},
                           .wait_token = {find(f, "wait_a_token"), find(f, "wait_b_token")},
                           .signal = {find(f, "signal_a"), find(f, "signal_b")},
                           .signal_token = {find(f, "signal_a_token"), find(f, "signal_b_token")}};
    }
}

static uint64_t get(const uint8_t *record, struct bits at)
{
    return at.bits ? isa_get_bits(record, at.lsb, at.bits) : 0;
}

static uint64_t header_field(const struct plan *plan, const char *name)
{
    const struct isa_format *format = isa_program.formats;
    const struct isa_field *field = isa_find_field(format, name);
    return isa_get_bits((const uint8_t *)plan->program.text,
                        isa_field_lsb(&isa_program, format, field, isa_int8_widths), (unsigned)field->bits);
}

static uint32_t operations_of(const struct plan *plan)
{
    return (uint32_t)header_field(plan, "operations");
}

static const uint8_t *operation_at(const struct plan *plan, uint32_t i)
{
    return (const uint8_t *)plan->program.text + (size_t)(i + 1) * ISA_OPERATION_BYTES;
}

/* ---- tokens -------------------------------------------------------------------------------------- */

static int initial_count(const struct plan *plan, unsigned token)
{
    return (int)(header_field(plan, token < 16 ? "tokens_low" : "tokens_high") >> 4 * (token % 16) & 15);
}

/* What a program uses and leaves. */
struct token_use {
    bool used[ISA_TOKENS];
    int64_t more[ISA_TOKENS]; /* signals less waits */
};

static void add(struct token_use *use, uint64_t flag, uint64_t token, int64_t more)
{
    use->used[token] |= flag;
    use->more[token] += flag ? more : 0;
}

static struct token_use tokens_of(const struct linker *l, const struct plan *plan)
{
    struct token_use use = {0};
    int64_t times[ISA_LOOP_LEVELS + 1] = {1};
    unsigned depth = 0;
    const struct isa_format *loop = isa_find_format(&isa_operation, "loop");
    const struct bits iterations = find(loop, "iterations");
    for (unsigned t = 0; t < ISA_TOKENS; t++)
        use.used[t] = initial_count(plan, t) > 0;
    for (uint32_t i = 0; i < operations_of(plan); i++) {
        const uint8_t *op = operation_at(plan, i);
        const struct kind *k = &l->kind[op[0]];
        if (op[0] == OP_LOOP && depth < ISA_LOOP_LEVELS) {
            times[depth + 1] = times[depth] * (int64_t)get(op, iterations);
            depth++;
        }
        depth -= op[0] == OP_ENDLOOP;
        for (unsigned j = 0; j < 2; j++) {
            add(&use, get(op, k->wait[j]), get(op, k->wait_token[j]), -times[depth]);
            add(&use, get(op, k->signal[j]), get(op, k->signal_token[j]), times[depth]);
        }
    }
    return use;
}

/* A token of the whole that nobody has taken, of that count, or of the nearest one; -1: there is none. */
static int nearest_token(const struct linker *l, const bool taken[ISA_TOKENS], int wanted)
{
    int best = -1, off = 0;
    for (unsigned t = 0; t < l->variant->tokens; t++) {
        const int have = l->count[t] < 0 ? wanted : l->count[t],
                  by = have < wanted ? wanted - have : have - wanted;
        if (taken[t] || (best >= 0 && by >= off))
            continue;
        best = (int)t;
        off = by;
    }
    return best;
}

/* A token of the whole for each of the part's. */
static bool name_tokens(const struct linker *l, const struct plan *plan, const struct token_use *use,
                        uint8_t to[ISA_TOKENS])
{
    bool taken[ISA_TOKENS] = {false};
    for (unsigned t = 0; t < ISA_TOKENS; t++) {
        to[t] = 0;
        if (!use->used[t])
            continue;
        const int best = nearest_token(l, taken, initial_count(plan, t));
        if (best < 0)
            return false;
        to[t] = (uint8_t)best;
        taken[best] = true;
    }
    return true;
}

/* Operations that do nothing else bring a token from one count to another. */
static void adjust(struct linker *l, unsigned token, int from, int to)
{
    for (; from != to; from += from < to ? 1 : -1)
        writer_op(&l->writer, "accumulate",
                  SETTINGS{{"wait_a", from > to},
                           {"wait_a_token", from > to ? (int64_t)token : 0},
                           {"signal_a", from < to},
                           {"signal_a_token", from < to ? (int64_t)token : 0},
                           {NULL, 0}});
}

static void set_tokens(struct linker *l, const struct plan *plan, const struct token_use *use,
                       const uint8_t to[ISA_TOKENS])
{
    for (unsigned t = 0; t < ISA_TOKENS; t++) {
        if (!use->used[t])
            continue;
        int *count = &l->count[to[t]];
        if (*count < 0)
            l->writer.tokens[to[t]] = (uint8_t)initial_count(plan, t);
        else
            adjust(l, to[t], *count, initial_count(plan, t));
        *count = initial_count(plan, t) + (int)use->more[t];
    }
}

/* ---- instruction buffers ------------------------------------------------------------------------- */

/* What the part's configurations take of a cluster's register file, beside those of parts before. */
static enum plan_status take_pages(struct linker *l, const struct plan *plan)
{
    const struct isa_format *format = isa_find_format(&isa_operation, "distribute"),
                            *header = isa_find_format(&isa_config, "config_header");
    const struct bits command = find(format, "command"), unit = find(format, "unit_address");
    const struct isa_field *field = isa_find_field(header, "instructions");
    const unsigned lsb = isa_field_lsb(&isa_config, header, field, isa_int8_widths),
                   room = variant_register_pages(l->variant, l->variant->register_file_entries);
    const uint8_t *data = operation_at(plan, operations_of(plan));
    for (uint32_t i = 0; i < operations_of(plan); i++) {
        const uint8_t *op = operation_at(plan, i);
        if (op[0] != OP_DISTRIBUTE || get(op, command) >= CONFIG_COMMANDS)
            continue;
        const uint8_t *config = data + get(op, unit);
        l->pages[get(op, command) % BUFFERS] =
            variant_register_pages(l->variant, (unsigned)isa_get_bits(config, lsb, (unsigned)field->bits));
        unsigned taken = 0;
        for (unsigned b = 0; b < BUFFERS; b++)
            taken += l->pages[b];
        if (taken > room)
            return plan_refuse(PLAN_UNSUPPORTED,
                               "the configurations of several plans do not fit the clusters' "
                               "register files");
    }
    return PLAN_OK;
}

/* ---- operations ---------------------------------------------------------------------------------- */

static void put(uint8_t *record, struct bits at, uint64_t value)
{
    isa_put_bits(record, at.lsb, at.bits, value);
}

static void copy_operation(struct linker *l, const struct link_part *part, const uint8_t *from,
                           const uint8_t tokens[ISA_TOKENS], uint64_t data)
{
    const struct kind *k = &l->kind[from[0]];
    uint8_t op[ISA_OPERATION_BYTES];
    memcpy(op, from, sizeof op);
    for (unsigned j = 0; j < 2; j++) {
        if (get(op, k->wait[j]))
            put(op, k->wait_token[j], tokens[get(op, k->wait_token[j])]);
        if (get(op, k->signal[j]))
            put(op, k->signal_token[j], tokens[get(op, k->signal_token[j])]);
    }
    const uint64_t slot = get(op, k->slot), offset = get(op, k->offset);
    const bool program = slot == SLOT_PROGRAM;
    l->writer.count++;
    if (program && from[0] == OP_LOAD) {
        put(op, k->offset, offset - (uint64_t)(operations_of(part->plan) + 1) * ISA_OPERATION_BYTES + data);
        sb_addn(&l->writer.fixups, (const char *)&l->writer.count, sizeof l->writer.count);
    } else if (slot) {
        put(op, k->slot, part->slot[slot].slot);
        put(op, k->offset, offset + part->slot[slot].base);
        if (part->slot[slot].slot == SLOT_BANK && l->writer.minor < BANK_MINOR)
            l->writer.minor = BANK_MINOR;
    }
    sb_addn(&l->writer.operations, (const char *)op, sizeof op);
}

static uint64_t copy_data(struct linker *l, const struct plan *plan)
{
    static const char zeros[WRITER_CONFIG_ALIGN] = {0};
    struct strbuf *data = &l->writer.data;
    const size_t before = (size_t)(operations_of(plan) + 1) * ISA_OPERATION_BYTES;
    sb_addn(data, zeros, math_round_up((uint32_t)data->len, WRITER_CONFIG_ALIGN) - data->len);
    const uint64_t at = data->len;
    sb_addn(data, plan->program.text + before, plan->program.len - before);
    return at;
}

/* Parts of the same plan have their data once. */
static uint64_t place_data(struct linker *l, const struct link_part *parts, size_t at)
{
    size_t before = 0;
    while (before < at && parts[before].plan != parts[at].plan)
        before++;
    return l->data[at] = before < at ? l->data[before] : copy_data(l, parts[at].plan);
}

static enum plan_status add_part(struct linker *l, const struct link_part *parts, size_t at)
{
    const struct link_part *part = &parts[at];
    const struct token_use use = tokens_of(l, part->plan);
    uint8_t tokens[ISA_TOKENS];
    if (!name_tokens(l, part->plan, &use, tokens))
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has fewer tokens than a plan uses");
    const enum plan_status why = take_pages(l, part->plan);
    const unsigned minor = (unsigned)header_field(part->plan, "minor");
    l->writer.minor = minor > l->writer.minor ? minor : l->writer.minor;
    if (at) {
        writer_op(&l->writer, "fence", NULL);
        writer_op(&l->writer, "accumulate", NULL); /* stores add nothing and have no function again */
    }
    set_tokens(l, part->plan, &use, tokens);
    const uint64_t data = place_data(l, parts, at);
    for (uint32_t i = 0; i + 1 < operations_of(part->plan); i++)
        copy_operation(l, part, operation_at(part->plan, i), tokens, data);
    return why;
}

enum plan_status plan_link(const struct variant *variant, const struct link_part *parts, size_t count,
                           struct strbuf *program)
{
    struct linker l = {.variant = variant, .data = malloc((count + 1) * sizeof *l.data)};
    enum plan_status why = PLAN_OK;
    if (!l.data)
        return plan_no_memory();
    writer_begin(&l.writer, variant);
    find_kinds(l.kind);
    memset(l.count, -1, sizeof l.count);
    for (size_t i = 0; !why && i < count; i++)
        why = add_part(&l, parts, i);
    if (!why)
        writer_finish(&l.writer, 0, program);
    why = why ? why : l.writer.failed;
    writer_free(&l.writer);
    free(l.data);
    return why;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/link.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/isa/codec.h"
#include "gen/isa/packed.h"
#include "host/plan/buffers.h"
#include "host/plan/early.h"
#include "host/plan/roll.h"

#define BANK_MINOR 2 /* version of the instruction set that has the activation bank */

/* Where a format has a field; no bits: it has none. */
struct bits {
    unsigned lsb, bits;
};

/* What is changed in the operations of an opcode. */
struct kind {
    struct bits slot, offset, unit, command, wait[2], wait_token[2], signal[2], signal_token[2];
};

enum { KINDS = OP_FENCE + 1 };

/* A part's names of tokens, its instruction buffers, and what of it comes before its fence. */
struct ready {
    bool named;
    uint8_t token[ISA_TOKENS];
    struct buffers_choice buffers;
    struct early early;
};

/* Where the data of a part is that its program carries. */
struct placed {
    uint64_t at;
    unsigned swap; /* of the buffers that it names */
};

struct linker {
    const struct variant *variant;
    struct writer writer;
    struct kind kind[KINDS];
    int count[ISA_TOKENS]; /* of each token, when a part begins; -1: none has used it */
    bool fixed;            /* buffers are as the plans have them */
    struct buffers buffers;
    struct placed *data; /* of each part */
    size_t placed;       /* parts whose data has a place */
    uint64_t saved;      /* cycles of configurations that are not sent again */
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
                           .unit = find(f, "unit_address"),
                           .command = find(f, "command"),
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
    return isa_header_field(&isa_program, (const uint8_t *)plan->program.text, name);
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

/* A token of the whole for each of the part's, but for those that are taken. */
static bool name_tokens(const struct linker *l, const struct plan *plan, const struct token_use *use,
                        bool taken[ISA_TOKENS], uint8_t to[ISA_TOKENS])
{
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

/* ---- operations ---------------------------------------------------------------------------------- */

static void put(uint8_t *record, struct bits at, uint64_t value)
{
    isa_put_bits(record, at.lsb, at.bits, value);
}

static void copy_operation(struct linker *l, const struct link_part *part, const uint8_t *from,
                           const struct ready *ready, uint64_t data)
{
    const struct kind *k = &l->kind[from[0]];
    uint8_t op[ISA_OPERATION_BYTES];
    memcpy(op, from, sizeof op);
    for (unsigned j = 0; j < 2; j++) {
        if (get(op, k->wait[j]))
            put(op, k->wait_token[j], ready->token[get(op, k->wait_token[j])]);
        if (get(op, k->signal[j]))
            put(op, k->signal_token[j], ready->token[get(op, k->signal_token[j])]);
    }
    if (from[0] == OP_DISTRIBUTE)
        put(op, k->command, get(op, k->command) ^ ready->buffers.swap);
    if (k->unit.bits)
        put(op, k->unit, (get(op, k->unit) + ready->early.shift) & (l->variant->unit_bytes - 1));
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

static uint64_t copy_data(struct linker *l, const struct plan *plan, const struct buffers_choice *buffers)
{
    static const char zeros[WRITER_CONFIG_ALIGN] = {0};
    struct strbuf *data = &l->writer.data;
    const size_t before = (size_t)(operations_of(plan) + 1) * ISA_OPERATION_BYTES;
    sb_addn(data, zeros, math_round_up((uint32_t)data->len, WRITER_CONFIG_ALIGN) - data->len);
    const uint64_t at = data->len;
    sb_addn(data, plan->program.text + before, plan->program.len - before);
    if (sb_ok(data))
        buffers_rename(buffers, (uint8_t *)data->text + at);
    return at;
}

/* Parts of the same plan have their data once. */
static uint64_t place_data(struct linker *l, const struct link_part *parts, size_t at,
                           const struct buffers_choice *buffers)
{
    size_t before = 0;
    if (at < l->placed)
        return l->data[at].at;
    l->placed = at + 1;
    while (before < at && (parts[before].plan != parts[at].plan || l->data[before].swap != buffers->swap))
        before++;
    l->data[at] = (struct placed){before < at ? l->data[before].at : copy_data(l, parts[at].plan, buffers),
                                  buffers->swap};
    return l->data[at].at;
}

/* Configurations that the buffers have, and their load if they have all. */
static bool is_needless(const struct linker *l, const struct buffers_choice *buffers, const uint8_t *op,
                        uint32_t position)
{
    if (op[0] == OP_LOAD && get(op, l->kind[OP_LOAD].slot) == SLOT_PROGRAM)
        return !buffers->sent && !buffers->freed;
    for (unsigned i = 0; op[0] == OP_DISTRIBUTE && i < buffers->configs; i++)
        if (buffers->config[i].position == position)
            return buffers->config[i].there;
    return false;
}

static void set_waits(const struct linker *l, const uint8_t *like, uint8_t op[ISA_OPERATION_BYTES])
{
    const struct kind *k = &l->kind[OP_DISTRIBUTE];
    for (unsigned j = 0; j < 2; j++) {
        put(op, k->wait[j], like ? get(like, k->wait[j]) : 0);
        put(op, k->wait_token[j], like ? get(like, k->wait_token[j]) : 0);
    }
}

/* The first configuration that is sent waits for their load, as the first one of all does. */
static void take_wait(const struct linker *l, const struct buffers_choice *buffers, const struct plan *plan,
                      uint32_t position, uint8_t op[ISA_OPERATION_BYTES])
{
    unsigned first = 0;
    while (first < buffers->configs && buffers->config[first].there)
        first++;
    if (first == buffers->configs || buffers->config[first].position != position)
        return;
    set_waits(l, buffers->freed ? NULL : operation_at(plan, buffers->config[0].position), op);
}

/* Before all configurations of the plan: the shortest of them goes to the buffers that give back pages. */
static void copy_freed(struct linker *l, const struct link_part *part, const struct ready *ready,
                       uint64_t data)
{
    const struct buffers_choice *b = &ready->buffers;
    const uint8_t *first = operation_at(part->plan, b->config[0].position);
    for (unsigned i = 0; i < USE_BUFFERS; i++) {
        uint8_t op[ISA_OPERATION_BYTES];
        if (!(b->freed >> i & 1))
            continue;
        memcpy(op, operation_at(part->plan, b->config[b->least].position), sizeof op);
        put(op, l->kind[OP_DISTRIBUTE].command, i ^ b->swap);
        set_waits(l, first, op);
        first = NULL;
        copy_operation(l, part, op, ready, data);
    }
}

/* When an operation comes: before the part's fence, at once behind it, or in the plan's order. */
enum turn { TURN_EARLY, TURN_FIRST, TURN_REST };

static void copy_operations(struct linker *l, const struct link_part *part, const struct ready *ready,
                            enum turn turn, uint64_t data)
{
    unsigned first = turn == TURN_EARLY || !ready->named ? 0 : l->variant->command_queue_depth;
    bool begins = true; /* nothing but loads and set-ups so far */
    for (uint32_t i = 0; i + 1 < operations_of(part->plan); i++) {
        uint8_t op[ISA_OPERATION_BYTES];
        memcpy(op, operation_at(part->plan, i), sizeof op);
        begins = begins && (op[0] == OP_LOAD || op[0] == OP_ACCUMULATE);
        enum turn its = i < EARLY_LOOK && ready->early.is[i] ? TURN_EARLY : TURN_REST;
        if (turn == TURN_REST && ready->buffers.configs && i == ready->buffers.config[0].position)
            copy_freed(l, part, ready, data);
        if (is_needless(l, &ready->buffers, op, i))
            continue;
        if (its == TURN_REST && begins && op[0] == OP_LOAD && first) {
            its = TURN_FIRST;
            first--;
        }
        if (its != turn)
            continue;
        take_wait(l, &ready->buffers, part->plan, i, op);
        copy_operation(l, part, op, ready, data);
    }
}

/* ---- parts --------------------------------------------------------------------------------------- */

static enum plan_status name_part(struct linker *l, const struct plan *plan, struct ready *ready)
{
    const struct token_use use = tokens_of(l, plan);
    bool taken[ISA_TOKENS] = {false};
    if (!name_tokens(l, plan, &use, taken, ready->token))
        return plan_refuse(PLAN_UNSUPPORTED, "the variant has fewer tokens than a plan uses");
    set_tokens(l, plan, &use, ready->token);
    return PLAN_OK;
}

/* Names tokens that the part before does not use, and sees to it that they have their first counts when that
 * begins, so that what is early takes them while the part before runs. */
static bool name_beside(struct linker *l, const struct plan *plan, const struct plan *before,
                        const struct ready *ready_before, struct ready *ready)
{
    const struct token_use use = tokens_of(l, plan), other = tokens_of(l, before);
    bool taken[ISA_TOKENS] = {false};
    for (unsigned t = 0; t < ISA_TOKENS; t++)
        taken[ready_before->token[t]] |= other.used[t];
    if (!name_tokens(l, plan, &use, taken, ready->token))
        return false;
    set_tokens(l, plan, &use, ready->token);
    return true;
}

/* The buffers of the next part, and what of it can come before its fence. */
static enum plan_status make_ready(struct linker *l, const struct link_part *part, const struct ready *ready,
                                   struct ready *next)
{
    const struct link_part *after = part + 1;
    bool constant[ISA_SLOTS] = {false};
    struct plan_use use;
    enum plan_status why = use_of(l->variant, part->plan, &use);
    if (why)
        return why;
    buffers_used(&l->buffers, &use, ready->buffers.swap);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        constant[s] = s == SLOT_PROGRAM || after->slot[s].slot == SLOT_WEIGHTS;
    early_find(after->plan, l->variant, constant, use.beats, ready->early.shift, &next->early);
    use_free(&use);
    next->named = next->early.count && name_beside(l, after->plan, part->plan, ready, next);
    if (!next->named)
        next->early = (struct early){0};
    return buffers_choose(&l->buffers, after->plan, l->fixed, &next->buffers);
}

/* A part, and what is early of the next one. */
static enum plan_status add_part(struct linker *l, const struct link_part *parts, size_t at, size_t count,
                                 struct ready *ready)
{
    const struct link_part *part = &parts[at];
    struct ready next = {0};
    enum plan_status why = PLAN_OK;
    const unsigned minor = (unsigned)header_field(part->plan, "minor");
    l->writer.minor = minor > l->writer.minor ? minor : l->writer.minor;
    if (at) {
        writer_op(&l->writer, "fence", NULL);
        copy_operations(l, part, ready, TURN_FIRST, place_data(l, parts, at, &ready->buffers));
        writer_op(&l->writer, "accumulate", NULL); /* stores add nothing and have no function again */
    } else
        why = buffers_choose(&l->buffers, part->plan, l->fixed, &ready->buffers);
    if (!ready->named && !why)
        why = name_part(l, part->plan, ready);
    if (at + 1 < count && !why)
        why = make_ready(l, part, ready, &next);
    if (why)
        return why;
    l->saved += next.buffers.saved;
    copy_operations(l, part, ready, TURN_REST, place_data(l, parts, at, &ready->buffers));
    if (at + 1 < count)
        copy_operations(l, part + 1, &next, TURN_EARLY, place_data(l, parts, at + 1, &next.buffers));
    *ready = next;
    return PLAN_OK;
}

static enum plan_status link_parts(struct linker *l, const struct link_part *parts, size_t count,
                                   struct strbuf *program)
{
    struct ready ready = {0};
    enum plan_status why = PLAN_OK;
    writer_begin(&l->writer, l->variant);
    find_kinds(l->kind);
    memset(l->count, -1, sizeof l->count);
    for (size_t i = 0; !why && i < count; i++)
        why = add_part(l, parts, i, count, &ready);
    if (!why)
        writer_roll(&l->writer);
    if (!why)
        writer_finish(&l->writer, 0, program);
    why = why ? why : l->writer.failed;
    writer_free(&l->writer);
    return why;
}

/* Plans with full programs in place of packed ones. */
struct full {
    struct link_part *part;
    struct plan *plan; /* of each part that has one of its own */
    size_t count;
};

static void full_free(struct full *full)
{
    for (size_t i = 0; full->plan && i < full->count; i++)
        sb_free(&full->plan[i].program);
    free(full->plan);
    free(full->part);
}

static bool unpack_part(struct full *full, const struct link_part *parts, size_t at)
{
    const struct plan *plan = parts[at].plan;
    size_t before = 0;
    full->part[at] = parts[at];
    while (before < at && parts[before].plan != plan)
        before++;
    if (before < at) {
        full->part[at].plan = full->part[before].plan;
        return true;
    }
    if (!header_field(plan, "lines"))
        return true;
    struct plan *own = &full->plan[full->count++];
    *own = *plan;
    own->program = (struct strbuf){0};
    full->part[at].plan = own;
    return isa_program_unpack((const uint8_t *)plan->program.text, plan->program.len, &own->program);
}

static bool unpack_parts(struct full *full, const struct link_part *parts, size_t count)
{
    bool ok = true;
    *full = (struct full){.part = calloc(count + 1, sizeof *full->part),
                          .plan = calloc(count + 1, sizeof *full->plan)};
    for (size_t i = 0; ok && i < count; i++)
        ok = full->part && full->plan && unpack_part(full, parts, i);
    return ok;
}

/* Buffers that are used in turn stay configured and take more of the register files. */
enum plan_status plan_link(const struct variant *variant, const struct link_part *parts, size_t count,
                           struct strbuf *program, uint64_t *saved)
{
    struct placed *data = malloc((count + 1) * sizeof *data);
    struct full full;
    const bool there = unpack_parts(&full, parts, count) && data;
    enum plan_status why = there ? PLAN_UNSUPPORTED : plan_no_memory();
    for (unsigned fixed = 0; there && fixed < 2 && why == PLAN_UNSUPPORTED; fixed++) {
        struct linker l = {.variant = variant, .fixed = fixed, .buffers = {.variant = variant}, .data = data};
        why = link_parts(&l, full.part, count, program);
        *saved = l.saved;
    }
    full_free(&full);
    free(data);
    return why;
}

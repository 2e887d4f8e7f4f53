/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/roll.h"

#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"

#define OPCODES 256
#define STEP_BITS 16      /* of a step of unit addresses, in row-bus beats */
#define LOOP_OPERATIONS 2 /* a loop and its endloop */

/* Where a format has a field; no bits: it has none. */
struct bits {
    unsigned lsb, bits;
};

/* What loops change of an operation. */
struct kind {
    struct bits offset, unit, offset_step[ISA_LOOP_LEVELS], unit_step[ISA_LOOP_LEVELS];
};

struct operation {
    uint8_t record[ISA_OPERATION_BYTES]; /* its offset and unit address are 0; check words come later */
    int64_t offset;
    uint32_t unit;
    bool fixup; /* its offset counts from the data */
};

/* An operation that is in no loop yet, or a loop with all that is in it. */
struct piece {
    uint32_t first, operations;
    uint64_t signature; /* the same for all that do the same, addresses aside */
};

struct list {
    struct operation *operation;
    struct piece *piece;
    uint32_t operations, pieces;
};

struct roll {
    const struct variant *variant;
    struct kind kind[OPCODES];
    struct list from, to;
    unsigned level; /* of the loops that are found */
    bool shortest;  /* the shortest body that saves anything, which leaves more for loops around it; else the
                       one that saves most */
};

/* ---- records ----------------------------------------------------------------------------------------- */

static struct bits find(const struct isa_format *format, const char *name)
{
    const struct isa_field *field = isa_find_field(format, name);
    if (!field)
        return (struct bits){0};
    return (struct bits){isa_field_lsb(&isa_operation, format, field, isa_int8_widths),
                         (unsigned)field->bits};
}

static void find_kinds(struct kind *kinds)
{
    static const char *const offset_steps[] = {"offset_step0", "offset_step1", "offset_step2"},
                             *const unit_steps[] = {"unit_step0", "unit_step1", "unit_step2"};
    for (const struct isa_format *f = isa_operation.formats; f->name; f++) {
        struct kind *kind = &kinds[isa_find_field(f, "opcode")->min];
        kind->offset = find(f, "offset");
        kind->unit = find(f, "unit_address");
        for (unsigned level = 0; level < ISA_LOOP_LEVELS; level++) {
            kind->offset_step[level] = find(f, offset_steps[level]);
            kind->unit_step[level] = find(f, unit_steps[level]);
        }
    }
}

/* Gives the field's value and leaves 0. */
static uint64_t take(uint8_t *record, struct bits at)
{
    const uint64_t value = at.bits ? isa_get_bits(record, at.lsb, at.bits) : 0;
    if (at.bits)
        isa_put_bits(record, at.lsb, at.bits, 0);
    return value;
}

static void put(uint8_t *record, struct bits at, uint64_t value)
{
    if (at.bits)
        isa_put_bits(record, at.lsb, at.bits, value & (UINT64_MAX >> (64 - at.bits)));
}

static uint64_t sign(uint64_t before, const uint8_t *bytes, size_t count)
{
    uint64_t word;
    for (size_t at = 0; at < count; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        before = (before ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        before ^= before >> 29;
    }
    return before;
}

static struct operation take_operation(const struct roll *r, const uint8_t *record)
{
    const struct kind *kind = &r->kind[record[0]];
    struct operation o;
    memcpy(o.record, record, sizeof o.record);
    o.offset = (int64_t)take(o.record, kind->offset);
    o.unit = (uint32_t)take(o.record, kind->unit);
    o.fixup = false;
    return o;
}

static bool take_program(struct roll *r, const struct writer *w)
{
    struct list *from = &r->from;
    *from = (struct list){malloc(w->count * sizeof *from->operation), malloc(w->count * sizeof *from->piece),
                          w->count, w->count};
    if (!from->operation || !from->piece)
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        from->operation[i] =
            take_operation(r, (const uint8_t *)w->operations.text + (size_t)i * ISA_OPERATION_BYTES);
    for (size_t at = 0; at < w->fixups.len; at += sizeof(uint32_t)) {
        uint32_t position;
        memcpy(&position, w->fixups.text + at, sizeof position);
        from->operation[position - 1].fixup = true;
    }
    for (uint32_t i = 0; i < w->count; i++)
        from->piece[i] = (struct piece){
            i, 1,
            sign(from->operation[i].fixup, from->operation[i].record, sizeof from->operation[i].record)};
    return true;
}

static void give_program(const struct list *from, const struct kind *kinds, struct writer *w)
{
    w->operations.len = w->fixups.len = 0;
    w->count = 0;
    for (uint32_t i = 0; i < from->operations; i++) {
        struct operation *o = &from->operation[i];
        const struct kind *kind = &kinds[o->record[0]];
        put(o->record, kind->offset, (uint64_t)o->offset);
        put(o->record, kind->unit, o->unit);
        sb_addn(&w->operations, (const char *)o->record, sizeof o->record);
        w->count++;
        if (o->fixup)
            sb_addn(&w->fixups, (const char *)&w->count, sizeof w->count);
    }
}

/* ---- what comes again -------------------------------------------------------------------------------- */

static int64_t unit_step(const struct roll *r, const struct operation *before, const struct operation *after)
{
    const uint32_t size = r->variant->unit_bytes, forth = (after->unit - before->unit) & (size - 1);
    return forth < size / 2 ? forth : (int64_t)forth - size;
}

/* Whether a loop can take the second operation as the next pass of the first. */
static bool can_follow(const struct roll *r, const struct operation *first, const struct operation *second)
{
    const struct kind *kind = &r->kind[first->record[0]];
    const int64_t offset = second->offset - first->offset,
                  beats = unit_step(r, first, second) / (r->variant->row_bus_width / 8);
    return !memcmp(first->record, second->record, sizeof first->record) && first->fixup == second->fixup &&
           (!offset || (kind->offset_step[r->level].bits && offset >= INT32_MIN && offset <= INT32_MAX)) &&
           (!beats || (beats >= -(1 << (STEP_BITS - 1)) && beats < 1 << (STEP_BITS - 1)));
}

static bool follows(const struct roll *r, const struct operation *first, const struct operation *second,
                    const struct operation *before, const struct operation *next)
{
    return !memcmp(first->record, next->record, sizeof first->record) && first->fixup == next->fixup &&
           next->offset - before->offset == second->offset - first->offset &&
           unit_step(r, before, next) == unit_step(r, first, second);
}

static bool same_pieces(const struct piece *a, const struct piece *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].signature != b[i].signature || a[i].operations != b[i].operations)
            return false;
    return true;
}

/* How often the pieces from `first` on, so many, come one behind another. */
static uint32_t passes(const struct roll *r, uint32_t first, uint32_t count)
{
    const struct piece *piece = &r->from.piece[first];
    const uint32_t body = piece[count - 1].first + piece[count - 1].operations - piece->first;
    const struct operation *o = &r->from.operation[piece->first];
    uint32_t found = 1;
    for (; first + (found + 1) * count <= r->from.pieces; found++) {
        const struct operation *next = o + (size_t)found * body, *before = next - body;
        bool ok = same_pieces(piece, piece + (size_t)found * count, count);
        for (uint32_t i = 0; ok && i < body; i++)
            ok = found == 1 ? can_follow(r, &o[i], &next[i])
                            : follows(r, &o[i], &o[body + i], &before[i], &next[i]);
        if (!ok)
            break;
    }
    return found;
}

struct found {
    uint32_t pieces, passes, body; /* of a pass; how many; operations of a pass */
    uint64_t saved;
};

/* Of the loops that begin with this piece. */
static struct found best_loop(const struct roll *r, uint32_t first)
{
    const struct piece *piece = &r->from.piece[first];
    const uint32_t most = r->variant->program_buffer - LOOP_OPERATIONS;
    struct found best = {0};
    for (uint32_t count = 1, body = 0; first + 2 * count <= r->from.pieces && !(r->shortest && best.saved);
         count++) {
        body += piece[count - 1].operations;
        if (body > most)
            break;
        if (piece->signature != piece[count].signature)
            continue;
        const uint32_t times = passes(r, first, count);
        const uint64_t operations = (uint64_t)(times - 1) * body;
        if (operations > LOOP_OPERATIONS + best.saved)
            best = (struct found){count, times, body, operations - LOOP_OPERATIONS};
    }
    return best;
}

/* ---- loops ------------------------------------------------------------------------------------------- */

static struct operation loop_operation(const char *name, const char *field, uint32_t value, unsigned level)
{
    const struct isa_format *format = isa_find_format(&isa_operation, name);
    struct operation o = {0};
    put(o.record, find(format, "opcode"), isa_find_field(format, "opcode")->min);
    put(o.record, find(format, field), value);
    put(o.record, find(format, "level"), level);
    return o;
}

static void add_loop(struct roll *r, uint32_t first, const struct found *found)
{
    const struct operation *body = &r->from.operation[r->from.piece[first].first];
    const uint32_t beat = r->variant->row_bus_width / 8;
    struct list *to = &r->to;
    struct piece *piece = &to->piece[to->pieces++];
    *piece = (struct piece){to->operations, found->body + LOOP_OPERATIONS, found->passes};
    to->operation[to->operations++] = loop_operation("loop", "iterations", found->passes, r->level);
    for (uint32_t i = 0; i < found->body; i++) {
        struct operation o = body[i];
        const struct kind *kind = &r->kind[o.record[0]];
        const struct operation *next = &body[found->body + i];
        put(o.record, kind->offset_step[r->level], (uint64_t)(next->offset - o.offset));
        put(o.record, kind->unit_step[r->level], (uint64_t)(unit_step(r, &o, next) / beat));
        piece->signature = sign(piece->signature + o.fixup, o.record, sizeof o.record);
        to->operation[to->operations++] = o;
    }
    to->operation[to->operations++] = loop_operation("endloop", "body", found->body + 1, r->level);
}

static void add_piece(struct roll *r, uint32_t number)
{
    const struct piece *piece = &r->from.piece[number];
    struct list *to = &r->to;
    memcpy(&to->operation[to->operations], &r->from.operation[piece->first],
           piece->operations * sizeof *to->operation);
    to->piece[to->pieces++] = (struct piece){to->operations, piece->operations, piece->signature};
    to->operations += piece->operations;
}

/* Everything of `from` goes to `to`. Whether there were loops. */
static bool find_loops(struct roll *r)
{
    bool any = false;
    r->to.operations = r->to.pieces = 0;
    for (uint32_t i = 0; i < r->from.pieces;) {
        const struct found found = best_loop(r, i);
        if (found.saved)
            add_loop(r, i, &found);
        else
            add_piece(r, i);
        any = any || found.saved;
        i += found.saved ? found.pieces * found.passes : 1;
    }
    return any;
}

/* The innermost loops first: they have the highest level. */
static void find_all_loops(struct roll *r)
{
    for (unsigned level = ISA_LOOP_LEVELS; level > 0; level--) {
        r->level = level - 1;
        if (!find_loops(r))
            break;
        const struct list found = r->to;
        r->to = r->from;
        r->from = found;
    }
}

static bool begin(struct roll *r, const struct writer *w)
{
    find_kinds(r->kind);
    r->to = (struct list){.operation = malloc(w->count * sizeof *r->to.operation),
                          .piece = malloc(w->count * sizeof *r->to.piece)};
    return take_program(r, w) && r->to.operation && r->to.piece;
}

static void end(struct roll *r)
{
    free(r->from.operation);
    free(r->from.piece);
    free(r->to.operation);
    free(r->to.piece);
}

void writer_roll(struct writer *w)
{
    if (w->failed || !w->count || !sb_ok(&w->operations) || !sb_ok(&w->fixups))
        return;
    struct roll ways[] = {{.variant = w->variant}, {.variant = w->variant, .shortest = true}};
    bool ok = true;
    for (unsigned i = 0; i < 2; i++) {
        ok = begin(&ways[i], w) && ok;
        if (ok)
            find_all_loops(&ways[i]);
    }
    if (ok)
        give_program(&ways[ways[1].from.operations < ways[0].from.operations].from, ways[0].kind, w);
    else
        w->failed = plan_no_memory();
    end(&ways[0]);
    end(&ways[1]);
}

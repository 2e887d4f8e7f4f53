/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/roll.h"

#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "sim/model/program.h"

#define OPCODES 256
#define LOOP_OPERATIONS 2 /* a loop and its endloop */
#define GROUP_MINOR 2 /* version of the instruction set in which loops change the first group of a store */

/* Where a format has a field; no bits: it has none. */
struct bits {
    unsigned lsb, bits;
};

/* What loops change of an operation: unit addresses count row-bus beats here. */
enum { OFFSET, UNIT, GROUP, VALUES };

struct kind {
    struct bits value[VALUES], step[VALUES][ISA_LOOP_LEVELS];
};

struct stepped {
    uint8_t record[ISA_OPERATION_BYTES]; /* its values are 0; check words come later */
    int64_t value[VALUES];
    bool fixup; /* its offset counts from the data */
};

/* An operation that is in no loop yet, or a loop with all that is in it. */
struct piece {
    uint32_t first, operations;
    unsigned level;     /* of the loop; ISA_LOOP_LEVELS: there is none */
    uint64_t signature; /* the same for all that do the same, values aside */
};

struct list {
    struct stepped *operation;
    struct piece *piece;
    uint32_t operations, pieces;
};

struct roll {
    const struct variant *variant;
    int64_t beat;         /* bytes of the row bus */
    int64_t turn[VALUES]; /* after which a value is 0 again; 0: never */
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
    static const char *const values[] = {"offset", "unit_address", "first_group"};
    static const char *const steps[][ISA_LOOP_LEVELS] = {{"offset_step0", "offset_step1", "offset_step2"},
                                                         {"unit_step0", "unit_step1", "unit_step2"},
                                                         {"group_step0", "group_step1", "group_step2"}};
    for (const struct isa_format *f = isa_operation.formats; f->name; f++) {
        struct kind *kind = &kinds[isa_find_field(f, "opcode")->min];
        for (unsigned v = 0; v < VALUES; v++) {
            kind->value[v] = find(f, values[v]);
            for (unsigned level = 0; level < ISA_LOOP_LEVELS; level++)
                kind->step[v][level] = find(f, steps[v][level]);
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

static struct stepped take_operation(const struct roll *r, const uint8_t *record)
{
    const struct kind *kind = &r->kind[record[0]];
    struct stepped o;
    memcpy(o.record, record, sizeof o.record);
    for (unsigned v = 0; v < VALUES; v++)
        o.value[v] = (int64_t)take(o.record, kind->value[v]);
    o.value[UNIT] /= r->beat;
    o.fixup = false;
    return o;
}

static uint64_t sign_operation(uint64_t before, const struct stepped *o)
{
    return sign(before + o->fixup, o->record, sizeof o->record);
}

/* Loops of the program are pieces. */
static void find_pieces(struct list *from, struct bits level)
{
    unsigned depth = 0;
    from->pieces = 0;
    for (uint32_t i = 0; i < from->operations; i++) {
        const struct stepped *o = &from->operation[i];
        const bool begins = o->record[0] == OP_LOOP;
        if (!depth)
            from->piece[from->pieces++] = (struct piece){
                i, 0, begins ? (unsigned)isa_get_bits(o->record, level.lsb, level.bits) : ISA_LOOP_LEVELS, 0};
        struct piece *piece = &from->piece[from->pieces - 1];
        piece->operations++;
        piece->signature = sign_operation(piece->signature, o);
        depth += begins;
        depth -= o->record[0] == OP_ENDLOOP;
    }
}

static bool take_program(struct roll *r, const struct writer *w)
{
    struct list *from = &r->from;
    *from = (struct list){malloc(w->count * sizeof *from->operation), malloc(w->count * sizeof *from->piece),
                          w->count, 0};
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
    find_pieces(from, find(isa_find_format(&isa_operation, "loop"), "level"));
    return true;
}

static bool has_group_steps(const struct kind *kind, const struct stepped *o)
{
    for (unsigned level = 0; level < ISA_LOOP_LEVELS; level++) {
        const struct bits at = kind->step[GROUP][level];
        if (at.bits && isa_get_bits(o->record, at.lsb, at.bits))
            return true;
    }
    return false;
}

static void give_program(const struct roll *r, struct writer *w)
{
    const struct list *from = &r->from;
    w->operations.len = w->fixups.len = 0;
    w->count = 0;
    for (uint32_t i = 0; i < from->operations; i++) {
        struct stepped *o = &from->operation[i];
        const struct kind *kind = &r->kind[o->record[0]];
        if (has_group_steps(kind, o) && w->minor < GROUP_MINOR)
            w->minor = GROUP_MINOR;
        o->value[UNIT] *= r->beat;
        for (unsigned v = 0; v < VALUES; v++)
            put(o->record, kind->value[v], (uint64_t)o->value[v]);
        sb_addn(&w->operations, (const char *)o->record, sizeof o->record);
        w->count++;
        if (o->fixup)
            sb_addn(&w->fixups, (const char *)&w->count, sizeof w->count);
    }
}

/* ---- what comes again -------------------------------------------------------------------------------- */

/* The shorter way around for values that turn. */
static int64_t step_of(const struct roll *r, unsigned value, const struct stepped *before,
                       const struct stepped *after)
{
    const int64_t step = after->value[value] - before->value[value], turn = r->turn[value];
    if (!turn)
        return step;
    const int64_t forth = step & (turn - 1);
    return forth < turn / 2 ? forth : forth - turn;
}

/* A step without bits is one that the operation does not have. */
static bool can_step(struct bits at, int64_t step)
{
    return !step || (at.bits && step >= -(INT64_C(1) << (at.bits - 1)) && step < INT64_C(1) << (at.bits - 1));
}

static bool is_like(const struct stepped *a, const struct stepped *b)
{
    return !memcmp(a->record, b->record, sizeof a->record) && a->fixup == b->fixup;
}

/* Whether a loop can take the second operation as the next pass of the first. */
static bool can_follow(const struct roll *r, const struct stepped *first, const struct stepped *second)
{
    const struct kind *kind = &r->kind[first->record[0]];
    bool ok = is_like(first, second);
    for (unsigned v = 0; v < VALUES && ok; v++)
        ok = can_step(kind->step[v][r->level], step_of(r, v, first, second));
    return ok;
}

static bool follows(const struct roll *r, const struct stepped *first, const struct stepped *second,
                    const struct stepped *before, const struct stepped *next)
{
    bool ok = is_like(first, next);
    for (unsigned v = 0; v < VALUES && ok; v++)
        ok = step_of(r, v, before, next) == step_of(r, v, first, second);
    return ok;
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
    const struct stepped *o = &r->from.operation[piece->first];
    uint32_t found = 1;
    for (; first + (found + 1) * count <= r->from.pieces; found++) {
        const struct stepped *next = o + (size_t)found * body, *before = next - body;
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
        if (body > most || piece[count - 1].level <= r->level)
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

static struct stepped loop_operation(const char *name, const char *field, uint32_t value, unsigned level)
{
    const struct isa_format *format = isa_find_format(&isa_operation, name);
    struct stepped o = {0};
    put(o.record, find(format, "opcode"), isa_find_field(format, "opcode")->min);
    put(o.record, find(format, field), value);
    put(o.record, find(format, "level"), level);
    return o;
}

static void add_loop(struct roll *r, uint32_t first, const struct found *found)
{
    const struct stepped *body = &r->from.operation[r->from.piece[first].first];
    struct list *to = &r->to;
    struct piece *piece = &to->piece[to->pieces++];
    *piece = (struct piece){to->operations, found->body + LOOP_OPERATIONS, r->level, found->passes};
    to->operation[to->operations++] = loop_operation("loop", "iterations", found->passes, r->level);
    for (uint32_t i = 0; i < found->body; i++) {
        struct stepped o = body[i];
        const struct kind *kind = &r->kind[o.record[0]];
        const struct stepped *next = &body[found->body + i];
        for (unsigned v = 0; v < VALUES; v++)
            put(o.record, kind->step[v][r->level], (uint64_t)step_of(r, v, &o, next));
        piece->signature = sign_operation(piece->signature, &o);
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
    to->piece[to->pieces] = *piece;
    to->piece[to->pieces++].first = to->operations;
    to->operations += piece->operations;
}

/* Everything of `from` goes to `to`. */
static void find_loops(struct roll *r)
{
    r->to.operations = r->to.pieces = 0;
    for (uint32_t i = 0; i < r->from.pieces;) {
        const struct found found = best_loop(r, i);
        if (found.saved)
            add_loop(r, i, &found);
        else
            add_piece(r, i);
        i += found.saved ? found.pieces * found.passes : 1;
    }
}

/* The innermost loops first: they have the highest level. */
static void find_all_loops(struct roll *r)
{
    for (unsigned level = ISA_LOOP_LEVELS; level > 0; level--) {
        r->level = level - 1;
        find_loops(r);
        const struct list found = r->to;
        r->to = r->from;
        r->from = found;
    }
}

static bool begin(struct roll *r, const struct writer *w)
{
    find_kinds(r->kind);
    r->beat = r->variant->row_bus_width / 8;
    r->turn[UNIT] = r->variant->unit_bytes / r->beat;
    r->turn[GROUP] = INT64_C(1) << r->kind[OP_STORE].value[GROUP].bits;
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
        give_program(&ways[ways[1].from.operations < ways[0].from.operations], w);
    else
        w->failed = plan_no_memory();
    end(&ways[0]);
    end(&ways[1]);
}

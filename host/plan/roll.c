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
    uint32_t innermost; /* operations of the bodies of innermost loops, at most: short ones leave more for
                           loops around them */
    unsigned level;     /* of the loops that are found */
    bool wrong;         /* operations of the same signature were not the same: there are no such loops */
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

/* Whether a loop can take the second operation as the next pass of the first, records that are the same
 * assumed. */
static bool can_follow(const struct roll *r, const struct operation *first, const struct operation *second)
{
    const struct kind *kind = &r->kind[first->record[0]];
    const int64_t offset = second->offset - first->offset,
                  beats = unit_step(r, first, second) / (r->variant->row_bus_width / 8);
    return (!offset || (kind->offset_step[r->level].bits && offset >= INT32_MIN && offset <= INT32_MAX)) &&
           (!beats || (beats >= -(1 << (STEP_BITS - 1)) && beats < 1 << (STEP_BITS - 1)));
}

/* Whether pieces that can be passes of a loop are, by the steps of their operations: the third after the
 * second as the second after the first. */
static bool steps_on(const struct roll *r, uint32_t first, uint32_t second, uint32_t third)
{
    const struct piece *piece = r->from.piece;
    const struct operation *a = &r->from.operation[piece[first].first],
                           *b = &r->from.operation[piece[second].first],
                           *c = &r->from.operation[piece[third].first];
    for (uint32_t i = 0; i < piece[first].operations; i++)
        if (c[i].offset - b[i].offset != b[i].offset - a[i].offset ||
            unit_step(r, &b[i], &c[i]) != unit_step(r, &a[i], &b[i]))
            return false;
    return true;
}

static bool is_alike(const struct roll *r, uint32_t first, uint32_t second)
{
    const struct piece *a = &r->from.piece[first], *b = &r->from.piece[second];
    bool alike = a->signature == b->signature && a->operations == b->operations;
    for (uint32_t i = 0; alike && i < a->operations; i++)
        alike = can_follow(r, &r->from.operation[a->first + i], &r->from.operation[b->first + i]);
    return alike;
}

/* How many pieces in a row, from the one on that is looked at, have one alike so many pieces behind them; and
 * how many of these one more, at the same steps. By that distance. */
struct runs {
    uint32_t *alike, *even;
};

static void look(const struct roll *r, uint32_t at, uint32_t distance, const struct runs *runs)
{
    const uint32_t second = at + distance, third = second + distance, pieces = r->from.pieces;
    const bool alike = second < pieces && is_alike(r, at, second);
    const bool even =
        alike && third < pieces && r->from.piece[at].signature == r->from.piece[third].signature &&
        r->from.piece[at].operations == r->from.piece[third].operations && steps_on(r, at, second, third);
    runs->alike[distance] = alike ? runs->alike[distance] + 1 : 0;
    runs->even[distance] = even ? runs->even[distance] + 1 : 0;
}

/* What is written from a piece on: it alone, or a loop of so many pieces and passes; and how many operations
 * there are from there to the end then. */
struct found {
    uint32_t pieces, passes, operations;
};

/* Chooses for each piece, from the last to the first. A body has at most so many operations. */
static void choose(const struct roll *r, uint32_t most, const struct runs *runs, struct found *found)
{
    const struct piece *piece = r->from.piece;
    const uint32_t pieces = r->from.pieces;
    found[pieces] = (struct found){0};
    for (uint32_t at = pieces; at-- > 0;) {
        struct found best = {0, 0, piece[at].operations + found[at + 1].operations};
        for (uint32_t distance = 1; distance <= most && at + distance < pieces; distance++) {
            const uint32_t body = piece[at + distance].first - piece[at].first;
            if (body > most)
                runs->alike[distance] = runs->even[distance] = 0;
            else
                look(r, at, distance, runs);
            if (runs->alike[distance] < distance)
                continue;
            const uint32_t passes = 2 + runs->even[distance] / distance;
            const uint32_t operations =
                body + LOOP_OPERATIONS + found[at + (size_t)distance * passes].operations;
            if (operations < best.operations)
                best = (struct found){distance, passes, operations};
        }
        found[at] = best;
    }
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
    const struct piece *from = &r->from.piece[first];
    const struct operation *operations = &r->from.operation[from->first];
    const uint32_t beat = r->variant->row_bus_width / 8, body = from[found->pieces].first - from->first;
    struct list *to = &r->to;
    struct piece *piece = &to->piece[to->pieces++];
    *piece = (struct piece){to->operations, body + LOOP_OPERATIONS, found->passes};
    to->operation[to->operations++] = loop_operation("loop", "iterations", found->passes, r->level);
    for (uint32_t i = 0; i < body; i++) {
        struct operation o = operations[i];
        const struct kind *kind = &r->kind[o.record[0]];
        const struct operation *next = &operations[body + i];
        for (uint32_t p = 1; p < found->passes; p++)
            r->wrong = r->wrong ||
                       memcmp(o.record, operations[(size_t)p * body + i].record, sizeof o.record) ||
                       o.fixup != operations[(size_t)p * body + i].fixup;
        put(o.record, kind->offset_step[r->level], (uint64_t)(next->offset - o.offset));
        put(o.record, kind->unit_step[r->level], (uint64_t)(unit_step(r, &o, next) / beat));
        piece->signature = sign(piece->signature + o.fixup, o.record, sizeof o.record);
        to->operation[to->operations++] = o;
    }
    to->operation[to->operations++] = loop_operation("endloop", "body", body + 1, r->level);
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
static bool find_loops(struct roll *r, uint32_t most, const struct runs *runs, struct found *found)
{
    bool any = false;
    memset(runs->alike, 0, ((size_t)most + 1) * sizeof *runs->alike);
    memset(runs->even, 0, ((size_t)most + 1) * sizeof *runs->even);
    choose(r, most, runs, found);
    r->to.operations = r->to.pieces = 0;
    for (uint32_t i = 0; i < r->from.pieces; i += found[i].pieces ? found[i].pieces * found[i].passes : 1)
        if (found[i].pieces) {
            add_loop(r, i, &found[i]);
            any = true;
        } else {
            add_piece(r, i);
        }
    return any;
}

/* The innermost loops first: they have the highest level. */
static bool find_all_loops(struct roll *r)
{
    const uint32_t most = r->variant->program_buffer - LOOP_OPERATIONS;
    const struct runs runs = {malloc(((size_t)most + 1) * sizeof *runs.alike),
                              malloc(((size_t)most + 1) * sizeof *runs.even)};
    struct found *found = malloc(((size_t)r->from.pieces + 1) * sizeof *found);
    const bool ok = runs.alike && runs.even && found;
    for (unsigned level = ISA_LOOP_LEVELS; ok && level > 0; level--) {
        r->level = level - 1;
        if (!find_loops(r, level == ISA_LOOP_LEVELS && r->innermost < most ? r->innermost : most, &runs,
                        found))
            break;
        const struct list from = r->to;
        r->to = r->from;
        r->from = from;
    }
    free(runs.alike);
    free(runs.even);
    free(found);
    return ok;
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
    static const uint32_t innermost[] = {UINT32_MAX, 64, 24, 8};
    struct roll shortest = {.wrong = true};
    bool ok = true;
    if (w->failed || !w->count || !sb_ok(&w->operations) || !sb_ok(&w->fixups))
        return;
    for (unsigned i = 0; ok && i < sizeof innermost / sizeof *innermost; i++) {
        struct roll r = {.variant = w->variant, .innermost = innermost[i]};
        ok = begin(&r, w) && find_all_loops(&r);
        const bool shorter =
            ok && !r.wrong && (shortest.wrong || r.from.operations < shortest.from.operations);
        end(shorter ? &shortest : &r);
        if (shorter)
            shortest = r;
    }
    if (!ok)
        w->failed = plan_no_memory();
    else if (!shortest.wrong)
        give_program(&shortest.from, shortest.kind, w);
    end(&shortest);
}

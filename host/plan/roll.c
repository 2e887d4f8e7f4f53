/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/roll.h"

#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"

#define OPCODES 256
#define STEP_BITS 16      /* of a step of unit addresses, in row-bus beats */
#define LOOP_OPERATIONS 2 /* a loop and its endloop */
#define PASS_COST 4       /* of a pass, in operations that are saved */
#define PASSES_COUNTED 4  /* of a loop: operations of more passes would be worth any time */
#define BOUNDS 6          /* on the bodies of innermost loops that are tried */

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
    bool all;       /* loops that cost the command processor more than they save in operations, too */
    bool wrong;     /* operations of the same signature were not the same: there are no such loops */
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

/* What is written from a piece on: it alone, or a loop of so many pieces and passes; and what all from there
 * to the end costs then. */
struct found {
    uint32_t pieces, passes, cost;
};

/* A loop costs its operations, and something for each pass, as the command processor takes an endloop for it:
 * where that is what all wait for, a loop must be worth it. Unless all are wanted. */
static uint32_t cost_of_loop(const struct roll *r, uint32_t body, uint32_t passes)
{
    return body + LOOP_OPERATIONS +
           (r->all ? 0 : PASS_COST * (passes < PASSES_COUNTED ? passes : PASSES_COUNTED));
}

/* Chooses for each piece, from the last to the first, for each of some bounds on bodies, the longest first.
 */
static void choose(const struct roll *r, const uint32_t *most, unsigned bounds, const struct runs *runs,
                   struct found *const *found)
{
    const struct piece *piece = r->from.piece;
    const uint32_t pieces = r->from.pieces;
    for (unsigned b = 0; b < bounds; b++)
        found[b][pieces] = (struct found){0};
    for (uint32_t at = pieces; at-- > 0;) {
        for (unsigned b = 0; b < bounds; b++)
            found[b][at] = (struct found){0, 0, piece[at].operations + found[b][at + 1].cost};
        for (uint32_t distance = 1; distance <= most[0] && at + distance < pieces; distance++) {
            const uint32_t body = piece[at + distance].first - piece[at].first;
            if (body > most[0])
                runs->alike[distance] = runs->even[distance] = 0;
            else
                look(r, at, distance, runs);
            if (runs->alike[distance] < distance)
                continue;
            const uint32_t passes = 2 + runs->even[distance] / distance, own = cost_of_loop(r, body, passes);
            const size_t behind = at + (size_t)distance * passes;
            for (unsigned b = 0; b < bounds && body <= most[b]; b++)
                if (own + found[b][behind].cost < found[b][at].cost)
                    found[b][at] = (struct found){distance, passes, own + found[b][behind].cost};
        }
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
static bool write_loops(struct roll *r, const struct found *found)
{
    bool any = false;
    r->to.operations = r->to.pieces = 0;
    for (uint32_t i = 0; i < r->from.pieces; i += found[i].pieces ? found[i].pieces * found[i].passes : 1)
        if (found[i].pieces) {
            add_loop(r, i, &found[i]);
            any = true;
        } else {
            add_piece(r, i);
        }
    const struct list from = r->to;
    r->to = r->from;
    r->from = from;
    return any;
}

/* What choosing needs room for. */
struct room {
    uint32_t most[BOUNDS]; /* operations of bodies of innermost loops, the longest first: short ones leave
                              more for loops around them */
    struct runs runs;
    struct found *found[BOUNDS], *outer; /* innermost loops by bound, and those around them */
};

static bool begin_room(struct room *room, const struct writer *w)
{
    static const uint32_t bounds[BOUNDS] = {UINT32_MAX, 96, 48, 24, 12, 8};
    const uint32_t most = w->variant->program_buffer - LOOP_OPERATIONS;
    const size_t distances = (size_t)most + 1, pieces = (size_t)w->count + 1;
    bool ok = true;
    for (unsigned b = 0; b < BOUNDS; b++) {
        room->most[b] = bounds[b] < most ? bounds[b] : most;
        room->found[b] = malloc(pieces * sizeof *room->found[b]);
        ok = ok && room->found[b];
    }
    room->runs = (struct runs){malloc(distances * sizeof *room->runs.alike),
                               malloc(distances * sizeof *room->runs.even)};
    room->outer = malloc(pieces * sizeof *room->outer);
    return ok && room->outer && room->runs.alike && room->runs.even;
}

static void end_room(struct room *room)
{
    for (unsigned b = 0; b < BOUNDS; b++)
        free(room->found[b]);
    free(room->outer);
    free(room->runs.alike);
    free(room->runs.even);
}

static void choose_level(const struct roll *r, const struct room *room, unsigned bounds,
                         struct found *const *found)
{
    memset(room->runs.alike, 0, ((size_t)room->most[0] + 1) * sizeof *room->runs.alike);
    memset(room->runs.even, 0, ((size_t)room->most[0] + 1) * sizeof *room->runs.even);
    choose(r, room->most, bounds, &room->runs, found);
}

/* The innermost loops are chosen already; the others have lower levels. */
static void write_levels(struct roll *r, const struct room *room, const struct found *innermost)
{
    for (bool any = write_loops(r, innermost); any && r->level > 0;) {
        r->level--;
        choose_level(r, room, 1, &room->outer);
        any = write_loops(r, room->outer);
    }
}

static bool begin(struct roll *r, const struct writer *w, bool all)
{
    *r = (struct roll){.variant = w->variant, .level = ISA_LOOP_LEVELS - 1, .all = all};
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

/* With each bound; the shortest program stays. */
static bool find_shortest(const struct writer *w, bool all, const struct room *room, struct roll *shortest)
{
    for (unsigned b = 0; b < BOUNDS; b++) {
        struct roll r;
        const bool ok = begin(&r, w, all);
        if (ok && !b)
            choose_level(&r, room, BOUNDS, room->found);
        if (ok)
            write_levels(&r, room, room->found[b]);
        const bool shorter =
            ok && !r.wrong && (shortest->wrong || r.from.operations < shortest->from.operations);
        end(shorter ? shortest : &r);
        if (shorter)
            *shortest = r;
        if (!ok)
            return false;
    }
    return true;
}

void writer_roll(struct writer *w, bool all)
{
    struct roll shortest = {.wrong = true};
    struct room room;
    if (w->failed || !w->count || !sb_ok(&w->operations) || !sb_ok(&w->fixups))
        return;
    if (!begin_room(&room, w) || !find_shortest(w, all, &room, &shortest))
        w->failed = plan_no_memory();
    else if (!shortest.wrong)
        give_program(&shortest.from, shortest.kind, w);
    end_room(&room);
    end(&shortest);
}

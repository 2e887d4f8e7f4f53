/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of a storage unit stay if all loads that write them bring the same byte of the weights or of the
 * program: after the job they are there, and also after the job that does not load them. A load of such bytes
 * alone is left out, with the tokens that tell of nothing else. Where a token also tells of other loads, the
 * load keeps its place for the sake of it, and brings eight bytes of what is there.
 */
#include "host/plan/stay.h"

#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "gen/isa/packed.h"
#include "host/plan/writer.h"
#include "sim/model/model.h"
#include "sim/model/program.h"

#define GRANULE 8                /* bytes that loads count in */
#define GRANULES_MOST (4u << 20) /* that all loads of a program write; more are weights that do not stay */
#define KEPT_MINOR 2             /* version of the instruction set that has kept weights */

enum { NOWHERE = 0 };
#define ANYWHERE UINT64_MAX

/* Of a record: it stays as it is; a load of what stays keeps its place, or goes. */
enum fate { WHOLE, SHORT, GONE };

struct stay {
    const struct variant *variant;
    uint64_t *source;  /* of each granule of each unit: what is there, NOWHERE, or ANYWHERE */
    uint64_t granules; /* written so far */
    enum fate *fate;   /* of each record */
};

/* The place in memory as a number of its own; memory that changes from run to run is ANYWHERE. */
static uint64_t source_of(const struct operation *load, uint64_t offset)
{
    const unsigned slot = load->memory.slot;
    const bool same = !load->zero && (slot == SLOT_WEIGHTS || slot == SLOT_PROGRAM);
    return same ? (uint64_t)(slot + 1) << 56 | offset : ANYWHERE;
}

/* ---- what loads write -------------------------------------------------------------------------------- */

typedef void note_granule(struct stay *s, const struct operation *load, uint64_t *at, uint64_t source);

static void note_source(struct stay *s, const struct operation *load, uint64_t *at, uint64_t source)
{
    s->fate[load->place / ISA_OPERATION_BYTES] = GONE;
    s->granules++;
    *at = *at == NOWHERE || *at == source ? source : ANYWHERE;
}

static void note_stays(struct stay *s, const struct operation *load, uint64_t *at, uint64_t source)
{
    if (*at == ANYWHERE || *at != source)
        s->fate[load->place / ISA_OPERATION_BYTES] = WHOLE;
}

static void note_run(struct stay *s, const struct operation *load, uint32_t unit, uint64_t offset,
                     note_granule *note)
{
    const uint32_t count = s->variant->unit_bytes / GRANULE;
    for (uint32_t i = 0; i < load->memory.length / GRANULE; i++)
        for (unsigned r = 0; r < s->variant->n; r++)
            if (load->rows >> r & 1)
                note(s, load, &s->source[(uint64_t)r * count + (unit / GRANULE + i) % count],
                     source_of(load, offset + (uint64_t)i * GRANULE));
}

static void note_writes(struct stay *s, const struct operation *load, note_granule *note)
{
    uint32_t unit = load->unit_address;
    for (unsigned plane = 0; plane < load->memory.planes; plane++)
        for (unsigned run = 0; run < load->memory.runs; run++) {
            note_run(s, load, unit, program_run_offset(&load->memory, plane, run), note);
            unit += load->memory.length;
        }
}

/* Whether the program could be walked, and does not write too much. */
static bool walk(struct stay *s, const struct strbuf *program, note_granule *note)
{
    struct program p;
    struct job_result result = {0};
    struct operation op = {0};
    enum job_code code = program_open(&p, s->variant, model_variant_hash(s->variant),
                                      (const uint8_t *)program->text, program->len, &result);
    while (!code && op.code != OP_END && s->granules <= GRANULES_MOST) {
        code = program_next(&p, &op, &result);
        if (!code && op.code == OP_LOAD)
            note_writes(s, &op, note);
    }
    return !code && s->granules <= GRANULES_MOST;
}

/* ---- what becomes of each operation ------------------------------------------------------------- */

static uint64_t get(const uint8_t *record, const struct isa_format *format, const char *name)
{
    const struct isa_field *field = isa_find_field(format, name);
    return isa_get_bits(record, isa_field_lsb(&isa_operation, format, field, isa_int8_widths),
                        (unsigned)field->bits);
}

static void put(uint8_t *record, const struct isa_family *family, const struct isa_format *format,
                const char *name, uint64_t value)
{
    const struct isa_field *field = isa_find_field(format, name);
    isa_put_bits(record, isa_field_lsb(family, format, field, isa_int8_widths), (unsigned)field->bits, value);
}

/* Tokens have the same place in all operations, and are 0 where there are none. */
static const char *const tokens_of[][2] = {{"wait_a", "wait_a_token"},
                                           {"wait_b", "wait_b_token"},
                                           {"signal_a", "signal_a_token"},
                                           {"signal_b", "signal_b_token"}};
enum { SIGNALS = 2, ENDS = 4 }; /* the first two are waits */
enum { SLOTS = SLOT_BANK + 1 };

/* NO_TOKEN: there is none. */
static unsigned token_of(const uint8_t *record, const struct isa_format *load, unsigned which)
{
    return get(record, load, tokens_of[which][0]) ? (unsigned)get(record, load, tokens_of[which][1])
                                                  : NO_TOKEN;
}

/* The program that becomes another one. */
struct rest {
    const uint8_t *full;
    uint32_t operations;
    const struct isa_format *load;
    enum fate *fate; /* of each record */
    /* By token: an operation that is left waits for it, or gives it; a load that goes gives it. */
    bool waits[ISA_TOKENS], gives[ISA_TOKENS], gave[ISA_TOKENS];
    uint64_t saved; /* bytes of loads */
};

static const uint8_t *record_of(const struct rest *r, uint32_t number)
{
    return r->full + (size_t)number * ISA_OPERATION_BYTES;
}

static enum opcode opcode_of(const struct rest *r, uint32_t number)
{
    return (enum opcode)get(record_of(r, number), r->load, "opcode");
}

static void note_tokens(struct rest *r)
{
    memset(r->waits, 0, sizeof r->waits);
    memset(r->gives, 0, sizeof r->gives);
    memset(r->gave, 0, sizeof r->gave);
    for (uint32_t i = 1; i <= r->operations; i++)
        for (unsigned t = 0; t < ENDS; t++) {
            const unsigned token = token_of(record_of(r, i), r->load, t);
            const bool goes = r->fate[i] == GONE;
            if (token != NO_TOKEN && !(goes && t < SIGNALS))
                (t < SIGNALS ? r->waits : goes ? r->gave : r->gives)[token] = true;
        }
}

/* A load can go if nothing that is left waits for the tokens that it waits for, and if nobody waits for those
 * that it gives, or all who give them go. */
static bool tokens_can_go(const struct rest *r, uint32_t number)
{
    for (unsigned t = 0; t < ENDS; t++) {
        const unsigned token = token_of(record_of(r, number), r->load, t);
        if (token != NO_TOKEN && r->waits[token] && (t < SIGNALS || r->gives[token]))
            return false;
    }
    return true;
}

/* ---- loads that go together -------------------------------------------------------------------------- */

/* Tokens that hold each other back are of one class: a load waits for room, and tells when it has filled it,
 * or a load behind it of the same slot does. If one of such loads keeps its place, so do all: what waits for
 * them frees room. */
struct classes {
    unsigned above[ISA_TOKENS]; /* a token of the same class, or itself */
    unsigned leader[SLOTS];     /* token of the last load of the slot that waited; NO_TOKEN: none has */
    bool stays[ISA_TOKENS];     /* of the class of that token some load keeps its place */
};

static unsigned class_of(const struct classes *c, unsigned token)
{
    while (token != NO_TOKEN && c->above[token] != token)
        token = c->above[token];
    return token;
}

static void unite(struct classes *c, unsigned a, unsigned b)
{
    if (a != NO_TOKEN && b != NO_TOKEN)
        c->above[class_of(c, a)] = class_of(c, b);
}

/* A token of the load's class, or NO_TOKEN: it is alone. */
static unsigned note_load(struct classes *c, const struct rest *r, uint32_t number)
{
    const uint8_t *record = record_of(r, number);
    unsigned token[ENDS], *leader = &c->leader[get(record, r->load, "slot")];
    for (unsigned t = 0; t < ENDS; t++)
        token[t] = token_of(record, r->load, t);
    unite(c, token[0], token[1]);
    if (token[0] != NO_TOKEN || token[1] != NO_TOKEN)
        *leader = token[0] != NO_TOKEN ? token[0] : token[1];
    for (unsigned t = SIGNALS; t < ENDS; t++)
        unite(c, token[t], *leader);
    return *leader != NO_TOKEN ? *leader : token[2] != NO_TOKEN ? token[2] : token[3];
}

/* `of`: of each record. */
static void find_classes(const struct rest *r, struct classes *c, unsigned *of)
{
    for (unsigned t = 0; t < ISA_TOKENS; t++)
        c->above[t] = t;
    for (unsigned s = 0; s < SLOTS; s++)
        c->leader[s] = NO_TOKEN;
    for (uint32_t i = 1; i <= r->operations; i++)
        of[i] = opcode_of(r, i) == OP_LOAD ? note_load(c, r, i) : NO_TOKEN;
}

static void note_classes(const struct rest *r, struct classes *c, const unsigned *of)
{
    memset(c->stays, 0, sizeof c->stays);
    for (uint32_t i = 1; i <= r->operations; i++)
        if (of[i] != NO_TOKEN && r->fate[i] != GONE)
            c->stays[class_of(c, of[i])] = true;
}

/* Each load that cannot go keeps others. */
static bool decide(struct rest *r)
{
    struct classes c;
    bool all = false;
    unsigned *of = malloc(((size_t)r->operations + 1) * sizeof *of);
    if (!of)
        return false;
    find_classes(r, &c, of);
    while (!all) {
        all = true;
        note_tokens(r);
        note_classes(r, &c, of);
        for (uint32_t i = 1; i <= r->operations; i++)
            if (r->fate[i] == GONE &&
                (!tokens_can_go(r, i) || (of[i] != NO_TOKEN && c.stays[class_of(&c, of[i])]))) {
                r->fate[i] = SHORT;
                all = false;
            }
    }
    free(of);
    return true;
}

/* ---- the other program --------------------------------------------------------------------------------- */

static uint64_t bytes_of(const uint8_t *record, const struct isa_format *load)
{
    return get(record, load, "length") * get(record, load, "runs") * get(record, load, "planes");
}

static void shorten(uint8_t *record, const struct isa_format *load)
{
    put(record, &isa_operation, load, "length", GRANULE);
    put(record, &isa_operation, load, "runs", 1);
    put(record, &isa_operation, load, "planes", 1);
}

/* Tokens that nothing waits for would only add up, and what was to be waited for is there. */
static void leave_tokens(const struct rest *r, uint8_t *record)
{
    for (unsigned t = 0; t < ENDS; t++) {
        const unsigned token = token_of(record, r->load, t);
        if (token == NO_TOKEN || (t < SIGNALS ? r->gives[token] || !r->gave[token] : r->waits[token]))
            continue;
        put(record, &isa_operation, r->load, tokens_of[t][0], 0);
        put(record, &isa_operation, r->load, tokens_of[t][1], 0);
    }
}

/* A loop of nothing but loads that go. */
static bool is_empty_loop(const struct rest *r, uint32_t number)
{
    do
        number++;
    while (r->fate[number] == GONE);
    return opcode_of(r, number) == OP_ENDLOOP;
}

/* Loops lose what goes of them, or go as a whole. */
static void drop_loops(struct rest *r)
{
    bool dropped = true;
    while (dropped) {
        dropped = false;
        for (uint32_t i = r->operations; i; i--) {
            if (r->fate[i] == GONE || opcode_of(r, i) != OP_LOOP || !is_empty_loop(r, i))
                continue;
            r->fate[i] = GONE;
            while (r->fate[++i] == GONE)
                ;
            r->fate[i] = GONE;
            dropped = true;
        }
    }
}

static uint32_t write_operations(struct rest *r, struct strbuf *to)
{
    const struct isa_format *endloop = isa_find_format(&isa_operation, "endloop");
    uint32_t count = 0, start[ISA_LOOP_LEVELS] = {0}, depth = 0;
    for (uint32_t i = 1; i <= r->operations; i++) {
        const enum opcode code = opcode_of(r, i);
        uint8_t record[ISA_OPERATION_BYTES];
        memcpy(record, record_of(r, i), sizeof record);
        if (code == OP_LOAD && r->fate[i] != WHOLE)
            r->saved += bytes_of(record, r->load) - (r->fate[i] == SHORT ? GRANULE : 0);
        if (r->fate[i] == GONE)
            continue;
        count++;
        if (code == OP_LOOP)
            start[depth++] = count;
        else if (code == OP_ENDLOOP)
            put(record, &isa_operation, endloop, "body", count - start[--depth]);
        else
            leave_tokens(r, record);
        if (r->fate[i] == SHORT)
            shorten(record, r->load);
        isa_seal(&isa_operation, r->load, record, sizeof record, count);
        sb_addn(to, (const char *)record, sizeof record);
    }
    return count;
}

/* The operations that are left, and the data of the program where it was. */
static void write_rest(struct rest *r, const struct strbuf *full, struct strbuf *to)
{
    static const char zeros[ISA_OPERATION_BYTES] = {0};
    const size_t start = to->len, data = ((size_t)r->operations + 1) * ISA_OPERATION_BYTES;
    sb_addn(to, full->text, ISA_OPERATION_BYTES);
    const uint32_t count = write_operations(r, to);
    for (uint32_t i = count; i < r->operations; i++)
        sb_addn(to, zeros, sizeof zeros);
    sb_addn(to, full->text + data, full->len - data);
    if (!sb_ok(to))
        return;
    uint8_t *header = (uint8_t *)to->text + start;
    put(header, &isa_program, isa_program.formats, "operations", count);
    isa_seal(&isa_program, isa_program.formats, header, ISA_OPERATION_BYTES, 0);
}

static bool find(struct stay *s, const struct strbuf *full, struct strbuf *to)
{
    struct rest r = {.full = (const uint8_t *)full->text, .load = isa_find_format(&isa_operation, "load")};
    const uint64_t granules = (uint64_t)s->variant->n * s->variant->unit_bytes / GRANULE;
    r.operations = (uint32_t)isa_header_field(&isa_program, r.full, "operations");
    s->source = calloc(granules, sizeof *s->source);
    s->fate = calloc((size_t)r.operations + 1, sizeof *s->fate);
    r.fate = s->fate;
    if (!s->source || !s->fate || !walk(s, full, note_source) || !walk(s, full, note_stays))
        return false;
    if (!decide(&r))
        return false;
    drop_loops(&r);
    write_rest(&r, full, to);
    return r.saved && sb_ok(to);
}

/* Packed, if the first program is. */
static void pack(const struct strbuf *first, struct strbuf *rest)
{
    struct strbuf packed = {0};
    if (isa_header_field(&isa_program, (const uint8_t *)first->text, "lines") &&
        writer_packs((const uint8_t *)rest->text, rest->len, &packed)) {
        sb_free(rest);
        *rest = packed;
    } else
        sb_free(&packed);
}

bool stay_program(const struct variant *variant, const struct strbuf *program, struct strbuf *to)
{
    struct stay s = {.variant = variant};
    struct strbuf full = {0}, rest = {0};
    const bool found = program->len && variant->kept_weights &&
                       isa_program_unpack((const uint8_t *)program->text, program->len, &full) &&
                       find(&s, &full, &rest);
    if (found) {
        pack(program, &rest);
        sb_addn(to, rest.text, rest.len);
    }
    free(s.source);
    free(s.fate);
    sb_free(&full);
    sb_free(&rest);
    return found && sb_ok(to);
}

void stay_number(struct strbuf *program, uint32_t expects, uint32_t leaves)
{
    const struct isa_format *format = isa_program.formats;
    uint8_t *header = (uint8_t *)program->text;
    const uint64_t minor = isa_header_field(&isa_program, header, "minor");
    put(header, &isa_program, format, "minor", minor > KEPT_MINOR ? minor : KEPT_MINOR);
    put(header, &isa_program, format, "expects", expects);
    put(header, &isa_program, format, "leaves", leaves);
    isa_seal(&isa_program, format, header, ISA_OPERATION_BYTES, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fields/program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/input.h"
#include "gen/base/math.h"
#include "gen/isa/asm.h"
#include "gen/isa/codec.h"
#include "gen/variant/load.h"
#include "sim/board/registers.h"

#define TEXT_MAX (1 << 20)
#define DATA_BYTES 4096 /* of a slot that holds a pattern, or results */
#define SETS_MAX 16
#define SECTION_ALIGN 64

/* ---- the variant ----------------------------------------------------------------------------- */

struct variant fields_variant(void)
{
    struct variant variant;
    struct strbuf text = {0};
    struct diag diag = {0};
    const char *sets[SETS_MAX];
    size_t count = 0;
    bool ok = input_read(FIELDS_FOLDER "variant", TEXT_MAX, &text, &diag);
    for (char *line = ok ? strtok(text.text, "\n") : NULL; line && count < SETS_MAX;
         line = strtok(NULL, "\n"))
        sets[count++] = line;
    ok = ok && variant_load("tiny", sets, count, &variant, &diag);
    sb_free(&text);
    if (diag_report(&diag, stderr) || !ok)
        abort();
    return variant;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool assemble(const char *name, const char *extension, const struct variant *v, struct strbuf *text,
                     struct strbuf *bytes, struct strbuf *why)
{
    const struct weights_layout layout = {.widths = {v->data_width, v->index_width},
                                          .pes = v->k,
                                          .entries =
                                              v->row_bus_width / (v->k * (v->data_width + v->index_width)),
                                          .beat_bytes = v->row_bus_width / 8};
    struct diag diag = {0};
    struct asm_image image = {0};
    struct strbuf path = {0};
    sb_addf(&path, FIELDS_FOLDER "programs/%s%s", name, extension);
    bool ok = input_read(sb_text(&path), TEXT_MAX, text, &diag) &&
              asm_assemble(sb_text(&path), text, &layout, &image, &diag);
    if (ok)
        sb_addn(bytes, image.bytes.text, image.bytes.len);
    else
        sb_add(why, sb_text(&diag.text));
    asm_image_free(&image);
    diag_free(&diag);
    sb_free(&path);
    return ok;
}

static bool has_weights(const char *name)
{
    struct strbuf path = {0};
    sb_addf(&path, FIELDS_FOLDER "programs/%s.weights.tasm", name);
    const bool there = access(sb_text(&path), R_OK) == 0;
    sb_free(&path);
    return there;
}

static struct record_place *add_place(struct program_text *p, const struct record_place *place)
{
    if (p->places == RECORDS_MAX)
        abort();
    p->place[p->places] = *place;
    return &p->place[p->places++];
}

/* The values of other families that a record holds: a command, an instruction. */
static void add_nested(struct program_text *p, const struct record_place *outer)
{
    const struct record_place place = *outer;
    for (const struct isa_field *f = place.format->fields; f->bits; f++) {
        if (f->kind != ISA_NESTED)
            continue;
        unsigned lsb = isa_field_lsb(place.family, place.format, f, isa_int8_widths);
        uint8_t value[8] = {0};
        struct strbuf why = {0};
        isa_put_bits(value, 0, 64, program_get(p, &place, lsb, (unsigned)f->bits));
        struct record_place inner = place;
        inner.family = f->nested;
        inner.format = isa_classify(f->nested, value, isa_int8_widths, &why);
        inner.bit += lsb;
        sb_free(&why);
        if (inner.format)
            add_place(p, &inner);
    }
}

/* The first word of a line; empty for comments. */
static void first_word(const char *line, char *word, size_t room)
{
    size_t len = 0;
    line += strspn(line, " \t");
    while (len + 1 < room && (isalnum((unsigned char)line[len]) || line[len] == '_' || line[len] == '.'))
        len++;
    memcpy(word, line, len);
    word[len] = '\0';
}

/* A walk through the statements of the program slot, which gives each record its place. */
struct walk {
    struct program_text *p;
    size_t beat, at;  /* bytes */
    uint32_t number;  /* of the operation; 0: the header */
    unsigned payload; /* the place of the header of the payload that is open, plus 1 */
    bool records;     /* the section has any */
};

/* All records of a payload are sealed together, with the zeros up to a whole beat. */
static void close_payload(struct walk *w)
{
    if (w->payload) {
        const size_t from = w->p->place[w->payload - 1].from;
        for (unsigned i = w->payload - 1; i < w->p->places; i++) {
            w->p->place[i].from = from;
            w->p->place[i].bytes = math_round_up(w->at - from, w->beat);
        }
    }
    w->payload = 0;
}

static void take_record(struct walk *w, const struct isa_family *family, const struct isa_format *format)
{
    const bool operation = family != &isa_config;
    const size_t bytes = (size_t)family->bits / 8;
    const struct record_place place = {.family = family,
                                       .format = format,
                                       .slot = SLOT_PROGRAM,
                                       .bit = w->at * 8,
                                       .from = w->at,
                                       .bytes = bytes,
                                       .index = operation ? w->number++ : 0};
    if (!operation && !w->payload)
        w->payload = w->p->places + 1;
    add_nested(w->p, add_place(w->p, &place));
    w->at += bytes;
}

static void take_line(struct walk *w, const char *line)
{
    static const struct isa_family *const families[] = {&isa_program, &isa_operation, &isa_config};
    char word[64];
    first_word(line, word, sizeof word);
    if (*word == '.') {
        close_payload(w);
        w->at = math_round_up(w->at, SECTION_ALIGN);
        w->records = !strcmp(word, ".program") || !strcmp(word, ".config");
    }
    for (size_t f = 0; w->records && f < sizeof families / sizeof *families; f++) {
        const struct isa_format *format = *word ? isa_find_format(families[f], word) : NULL;
        if (format)
            take_record(w, families[f], format);
    }
}

/* Statements stand on lines of their own; sections without records come last. */
static void find_records(struct program_text *p, const struct variant *v, const char *text)
{
    struct walk w = {.p = p, .beat = v->row_bus_width / 8};
    while (*text) {
        take_line(&w, text);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    close_payload(&w);
}

static void find_entries(struct program_text *p, const struct variant *v)
{
    const size_t bits = v->data_width + v->index_width;
    const struct isa_widths widths = {v->data_width, v->index_width};
    for (size_t at = 0; at + bits <= p->slot[SLOT_WEIGHTS].len * 8; at += bits) {
        struct record_place place = {.family = &isa_weight, .slot = SLOT_WEIGHTS, .bit = at};
        struct strbuf why = {0};
        uint8_t entry[8] = {0};
        isa_put_bits(entry, 0, 64, program_get(p, &place, 0, (unsigned)bits));
        place.format = isa_classify(&isa_weight, entry, widths, &why);
        sb_free(&why);
        if (place.format)
            add_place(p, &place);
    }
}

/* Numbers that differ from place to place and from slot to slot; every fifth is 0. */
static void fill(struct strbuf *slot, unsigned number)
{
    for (unsigned i = 0; i < DATA_BYTES; i++) {
        const char byte = (char)(i % 5 == 3 ? 0 : i * 37 + i / 256 * 11 + number * 5);
        sb_addn(slot, &byte, 1);
    }
}

bool program_read(struct program_text *p, const char *name, const struct variant *v, struct strbuf *why)
{
    struct strbuf text = {0}, weights = {0};
    *p = (struct program_text){.places = 0};
    bool ok =
        assemble(name, ".tasm", v, &text, &p->slot[SLOT_PROGRAM], why) &&
        (!has_weights(name) || assemble(name, ".weights.tasm", v, &weights, &p->slot[SLOT_WEIGHTS], why));
    if (ok) {
        find_records(p, v, sb_text(&text));
        find_entries(p, v);
        for (unsigned s = 0; s < ISA_SLOTS; s++)
            if (!p->slot[s].len && s != SLOT_STATUS)
                fill(&p->slot[s], s);
        for (unsigned i = 0; i < ISA_STATUS_BYTES; i++)
            sb_addn(&p->slot[SLOT_STATUS], "\xEE", 1);
    }
    sb_free(&text);
    sb_free(&weights);
    return ok;
}

void program_copy(struct program_text *to, const struct program_text *from)
{
    *to = *from;
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        to->slot[s] = (struct strbuf){0};
        sb_addn(&to->slot[s], sb_text(&from->slot[s]), from->slot[s].len);
    }
}

void program_forget(struct program_text *p)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        sb_free(&p->slot[s]);
}

/* ---- records --------------------------------------------------------------------------------- */

const struct record_place *program_record(const struct program_text *p, const char *format, unsigned number)
{
    for (unsigned i = 0; i < p->places; i++)
        if (!strcmp(p->place[i].format->name, format) && !--number)
            return &p->place[i];
    return NULL;
}

uint64_t program_get(const struct program_text *p, const struct record_place *place, unsigned lsb,
                     unsigned bits)
{
    return isa_get_bits((const uint8_t *)p->slot[place->slot].text, (unsigned)place->bit + lsb, bits);
}

static void seal(uint8_t *bytes, const struct record_place *place)
{
    if (!place->bytes)
        return;
    /* The check is the last word of a record, and of the header of a payload. */
    const bool payload = place->family == &isa_config || place->family == &isa_instruction;
    uint8_t *word = bytes + place->from + (payload ? ISA_CONFIG_RECORD_BYTES : place->bytes) - 4;
    memset(word, 0, 4);
    isa_put_bits(word, 0, 32, isa_checksum(bytes + place->from, place->bytes) ^ isa_check_word(place->index));
}

void program_put(struct program_text *p, const struct record_place *place, unsigned lsb, unsigned bits,
                 uint64_t value)
{
    uint8_t *bytes = (uint8_t *)p->slot[place->slot].text;
    isa_put_bits(bytes, (unsigned)place->bit + lsb, bits, value);
    seal(bytes, place);
}

/* ---- changes --------------------------------------------------------------------------------- */

static bool refuse(struct strbuf *why, const char *what, const char *change)
{
    sb_addf(why, "%s: %s", change, what);
    return false;
}

static bool change_register(struct program_text *p, const char *name, uint64_t value)
{
    if (!register_named(name) || p->overrides == OVERRIDES_MAX)
        return false;
    p->override[p->overrides++] = (struct override){register_offset(name), (uint32_t)value};
    return true;
}

/* "RECORD.FIELD#NUMBER=VALUE", or "REGISTER=VALUE". */
static bool change_one(struct program_text *p, const char *change, struct strbuf *why)
{
    char record[64], field_name[64];
    unsigned number;
    long long value;
    if (sscanf(change, "%63[a-z0-9_]=%lli", record, &value) == 2)
        return change_register(p, record, (uint64_t)value) ||
               refuse(why, "there is no such register", change);
    if (sscanf(change, "%63[a-z_].%63[a-z0-9_]#%u=%lli", record, field_name, &number, &value) != 4)
        return refuse(why, "not RECORD.FIELD#NUMBER=VALUE", change);
    const struct record_place *place = program_record(p, record, number);
    if (!place)
        return refuse(why, "the program has no such record", change);
    const struct isa_field *field = isa_find_field(place->format, field_name);
    if (!field)
        return refuse(why, "the record has no such field", change);
    const unsigned lsb = isa_field_lsb(place->family, place->format, field, isa_int8_widths);
    const unsigned bits = isa_field_bits(field, isa_int8_widths);
    const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    if (program_get(p, place, lsb, bits) == ((uint64_t)value & mask))
        return refuse(why, "the field has that value already", change);
    if (field->kind == ISA_CHECK)
        isa_put_bits((uint8_t *)p->slot[place->slot].text, (unsigned)place->bit + lsb, bits, (uint64_t)value);
    else
        program_put(p, place, lsb, bits, (uint64_t)value);
    return true;
}

bool program_change(struct program_text *p, const char *changes, size_t len, struct strbuf *why)
{
    const char *end = changes + len;
    while (changes < end) {
        char one[160];
        size_t part = strcspn(changes, ",");
        part = part > (size_t)(end - changes) ? (size_t)(end - changes) : part;
        if (part >= sizeof one)
            return refuse(why, "too long", changes);
        memcpy(one, changes, part);
        one[part] = '\0';
        if (!change_one(p, one + strspn(one, " "), why))
            return false;
        changes += part + (changes + part < end);
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "host/net/proto/wire.h"

/* ---- items --------------------------------------------------------------------------------------- */

static bool varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        const uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static uint64_t fixed(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes--)
        value = value << 8 | at[bytes];
    return value;
}

static unsigned fixed_bytes(unsigned wire)
{
    return wire == WIRE_FIXED64 ? 8 : wire == WIRE_FIXED32 ? 4 : 0;
}

/* How a number of this kind lies. */
static unsigned wire_of(enum proto_kind kind)
{
    return kind == PROTO_FLOAT    ? WIRE_FIXED32
           : kind == PROTO_DOUBLE ? WIRE_FIXED64
           : kind >= PROTO_STRING ? WIRE_BYTES
                                  : WIRE_VARINT;
}

/* Reads what follows *at, whatever field it is of. */
static bool step(const uint8_t **at, const uint8_t *end, uint32_t *number, unsigned *wire,
                 struct proto_item *item)
{
    uint64_t key, length;
    *item = (struct proto_item){.field = NULL};
    if (!varint(at, end, &key) || key >> 3 > WIRE_NUMBER_MAX || !(key >> 3))
        return false;
    *number = (uint32_t)(key >> 3);
    *wire = (unsigned)(key & 7);
    if (*wire == WIRE_VARINT)
        return varint(at, end, &item->bits);
    const unsigned bytes = fixed_bytes(*wire);
    if (bytes) {
        if ((size_t)(end - *at) < bytes)
            return false;
        item->bits = fixed(*at, bytes);
        *at += bytes;
        return true;
    }
    if (*wire != WIRE_BYTES || !varint(at, end, &length) || length > (uint64_t)(end - *at))
        return false;
    item->at = *at;
    item->size = (size_t)length;
    *at += length;
    return true;
}

static const struct proto_field *field_of(const struct proto_message *type, uint32_t number)
{
    for (unsigned i = 0; i < type->count; i++)
        if (type->fields[i].number == number)
            return &type->fields[i];
    return NULL;
}

/* Whether a field may lie like that; numbers of a repeated field may be packed. */
static bool fits(const struct proto_field *field, unsigned wire, struct proto_item *item)
{
    const unsigned own = wire_of(field->kind);
    item->field = field;
    item->packed = own != WIRE_BYTES && wire == WIRE_BYTES && field->many;
    return wire == own || item->packed;
}

/* ---- checking ------------------------------------------------------------------------------------ */

struct check {
    const struct source *source;
    struct diag *diag;
};

static bool bad(const struct check *c, const uint8_t *at, const struct proto_message *type, const char *what)
{
    source_error(c->source, at, c->diag, "in a %s: %s", type->name, what);
    return false;
}

static bool check_packed(const struct check *c, const struct proto_message *type,
                         const struct proto_item *item)
{
    const unsigned bytes = fixed_bytes(wire_of(item->field->kind));
    const uint8_t *at = item->at, *end = at + item->size;
    uint64_t value;
    if (bytes)
        return item->size % bytes == 0 ||
               bad(c, at, type, "the length of a list is no multiple of its numbers'");
    while (at < end)
        if (!varint(&at, end, &value))
            return bad(c, at, type, "a number of a list is cut off");
    return true;
}

static bool check(const struct check *c, struct proto m, unsigned depth);

static bool check_item(const struct check *c, const struct proto_message *type, const struct proto_item *item,
                       unsigned depth)
{
    if (item->packed)
        return check_packed(c, type, item);
    if (item->field->kind != PROTO_MESSAGE)
        return true;
    if (depth == PROTO_DEPTH)
        return bad(c, item->at, type, "messages are nested too deep; 64 levels are read");
    return check(c, proto_of(item), depth + 1);
}

/* The nesting is bounded. NOLINTNEXTLINE(misc-no-recursion) */
static bool check(const struct check *c, struct proto m, unsigned depth)
{
    const uint8_t *at = m.at, *end = m.at + m.size;
    while (at < end) {
        const uint8_t *begin = at;
        struct proto_item item;
        uint32_t number;
        unsigned wire;
        if (!step(&at, end, &number, &wire, &item))
            return bad(c, begin, m.type, "no field of a protocol buffer, or the file is cut off");
        const struct proto_field *field = field_of(m.type, number);
        if (!field)
            continue;
        if (!fits(field, wire, &item)) {
            source_error(c->source, begin, c->diag, "in a %s: field %s has the wrong type", m.type->name,
                         field->name);
            return false;
        }
        if (!check_item(c, m.type, &item, depth))
            return false;
    }
    return true;
}

bool proto_check(const struct proto_message *type, const struct source *source, struct diag *diag)
{
    return check(&(struct check){source, diag}, (struct proto){type, source->bytes, source->size}, 1);
}

/* ---- looking up ---------------------------------------------------------------------------------- */

static const struct proto_field *named(const struct proto_message *type, const char *name)
{
    for (unsigned i = 0; i < type->count; i++)
        if (!strcmp(type->fields[i].name, name))
            return &type->fields[i];
    assert(!"a field that the table does not have");
    return NULL;
}

static bool next(struct proto m, const struct proto_field *field, size_t *place, struct proto_item *item)
{
    uint32_t number;
    unsigned wire;
    if (!m.at)
        return false;
    const uint8_t *at = m.at + *place, *end = m.at + m.size;
    while (at < end && step(&at, end, &number, &wire, item)) {
        *place = (size_t)(at - m.at);
        if (number == field->number && fits(field, wire, item))
            return true;
    }
    return false;
}

bool proto_next(struct proto m, const char *name, size_t *place, struct proto_item *item)
{
    return next(m, named(m.type, name), place, item);
}

size_t proto_count(struct proto m, const char *name)
{
    const struct proto_field *field = named(m.type, name);
    struct proto_item item;
    size_t place = 0, count = 0;
    while (next(m, field, &place, &item))
        count++;
    return count;
}

static bool last(struct proto m, const struct proto_field *field, struct proto_item *item)
{
    struct proto_item found;
    size_t place = 0;
    bool any = false;
    while (next(m, field, &place, &found)) {
        *item = found;
        any = true;
    }
    return any;
}

bool proto_has(struct proto m, const char *name)
{
    struct proto_item item;
    size_t place = 0;
    return proto_next(m, name, &place, &item);
}

struct proto proto_of(const struct proto_item *item)
{
    return (struct proto){item->field->message, item->at, item->size};
}

double proto_real_of(const struct proto_field *field, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float single;
    double real;
    if (field->kind == PROTO_FLOAT) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    if (field->kind == PROTO_DOUBLE) {
        memcpy(&real, &bits, sizeof real);
        return real;
    }
    return field->kind == PROTO_UINT64 ? (double)bits : (double)(int64_t)bits;
}

/* 32-bit numbers are sign-extended to 64 when they are written; a writer that does not is understood. */
static uint64_t number_bits(const struct proto_field *field, uint64_t bits)
{
    return field->kind == PROTO_INT32 || field->kind == PROTO_ENUM
               ? (uint64_t)(int64_t)(int32_t)(uint32_t)bits
               : bits;
}

int64_t proto_integer(struct proto m, const char *name)
{
    const struct proto_field *field = named(m.type, name);
    struct proto_item item;
    return last(m, field, &item) && !item.packed ? (int64_t)number_bits(field, item.bits)
                                                 : (int64_t)field->fallback;
}

double proto_real(struct proto m, const char *name)
{
    const struct proto_field *field = named(m.type, name);
    struct proto_item item;
    return last(m, field, &item) && !item.packed ? proto_real_of(field, item.bits) : field->fallback;
}

struct proto proto_sub(struct proto m, const char *name)
{
    const struct proto_field *field = named(m.type, name);
    struct proto_item item;
    return last(m, field, &item) ? proto_of(&item) : (struct proto){field->message, NULL, 0};
}

struct proto_text proto_text(struct proto m, const char *name)
{
    struct proto_item item;
    return last(m, named(m.type, name), &item) ? (struct proto_text){(const char *)item.at, item.size}
                                               : (struct proto_text){"", 0};
}

bool proto_is(struct proto_text text, const char *word)
{
    return text.length == strlen(word) && !memcmp(text.at, word, text.length);
}

const char *proto_word(struct proto m, const char *name)
{
    const int64_t value = proto_integer(m, name);
    for (const struct proto_name *v = named(m.type, name)->values; v->name; v++)
        if (v->value == value)
            return v->name;
    return "";
}

/* ---- lists of numbers ---------------------------------------------------------------------------- */

struct proto_numbers proto_numbers(struct proto m, const char *name)
{
    return (struct proto_numbers){.m = m, .name = name};
}

/* The next number of a packed list. */
static bool take_packed(struct proto_item *item, uint64_t *bits)
{
    const unsigned bytes = fixed_bytes(wire_of(item->field->kind));
    const uint8_t *at = item->at, *end = at + item->size;
    if (at == end || (bytes && item->size < bytes))
        return false;
    if (bytes) {
        *bits = fixed(at, bytes);
        at += bytes;
    } else if (!varint(&at, end, bits)) {
        return false;
    }
    *bits = number_bits(item->field, *bits);
    item->size = (size_t)(end - at);
    item->at = at;
    return true;
}

bool proto_number(struct proto_numbers *numbers, uint64_t *bits)
{
    for (;;) {
        if (numbers->begun && numbers->item.packed && take_packed(&numbers->item, bits))
            return true;
        if (!proto_next(numbers->m, numbers->name, &numbers->place, &numbers->item))
            return false;
        numbers->begun = true;
        if (numbers->item.packed)
            continue;
        *bits = number_bits(numbers->item.field, numbers->item.bits);
        return true;
    }
}

/* The last byte of a varint has its highest bit clear. */
static size_t packed_count(const struct proto_item *item)
{
    const unsigned bytes = fixed_bytes(wire_of(item->field->kind));
    size_t count = 0;
    if (bytes)
        return item->size / bytes;
    for (size_t i = 0; i < item->size; i++)
        count += !(item->at[i] & 0x80);
    return count;
}

size_t proto_number_count(struct proto m, const char *name)
{
    const struct proto_field *field = named(m.type, name);
    struct proto_item item;
    size_t place = 0, count = 0;
    while (next(m, field, &place, &item))
        count += item.packed ? packed_count(&item) : 1;
    return count;
}

bool proto_piece(struct proto m, const char *name, struct proto_item *piece)
{
    size_t place = 0;
    return proto_count(m, name) == 1 && proto_next(m, name, &place, piece) && piece->packed &&
           fixed_bytes(wire_of(piece->field->kind));
}

unsigned proto_line(struct proto m)
{
    static const struct proto_field line = {WIRE_NUMBER_MAX, "line", PROTO_UINT32, false, NULL, NULL, 0};
    struct proto_item item;
    return last(m, &line, &item) ? (unsigned)item.bits : 0;
}

/* ---- writing ------------------------------------------------------------------------------------- */

static unsigned varint_bytes(uint64_t value, char bytes[10])
{
    unsigned count = 0;
    do {
        bytes[count++] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
    return count;
}

static void put_varint(struct strbuf *to, uint64_t value)
{
    char bytes[10];
    sb_addn(to, bytes, varint_bytes(value, bytes));
}

void proto_put_integer(struct strbuf *to, unsigned number, uint64_t value)
{
    put_varint(to, (uint64_t)number << 3 | WIRE_VARINT);
    put_varint(to, value);
}

void proto_put_bytes(struct strbuf *to, unsigned number, const void *bytes, size_t size)
{
    put_varint(to, (uint64_t)number << 3 | WIRE_BYTES);
    put_varint(to, size);
    if (size)
        sb_addn(to, bytes, size);
}

void proto_put_text(struct strbuf *to, unsigned number, const char *text)
{
    proto_put_bytes(to, number, text, strlen(text));
}

static void put_fixed(struct strbuf *to, uint64_t bits, unsigned bytes)
{
    char text[8];
    for (unsigned i = 0; i < bytes; i++)
        text[i] = (char)(bits >> 8 * i & 0xff);
    sb_addn(to, text, bytes);
}

void proto_put_float(struct strbuf *to, unsigned number, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_varint(to, (uint64_t)number << 3 | WIRE_FIXED32);
    put_fixed(to, bits, 4);
}

void proto_put_double(struct strbuf *to, unsigned number, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_varint(to, (uint64_t)number << 3 | WIRE_FIXED64);
    put_fixed(to, bits, 8);
}

size_t proto_begin(struct strbuf *to, unsigned number)
{
    put_varint(to, (uint64_t)number << 3 | WIRE_BYTES);
    return to->len;
}

void proto_end(struct strbuf *to, size_t begin)
{
    char bytes[10];
    const size_t size = to->len - begin;
    const unsigned count = varint_bytes(size, bytes);
    sb_addn(to, bytes, count); /* makes the room */
    if (!sb_ok(to))
        return;
    memmove(to->text + begin + count, to->text + begin, size);
    memcpy(to->text + begin, bytes, count);
}

unsigned proto_field_number(const struct proto_message *type, const char *name)
{
    return named(type, name)->number;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/isa/packed.h"

#include <string.h>

#include "gen/isa/codec.h"

#define WORDS (ISA_OPERATION_BYTES / 4 - 1) /* of a record, its check word aside */
#define CHECK_BITS 11

/* The head of a packed operation. */
#define MASK(head) ((head)&0x7FFF)
#define DISTANCE(head) ((head) >> 15 & 63)
#define CHECK(head) ((head) >> 21)

static uint32_t get_word(const uint8_t *bytes, unsigned word)
{
    bytes += (size_t)word * 4;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put_word(uint8_t *bytes, unsigned word, uint32_t value)
{
    isa_put_bits(bytes, word * 32, 32, value);
}

static uint32_t fold(uint32_t check_word)
{
    return (check_word ^ check_word >> CHECK_BITS ^ check_word >> 2 * CHECK_BITS) & ((1u << CHECK_BITS) - 1);
}

/* ---- packing ------------------------------------------------------------------------------------- */

static unsigned differing(const uint8_t *a, const uint8_t *b)
{
    unsigned mask = 0;
    for (unsigned w = 0; w < WORDS; w++)
        mask |= (unsigned)(get_word(a, w) != (b ? get_word(b, w) : 0)) << w;
    return mask;
}

static void add_word(struct strbuf *to, uint32_t value)
{
    uint8_t bytes[4] = {0};
    put_word(bytes, 0, value);
    sb_addn(to, (const char *)bytes, sizeof bytes);
}

void isa_pack(const uint8_t *records, size_t count, struct strbuf *to)
{
    static const char zeros[ISA_OPERATION_BYTES] = {0};
    const size_t start = to->len;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *record = records + i * ISA_OPERATION_BYTES;
        unsigned best = differing(record, NULL), distance = 0;
        for (unsigned d = 1; d <= ISA_PACKED_FAR && d <= i; d++) {
            const unsigned mask = differing(record, record - (size_t)d * ISA_OPERATION_BYTES);
            if (__builtin_popcount(mask) >= __builtin_popcount(best))
                continue;
            best = mask;
            distance = d;
        }
        add_word(to, best | distance << 15 | fold(get_word(record, WORDS)) << 21);
        for (unsigned w = 0; w < WORDS; w++)
            if (best >> w & 1)
                add_word(to, get_word(record, w));
    }
    if ((to->len - start) % sizeof zeros)
        sb_addn(to, zeros, sizeof zeros - (to->len - start) % sizeof zeros);
}

/* ---- unpacking ----------------------------------------------------------------------------------- */

void isa_unpack_begin(struct isa_unpacker *u, const uint8_t *bytes, size_t size)
{
    u->bytes = bytes;
    u->size = size;
    u->used = 0;
    u->next = ISA_PACKED_FIRST;
}

static bool unpack_next(struct isa_unpacker *u)
{
    uint8_t *record = u->kept[u->next % ISA_PACKED_KEPT];
    const uint8_t *from = u->bytes + u->used;
    if (u->size - u->used < 4)
        return false;
    const uint32_t head = get_word(from, 0), distance = DISTANCE(head);
    const size_t bytes = 4 * (1 + (size_t)__builtin_popcount(MASK(head)));
    const bool known = distance <= u->next - ISA_PACKED_FIRST;
    if (u->size - u->used < bytes)
        return false;
    if (distance && known)
        memcpy(record, u->kept[(u->next - distance) % ISA_PACKED_KEPT], ISA_OPERATION_BYTES);
    else
        memset(record, 0, ISA_OPERATION_BYTES);
    for (unsigned w = 0, i = 1; w < WORDS; w++)
        if (MASK(head) >> w & 1)
            put_word(record, w, get_word(from, i++));
    put_word(record, WORDS, 0);
    const uint32_t check_word = isa_checksum(record, ISA_OPERATION_BYTES) ^ isa_check_word(u->next);
    put_word(record, WORDS, check_word ^ (fold(check_word) != CHECK(head) || !known));
    u->used += bytes;
    u->next++;
    return true;
}

const uint8_t *isa_unpack(struct isa_unpacker *u, uint32_t number)
{
    while (u->next <= number)
        if (!unpack_next(u))
            return NULL;
    return u->kept[number % ISA_PACKED_KEPT];
}

/* ---- whole programs ------------------------------------------------------------------------------ */

static uint32_t header_get(const uint8_t *header, const char *name)
{
    return (uint32_t)isa_header_field(&isa_program, header, name);
}

static void put_lines(uint8_t *header, uint32_t lines)
{
    const struct isa_format *format = isa_program.formats;
    isa_put_bits(header,
                 isa_field_lsb(&isa_program, format, isa_find_field(format, "lines"), isa_int8_widths), 32,
                 lines);
    isa_seal(&isa_program, format, header, ISA_OPERATION_BYTES, 0);
}

uint64_t isa_program_bytes(const uint8_t *header)
{
    const uint64_t lines = header_get(header, "lines");
    return (lines ? lines : (uint64_t)header_get(header, "operations") + 1) * ISA_OPERATION_BYTES;
}

/* An operation that reads the program slot from `from` on reads it `more` bytes behind that. */
static void move_data(uint8_t *record, uint64_t from, int64_t more)
{
    const struct isa_format *format = isa_operation.formats;
    while (format->name && isa_find_field(format, "opcode")->min != record[0])
        format++;
    if (!format->name)
        return;
    const struct isa_field *slot = isa_find_field(format, "slot"), *offset = isa_find_field(format, "offset");
    if (!slot || !offset)
        return;
    const unsigned lsb = isa_field_lsb(&isa_operation, format, offset, isa_int8_widths);
    const uint64_t at = isa_get_bits(record, lsb, (unsigned)offset->bits),
                   program = isa_find_value_named(slot->values, "program")->value;
    if (isa_get_bits(record, isa_field_lsb(&isa_operation, format, slot, isa_int8_widths),
                     (unsigned)slot->bits) == program &&
        at >= from)
        isa_put_bits(record, lsb, (unsigned)offset->bits, at + (uint64_t)more);
}

/* The operations with data elsewhere, sealed. */
static void move_all(uint8_t *records, uint32_t operations, uint64_t from, int64_t more)
{
    const struct isa_format *format = isa_find_format(&isa_operation, "end");
    for (uint32_t i = 0; i < operations; i++) {
        uint8_t *record = records + (size_t)i * ISA_OPERATION_BYTES;
        move_data(record, from, more);
        isa_seal(&isa_operation, format, record, ISA_OPERATION_BYTES, i + 1);
    }
}

/* Packs again until the data is where the operations say that it is. */
static bool pack_in_place(uint8_t *records, uint32_t operations, struct strbuf *packed)
{
    enum { TRIES = 8 };
    const uint64_t full = ((uint64_t)operations + 1) * ISA_OPERATION_BYTES;
    uint64_t data = full;
    for (unsigned i = 0; i < TRIES; i++) {
        packed->len = 0;
        isa_pack(records + (size_t)(ISA_PACKED_FIRST - 1) * ISA_OPERATION_BYTES,
                 operations - (ISA_PACKED_FIRST - 1), packed);
        const uint64_t bytes = (uint64_t)ISA_PACKED_FIRST * ISA_OPERATION_BYTES + packed->len;
        if (!sb_ok(packed) || bytes >= full)
            return false;
        if (bytes == data)
            return true;
        move_all(records, operations, data, (int64_t)(bytes - data));
        data = bytes;
    }
    return false;
}

bool isa_program_pack(const uint8_t *program, size_t size, struct strbuf *to)
{
    const uint32_t operations = header_get(program, "operations");
    const size_t full = ((size_t)operations + 1) * ISA_OPERATION_BYTES, start = to->len;
    struct strbuf copy = {0}, packed = {0};
    if (operations < ISA_PACKED_FIRST || full > size || header_get(program, "lines"))
        return false;
    sb_addn(&copy, (const char *)program, full);
    const bool ok =
        sb_ok(&copy) && pack_in_place((uint8_t *)copy.text + ISA_OPERATION_BYTES, operations, &packed);
    if (ok) {
        sb_addn(to, copy.text, (size_t)ISA_PACKED_FIRST * ISA_OPERATION_BYTES);
        sb_addn(to, packed.text, packed.len);
        if (size > full)
            sb_addn(to, (const char *)program + full, size - full);
        if (sb_ok(to))
            put_lines((uint8_t *)to->text + start,
                      ISA_PACKED_FIRST + (uint32_t)(packed.len / ISA_OPERATION_BYTES));
    }
    sb_free(&copy);
    sb_free(&packed);
    return ok && sb_ok(to);
}

static bool unpack_all(const uint8_t *program, size_t size, uint32_t operations, struct strbuf *to)
{
    struct isa_unpacker u;
    const size_t before = (size_t)ISA_PACKED_FIRST * ISA_OPERATION_BYTES;
    isa_unpack_begin(&u, program + before, size - before);
    sb_addn(to, (const char *)program, before);
    for (uint32_t i = ISA_PACKED_FIRST; i <= operations; i++) {
        const uint8_t *record = isa_unpack(&u, i);
        if (!record || isa_checksum(record, ISA_OPERATION_BYTES) != isa_check_word(i))
            return false;
        sb_addn(to, (const char *)record, ISA_OPERATION_BYTES);
    }
    return isa_unpacked_all(&u);
}

bool isa_program_unpack(const uint8_t *program, size_t size, struct strbuf *to)
{
    const uint32_t operations = header_get(program, "operations"), lines = header_get(program, "lines");
    const uint64_t bytes = isa_program_bytes(program),
                   full = ((uint64_t)operations + 1) * ISA_OPERATION_BYTES;
    const size_t start = to->len;
    if (bytes > size || (lines && (operations < ISA_PACKED_FIRST || lines <= ISA_PACKED_FIRST)))
        return false;
    if (!lines)
        sb_addn(to, (const char *)program, (size_t)bytes);
    else if (!unpack_all(program, (size_t)bytes, operations, to))
        return false;
    if (size > bytes)
        sb_addn(to, (const char *)program + bytes, size - (size_t)bytes);
    if (lines && sb_ok(to)) {
        move_all((uint8_t *)to->text + start + ISA_OPERATION_BYTES, operations, bytes,
                 (int64_t)(full - bytes));
        put_lines((uint8_t *)to->text + start, 0);
    }
    return sb_ok(to);
}

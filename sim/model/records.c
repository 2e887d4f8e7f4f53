/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/records.h"

#include <pthread.h>

#include "gen/isa/codec.h"

#define OPCODES 256
#define FORMATS_MAX 16
#define CHECKS_MAX 48

struct position {
    uint16_t lsb;
    uint8_t bits; /* 0: the format does not have the field */
    bool is_signed;
};

/* One field as far as it can be illegal. */
struct check {
    const struct isa_field *field;
    struct position at, when;
};

struct record_format {
    struct position fields[OPERATION_FIELD_COUNT];
    struct check checks[CHECKS_MAX];
    unsigned check_count;
};

static struct record_format formats[FORMATS_MAX];
static const struct record_format *by_opcode[OPCODES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const field_names[OPERATION_FIELD_COUNT] = {
#define X(name) [FIELD_##name] = #name,
    OPERATION_FIELDS(X)
#undef X
};

static struct position find(const struct isa_format *format, const char *name)
{
    const struct isa_field *field = name ? isa_find_field(format, name) : NULL;
    if (!field)
        return (struct position){0};
    return (struct position){.lsb = (uint16_t)isa_field_lsb(&isa_operation, format, field, isa_int8_widths),
                             .bits = (uint8_t)field->bits,
                             .is_signed = field->kind == ISA_SINT};
}

static void prepare_format(struct record_format *to, const struct isa_format *format)
{
    for (unsigned f = 0; f < OPERATION_FIELD_COUNT; f++)
        to->fields[f] = find(format, field_names[f]);
    for (const struct isa_field *f = format->fields; f->bits; f++) {
        if (f->kind == ISA_CHECK)
            continue;
        struct position at = {.lsb = (uint16_t)isa_field_lsb(&isa_operation, format, f, isa_int8_widths),
                              .bits = (uint8_t)f->bits};
        to->checks[to->check_count++] =
            (struct check){.field = f, .at = at, .when = find(format, f->when_field)};
    }
}

static void prepare(void)
{
    unsigned count = 0;
    for (const struct isa_format *f = isa_operation.formats; f->name; f++, count++) {
        prepare_format(&formats[count], f);
        by_opcode[isa_find_field(f, "opcode")->min] = &formats[count];
    }
}

static inline uint64_t bits_at(const uint8_t *record, struct position at)
{
    return isa_get_bits(record, at.lsb, at.bits);
}

const struct record_format *record_format(const uint8_t *record)
{
    pthread_once(&once, prepare);
    return by_opcode[record[0]];
}

int64_t record_get(const struct record_format *format, const uint8_t *record, enum operation_field field)
{
    struct position at = format->fields[field];
    if (!at.bits)
        return 0;
    uint64_t value = bits_at(record, at);
    return at.is_signed ? isa_sign_extend(value, at.bits) : (int64_t)value;
}

static bool check_passes(const struct check *check, const uint8_t *record)
{
    const struct isa_field *f = check->field;
    uint64_t value = bits_at(record, check->at);
    if (f->when_field && bits_at(record, check->when) != f->when_value)
        return value == 0;
    switch (f->kind) {
    case ISA_RESERVED:
        return value == 0;
    case ISA_ENUM:
        return isa_find_value(f->values, value);
    case ISA_UINT:
        return value >= f->min && (!f->max || value <= f->max);
    case ISA_NESTED: /* a command: the clusters that get it check it */
        return true;
    default:
        return true;
    }
}

bool record_is_legal(const struct record_format *format, const uint8_t *record)
{
    for (unsigned c = 0; c < format->check_count; c++)
        if (!check_passes(&format->checks[c], record))
            return false;
    return true;
}

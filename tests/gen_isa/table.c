/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of encodings is consistent in itself.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_isa/support.h"

static const struct isa_widths all_widths[] = {{8, 6}, {8, 8}, {8, 12}, {8, 16}, {16, 8}, {16, 16}};
#define WIDTHS (sizeof all_widths / sizeof *all_widths)

typedef void (*format_test)(const struct isa_family *family, const struct isa_format *format);

static void for_each_format(format_test test)
{
    for (size_t i = 0; isa_families[i]; i++)
        for (const struct isa_format *f = isa_families[i]->formats; f->name; f++)
            test(isa_families[i], f);
}

static unsigned sum_of_bits(const struct isa_format *format, struct isa_widths widths)
{
    unsigned sum = 0;
    for (size_t i = 0; i < field_count(format); i++)
        sum += isa_field_bits(&format->fields[i], widths);
    return sum;
}

static void fills_its_family(const struct isa_family *family, const struct isa_format *format)
{
    for (size_t w = 0; w < WIDTHS; w++) {
        unsigned want = family->bits ? (unsigned)family->bits : all_widths[w].data + all_widths[w].index;
        cr_expect_eq(sum_of_bits(format, all_widths[w]), want, "%s has %u bits, not %u", format->name,
                     sum_of_bits(format, all_widths[w]), want);
    }
}

Test(table, every_format_fills_its_family)
{
    for_each_format(fills_its_family);
}

/* Every bit belongs to one field, whichever end positions are counted from. */
static void covers_every_bit_once(const struct isa_family *family, const struct isa_format *format)
{
    uint8_t used[128] = {0};
    const unsigned bits = isa_family_bits(family, isa_int8_widths);
    for (size_t i = 0; i < field_count(format); i++) {
        unsigned lsb = isa_field_lsb(family, format, &format->fields[i], isa_int8_widths);
        for (unsigned b = lsb; b < lsb + isa_field_bits(&format->fields[i], isa_int8_widths); b++) {
            cr_expect(b < bits && !isa_get_bits(used, b, 1), "%s: bit %u", format->name, b);
            isa_put_bits(used, b, 1, 1);
        }
    }
}

Test(table, fields_do_not_overlap)
{
    for_each_format(covers_every_bit_once);
}

static void checks_are_whole_words(const struct isa_family *family, const struct isa_format *format)
{
    const bool checked = !strcmp(family->name, "program") || !strcmp(family->name, "operation") ||
                         !strcmp(family->name, "status") || !strcmp(format->name, "config_header");
    size_t found = 0;
    for (size_t i = 0; i < field_count(format); i++) {
        const struct isa_field *field = &format->fields[i];
        if (field->kind != ISA_CHECK)
            continue;
        found++;
        cr_expect_eq(isa_field_lsb(family, format, field, isa_int8_widths), (unsigned)family->bits - 32);
        cr_expect_eq(field->bits, 32);
        cr_expect_str_eq(field->name, "check");
    }
    cr_expect_eq(found, checked ? 1 : 0, "%s", format->name);
}

Test(table, checks_are_the_last_word_of_checked_records)
{
    for_each_format(checks_are_whole_words);
}

static void names_are_unique(const struct isa_family *family, const struct isa_format *format)
{
    for (const struct isa_format *other = family->formats; other != format; other++)
        cr_expect_str_neq(other->name, format->name);
    for (size_t i = 0; i < field_count(format); i++)
        for (size_t j = 0; j < i && format->fields[i].name; j++)
            cr_expect(!format->fields[j].name || strcmp(format->fields[j].name, format->fields[i].name) != 0,
                      "%s has two fields %s", format->name, format->fields[i].name);
}

Test(table, names_are_unique_where_they_are_looked_up)
{
    for_each_format(names_are_unique);
}

/* A word becomes a define, a C name and a token of the assembler. */
static void is_word(const char *name)
{
    cr_expect(*name >= 'a' && *name <= 'z' &&
                  strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name),
              "%s", name);
}

static void has_words(const struct isa_family *family, const struct isa_format *format)
{
    is_word(family->name);
    is_word(format->name);
    for (size_t i = 0; i < field_count(format); i++) {
        const struct isa_field *field = &format->fields[i];
        cr_expect_eq(!field->name, field->kind == ISA_RESERVED, "%s, field %zu", format->name, i);
        if (!field->name)
            continue;
        is_word(field->name);
        cr_expect(field->doc && *field->doc, "%s.%s is not documented", format->name, field->name);
    }
}

Test(table, names_are_words_and_fields_are_documented)
{
    for_each_format(has_words);
}

static void conditions_come_first(const struct isa_family *family, const struct isa_format *format)
{
    (void)family;
    for (size_t i = 0; i < field_count(format); i++) {
        const struct isa_field *field = &format->fields[i];
        if (!field->when_field)
            continue;
        const struct isa_field *on = isa_find_field(format, field->when_field);
        cr_assert_not_null(on, "%s.%s depends on no field", format->name, field->name);
        cr_expect(on < field && !on->when_field, "%s.%s", format->name, field->name);
        cr_expect(on->kind == ISA_ENUM || on->kind == ISA_FLAG);
        cr_expect_eq(text_default(field, isa_int8_widths), 0, "%s.%s is 0 when it does not exist",
                     format->name, field->name);
    }
}

Test(table, conditions_are_on_earlier_flags_and_enums)
{
    for_each_format(conditions_come_first);
}

static void fits_its_users(const struct isa_family *family, const struct isa_format *format)
{
    cr_expect_leq(field_count(format), TEXT_FIELDS_MAX, "%s", format->name);
    for (size_t i = 0; i < field_count(format); i++) {
        const struct isa_field *field = &format->fields[i];
        cr_expect(isa_field_bits(field, isa_int8_widths) <= 64 && isa_field_bits(field, isa_int8_widths) > 0,
                  "%s", format->name);
        cr_expect_eq(field->kind == ISA_ENUM, field->values != NULL);
        cr_expect_eq(field->kind == ISA_NESTED, field->nested != NULL);
        if (field->nested)
            cr_expect_eq(field->bits, field->nested->bits);
        cr_expect(family->bits || field->kind != ISA_NESTED);
    }
}

Test(table, fields_have_what_their_kind_needs)
{
    for_each_format(fits_its_users);
}

/* Random legal records are taken for the format they were made of: formats can be told apart. */
static void is_recognised(const struct isa_family *family, const struct isa_format *format)
{
    struct random random = {1};
    for (size_t round = 0; round < 200; round++) {
        const struct isa_widths widths = all_widths[round % WIDTHS];
        uint8_t bytes[128] = {0};
        struct strbuf why = {0};
        random_record(&random, family, format, widths, bytes);
        const struct isa_format *taken = isa_classify(family, bytes, widths, &why);
        /* A weight with a gap of all ones is an escape or a long jump, in any case. */
        const bool escape = family == &isa_weight && strcmp(taken->name, "weight") != 0;
        cr_assert(taken == format || escape, "%s", format->name);
        cr_assert(escape || isa_validate(family, bytes, widths, &why), "%s", sb_text(&why));
        sb_free(&why);
    }
}

Test(table, formats_are_told_apart)
{
    for_each_format(is_recognised);
}

static void expect_unique_values(const struct isa_value *values)
{
    for (const struct isa_value *v = values; v->name; v++) {
        is_word(v->name);
        cr_expect(v->doc && *v->doc, "%s", v->name);
        for (const struct isa_value *other = values; other != v; other++)
            cr_expect(other->value != v->value && strcmp(other->name, v->name) != 0, "%s", v->name);
    }
}

static bool is_listed(const struct isa_value *values)
{
    for (const struct isa_enum *e = isa_enums; e->name; e++)
        if (e->values == values)
            return true;
    return false;
}

static void values_are_listed(const struct isa_family *family, const struct isa_format *format)
{
    (void)family;
    for (size_t i = 0; i < field_count(format); i++) {
        const struct isa_field *field = &format->fields[i];
        if (!field->values)
            continue;
        cr_expect(is_listed(field->values), "%s.%s has values no header names", format->name, field->name);
        for (const struct isa_value *v = field->values; v->name; v++)
            cr_expect(!(v->value >> field->bits), "%s.%s=%s", format->name, field->name, v->name);
    }
}

Test(table, values_are_unique_fit_and_are_listed)
{
    for (const struct isa_enum *e = isa_enums; e->name; e++)
        expect_unique_values(e->values);
    for_each_format(values_are_listed);
}

/* ---- registers ------------------------------------------------------------------------------- */

static unsigned register_bits(const struct isa_register *reg)
{
    const struct isa_format as_format = {.name = reg->name, .fields = reg->fields};
    return sum_of_bits(&as_format, isa_int8_widths);
}

Test(registers, are_whole_words_in_ascending_order)
{
    for (const struct isa_register *r = isa_registers; r->name; r++) {
        is_word(r->name);
        cr_expect_eq(register_bits(r), 32, "%s", r->name);
        cr_expect_eq(r->offset % 4, 0, "%s", r->name);
        cr_expect_lt(r->offset, ISA_REGISTER_SPACE, "%s", r->name);
        if (r != isa_registers)
            cr_expect_gt(r->offset, r[-1].offset, "%s overlaps the one before", r->name);
        for (const struct isa_register *other = isa_registers; other != r; other++)
            cr_expect_str_neq(other->name, r->name);
    }
}

static const struct isa_register *find_register(const char *name)
{
    for (const struct isa_register *r = isa_registers; r->name; r++)
        if (!strcmp(r->name, name))
            return r;
    return NULL;
}

/* The positions that the Vitis flow fixes, and those a host finds a device by. */
Test(registers, are_where_hosts_look_for_them)
{
    static const struct {
        const char *name;
        unsigned offset;
    } fixed[] = {{"control", 0x00},
                 {"interrupt_enable", 0x04},
                 {"interrupt_mask", 0x08},
                 {"interrupt_status", 0x0C},
                 {"address_program_low", 0x10},
                 {"address_program_high", 0x14},
                 {"address_status_low", 0x1C},
                 {"address_extra_high", 0x68},
                 {"size_program_low", 0x70},
                 {"job", 0xD0},
                 {"magic", 0x100},
                 {"isa_version", 0x104}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const struct isa_register *r = find_register(fixed[i].name);
        cr_assert_not_null(r, "%s", fixed[i].name);
        cr_expect_eq(r->offset, fixed[i].offset, "%s is at 0x%x", r->name, r->offset);
    }
}

Test(registers, control_bits_are_those_of_ap_ctrl_chain)
{
    static const struct {
        const char *name;
        unsigned bit;
    } fixed[] = {{"ap_start", 0}, {"ap_done", 1},     {"ap_idle", 2},
                 {"ap_ready", 3}, {"ap_continue", 4}, {"auto_restart", 7}};
    const struct isa_family family = {.bits = 32};
    const struct isa_format control = {.name = "control", .fields = find_register("control")->fields};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        const struct isa_field *field = isa_find_field(&control, fixed[i].name);
        cr_assert_not_null(field, "%s", fixed[i].name);
        cr_expect_eq(isa_field_lsb(&family, &control, field, isa_int8_widths), fixed[i].bit, "%s",
                     fixed[i].name);
    }
}

/* Argument slots of programs and argument registers are the same, in the same order. */
Test(registers, have_an_address_and_a_size_for_each_slot)
{
    for (const struct isa_value *slot = isa_slot_values; slot->name; slot++) {
        char name[40];
        snprintf(name, sizeof name, "address_%s_low", slot->name);
        cr_assert_not_null(find_register(name), "%s", name);
        cr_expect_eq(find_register(name)->offset, 0x10 + 12 * slot->value);
        snprintf(name, sizeof name, "size_%s_low", slot->name);
        cr_assert_not_null(find_register(name), "%s", name);
        cr_expect_eq(find_register(name)->offset, 0x70 + 12 * slot->value);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * A record that cannot be written is refused with the field, the value and
 * the limit; a value at the limit is written.
 */
#include "gen/isa/record.h"

#include <criterion/criterion.h>

#include "gen/isa/codec.h"

static void expect_refused(const struct isa_family *family, const char *format, const char *field,
                           int64_t value, const char *message)
{
    uint8_t record[64] = {0};
    struct strbuf why = {0};
    cr_assert_not(
        isa_put_field(family, isa_find_format(family, format), field, value, isa_int8_widths, record, &why));
    cr_assert_str_eq(sb_text(&why), message);
    for (size_t i = 0; i < sizeof record; i++)
        cr_assert_eq(record[i], 0, "byte %zu was written", i);
    sb_free(&why);
}

Test(record, refusals_name_field_value_and_limit)
{
    expect_refused(&isa_operation, "load", "length", -1,
                   "load: field \"length\" is -1; allowed 0..4294967295");
    expect_refused(&isa_operation, "load", "length", INT64_C(1) << 32,
                   "load: field \"length\" is 4294967296; allowed 0..4294967295");
    expect_refused(&isa_config, "config_instruction", "stride", 32768,
                   "config_instruction: field \"stride\" is 32768; allowed -32768..32767");
    expect_refused(&isa_config, "config_instruction", "stride", -32769,
                   "config_instruction: field \"stride\" is -32769; allowed -32768..32767");
    expect_refused(&isa_config, "config_header", "queue", 9,
                   "config_header: field \"queue\" is 9; allowed sq (0), rq (1), sw (2)");
    expect_refused(&isa_operation, "load", "colour", 1, "load: there is no field \"colour\"");
}

Test(record, values_at_the_limit_are_written)
{
    static const int64_t strides[] = {-32768, -1, 0, 32767};
    const struct isa_format *format = isa_find_format(&isa_config, "config_instruction");
    const struct isa_field *field = isa_find_field(format, "stride");
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        uint8_t record[16] = {0};
        struct strbuf why = {0};
        cr_assert(isa_put_field(&isa_config, format, "stride", strides[i], isa_int8_widths, record, &why));
        cr_assert_eq(
            isa_sign_extend(
                isa_get_bits(record, isa_field_lsb(&isa_config, format, field, isa_int8_widths), 16), 16),
            strides[i]);
        cr_assert_eq(why.len, 0);
    }
}

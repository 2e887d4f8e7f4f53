/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with a record that cannot be written is refused, and the reason
 * names the field, the value and the limit.
 */
#include "host/plan/writer.h"

#include <criterion/criterion.h>
#include <string.h>

#include "gen/variant/variant.h"

static void expect_failure(const char *format, const struct setting *settings, const char *message)
{
    struct variant variant = {.row_bus_width = 256};
    struct writer writer;
    struct strbuf image = {0};
    writer_begin(&writer, &variant);
    writer_op(&writer, format, settings);
    writer_op(&writer, "fence", SETTINGS{{"no_such_field", 1}, {NULL, 0}}); /* the first mistake counts */
    cr_assert_null(writer_finish(&writer, 0, &image));
    cr_assert_str_eq(plan_why(writer.failed), message);
    writer_free(&writer);
    cr_assert_str_eq(plan_message(), message, "the reason outlives the writer");
    sb_free(&image);
}

Test(writer, names_field_value_and_limit)
{
    expect_failure("load", SETTINGS{{"length", INT64_C(1) << 32}, {NULL, 0}},
                   "load: field \"length\" is 4294967296; allowed 0..4294967295");
    expect_failure("accumulate", SETTINGS{{"low", 40000}, {NULL, 0}},
                   "accumulate: field \"low\" is 40000; allowed -32768..32767");
    expect_failure("lode", NULL, "there is no operation \"lode\"");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The cases of evidence.tsv on the models: changing the field, and nothing else, changes what the row says.
 */
#include <criterion/criterion.h>

#include "tests/fields/case.h"
#include "tests/fields/reserved.h"

Test(cases, change_what_their_rows_say)
{
    const struct variant variant = fields_variant();
    struct board *model = model_of_fields();
    struct evidence_table table;
    struct diag diag = {0};
    cr_assert(evidence_load(&table, &diag), "%s", sb_text(&diag.text));
    for (size_t i = 0; i < table.count; i++) {
        const struct evidence *row = &table.row[i];
        struct field_case c;
        struct strbuf why = {0};
        if (!is_case(row))
            continue;
        cr_expect(case_make(&c, row, &variant, &why) && case_models(&c, &variant, model, &why),
                  "evidence.tsv:%u: %s.%s: %s %s: %s", row->line, row->record, row->field, row->program,
                  row->change, sb_text(&why));
        sb_free(&why);
        case_free(&c);
    }
    evidence_free(&table);
    board_model.close(model);
}

Test(reserved, bits_are_refused_by_the_model, .timeout = 120)
{
    const struct variant variant = fields_variant();
    struct board *model = model_of_fields();
    unsigned bits;
    cr_expect(reserved_play(&variant, NULL, NULL, model, &bits));
    board_model.close(model);
}

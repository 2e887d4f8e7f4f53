/* SPDX-License-Identifier: Apache-2.0
 *
 * fields-test: the cases of evidence.tsv, and reserved bits, on a Verilated device beside the models.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fields/case.h"
#include "tests/fields/reserved.h"

#define MESSAGE_BYTES 1024

static const char help[] =
    "Usage: tests/tool/fields-test FOLDER [FIELD]\n"
    "\n"
    "Plays the cases of gen/isa/evidence.tsv on the device that sim/board/build made in FOLDER of the "
    "variant of\n"
    "tests/fields, and then every reserved bit. FIELD, as in load.rows: only its cases.\n"
    "Run it in the top folder of the sources. Exit status: 0 everything is as the rows and the models say "
    "it, 1\n"
    "something is not, 2 wrong usage.\n";

struct stage {
    struct variant variant;
    struct board *device, *model;
    unsigned played, wrong;
};

static bool wanted(const struct evidence *row, const char *field)
{
    const size_t record = strlen(row->record);
    return is_case(row) && (!field || (!strncmp(field, row->record, record) && field[record] == '.' &&
                                       !strcmp(field + record + 1, row->field)));
}

static void play_row(struct stage *s, const struct evidence *row)
{
    struct field_case c;
    struct strbuf why = {0};
    bool ok = case_make(&c, row, &s->variant, &why) && case_device(&c, &board_sim, s->device, s->model, &why);
    s->played++;
    s->wrong += !ok;
    if (!ok)
        printf("%s:%u: %s.%s, %s %s: %s\n", evidence_sources[0].label, row->line, row->record, row->field,
               row->program, row->change, sb_text(&why));
    sb_free(&why);
    case_free(&c);
}

static bool play_rows(struct stage *s, const char *field)
{
    struct evidence_table table;
    struct diag diag = {0};
    bool ok = evidence_load(&table, &diag);
    for (size_t i = 0; ok && i < table.count; i++) {
        if (wanted(&table.row[i], field))
            play_row(s, &table.row[i]);
    }
    diag_report(&diag, stderr);
    evidence_free(&table);
    return ok;
}

int main(int words, char **word)
{
    struct stage stage = {.variant = fields_variant(), .model = model_of_fields()};
    char why[MESSAGE_BYTES] = "";
    if (words < 2 || words > 3 || *word[1] == '-') {
        fputs(help, words == 2 && !strcmp(word[1], "--help") ? stdout : stderr);
        return words == 2 && !strcmp(word[1], "--help") ? 0 : 2;
    }
    stage.device = board_sim.open(word[1], NULL, why, sizeof why);
    if (!stage.device) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    bool ok = play_rows(&stage, word[2]);
    unsigned bits = 0;
    if (words == 2)
        ok = reserved_play(&stage.variant, &board_sim, stage.device, stage.model, &bits) && ok;
    printf("%u cases, %u wrong; %u reserved bits, %llu cycles\n", stage.played, stage.wrong, bits,
           (unsigned long long)board_sim.cycles(stage.device));
    board_sim.close(stage.device);
    board_model.close(stage.model);
    return ok && stage.played && !stage.wrong ? 0 : 1;
}

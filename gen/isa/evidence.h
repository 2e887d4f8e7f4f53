/* SPDX-License-Identifier: Apache-2.0
 *
 * The proof for every field: evidence.tsv names, for each field of each record and register, what looks at it
 * in RTL and in the models, and the case of a test that shows what a change of the field does. docs/fields.md
 * comes from these rows; tests/fields holds them to the table, to the sources and to a simulated device.
 */
#ifndef TULLE_GEN_ISA_EVIDENCE_H
#define TULLE_GEN_ISA_EVIDENCE_H

#include "gen/base/diag.h"
#include "gen/isa/table.h"

/* The build puts gen/isa/evidence.tsv into the library. */
struct evidence_source {
    const char *name, *label, *text;
};
extern const struct evidence_source evidence_sources[];
extern const size_t evidence_source_count;

/* A row. The texts are those of the columns. */
struct evidence {
    char *kind, *record, *field; /* kind: the family's name, or "register" */
    char *rtl, *models;          /* places, or "-" */
    char *program;               /* of tests/fields/programs, or a file of a test */
    char *change;                /* what is changed in the program, or a name in the test */
    char *outcome;               /* what differs then, or "-" for a test */
    unsigned line;
};

struct evidence_table {
    struct evidence *row;
    size_t count;
    char *text; /* what the rows point into */
};

/* Reads the rows. False, with the lines that are wrong reported, when a row has too few or too many columns.
 */
bool evidence_load(struct evidence_table *table, struct diag *diag);
void evidence_free(struct evidence_table *table);

/* A named field: of a format, or of a register. */
struct evidence_field {
    const char *kind, *record;
    const struct isa_family *family; /* NULL for a register */
    const struct isa_format *format; /* NULL for a register */
    const struct isa_register *reg;  /* NULL for a format */
    const struct isa_field *field;
};

/* Calls `visit` for every named field of every format and register, in the order of the documents. */
void evidence_visit(void (*visit)(void *context, const struct evidence_field *field), void *context);

/* Row number `index` of those for a field; NULL when there are no more. */
const struct evidence *evidence_find(const struct evidence_table *table, const struct evidence_field *field,
                                     unsigned index);

#endif

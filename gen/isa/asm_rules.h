/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules between the records of a section, and the fields that follow from these rules: counts of records,
 * loop levels, loop bodies and checks. The assembler fills these fields in. The disassembler verifies them.
 */
#ifndef TULLE_GEN_ISA_ASM_RULES_H
#define TULLE_GEN_ISA_ASM_RULES_H

#include "gen/base/diag.h"
#include "gen/isa/text.h"

struct asm_record {
    const struct isa_family *family;
    const struct isa_format *format; /* NULL: a raw word */
    size_t offset;                   /* bytes from the section's start */
    uint64_t given; /* bit i: the format's field i was given, so it is verified, not computed */
    struct place at;
};

struct asm_records {
    const struct text_section *type;
    struct strbuf bytes;
    struct asm_record *items;
    size_t count, cap;
    struct place at;
    /* The first record is a raw word. Only checks of records are computed then. */
    bool raw;
    bool by_offset; /* messages say the offset in the file, `file_offset` being the section's */
    size_t file_offset;
};

/* A new record of `len` zero bytes at the end; NULL when out of memory. */
struct asm_record *asm_records_add(struct asm_records *records, size_t len);
uint8_t *asm_record_bytes(const struct asm_records *records, const struct asm_record *record);
void asm_records_free(struct asm_records *records);

/* Fills in missing fields, verifies given ones, and reports every violation. */
void asm_rules_apply(struct asm_records *records, struct diag *diag);

/* Whether the record's check (of itself, not of a whole configuration) is right. */
bool asm_record_check_holds(const struct asm_records *records, const struct asm_record *record);

__attribute__((format(printf, 4, 5))) void asm_record_error(const struct asm_records *records,
                                                            const struct asm_record *record,
                                                            struct diag *diag, const char *format, ...);

#endif

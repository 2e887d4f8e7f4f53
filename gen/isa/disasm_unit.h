/* SPDX-License-Identifier: Apache-2.0
 *
 * The data and functions that the parts of the disassembler share.
 */
#ifndef TULLE_GEN_ISA_DISASM_UNIT_H
#define TULLE_GEN_ISA_DISASM_UNIT_H

#include "gen/isa/asm_rules.h"
#include "gen/isa/disasm.h"

struct disassembler {
    const char *file;
    const uint8_t *bytes;
    size_t len;
    const struct disasm_options *options;
    struct strbuf *to;
    struct diag *diag;
};

__attribute__((format(printf, 4, 5))) void disasm_error(const struct disassembler *d, struct diag *diag,
                                                        size_t offset, const char *format, ...);

/* The list for problems that the lenient disassembler tolerates: `problems` when lenient, else the errors. */
struct diag *disasm_sink(const struct disassembler *d, struct diag *problems);

/* After this many errors the disassembler stops: the input is most likely of another kind. */
#define DISASM_ERRORS_MAX 1000
bool disasm_stops(const struct disassembler *d);

/* ---- records --------------------------------------------------------------------------------- */

/* Takes `count` words as records; illegal ones are reported and have no format. */
void disasm_take_records(struct disassembler *d, const struct text_section *type, size_t offset, size_t count,
                         struct asm_records *out, struct diag *diag);
/* Applies the rules between records; they need a header to start from. */
void disasm_verify_records(struct asm_records *records, struct diag *diag);

void disasm_add_record(struct strbuf *to, const struct asm_records *records, const struct asm_record *record,
                       const struct text_instead *instead);
/* Records that are legal by themselves as statements, the others as words. */
void disasm_add_raw_records(struct strbuf *to, const struct asm_records *records);
void disasm_add_comments(struct strbuf *to, const struct diag *problems);
void disasm_add_bytes(struct strbuf *to, const uint8_t *bytes, size_t len);
/* The bytes after the last whole word. */
void disasm_add_rest(struct disassembler *d, const struct text_section *type, size_t offset);

/* ---- sections -------------------------------------------------------------------------------- */

/* Adds the configuration at the offset; returns where it ends. Behind a broken header that is the end of the
 * file, and only the lenient disassembler looks at what is there. */
size_t disasm_config(struct disassembler *d, size_t offset, const char *name);
/* Bytes of a legal configuration at the offset, or 0. */
size_t disasm_legal_config(struct disassembler *d, size_t offset);

/* All the bytes as a program with its data. */
void disasm_program(struct disassembler *d);

/* A .weights section of all the bytes. */
void disasm_weights(struct disassembler *d);

#endif

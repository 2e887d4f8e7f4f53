/* SPDX-License-Identifier: Apache-2.0
 *
 * The data that the parts of the assembler share: the input text, the sections, the labels and the references
 * to labels.
 */
#ifndef TULLE_GEN_ISA_ASM_UNIT_H
#define TULLE_GEN_ISA_ASM_UNIT_H

#include "gen/isa/asm.h"
#include "gen/isa/asm_rules.h"
#include "gen/isa/text.h"

/* After this many errors the assembler stops: the input is most likely no assembly text. */
#define ASM_ERRORS_MAX 1000

struct asm_section {
    struct asm_records records;
    struct weights_layout layout; /* of a .weights section, like what follows */
    struct weights_code code;
    struct weights_stream *streams; /* one for each PE */
    bool *inside;                   /* for each PE: its last entry does not end a segment */
    size_t errors;                  /* when it began; then: in it */
    uint64_t align;                 /* bytes; 0: as the image does */
    size_t offset;                  /* in the image */
};

/* A place in a section. Its length goes up to the section's next label, or is the whole section's. */
struct asm_label {
    struct slice name;
    struct place at;
    size_t section;
    size_t offset;
    size_t length;
    bool whole_section;
    size_t next; /* of the same hash, as index + 1 */
};

struct asm_labels {
    struct asm_label *items;
    size_t count, cap;
    size_t *buckets; /* index + 1 of the first label with a hash; 0: none */
    size_t bucket_count;
};

/* A field that has a label's offset or length for its value. */
struct asm_reference {
    struct slice name;
    struct place at;
    bool length;
    size_t section;
    size_t bit; /* of the field in the section */
    const struct isa_format *format;
    const struct isa_field *field;
};

struct assembler {
    struct lexer lexer;
    struct diag *diag;
    struct weights_layout layout;
    struct asm_section *sections;
    size_t section_count, section_cap;
    struct asm_labels labels;
    struct asm_reference *references;
    size_t reference_count, reference_cap;
    size_t bytes; /* of all sections so far, weights not counted */
    bool stopped; /* out of memory, or the image is too large: reported */
};

/* Room for another item of `size` bytes; NULL, and the assembler stops, when out of memory. */
void *asm_grow(struct assembler *as, void **items, size_t count, size_t *cap, size_t size);

struct asm_section *asm_current(struct assembler *as); /* NULL before the first section */

void asm_out_of_memory(struct assembler *as);
/* Counts bytes of the image; the assembler stops when it becomes too large. */
void asm_count_bytes(struct assembler *as, size_t bytes);

/* An error about the current token: "`what`, not `token`". */
void asm_unexpected(struct assembler *as, const char *what);

/* A number token, within limits; `what` names it in messages. */
bool asm_number(struct assembler *as, const char *what, uint64_t min, uint64_t max, uint64_t *value);

/* A token that is a number of at most `bits` bits, put into the bytes of a word. */
bool asm_raw_number(struct assembler *as, uint8_t *bytes, size_t len, unsigned bits);

/* A record of the current section's word size, zeros; NULL, and the assembler stops, when out of memory. */
struct asm_record *asm_add_record(struct assembler *as, struct place at);

/* The line of a directive: a section, or data. The latter is false when it is no directive of data. */
void asm_section_line(struct assembler *as, const struct token *directive);
bool asm_data_line(struct assembler *as, const struct token *directive);

/* Ends the current section, if there is one. */
void asm_section_close(struct assembler *as);

/* labels */
void asm_label_define(struct assembler *as, struct slice name, struct place at, bool whole_section);
void asm_label_close(
    struct assembler *as); /* the current section has ended: its last label's length is known */
const struct asm_label *asm_label_find(const struct asm_labels *labels, struct slice name);
void asm_labels_free(struct asm_labels *labels);
/* '@' name, or '@' name.length, read into a reference without a field. */
bool asm_reference_parse(struct assembler *as, struct asm_reference *reference);
void asm_references_resolve(struct assembler *as);

/* Where the fields of a record go. */
struct asm_fields {
    const struct isa_family *family;
    const struct isa_format *format;
    struct isa_widths widths;
    uint8_t *bytes;     /* starts as zeros */
    uint64_t given;     /* set by asm_fields_parse */
    size_t bit;         /* of the bytes in the section, for references */
    bool no_references; /* the record has no place of its own in the section */
};

/* Reads fields up to `closing`, or the line's end when that is 0, and puts them, constants and defaults.
 * False after an error of syntax: the rest of the line makes no sense then. */
bool asm_fields_parse(struct assembler *as, struct asm_fields *fields, char closing);

/* weights: a statement of a .weights section; its beats, once all is read */
void asm_weights_statement(struct assembler *as, struct token mnemonic);
void asm_weights_word(struct assembler *as);
void asm_weights_finish(struct assembler *as, struct asm_section *section);

#endif

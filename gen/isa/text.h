/* SPDX-License-Identifier: Apache-2.0
 *
 * The layer of the assembly language below statements. It splits characters into tokens and converts fields
 * to text. The assembler and the disassembler both use it. All knowledge about fields comes from the table of
 * encodings.
 */
#ifndef TULLE_GEN_ISA_TEXT_H
#define TULLE_GEN_ISA_TEXT_H

#include "gen/base/diag.h"
#include "gen/isa/table.h"

/* ---- sections -------------------------------------------------------------------------------- */

enum text_section_index {
    TEXT_PROGRAM,
    TEXT_CONFIG,
    TEXT_WEIGHTS,
    TEXT_COMMANDS,
    TEXT_INSTRUCTIONS,
    TEXT_PACKETS,
    TEXT_STATUS,
    TEXT_DATA,
    TEXT_SECTIONS
};

/* A kind of section, ".name" in the text. */
struct text_section {
    const char *name;
    const char *doc;
    const struct isa_family *families[2]; /* whose formats are its statements; NULL: none */
    const char *header;                   /* format of its first record; NULL: none */
    unsigned word_bits;                   /* of a record, as a line of hex output has them; 0: varies */
    unsigned word_bytes;                  /* the same in memory */
};

extern const struct text_section text_sections[TEXT_SECTIONS];

/* ---- pieces of the input --------------------------------------------------------------------- */

struct slice {
    const char *text; /* not zero-terminated */
    size_t len;
};

bool slice_is(struct slice slice, const char *word);

/* Appends the slice in quotes, shortened when long. */
void slice_add_quoted(struct strbuf *to, struct slice slice);

/* The word of a list that is nearest to the slice, or NULL. */
const char *slice_near(struct slice slice, const char *const *words, size_t count);

/* ---- tokens ---------------------------------------------------------------------------------- */

enum token_kind {
    TOKEN_WORD,        /* a letter or _, then letters, digits and _ */
    TOKEN_DIRECTIVE,   /* the same behind a dot, which is part of it */
    TOKEN_NUMBER,      /* begins with a digit or -; may turn out not to be a number */
    TOKEN_PUNCTUATION, /* one of , = ( ) : @ . */
    TOKEN_STRANGE,     /* a character that has no meaning */
    TOKEN_LINE_END,
    TOKEN_END
};

struct token {
    enum token_kind kind;
    struct slice text;
    struct place at;
};

/* `token` is the current one. lexer_next stays at the end of a line, which only lexer_next_line passes. A
 * line goes on where a \ stands at its end. */
struct lexer {
    const char *pos, *end, *line_start;
    const char *file;
    unsigned line;
    struct token token;
};

void lexer_start(struct lexer *lexer, const char *file, const struct strbuf *text);
void lexer_next(struct lexer *lexer);
void lexer_next_line(struct lexer *lexer); /* whatever is left of this one */
bool lexer_at(const struct lexer *lexer, char punctuation);
bool lexer_at_line_end(const struct lexer *lexer);

/* Appends the token as messages show it. */
void text_add_token(struct strbuf *to, const struct token *token);

/* A decimal, 0x or 0b number with an optional minus sign. */
struct number {
    bool valid;
    bool negative;
    bool too_large; /* more than 64 bits */
    uint64_t magnitude;
};

struct number text_parse_number(struct slice text);

/* ---- fields ---------------------------------------------------------------------------------- */

/* How many fields a format may have: the assembler keeps a bit for each. */
#define TEXT_FIELDS_MAX 64

/* Whether the field is the end marker of a format. */
bool text_is_end(const struct isa_field *field);

/* The default of a field: the smallest legal value, but for a minor version the current one. */
uint64_t text_default(const struct isa_field *field, struct isa_widths widths);

/* Appends the allowed values of a field: "0..31", "sq (0), rq (1), sw (2)", "config(...) or exec(...)". */
void text_add_allowed(struct strbuf *to, const struct isa_field *field, struct isa_widths widths);

/* "exists only when ..." for a field with a condition: "target=accumulator", "trigger". */
void text_add_condition(struct strbuf *to, const struct isa_format *format, const struct isa_field *field);

/* Another text for a field of a printed record. */
struct text_instead {
    const char *field; /* NULL ends a list */
    const char *text;  /* NULL: the field is left out */
};

/* Appends "format field=value, ..." for legal bytes. Fields that have their default are left out, except
 * names of a list of values. */
void text_add_record(struct strbuf *to, const struct isa_family *family, const struct isa_format *format,
                     const uint8_t *bytes, struct isa_widths widths, const struct text_instead *instead);

/* Appends "0x..." for a little-endian number of `len` bytes. */
void text_add_hex(struct strbuf *to, const uint8_t *bytes, size_t len);

/* Appends every statement and its fields, for --list. */
void text_list(struct strbuf *to, struct isa_widths widths);

#endif

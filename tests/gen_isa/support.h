/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the encodings share: assembling and taking apart with one
 * call, and random legal records.
 */
#ifndef TULLE_TESTS_GEN_ISA_SUPPORT_H
#define TULLE_TESTS_GEN_ISA_SUPPORT_H

#include "gen/base/random.h"
#include "gen/base/strbuf.h"
#include "gen/isa/asm.h"
#include "gen/isa/codec.h"
#include "gen/isa/disasm.h"
#include "gen/isa/text.h"

/* Number of fields, and whether a field ends a format: written apart from the code under test. */
size_t field_count(const struct isa_format *format);

/* Assembles; on an error the messages are in `messages` and the result is false. Both are appended to. */
bool assemble(const char *text, struct strbuf *bytes, struct strbuf *messages);
bool disassemble(const struct strbuf *bytes, const struct disasm_options *options, struct strbuf *text,
                 struct strbuf *messages);
struct disasm_options disassemble_as(enum text_section_index section);

/* Fails the test unless the bytes, taken apart and assembled, are the same bytes; appends the text. */
void expect_round_trip(const struct strbuf *bytes, const struct disasm_options *options, struct strbuf *text);

/* Fails the test unless the text assembles to these bytes. */
void expect_bytes(const char *text, const uint8_t *bytes, size_t len);

/* Fails the test unless assembling the text gives exactly these messages. */
void expect_messages(const char *text, const char *messages);

/* A random record of the format with every field legal, often at an end of its range; checks are not set. */
void random_record(struct random *random, const struct isa_family *family, const struct isa_format *format,
                   struct isa_widths widths, uint8_t *bytes);

/* The check of docs/isa.md, computed apart from the code under test: the 32-bit word at `at` is set so that
 * the exclusive or of all words is 0x54554C4C, changed by the index. */
void set_check(uint8_t *bytes, size_t len, size_t at, uint32_t index);

/* Random legal payloads and programs, appended. */
void random_config(struct random *random, struct strbuf *to);
void random_program(struct random *random, struct strbuf *to);

#endif

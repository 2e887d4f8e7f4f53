/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler turns text into packed words. docs/assembler.md describes the language. Formats and fields
 * come from the table of encodings (gen/isa/table.h).
 */
#ifndef TULLE_GEN_ISA_ASM_H
#define TULLE_GEN_ISA_ASM_H

#include "gen/base/diag.h"
#include "gen/isa/weights.h"

/* Limits, in bytes, of the text and of the image. */
#define ASM_INPUT_MAX ((size_t)16 << 20)
#define ASM_IMAGE_MAX ((size_t)64 << 20)

/* The widths and layout of a .weights section that gives none: those of most named variants. */
extern const struct weights_layout asm_default_layout;

struct asm_image {
    struct strbuf bytes;
    unsigned word_bits; /* of a line of hex output; 0: the image's sections differ */
    unsigned word_bytes;
};

/* Assembles `text`, which messages call `file`. False, with every problem reported, when something is
 * wrong; the image is then empty. `diag` has no errors before. `layout` has the defaults of .weights
 * sections. */
bool asm_assemble(const char *file, const struct strbuf *text, const struct weights_layout *layout,
                  struct asm_image *image, struct diag *diag);
void asm_image_free(struct asm_image *image);

/* The image as $readmemh takes it: a word a line, the last one filled up with zeros. False when the image
 * has no one word size, which is reported. */
bool asm_image_hex(const struct asm_image *image, const char *file, struct strbuf *to, struct diag *diag);

#endif

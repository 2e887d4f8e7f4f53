/* SPDX-License-Identifier: Apache-2.0
 *
 * The disassembler: packed words to text that assembles to the same bytes.
 */
#ifndef TULLE_GEN_ISA_DISASM_H
#define TULLE_GEN_ISA_DISASM_H

#include "gen/base/diag.h"
#include "gen/isa/text.h"
#include "gen/isa/weights.h"

struct disasm_options {
    const struct text_section *as; /* what the bytes are; NULL: a program, by its magic number */
    bool lenient;                  /* illegal words become .word with a comment instead of errors */
    struct weights_layout layout;  /* of weights */
};

/* Appends the text of `bytes`. False, with every illegal word reported by its offset, when there is one and
 * the options are not lenient; then nothing of use is in `to`. `diag` has no errors before. */
bool disasm(const char *file, const struct strbuf *bytes, const struct disasm_options *options,
            struct strbuf *to, struct diag *diag);

#endif

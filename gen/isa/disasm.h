/* SPDX-License-Identifier: Apache-2.0
 *
 * The disassembler turns packed words into text that assembles to the same bytes.
 */
#ifndef TULLE_GEN_ISA_DISASM_H
#define TULLE_GEN_ISA_DISASM_H

#include "gen/base/diag.h"
#include "gen/isa/text.h"
#include "gen/isa/weights.h"

struct disasm_options {
    const struct text_section *as; /* their kind; NULL: a program, by its magic number */
    bool lenient;                  /* illegal words become .word with a comment instead of errors */
    struct weights_layout layout;  /* of weights */
};

/* Appends the text of `bytes`. Unless the options are lenient, an illegal word makes the result false: every
 * illegal word is reported with its offset, and `to` holds nothing useful. `diag` has no errors before. */
bool disasm(const char *file, const struct strbuf *bytes, const struct disasm_options *options,
            struct strbuf *to, struct diag *diag);

#endif

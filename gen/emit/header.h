/* SPDX-License-Identifier: Apache-2.0
 *
 * Header files of constants, in Verilog and in C: the same names, the same
 * order, the same comments, so that what one language calls a value the other
 * does too.
 */
#ifndef TULLE_GEN_EMIT_HEADER_H
#define TULLE_GEN_EMIT_HEADER_H

#include <stdint.h>

#include "gen/base/strbuf.h"

struct emit_context;

enum header_language { HEADER_VERILOG, HEADER_C };

struct header {
    enum header_language language;
    struct strbuf *to;
    struct strbuf name; /* scratch: the name being defined */
};

/* TULLE_<FIRST>_<SECOND>_<THIRD>; second and third may be NULL. Valid until the next call. */
const char *header_name(struct header *header, const char *first, const char *second, const char *third);

/* The banner and the include guard, TULLE_<base>_VH or _H; `ctx` is NULL for a header of no variant. */
void header_open(struct header *header, const struct emit_context *ctx, const char *base, const char *title);
void header_close(struct header *header);

/* A comment that heads the definitions up to the next blank line. */
void header_section(struct header *header, const char *title, const char *doc);
/* A name without the final comment may follow one that has it: they belong together. */
void header_define(struct header *header, const char *name, const char *value, const char *doc);
void header_define_number(struct header *header, const char *name, uint64_t value, const char *doc);

#endif

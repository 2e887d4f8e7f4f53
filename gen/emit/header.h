/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes header files of constants in Verilog and in C. Both languages get the same names, the same order and
 * the same comments.
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

/* Writes the banner and the include guard, TULLE_<base>_VH or _H. `ctx` is NULL for a header for every
 * variant. */
void header_open(struct header *header, const struct emit_context *ctx, const char *base, const char *title);
void header_close(struct header *header);

/* Writes a comment as the heading of the definitions that follow. */
void header_section(struct header *header, const char *title, const char *doc);
/* Writes one definition. `doc` may be NULL when the comment of the definition before it also covers this one.
 */
void header_define(struct header *header, const char *name, const char *value, const char *doc);
void header_define_number(struct header *header, const char *name, uint64_t value, const char *doc);

#endif

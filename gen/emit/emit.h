/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the output folder of a variant. Each emitter writes one part of the folder. It reads only the
 * context and the table of encodings, so that the same variant gives the same bytes on every machine.
 */
#ifndef TULLE_GEN_EMIT_EMIT_H
#define TULLE_GEN_EMIT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/base/output.h"
#include "gen/base/strbuf.h"
#include "gen/variant/variant.h"

struct emit_context {
    const struct variant *variant;
    const struct variant_derived *derived;
    uint64_t hash; /* of the variant and the ISA version */
    struct outdir *out;
    struct strbuf *files; /* Verilog files for tulle.f, a line each, in compilation order */
};

/* Appends the first lines of a generated file: license, title, tool version, variant and hash, but no date.
 * `comment` opens each line: "//", " *" or "<!--". */
void emit_banner(struct strbuf *to, const struct emit_context *ctx, const char *comment, const char *title);

/* Appends the last of these lines, which names tool version, variant and hash. Without `ctx` it says "for
 * every variant". */
void emit_origin(struct strbuf *to, const struct emit_context *ctx);

/* Adds a file to the output folder and frees its text. */
bool emit_file(const struct emit_context *ctx, const char *path, struct strbuf *text);

bool emit_isa_verilog(const struct emit_context *ctx);  /* include/tulle_isa.vh, tulle_registers.vh */
bool emit_params(const struct emit_context *ctx);       /* include/tulle_params.vh and .h */
bool emit_isa_c(const struct emit_context *ctx);        /* include/tulle_isa.h, tulle_registers.h */
bool emit_register_map(const struct emit_context *ctx); /* docs/registers.md */
bool emit_leaf_modules(const struct emit_context *ctx); /* rtl/: modules of the source tree, unchanged */
bool emit_array(const struct emit_context *ctx);        /* rtl/: top, array, row, cluster, decode */
bool emit_testbench(const struct emit_context *ctx);    /* tb/ */
bool emit_manifests(const struct emit_context *ctx);    /* tulle.f, tulle.core, variant.json, README.md */
bool emit_vendor(const struct emit_context *ctx);       /* vendor/: for flows of FPGA vendors */

/* Everything above, in order. */
bool emit_variant(const struct variant *variant, const char *folder, struct diag *diag);

#endif

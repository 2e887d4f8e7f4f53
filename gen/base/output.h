/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing an output so that nobody ever sees half of it: everything is
 * written into a private folder beside the target (".tulle-XXXXXX") and
 * renamed into place at the end. On any error the private folder is removed,
 * what was there before stays, and a message names the file and the cause. An
 * interruption leaves at most the private folder behind.
 */
#ifndef TULLE_GEN_OUTPUT_H
#define TULLE_GEN_OUTPUT_H

#include "gen/base/diag.h"
#include "gen/base/strbuf.h"

/* Every output folder has a file of this name with its files, a line each. It marks the folder as ours, and
 * says which files may go when the folder is written again; whatever else is in there is kept. */
#define OUTDIR_MANIFEST "MANIFEST"

struct outdir;

/* `path` must not exist, be empty, or be an earlier output; its parent must exist. `diag` must outlive the
 * outdir. NULL with an error when the folder cannot be written. */
struct outdir *outdir_begin(const char *path, struct diag *diag);

/* Adds a file, relative to the folder, and the folders in `relpath`. After a failure, which is reported,
 * further files are ignored and outdir_commit fails. */
bool outdir_file(struct outdir *out, const char *relpath, const struct strbuf *text);

/* Puts the folder into place, or aborts when something failed. Frees `out` either way. */
bool outdir_commit(struct outdir *out);
void outdir_abort(struct outdir *out);

/* One file; "-" is standard output. A device or pipe is written to directly. */
bool output_file(const char *path, const struct strbuf *text, struct diag *diag);

#endif

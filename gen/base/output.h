/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes output atomically: a reader sees either the old output or the complete new one. All files are
 * written into a private folder beside the target (".tulle-XXXXXX"), which is renamed into place at the end.
 * An error removes the private folder, keeps the old output and reports the file and the cause. An
 * interruption leaves at most the private folder behind.
 */
#ifndef TULLE_GEN_OUTPUT_H
#define TULLE_GEN_OUTPUT_H

#include "gen/base/diag.h"
#include "gen/base/strbuf.h"

/* Every output folder has a file of this name, which lists the files that the tool wrote, one per line. These
 * files may be removed when the folder is written again. All other files in the folder are kept. */
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

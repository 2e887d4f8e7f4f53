/* SPDX-License-Identifier: Apache-2.0
 *
 * A scratch folder per test: Criterion runs each test in a process of its
 * own, so a test may make it the current folder and use relative names.
 */
#ifndef TULLE_TESTS_SCRATCH_H
#define TULLE_TESTS_SCRATCH_H

#include <stdbool.h>

/* Make and enter a new folder; leave it and remove it with all that is in it. For .init and .fini. */
void scratch_enter(void);
void scratch_leave(void);

/* Helpers that fail the test when they cannot do their work. */
void scratch_write(const char *path, const char *text);
void scratch_folder(const char *path);
/* Whether the file has exactly this text; false also when there is none. */
bool scratch_has(const char *path, const char *text);
bool scratch_exists(const char *path);
/* The sorted names in a folder, each followed by a space; valid until the next call. */
const char *scratch_list(const char *path);

/* What a full disk does: every file in this process may have at most `bytes` from now on. */
void scratch_limit_files(unsigned long bytes);

#endif

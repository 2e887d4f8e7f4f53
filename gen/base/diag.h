/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects error messages about an input, so that every problem is reported in one run. Each message begins
 * with its place: "file:line:column: error: text".
 */
#ifndef TULLE_GEN_DIAG_H
#define TULLE_GEN_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "gen/base/strbuf.h"

/* A place in an input. Lines and columns count from 1. The value 0 means the file as a whole. */
struct place {
    const char *file; /* borrowed: must outlive the diag */
    unsigned line;
    unsigned column;
};

/* Further errors are counted but not kept, so that a binary file does not print a million lines. */
#define DIAG_MAX 100

struct diag {
    struct strbuf text;
    size_t errors;
    bool no_memory; /* an error is that memory could not be had */
};

__attribute__((format(printf, 3, 4))) void diag_error(struct diag *diag, struct place at, const char *format,
                                                      ...);

/* The same of a file as a whole; gives false, for functions that end with the error. */
__attribute__((format(printf, 3, 4))) bool diag_fail(struct diag *diag, const char *file, const char *format,
                                                     ...);

/* Reports that memory could not be had while the file was worked on. */
void diag_no_memory(struct diag *diag, const char *file);
/* Whether that is a reason, also when the messages themselves could not be kept. */
bool diag_lacks_memory(const struct diag *diag);

/* Prints what was collected and frees it; returns true when there was an error. */
bool diag_report(struct diag *diag, FILE *to);
void diag_free(struct diag *diag);

#endif

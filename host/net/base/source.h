/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that a network is read from, mapped into memory: tensors are used
 * where they lie in it. A program that shortens the file while a network is in
 * use gets SIGBUS, as with any mapped file.
 */
#ifndef TULLE_HOST_NET_SOURCE_H
#define TULLE_HOST_NET_SOURCE_H

#include <stdint.h>

#include "gen/base/diag.h"

struct source {
    const char *path; /* borrowed */
    const uint8_t *bytes;
    size_t size;
    void *map; /* the same bytes, to be given back */
};

/* Only a regular file. False after an error that names the cause. */
bool source_open(struct source *source, const char *path, struct diag *diag);
/* A copy of the bytes, as if they had been read from a file. */
bool source_copy(struct source *source, const char *path, const void *bytes, size_t size, struct diag *diag);
void source_close(struct source *source);

/* Reports an error at a byte of the file. `at` may lie anywhere: elsewhere the error is of the whole file. */
__attribute__((format(printf, 4, 5))) void source_error(const struct source *source, const void *at,
                                                        struct diag *diag, const char *format, ...);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the file formats share: a matrix as text, and reading
 * with an expectation.
 */
#ifndef TULLE_TESTS_HOST_FORMATS_SUPPORT_H
#define TULLE_TESTS_HOST_FORMATS_SUPPORT_H

#include "host/formats/formats.h"

/* "2x3 integer: 0,0=1 1,2=-4"; rows and columns from 0. A pattern has no values; a matrix that is only half
 * there says its symmetry behind its kind. Freed by the caller. */
struct strbuf describe(const struct matrix *matrix);

/* Fails the test unless rows, columns and order are as matrix.h promises. */
void expect_valid(const struct matrix *matrix);
bool same_matrix(const struct matrix *a, const struct matrix *b);

/* Reading `text` as a file `name` gives the matrix that is described so. */
void expect_read_with(const struct read_options *options, const char *name, const char *text,
                      const char *description);
void expect_read(const char *name, const char *text, const char *description);

/* Reading gives this message, and nothing else. */
void expect_refused(const char *name, const char *text, const char *message);
void expect_refused_bytes(const char *name, const struct strbuf *bytes, const char *message);

/* What reading the text gives; fails the test when it is refused. */
struct matrix read_text(const char *name, const char *text);

/* Writing gives this message, and nothing else. */
void expect_not_written(const char *name, const struct write_options *options, const struct matrix *matrix,
                        const char *message);

/* A .npy file: magic, version, the header's text as it stands, the data. */
struct strbuf npy_file(unsigned version, const char *header, const void *data, size_t data_bytes);

#endif

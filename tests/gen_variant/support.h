/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of variants share. They run in the top folder.
 */
#ifndef TULLE_TESTS_GEN_VARIANT_SUPPORT_H
#define TULLE_TESTS_GEN_VARIANT_SUPPORT_H

#include "gen/variant/keys.h"

/* Loads base with up to 8 overrides, NULL after the last. */
#define BASE_WITH(out, diag, ...) base_with((out), (diag), (const char *const[20]){__VA_ARGS__})
bool base_with(struct variant *out, struct diag *diag, const char *const sets[20]);

/* The text of a file, which must be there. */
struct strbuf text_of(const char *path);

bool same_variant(const struct variant *a, const struct variant *b);

/* The only messages are these; empties the diag. */
void expect_messages(struct diag *diag, const char *text, const char *what);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command lines of all tools say the same way.
 */
#ifndef TULLE_GEN_OPTIONS_H
#define TULLE_GEN_OPTIONS_H

#include <stdbool.h>

#include "gen/base/diag.h"

/* An option that none of `names` is; suggests one that is nearly the same. */
void options_report_unknown(const char *text, const char *const *names, size_t count, struct diag *diag);

/* Takes an option's value, which may be given once. */
void options_set_once(const char **to, const char *value, const char *name, struct diag *diag);

/* A command line of options that have a value each, given once, and of --help (-h) and --version (-V). */
struct option_value {
    const char *name; /* NULL ends a list */
    const char **to;
    bool needed;
};

struct option_flags {
    bool help, version;
};

/* What is wrong is reported; what is needed may be missing where help or version is asked for. */
struct option_flags options_read(int argc, char **argv, const struct option_value *values, struct diag *diag);

#endif

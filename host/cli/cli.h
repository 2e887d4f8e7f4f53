/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of `tulle`. Each is a main of its own: argv[0] is its name,
 * and what it returns is the exit status.
 */
#ifndef TULLE_HOST_CLI_H
#define TULLE_HOST_CLI_H

#include <stdbool.h>

#include "gen/base/diag.h"

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

int tulle_pack(int argc, char **argv);
int tulle_devices(int argc, char **argv);
int tulle_inspect(int argc, char **argv);

/* What the options of a command are read with, by a table that ends with a name of NULL. */
struct cli_option {
    const char *name, *letter;
    const char **value; /* given once; NULL: `flag` */
    bool *flag;
    const char **list; /* in place of `value`: several, with room for all arguments */
    unsigned *count;
};

/* What is no option goes to `rest`, which may be NULL: then there must be none. True when all is well. */
bool cli_parse(int argc, char **argv, const struct cli_option *options, const char **rest, struct diag *diag);

/* Prints what is wrong and where help is; returns CLI_USAGE. */
int cli_usage(const char *command, struct diag *diag);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of `tulle`. Each is a main of its own: argv[0] is its name,
 * and what it returns is the exit status.
 */
#ifndef TULLE_HOST_CLI_H
#define TULLE_HOST_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/base/diag.h"

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

int cli_advise(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_pack(int argc, char **argv);
int cli_devices(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_program(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_convert(int argc, char **argv);

/* What the options of a command are read with, by a table that ends with a name of NULL. */
struct cli_option {
    const char *name, *letter;
    const char **value; /* given once; NULL: `flag` */
    bool *flag;
    const char **list; /* in place of `value`: several, with room for all arguments */
    unsigned *count;
    /* With `value`, what it must be and where that goes: a whole number, a number, or one of some words
     * (which end with NULL), by its place among them. */
    int64_t *number, min, max;
    double *real, low, high;
    const char *const *words;
    unsigned *word;
    /* Some numbers with x between them, in room for `most` of them; `counts`: a bit for each number of them
     * that makes sense. Limits are `min` and `max`. */
    int64_t *sizes;
    unsigned *sizes_count, counts;
    const char *example;
};

/* What is no option goes to `rest`, which has room for so many, NULL at first. True when all is well. */
bool cli_parse(int argc, char **argv, const struct cli_option *options, const char **rest, unsigned room,
               struct diag *diag);

/* Prints what is wrong and where help is; returns CLI_USAGE. */
int cli_usage(const char *command, struct diag *diag);

#endif

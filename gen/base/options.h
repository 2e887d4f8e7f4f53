/* SPDX-License-Identifier: Apache-2.0
 *
 * Command-line parsing by a table. All programs take options in the same forms and report errors in the
 * same words.
 */
#ifndef TULLE_GEN_OPTIONS_H
#define TULLE_GEN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/base/diag.h"

/* An option: a flag, or one with a value ("--name VALUE", "--name=VALUE"). A name of NULL ends a table. */
struct option_entry {
    const char *name, *letter;
    const char **value; /* given once; NULL: `flag` */
    bool needed;        /* with `value`: missing is a mistake, unless a flag is given */
    bool *flag;
    const char **list; /* in place of `value`: several, with room for so many, or 0: for all arguments */
    unsigned *count, room;
    /* With `value`, what it must be and where that goes: a whole number, a number, or one of some words
     * (which end with NULL), by its place among them. */
    int64_t *number, min, max;
    double *real, low, high;
    const char **file; /* with `real`: text that is no number names a file, which goes here */
    const char *const *words;
    unsigned *word;
    /* Some numbers with x between them, in room for `most` of them; `counts`: a bit for each number of them
     * that makes sense. Limits are `min` and `max`. */
    int64_t *sizes;
    unsigned *sizes_count, counts;
    const char *example;
};

/* Where arguments go that are no options: room for so many, NULL at first. */
struct option_rest {
    const char **word;
    unsigned room;
    const char *noun; /* what there is one of, with a blank behind it, for the message; may be NULL */
};

/* Every mistake is reported; true when there is none. `rest` may be NULL: options only. */
bool options_read(int argc, char **argv, const struct option_entry *options, const struct option_rest *rest,
                  struct diag *diag);

#endif

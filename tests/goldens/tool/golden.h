/* SPDX-License-Identifier: Apache-2.0
 *
 * One case of CMSIS-NN's test data: a folder with config.tsv, lines of a key and a value, and tensors as
 * text, files NAME_SUFFIX.txt whose first line is "# type count". Keys begin with the name of the case in
 * capitals; the functions take them without it. Every mistake goes to the diag with file and line, and values
 * that could not be read are the least that is allowed; so a caller reads everything and then asks the diag.
 */
#ifndef TULLE_TESTS_GOLDEN_H
#define TULLE_TESTS_GOLDEN_H

#include <stdint.h>

#include "gen/base/diag.h"
#include "sim/numerics/numerics.h"

enum golden_type { GOLDEN_INT8, GOLDEN_INT16, GOLDEN_INT32, GOLDEN_INT64, GOLDEN_FLOAT32, GOLDEN_TYPES };

struct numbers {
    enum golden_type type;
    size_t count;
    int64_t *values; /* row by row, the last dimension fastest; the case owns them */
};

/* A layer of a network: its keys and files have more words in front, its input is the result of the layer
 * before, and nobody says what it gives. */
struct scope {
    const char *keys, *files;
    struct numbers input;
};

#define GOLDEN_REASON 256

struct tulle_device;

struct golden {
    const struct scope *scope; /* NULL: the case is one operator */
    const char *root, *name;
    struct diag *diag;
    enum num_rounding rounding;   /* of sums of 32 bits */
    bool whole;                   /* multipliers of sums of 64 bits keep all their bits */
    bool cpu;                     /* by the kernels of host/net/cpu */
    struct tulle_device *device;  /* by this device; NULL: not */
    char left_out[GOLDEN_REASON]; /* why a case is; "": it is not */
    struct golden_key *keys;
    struct golden_block *blocks;
};

/* What a case is held against, and what it became. */
struct answer {
    const char *type;
    struct numbers expected;
    int64_t *values;
};

bool golden_open(struct golden *golden, const char *root, const char *name, struct diag *diag);
void golden_close(struct golden *golden);

bool golden_has(const struct golden *golden, const char *key);
bool golden_says(const struct golden *golden, const char *key, const char *text);
/* The first of two keys that there is, else the second. */
const char *golden_key(const struct golden *golden, const char *first, const char *second);
int64_t golden_number(const struct golden *golden, const char *key, int64_t low, int64_t high);
/* `otherwise` where the key is not there. */
int64_t golden_number_or(const struct golden *golden, const char *key, int64_t low, int64_t high,
                         int64_t otherwise);

/* How many tensors there are; the type of one of them. */
size_t golden_files(const struct golden *golden, enum golden_type *type);
/* The first file of `suffixes`, words with a blank between them, that there is. */
bool golden_has_tensor(const struct golden *golden, const char *suffixes);
struct numbers golden_tensor(struct golden *golden, const char *suffixes, size_t count);
/* Numbers of 4 bits, two in a byte, the first in the low half. */
struct numbers golden_halves(struct golden *golden, const char *suffixes, size_t count);
/* The input has the type that the case is about: int8 or int16. */
struct numbers golden_input(struct golden *golden, const char *suffixes, size_t count);
/* Also makes room for the values of the answer. */
void golden_expect(struct golden *golden, struct answer *answer, size_t count);

/* The case is not compared, for this reason. */
void golden_leave_out(struct golden *golden, const char *reason);

/* Zeros; the case owns them. */
int64_t *golden_values(struct golden *golden, size_t count);

#endif

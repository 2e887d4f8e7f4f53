/* SPDX-License-Identifier: Apache-2.0
 *
 * A case of the fuzzer as numbers: the operator, what is done to its program,
 * the memory around the device. All of it follows from a seed; a number that
 * is set apart makes the same case with that one thing different, which is how
 * a failure is made small and told.
 */
#ifndef TULLE_TESTS_FUZZ_RECIPE_H
#define TULLE_TESTS_FUZZ_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"
#include "gen/variant/variant.h"

enum fuzz_operator {
    FUZZ_TILE,
    FUZZ_SPMM,
    FUZZ_SPMV,
    FUZZ_CONVOLUTION,
    FUZZ_LOOPS,
    FUZZ_PAIR,
    FUZZ_SOFTMAX,
    FUZZ_BANK,
    FUZZ_OPERATORS
};

/* What is done to the job before it runs. */
enum fuzz_mutation {
    MUTATION_NONE,
    MUTATION_FLIP,     /* words of the program slot, configurations included */
    MUTATION_SEALED,   /* things within records, which are sealed again */
    MUTATION_SWAP,     /* two neighbouring operations */
    MUTATION_TRUNCATE, /* the program's slot is shorter */
    MUTATION_SIZE,     /* a slot has another size */
    MUTATION_WEIGHTS,  /* bytes of the packed weights */
    MUTATION_WORD,     /* one word of the program slot, which `change` names; never by chance */
    MUTATIONS
};

/* MUTATION_WORD: word change / WORD_FLIPS; its bit change % WORD_FLIPS, 32: all of them. */
#define WORD_FLIPS 33

/* What the memory does to the first job. */
enum fuzz_fault { FAULT_NONE, FAULT_SLVERR, FAULT_DECERR, FAULT_DEAD, FAULT_DEAF, FAULTS };

/* What the host does in the middle of the first job. */
enum fuzz_abuse {
    ABUSE_NONE,
    ABUSE_RESET, /* a soft reset */
    ABUSE_START, /* starts it again: it must run once more behind this run */
    ABUSE_SIZE,  /* takes a slot away */
    ABUSES
};

/* X(name, most, plain): most is the largest that a command line may set; plain is what makes a case simple.
 */
#define RECIPE_NUMBERS(X)                                                                                  \
    X(operator, FUZZ_OPERATORS - 1, FUZZ_TILE)                                                             \
    X(numbers, UINT64_MAX, 0) /* seed of operands and of all that is chosen for the operator */            \
    X(size, 64, 8)            /* of a tile */                                                              \
    X(rows, 4096, 1)          /* of activations (SpMM), of the matrix (SpMV) */                            \
    X(k, 4096, 8)                                                                                          \
    X(n, 4096, 1)                                                                                          \
    X(held, 8, 1)                                                                                          \
    X(packet, 65536, 0)                                                                                    \
    X(density, 100, 100)                                                                                   \
    X(acts, 100, 100)                                                                                      \
    X(mutation, MUTATIONS - 1, MUTATION_NONE)                                                              \
    X(change, UINT64_MAX, 0) /* seed of the mutation */                                                    \
    X(changes, 8, 1)                                                                                       \
    X(fault, FAULTS - 1, FAULT_NONE)                                                                       \
    X(abuse, ABUSES - 1, ABUSE_NONE)                                                                       \
    X(writes, 1, 0)        /* the fault is of writes */                                                    \
    X(where, ISA_SLOTS, 0) /* of which slot's memory, plus 1, all the time; 0: of all, from `moment` on */ \
    X(moment, 1000, 0)     /* when fault or abuse begins, in thousandths of the job */                     \
    X(span, 1000, 1000)    /* how long it lasts, likewise */                                               \
    X(latency, 2000, 64)                                                                                   \
    X(beats, 8, 1)                                                                                         \
    X(cycles, 64, 1)                                                                                       \
    X(bursts, 64, 64)                                                                                      \
    X(stalls, UINT64_MAX, 0)                                                                               \
    X(reorder, 1, 0)                                                                                       \
    X(power_on, UINT64_MAX, 1) /* seed of what registers hold at first */                                  \
    X(place, UINT64_MAX, 0)    /* seed of the places in memory */                                          \
    X(reset, 1, 1)             /* a soft reset behind a job that failed */                                 \
    X(next, UINT64_MAX, 0)     /* seed of the tile behind it; 0: the same operator, unharmed */            \
    X(queued, UINT64_MAX, 0)   /* seed of a tile that waits in the queue of jobs while it runs; 0: none */

struct recipe {
#define X(name, most, plain) uint64_t name;
    RECIPE_NUMBERS(X)
#undef X
};

struct recipe_number {
    const char *name;
    uint64_t most, plain;
    bool seed; /* nothing is gained by making it smaller */
};
extern const struct recipe_number recipe_numbers[]; /* ends with a name of NULL */

/* The number of a recipe at a place of the table. */
uint64_t *recipe_number(struct recipe *recipe, unsigned index);

/* What to leave out, for runs that want only one kind of case. */
struct recipe_taste {
    bool legal_only; /* nothing is harmed */
};

void recipe_random(struct recipe *recipe, const struct variant *variant, const struct recipe_taste *taste,
                   uint64_t seed);

/* "name=value"; false when it is not one. */
bool recipe_set(struct recipe *recipe, const char *setting);

/* " --set name=value" for what differs. */
void recipe_difference(const struct recipe *from, const struct recipe *to, struct strbuf *text);

/* One line of words. */
void recipe_describe(const struct recipe *recipe, struct strbuf *text);

#endif

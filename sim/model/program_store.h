/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that ran before, with their records as they were decoded then: a
 * job that comes again, and a loop's body in its second pass, is not checked
 * and decoded anew. A program is recognised by its bytes, all of them.
 */
#ifndef TULLE_SIM_PROGRAM_STORE_H
#define TULLE_SIM_PROGRAM_STORE_H

#include "sim/model/program.h"

#define PROGRAM_STORE_ENTRIES 32

struct stored_program {
    uint8_t *bytes;
    size_t size, count; /* bytes, records with the header */
    struct known_record *records;
};

/* Starts as all zeros. */
struct program_store {
    struct stored_program entry[PROGRAM_STORE_ENTRIES]; /* the one that was used last comes first */
    unsigned entries;
    size_t bytes; /* that the records take */
};

void program_store_free(struct program_store *store);

/* Gives the program, which is open, its records. It keeps none when it is too large or there is no memory. */
void program_store_get(struct program_store *store, struct program *program);

#endif

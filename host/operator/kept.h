/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps what searches for plans find, in a folder that the user names, so that
 * an operator that was searched for once is not searched for again. For
 * sequences it is also kept in memory as long as their device is open: steps
 * are planned again when their neighbours' values get room, and when a longer
 * sequence could not be made.
 *
 * An entry of the folder is a file. Its name is a digest of all that a search depends on:
 * the description with the places of the weights, the variant, the wish, the
 * effort, and the version of the planner. The file has the choice and its
 * price, with a checksum, and is written aside and renamed: several processes
 * may use a folder. A file that is damaged is as good as none. A folder that
 * cannot be written is no error.
 */
#ifndef TULLE_HOST_KEPT_H
#define TULLE_HOST_KEPT_H

#include <stdbool.h>

#include "host/container/sha256.h"
#include "host/plan/planner.h"

/* What was found for one device; threads may share it. */
struct kept_store;
struct kept_store *kept_store_new(void); /* NULL: out of memory */
void kept_store_free(struct kept_store *store);

struct kept {
    const char *folder;       /* NULL: nothing is kept in files */
    struct kept_store *store; /* NULL: nothing is kept in memory */
    bool damaged;             /* there was an entry that says nothing */
    uint8_t digest[SHA256_BYTES];
};

/* The entry of a search: `wish` and `effort` as plan_choose() has them. The store may be NULL. */
struct kept kept_of(const struct plan_description *description, const struct plan_wish *wish, unsigned effort,
                    struct kept_store *store);

/* The choice of an earlier search, as the only alternative. False: there is none. */
bool kept_read(struct kept *kept, struct plan_alternatives *alternatives);
/* Keeps the best one, and notes in the alternatives what came of it. */
void kept_write(const struct kept *kept, struct plan_alternatives *alternatives);

#endif

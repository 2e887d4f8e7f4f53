/* SPDX-License-Identifier: Apache-2.0
 *
 * The state that the YAML reader and the overrides share: the values that were given so far.
 */
#ifndef TULLE_GEN_VARIANT_LOAD_H
#define TULLE_GEN_VARIANT_LOAD_H

#include "gen/variant/keys.h"

struct key_state {
    bool given;
    bool overridden;
    bool good;       /* the value is allowed */
    struct place at; /* of the value that counts */
};

struct loader {
    struct variant *out;
    struct diag *diag;
    struct key_state states[VARIANT_KEYS_MAX]; /* by index in the key table */
};

/* Reads the whole text. Returns false when its structure is unclear, so that no missing keys are reported. */
bool variant_read_yaml(struct loader *loader, const char *label, const struct strbuf *text);

/* The key of that name, or NULL with an error that names the nearest one. */
const struct variant_key *loader_find(struct loader *loader, const char *name, struct place at);
struct key_state *loader_state(struct loader *loader, const struct variant_key *key);

#endif

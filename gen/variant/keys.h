/* SPDX-License-Identifier: Apache-2.0
 *
 * The key table describes each parameter of a variant once. The code that reads, checks, writes, documents
 * and randomises variants works from this table. Two more tables hold the rules between keys and the derived
 * values.
 */
#ifndef TULLE_GEN_VARIANT_KEYS_H
#define TULLE_GEN_VARIANT_KEYS_H

#include "gen/variant/variant.h"

enum key_kind {
    KEY_IDENTIFIER, /* [a-z][a-z0-9_]*; the field is char[VARIANT_NAME_MAX + 1] */
    KEY_RANGE,      /* min..max */
    KEY_POWER,      /* a power of two, min..max */
    KEY_SET,        /* one of numbers[0..count-1] */
    KEY_WORD,       /* the index of one of words[0..count-1] */
    KEY_WORD_LIST   /* a set of words: bit i stands for words[i] */
};

struct variant_key {
    const char *section; /* heading, on the first key of a group */
    const char *name;
    size_t offset; /* of the field in struct variant; all but identifiers are unsigned */
    enum key_kind kind;
    unsigned min, max;
    const unsigned *numbers;
    const char *const *words;
    size_t count; /* of numbers or words */
    const char *unit;
    const char *text; /* one sentence */
    bool optional;    /* added later: a missing key means 0, and a value of 0 is not written */
    bool undrawn;     /* 0 in random variants, so that a seed keeps the variant that it gave before */
    unsigned most;    /* the largest number that random variants have, whose jobs should be short; 0: any */
};

/* An upper bound for arrays. The actual number is variant_key_count. */
#define VARIANT_KEYS_MAX 64
extern const struct variant_key variant_keys[];
extern const size_t variant_key_count;

const struct variant_key *variant_key_find(const char *name);
/* Whether the value is a number: neither a name nor a choice of words. */
bool variant_key_is_number(const struct variant_key *key);
/* Whether the key is optional and 0, so that it is not written. */
bool variant_key_left_out(const struct variant *variant, const struct variant_key *key);
/* The value of any key but an identifier. */
unsigned variant_get(const struct variant *variant, const struct variant_key *key);
void variant_set(struct variant *variant, const struct variant_key *key, unsigned value);

/* Appends the allowed values as text: "1..16", "one of 1, 2, 4". */
void variant_key_allowed(const struct variant_key *key, struct strbuf *to);
/* The value as text; `separator` stands between the words of a list. */
void variant_key_value(const struct variant *variant, const struct variant_key *key, const char *separator,
                       struct strbuf *to);
/* Sets the field from text. For a list it adds one word to the set, which the caller clears first. Reports a
 * value that is not allowed. */
bool variant_key_parse(const struct variant_key *key, const char *text, struct place at, struct variant *out,
                       struct diag *diag);

/* A rule between keys: left >= right. No sum or product of allowed values comes near the largest unsigned. */
struct rule_sides {
    unsigned left, right;
};

#define RULE_KEYS_MAX 6
struct variant_rule {
    const char *text;                    /* the rule in terms of keys */
    const char *keys[RULE_KEYS_MAX + 1]; /* NULL-terminated */
    struct rule_sides (*sides)(
        const struct variant *variant); /* must read no other keys: they may be unset */
    const char *why;
    const char *fix;
};

extern const struct variant_rule variant_rules[];
extern const size_t variant_rule_count;

bool variant_rule_holds(const struct variant_rule *rule, const struct variant *variant);
void variant_rule_report(const struct variant_rule *rule, const struct variant *variant, struct place at,
                         struct diag *diag);

struct variant_derived_field {
    const char *name;
    size_t offset; /* of an unsigned in struct variant_derived */
    const char *text;
};

extern const struct variant_derived_field variant_derived_fields[];
extern const size_t variant_derived_count;

unsigned variant_derived_get(const struct variant_derived *derived,
                             const struct variant_derived_field *field);

/* ceil(log2(values)), but at least 1: the width of a register that holds `values` different values. */
unsigned variant_bits_for(unsigned values);

#endif

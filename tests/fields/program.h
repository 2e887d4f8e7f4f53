/* SPDX-License-Identifier: Apache-2.0
 *
 * The programs of tests/fields/programs: NAME.tasm is the program slot, NAME.weights.tasm the weights slot
 * if it is there, and the other slots hold a pattern. A change of a field is written as in evidence.tsv,
 * "load.length#2=8": the field `length` of the second load.
 */
#ifndef TULLE_TESTS_FIELDS_PROGRAM_H
#define TULLE_TESTS_FIELDS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/base/strbuf.h"
#include "gen/isa/table.h"
#include "gen/variant/variant.h"

#define FIELDS_FOLDER "tests/fields/"
#define RECORDS_MAX 256
#define OVERRIDES_MAX 8

/* Where a record is in a slot, and the checked record that it is part of. */
struct record_place {
    const struct isa_family *family;
    const struct isa_format *format;
    unsigned slot;
    size_t bit;         /* of its first bit */
    size_t from, bytes; /* of the checked record; 0 bytes: nothing is sealed */
    uint32_t index;     /* of the check word */
};

/* A register that has another value than the job gives it. */
struct override {
    uint32_t offset, value;
};

struct program_text {
    struct strbuf slot[ISA_SLOTS];
    struct record_place place[RECORDS_MAX];
    unsigned places;
    struct override override[OVERRIDES_MAX];
    unsigned overrides;
};

/* The variant of all of them: tiny with the keys of tests/fields/variant, one a line. Aborts with a message
 * when it is not legal. */
struct variant fields_variant(void);

/* False with the reason when it cannot be read or assembled, or is none for the variant. */
bool program_read(struct program_text *p, const char *name, const struct variant *variant,
                  struct strbuf *why);
void program_copy(struct program_text *to, const struct program_text *from);
void program_forget(struct program_text *p);

/* Makes changes, separated by commas; what they change is sealed again. False with the reason. */
bool program_change(struct program_text *p, const char *changes, size_t len, struct strbuf *why);

/* Record number `number`, from 1, of a format; NULL when there are fewer. */
const struct record_place *program_record(const struct program_text *p, const char *format, unsigned number);

uint64_t program_get(const struct program_text *p, const struct record_place *place, unsigned lsb,
                     unsigned bits);
void program_put(struct program_text *p, const struct record_place *place, unsigned lsb, unsigned bits,
                 uint64_t value);

#endif

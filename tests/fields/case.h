/* SPDX-License-Identifier: Apache-2.0
 *
 * A row of evidence.tsv as a case: a program, the same with one field changed, and what must differ between
 * the two. The column `change` may have two parts with a semicolon between them: the first part is then
 * changed in both programs.
 *
 * Outcomes:
 *   a status code           only the changed job ends with it
 *   output, scratch         both jobs end well, and the bytes of the slot differ
 *   a field of the status   it differs; cycles, stalls and moved work are the cycle model's and the device's
 *   record
 *   no_record               only the changed job leaves no status record at its place
 *   nothing                 nothing differs: the field has no effect
 *   device:...              the same of a device alone: the models have no such time
 */
#ifndef TULLE_TESTS_FIELDS_CASE_H
#define TULLE_TESTS_FIELDS_CASE_H

#include "gen/isa/evidence.h"
#include "tests/fields/play.h"

/* Whether the row is a case; else it names a test. */
bool is_case(const struct evidence *row);

struct field_case {
    const struct evidence *row;
    struct program_text before, after;
};

/* False with the reason, when the row cannot be read. */
bool case_make(struct field_case *c, const struct evidence *row, const struct variant *variant,
               struct strbuf *why);
void case_free(struct field_case *c);

/* The models: false with the reason when the change does not do what the row says. */
bool case_models(const struct field_case *c, const struct variant *variant, struct board *model,
                 struct strbuf *why);

/* A device, which must also give what the functional model gives. */
bool case_device(const struct field_case *c, const struct board_api *api, struct board *device,
                 struct board *model, struct strbuf *why);

/* Whether a device's run is the functional model's. */
bool same_run(const struct program_text *p, const struct played *device, const struct played *model,
              bool same_place, struct strbuf *why);

/* The code of a name; -1 when there is none. */
int code_named(const char *name);

#endif

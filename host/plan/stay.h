/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights that stay in the storage units from one job to the next, in variants with kept_weights
 * (docs/isa.md, "Kept weights"): the program of a job that comes directly behind a job of the same plan,
 * without the loads of what is there already.
 */
#ifndef TULLE_HOST_STAY_H
#define TULLE_HOST_STAY_H

#include "gen/base/strbuf.h"
#include "gen/variant/variant.h"

/* Appends the program that may run behind `program`, or behind itself, on storage units that nothing else has
 * changed. It reads less, and does the same. False: nothing stays that is worth it, or there is no memory. */
bool stay_program(const struct variant *variant, const struct strbuf *program, struct strbuf *to);

/* Writes into a program's header what it expects and what it leaves. */
void stay_number(struct strbuf *program, uint32_t expects, uint32_t leaves);

#endif

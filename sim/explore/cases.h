/* SPDX-License-Identifier: Apache-2.0
 *
 * The frozen cases (tests/bench/cases.tsv): each an operator on a variant,
 * with the least efficiency it must have.
 */
#ifndef TULLE_SIM_EXPLORE_CASES_H
#define TULLE_SIM_EXPLORE_CASES_H

/* Runs every case of a file, or the one called `only`, and prints a table. With `operands` (a folder that
 * exists), writes each case's operands there as NAME.weights.mtx and NAME.activations.mtx, which is what
 * scripts/limits reads. Cases that need TULLE_DATA are left out, by name, when it is not set. Returns the
 * exit status: 1 when a case is below its bar or refused, 2 when the file is not understood. */
int cases_run(const char *path, const char *only, const char *operands);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a case that differs small: every number as plain as it can be while
 * something still differs.
 */
#ifndef TULLE_TESTS_FUZZ_SHRINK_H
#define TULLE_TESTS_FUZZ_SHRINK_H

#include "tests/fuzz/tool/trial.h"

/* Returns the number of tries. */
unsigned fuzz_shrink(const struct fuzz_board *board, struct recipe *recipe);

/* Runs it once more: the events and, when the folder has board-trace.so, the waveform around the first wrong
 * cycle go to files whose names begin with `dump`; what is wrong, and the files, to `text`. */
void fuzz_look(const struct fuzz_board *board, const struct recipe *recipe, const char *dump,
               struct strbuf *text);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the word for a "did you mean" message: the word of a list that is nearest to a mistyped word.
 */
#ifndef TULLE_GEN_NEAR_H
#define TULLE_GEN_NEAR_H

#include <stddef.h>

/* The first nearest of words[0..count-1], or NULL: at most 2 insertions, deletions or replacements away, and
 * fewer than the word has letters. A word that begins with the text, of 4 letters or more, counts as 1 away.
 * Words over 63 bytes are near to no other. */
const char *near_word(const char *text, const char *const *words, size_t count);

/* The same for words that come one by one: `best` is the nearest so far. Begins with the text alone. */
struct near {
    const char *text, *best;
    size_t distance; /* of the best */
};
void near_try(struct near *near, const char *word);

#endif

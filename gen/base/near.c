/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/near.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LENGTH_MAX = 63, NEAR = 2, BEGINNING = 4 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein's table, one row at a time: row[j] is the distance of a's first i bytes to b's first j. */
static size_t distance_of(const char *a, const char *b)
{
    size_t row[LENGTH_MAX + 1];
    size_t a_len = strlen(a), b_len = strlen(b);
    if (a_len > LENGTH_MAX || b_len > LENGTH_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_len];
}

/* An abbreviation is as near as a mistyped letter. */
static bool is_beginning(const char *text, const char *word)
{
    const size_t length = strlen(text);
    return length >= BEGINNING && !strncmp(text, word, length);
}

void near_try(struct near *near, const char *word)
{
    const size_t distance = is_beginning(near->text, word) ? 1 : distance_of(near->text, word);
    if (distance <= NEAR && distance < strlen(word) && (!near->best || distance < near->distance)) {
        near->best = word;
        near->distance = distance;
    }
}

const char *near_word(const char *text, const char *const *words, size_t count)
{
    struct near near = {.text = text};
    for (size_t i = 0; i < count; i++)
        near_try(&near, words[i]);
    return near.best;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/tool/misses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDED 0.00005 /* figures are listed with four places */

/* bench, case, of, reached; between tabs. */
static bool read_line(struct misses *misses, char *line, const char *bench)
{
    struct known_miss *to = &misses->known[misses->count];
    char word[32], number[32], rest[2], *end;
    if (sscanf(line, "%31[^\t]\t%127[^\t]\t%15[^\t]\t%31[^\t\n]%1[^\n]", word, to->name, to->of, number,
               rest) != 4)
        return false;
    to->reached = strtod(number, &end);
    if (*end || (strcmp(to->of, "efficiency") && strcmp(to->of, "bytes") && strcmp(to->of, "model")))
        return false;
    misses->count += !strcmp(word, bench);
    return misses->count < MISSES_MAX;
}

bool misses_read(struct misses *misses, const char *path, const char *bench)
{
    char line[256];
    bool ok = true;
    *misses = (struct misses){0};
    if (!path)
        return true;
    FILE *file = fopen(path, "r");
    if (!file)
        fprintf(stderr, "%s: error: cannot be read\n", path);
    for (unsigned number = 1; ok && file && fgets(line, sizeof line, file); number++) {
        ok = line[0] == '#' || read_line(misses, line, bench);
        if (!ok)
            fprintf(
                stderr,
                "%s:%u: error: not a miss: bench, case, efficiency, bytes or model, and the figure reached\n",
                path, number);
    }
    if (file)
        fclose(file);
    return file && ok;
}

enum miss misses_judge(struct misses *misses, const char *name, const char *of, bool missed, double figure)
{
    for (unsigned i = 0; i < misses->count; i++) {
        struct known_miss *known = &misses->known[i];
        if (strcmp(known->name, name) || strcmp(known->of, of))
            continue;
        const double worse = strcmp(of, "bytes") ? known->reached - figure : figure - known->reached;
        known->seen = true;
        return !missed ? MISS_MET : worse > ROUNDED ? MISS_WORSE : MISS_KNOWN;
    }
    return missed ? MISS_NEW : MISS_NONE;
}

void misses_left_out(struct misses *misses, const char *name)
{
    for (unsigned i = 0; i < misses->count; i++)
        misses->known[i].seen = misses->known[i].seen || !strcmp(misses->known[i].name, name);
}

unsigned misses_unseen(const struct misses *misses, const char *bench)
{
    unsigned unseen = 0;
    for (unsigned i = 0; i < misses->count; i++) {
        if (misses->known[i].seen)
            continue;
        unseen++;
        fprintf(stderr, "%s: error: %s is listed as a known miss, and is no case\n", bench,
                misses->known[i].name);
    }
    return unseen;
}

bool miss_fails(enum miss miss)
{
    return miss == MISS_NEW || miss == MISS_WORSE || miss == MISS_MET;
}

const char *miss_words(enum miss miss)
{
    static const char *const words[] = {[MISS_NONE] = "",
                                        [MISS_KNOWN] = "known miss",
                                        [MISS_NEW] = "missed",
                                        [MISS_WORSE] = "missed, worse than listed",
                                        [MISS_MET] = "met, but listed as a miss"};
    return words[miss];
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/tool/shrink.h"

#include <stdio.h>
#include <unistd.h>

#define TRIES_MAX 400
/* Cycles of the waveform before and behind the one that is wrong first. */
#define WINDOW_BEFORE 2000
#define WINDOW_BEHIND 200

static bool differs(const struct fuzz_board *board, const struct recipe *recipe)
{
    struct fuzz_report report;
    fuzz_run(board, recipe, NULL, &report);
    bool yes = report.verdict == FUZZ_DIFFERS;
    fuzz_report_free(&report);
    return yes;
}

/* Whether it still differs with another number there, which then stays. */
static bool try_number(const struct fuzz_board *board, struct recipe *recipe, unsigned index, uint64_t value)
{
    struct recipe other = *recipe;
    *recipe_number(&other, index) = value;
    if (!differs(board, &other))
        return false;
    *recipe = other;
    return true;
}

/* The plain value, else halfway there, else one step. */
static bool simplify(const struct fuzz_board *board, struct recipe *recipe, unsigned index, unsigned *tries)
{
    const struct recipe_number *number = &recipe_numbers[index];
    uint64_t now = *recipe_number(recipe, index), plain = number->plain;
    if (now == plain)
        return false;
    uint64_t half = plain < now ? plain + (now - plain) / 2 : plain - (plain - now) / 2;
    uint64_t step = plain < now ? now - 1 : now + 1;
    ++*tries;
    if (try_number(board, recipe, index, plain))
        return true;
    if (number->seed)
        return false;
    *tries += 2;
    return (half != now && half != plain && try_number(board, recipe, index, half)) ||
           (step != half && step != plain && try_number(board, recipe, index, step));
}

unsigned fuzz_shrink(const struct fuzz_board *board, struct recipe *recipe)
{
    unsigned tries = 0;
    bool smaller = true;
    while (smaller && tries < TRIES_MAX) {
        smaller = false;
        for (unsigned i = 0; recipe_numbers[i].name && tries < TRIES_MAX; i++)
            smaller = simplify(board, recipe, i, &tries) || smaller;
    }
    return tries;
}

/* ---- looking at it ---------------------------------------------------------------------------- */

static void write_events(const char *dump, const struct fuzz_report *report, struct strbuf *text)
{
    struct strbuf path = {0};
    sb_addf(&path, "%s.events", dump);
    FILE *file = fopen(sb_text(&path), "w");
    if (file) {
        fputs(sb_text(&report->events), file);
        fclose(file);
        sb_addf(text, "  events: %s\n", sb_text(&path));
    }
    sb_free(&path);
}

static bool has_waveforms(const struct fuzz_board *board)
{
    struct strbuf path = {0};
    sb_addf(&path, "%s/board-trace.so", board->folder);
    bool yes = !access(sb_text(&path), R_OK);
    sb_free(&path);
    return yes;
}

void fuzz_look(const struct fuzz_board *board, const struct recipe *recipe, const char *dump,
               struct strbuf *text)
{
    struct fuzz_report report;
    struct strbuf waves = {0};
    fuzz_run(board, recipe, NULL, &report);
    uint64_t cycle = report.wrong;
    struct fuzz_window window = {.until = cycle + 1,
                                 .from = cycle > WINDOW_BEFORE ? cycle - WINDOW_BEFORE : 0,
                                 .to = cycle + WINDOW_BEHIND};
    sb_add(text, sb_text(&report.why));
    fuzz_report_free(&report);
    sb_addf(&waves, "%s.fst", dump);
    if (has_waveforms(board)) {
        window.trace = sb_text(&waves);
        sb_addf(text, "  waveform: %s, around cycle %llu\n", window.trace, (unsigned long long)cycle);
    }
    fuzz_run(board, recipe, &window, &report);
    write_events(dump, &report, text);
    fuzz_report_free(&report);
    sb_free(&waves);
}

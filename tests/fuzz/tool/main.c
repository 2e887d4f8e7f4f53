/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-fuzz: random cases on a Verilated device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/options.h"
#include "sim/board/settings.h"
#include "sim/model/model.h"
#include "tests/fuzz/tool/shrink.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };
#define SETS_MAX 64

static const char help[] =
    "Usage: tulle-fuzz FOLDER [OPTION]...\n"
    "\n"
    "Runs random operators, harmed and unharmed, on the device that sim/board/build made in FOLDER, and\n"
    "compares with the functional model and plain computations; docs/fuzz.md has the rules. A case that\n"
    "differs is made small and told with the command that shows it again.\n"
    "\n"
    "  --seed S           the first case (default 1)\n"
    "  --skip N           so many seeds before the first (default 0)\n"
    "  --count N          operators that run (default 100)\n"
    "  --set NAME=VALUE   a number of every case; may be given again\n"
    "  --legal            nothing harmed\n"
    "  --failures N       stop behind so many that differ (default 1)\n"
    "  --dump PREFIX      where events and waveform of one that differs go (default tulle-fuzz)\n"
    "  --words N          one case: every word of its program flipped, N times (33: each bit, and all)\n"
    "  --no-shrink        tell it as it is\n"
    "  --verbose          a line for every case\n"
    "  --list N           no FOLDER: the seeds of N random variants that are quick to build, and exit\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0 everything agrees, 1 it does not, 2 wrong usage.\n";

struct fuzz_options {
    const char *folder, *dump;
    const char *sets[SETS_MAX];
    unsigned set_count;
    int64_t seed, count, failures, list, words, skip;
    bool whole, verbose; /* whole: a case that differs is not made small */
    struct recipe_taste taste;
};

/* ---- the command line ------------------------------------------------------------------------ */

/* False: something is wrong, and it is printed. */
static bool parse(int count, char **words, struct fuzz_options *o)
{
    bool help_wanted = false;
    const char *number[6] = {0};
    struct diag diag = {0};
    struct recipe any = {0};
    const struct option_entry options[] = {
        {"--help", "-h", .flag = &help_wanted},
        {"--legal", .flag = &o->taste.legal_only},
        {"--verbose", .flag = &o->verbose},
        {"--no-shrink", .flag = &o->whole},
        {"--dump", .value = &o->dump},
        {"--set", .list = o->sets, .count = &o->set_count, .room = SETS_MAX},
        {"--seed", .value = &number[0], .number = &o->seed, .max = INT64_MAX},
        {"--count", .value = &number[1], .number = &o->count, .max = INT64_MAX},
        {"--failures", .value = &number[2], .number = &o->failures, .max = INT64_MAX},
        {"--list", .value = &number[3], .number = &o->list, .max = INT64_MAX},
        {"--words", .value = &number[4], .number = &o->words, .max = INT64_MAX},
        {"--skip", .value = &number[5], .number = &o->skip, .max = INT64_MAX / 2},
        {0}};
    options_read(count, words, options, &(struct option_rest){&o->folder, 1, "folder "}, &diag);
    for (unsigned i = 0; i < o->set_count; i++)
        if (!recipe_set(&any, o->sets[i]))
            diag_error(&diag, (struct place){0}, "--set %s: not understood", o->sets[i]);
    if (!o->folder && !o->list && !help_wanted)
        diag_error(&diag, (struct place){0}, "FOLDER is missing; --help lists the options");
    if (help_wanted)
        fputs(help, stdout);
    return !diag_report(&diag, stderr);
}

/* ---- running --------------------------------------------------------------------------------- */

struct tally {
    int64_t ran, differ;
    uint64_t jobs, cycles, impossible, too_long, open, failed[256];
};

static void make_recipe(const struct fuzz_options *o, const struct variant *v, uint64_t seed,
                        struct recipe *r)
{
    recipe_random(r, v, &o->taste, seed);
    for (unsigned i = 0; i < o->set_count; i++)
        recipe_set(r, o->sets[i]);
}

/* The command that shows a case. */
static void tell_command(const struct fuzz_options *o, uint64_t seed, const struct recipe *before,
                         const struct recipe *recipe, struct strbuf *text)
{
    const char *command = getenv("TULLE_FUZZ_COMMAND");
    sb_addf(text, "  reproduce: %s%s --seed %llu --count 1%s", command ? command : "tulle-fuzz ",
            command ? "" : o->folder, (unsigned long long)seed, o->taste.legal_only ? " --legal" : "");
    recipe_difference(before, recipe, text);
    sb_add(text, "\n");
}

static void tell(const struct fuzz_options *o, const struct fuzz_board *board, uint64_t seed,
                 const struct recipe *recipe, const struct fuzz_report *report)
{
    struct recipe small = *recipe, before;
    struct strbuf text = {0};
    recipe_random(&before, &board->variant, &o->taste, seed);
    sb_addf(&text, "FAIL: %s, seed %llu: ", board->variant.name, (unsigned long long)seed);
    recipe_describe(recipe, &text);
    sb_addf(&text, "\n%s", sb_text(&report->why));
    tell_command(o, seed, &before, recipe, &text);
    if (!o->whole) {
        unsigned tries = fuzz_shrink(board, &small);
        sb_addf(&text, "made small in %u tries: ", tries);
        recipe_describe(&small, &text);
        sb_add(&text, "\n");
        fuzz_look(board, &small, o->dump, &text);
        tell_command(o, seed, &before, &small, &text);
    }
    fprintf(stderr, "%s", sb_text(&text));
    sb_free(&text);
}

static void count(struct tally *t, const struct fuzz_report *report)
{
    bool ran = report->verdict == FUZZ_AGREES || report->verdict == FUZZ_DIFFERS;
    t->ran += ran;
    t->jobs += report->jobs;
    t->cycles += report->cycles;
    t->impossible += report->verdict == FUZZ_IMPOSSIBLE;
    t->too_long += report->verdict == FUZZ_LONG;
    t->differ += report->verdict == FUZZ_DIFFERS;
    t->open += report->open;
    t->failed[report->code & 255] += ran;
}

static enum fuzz_verdict run_recipe(const struct fuzz_options *o, const struct fuzz_board *board,
                                    uint64_t seed, const struct recipe *recipe, struct tally *tally)
{
    struct fuzz_report report;
    fuzz_run(board, recipe, NULL, &report);
    count(tally, &report);
    if (o->verbose) {
        struct strbuf text = {0};
        recipe_describe(recipe, &text);
        printf("%llu: %s: %s, queue %d%s; %s\n", (unsigned long long)seed, sb_text(&text),
               job_code_name(report.code), report.queue,
               report.verdict == FUZZ_IMPOSSIBLE ? ", impossible" : "", sb_text(&report.why));
        sb_free(&text);
    }
    if (report.verdict == FUZZ_DIFFERS)
        tell(o, board, seed, recipe, &report);
    enum fuzz_verdict verdict = report.verdict;
    fuzz_report_free(&report);
    return verdict;
}

/* Flips of a word: all bits first, then one bit, another for each word. */
static uint64_t flip_of(uint64_t word, uint64_t number)
{
    return number ? (word * 7 + number - 1) % 32 : 32;
}

/* Every word of the program of one case. */
static void run_words(const struct fuzz_options *o, const struct fuzz_board *board, struct tally *tally)
{
    struct recipe recipe;
    make_recipe(o, &board->variant, (uint64_t)o->seed, &recipe);
    recipe.mutation = MUTATION_WORD;
    recipe.fault = recipe.abuse = 0;
    for (uint64_t word = 0;; word++)
        for (uint64_t i = 0; i < (uint64_t)o->words; i++) {
            recipe.change = word * WORD_FLIPS + flip_of(word, i);
            if (run_recipe(o, board, (uint64_t)o->seed, &recipe, tally) == FUZZ_IMPOSSIBLE ||
                tally->differ >= o->failures)
                return;
        }
}

static void run_seeds(const struct fuzz_options *o, const struct fuzz_board *board, struct tally *tally)
{
    struct recipe recipe;
    for (uint64_t seed = (uint64_t)o->seed; tally->ran < o->count && tally->differ < o->failures; seed++) {
        make_recipe(o, &board->variant, seed, &recipe);
        if (run_recipe(o, board, seed, &recipe, tally) == FUZZ_IMPOSSIBLE && o->count == 1)
            return;
    }
}

static void summarise(const struct fuzz_board *board, const struct tally *t)
{
    printf(
        "%s: %llu operators, %llu jobs, %llu cycles; %llu differ; %llu with more than one outcome, %llu too "
        "long, %llu impossible;",
        board->variant.name, (unsigned long long)t->ran, (unsigned long long)t->jobs,
        (unsigned long long)t->cycles, (unsigned long long)t->differ, (unsigned long long)t->open,
        (unsigned long long)t->too_long, (unsigned long long)t->impossible);
    for (unsigned c = 0; c < 256; c++)
        if (t->failed[c])
            printf(" %s %llu", job_code_name((enum job_code)c), (unsigned long long)t->failed[c]);
    printf("\n");
}

/* Small devices compile in less than a minute. */
static bool is_small(const struct variant *v)
{
    return v->n * v->m * v->k <= 12 && v->n * v->m <= 6 && v->k * v->scan <= 16 && v->row_bus_width <= 256 &&
           v->memory_width <= 256;
}

static int list(const struct fuzz_options *o)
{
    struct variant v;
    int64_t left = o->list;
    for (uint64_t seed = (uint64_t)o->seed; left; seed++) {
        variant_random(seed, &v);
        if (!is_small(&v))
            continue;
        printf("%llu\n", (unsigned long long)seed);
        left--;
    }
    return 0;
}

static int run(const struct fuzz_options *o)
{
    struct fuzz_board board = {.folder = o->folder};
    struct strbuf path = {0};
    struct diag diag = {0};
    struct tally tally = {0};
    sb_addf(&path, "%s/variant.yaml", o->folder);
    bool ok = variant_load_file(sb_text(&path), NULL, 0, &board.variant, &diag);
    if (!ok)
        diag_report(&diag, stderr);
    if (ok && o->words)
        run_words(o, &board, &tally);
    else if (ok)
        run_seeds(o, &board, &tally);
    if (ok)
        summarise(&board, &tally);
    if (ok && !tally.ran)
        fprintf(stderr, "tulle-fuzz: nothing ran\n");
    sb_free(&path);
    diag_free(&diag);
    return ok && tally.ran && !tally.differ ? 0 : EXIT_FAILED;
}

int main(int words, char **word)
{
    struct fuzz_options o = {.seed = 1, .count = 100, .failures = 1};
    if (!parse(words, word, &o))
        return EXIT_USAGE;
    o.seed += o.skip;
    o.dump = o.dump ? o.dump : "tulle-fuzz";
    return o.list ? list(&o) : o.folder ? run(&o) : 0;
}

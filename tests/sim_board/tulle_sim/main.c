/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-sim: an operator on a board, checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/output.h"
#include "gen/version.h"
#include "host/devices/kinds.h"
#include "sim/model/model.h"
#include "tests/sim_board/tulle_sim/attempt.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Cycles of the waveform before and behind the one that is wrong first. */
#define WINDOW_BEFORE 2000
#define WINDOW_BEHIND 200

/* ---- the variant ----------------------------------------------------------------------------- */

/* That of the folder, or the one that is named; both, when both are, must be the same. Messages keep `path`.
 */
static bool find_variant(const struct sim_options *o, struct strbuf *path, struct variant *variant,
                         struct diag *diag)
{
    const struct place nowhere = {0};
    struct variant named;
    const char *place;
    if (board_find(board_kinds, o->board, &place) != &board_sim)
        return variant_load(o->variant ? o->variant : "base", NULL, 0, variant, diag);
    sb_addf(path, "%s/variant.yaml", place);
    if (!variant_load_file(sb_text(path), NULL, 0, variant, diag))
        return false;
    if (!o->variant)
        return true;
    if (!variant_load(o->variant, NULL, 0, &named, diag))
        return false;
    if (model_variant_hash(&named) == model_variant_hash(variant))
        return true;
    diag_error(diag, nowhere, "%s is not of the variant %s", o->board, o->variant);
    return false;
}

/* ---- reports --------------------------------------------------------------------------------- */

static double efficiency(const struct problem *p, uint64_t cycles)
{
    return cycles ? p->roofline / (double)cycles : 0;
}

static void report(const struct sim_options *o, const struct problem *p, const struct attempt *a)
{
    const uint64_t cycles = a->result.cycles;
    printf("%s of %u x %u x %u, %llu of %llu non-zeros, on %s (%s): %s\n", operator_name(o->operator),
           p->rows, p->matrix.columns, p->columns, (unsigned long long)problem_nonzeros(p),
           (unsigned long long)p->matrix.rows * p->matrix.columns, o->board, p->variant.name,
           a->agrees ? "everything agrees" : "WRONG");
    if (cycles)
        printf("cycles          %llu, efficiency %.3f\n", (unsigned long long)cycles, efficiency(p, cycles));
    else
        printf("cycles          none: %s\n",
               a->ended ? "this board has no clock, or no counters" : "the job did not end");
    printf("cycle model     %llu, efficiency %.3f", (unsigned long long)p->cycles, efficiency(p, p->cycles));
    if (cycles)
        printf("; the device takes %+.1f %%", 100.0 * ((double)cycles / (double)p->cycles - 1));
    if (o->jobs > 1)
        printf("\njobs            %lld, %llu cycles in all, %llu by themselves", (long long)o->jobs,
               (unsigned long long)a->all_cycles, (unsigned long long)a->sum_cycles);
    if (p->behind)
        printf("\nthe last        %llu, cycle model %llu", (unsigned long long)a->last.cycles,
               (unsigned long long)p->behind);
    if (a->gap)
        printf("\nbetween         %llu from the last result of one to the first packet of the next",
               (unsigned long long)a->gap);
    printf("\nroofline        %.0f\neffective MACs  %llu\nbytes           %llu read, %llu written\n",
           p->roofline, (unsigned long long)p->model.effective_macs, (unsigned long long)p->model.bytes_read,
           (unsigned long long)p->model.bytes_written);
    const struct board_traffic *w = &a->written;
    if (w->bytes)
        printf("writes          %llu beats; %.1f %% of the bytes in whole beats, %.1f %% in bursts of at "
               "least %u beats\n",
               (unsigned long long)w->beats, 100.0 * (double)w->bytes_whole / (double)w->bytes,
               100.0 * (double)w->bytes_long / (double)w->bytes, BOARD_BURST_LONG);
}

static void report_json(const struct sim_options *o, const struct problem *p, const struct attempt *a)
{
    struct strbuf text = {0};
    sb_addf(&text, "{\"operator\": \"%s\", \"board\": ", operator_name(o->operator));
    sb_add_json(&text, o->board);
    sb_addf(&text, ", \"variant\": \"%s\", \"rows\": %u, \"k\": %u, \"n\": %u, \"seed\": %llu, ",
            p->variant.name, o->operator== OPERATOR_SPMM ? p->rows : p->columns, p->matrix.columns,
            o->operator== OPERATOR_SPMM ? p->columns : 1, (unsigned long long)o->seed);
    sb_addf(&text, "\"agrees\": %s, \"code\": ", a->agrees ? "true" : "false");
    if (a->ended)
        sb_add_json(&text, job_code_name(a->result.code));
    else
        sb_add(&text, "null");
    sb_addf(&text, ", \"nonzeros\": %u, ", (unsigned)problem_nonzeros(p));
    if (a->result.cycles)
        sb_addf(&text, "\"cycles\": %llu, \"efficiency\": %.4f, ", (unsigned long long)a->result.cycles,
                efficiency(p, a->result.cycles));
    else
        sb_add(&text, "\"cycles\": null, \"efficiency\": null, ");
    sb_addf(&text, "\"model_cycles\": %llu, \"model_efficiency\": %.4f, \"roofline\": %.2f, ",
            (unsigned long long)p->cycles, efficiency(p, p->cycles), p->roofline);
    sb_addf(&text, "\"effective_macs\": %llu, \"bytes_read\": %llu, \"bytes_written\": %llu",
            (unsigned long long)p->model.effective_macs, (unsigned long long)p->model.bytes_read,
            (unsigned long long)p->model.bytes_written);
    if (a->written.bytes)
        sb_addf(&text, ", \"port_bytes\": %llu, \"port_bytes_whole\": %llu, \"port_bytes_long\": %llu",
                (unsigned long long)a->written.bytes, (unsigned long long)a->written.bytes_whole,
                (unsigned long long)a->written.bytes_long);
    sb_add(&text, "}\n");
    fputs(sb_text(&text), stdout);
    sb_free(&text);
}

/* ---- the second look ------------------------------------------------------------------------- */

static void write_events(const struct sim_options *o, const struct attempt *a)
{
    struct strbuf path = {0}, text = {0};
    struct diag diag = {0};
    sb_addf(&path, "%s.events", o->dump);
    sb_addf(&text, "%s", sb_text(&a->why));
    sb_addf(&text, "\ncycle       what the board saw\n%s", sb_text(&a->events));
    if (output_file(sb_text(&path), &text, &diag))
        fprintf(stderr, "the last events before that are in %s\n", sb_text(&path));
    diag_report(&diag, stderr);
    sb_free(&path);
    sb_free(&text);
}

/* Runs once more and keeps what led to the first wrong cycle. */
static void look_again(const struct sim_options *o, const struct problem *p, const struct attempt *first)
{
    struct strbuf path = {0};
    struct attempt again;
    sb_addf(&path, "%s.fst", o->dump);
    struct window window = {.trace = sb_text(&path),
                            .from = first->wrong > WINDOW_BEFORE ? first->wrong - WINDOW_BEFORE : 0,
                            .to = first->wrong + WINDOW_BEHIND,
                            .until = first->wrong + 1};
    attempt_run(o, p, &window, &again);
    if (again.opened)
        fprintf(stderr, "the waveform of cycles %llu to %llu is %s\n", (unsigned long long)window.from,
                (unsigned long long)window.to, window.trace);
    else {
        fprintf(stderr, "no waveform: %s", sb_text(&again.why));
        attempt_free(&again);
        window.trace = NULL;
        attempt_run(o, p, &window, &again);
    }
    fprintf(stderr, "first wrong cycle: %llu\n", (unsigned long long)first->wrong);
    if (again.opened && strcmp(sb_text(&again.why), sb_text(&first->why)) != 0)
        fprintf(stderr, "the second run goes another way:\n%s", sb_text(&again.why));
    write_events(o, &again);
    attempt_free(&again);
    sb_free(&path);
}

/* ---- main ------------------------------------------------------------------------------------ */

static int run(const struct sim_options *o)
{
    struct variant variant;
    struct problem p = {0};
    struct attempt a = {0};
    struct diag diag = {0};
    struct strbuf path = {0};
    bool found = find_variant(o, &path, &variant, &diag);
    const char *why = found ? problem_make(o, &variant, NULL, &p) : NULL;
    diag_report(&diag, stderr);
    sb_free(&path);
    if (why)
        fprintf(stderr, "tulle-sim: %s\n", why);
    if (found && !why) {
        attempt_run(o, &p, NULL, &a);
        fputs(sb_text(&a.why), stderr);
        if (a.opened)
            (o->json ? report_json : report)(o, &p, &a);
        if (a.opened && !a.agrees && !strncmp(o->board, "sim:", 4))
            look_again(o, &p, &a);
    }
    bool agrees = a.agrees;
    attempt_free(&a);
    problem_free(&p);
    return agrees ? EXIT_SUCCESS : EXIT_FAILED;
}

int main(int argc, char **argv)
{
    struct sim_options options;
    struct diag diag = {0};
    options_parse(argc, argv, &options, &diag);
    bool wrong = diag_report(&diag, stderr);
    if (wrong) {
        fputs("Try tulle-sim --help.\n", stderr);
        return EXIT_USAGE;
    }
    if (options.help)
        fputs(options_help, stdout);
    else if (options.version)
        puts("tulle-sim " TULLE_VERSION ", instruction set " TULLE_ISA_VERSION);
    else
        return run(&options);
    return EXIT_SUCCESS;
}

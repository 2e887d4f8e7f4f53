/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/page.h"

#include <stdio.h>

#include "gen/base/input.h"
#include "gen/base/output.h"
#include "host/cli/cli.h"

#define RUN_MAX (64u << 20)

static const char help[] =
    "Usage: tulle report RUN.json|NETWORK.json [OPTION]...\n"
    "\n"
    "Makes an HTML page from the JSON object of tulle bench --json: rooflines, efficiency and stalls, and\n"
    "for each case a timeline, the load of each PE and the alternatives of the planner, and the areas of\n"
    "the variants. Of the JSON object of tulle net explain --json it makes a page with a bar for each layer\n"
    "of the network and the roofline of all layers, and of that of tulle net explain --groups --json one "
    "with\n"
    "the bank and the bytes of each group. The page needs only a browser: no network and no other\n"
    "file.\n"
    "\n"
    "  -o, --output FILE   write the page to FILE (standard output)\n"
    "      --title TEXT    heading of the page\n"
    "      --accuracy FILE with a network: the JSON object of tulle net quantise --json, which is shown, "
    "too\n"
    "  -h, --help          this text\n"
    "\n"
    "Exit status: 0 done, 1 the run cannot be read or the page not written, 2 wrong usage.\n";

struct page {
    const char *run, *output, *title, *accuracy;
    bool asked;
};

static json_t *read_run(const char *path, struct diag *diag)
{
    struct strbuf text = {0};
    json_error_t error = {.line = -1};
    json_t *run = NULL;
    if (input_read(path, RUN_MAX, &text, diag)) {
        run = json_loadb(sb_text(&text), text.len, JSON_REJECT_DUPLICATES, &error);
        if (!run)
            diag_error(diag, (struct place){.file = path, .line = error.line > 0 ? (unsigned)error.line : 0},
                       "not JSON: %s", error.text);
    }
    sb_free(&text);
    return run;
}

static bool add_bench(const struct page *p, const json_t *run, struct strbuf *html, struct diag *diag)
{
    if (p->accuracy)
        diag_error(diag, (struct place){.file = p->run},
                   "--accuracy goes with the JSON of tulle net explain");
    if (!page_check(run, p->run, diag))
        return false;
    page_add_document(run, p->title ? p->title : "Tulle: a run of the benchmarks", html);
    return true;
}

static bool add_network(const struct page *p, const json_t *run, struct strbuf *html, struct diag *diag)
{
    json_t *accuracy = p->accuracy ? read_run(p->accuracy, diag) : NULL;
    if (accuracy && !json_array_size(json_object_get(accuracy, "outputs")))
        diag_error(diag, (struct place){.file = p->accuracy},
                   "it is not what tulle net quantise --json writes");
    bool ok = !diag->errors && page_check_net(run, p->run, diag);
    if (ok && !page_add_net(run, accuracy, p->title ? p->title : "Tulle: a network", html)) {
        diag_no_memory(diag, p->run);
        ok = false;
    }
    json_decref(accuracy);
    return ok;
}

static bool add_groups(const struct page *p, const json_t *run, struct strbuf *html, struct diag *diag)
{
    if (p->accuracy)
        diag_error(diag, (struct place){.file = p->run},
                   "--accuracy goes with the JSON of tulle net explain without --groups");
    if (!page_check_groups(run, p->run, diag))
        return false;
    page_add_groups(run, p->title ? p->title : "Tulle: layer groups", html);
    return true;
}

static bool add_page(const struct page *p, const json_t *run, struct strbuf *html, struct diag *diag)
{
    return (page_is_groups(run) ? add_groups
            : page_is_net(run)  ? add_network
                                : add_bench)(p, run, html, diag);
}

static bool make(const struct page *p, struct diag *diag)
{
    struct strbuf html = {0};
    json_t *run = read_run(p->run, diag);
    const bool ok =
        run && add_page(p, run, &html, diag) && output_file(p->output ? p->output : "-", &html, diag);
    json_decref(run);
    sb_free(&html);
    return ok;
}

int cli_report(int argc, char **argv)
{
    struct page p = {.asked = false};
    struct diag diag = {0};
    const struct option_entry options[] = {{.name = "--output", .letter = "-o", .value = &p.output},
                                           {.name = "--title", .value = &p.title},
                                           {.name = "--accuracy", .value = &p.accuracy},
                                           {.name = "--help", .letter = "-h", .flag = &p.asked},
                                           {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&p.run, 1, NULL}, &diag);
    if (!p.asked && !p.run)
        diag_error(&diag, (struct place){0},
                   "which run? give the file of tulle bench --json, - for standard input");
    if (diag.errors && !p.asked)
        return cli_usage("report", &diag);
    bool ok = true;
    if (p.asked)
        fputs(help, stdout);
    else
        ok = make(&p, &diag);
    diag_report(&diag, stderr);
    return ok ? CLI_DONE : CLI_FAILED;
}

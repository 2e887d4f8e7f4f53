/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gen/base/output.h"
#include "host/cli/cli.h"
#include "host/cli/net_run.h"
#include "host/cli/net_show.h"
#include "host/net/read/read.h"
#include "host/net/write/write.h"

static const char help[] =
    "Usage: tulle net info|convert|run|operators [MODEL [WEIGHTS] [OUT.onnx]] [OPTION]...\n"
    "\n"
    "Reads a network: ONNX, TFLite, or Caffe, whose prototxt is MODEL and whose caffemodel is WEIGHTS.\n"
    "\n"
    "  info       print its nodes, shapes, types, parameters, multiplications and memory\n"
    "  convert    write it as ONNX, to OUT.onnx\n"
    "  run        run it on the CPU\n"
    "  operators  print the table of operators that are supported\n"
    "\n"
    "      --shape NAME=SIZE  the size of a dimension that has none in the file, or of all dimensions of an\n"
    "                         input, as data=1x3x32x32; may be given several times\n"
    "      --sized            refuse a network with dimensions that have no size\n"
    "      --phase PHASE      of a Caffe network: test (the default) or train\n"
    "      --json             info: print JSON\n"
    "      --force            convert: replace OUT.onnx\n"
    "      --test-data DIR    run: take inputs from DIR (input_0.pb and so on, or folders test_data_set_0 "
    "and so on\n"
    "                         with these) and compare outputs with output_0.pb and so on\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum { FILES_MAX = 4, INFO = 0, CONVERT, RUN, OPERATORS };
static const char *const actions[] = {"info", "convert", "run", "operators", NULL};
static const char *const phases[] = {"test", "train", NULL};

struct request {
    const char *word[FILES_MAX]; /* the action, MODEL, and what follows */
    unsigned words, action, phase;
    const char **shapes;
    unsigned shape_count;
    const char *phase_text, *test_data;
    bool json, force, sized;
};

static const struct place nowhere = {0};

static void check(struct request *q, struct diag *diag)
{
    while (q->words < FILES_MAX && q->word[q->words])
        q->words++;
    while (q->words && actions[q->action] && strcmp(actions[q->action], q->word[0]) != 0)
        q->action++;
    if (!q->words || !actions[q->action])
        diag_error(diag, nowhere, "what is to be done? give info, convert, run or operators");
    else if (q->action == OPERATORS
                 ? q->words > 1
                 : q->words < (q->action == CONVERT ? 3U : 2U) || q->words > (q->action == CONVERT ? 4U : 3U))
        diag_error(diag, nowhere, "which files? %s",
                   q->action == INFO || q->action == RUN ? "give MODEL, and for Caffe WEIGHTS"
                   : q->action == CONVERT ? "give MODEL, for Caffe WEIGHTS, and the file to write"
                                          : "operators takes none");
    if (q->json && q->action != INFO)
        diag_error(diag, nowhere, "--json goes with info only");
    if (!q->test_data != (q->action != RUN))
        diag_error(diag, nowhere, "run takes its inputs from --test-data, and nothing else has it");
}

static bool may_write(const char *path, bool force, struct diag *diag)
{
    struct stat info;
    if (force || !strcmp(path, "-") || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return true;
    diag_error(diag, (struct place){.file = path}, "there is such a file; --force replaces it");
    return false;
}

static bool convert(const struct net *net, const struct request *q, struct diag *diag)
{
    const char *path = q->word[q->words - 1];
    struct strbuf bytes = {0};
    if (!may_write(path, q->force, diag))
        return false;
    net_write_onnx(net, &bytes);
    bool ok = sb_ok(&bytes);
    if (ok)
        ok = output_file(path, &bytes, diag);
    else
        diag_error(diag, (struct place){.file = path}, "out of memory");
    sb_free(&bytes);
    return ok;
}

static bool print(struct strbuf *text, struct diag *diag)
{
    const bool ok = sb_ok(text);
    fwrite(sb_text(text), 1, text->len, stdout);
    sb_free(text);
    if (ok && fflush(stdout) == 0 && !ferror(stdout))
        return true;
    diag_error(diag, nowhere, "standard output cannot be written");
    return false;
}

static bool perform(const struct request *q, struct diag *diag)
{
    struct strbuf text = {0};
    const struct net_read_options options = {
        .weights = q->words == (q->action == CONVERT ? 4U : 3U) ? q->word[2] : NULL,
        .train = q->phase == 1,
        .shapes = q->shapes,
        .shape_count = q->shape_count,
        .sized = q->sized};
    if (q->action == OPERATORS) {
        operators_page(&text);
        return print(&text, diag);
    }
    struct net *net = net_read(q->word[1], &options, diag);
    if (!net)
        return false;
    bool ok = true;
    if (q->action == INFO)
        net_show(net, q->json, &text);
    else if (q->action == RUN)
        ok = net_run(net, q->test_data, &text, diag);
    else
        ok = convert(net, q, diag);
    ok = print(&text, diag) && ok;
    net_free(net);
    return ok;
}

static bool parse(int argc, char **argv, struct request *q, struct diag *diag)
{
    bool asked = false;
    const struct option_entry options[] = {
        {.name = "--shape", .list = q->shapes, .count = &q->shape_count},
        {.name = "--sized", .flag = &q->sized},
        {.name = "--phase", .value = &q->phase_text, .words = phases, .word = &q->phase},
        {.name = "--test-data", .value = &q->test_data},
        {.name = "--json", .flag = &q->json},
        {.name = "--force", .flag = &q->force},
        {.name = "--help", .letter = "-h", .flag = &asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){q->word, FILES_MAX, NULL}, diag);
    if (!asked)
        check(q, diag);
    return asked;
}

int cli_net(int argc, char **argv)
{
    const char **shapes = calloc((size_t)argc, sizeof *shapes);
    struct request q = {.shapes = shapes};
    struct diag diag = {0};
    int status = CLI_FAILED;
    if (!shapes) {
        fputs("error: out of memory\n", stderr);
        return status;
    }
    if (parse(argc, argv, &q, &diag)) {
        diag_free(&diag);
        fputs(help, stdout);
        status = CLI_DONE;
    } else if (diag.errors) {
        status = cli_usage("net", &diag);
    } else {
        status = perform(&q, &diag) ? CLI_DONE : CLI_FAILED;
        diag_report(&diag, stderr);
    }
    free(shapes);
    return status;
}

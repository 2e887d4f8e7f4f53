/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "gen/base/number.h"
#include "host/cli/cli.h"
#include "host/cli/net_passes.h"
#include "host/cli/net_run.h"
#include "host/cli/net_show.h"
#include "host/net/read/read.h"

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
    "      --passes LIST      info, convert, run: change the network first by these passes, with commas "
    "between\n"
    "                         them, or by all until nothing changes\n"
    "      --dump-after PASS=FILE\n"
    "                         write the network as ONNX after that pass; may be given several times\n"
    "      --test-data DIR    run: take inputs from DIR (input_0.pb and so on, or folders test_data_set_0 "
    "and so on\n"
    "                         with these) and compare outputs with output_0.pb and so on\n"
    "      --input [NAME=]FILE\n"
    "                         run: the value of an input, else of the first without one: .npy, a "
    "TensorProto\n"
    "                         (.pb), numbers without a header (.raw, .bin), or an image: PPM, PGM, BMP, PNG, "
    "JPEG\n"
    "      --mean M[,M,M]     images: what is subtracted from pixels, which are 0 to 255; for each channel\n"
    "      --scale S[,S,S]    images: what the difference is multiplied by\n"
    "      --colours ORDER    images: rgb (the default) or bgr\n"
    "      --layout LAYOUT    images: nchw or nhwc, where the input's sizes do not say it\n"
    "      --resize HOW       images: exact (the default: of the input's size), stretch, or crop (the "
    "largest "
    "part\n"
    "                         in the middle)\n"
    "      --filter FILTER    images: bilinear (the default), area or nearest\n"
    "      --output FILE      run: write the outputs to FILE.npy, FILE.json, or a folder of .npy files\n"
    "      --top N            run: print the N largest elements of the first output\n"
    "      --labels FILE      run: with --top, a line for each element\n"
    "      --per-layer DIR    run: write the result of every node to DIR as .npy\n"
    "      --per-layer-goldens DIR\n"
    "                         run: compare the results of nodes with such files, and name the first node "
    "that\n"
    "                         differs\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum { FILES_MAX = 4, INFO = 0, CONVERT, RUN, OPERATORS };
static const char *const actions[] = {"info", "convert", "run", "operators", NULL};
static const char *const phases[] = {"test", "train", NULL};
static const char *const layouts[] = {"auto", "nchw", "nhwc", NULL};
static const char *const colours[] = {"rgb", "bgr", NULL};
static const char *const resizes[] = {"exact", "stretch", "crop", NULL};
static const char *const filters[] = {"bilinear", "area", "nearest", NULL};

struct request {
    const char *word[FILES_MAX]; /* the action, MODEL, and what follows */
    unsigned words, action, phase;
    const char **shapes;
    unsigned shape_count;
    const char *phase_text;
    bool json, force, sized;
    struct net_passes_options passes;
    struct net_run_options run;
    const char *mean, *scale, *layout_text, *colours_text, *resize_text, *filter_text, *top_text;
    unsigned layout, colours, resize, filter;
};

static const struct place nowhere = {0};

/* One number, or three with commas. */
static unsigned take_numbers(const char *option, const char *text, double to[3], struct diag *diag)
{
    unsigned count = 0;
    for (const char *at = text; at && count < 3;) {
        if (number_real(&at, &to[count]) != NUMBER_OK)
            break;
        count++;
        if (!*at && count != 2)
            return count;
        if (*at++ != ',')
            break;
    }
    if (text)
        diag_error(diag, nowhere, "%s %.60s: one number, please, or three with commas between them", option,
                   text);
    return 0;
}

static void check_run(struct request *q, struct diag *diag)
{
    struct net_run_options *r = &q->run;
    const bool images =
        q->mean || q->scale || q->layout_text || q->colours_text || q->resize_text || q->filter_text;
    r->feed.means = take_numbers("--mean", q->mean, r->feed.mean, diag);
    r->feed.scales = take_numbers("--scale", q->scale, r->feed.scale, diag);
    r->feed.layout = (enum feed_layout)q->layout;
    r->feed.colours = (enum feed_colours)q->colours;
    r->feed.resize = (enum feed_resize)q->resize;
    r->feed.filter = (enum feed_filter)q->filter;
    if (q->action != RUN && (r->test_data || r->input_count || images || r->output || q->top_text ||
                             r->labels || r->layers || r->goldens))
        diag_error(diag, nowhere, "inputs and results go with run only");
    if (r->test_data && r->input_count)
        diag_error(diag, nowhere, "--test-data has all inputs; leave out --input");
    if (images && !r->input_count)
        diag_error(diag, nowhere, "the options for images go with --input");
    if (r->labels && !q->top_text)
        diag_error(diag, nowhere, "--labels goes with --top");
}

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
    check_run(q, diag);
    q->passes.force = q->force;
    net_passes_check(&q->passes, diag);
    if (q->passes.list && q->action == OPERATORS)
        diag_error(diag, nowhere, "--passes goes with info, convert and run");
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
    struct strbuf text = {0}, report = {0};
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
    bool ok = net_passes(net, &q->passes, &report, diag);
    if (q->action == INFO && !q->json && report.len)
        sb_addf(&text, "%s\n", sb_text(&report));
    sb_free(&report);
    if (!ok)
        sb_free(&text);
    else if (q->action == INFO)
        net_show(net, q->json, &text);
    else if (q->action == RUN)
        ok = net_run(net, &q->run, &text, diag);
    else
        ok = net_save(net, q->word[q->words - 1], q->force, diag);
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
        {.name = "--test-data", .value = &q->run.test_data},
        {.name = "--input", .list = q->run.inputs, .count = &q->run.input_count},
        {.name = "--mean", .value = &q->mean},
        {.name = "--scale", .value = &q->scale},
        {.name = "--layout", .value = &q->layout_text, .words = layouts, .word = &q->layout},
        {.name = "--colours", .value = &q->colours_text, .words = colours, .word = &q->colours},
        {.name = "--resize", .value = &q->resize_text, .words = resizes, .word = &q->resize},
        {.name = "--filter", .value = &q->filter_text, .words = filters, .word = &q->filter},
        {.name = "--output", .value = &q->run.output},
        {.name = "--top", .value = &q->top_text, .number = &q->run.top, .min = 1, .max = 1000},
        {.name = "--labels", .value = &q->run.labels},
        {.name = "--per-layer", .value = &q->run.layers},
        {.name = "--per-layer-goldens", .value = &q->run.goldens},
        {.name = "--json", .flag = &q->json},
        {.name = "--force", .flag = &q->force},
        {.name = "--passes", .value = &q->passes.list},
        {.name = "--dump-after", .list = q->passes.dumps, .count = &q->passes.dump_count},
        {.name = "--help", .letter = "-h", .flag = &asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){q->word, FILES_MAX, NULL}, diag);
    if (!asked)
        check(q, diag);
    return asked;
}

int cli_net(int argc, char **argv)
{
    const char **shapes = calloc(3 * (size_t)argc, sizeof *shapes);
    struct request q = {.shapes = shapes, .run.inputs = shapes + argc, .passes.dumps = shapes + 2 * argc};
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

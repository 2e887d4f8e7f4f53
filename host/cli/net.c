/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "gen/base/number.h"
#include "host/cli/cli.h"
#include "host/cli/net_compile.h"
#include "host/cli/net_groups.h"
#include "host/cli/net_passes.h"
#include "host/cli/net_quantise.h"
#include "host/cli/net_run.h"
#include "host/cli/net_show.h"
#include "host/cli/place.h"
#include "host/cli/software_verify.h"
#include "host/net/cpu/crew.h"
#include "host/net/read/read.h"

static const char help[] =
    "Usage: tulle net info|convert|run|quantise|compile|explain|calibrate|verify|operators [MODEL [WEIGHTS] "
    "[OUT.onnx]] "
    "[OPTION]...\n"
    "       tulle compile MODEL [WEIGHTS] -o FILE --device NAME [OPTION]...\n"
    "       tulle explain net MODEL [WEIGHTS] --device NAME [OPTION]...\n"
    "\n"
    "Reads a network: ONNX, TFLite, or Caffe, whose prototxt is MODEL and whose caffemodel is WEIGHTS; or a\n"
    "compiled one.\n"
    "\n"
    "  info       print its nodes, shapes, types, parameters, multiplications and memory\n"
    "  convert    write it as ONNX, to OUT.onnx\n"
    "  run        run it on the CPU, or the layers that a device has on that\n"
    "  quantise   make a network of integers from one of floats, as ONNX, and print what it has cost\n"
    "  compile    write the network and the plans of its layers on a device to one file, which run and "
    "explain\n"
    "             take without planning; a network of floats is quantised first, with --calibrate\n"
    "  explain    where each layer runs, why, and what it costs on a device\n"
    "  calibrate  measure what its operators take on this machine's CPU, for --times\n"
    "  verify     compare a compiled network's layers on its device, in generated C and on the CPU\n"
    "  operators  print the table of operators that are supported\n"
    "\n"
    "      --shape NAME=SIZE  the size of a dimension that has none in the file, or of all dimensions of an\n"
    "                         input, as data=1x3x32x32; may be given several times\n"
    "                         With --device a batch without a size counts as 1\n"
    "      --sized            refuse a network with dimensions that have no size\n"
    "      --phase PHASE      of a Caffe network: test (the default) or train\n"
    "      --json             info, quantise, explain: print JSON\n"
    "      --force            convert, quantise, compile: replace the file\n"
    "      --passes LIST      info, convert, run, compile, explain: change the network first by these "
    "passes,\n"
    "                         with commas between them, or by all until nothing changes (compile: all by "
    "default)\n"
    "      --dump-after PASS=FILE\n"
    "                         write the network as ONNX after that pass; may be given several times\n"
    "      --test-data DIR    run: take inputs from DIR (input_0.pb and so on, or folders test_data_set_0 "
    "and so on\n"
    "                         with these) and compare outputs with output_0.pb and so on\n"
    "      --input [NAME=]FILE\n"
    "                         run, compile, explain: the value of an input, else of the first without one: "
    ".npy, a "
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
    "  -o, --output FILE      run: write the outputs to FILE.npy, FILE.json, or a folder of .npy files;\n"
    "                         quantise: the ONNX file to write; compile: the compiled network\n"
    "      --threads N        run, quantise: so many threads (1 to 256, 1 by default) share the work of "
    "each\n"
    "                         large node; results do not depend on N\n"
    "      --device NAME      calibrate: measure copies to it and back, too; run, compile, explain: compute "
    "there what it can compute with the CPU's bits, "
    "and\n"
    "                         the rest on the CPU; may be given several times with --place or --together\n"
    "      --together         run, and explain with --place: layers are cut into pieces for all devices, "
    "which run\n"
    "                         at the same time; with --place all devices together are one more processor\n"
    "      --as VARIANT       explain, compile: in place of --device, for a device of this variant, which "
    "need "
    "not\n"
    "                         be there: the functional model plans for it\n"
    "      --place            run, compile, explain: with --device, each operation runs where it costs "
    "least\n"
    "      --strategy NAME    with --place: path (the default: the least predicted time), thresholds, "
    "greedy,\n"
    "                         device, or host\n"
    "      --most-cost US     with --place: the most cost that passes with thresholds, in microseconds\n"
    "      --least-benefit US with --place: the least benefit that passes with thresholds\n"
    "      --array-rows N     with --place: the first N rows of the first device's array are one more "
    "processor;\n"
    "                         may be given several times\n"
    "      --place-runs N     run with --place: the medians of N runs are compared with what is predicted, "
    "in "
    "turn\n"
    "                         with runs on the host alone (1 by default: without them)\n"
    "      --put NODE=NUMBER  with --place: the node runs on that processor if it can: 0 is the host, 1 the "
    "first\n"
    "                         device; may be given several times\n"
    "      --clock MHZ        with --place: of the device (100 by default)\n"
    "      --job-us US        with --place: what a job takes besides its cycles and copies (7 by default)\n"
    "      --copy-rate MBS    with --place: megabytes that are copied in a second (5000 by default)\n"
    "      --times FILE       calibrate, and with --place: measured times of operators on the host\n"
    "      --mode layers|fused|auto\n"
    "                         run, explain, compile: with --device, each layer is a job of its own (the\n"
    "                         default), neighbours on the device are one job, or as fewer cycles are\n"
    "                         predicted\n"
    "      --groups           info, convert, run, compile: layers go through the chip in groups, slice by "
    "slice: the "
    "network\n"
    "                         in slices takes the place of the other one; explain: which groups there are, "
    "and what\n"
    "                         they cost, without a device; with --device, what the network in slices takes\n"
    "      --on-chip BYTES    with --groups: of the activation bank and, without a device, the storage units "
    "(131072)\n"
    "      --stream BYTES     with --groups: of these, what weights and activations on their way need "
    "(8192)\n"
    "      --bandwidth B/C    with --groups: the device's memory moves at most B beats in C cycles (1/1)\n"
    "      --rows-only        with --groups: cut the height of images, and not their width as well\n"
    "      --listing          explain --groups: print the steps of each slice with their addresses\n"
    "      --group FIRST..LAST[/P]\n"
    "                         with --groups: these layers, by names or by the numbers that explain prints, "
    "are a\n"
    "                         group, of P slices; may be given several times\n"
    "      --check            run: with --device, compute each layer on the CPU, too, and compare\n"
    "      --timeout SECS     run: with --device, that a layer may take (60 by default)\n"
    "      --quiet            run, compile, explain: show no progress bar of the layers on the device\n"
    "      --external-output NAME\n"
    "                         run, compile, explain: the result of this layer, or this tensor, is an output "
    "as "
    "well;\n"
    "                         may be given several times\n"
    "      --debug            compile: any result can be such an output later, not only those that are now\n"
    "      --top N            run: print the N largest elements of the first output\n"
    "      --labels FILE      run: with --top, a line for each element\n"
    "      --per-layer DIR    run: write the result of every node to DIR as .npy\n"
    "      --per-layer-goldens DIR\n"
    "                         run: compare the results of nodes with such files, and name the first node "
    "that\n"
    "                         differs\n"
    "      --calibrate [NAME=]FILE\n"
    "                         quantise, compile: a sample of an input, as with --input, or several in a .npy "
    "file, or "
    "a\n"
    "                         folder of such files; may be given several times\n"
    "      --ranges METHOD    quantise: error (the default: the least squared error), min-max, percentile, "
    "or\n"
    "                         entropy\n"
    "      --percentile P     quantise: percent of the values that percentile has in the range (99.99)\n"
    "      --activations TYPE quantise: int8 (the default) or uint8\n"
    "      --symmetric        quantise: zero points of activations are 0\n"
    "      --per-tensor       quantise: one scale for all weights of a layer\n"
    "      --equalise         quantise: bring channels of neighbouring layers to like ranges first\n"
    "      --uncorrected      quantise: leave biases without what rounding weights loses in the mean\n"
    "      --int16 NAME       quantise: a tensor, or a node whose result, keeps 16 bits; several times\n"
    "      --int16-below DB   quantise: so do tensors whose rounding leaves fewer decibels\n"
    "      --prune SHARE      quantise: that part (0 to 1) of the weights of each layer becomes 0 first\n"
    "      --prune-global     quantise: the part is one of the weights of all layers together\n"
    "      --prune-pattern N:M\n"
    "                         quantise: N weights of M input channels in a row stay\n"
    "      --prune-channels SHARE\n"
    "                         quantise: that part of the output channels of each layer but the last one\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum {
    FILES_MAX = 4,
    SECONDS = 60,
    INFO = 0,
    CONVERT,
    RUN,
    QUANTISE,
    COMPILE,
    EXPLAIN,
    CALIBRATE,
    OPERATORS
};
static const char *const actions[] = {"info",    "convert",   "run",       "quantise", "compile",
                                      "explain", "calibrate", "operators", NULL};
static const char *const modes[] = {"layers", "fused", "auto", NULL};
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
    const char *mean, *scale, *layout_text, *colours_text, *resize_text, *filter_text, *top_text,
        *threads_text, *mode_text, *timeout_text, *as;
    unsigned mode, layout, colours, resize, filter;
    struct net_quantise_options quantise;
    struct net_groups_options groups;
    struct compiled compiled; /* that the network is from */
    struct strbuf as_device;
    const char *devices[PLACE_PROCESSORS_MOST];
    unsigned device_count;
};

static const struct place nowhere = {0};

/* Whether marks are outputs of runs, and not of the network itself. */
static bool runs(const struct request *q)
{
    return q->action == RUN || q->action == EXPLAIN || q->action == COMPILE;
}

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

/* Where it runs, and how that is chosen. */
static void check_devices(struct request *q, struct diag *diag)
{
    struct net_run_options *r = &q->run;
    r->on.device = q->devices[0];
    r->on.others = q->devices + 1;
    r->on.other_count = q->device_count ? q->device_count - 1 : 0;
    if (r->on.other_count && ((!r->on.place.on && !r->on.together) || q->action == COMPILE))
        diag_error(diag, nowhere, "several devices go with run and explain, and --place or --together");
    if (1 + q->device_count + r->on.place.rows_count + r->on.together > PLACE_PROCESSORS_MOST)
        diag_error(diag, nowhere, "there are more than %d processors, the host among them",
                   PLACE_PROCESSORS_MOST);
    if (r->on.place.rows_count && q->action == COMPILE)
        diag_error(diag, nowhere, "--array-rows goes with run and explain");
    if (r->on.together && (q->device_count < 2 || q->device_count + 1 == PLACE_PROCESSORS_MOST))
        diag_error(diag, nowhere, "--together needs between 2 and %d devices", PLACE_PROCESSORS_MOST - 2);
    if (q->as && (r->on.device || (q->action != EXPLAIN && q->action != COMPILE)))
        diag_error(diag, nowhere, "--as goes with explain and compile, in place of --device");
    if (q->as && (r->input_count || r->test_data) && q->action == EXPLAIN)
        diag_error(diag, nowhere,
                   "--as is for a device that is not there: nothing runs, so leave out the inputs");
    if (q->as) {
        sb_addf(&q->as_device, "model:%s", q->as);
        r->on.device = sb_text(&q->as_device);
    }
    net_place_check(&r->on.place, diag);
    if (r->on.place.on && (!r->on.device || !runs(q)))
        diag_error(diag, nowhere, "--place goes with run, compile and explain, and a device");
    if (r->on.place.times && !r->on.place.on && q->action != CALIBRATE)
        diag_error(diag, nowhere, "--times goes with calibrate and --place");
    if (!r->on.device && (q->mode_text || r->on.check || q->timeout_text))
        diag_error(diag, nowhere, "--mode, --check and --timeout go with --device");
    r->on.fused = q->mode == 1;
    r->on.as_predicted = q->mode == 2;
    const bool joins = r->on.fused || r->on.as_predicted;
    if (r->on.together && q->action == EXPLAIN && !r->on.place.on)
        diag_error(diag, nowhere, "--together goes with run, and with explain --place");
    if (joins && r->on.together)
        diag_error(diag, nowhere, "--together goes with --mode layers: a part of a network is on one device");
    if (r->on.place.on && r->on.as_predicted)
        diag_error(diag, nowhere, "--place goes with --mode layers, or with --mode fused");
    if (r->on.place.on && r->on.fused && (r->on.other_count || r->on.place.rows_count))
        diag_error(diag, nowhere,
                   "--place with --mode fused is for one device: parts of several would have to take turns");
}

static void check_run(struct request *q, struct diag *diag)
{
    struct net_run_options *r = &q->run;
    const bool quantise = q->action == QUANTISE || q->action == COMPILE || q->action == CALIBRATE;
    const bool images =
        q->mean || q->scale || q->layout_text || q->colours_text || q->resize_text || q->filter_text;
    r->feed.means = take_numbers("--mean", q->mean, r->feed.mean, diag);
    r->feed.scales = take_numbers("--scale", q->scale, r->feed.scale, diag);
    r->feed.layout = (enum feed_layout)q->layout;
    r->feed.colours = (enum feed_colours)q->colours;
    r->feed.resize = (enum feed_resize)q->resize;
    r->feed.filter = (enum feed_filter)q->filter;
    check_devices(q, diag);
    r->explain = q->action == EXPLAIN;
    r->json = q->json;
    if (((r->explain && !q->groups.on) || q->action == COMPILE) && !r->on.device)
        diag_error(diag, nowhere, "%s needs a device; give --device", actions[q->action]);
    if (r->explain && (r->output || q->top_text || r->layers || r->goldens))
        diag_error(diag, nowhere, "results go with run only");
    if (q->action != RUN && q->action != EXPLAIN &&
        (((r->on.device || r->test_data || r->input_count) && q->action != COMPILE &&
          (q->action != CALIBRATE || r->test_data || r->input_count)) ||
         r->on.check || q->top_text || r->labels || r->layers || r->goldens ||
         (!quantise && (images || r->output || q->threads_text))))
        diag_error(diag, nowhere, "inputs, results, threads and devices go with run and explain only");
    if (r->on.marks.given_count && !runs(q))
        diag_error(diag, nowhere, "--external-output goes with run, explain and compile");
    if (r->on.marks.debug && q->action != COMPILE)
        diag_error(diag, nowhere, "--debug goes with compile");
    if (r->test_data && r->input_count)
        diag_error(diag, nowhere, "--test-data has all inputs; leave out --input");
    if (images && !r->input_count && !q->quantise.file_count)
        diag_error(diag, nowhere, "the options for images go with --input and --calibrate");
    if (r->labels && !q->top_text)
        diag_error(diag, nowhere, "--labels goes with --top");
}

static void check_quantise(struct request *q, struct diag *diag)
{
    struct net_quantise_options *o = &q->quantise;
    o->feed = q->run.feed;
    o->output = q->run.output;
    o->threads = (unsigned)q->run.threads;
    o->force = q->force;
    o->json = q->json;
    const bool given = net_quantise_given(o);
    if (q->action == QUANTISE || (q->action == COMPILE && given))
        net_quantise_check(o, diag);
    else if (given)
        diag_error(diag, nowhere,
                   "--calibrate and how to quantise and prune go with quantise and compile only");
    if ((q->action == QUANTISE || q->action == COMPILE || q->action == CALIBRATE) && !o->output)
        diag_error(diag, nowhere, "which file is to be written? give -o FILE");
}

static void check_groups(struct request *q, struct diag *diag)
{
    q->groups.runs = q->run.on.device != NULL;
    q->groups.judged = q->run.on.fused && !q->run.on.place.on;
    const bool can = q->action == INFO || q->action == CONVERT || q->action == RUN || q->action == EXPLAIN ||
                     q->action == COMPILE;
    net_groups_check(&q->groups, diag);
    if (q->groups.on && !can)
        diag_error(diag, nowhere, "--groups goes with info, convert, run, compile and explain");
    if (q->groups.listing && (q->action != EXPLAIN || q->json))
        diag_error(diag, nowhere, "--listing goes with explain, and not with --json");
    if (q->groups.on && q->action == EXPLAIN && !q->run.on.device && (q->run.input_count || q->run.test_data))
        diag_error(diag, nowhere, "explain --groups needs no inputs without a device: leave them out");
    if (q->groups.listing && q->run.on.device)
        diag_error(diag, nowhere, "--listing needs no device: leave it out");
}

static void check(struct request *q, struct diag *diag)
{
    while (q->words < FILES_MAX && q->word[q->words])
        q->words++;
    while (q->words && actions[q->action] && strcmp(actions[q->action], q->word[0]) != 0)
        q->action++;
    if (!q->words || !actions[q->action])
        diag_error(diag, nowhere,
                   "what is to be done? give info, convert, run, quantise, compile, explain, calibrate or "
                   "operators");
    else if (q->action == OPERATORS
                 ? q->words > 1
                 : q->words < (q->action == CONVERT ? 3U : 2U) || q->words > (q->action == CONVERT ? 4U : 3U))
        diag_error(diag, nowhere, "which files? %s",
                   q->action == OPERATORS ? "operators takes none"
                   : q->action == CONVERT ? "give MODEL, for Caffe WEIGHTS, and the file to write"
                                          : "give MODEL, and for Caffe WEIGHTS");
    if (q->json && q->action != INFO && q->action != QUANTISE && q->action != EXPLAIN)
        diag_error(diag, nowhere, "--json goes with info, quantise and explain only");
    check_run(q, diag);
    check_quantise(q, diag);
    check_groups(q, diag);
    q->passes.force = q->force;
    q->passes.json = q->json;
    net_passes_check(&q->passes, diag);
    if (q->action == COMPILE && !q->passes.list)
        q->passes.list = "all";
    if (q->passes.list && (q->action == OPERATORS || q->action == QUANTISE))
        diag_error(diag, nowhere, "--passes goes with info, convert, run, compile and explain");
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

/* ---- reading ------------------------------------------------------------------------------------- */

/* A device computes layers of known sizes, so a batch without one counts as 1 there: `single` gets its name.
 */
static struct net *read_file(const struct request *q, struct strbuf *single, struct diag *diag)
{
    const struct net_read_options how = {.weights =
                                             q->words == (q->action == CONVERT ? 4U : 3U) ? q->word[2] : NULL,
                                         .train = q->phase == 1,
                                         .shapes = q->shapes,
                                         .shape_count = q->shape_count,
                                         .sized = q->sized || q->action == COMPILE || q->action == CALIBRATE};
    struct net *net = q->run.on.device || q->groups.on ? net_read_single(q->word[1], &how, single, diag)
                                                       : net_read(q->word[1], &how, diag);
    if (!net || runs(q) || marks_to_outputs(net))
        return net;
    diag_no_memory(diag, q->word[1]);
    net_free(net);
    return NULL;
}

/* The network of the command. */
static struct net *read_noted(const struct request *q, struct diag *diag)
{
    struct strbuf single = {0};
    struct net *net = read_file(q, &single, diag);
    if (net && single.len)
        fprintf(stderr,
                "note: %s: the batch (%s) has no size and counts as 1; --shape NAME=SIZE gives it another\n",
                q->word[1], sb_text(&single));
    sb_free(&single);
    return net;
}

/* The network is read twice: one becomes integers, the other stays what these are compared with. */
static bool make_integers(const struct request *q, struct net *net, struct strbuf *onnx, struct strbuf *text,
                          struct diag *diag)
{
    struct strbuf single = {0};
    struct net *reference = read_file(q, &single, diag);
    const bool ok = reference && net_quantise(net, reference, &q->quantise, onnx, text, diag);
    sb_free(&single);
    net_free(reference);
    return ok;
}

static bool perform_calibrate(const struct request *q, struct net *net, struct diag *diag)
{
    struct strbuf file = {0};
    struct tulle_device *device = NULL;
    const char *name = q->run.on.device;
    const bool ok = (!name || place_open(name, NULL, SECONDS, &device, diag)) &&
                    net_calibrate(net, &q->run.on.place, device, &file, diag) &&
                    net_save_bytes(&file, q->run.output, q->force, diag);
    tulle_device_close(device);
    sb_free(&file);
    return ok;
}

static bool perform_quantise(const struct request *q, struct net *net, struct strbuf *text, struct diag *diag)
{
    struct strbuf onnx = {0};
    const bool ok =
        make_integers(q, net, &onnx, text, diag) && net_save_bytes(&onnx, q->run.output, q->force, diag);
    if (!ok)
        sb_free(text);
    sb_free(&onnx);
    return ok;
}

/* The network of integers in place of that of floats. NULL after an error. */
static struct net *calibrated(const struct request *q, struct net *net, struct strbuf *text,
                              struct diag *diag)
{
    struct strbuf onnx = {0};
    const bool ok = make_integers(q, net, &onnx, text, diag);
    net_free(net);
    net = ok ? net_read_onnx(q->word[1], sb_text(&onnx), onnx.len, diag) : NULL;
    sb_free(&onnx);
    return net;
}

/* What has been compiled stays as it is. */
static struct net *read_compiled(struct request *q, struct diag *diag)
{
    const bool changed =
        q->action == QUANTISE || q->action == COMPILE || q->passes.list || q->shape_count || q->groups.on;
    if (changed) {
        diag_error(diag, (struct place){.file = q->word[1]},
                   "it is compiled already, and cannot be changed by quantise, compile, --passes, --groups "
                   "or --shape");
        return NULL;
    }
    q->run.on.compiled = &q->compiled;
    return compiled_read(q->word[1], &q->compiled, diag) ? q->compiled.net : NULL;
}

/* With the names of its marks. */
static struct net *read_network(struct request *q, struct strbuf *text, struct diag *diag)
{
    const bool compiled = compiled_is(q->word[1]);
    struct net *net = compiled ? read_compiled(q, diag) : read_noted(q, diag);
    if (net && !net_marks_take(&q->run.on.marks, net, compiled ? &q->compiled : NULL)) {
        diag_no_memory(diag, q->word[1]);
        net_free(net);
        return NULL;
    }
    return net && q->action == COMPILE && q->quantise.file_count ? calibrated(q, net, text, diag) : net;
}

static bool run_passes(struct request *q, struct net *net, struct strbuf *report, struct diag *diag)
{
    if ((q->passes.list || q->groups.on) && !net_marks_keep(&q->run.on.marks, net)) {
        diag_no_memory(diag, q->word[1]);
        return false;
    }
    return net_passes(net, &q->passes, report, diag);
}

/* ---- all ----------------------------------------------------------------------------------------- */

static bool perform_on(const struct request *q, struct net *net, const char *report, struct strbuf *text,
                       struct diag *diag)
{
    switch (q->action) {
    case INFO:
        if (q->json)
            net_show_json(net, report, text);
        else
            net_show(net, text);
        return true;
    case RUN:
    case EXPLAIN:
        return net_run(net, &q->run, text, diag);
    case QUANTISE:
        return perform_quantise(q, net, text, diag);
    case CALIBRATE:
        return perform_calibrate(q, net, diag);
    case COMPILE:
        return net_compile(net, &q->run, q->force, text, diag);
    default:
        return net_save(net, q->word[q->words - 1], q->force, diag);
    }
}

/* With groups, the network in slices takes the place of the other one, or what groups cost is told. */
static bool perform_grouped(struct request *q, struct net *net, const char *report, struct strbuf *text,
                            struct diag *diag)
{
    struct net *slices = NULL;
    bool apart = false;
    if (!q->groups.on)
        return perform_on(q, net, report, text, diag);
    if (q->action == EXPLAIN && !q->run.on.device)
        return net_groups(net, &q->groups, &q->run.on, q->json, text, NULL, &apart, diag);
    struct net_layers_options *on = &q->run.on; /* what plans of one find serves the other */
    const bool shares = q->groups.judged && !on->other_count && !on->compiled && on->device;
    bool ok = (!shares || place_open(on->device, NULL, (unsigned)on->seconds, &on->opened, diag)) &&
              net_groups(net, &q->groups, on, q->json, NULL, &slices, &apart, diag);
    on->fused = on->fused && !apart;
    ok = ok && perform_on(q, slices, report, text, diag);
    net_free(slices);
    tulle_device_close(on->opened);
    on->opened = NULL;
    return ok;
}

static bool perform(struct request *q, struct diag *diag)
{
    struct strbuf text = {0}, report = {0};
    if (q->action == OPERATORS) {
        operators_page(&text);
        return print(&text, diag);
    }
    struct net *net = read_network(q, &text, diag);
    bool ok = net && run_passes(q, net, &report, diag);
    if (q->action == INFO && !q->json && report.len)
        sb_addf(&text, "%s\n", sb_text(&report));
    if (ok)
        ok = perform_grouped(q, net, sb_text(&report), &text, diag);
    else
        sb_free(&text);
    ok = print(&text, diag) && ok;
    sb_free(&report);
    net_marks_free(&q->run.on.marks);
    compiled_close(&q->compiled);
    net_free(net);
    return ok;
}

enum { ENTRIES_MOST = 48 };

/* The options of the command itself, an empty one at their end. */
static void own_entries(struct request *q, bool *asked, struct option_entry to[ENTRIES_MOST])
{
    const struct option_entry entries[] = {
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
        {.name = "--output", .letter = "-o", .value = &q->run.output},
        {.name = "--top", .value = &q->top_text, .number = &q->run.top, .min = 1, .max = 1000},
        {.name = "--threads",
         .value = &q->threads_text,
         .number = &q->run.threads,
         .min = 1,
         .max = CREW_MOST},
        {.name = "--device",
         .list = q->devices,
         .count = &q->device_count,
         .room = PLACE_PROCESSORS_MOST - 1},
        {.name = "--together", .flag = &q->run.on.together},
        {.name = "--as", .value = &q->as},
        {.name = "--mode", .value = &q->mode_text, .words = modes, .word = &q->mode},
        {.name = "--check", .flag = &q->run.on.check},
        {.name = "--quiet", .flag = &q->run.on.quiet},
        {.name = "--external-output", .list = q->run.on.marks.given, .count = &q->run.on.marks.given_count},
        {.name = "--debug", .flag = &q->run.on.marks.debug},
        {.name = "--timeout",
         .value = &q->timeout_text,
         .number = &q->run.on.seconds,
         .min = 1,
         .max = PLACE_SECONDS_MOST},
        {.name = "--labels", .value = &q->run.labels},
        {.name = "--per-layer", .value = &q->run.layers},
        {.name = "--per-layer-goldens", .value = &q->run.goldens},
        {.name = "--json", .flag = &q->json},
        {.name = "--force", .flag = &q->force},
        {.name = "--passes", .value = &q->passes.list},
        {.name = "--dump-after", .list = q->passes.dumps, .count = &q->passes.dump_count},
        {.name = "--help", .letter = "-h", .flag = asked},
        {.name = NULL}};
    _Static_assert(sizeof entries / sizeof *entries <= ENTRIES_MOST, "room for the command's options");
    memcpy(to, entries, sizeof entries);
}

static bool parse(int argc, char **argv, struct request *q, struct diag *diag)
{
    bool asked = false;
    struct option_entry options[NET_QUANTISE_ENTRIES + NET_PLACE_ENTRIES + NET_GROUPS_ENTRIES + ENTRIES_MOST];
    size_t more = net_quantise_entries(&q->quantise, options);
    more += net_place_entries(&q->run.on.place, options + more);
    more += net_groups_entries(&q->groups, options + more);
    own_entries(q, &asked, options + more);
    options_read(argc, argv, options, &(struct option_rest){q->word, FILES_MAX, NULL}, diag);
    if (!asked)
        check(q, diag);
    return asked;
}

int cli_net(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "verify"))
        return software_verify(argc - 1, argv + 1);
    enum { LISTS = 8 };
    const char **shapes = calloc(LISTS * (size_t)argc, sizeof *shapes);
    struct request q = {.shapes = shapes,
                        .run.inputs = shapes + argc,
                        .run.threads = 1,
                        .run.on.seconds = SECONDS,
                        .passes.dumps = shapes + 2 * argc,
                        .quantise.files = shapes + 3 * argc,
                        .quantise.wide = shapes + 4 * argc,
                        .run.on.marks.given = shapes + 5 * argc,
                        .run.on.place.marks = shapes + 6 * argc,
                        .groups.forced = shapes + 7 * argc};
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
    sb_free(&q.as_device);
    free(shapes);
    return status;
}

/* `tulle compile MODEL` is `tulle net compile MODEL`. */
int cli_compile(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 2, sizeof *words);
    int status = CLI_FAILED;
    if (!words) {
        fputs("error: out of memory\n", stderr);
        return status;
    }
    char net[] = "net";
    words[0] = net;
    memcpy(words + 1, argv, (size_t)argc * sizeof *words);
    status = cli_net(argc + 1, words);
    free(words);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/software.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/net_passes.h"

static const char help[] =
    "Usage: tulle software FILE -o MODEL.c|MODEL.onnx [OPTION]...\n"
    "\n"
    "Writes software that gives the device's bits: C11 that is made of the programs in FILE, a compiled\n"
    "network (tulle compile) or an operator that was saved (tulle_operator_save). MODEL.h is written, too.\n"
    "Or ONNX, of standard operators on integers. docs/software.md walks through a file.\n"
    "\n"
    "  -o, --output F   the file that is written, which ends with .c or .onnx\n"
    "  --weights F      C: weights of 8 bits go to this file, whose bytes MODEL_weights() takes\n"
    "  --self-test      C: MODEL_test() compares with what the device gives for inputs by a rule\n"
    "  --external-output NAME\n"
    "                   the result of this layer, or this tensor, is an output as well, behind the\n"
    "                   network's own and by name; may be given several times\n"
    "  --all-outputs    every result between layers that there is, is one\n"
    "  --device D       device that FILE is for (default: the model of a compiled network's variant)\n"
    "  --force          replace files that are there\n"
    "  -h, --help       this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum { SECONDS = 600, OUTPUTS_MOST = 64 };

struct request {
    const char *file, *output, *device, *weights, *outputs[OUTPUTS_MOST];
    unsigned output_count;
    bool all, force, test, asked;
};

static bool put(void *context, const char *path, const struct strbuf *bytes, struct diag *diag)
{
    const struct request *q = context;
    return net_save_bytes(bytes, path, q->force, diag);
}

/* With the outputs that were chosen when the network was compiled. */
static bool read_source(const struct request *q, const struct software_source *source, struct c_model *m,
                        struct diag *diag)
{
    const struct compiled_marks *marks = &source->compiled.marks;
    const char **names = calloc(marks->count + q->output_count + 1, sizeof *names);
    const struct software_outputs more = {names, marks->count + q->output_count, q->all};
    if (!names) {
        diag_no_memory(diag, q->file);
        return false;
    }
    for (size_t i = 0; i < more.count; i++)
        names[i] = i < marks->count ? marks->names[i] : q->outputs[i - marks->count];
    const bool ok = software_read(source, &more, m, diag);
    free(names);
    return ok;
}

static int make(struct request *q)
{
    struct diag diag = {0};
    struct software_files files;
    struct software_source source;
    software_begin(&files, q->output, q->weights);
    struct c_model *m = &files.model;
    const bool ok = software_open(q->file, q->device, SECONDS, &source, &diag) &&
                    read_source(q, &source, m, &diag) && (!q->test || software_expect(&source, m, &diag)) &&
                    software_write(&files, put, q, &diag);
    if (ok)
        printf("%s: %zu bytes, %zu %s\n", q->output, files.bytes, m->step_count,
               m->onnx ? "layers" : "functions");
    if (ok && q->weights)
        printf("%s: %zu bytes\n", q->weights, m->file.weights.len);
    software_end(&files);
    software_close(&source);
    if (!ok)
        diag_report(&diag, stderr);
    diag_free(&diag);
    return ok ? CLI_DONE : CLI_FAILED;
}

int cli_software(int argc, char **argv)
{
    struct request q = {.force = false};
    struct diag diag = {0};
    const struct option_entry options[] = {
        {.name = "--output", .letter = "-o", .value = &q.output},
        {.name = "--device", .value = &q.device},
        {.name = "--weights", .value = &q.weights},
        {.name = "--self-test", .flag = &q.test},
        {.name = "--external-output", .list = q.outputs, .count = &q.output_count, .room = OUTPUTS_MOST},
        {.name = "--all-outputs", .flag = &q.all},
        {.name = "--force", .flag = &q.force},
        {.name = "--help", .letter = "-h", .flag = &q.asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&q.file, 1, NULL}, &diag);
    if (!q.asked && !q.file)
        diag_error(&diag, (struct place){0}, "software of what? give a compiled network or a saved operator");
    if (!q.asked && (!q.output || !software_is_path(q.output)))
        diag_error(&diag, (struct place){0},
                   "which file is to be written? -o names it; it ends with .c or .onnx");
    if (!diag.errors && !q.asked && (q.weights || q.test) && !software_is_c(q.output))
        diag_error(&diag, (struct place){0}, "--weights and --self-test are for C");
    if (diag.errors && !q.asked)
        return cli_usage("software", &diag);
    diag_free(&diag);
    if (!q.asked)
        return make(&q);
    fputs(help, stdout);
    return CLI_DONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/software.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/net_layers.h"
#include "host/cli/net_passes.h"
#include "host/cli/place.h"

static const char help[] =
    "Usage: tulle software FILE -o MODEL.c|MODEL.onnx [OPTION]...\n"
    "\n"
    "Writes software that gives the device's bits: C11 that is made of the programs in FILE, a compiled\n"
    "network (tulle compile) or an operator that was saved (tulle_operator_save). MODEL.h is written, too.\n"
    "Or ONNX, of standard operators on integers. docs/software.md walks through a file.\n"
    "\n"
    "  -o, --output F   the file that is written, which ends with .c or .onnx\n"
    "  --device D       device that FILE is for (default: the model of a compiled network's variant)\n"
    "  --force          replace files that are there\n"
    "  -h, --help       this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum { SECONDS = 60, NAME = 128 };

struct request {
    const char *file, *output, *device;
    bool force, asked;
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), last = strlen(end);
    return length > last && !strcmp(text + length - last, end);
}

/* MODEL of a path FOLDER/MODEL.c. */
static void model_name(const char *path, char name[NAME])
{
    assert(path);
    const char *last = strrchr(path, '/');
    char base[NAME];
    snprintf(base, sizeof base, "%s", last ? last + 1 : path);
    char *end = strrchr(base, '.'); /* a long name may be cut before its ending */
    if (end)
        *end = 0;
    c_identifier(base, name, NAME);
}

/* The header is beside the file, with the name that the file includes. */
static void header_path(const char *path, const char *name, struct strbuf *to)
{
    const char *last = strrchr(path, '/');
    sb_addn(to, path, last ? (size_t)(last + 1 - path) : 0);
    sb_addf(to, "%s.h", name);
}

static bool write_onnx(const struct request *q, struct c_model *m, struct diag *diag)
{
    struct strbuf file = {0};
    onnx_write(m->onnx, m->name, &file);
    const bool ok = net_save_bytes(&file, q->output, q->force, diag);
    if (ok)
        printf("%s: %zu bytes, %zu layers\n", q->output, file.len, m->step_count);
    sb_free(&file);
    return ok;
}

static bool write_files(const struct request *q, struct c_model *m, struct diag *diag)
{
    if (m->onnx)
        return write_onnx(q, m, diag);
    struct strbuf source = {0}, header = {0}, path = {0};
    header_path(q->output, m->name, &path);
    bool ok = c_model_write(m, &source, &header);
    if (!ok)
        diag_no_memory(diag, q->output);
    ok = ok && net_save_bytes(&source, q->output, q->force, diag) &&
         net_save_bytes(&header, sb_text(&path), q->force, diag);
    if (ok)
        printf("%s: %zu bytes, %zu functions\n", q->output, source.len, m->step_count);
    sb_free(&source);
    sb_free(&header);
    sb_free(&path);
    return ok;
}

static bool take_network(const struct request *q, struct c_model *m, struct diag *diag)
{
    struct compiled compiled;
    struct strbuf device = {0};
    struct net_layers layers = {0};
    bool ok = compiled_read(q->file, &compiled, diag);
    if (ok && !q->device)
        sb_addf(&device, "model:%s", compiled.variant);
    const struct net_layers_options options = {.device = q->device ? q->device : sb_text(&device),
                                               .quiet = true,
                                               .seconds = SECONDS,
                                               .compiled = &compiled};
    ok = ok && net_layers_open(compiled.net, &options, &layers, diag) &&
         software_net(compiled.net, layers.layers, m, diag) && write_files(q, m, diag);
    net_layers_close(&layers);
    net_free(compiled.net);
    compiled_close(&compiled);
    sb_free(&device);
    return ok;
}

static bool take_operator(const struct request *q, struct c_model *m, struct diag *diag)
{
    struct tulle_device *device = NULL;
    struct tulle_operator *op = NULL;
    const bool ok = place_open(q->device, NULL, SECONDS, &device, diag) &&
                    place_done(q->device, tulle_operator_load(device, q->file, &op), diag) &&
                    software_operator(q->file, op, m, diag) && write_files(q, m, diag);
    tulle_operator_free(op);
    tulle_device_close(device);
    return ok;
}

static int make(const struct request *q)
{
    char name[NAME], title[NAME + 80];
    struct diag diag = {0};
    model_name(q->output, name);
    snprintf(title, sizeof title, "%s: made by tulle software of the programs of a device.", name);
    struct onnx onnx = {.last = 0};
    struct c_model model = {
        .name = name, .title = title, .onnx = ends_with(q->output, ".onnx") ? &onnx : NULL};
    const bool ok = compiled_is(q->file) ? take_network(q, &model, &diag) : take_operator(q, &model, &diag);
    software_free(&model);
    onnx_free(&onnx);
    if (!ok)
        diag_report(&diag, stderr);
    diag_free(&diag);
    return ok ? CLI_DONE : CLI_FAILED;
}

int cli_software(int argc, char **argv)
{
    struct request q = {.force = false};
    struct diag diag = {0};
    const struct option_entry options[] = {{.name = "--output", .letter = "-o", .value = &q.output},
                                           {.name = "--device", .value = &q.device},
                                           {.name = "--force", .flag = &q.force},
                                           {.name = "--help", .letter = "-h", .flag = &q.asked},
                                           {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&q.file, 1, NULL}, &diag);
    if (!q.asked && !q.file)
        diag_error(&diag, (struct place){0}, "software of what? give a compiled network or a saved operator");
    if (!q.asked && (!q.output || !(ends_with(q.output, ".c") || ends_with(q.output, ".onnx"))))
        diag_error(&diag, (struct place){0},
                   "which file is to be written? -o names it; it ends with .c or .onnx");
    if (diag.errors && !q.asked)
        return cli_usage("software", &diag);
    diag_free(&diag);
    if (!q.asked)
        return make(&q);
    fputs(help, stdout);
    return CLI_DONE;
}

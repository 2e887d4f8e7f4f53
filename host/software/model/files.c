/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "host/software/model/model.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), last = strlen(end);
    return length > last && !strcmp(text + length - last, end);
}

bool software_is_c(const char *path)
{
    return ends_with(path, ".c");
}

bool software_is_path(const char *path)
{
    return software_is_c(path) || ends_with(path, ".onnx");
}

/* MODEL of a path FOLDER/MODEL.c. */
static void model_name(const char *path, char name[SOFTWARE_NAME])
{
    const char *last = strrchr(path, '/');
    char base[SOFTWARE_NAME];
    snprintf(base, sizeof base, "%s", last ? last + 1 : path);
    char *end = strrchr(base, '.'); /* a long name may be cut before its ending */
    if (end)
        *end = 0;
    c_identifier(base, name, SOFTWARE_NAME);
}

void software_begin(struct software_files *f, const char *path, const char *weights)
{
    assert(path);
    *f = (struct software_files){.path = path, .weights = weights};
    model_name(path, f->name);
    snprintf(f->title, sizeof f->title, "%s: made by tulle software of the programs of a device.", f->name);
    f->model = (struct c_model){
        .name = f->name, .title = f->title, .onnx = ends_with(path, ".onnx") ? &f->onnx : NULL};
    f->model.file.apart = weights != NULL;
}

static bool write_onnx(struct software_files *f, software_put *put, void *context, struct diag *diag)
{
    struct strbuf file = {0};
    onnx_write(f->model.onnx, f->name, &file);
    const bool ok = put(context, f->path, &file, diag);
    f->bytes = file.len;
    sb_free(&file);
    return ok;
}

bool software_write(struct software_files *f, software_put *put, void *context, struct diag *diag)
{
    if (f->model.onnx)
        return write_onnx(f, put, context, diag);
    struct strbuf source = {0}, header = {0}, beside = {0};
    const char *last = strrchr(f->path, '/');
    sb_addn(&beside, f->path, last ? (size_t)(last + 1 - f->path) : 0);
    sb_addf(&beside, "%s.h", f->name);
    bool ok = c_model_write(&f->model, &source, &header);
    if (!ok)
        diag_no_memory(diag, f->path);
    ok = ok && put(context, f->path, &source, diag) && put(context, sb_text(&beside), &header, diag) &&
         (!f->weights || put(context, f->weights, &f->model.file.weights, diag));
    f->bytes = source.len;
    sb_free(&source);
    sb_free(&header);
    sb_free(&beside);
    return ok;
}

void software_end(struct software_files *f)
{
    software_free(&f->model);
    onnx_free(&f->onnx);
}

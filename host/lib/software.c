/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks and operators as software with their device's bits (docs/software.md).
 */
#include "gen/base/output.h"
#include "host/lib/net.h"
#include "host/software/model/model.h"

static struct software_parts parts_of(const struct tulle_operator *op)
{
    return (struct software_parts){&op->of, &op->image->packed, op->sequence};
}

static bool put(void *context, const char *path, const struct strbuf *bytes, struct diag *diag)
{
    enum tulle_status *status = context;
    if (!sb_ok(bytes)) {
        diag_no_memory(diag, path);
        return false;
    }
    *status = TULLE_FILE; /* if that is what fails */
    const bool ok = output_file(path, bytes, diag);
    *status = ok ? TULLE_UNSUPPORTED : TULLE_FILE;
    return ok;
}

static enum tulle_status check(const char *function, const void *of, const char *path, const char *weights)
{
    if (!of || !path)
        return message_set(TULLE_INVALID_ARGUMENT, "%s: %s is NULL", function,
                           of ? "path" : "its first argument");
    if (!software_is_path(path))
        return message_set(TULLE_INVALID_ARGUMENT, "%s: %s: the name of the file ends with .c or .onnx",
                           function, path);
    if (weights && !software_is_c(path))
        return message_set(TULLE_INVALID_ARGUMENT, "%s: weights are apart in C; ONNX has them in the file",
                           function);
    return TULLE_OK;
}

/* Writes what was filled, and frees it. */
static enum tulle_status finish(struct software_files *files, bool ok, struct diag *diag)
{
    enum tulle_status status = TULLE_UNSUPPORTED;
    ok = ok && software_write(files, put, &status, diag);
    status = ok ? TULLE_OK : net_message(status, diag);
    software_end(files);
    diag_free(diag);
    return status;
}

enum tulle_status tulle_net_software(const struct tulle_net *net, const char *path, const char *weights)
{
    const enum tulle_status status = check("tulle_net_software", net, path, weights);
    if (status)
        return status;
    if (!net->layers)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "tulle_net_software: the network was loaded without a device");
    if (net->team)
        return message_set(TULLE_UNSUPPORTED,
                           "tulle_net_software: %s: there is no software for layers on several devices",
                           net->path);
    struct software_files files;
    struct diag diag = {0};
    const struct software_outputs marked = {(const char *const *)net->marked, net->marked_count, false};
    software_begin(&files, path, weights);
    return finish(&files, software_net(net->net, net->layers, &marked, parts_of, &files.model, &diag), &diag);
}

enum tulle_status tulle_operator_software(const struct tulle_operator *op, const char *path,
                                          const char *weights)
{
    const enum tulle_status status = check("tulle_operator_software", op, path, weights);
    if (status)
        return status;
    struct software_files files;
    struct diag diag = {0};
    software_begin(&files, path, weights);
    const struct packed *packed = &op->image->packed;
    return finish(&files,
                  op->sequence ? software_sequence(path, op->sequence, packed, &files.model, &diag)
                               : software_operator(path, &op->of, packed, &files.model, &diag),
                  &diag);
}

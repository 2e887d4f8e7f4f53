/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks: read into a graph (host/net) and described.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/lib/net.h"
#include "host/net/graph/summary.h"
#include "host/net/read/read.h"

static enum tulle_status check_readable(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return message_set(TULLE_FILE, "%s: %s", path, strerror(errno));
    fclose(file);
    return TULLE_OK;
}

enum tulle_status net_message(enum tulle_status status, const struct diag *diag)
{
    enum { ROOM = 440 };
    struct strbuf text = {0};
    size_t shown = 0;
    for (const char *at = sb_text(&diag->text); *at; shown++) {
        const size_t length = strcspn(at, "\n");
        const char *word = strstr(at, " error: ");
        const size_t before = word && word < at + length ? (size_t)(word - at) : 0;
        if (shown && text.len + length > ROOM)
            break;
        sb_add(&text, shown ? "\n" : "");
        sb_addn(&text, at, before);
        sb_addn(&text, at + before + (before ? strlen(" error:") : 0),
                length - before - (before ? strlen(" error:") : 0));
        at += length + (at[length] == '\n');
    }
    if (shown < diag->errors)
        sb_addf(&text, "\nand %zu more; tulle net info lists them", diag->errors - shown);
    message_set(status, "%s", sb_text(&text));
    sb_free(&text);
    return status;
}

/* 0 for what is not known while dimensions have no value. */
static uint64_t known(struct dim dim)
{
    return dim.term ? 0 : (uint64_t)dim.value;
}

static void fill_info(struct tulle_net *to)
{
    const struct net *net = to->net;
    const struct net_summary s = net_summarise(to->net);
    to->info = (struct tulle_net_info){.size = sizeof to->info,
                                       .inputs = net->input_count,
                                       .outputs = net->output_count,
                                       .nodes = net->node_count,
                                       .parameters = known(s.parameters),
                                       .non_zeros = s.non_zeros,
                                       .multiplications = known(s.multiplications),
                                       .weight_bytes = known(s.weight_bytes),
                                       .activation_bytes = known(s.activation_bytes),
                                       .live_bytes = s.live_bytes};
}

enum tulle_status tulle_net_load(const char *path, const struct tulle_net_options *options,
                                 struct tulle_net **to)
{
    struct tulle_net_options o;
    struct diag diag = {0};
    if (!path || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_load: %s is NULL", path ? "net" : "path");
    enum tulle_status status = sized_take(SIZED_NET_OPTIONS, options, &o);
    if (!status && o.shape_count && !o.shapes)
        status = message_set(TULLE_INVALID_ARGUMENT, "struct tulle_net_options: shapes is NULL");
    if (!status)
        status = check_readable(path);
    if (!status && o.weights)
        status = check_readable(o.weights);
    if (status)
        return status;
    struct tulle_net *net = calloc(1, sizeof *net);
    if (!net)
        return message_no_memory();
    const struct net_read_options reading = {.weights = o.weights,
                                             .train = o.train != 0,
                                             .shapes = o.shapes,
                                             .shape_count = o.shape_count,
                                             .sized = o.sized != 0};
    net->net = net_read(path, &reading, &diag);
    if (net->net) {
        fill_info(net);
        *to = net;
    } else {
        status = net_message(TULLE_INVALID_FILE, &diag);
        free(net);
    }
    diag_free(&diag);
    return status;
}

void tulle_net_free(struct tulle_net *net)
{
    if (!net)
        return;
    net_free(net->net);
    free(net);
}

enum tulle_status tulle_net_describe(const struct tulle_net *net, struct tulle_net_info *info)
{
    if (!net || !info)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_net_describe: %s is NULL", net ? "info" : "net");
    const enum tulle_status status = sized_check(SIZED_NET_INFO, info);
    if (!status)
        sized_give(SIZED_NET_INFO, &net->info, info);
    return status;
}

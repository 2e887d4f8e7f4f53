/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/net/cpu/kernel.h"
#include "host/net/quantise/quantiser.h"

struct run *sample_run(struct net *net, const struct quantise_samples *samples, size_t sample,
                       struct diag *diag)
{
    struct run *run = run_new(net, diag);
    bool ok = run != NULL;
    if (!ok)
        diag_no_memory(diag, net->source[0].path);
    if (ok && samples->threads > 1)
        ok = run_threads(run, samples->threads);
    for (size_t i = 0; ok && i < net->input_count; i++)
        ok = run_set(run, net->inputs[i], &samples->views[sample * net->input_count + i]);
    if (ok)
        return run;
    run_free(run);
    return NULL;
}

void outputs_free(struct view *outputs, size_t count)
{
    for (size_t i = 0; outputs && i < count; i++)
        free(outputs[i].data);
    free(outputs);
}

static bool copy_outputs(struct net *net, struct run *run, struct view *to, struct diag *diag)
{
    for (size_t i = 0; i < net->output_count; i++) {
        struct view v;
        if (!run_get(run, net->outputs[i], &v)) {
            diag_error(diag, (struct place){.file = net->source[0].path}, "output \"%.60s\" has no value",
                       net->outputs[i]->name);
            return false;
        }
        const size_t bytes = v.count * type_bytes(v.type);
        to[i] = v;
        to[i].data = malloc(bytes + 1);
        if (!to[i].data) {
            diag_no_memory(diag, net->source[0].path);
            return false;
        }
        memcpy(to[i].data, v.data, bytes);
    }
    return true;
}

struct view *outputs_of(struct net *net, const struct quantise_samples *samples, struct diag *diag)
{
    const size_t count = samples->count * net->output_count;
    struct view *outputs = calloc(count + 1, sizeof *outputs);
    bool ok = outputs != NULL;
    if (!ok)
        diag_no_memory(diag, net->source[0].path);
    for (size_t i = 0; ok && i < samples->count; i++) {
        struct run *run = sample_run(net, samples, i, diag);
        if (run)
            run_forget(run);
        ok = run && run_nodes(run) && copy_outputs(net, run, &outputs[i * net->output_count], diag);
        run_free(run);
    }
    if (ok)
        return outputs;
    outputs_free(outputs, count);
    return NULL;
}

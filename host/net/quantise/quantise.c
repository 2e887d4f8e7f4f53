/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/quantise/quantise.h"

#include <stdlib.h>
#include <string.h>

#include "host/net/quantise/quantiser.h"
#include "host/net/write/write.h"

/* What both readings of the network go through. */
static bool prepare(struct quantiser *q)
{
    return quantiser_layers(q) && quantiser_prune(q) && quantiser_equalise(q);
}

static void copy_weights(const struct quantiser *from, const struct quantiser *to)
{
    for (size_t i = 0; i < from->layer_count; i++) {
        const struct layer *l = &from->layers[i];
        memcpy(to->layers[i].w, l->w, l->count * sizeof *l->w);
        if (l->b)
            memcpy(to->layers[i].b, l->b, l->channels * sizeof *l->b);
    }
}

static bool write(const struct net *net, struct strbuf *onnx, struct diag *diag)
{
    net_write_onnx(net, onnx);
    if (!sb_ok(onnx))
        diag_no_memory(diag, net->source[0].path);
    return sb_ok(onnx);
}

static bool perform(struct quantiser *q, struct quantiser *floats, const struct view *first,
                    struct strbuf *onnx, struct quantise_report *report)
{
    if (!prepare(q) || !prepare(floats) || !quantiser_repair(q))
        return false;
    copy_weights(q, floats);
    return quantiser_sites(q) && quantiser_calibrate(q) && quantiser_insert(q) &&
           write(q->net, onnx, q->diag) && passes_settle(q->net, NULL, q->diag) &&
           quantiser_measure(q, floats->net, first, report);
}

bool quantise_net(struct net *net, struct net *reference, const struct quantise_samples *samples,
                  const struct quantise_options *options, struct strbuf *onnx, struct quantise_report *report,
                  struct diag *diag)
{
    struct quantiser q = {.net = net, .options = options, .samples = samples, .diag = diag}, floats = q;
    const size_t before = diag->errors;
    *report = (struct quantise_report){0};
    floats.net = reference;
    if (!samples->count) {
        diag_error(diag, (struct place){.file = net->source[0].path},
                   "there are no inputs to calibrate with");
        return false;
    }
    struct view *first = outputs_of(reference, samples, diag);
    const bool ok = first && perform(&q, &floats, first, onnx, report);
    outputs_free(first, samples->count * reference->output_count);
    quantiser_free(&q);
    quantiser_free(&floats);
    net->diag = reference->diag = NULL;
    if (!ok && diag->errors == before)
        diag_no_memory(diag, net->source[0].path);
    return ok;
}

void quantise_report_free(struct quantise_report *report)
{
    free(report->tensors);
    free(report->outputs);
    *report = (struct quantise_report){0};
}

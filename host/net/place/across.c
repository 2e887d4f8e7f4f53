/* SPDX-License-Identifier: Apache-2.0
 *
 * What operations save because of their neighbours: those of a part stay in the
 * device's memory and on chip, and those within another one have no loops of
 * their own.
 */
#include <inttypes.h>

#include "host/net/device/parts.h"
#include "host/net/place/joined.h"

enum { US = 1000000 };

/* Of a layer and what is folded into it. */
static double result_bytes(const struct layer *layer)
{
    return (double)job_shape_bytes(&layer->job->y);
}

static void tell_part(const struct place_network *n, const struct part *part, size_t number,
                      struct strbuf *to)
{
    const struct place_device *d = &n->devices[0];
    size_t count;
    const struct layer *list = layers_list(d->layers, &count);
    double kept = 0, copies = 0, alone = 0;
    for (size_t i = part->first; i <= part->last; i++) {
        bool given = false;
        if (!list[i].job)
            continue;
        alone += n->problem.operations[i].on[PLACE_HOST + 1].run * d->hertz;
        for (size_t o = 0; o < part->output_count; o++)
            given = given || part->outputs[o].layer == i;
        if (given)
            continue;
        kept += result_bytes(&list[i]);
        copies += place_copies(d, n->options->library, result_bytes(&list[i]), result_bytes(&list[i]));
    }
    sb_addf(
        to,
        "part %zu, %zu operators: %zu jobs less save %.2f us; %.0f bytes of values stay on the device, which "
        "saves copies of %.2f us; ",
        number, part->layers, part->layers - 1, US * d->job * (double)(part->layers - 1), kept, US * copies);
    sb_addf(to,
            "operands that stay on chip, and loads while others compute: %" PRIu64
            " cycles in place of %.0f, "
            "which saves %.2f us\n",
            part->predicted, alone, US * (alone - (double)part->predicted) / d->hertz);
}

/* A layer whose tiles go through the operations behind it as well. */
static void tell_merged(const struct place_network *n, const struct place_device *d, const struct layer *list,
                        size_t at, struct strbuf *to)
{
    const double bytes = result_bytes(&list[at]), merged = (double)list[at].folds;
    if (list[at].part)
        sb_addf(
            to,
            "%zu with %zu operations behind it in its loops: %.0f bytes less are written and read again\n",
            at, list[at].folds, 2 * bytes * merged);
    else
        sb_addf(
            to,
            "%zu with %zu operations behind it in its loops: %zu jobs less save %.2f us, and %.0f bytes that "
            "are not copied back and forth %.2f us\n",
            at, list[at].folds, list[at].folds, US * d->job * merged, 2 * bytes * merged,
            US * merged * place_copies(d, n->options->library, bytes, bytes));
}

void place_tell_joined(const struct place_network *n, struct strbuf *to)
{
    for (size_t d = 0; d < n->device_count; d++) {
        size_t count;
        const struct layer *list = layers_list(n->devices[d].layers, &count);
        for (size_t i = 0; i < count; i++)
            if (list[i].job && list[i].folds)
                tell_merged(n, &n->devices[d], list, i, to);
        const struct part *parts = layers_parts(n->devices[d].layers, &count);
        for (size_t i = 0; i < count; i++)
            tell_part(n, &parts[i], i + 1, to);
    }
}

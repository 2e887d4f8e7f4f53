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

/* Of a part, or of an operation with others in its loops. */
struct saved {
    bool of_part;
    size_t number;         /* of the part, from 1; or of the operation */
    size_t operators;      /* of the part; or behind the operation, in its loops */
    size_t jobs;           /* that are not started */
    double bytes;          /* of values that stay on the device */
    double copies;         /* seconds that they would take */
    double started;        /* seconds that the jobs would take to start */
    double alone, cycles;  /* of a part: of its operators as jobs of their own, and as they are; 0: of none */
    double cycles_seconds; /* of the difference */
    bool on_device;        /* the bytes would not have been copied, but written and read again */
};

/* Of a layer and what is folded into it. */
static double result_bytes(const struct layer *layer)
{
    return (double)job_shape_bytes(&layer->job->y);
}

static bool is_given(const struct part *part, size_t layer)
{
    bool given = false;
    for (size_t o = 0; o < part->output_count; o++)
        given = given || part->outputs[o].layer == layer;
    return given;
}

static struct saved of_part(const struct place_network *n, const struct part *part, size_t number)
{
    const struct place_device *d = &n->devices[0];
    size_t count;
    const struct layer *list = layers_list(d->layers, &count);
    struct saved s = {.of_part = true,
                      .number = number,
                      .operators = part->layers,
                      .jobs = part->layers - 1,
                      .started = d->job * (double)(part->layers - 1),
                      .cycles = (double)part->predicted};
    for (size_t i = part->first; i <= part->last; i++) {
        if (!list[i].job)
            continue;
        s.alone += n->problem.operations[i].on[PLACE_HOST + 1].run * d->hertz;
        if (is_given(part, i))
            continue;
        const double bytes = result_bytes(&list[i]);
        s.bytes += bytes;
        s.copies += place_copies(d, n->options->library, bytes, bytes);
    }
    s.cycles_seconds = (s.alone - s.cycles) / d->hertz;
    return s;
}

/* A layer whose tiles go through the operations behind it as well. */
static struct saved of_merged(const struct place_network *n, const struct place_device *d,
                              const struct layer *layer, size_t at)
{
    const double bytes = result_bytes(layer), folds = (double)layer->folds;
    struct saved s = {.number = at,
                      .operators = layer->folds,
                      .bytes = 2 * bytes * folds,
                      .on_device = layer->part != NULL};
    if (layer->part)
        return s;
    s.jobs = layer->folds;
    s.started = d->job * folds;
    s.copies = folds * place_copies(d, n->options->library, bytes, bytes);
    return s;
}

/* Of each operation and each part that saves something, in this order. */
static void for_each(const struct place_network *n, void (*tell)(const struct saved *s, struct strbuf *to),
                     struct strbuf *to)
{
    struct saved s;
    for (size_t d = 0; d < n->device_count; d++) {
        size_t count;
        const struct layer *list = layers_list(n->devices[d].layers, &count);
        for (size_t i = 0; i < count; i++)
            if (list[i].job && list[i].folds) {
                s = of_merged(n, &n->devices[d], &list[i], i);
                tell(&s, to);
            }
        const struct part *parts = layers_parts(n->devices[d].layers, &count);
        for (size_t i = 0; i < count; i++) {
            s = of_part(n, &parts[i], i + 1);
            tell(&s, to);
        }
    }
}

static void tell_one(const struct saved *s, struct strbuf *to)
{
    if (s->of_part) {
        sb_addf(to,
                "part %zu, %zu operators: %zu jobs less save %.2f us; %.0f bytes of values stay on the "
                "device, which saves copies of %.2f us; ",
                s->number, s->operators, s->jobs, US * s->started, s->bytes, US * s->copies);
        sb_addf(to,
                "operands that stay on chip, and loads while others compute: %.0f cycles in place of %.0f, "
                "which saves %.2f us\n",
                s->cycles, s->alone, US * s->cycles_seconds);
        return;
    }
    sb_addf(to, "%zu with %zu operations behind it in its loops: ", s->number, s->operators);
    if (s->on_device)
        sb_addf(to, "%.0f bytes less are written and read again\n", s->bytes);
    else
        sb_addf(to, "%zu jobs less save %.2f us, and %.0f bytes that are not copied back and forth %.2f us\n",
                s->jobs, US * s->started, s->bytes, US * s->copies);
}

void place_tell_joined(const struct place_network *n, struct strbuf *to)
{
    for_each(n, tell_one, to);
}

static void json_one(const struct saved *s, struct strbuf *to)
{
    if (to->len && to->text[to->len - 1] != '[')
        sb_add(to, ",");
    sb_addf(to,
            "\n  {\"%s\": %zu, \"operators\": %zu, \"jobs\": %zu, \"jobs_us\": %.3f, \"bytes\": %.0f, "
            "\"copies_us\": %.3f",
            s->of_part ? "part" : "operation", s->number, s->operators, s->jobs, US * s->started, s->bytes,
            US * s->copies);
    if (s->of_part)
        sb_addf(to, ", \"cycles\": %.0f, \"cycles_alone\": %.0f, \"cycles_us\": %.3f", s->cycles, s->alone,
                US * s->cycles_seconds);
    sb_add(to, "}");
}

void place_json_joined(const struct place_network *n, struct strbuf *to)
{
    sb_add(to, "\"savings\": [");
    for_each(n, json_one, to);
    sb_add(to, "]");
}

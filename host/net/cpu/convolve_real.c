/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions of real numbers. The windows of several results are gathered side by side, and then multiplied
 * with the weights of one output channel after another. A result is summed in one order, however many stand
 * beside it, and in one order, however many threads share the work.
 */
#include <stdlib.h>

#include "host/net/cpu/window.h"

/* So many results stand side by side; each is summed in the same order, whatever the number. */
enum { LANES = 8 };

struct real_conv {
    const struct slide *slide;
    const struct view *x, *b, *y;
    const double *weights;   /* a row for each output channel */
    int64_t groups_of_lanes; /* of an image */
};

/* Room of a thread. */
struct patch {
    double *numbers; /* [element of a row][lane] */
    int64_t *places; /* [lane][element of the window] */
};

static struct prepared real_weights(const struct call *c, const struct slide *s, const struct view *w)
{
    const int64_t row = s->taps * s->each,
                  form[] = {s->taps, s->each, s->weights.output, s->weights.input, s->weights.tap};
    struct prepared to = prepare(c, w, form, sizeof form / sizeof *form, w->count * sizeof(double));
    double *weights = to.data;
    for (int64_t i = 0; weights && to.fresh && i < (int64_t)w->count; i++) {
        const int64_t o = i / row, k = i % row / s->taps, tap = i % s->taps;
        weights[i] =
            view_real(w, (size_t)(o * s->weights.output + k * s->weights.input + tap * s->weights.tap));
    }
    return to;
}

/* The windows of `lanes` results, in the order [input channel][element of the window]. */
static void gather_real(const struct real_conv *conv, const struct patch *patch, int64_t base, int lanes)
{
    const struct slide *s = conv->slide;
    for (int64_t i = 0; i < s->each * s->taps; i++)
        for (int lane = 0; lane < lanes; lane++) {
            const int64_t place = patch->places[lane * s->taps + i % s->taps];
            patch->numbers[i * LANES + lane] =
                place < 0
                    ? 0
                    : view_real_of(conv->x,
                                   (size_t)(base + i / s->taps * s->from.channel + place * s->from.place));
        }
}

static void put_real(const struct real_conv *conv, const double *patch, int64_t output, int64_t to, int lanes)
{
    const struct slide *s = conv->slide;
    const int64_t row = s->each * s->taps;
    const double *w = conv->weights + output * row;
    double sum[LANES];
    for (int lane = 0; lane < LANES; lane++)
        sum[lane] = conv->b ? view_real(conv->b, (size_t)output) : 0;
    for (int64_t i = 0; i < row; i++, patch += LANES)
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] += w[i] * patch[lane];
    for (int lane = 0; lane < lanes; lane++)
        view_set_real(conv->y, (size_t)(to + output * s->to.channel + lane * s->to.place), sum[lane]);
}

static void convolve_lanes(const struct real_conv *conv, const struct patch *patch, int64_t image, int64_t at)
{
    const struct slide *s = conv->slide;
    const int64_t outputs = s->to.channels / s->groups;
    const int lanes = s->results - at < LANES ? (int)(s->results - at) : LANES;
    for (int lane = 0; lane < lanes; lane++)
        slide_places(s, at + lane, lane ? patch->places + (lane - 1) * s->taps : NULL,
                     patch->places + lane * s->taps);
    for (int64_t g = 0; g < s->groups; g++) {
        gather_real(conv, patch, image * s->from.image + g * s->each * s->from.channel, lanes);
        for (int64_t o = g * outputs; o < (g + 1) * outputs; o++)
            put_real(conv, patch->numbers, o, image * s->to.image + at * s->to.place, lanes);
    }
}

/* Some groups of lanes, counted through all images. */
static bool convolve_real(const void *context, int64_t begin, int64_t end)
{
    const struct real_conv *conv = context;
    const struct slide *s = conv->slide;
    const struct patch patch = {calloc((size_t)(s->taps * s->each * LANES) + 1, sizeof *patch.numbers),
                                calloc((size_t)(s->taps * LANES) + 1, sizeof *patch.places)};
    const bool ok = patch.numbers && patch.places;
    for (int64_t i = begin; ok && i < end; i++)
        convolve_lanes(conv, &patch, i / conv->groups_of_lanes, i % conv->groups_of_lanes * LANES);
    free(patch.numbers);
    free(patch.places);
    return ok;
}

static bool conv(const struct call *c)
{
    const struct slide s = slide_of(c->node, c->in[0], c->in[1], c->out[0]);
    struct real_conv conv = {.slide = &s,
                             .x = c->in[0],
                             .b = c->inputs > 2 ? c->in[2] : NULL,
                             .y = c->out[0],
                             .groups_of_lanes = (s.results + LANES - 1) / LANES};
    if (!slide_fits(c, &s, c->in[1], conv.b))
        return false;
    struct prepared weights = real_weights(c, &s, c->in[1]);
    conv.weights = weights.data;
    const bool ok = weights.data && crew_share(c->crew, s.images * conv.groups_of_lanes,
                                               LANES * s.taps * s.each * s.to.channels, convolve_real, &conv);
    prepared_free(&weights);
    return ok || kernel_no_memory(c);
}

const struct kernel convolve_kernels[] = {{"Conv", conv}, {NULL, NULL}};

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/planner.h"

#include <assert.h>

#include "host/plan/product.h"
#include "host/plan/status.h"
#include "host/plan/vector.h"

enum plan_status plan_make(const struct plan_description *d, const struct plan_choice *choice,
                           struct plan *plan)
{
    if ((d->zero || d->has_no_sign || d->results_have_no_sign) && !d->variant->zero_points)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "activations with a zero point or without a sign: this variant is "
                           "without zero_points");
    switch (choice->gather) {
    case PLAN_GATHER_NONE:
        return plan_product(d, choice, plan);
    case PLAN_GATHER_DIAGONAL:
        return plan_diagonal(d, choice, plan);
    default:
        return plan_vector(d, choice, plan);
    }
}

struct num_step plan_function_step(const struct plan_function *f, unsigned element)
{
    return (struct num_step){.function = (enum num_function)f->function,
                             .element = (enum num_element)element,
                             .shift = f->shift,
                             .multiplier = f->multiplier,
                             .low = (int16_t)f->low,
                             .high = (int16_t)f->high,
                             .zero = (int16_t)f->zero,
                             .slope = (int16_t)f->slope,
                             .rounding = (enum num_rounding)f->rounding,
                             .lookup = f->lookup};
}

uint64_t plan_input_offset(const struct plan *plan, uint32_t m, uint32_t k)
{
    const struct plan_layout *l = &plan->layout;
    if (l->compact)
        return l->compact[k] == UINT32_MAX ? PLAN_NOWHERE : (uint64_t)l->compact[k] * l->data_bytes;
    return (uint64_t)m * l->input_pitch + (uint64_t)k * l->data_bytes;
}

uint64_t plan_pixel_offset(const struct plan *plan, uint32_t image, uint32_t y, uint32_t x)
{
    const struct plan_layout *l = &plan->layout;
    const struct plan_images *w = &l->window;
    return (uint64_t)image * l->input_pitch + ((uint64_t)y * w->width + x) * w->channels * l->data_bytes;
}

/* A result of a convolution among those that there are. */
static uint64_t pixel_place(const struct plan_images *w, uint32_t m)
{
    const uint32_t y = m / w->out_width % w->out_height, image = m / w->out_width / w->out_height;
    return ((uint64_t)image * w->rows + y) * w->columns + m % w->out_width;
}

/* Groups of K results that come before segment `segment` of a pass, when a segment gives `each`: pass by
 * pass, or tile by tile and in each pass by pass. */
static uint64_t groups_before(const struct plan_layout *l, uint32_t pass, uint32_t segment, uint64_t each)
{
    uint32_t first = 0, length = l->segments;
    for (uint32_t t = 0; t < l->tile_count && l->tiles[t] <= segment; t++) {
        first = l->tiles[t];
        length = l->tiles[t + 1] - first;
    }
    return ((uint64_t)first * l->passes + (uint64_t)pass * length + (segment - first)) * each;
}

/* Which of the results of a segment and row of activations, in groups of K. */
static uint32_t stream_of(const struct plan_layout *l, uint32_t m_part, uint32_t n_part)
{
    return l->n_first ? n_part * l->m_parts + m_part : m_part * l->n_parts + n_part;
}

/* Of a convolution: by segments, then pixel by pixel of all parts' tiles; or, when results go to the images'
 * order, part by part. */
static uint64_t pixel_order(const struct plan_layout *l, uint32_t m, uint32_t n)
{
    const struct plan_images *w = &l->window;
    const uint32_t down = w->rows / w->tile_height, across = w->columns / w->tile_width,
                   results = w->tile_height * w->tile_width, x = m % w->out_width,
                   y = m / w->out_width % w->out_height, image = m / w->out_width / w->out_height;
    const uint32_t tile = (image * down + y / w->tile_height) * across + x / w->tile_width,
                   pixel = y % w->tile_height * w->tile_width + x % w->tile_width, group = n / l->pes,
                   part = group / l->segments; /* parts of n may have channels of their own */
    const uint32_t m_part = tile % l->m_parts, n_part = (w->scattered ? part : group) % l->n_parts,
                   segment = w->scattered ? group % l->segments : group / l->n_parts,
                   block = w->scattered ? part / l->n_parts : 0, streams = l->m_parts * l->n_parts,
                   pass = block * (l->passes / w->blocks) + tile / l->m_parts,
                   stream = stream_of(l, m_part, n_part);
    const uint64_t before = groups_before(l, pass, segment, (uint64_t)results * streams);
    if (!w->natural)
        return before + (uint64_t)pixel * streams + stream;
    return before + (w->scattered ? (uint64_t)stream * results + pixel
                                  : ((uint64_t)m_part * results + pixel) * l->n_parts + n_part);
}

uint64_t plan_output_offset(const struct plan *plan, uint32_t m, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    if (l->place && l->place[n] == UINT32_MAX)
        return PLAN_NOWHERE;
    if (l->window.rows && !l->window.natural) {
        n = l->place ? l->place[n] : n;
        return (pixel_order(l, m, n) * l->pes + n % l->pes) * l->element_bytes;
    }
    return (l->window.rows ? pixel_place(&l->window, m) : m) * plan->output_pitch +
           (uint64_t)(l->place ? l->place[n] : n) * l->element_bytes;
}

/* Of that many bytes, sign-extended. */
static int64_t wrap(uint64_t value, unsigned bytes)
{
    assert(bytes >= 1 && bytes <= 8);
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    uint64_t low = value & (sign | (sign - 1));
    return (int64_t)((low ^ sign) - sign);
}

static int64_t get_element(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return wrap(value, bytes);
}

int64_t plan_result(const struct plan *plan, const uint8_t *output, uint32_t m, uint32_t n, int64_t otherwise)
{
    const struct plan_layout *l = &plan->layout;
    uint64_t at = plan_output_offset(plan, m, n);
    if (at == PLAN_NOWHERE)
        return otherwise;
    uint64_t sum = (uint64_t)get_element(output + at, l->element_bytes);
    for (uint32_t i = 0; i < l->more_count; i++)
        if (l->more[2 * i] == n)
            sum += (uint64_t)get_element(output + (uint64_t)l->more[2 * i + 1] * l->element_bytes,
                                         l->element_bytes);
    return wrap(sum, l->element_bytes);
}

void plan_results(const struct plan *plan, const uint8_t *output, int64_t *to, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = plan_output_offset(plan, 0, i);
        to[i] = at == PLAN_NOWHERE ? to[i] : get_element(output + at, l->element_bytes);
    }
    for (uint32_t i = 0; i < l->more_count; i++) {
        uint32_t row = l->more[2 * i];
        uint64_t at = (uint64_t)l->more[2 * i + 1] * l->element_bytes;
        to[row] =
            wrap((uint64_t)to[row] + (uint64_t)get_element(output + at, l->element_bytes), l->element_bytes);
    }
}

/* Partial sums are in the order in which their results come: of a pass, or of a tile and a pass, by segments,
 * rows held, and parts of the array. */
uint64_t plan_partial_offset(const struct plan *plan, uint32_t m, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    n = l->place ? l->place[n] : n;
    if (n == UINT32_MAX)
        return PLAN_NOWHERE;
    if (l->compact)
        return (uint64_t)n * l->partial_bytes;
    if (l->window.rows)
        return (pixel_order(l, m, n) * l->pes + n % l->pes) * l->partial_bytes;
    uint32_t group = n / l->pes, segment = group / l->n_parts, n_part = group % l->n_parts,
             m_part = m % l->m_parts, held = m / l->m_parts % l->held, pass = m / l->m_parts / l->held;
    uint64_t streams = (uint64_t)l->m_parts * l->n_parts, each = l->held * streams; /* groups of a segment */
    uint64_t groups = groups_before(l, pass, segment, each) + held * streams + stream_of(l, m_part, n_part);
    return (groups * l->pes + n % l->pes) * l->partial_bytes;
}

uint64_t plan_operand_offset(const struct plan *plan, uint32_t m, uint32_t n)
{
    const uint64_t at = plan_partial_offset(plan, m, n);
    return at == PLAN_NOWHERE ? at : at / plan->layout.partial_bytes * plan->layout.operand_bytes;
}

const char *plan_mapping_name(enum plan_mapping mapping)
{
    static const char *const names[PLAN_MAPPINGS] = {"is", "os", "ws"};
    return mapping < PLAN_MAPPINGS ? names[mapping] : "?";
}

const char *plan_split_name(struct plan_split split, char text[8])
{
    static const char letters[PLAN_AXES] = {'m', 'n', 'k'};
    text[0] = split.rows < PLAN_AXES ? letters[split.rows] : '?';
    text[1] = split.columns < PLAN_AXES ? letters[split.columns] : '?';
    text[2] = '\0';
    return text;
}

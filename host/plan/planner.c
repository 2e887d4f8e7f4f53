/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/planner.h"

#include <assert.h>
#include <string.h>

#include "host/plan/needed.h"
#include "host/plan/product.h"
#include "host/plan/status.h"
#include "host/plan/vector.h"

/* Of all rows and columns. */
static enum plan_status make_all(const struct plan_description *d, const struct plan_choice *choice,
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

enum plan_status plan_make(const struct plan_description *d, const struct plan_choice *choice,
                           struct plan *plan)
{
    struct plan_needed needed;
    bool ok;
    if (!needed_find(d, &needed, &ok)) {
        enum plan_status status = ok ? make_all(d, choice, plan) : plan_no_memory();
        plan->layout.needed = d->needed;
        return status;
    }
    enum plan_status why = make_all(&needed.description, choice, plan);
    if (!why && needed_widen(&needed, 0, needed.weights.rows, 0, needed.rows, plan))
        why = plan_no_memory();
    needed_free(&needed);
    return why;
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
    k = l->needed ? needed_column(l->needed, k) : k;
    if (k != UINT32_MAX && l->compact)
        k = l->compact[k];
    if (k == UINT32_MAX)
        return PLAN_NOWHERE;
    return l->from.first + (uint64_t)m * l->input_pitch + (uint64_t)k * l->data_bytes;
}

void plan_put_bytes(const struct plan *plan, uint32_t m, const int8_t *from, int64_t step, uint32_t k,
                    uint8_t *to)
{
    const struct plan_layout *l = &plan->layout;
    uint8_t *row = to + l->from.first + (uint64_t)m * l->input_pitch;
    assert(l->data_bytes == 1);
    for (uint32_t i = 0; i < k; i++, from += step) {
        uint32_t place = l->needed ? needed_column(l->needed, i) : i;
        place = place != UINT32_MAX && l->compact ? l->compact[place] : place;
        if (place != UINT32_MAX)
            row[place] = (uint8_t)*from;
    }
}

void plan_repeat(const struct plan *plan, uint8_t *to)
{
    const struct plan_layout *l = &plan->layout;
    for (uint32_t i = 1; i <= l->repeats; i++)
        memcpy(to + (size_t)i * l->repeat_pitch * l->data_bytes, to, (size_t)l->repeated * l->data_bytes);
}

uint64_t plan_pixel_offset(const struct plan *plan, uint32_t image, uint32_t y, uint32_t x)
{
    const struct plan_layout *l = &plan->layout;
    const struct plan_images *w = &l->window;
    if (l->from.group)
        return plan_place(&l->from, image, y, x, 0, l->data_bytes);
    return (uint64_t)image * l->input_pitch + ((uint64_t)y * w->width + x) * w->channels * l->data_bytes;
}

uint64_t plan_channel_offset(const struct plan *plan, uint32_t image, uint32_t y, uint32_t x,
                             uint32_t channel)
{
    const struct plan_layout *l = &plan->layout;
    return l->from.group ? plan_place(&l->from, image, y, x, channel, l->data_bytes)
                         : plan_pixel_offset(plan, image, y, x) + (uint64_t)channel * l->data_bytes;
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
    const uint32_t down = w->rows / w->apart_y / w->tile_height,
                   across = w->columns / w->apart_x / w->tile_width, results = w->tile_height * w->tile_width,
                   all_x = m % w->out_width, all_y = m / w->out_width % w->out_height,
                   image = m / w->out_width / w->out_height;
    /* Of the results that are so far apart. */
    const uint32_t x = all_x / w->apart_x, y = all_y / w->apart_y,
                   phase = (image * w->apart_y + all_y % w->apart_y) * w->apart_x + all_x % w->apart_x;
    const uint32_t tile = (phase * down + y / w->tile_height) * across + x / w->tile_width,
                   pixel = y % w->tile_height * w->tile_width + x % w->tile_width,
                   block = n / l->pes / (l->segments * l->n_parts),
                   group = n / l->pes % (l->segments * l->n_parts); /* of the block */
    const uint32_t m_part = tile % l->m_parts, streams = l->m_parts * l->n_parts,
                   /* parts of n may have channels of their own */
        n_part = w->scattered ? group / l->segments : group % l->n_parts,
                   segment = w->scattered ? group % l->segments : group / l->n_parts,
                   pass = block * (l->passes / w->blocks) + tile / l->m_parts,
                   stream = stream_of(l, m_part, n_part);
    const uint64_t before = groups_before(l, pass, segment, (uint64_t)results * streams);
    if (!w->natural)
        return before + (uint64_t)pixel * streams + stream;
    return before + (w->scattered ? (uint64_t)stream * results + pixel
                                  : ((uint64_t)m_part * results + pixel) * l->n_parts + n_part);
}

/* Of result n among those of a row; UINT32_MAX: none. */
static uint32_t result_place(const struct plan_layout *l, uint32_t n)
{
    n = l->needed ? needed_row(l->needed, n) : n;
    return n != UINT32_MAX && l->place ? l->place[n] : n;
}

uint32_t plan_outputs_beside(const struct plan *plan, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    if (l->needed || l->place)
        return 1;
    if (l->window.rows && l->to.group)
        return l->to.group - n % l->to.group;
    return l->window.rows && !l->window.natural ? l->pes - n % l->pes : UINT32_MAX;
}

bool plan_has_place(const struct plan *plan, uint32_t n)
{
    return result_place(&plan->layout, n) != UINT32_MAX;
}

uint64_t plan_output_offset(const struct plan *plan, uint32_t m, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    n = result_place(l, n);
    if (n == UINT32_MAX)
        return PLAN_NOWHERE;
    if (l->window.rows && l->to.group) {
        const uint32_t width = l->window.out_width, height = l->window.out_height;
        return plan_place(&l->to, m / width / height, m / width % height, m % width, n, l->element_bytes);
    }
    if (l->window.rows && !l->window.natural)
        return (pixel_order(l, m, n) * l->pes + n % l->pes) * l->element_bytes;
    return (l->window.rows ? pixel_place(&l->window, m) : m) * plan->output_pitch +
           (uint64_t)n * l->element_bytes;
}

/* Of that many bytes, sign-extended. */
static int64_t wrap(uint64_t value, unsigned bytes)
{
    assert(bytes >= 1 && bytes <= 8);
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    uint64_t low = value & (sign | (sign - 1));
    return (int64_t)((low ^ sign) - sign);
}

static inline int64_t get_element(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    if (bytes == 4) /* most sums; one load */
        return (int32_t)((uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                         (uint32_t)from[3] << 24);
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return wrap(value, bytes);
}

/* Of one more part of a long row. */
static uint64_t more_at(const struct plan *plan, uint32_t m, uint32_t i)
{
    return (uint64_t)m * plan->output_pitch +
           (uint64_t)plan->layout.more[2 * i + 1] * plan->layout.element_bytes;
}

int64_t plan_result(const struct plan *plan, const uint8_t *output, uint32_t m, uint32_t n, int64_t otherwise)
{
    const struct plan_layout *l = &plan->layout;
    uint64_t at = plan_output_offset(plan, m, n);
    if (at == PLAN_NOWHERE)
        return otherwise;
    uint64_t sum = (uint64_t)get_element(output + at, l->element_bytes);
    n = l->needed ? needed_row(l->needed, n) : n;
    for (uint32_t i = 0; i < l->more_count; i++)
        if (l->more[2 * i] == n)
            sum += (uint64_t)get_element(output + more_at(plan, m, i), l->element_bytes);
    return wrap(sum, l->element_bytes);
}

void plan_results(const struct plan *plan, const uint8_t *output, uint32_t m, int64_t *to, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    const uint8_t *results = output + m * plan->output_pitch;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t place = result_place(l, i);
        if (place == UINT32_MAX)
            continue;
        to[i] = l->window.rows ? get_element(output + plan_output_offset(plan, m, i), l->element_bytes)
                               : get_element(results + (size_t)place * l->element_bytes, l->element_bytes);
    }
    for (uint32_t i = 0; i < l->more_count; i++) {
        uint32_t row = l->more[2 * i];
        to[row] =
            wrap((uint64_t)to[row] + (uint64_t)get_element(output + more_at(plan, m, i), l->element_bytes),
                 l->element_bytes);
    }
}

/* Partial sums are in the order in which their results come: of a pass, or of a tile and a pass, by segments,
 * rows held, and parts of the array. */
uint64_t plan_partial_offset(const struct plan *plan, uint32_t m, uint32_t n)
{
    const struct plan_layout *l = &plan->layout;
    n = result_place(l, n);
    if (n == UINT32_MAX)
        return PLAN_NOWHERE;
    if (layout_gathers(l))
        return ((uint64_t)m * (plan->output_pitch / l->element_bytes) + n) * l->partial_bytes;
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

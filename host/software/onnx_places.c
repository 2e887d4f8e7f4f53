/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/onnx_writing.h"

/* A number of all places, in the order of their loops. */
void onnx_list_places(const struct onnx_writing *w, enum form_number which)
{
    uint64_t at = 0;
    for (size_t i = 0; i < w->group->nest_count; i++) {
        const struct form_nest *nest = &w->group->nests[i];
        uint64_t size = 1;
        for (unsigned d = 0; d < nest->depth; d++)
            size *= nest->axis[d].count;
        for (uint64_t p = 0; p < size; p++, at++) {
            uint64_t left = p;
            w->scratch[at] = nest->first[which];
            for (unsigned d = 0; d < nest->depth; left /= nest->axis[d++].count)
                w->scratch[at] += (int64_t)(left % nest->axis[d].count) * nest->axis[d].step[which];
        }
    }
}

/* As [places, 1]. */
onnx_value onnx_places(const struct onnx_writing *w, enum form_number which)
{
    const int64_t dims[] = {(int64_t)w->group->places, 1};
    onnx_list_places(w, which);
    return onnx_constant(w->to, ONNX_INT64, w->scratch, dims, 2);
}

onnx_value onnx_columns(const struct onnx_writing *w, enum form_number which)
{
    const int64_t dims[] = {1, (int64_t)w->group->column_count};
    for (size_t c = 0; c < w->group->column_count; c++)
        w->scratch[c] = w->group->columns[c].first[which];
    return onnx_constant(w->to, ONNX_INT64, w->scratch, dims, 2);
}

onnx_value onnx_source(const struct onnx_writing *w, const struct form_source *s)
{
    return s->space == FLOW_TEMPS ? w->temps : s->space == SLOT_EXTRA ? w->second : w->in;
}

onnx_value onnx_elements_at(const struct onnx_writing *w, const struct form_source *s, onnx_value places)
{
    return onnx_node(w->to, "Gather", onnx_source(w, s), places, 0, "axis", 1);
}

/* An element for each result, less its zero point. */
onnx_value onnx_elements(const struct onnx_writing *w, const struct form_source *s, enum form_number which)
{
    const onnx_value places = onnx_two(w, "Add", onnx_places(w, which), onnx_columns(w, which));
    const onnx_value v = onnx_cast(w->to, onnx_elements_at(w, s, places), ONNX_INT64);
    return onnx_two(w, "Sub", v, onnx_int64(w, s->kind.zero));
}

onnx_value onnx_shaped(const struct onnx_writing *w, onnx_value v, int64_t a, int64_t b, int64_t c)
{
    const int64_t shape[] = {a, b, c};
    return onnx_listed(w->to, "Reshape", v, shape, c ? 3 : 2);
}

onnx_value onnx_taps(const struct onnx_writing *w)
{
    const int64_t dims[] = {1, (int64_t)w->group->tap_count};
    return onnx_constant(w->to, ONNX_INT64, w->group->taps, dims, 2);
}

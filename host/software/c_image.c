/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_writing.h"

#include <inttypes.h>
#include <stdlib.h>

/* A number of the border, and how many elements have it. */
struct border {
    int64_t number;
    uint64_t count;
};
enum { BORDERS_MOST = 256 };

static int64_t number_at(const struct plain_operand *o, uint64_t at, bool no_sign)
{
    const int64_t value = num_wrap((int64_t)(o->image[at] & ~PLAIN_CONSTANT), 8 * o->bytes);
    return no_sign && value < 0 ? value + (INT64_C(1) << (8 * o->bytes)) : value;
}

/* How many numbers the border has; more than BORDERS_MOST: too many. The most frequent one becomes the first.
 */
static size_t find_borders(const struct plain_operand *o, bool no_sign, struct border list[BORDERS_MOST])
{
    size_t count = 0, most = 0;
    for (uint64_t i = 0; i < o->image_elements; i++) {
        if (!(o->image[i] & PLAIN_CONSTANT))
            continue;
        const int64_t number = number_at(o, i, no_sign);
        size_t at = 0;
        while (at < count && list[at].number != number)
            at++;
        if (at == BORDERS_MOST)
            return BORDERS_MOST + 1;
        if (at == count)
            list[count++] = (struct border){.number = number};
        list[at].count++;
    }
    for (size_t i = 1; i < count; i++)
        most = list[i].count > list[most].count ? i : most;
    const struct border first = count ? list[most] : (struct border){.count = 0};
    if (count) {
        list[most] = list[0];
        list[0] = first;
    }
    return count;
}

/* The elements of the border that have the number, as loops or as a list. */
static bool put_border(struct c_writing *w, const struct border *b, size_t which, bool no_sign)
{
    const struct plain_operand *o = &w->plain->input;
    struct strbuf *body = &w->file->body;
    uint64_t *places = malloc((o->image_elements + 1) * sizeof *places);
    size_t count = 0, at = 0;
    for (uint64_t i = 0; places && i < o->image_elements; i++)
        places[i] =
            o->image[i] & PLAIN_CONSTANT && number_at(o, i, no_sign) == b->number ? 0 : PLAIN_CONSTANT;
    struct form_nest *nests = places ? form_copies(places, o->image_elements, &count) : NULL;
    for (size_t i = 0; nests && count <= C_NESTS_MOST && i < count; i++) {
        c_open_loops(&w->text, &nests[i], 0);
        sb_add(&w->text, "        image[");
        c_expression(&w->text, &nests[i], FORM_TO);
        sb_addf(&w->text, "] = %" PRId64 ";\n    }\n", b->number);
    }
    if (nests && count > C_NESTS_MOST) {
        sb_addf(body, "static const int32_t %s_border_%zu[%" PRIu64 "] = {", w->name, which, b->count);
        for (uint64_t i = 0; i < o->image_elements; i++)
            if (!places[i])
                c_number(body, at++, (int64_t)i);
        sb_add(body, "\n};\n\n");
        sb_addf(&w->text,
                "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        image[%s_border_%zu[i]] = %" PRId64
                ";\n",
                b->count, w->name, which, b->number);
    }
    free(places);
    const bool ok = nests;
    free(nests);
    return ok;
}

/* The tensor with its border, in the order in which the sums take it. */
bool c_image(struct c_writing *w)
{
    const struct plain_operand *o = &w->plain->input;
    const bool no_sign = c_reads_no_sign(w->form, SLOT_INPUT);
    struct border borders[BORDERS_MOST];
    const size_t count = find_borders(o, no_sign, borders);
    if (count > BORDERS_MOST)
        return c_fail(w, "borders with too many numbers");
    sb_addf(&w->text, "    static %s image[%" PRIu64 "];\n", c_type(o->bytes, no_sign), o->image_elements);
    if (count)
        sb_addf(&w->text, "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        image[i] = %" PRId64 ";\n",
                o->image_elements, borders[0].number);
    bool ok = true;
    for (size_t b = 1; ok && b < count; b++)
        ok = put_border(w, &borders[b], b, no_sign);
    ok = ok && c_copies(&w->file->body, &w->text, w->name, "image", o->image, o->image_elements);
    return ok || c_fail(w, "out of memory");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_writing.h"

#include <inttypes.h>
#include <stdlib.h>

/* Images whose places are no loops. */
static void list_image(struct c_writing *w)
{
    const struct plain_operand *o = &w->plain->input;
    struct strbuf *to = &w->file->body;
    sb_addf(to, "static const int32_t %s_image[%" PRIu64 "] = {", w->name, o->image_elements);
    for (uint64_t i = 0; i < o->image_elements; i++)
        c_number(to, i, o->image[i] & PLAIN_CONSTANT ? -1 : (int64_t)o->image[i]);
    sb_add(to, "\n};\n\n");
    sb_addf(&w->text,
            "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        if (%s_image[i] >= 0)\n"
            "            image[i] = in[%s_image[i]];\n",
            o->image_elements, w->name, w->name);
}

/* The most frequent constant of an image; others would be rare. */
static bool find_border(const struct plain_operand *o, int64_t *border, bool *any)
{
    *any = false;
    for (uint64_t i = 0; i < o->image_elements; i++) {
        if (!(o->image[i] & PLAIN_CONSTANT))
            continue;
        const int64_t value = num_wrap((int64_t)(o->image[i] & ~PLAIN_CONSTANT), 8 * o->bytes);
        if (*any && value != *border)
            return false;
        *border = value;
        *any = true;
    }
    return true;
}

/* The tensor with its border, in the order in which the sums take it. */
bool c_image(struct c_writing *w)
{
    const struct plain_operand *o = &w->plain->input;
    int64_t border = 0;
    bool any;
    if (!find_border(o, &border, &any))
        return c_fail(w, "borders with several numbers");
    const char *type = c_type(o->bytes, c_reads_no_sign(w->form, SLOT_INPUT));
    border =
        c_reads_no_sign(w->form, SLOT_INPUT) && border < 0 ? border + (INT64_C(1) << (8 * o->bytes)) : border;
    sb_addf(&w->text, "    static %s image[%" PRIu64 "];\n", type, o->image_elements);
    if (any)
        sb_addf(&w->text, "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        image[i] = %" PRId64 ";\n",
                o->image_elements, border);
    size_t count;
    struct form_nest *nests = form_copies(o->image, o->image_elements, &count);
    if (!nests)
        return c_fail(w, "out of memory");
    if (count > C_NESTS_MOST)
        list_image(w);
    for (size_t i = 0; count <= C_NESTS_MOST && i < count; i++) {
        c_open_loops(&w->text, &nests[i], 0);
        sb_add(&w->text, "        image[");
        c_expression(&w->text, &nests[i], FORM_TO);
        sb_add(&w->text, "] = in[");
        c_expression(&w->text, &nests[i], FORM_BASE);
        sb_add(&w->text, "];\n    }\n");
    }
    free(nests);
    return true;
}

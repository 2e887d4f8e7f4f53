/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_writing.h"

#include <inttypes.h>

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
    return c_copies(&w->file->body, &w->text, w->name, "image", o->image, o->image_elements) ||
           c_fail(w, "out of memory");
}

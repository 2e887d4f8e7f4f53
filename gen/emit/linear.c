/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/linear.h"

struct linear linear_add(struct linear a, struct linear b)
{
    return (struct linear){a.data + b.data, a.index + b.index, a.constant + b.constant};
}

struct linear linear_bits(const struct isa_field *field)
{
    return (struct linear){field->width == ISA_DATA_WIDTH, field->width == ISA_INDEX_WIDTH, field->bits};
}

struct linear linear_lsb(const struct isa_format *format, const struct isa_field *field)
{
    struct linear lsb = {0};
    for (const struct isa_field *f = format->fields; f != field; f++)
        lsb = linear_add(lsb, linear_bits(f));
    return lsb;
}

static void add_term(struct strbuf *to, int factor, const char *name, bool *first)
{
    if (!factor)
        return;
    if (!*first)
        sb_add(to, factor < 0 ? " - " : " + ");
    else if (factor < 0)
        sb_add(to, "-");
    *first = false;
    int size = factor < 0 ? -factor : factor;
    if (!name)
        sb_addf(to, "%d", size);
    else if (size != 1)
        sb_addf(to, "%d * %s", size, name);
    else
        sb_add(to, name);
}

void linear_print(struct strbuf *to, struct linear value, const char *data, const char *index)
{
    bool first = true;
    add_term(to, value.data, data, &first);
    add_term(to, value.index, index, &first);
    add_term(to, value.constant, NULL, &first);
    if (first)
        sb_add(to, "0");
}

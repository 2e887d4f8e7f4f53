/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_writing.h"

#include <inttypes.h>

const char *c_index(unsigned loop)
{
    static const char *const indices[FORM_DEPTH_MOST] = {"i", "j", "k", "l", "m", "o"};
    return indices[loop];
}

void c_indent(struct strbuf *to, unsigned depth)
{
    for (unsigned i = 0; i <= depth; i++)
        sb_add(to, "    ");
}

/* Opens the loops of a nest, outermost first; `scope`: the number of loops around it. */
void c_open_loops(struct strbuf *to, const struct form_nest *nest, unsigned scope)
{
    for (unsigned d = nest->depth; d-- > 0;) {
        const char *index = c_index(nest->depth - 1 - d);
        c_indent(to, scope + nest->depth - 1 - d);
        sb_addf(to, "for (int32_t %s = 0; %s < %" PRIu64 "; %s++)%s\n", index, index, nest->axis[d].count,
                index, d ? "" : " {");
    }
    if (!nest->depth) {
        c_indent(to, scope);
        sb_add(to, "{\n");
    }
}

/* A number of a nest as an expression of its indices. */
void c_expression(struct strbuf *to, const struct form_nest *nest, enum form_number number)
{
    bool any = nest->first[number] != 0;
    if (any)
        sb_addf(to, "%" PRId64, nest->first[number]);
    for (unsigned d = nest->depth; d-- > 0;) {
        const int64_t step = nest->axis[d].step[number];
        if (!step)
            continue;
        const char *index = c_index(nest->depth - 1 - d);
        const int64_t size = step < 0 ? -step : step;
        sb_add(to, step < 0 ? (any ? " - " : "-") : any ? " + " : "");
        if (size == 1)
            sb_add(to, index);
        else
            sb_addf(to, "%" PRId64 " * %s", size, index);
        any = true;
    }
    if (!any)
        sb_add(to, "0");
}

bool c_varies(const struct form_nest *nests, size_t count, enum form_number number)
{
    for (size_t i = 0; i < count; i++) {
        if (nests[i].first[number])
            return true;
        for (unsigned d = 0; d < nests[i].depth; d++)
            if (nests[i].axis[d].step[number])
                return true;
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements that are put elsewhere: images of operands, and functions that only move numbers.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "host/software/c_writing.h"

/* Places that are no loops. */
static void list_copies(struct strbuf *body, struct strbuf *text, const char *name, const char *target,
                        const uint64_t *from, uint64_t count)
{
    sb_addf(body, "static const int32_t %s_%s[%" PRIu64 "] = {", name, target, count);
    for (uint64_t i = 0; i < count; i++)
        c_number(body, i, from[i] & PLAIN_CONSTANT ? -1 : (int64_t)from[i]);
    sb_add(body, "\n};\n\n");
    sb_addf(text,
            "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n        if (%s_%s[i] >= 0)\n"
            "            %s[i] = in[%s_%s[i]];\n",
            count, name, target, target, name, target);
}

bool c_copies(struct strbuf *body, struct strbuf *text, const char *name, const char *target,
              const uint64_t *from, uint64_t elements)
{
    size_t count;
    struct form_nest *nests = form_copies(from, elements, &count);
    if (!nests)
        return false;
    if (count > C_NESTS_MOST)
        list_copies(body, text, name, target, from, elements);
    for (size_t i = 0; count <= C_NESTS_MOST && i < count; i++) {
        c_open_loops(text, &nests[i], 0);
        sb_addf(text, "        %s[", target);
        c_expression(text, &nests[i], FORM_TO);
        sb_add(text, "] = in[");
        c_expression(text, &nests[i], FORM_BASE);
        sb_add(text, "];\n    }\n");
    }
    free(nests);
    return true;
}

bool c_move(struct c_file *file, const struct c_moving *m)
{
    const char *type = c_type(m->bytes, m->no_sign);
    struct strbuf text = {0};
    const bool ok = c_copies(&file->body, &text, m->name, "out", m->from, m->elements) && sb_ok(&text);
    sb_addf(&file->body, "/* %s */\nstatic void %s(const %s *in, %s *out)\n{\n%s}\n\n", m->comment, m->name,
            type, type, sb_text(&text));
    sb_free(&text);
    return ok;
}

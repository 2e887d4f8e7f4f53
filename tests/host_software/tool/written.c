/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_software/tool/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 32 };

/* Bytes as an array of elements, so that any machine has the same numbers. */
static void put_array(struct written *to, const char *name, unsigned number, const uint8_t *bytes,
                      uint64_t size, unsigned element, bool no_sign)
{
    sb_addf(&to->file.body, "static const %s %s_%u[%llu] = {", c_type(element, no_sign), name, number,
            (unsigned long long)(size / element + !(size / element)));
    if (!(size / element))
        sb_add(&to->file.body, "0");
    for (uint64_t i = 0; i < size / element; i++) {
        uint64_t value = 0;
        for (unsigned b = 0; b < element; b++)
            value |= (uint64_t)bytes[i * element + b] << (8 * b);
        c_number(&to->file.body, i, no_sign ? (int64_t)value : num_wrap((int64_t)value, 8 * element));
    }
    sb_add(&to->file.body, "\n};\n");
}

/* The kind by which an operand is read; false: by several widths. */
static bool kind_of(const struct form *form, unsigned space, struct flow_kind *kind)
{
    kind->bytes = 0;
    for (size_t i = 0; i < form->count; i++) {
        const struct form_group *g = &form->groups[i];
        const struct form_source *all[] = {&g->from, &g->add, &g->second};
        for (unsigned s = 0; s < 3; s++) {
            if (!all[s]->there || all[s]->space != space)
                continue;
            if (kind->bytes && kind->bytes != all[s]->kind.bytes)
                return false;
            if (!kind->bytes)
                *kind = all[s]->kind;
        }
    }
    return true;
}

static bool fail(struct written *to, const char *why)
{
    snprintf(to->why, sizeof to->why, "%s", why);
    return false;
}

/* Results beside the output, and operands that are none of an operator, have no place in a function. */
static bool is_plain(struct written *to, struct flow *f, unsigned *bytes, bool *no_sign)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->result_count; i++) {
        const struct flow_result *r = &f->results[i];
        if (flow_space(r->to) == SLOT_SCRATCH)
            continue;
        f->results[kept++] = *r;
        if (flow_space(r->to) != SLOT_OUTPUT)
            continue;
        const struct flow_finish *finish = &f->finishes[r->finish];
        if (*bytes && (*bytes != 1u << finish->element || *no_sign != finish->no_sign))
            return fail(to, "results of several types");
        *bytes = 1u << finish->element;
        *no_sign = finish->no_sign;
    }
    f->result_count = kept;
    return *bytes || fail(to, "no results");
}

/* Where the results are: a program writes its output or scratch memory. */
static unsigned place_of_results(struct flow *f)
{
    for (size_t i = 0; i < f->result_count; i++)
        if (flow_space(f->results[i].to) == SLOT_OUTPUT)
            return SLOT_OUTPUT;
    const flow_ref step = flow_ref_of(0, SLOT_SCRATCH, 0) - flow_ref_of(0, SLOT_OUTPUT, 0);
    for (size_t i = 0; i < f->result_count; i++)
        if (flow_space(f->results[i].to) == SLOT_SCRATCH)
            f->results[i].to -= step;
    return SLOT_SCRATCH;
}

bool written_put(struct written *to, struct flow *flow, const struct job *before, const struct job *after)
{
    const unsigned slot = place_of_results(flow);
    struct plain plain = {.out_bytes = 0};
    struct form form;
    struct flow_kind in, second;
    struct strbuf why = {0};
    char name[NAME];
    bool no_sign = false;
    const unsigned number = to->count;
    if (!is_plain(to, flow, &plain.out_bytes, &no_sign))
        return false;
    bool ok = form_make(flow, &form, &why) || fail(to, sb_text(&why));
    ok = ok && ((kind_of(&form, SLOT_INPUT, &in) && kind_of(&form, SLOT_EXTRA, &second)) ||
                fail(to, "operands of several widths"));
    if (ok) {
        plain.flow = *flow;
        plain.input.bytes = in.bytes ? in.bytes : 1;
        plain.second.bytes = second.bytes;
        snprintf(name, sizeof name, "program_%u", number);
        const size_t length = to->file.body.len;
        ok = c_operator(&to->file, name, "A random program.", &plain, &form) ||
             fail(to, sb_text(&to->file.why));
        if (!ok) {
            to->file.body.len = length;
            sb_free(&to->file.why);
        }
    }
    if (ok) {
        put_array(to, "in", number, before->slots[SLOT_INPUT].bytes,
                  before->slots[SLOT_INPUT].size / plain.input.bytes * plain.input.bytes, plain.input.bytes,
                  c_reads_no_sign(&form, SLOT_INPUT));
        if (second.bytes)
            put_array(to, "second", number, before->slots[SLOT_EXTRA].bytes, before->slots[SLOT_EXTRA].size,
                      second.bytes, c_reads_no_sign(&form, SLOT_EXTRA));
        put_array(to, "first", number, before->slots[slot].bytes,
                  before->slots[slot].size / plain.out_bytes * plain.out_bytes, plain.out_bytes, no_sign);
        put_array(to, "wanted", number, after->slots[slot].bytes,
                  after->slots[slot].size / plain.out_bytes * plain.out_bytes, plain.out_bytes, no_sign);
        sb_addf(&to->file.body, "static %s out_%u[%llu];\n\n", c_type(plain.out_bytes, no_sign), number,
                (unsigned long long)(after->slots[slot].size / plain.out_bytes));
        const unsigned long long count = after->slots[slot].size / plain.out_bytes;
        sb_addf(&to->calls, "    for (int i = 0; i < %llu; i++)\n        out_%u[i] = first_%u[i];\n", count,
                number, number);
        sb_addf(&to->calls, "    %s(in_%u, ", to->file.called, number);
        if (second.bytes)
            sb_addf(&to->calls, "second_%u, ", number);
        sb_addf(&to->calls, "out_%u);\n", number);
        sb_addf(&to->calls,
                "    for (int i = 0; i < %llu; i++)\n        wrong |= out_%u[i] != wanted_%u[i];\n", count,
                number, number);
        sb_addf(&to->calls, "    if (wrong && !first)\n        first = %u;\n", number + 1);
        to->count++;
    }
    form_free(&form);
    sb_free(&why);
    return ok;
}

bool written_end(struct written *to, const char *path)
{
    struct strbuf text = {0};
    FILE *file = fopen(path, "w");
    sb_add(&text, "#include <stdint.h>\n#include <stdio.h>\n\n");
    c_helpers(sb_text(&to->file.body), &text);
    sb_add(&text, sb_text(&to->file.body));
    sb_addf(&text, "int main(void)\n{\n    int wrong = 0, first = 0;\n%s", sb_text(&to->calls));
    sb_addf(
        &text,
        "    if (first)\n        printf(\"program_%%d is the first that gives other bits\\n\", first - 1);\n"
        "    printf(\"%u programs, %%s\\n\", wrong ? \"wrong\" : \"0 wrong\");\n    return wrong;\n}\n",
        to->count);
    const bool ok = file && sb_ok(&text) && fwrite(sb_text(&text), 1, text.len, file) == text.len;
    if (file)
        fclose(file);
    sb_free(&text);
    c_file_free(&to->file);
    sb_free(&to->calls);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels, in a hash table because a file may have a million, and the fields
 * that refer to them, which are filled in when every section has its place.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/isa/asm_unit.h"
#include "gen/isa/codec.h"

static size_t hash(struct slice name)
{
    uint64_t value = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < name.len; i++)
        value = (value ^ (unsigned char)name.text[i]) * 1099511628211u;
    return (size_t)(value ^ value >> 32);
}

const struct asm_label *asm_label_find(const struct asm_labels *labels, struct slice name)
{
    size_t at = labels->bucket_count ? labels->buckets[hash(name) % labels->bucket_count] : 0;
    for (; at; at = labels->items[at - 1].next) {
        const struct asm_label *label = &labels->items[at - 1];
        if (label->name.len == name.len && !memcmp(label->name.text, name.text, name.len))
            return label;
    }
    return NULL;
}

static void link_label(struct asm_labels *labels, size_t index)
{
    size_t *bucket = &labels->buckets[hash(labels->items[index].name) % labels->bucket_count];
    labels->items[index].next = *bucket;
    *bucket = index + 1;
}

/* Doubles the table when there are as many labels as buckets. */
static bool make_buckets(struct assembler *as)
{
    struct asm_labels *labels = &as->labels;
    if (labels->count < labels->bucket_count)
        return true;
    size_t count = labels->bucket_count ? 2 * labels->bucket_count : 64;
    size_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets) {
        asm_out_of_memory(as);
        return false;
    }
    free(labels->buckets);
    labels->buckets = buckets;
    labels->bucket_count = count;
    for (size_t i = 0; i < labels->count; i++)
        link_label(labels, i);
    return true;
}

/* The label that what follows lengthens: the last one, unless it stands for its whole section. */
static void close_last(struct assembler *as, size_t section, size_t end)
{
    struct asm_labels *labels = &as->labels;
    struct asm_label *last = labels->count ? &labels->items[labels->count - 1] : NULL;
    if (last && last->section == section && !last->whole_section)
        last->length = end - last->offset;
}

void asm_label_close(struct assembler *as)
{
    struct asm_section *section = asm_current(as);
    if (section)
        close_last(as, as->section_count - 1, section->records.bytes.len);
}

void asm_label_define(struct assembler *as, struct slice name, struct place at, bool whole_section)
{
    const struct asm_label *other = asm_label_find(&as->labels, name);
    if (other) {
        struct strbuf quoted = {0};
        slice_add_quoted(&quoted, name);
        diag_error(as->diag, at, "label %s is defined twice; first in line %u", sb_text(&quoted),
                   other->at.line);
        sb_free(&quoted);
        return;
    }
    struct asm_labels *labels = &as->labels;
    if (!make_buckets(as) ||
        !asm_grow(as, (void **)&labels->items, labels->count, &labels->cap, sizeof *labels->items))
        return;
    asm_label_close(as);
    labels->items[labels->count] = (struct asm_label){
        .name = name,
        .at = at,
        .section = as->section_count - 1,
        .offset = asm_current(as)->records.bytes.len,
        .whole_section = whole_section,
    };
    link_label(labels, labels->count++);
}

void asm_labels_free(struct asm_labels *labels)
{
    free(labels->items);
    free(labels->buckets);
}

bool asm_reference_parse(struct assembler *as, struct asm_reference *reference)
{
    *reference = (struct asm_reference){.at = as->lexer.token.at};
    lexer_next(&as->lexer);
    if (as->lexer.token.kind != TOKEN_WORD) {
        asm_unexpected(as, "a label's name must follow @");
        return false;
    }
    reference->name = as->lexer.token.text;
    lexer_next(&as->lexer);
    if (as->lexer.token.kind != TOKEN_DIRECTIVE)
        return true;
    if (!slice_is(as->lexer.token.text, ".length")) {
        asm_unexpected(as, "of a label there is only .length");
        return false;
    }
    reference->length = true;
    lexer_next(&as->lexer);
    return true;
}

/* ---- resolving ------------------------------------------------------------------------------- */

enum { SUGGESTED_FROM = 1000 }; /* labels looked through for a similar name */

static void report_undefined(struct assembler *as, const struct asm_reference *reference)
{
    char names[SUGGESTED_FROM][32];
    const char *words[SUGGESTED_FROM];
    size_t count = 0;
    for (size_t i = 0; i < as->labels.count && count < SUGGESTED_FROM; i++) {
        struct slice name = as->labels.items[i].name;
        if (name.len >= sizeof names[0])
            continue;
        memcpy(names[count], name.text, name.len);
        names[count][name.len] = '\0';
        words[count] = names[count];
        count++;
    }
    const char *near = slice_near(reference->name, words, count);
    struct strbuf quoted = {0};
    slice_add_quoted(&quoted, reference->name);
    diag_error(as->diag, reference->at, "label %s is not defined%s%s%s", sb_text(&quoted),
               near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    sb_free(&quoted);
}

static uint64_t label_value(const struct assembler *as, const struct asm_label *label, bool length)
{
    const struct asm_section *section = &as->sections[label->section];
    if (!length)
        return section->offset + label->offset;
    return label->whole_section ? section->records.bytes.len : label->length;
}

/* Only numbers that do not depend on a variant's widths are referred to: see asm_fields_parse. */
static void resolve(struct assembler *as, const struct asm_reference *reference, bool errors)
{
    const struct asm_label *label = asm_label_find(&as->labels, reference->name);
    if (!label) {
        report_undefined(as, reference);
        return;
    }
    if (errors)
        return; /* places are not what they would be */
    const struct isa_field *field = reference->field;
    const unsigned bits = isa_field_bits(field, isa_int8_widths);
    const uint64_t value = label_value(as, label, reference->length);
    const uint64_t max =
        field->kind == ISA_SINT ? ((uint64_t)1 << (bits - 1)) - 1 : isa_field_max(field, isa_int8_widths);
    if (value > max || value < field->min) {
        struct strbuf allowed = {0};
        text_add_allowed(&allowed, field, isa_int8_widths);
        diag_error(as->diag, reference->at, "%s: field \"%s\" refers to %llu; allowed %s",
                   reference->format->name, field->name, (unsigned long long)value, sb_text(&allowed));
        sb_free(&allowed);
        return;
    }
    uint8_t *bytes = (uint8_t *)as->sections[reference->section].records.bytes.text;
    isa_put_bits(bytes + reference->bit / 8, reference->bit % 8, bits, value);
}

void asm_references_resolve(struct assembler *as)
{
    const bool errors = as->diag->errors > 0;
    for (size_t i = 0; i < as->reference_count && as->diag->errors < ASM_ERRORS_MAX; i++)
        resolve(as, &as->references[i], errors);
}

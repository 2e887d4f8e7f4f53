/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that is written once: slices of a layer have the same weights and loops, and their functions would
 * differ in their names alone.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/software/c_writing.h"

/* Text of the body, and the name that its functions and arrays begin with. */
struct c_text {
    size_t at, length;
    uint64_t hash;
    enum c_sharing kind;
    char name[C_NAME];
};

/* What of a function is in its own text: the function, and lists of its places. */
static bool is_own(const char *behind)
{
    static const char *const words[] = {"(", "_to[", "_from[", "_add[", "_second[", "_places["};
    bool own = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        own = own || !strncmp(behind, words[i], strlen(words[i]));
    return own;
}

/* How many characters of the text at `at` are the name, so that another name could stand there. */
static size_t name_at(const struct c_text *t, const char *body, size_t at)
{
    const size_t length = strlen(t->name);
    const char *here = body + at;
    const bool inside = at && (isalnum((unsigned char)here[-1]) || here[-1] == '_');
    if (inside || at + length >= t->at + t->length || strncmp(here, t->name, length) != 0)
        return 0;
    return t->kind == C_SHARED_FUNCTION ? (is_own(here + length) ? length : 0)
           : here[length] == '_'        ? length
                                        : 0;
}

static uint64_t hash_of(const struct c_text *t, const char *body)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t at = t->at; at < t->at + t->length;) {
        const size_t name = name_at(t, body, at);
        hash = (hash ^ (name ? 0 : (uint8_t)body[at])) * UINT64_C(1099511628211);
        at += name ? name : 1;
    }
    return hash;
}

static bool same_text(const struct c_text *a, const struct c_text *b, const char *body)
{
    size_t i = a->at, j = b->at;
    while (i < a->at + a->length && j < b->at + b->length) {
        const size_t x = name_at(a, body, i), y = name_at(b, body, j);
        if (!x != !y || (!x && body[i] != body[j]))
            return false;
        i += x ? x : 1;
        j += y ? y : 1;
    }
    return i == a->at + a->length && j == b->at + b->length;
}

/* How many characters the comment takes. */
static size_t put_before(struct strbuf *body, size_t begin, const char *comment)
{
    struct strbuf text = {0};
    sb_addn(&text, body->text + begin, body->len - begin);
    body->len = begin;
    sb_addf(body, "/* %s */\n", comment);
    const size_t length = body->len - begin;
    sb_addn(body, sb_text(&text), text.len);
    sb_free(&text);
    return length;
}

const char *c_share(struct c_file *file, enum c_sharing kind, const char *name, size_t begin,
                    const char *comment)
{
    struct c_text new = {.at = begin, .length = file->body.len - begin, .kind = kind};
    while (file->text_count &&
           file->texts[file->text_count - 1].at + file->texts[file->text_count - 1].length > begin)
        file->text_count--; /* of what was taken back */
    if (!sb_ok(&file->body) || strlen(name) >= sizeof new.name)
        return name;
    snprintf(new.name, sizeof new.name, "%s", name);
    new.hash = hash_of(&new, file->body.text);
    for (size_t i = 0; i < file->text_count; i++) {
        const struct c_text *t = &file->texts[i];
        if (t->kind == kind && t->hash == new.hash &&same_text(t, &new, file->body.text)) {
            file->body.len = begin;
            file->body.text[begin] = 0;
            return t->name;
        }
    }
    if (comment)
        new.at += put_before(&file->body, begin, comment);
    struct c_text *list = realloc(file->texts, (file->text_count + 1) * sizeof *list);
    if (!list)
        return name;
    file->texts = list;
    list[file->text_count++] = new;
    return name;
}

/* ---- weights that are apart ------------------------------------------------------------------------- */

struct c_blob {
    size_t at, length;
};

size_t c_share_weights(struct c_file *file, size_t begin)
{
    struct strbuf *bytes = &file->weights;
    const struct c_blob new = {begin, bytes->len - begin};
    for (size_t i = 0; sb_ok(bytes) && i < file->blob_count; i++) {
        const struct c_blob *b = &file->blobs[i];
        if (b->length == new.length && !memcmp(bytes->text + b->at, bytes->text + begin, new.length)) {
            bytes->len = begin;
            return b->at;
        }
    }
    struct c_blob *list = realloc(file->blobs, (file->blob_count + 1) * sizeof *list);
    if (!list)
        return begin;
    file->blobs = list;
    list[file->blob_count++] = new;
    return begin;
}

void c_share_end(struct c_file *file)
{
    free(file->texts);
    free(file->blobs);
    file->texts = NULL;
    file->blobs = NULL;
    file->text_count = file->blob_count = 0;
}

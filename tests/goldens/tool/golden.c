/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/goldens/tool/golden.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/input.h"
#include "gen/base/number.h"

#define FILE_MAX ((size_t)16 << 20)
#define COUNT_MAX ((size_t)1 << 22)

struct golden_key {
    struct golden_key *next;
    unsigned line;
    char *value; /* in `text`, behind the name's zero */
    char text[];
};

struct golden_block {
    struct golden_block *next;
    int64_t values[];
};

static const struct {
    const char *name;
    int64_t low, high;
} types[GOLDEN_TYPES] = {{"int8_t", INT8_MIN, INT8_MAX},
                         {"int16_t", INT16_MIN, INT16_MAX},
                         {"int32_t", INT32_MIN, INT32_MAX},
                         {"int64_t", INT64_MIN, INT64_MAX},
                         {"float32_t", 0, 0}};

struct range {
    int64_t low, high;
};

struct path {
    char text[PATH_MAX];
};

__attribute__((format(printf, 2, 3))) static bool path_of(struct path *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(path->text, sizeof path->text, format, args);
    va_end(args);
    return length >= 0 && (size_t)length < sizeof path->text;
}

static bool config_path(const struct golden *golden, struct path *path)
{
    return path_of(path, "%s/%s/config.tsv", golden->root, golden->name);
}

/* ---- keys -------------------------------------------------------------------------------------- */

/* Skips the name of the case in capitals, and "_". The keys of a network are without it. */
static const char *behind_name(const char *key, const char *name)
{
    const char *at = key;
    for (; *name; at++, name++)
        if (*at != toupper((unsigned char)*name))
            return key;
    return *at == '_' ? at + 1 : key;
}

static void add_key(struct golden *golden, char *line, struct place at)
{
    char *tab = strchr(line, '\t');
    const char *name = behind_name(line, golden->name);
    if (!tab || name >= tab) {
        diag_error(golden->diag, at, "not a key, a tab and a value: '%.60s'", line);
        return;
    }
    *tab = 0;
    const size_t head = strlen(name) + 1, size = head + strlen(tab + 1) + 1;
    struct golden_key *key = malloc(sizeof *key + size);
    if (!key) {
        diag_error(golden->diag, at, "out of memory");
        return;
    }
    memcpy(key->text, name, head);
    memcpy(key->text + head, tab + 1, size - head);
    key->value = key->text + head;
    key->line = at.line;
    key->next = golden->keys;
    golden->keys = key;
}

/* Reads a file and ends it with a zero; false: reported. */
static bool read_text(const char *path, struct strbuf *text, struct diag *diag)
{
    const size_t errors = diag->errors;
    if (input_read(path, FILE_MAX, text, diag) && (!sb_ok(text) || strlen(sb_text(text)) != text->len))
        diag_error(diag, (struct place){path, 0, 0}, "has bytes that are no text");
    return diag->errors == errors;
}

static void read_keys(struct golden *golden, const char *path)
{
    struct strbuf text = {0};
    struct place at = {path, 0, 0};
    char *rest = NULL;
    if (read_text(path, &text, golden->diag) && text.text)
        for (char *line = text.text; line; line = rest) {
            rest = strchr(line, '\n');
            if (rest)
                *rest++ = 0;
            at.line++;
            if (*line)
                add_key(golden, line, at);
        }
    sb_free(&text);
}

bool golden_open(struct golden *golden, const char *root, const char *name, struct diag *diag)
{
    struct path path;
    const size_t errors = diag->errors;
    golden->root = root;
    golden->name = name;
    golden->diag = diag;
    golden->keys = NULL;
    golden->blocks = NULL;
    golden->scope = NULL;
    if (config_path(golden, &path))
        read_keys(golden, path.text);
    else
        diag_error(diag, (struct place){root, 0, 0}, "the name of the folder is too long");
    return diag->errors == errors;
}

void golden_close(struct golden *golden)
{
    while (golden->keys) {
        struct golden_key *key = golden->keys;
        golden->keys = key->next;
        free(key);
    }
    while (golden->blocks) {
        struct golden_block *block = golden->blocks;
        golden->blocks = block->next;
        free(block);
    }
}

static const struct golden_key *find(const struct golden *golden, const char *name)
{
    const char *scope = golden->scope ? golden->scope->keys : "";
    const size_t length = strlen(scope);
    const struct golden_key *key = golden->keys;
    while (key && (strncmp(key->text, scope, length) || strcmp(key->text + length, name)))
        key = key->next;
    return key;
}

bool golden_has(const struct golden *golden, const char *key)
{
    return find(golden, key);
}

const char *golden_key(const struct golden *golden, const char *first, const char *second)
{
    return golden_has(golden, first) ? first : second;
}

bool golden_says(const struct golden *golden, const char *key, const char *text)
{
    const struct golden_key *found = find(golden, key);
    return found && !strcmp(found->value, text);
}

/* A whole number that ends at `end`. */
static bool number_in(const char *text, char end, int64_t low, int64_t high, int64_t *value)
{
    bool negative;
    uint64_t magnitude;
    if (number_integer(&text, &negative, &magnitude) != NUMBER_OK || *text != end ||
        magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return *value >= low && *value <= high;
}

int64_t golden_number(const struct golden *golden, const char *key, int64_t low, int64_t high)
{
    struct path path;
    int64_t value;
    const struct golden_key *found = find(golden, key);
    if (found && number_in(found->value, 0, low, high, &value))
        return value;
    config_path(golden, &path);
    diag_error(golden->diag, (struct place){path.text, found ? found->line : 0, 0},
               "%s: a number from %lld to %lld is needed, and '%.60s' is there", key, (long long)low,
               (long long)high, found ? found->value : "");
    return low;
}

int64_t golden_number_or(const struct golden *golden, const char *key, int64_t low, int64_t high,
                         int64_t otherwise)
{
    return golden_has(golden, key) ? golden_number(golden, key, low, high) : otherwise;
}

/* ---- tensors ----------------------------------------------------------------------------------- */

int64_t *golden_values(struct golden *golden, size_t count)
{
    struct golden_block *block = NULL;
    if (count <= COUNT_MAX)
        block = calloc(1, sizeof *block + count * sizeof *block->values);
    if (!block) {
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "no memory for %zu numbers", count);
        return NULL;
    }
    block->next = golden->blocks;
    golden->blocks = block;
    return block->values;
}

/* The path of the first of these files that there is. */
static bool find_tensor(const struct golden *golden, const char *suffixes, struct path *path)
{
    while (*suffixes) {
        const int length = (int)strcspn(suffixes, " ");
        if (path_of(path, "%s/%s/%s_%s%.*s.txt", golden->root, golden->name, golden->name,
                    golden->scope ? golden->scope->files : "", length, suffixes) &&
            !access(path->text, F_OK))
            return true;
        suffixes += length;
        suffixes += *suffixes == ' ';
    }
    return false;
}

bool golden_has_tensor(const struct golden *golden, const char *suffixes)
{
    struct path path;
    return find_tensor(golden, suffixes, &path);
}

/* "# type count" and the end of the line; leaves `text` behind it. */
static bool read_head(const char **text, enum golden_type *type, int64_t *count)
{
    const char *at = *text, *end = strchr(at, '\n');
    if (!end || strncmp(at, "# ", 2))
        return false;
    at += 2;
    for (unsigned t = 0; t < GOLDEN_TYPES; t++) {
        const size_t length = strlen(types[t].name);
        if (strncmp(at, types[t].name, length) || at[length] != ' ')
            continue;
        *type = (enum golden_type)t;
        *text = end + 1;
        return number_in(at + length + 1, '\n', 0, (int64_t)COUNT_MAX, count);
    }
    return false;
}

/* A number a line, `count` of them and nothing else. */
static void read_values(const char *text, struct place at, const struct range *range, struct numbers *tensor,
                        struct diag *diag)
{
    at.line = 2;
    for (size_t i = 0; i < tensor->count; i++, at.line++) {
        const char *end = strchr(text, '\n');
        if (!end || !number_in(text, '\n', range->low, range->high, &tensor->values[i])) {
            diag_error(diag, at, "not a number of %s and the end of a line; %zu of %zu came before",
                       types[tensor->type].name, i, tensor->count);
            return;
        }
        text = end + 1;
    }
    if (*text)
        diag_error(diag, at, "more than the %zu numbers that the first line promises", tensor->count);
}

/* `bytes`: int8 as the bits of bytes, with a sign or without. */
static void read_tensor(struct golden *golden, const char *path, bool bytes, struct numbers *tensor)
{
    struct strbuf text = {0};
    const struct place at = {path, 1, 0};
    int64_t count = 0;
    if (read_text(path, &text, golden->diag)) {
        const char *rest = sb_text(&text);
        if (!read_head(&rest, &tensor->type, &count) || tensor->type == GOLDEN_FLOAT32)
            diag_error(golden->diag, at, "not '# TYPE COUNT' with a type of integers");
        else if ((size_t)count != tensor->count)
            diag_error(golden->diag, at, "%lld numbers, but the keys want %zu", (long long)count,
                       tensor->count);
        else if (tensor->values)
            read_values(
                rest, at,
                &(struct range){types[tensor->type].low, bytes ? UINT8_MAX : types[tensor->type].high},
                tensor, golden->diag);
    }
    sb_free(&text);
}

static struct numbers tensor_of(struct golden *golden, const char *suffixes, size_t count, bool bytes)
{
    struct path path;
    struct numbers tensor = {.count = count, .values = golden_values(golden, count)};
    if (find_tensor(golden, suffixes, &path))
        read_tensor(golden, path.text, bytes, &tensor);
    else
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "no tensor is called %s", suffixes);
    return tensor;
}

struct numbers golden_tensor(struct golden *golden, const char *suffixes, size_t count)
{
    return tensor_of(golden, suffixes, count, false);
}

struct numbers golden_halves(struct golden *golden, const char *suffixes, size_t count)
{
    const struct numbers bytes = tensor_of(golden, suffixes, (count + 1) / 2, true);
    const struct numbers halves = {.count = count, .values = golden_values(golden, count)};
    for (size_t i = 0; bytes.values && halves.values && i < count; i++)
        halves.values[i] = num_wrap(bytes.values[i / 2] >> (i % 2 * 4), 4);
    return halves;
}

/* What the layer before gave, if it is as large as the keys say. */
static struct numbers input_of_layer(const struct golden *golden, size_t count)
{
    const struct numbers input = golden->scope->input;
    if (input.count != count)
        diag_error(golden->diag, (struct place){golden->name, 0, 0},
                   "%sINPUT: %zu numbers, but there are %zu", golden->scope->keys, count, input.count);
    return input;
}

struct numbers golden_input(struct golden *golden, const char *suffixes, size_t count)
{
    if (golden->scope)
        return input_of_layer(golden, count);
    const struct numbers tensor = golden_tensor(golden, suffixes, count);
    if (tensor.type > GOLDEN_INT16)
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "%s: int8 or int16, please, not %s",
                   suffixes, types[tensor.type].name);
    return tensor;
}

void golden_expect(struct golden *golden, struct answer *answer, size_t count)
{
    if (golden->scope)
        answer->expected = (struct numbers){.type = golden->scope->input.type, .count = count};
    else
        answer->expected = golden_input(golden, "output_ref output", count);
    answer->values = golden_values(golden, count);
}

/* The type that a file's first line names; GOLDEN_TYPES: none. */
static enum golden_type type_of(const char *path)
{
    char line[100] = "";
    const char *text = line;
    enum golden_type type = GOLDEN_TYPES;
    int64_t count;
    FILE *file = fopen(path, "r");
    if (!file)
        return type;
    if (!fgets(line, sizeof line, file) || !read_head(&text, &type, &count))
        type = GOLDEN_TYPES;
    fclose(file);
    return type;
}

size_t golden_files(const struct golden *golden, enum golden_type *type)
{
    struct path path;
    size_t files = 0;
    *type = GOLDEN_TYPES;
    DIR *folder = path_of(&path, "%s/%s", golden->root, golden->name) ? opendir(path.text) : NULL;
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".txt"))
            continue;
        files++;
        if (path_of(&path, "%s/%s/%s", golden->root, golden->name, entry->d_name))
            *type = type_of(path.text);
    }
    if (folder)
        closedir(folder);
    return files;
}

void golden_leave_out(struct golden *golden, const char *reason)
{
    snprintf(golden->left_out, sizeof golden->left_out, "%s", reason);
}

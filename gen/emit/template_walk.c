/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/template_walk.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/emit/values.h"

/* Loop variables and names of an include, the innermost first. */
struct scope {
    struct scope *outer;
    const char *name, *text;
    bool loop, more; /* a loop's variable; not the last round */
    bool used;
};

/* A piece of a line. */
struct piece {
    const char *text;
    size_t len;
};

enum { NAME_MAX_LENGTH = 63, INCLUDE_NAMES = 4, INCLUDE_DEPTH = 8 };

#define report(walk, ...) \
    diag_error((walk)->diag, (struct place){(walk)->source->label, (walk)->line, 0}, __VA_ARGS__)

static struct piece piece(const char *text, size_t len)
{
    return (struct piece){text, len};
}

static struct piece skip(struct piece p, size_t len)
{
    return piece(p.text + len, p.len - len);
}

static struct piece trim(struct piece p)
{
    while (p.len && isspace((unsigned char)*p.text))
        p = skip(p, 1);
    while (p.len && isspace((unsigned char)p.text[p.len - 1]))
        p.len--;
    return p;
}

static size_t find(struct piece p, const char *what)
{
    size_t len = strlen(what), at = 0;
    while (at + len <= p.len && memcmp(p.text + at, what, len) != 0)
        at++;
    return at + len <= p.len ? at : p.len;
}

/* The characters of a name at the beginning. */
static size_t name_length(struct piece p)
{
    size_t len = 0;
    while (len < p.len && (isalnum((unsigned char)p.text[len]) || p.text[len] == '_'))
        len++;
    return len;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void note_use(struct template_walk *walk, const char *name)
{
    if (walk->check)
        sb_addf(walk->used, "\n%s\n", name);
}

bool template_was_used(const struct strbuf *used, const char *name)
{
    struct strbuf line = {0};
    sb_addf(&line, "\n%s\n", name);
    bool found = strstr(sb_text(used), sb_text(&line)) != NULL;
    sb_free(&line);
    return found;
}

static const struct template_value *own_value(const struct template_walk *walk, const char *name)
{
    for (const struct template_value *v = walk->template->values; v && v->name; v++)
        if (!strcmp(v->name, name))
            return v;
    return NULL;
}

static bool add_named(struct template_walk *walk, struct scope *scope, struct strbuf *to, const char *name,
                      unsigned index)
{
    for (; scope; scope = scope->outer)
        if (!strcmp(scope->name, name)) {
            scope->used = true;
            sb_add(to, scope->text);
            return true;
        }
    note_use(walk, name);
    const struct template_value *own = own_value(walk, name);
    if (own && !walk->check)
        own->add(to, walk->ctx, walk->data, index);
    return own || values_add(to, walk->ctx, name);
}

static unsigned number(struct template_walk *walk, struct scope *scope, struct piece p);

/* What follows a name: nothing, [index], +number or -number. */
static void add_with_suffix(struct template_walk *walk, struct scope *scope, struct strbuf *to,
                            struct piece p)
{
    char name[NAME_MAX_LENGTH + 1];
    size_t len = name_length(p);
    struct piece rest = skip(p, len);
    struct strbuf value = {0};
    unsigned index = 0;
    snprintf(name, sizeof name, "%.*s", (int)len, p.text);
    if (rest.len > 2 && *rest.text == '[' && rest.text[rest.len - 1] == ']') {
        index = number(walk, scope, piece(rest.text + 1, rest.len - 2));
        rest.len = 0;
    }
    if (!len || !add_named(walk, scope, &value, name, index))
        report(walk, "unknown name \"%.*s\"", (int)p.len, p.text);
    else if (rest.len > 1 && strchr("+-", *rest.text) && isdigit((unsigned char)rest.text[1]))
        sb_addf(to, "%ld", strtol(sb_text(&value), NULL, 10) + strtol(rest.text, NULL, 10));
    else if (rest.len)
        report(walk, "\"%.*s\" is not a name, name[index], name+number or name-number", (int)p.len, p.text);
    else
        sb_add(to, sb_text(&value));
    sb_free(&value);
}

static unsigned number(struct template_walk *walk, struct scope *scope, struct piece p)
{
    struct strbuf text = {0};
    p = trim(p);
    if (p.len && isdigit((unsigned char)*p.text))
        sb_addn(&text, p.text, p.len);
    else
        add_with_suffix(walk, scope, &text, p);
    unsigned value = (unsigned)strtoul(sb_text(&text), NULL, 10);
    sb_free(&text);
    return value;
}

/* ---- loops ----------------------------------------------------------------------------------- */

struct range {
    char name[NAME_MAX_LENGTH + 1], text[16];
    unsigned first, count;
    struct scope scope;
};

/* "i < count" or "first <= i < count" */
static bool read_range(struct template_walk *walk, struct scope *scope, struct piece p, struct range *range)
{
    size_t first = find(p, "<=");
    range->first = 0;
    if (first < p.len) {
        range->first = number(walk, scope, piece(p.text, first));
        p = skip(p, first + 2);
    }
    size_t less = find(p, "<");
    struct piece name = trim(piece(p.text, less));
    if (less == p.len || !name.len || name_length(name) != name.len || name.len > NAME_MAX_LENGTH) {
        report(walk, "a loop is written \"i < count\" or \"first <= i < count\"");
        return false;
    }
    snprintf(range->name, sizeof range->name, "%.*s", (int)name.len, name.text);
    range->count = number(walk, scope, skip(p, less + 1));
    if (walk->check)
        range->count = range->first + 1;
    range->scope = (struct scope){.outer = scope, .name = range->name, .text = range->text, .loop = true};
    return true;
}

static void set_round(struct range *range, unsigned round)
{
    snprintf(range->text, sizeof range->text, "%u", round);
    range->scope.more = round + 1 < range->count;
}

static void check_variable(struct template_walk *walk, const struct range *range)
{
    if (walk->check && !range->scope.used)
        report(walk, "the loop variable \"%s\" is not used", range->name);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void add_text(struct template_walk *walk, struct scope *scope, struct strbuf *to, struct piece p);

/* What does not fit one line is continued on lines of this many. */
enum { GATHER_ROW = 4 };

static void add_gathered(struct template_walk *walk, struct scope *scope, struct strbuf *to,
                         struct piece text, struct piece loop)
{
    struct range range;
    if (!read_range(walk, scope, loop, &range))
        return;
    unsigned count = range.count - range.first;
    for (unsigned i = count; i-- > 0;) {
        if (count > GATHER_ROW && (count - 1 - i) % GATHER_ROW == 0)
            sb_add(to, "\n      ");
        set_round(&range, range.first + i);
        add_text(walk, &range.scope, to, text);
        sb_add(to, !i ? "" : count > GATHER_ROW && (count - i) % GATHER_ROW == 0 ? "," : ", ");
    }
    sb_add(to, count > GATHER_ROW ? "\n    " : "");
    check_variable(walk, &range);
}

static void add_comma(struct template_walk *walk, struct scope *scope, struct strbuf *to)
{
    while (scope && !scope->loop)
        scope = scope->outer;
    if (!scope)
        report(walk, "${,} stands in no loop");
    else if (scope->more)
        sb_add(to, ",");
}

/* What stands between the braces. */
static void add_mark(struct template_walk *walk, struct scope *scope, struct strbuf *to, struct piece p)
{
    size_t gather = find(p, " for ");
    if (p.len == 1 && *p.text == ',')
        add_comma(walk, scope, to);
    else if (gather < p.len)
        add_gathered(walk, scope, to, piece(p.text, gather), skip(p, gather + 5));
    else
        add_with_suffix(walk, scope, to, p);
}

/* Up to the brace that closes the one before. */
static size_t braced_length(struct piece p)
{
    unsigned open = 1;
    for (size_t i = 0; i < p.len; i++) {
        open += p.text[i] == '{';
        open -= p.text[i] == '}';
        if (!open)
            return i;
    }
    return p.len;
}

static void add_text(struct template_walk *walk, struct scope *scope, struct strbuf *to, struct piece p)
{
    size_t mark;
    for (; (mark = find(p, "${")) < p.len;) {
        bool escaped = mark && p.text[mark - 1] == '$';
        sb_addn(to, p.text, escaped ? mark - 1 : mark);
        p = skip(p, mark + 2);
        size_t len = escaped ? 0 : braced_length(p);
        if (escaped)
            sb_add(to, "${");
        else if (len == p.len)
            report(walk, "a brace is not closed");
        else
            add_mark(walk, scope, to, piece(p.text, len));
        p = skip(p, escaped || len == p.len ? len : len + 1);
    }
    sb_addn(to, p.text, p.len);
}

/* ---- directives ------------------------------------------------------------------------------ */

/* What ended a block. */
enum stop { STOP_FILE, STOP_ELSE, STOP_END };

static enum stop walk_block(struct template_walk *walk, struct scope *scope, bool active);

static bool compare(const char *op, unsigned a, unsigned b)
{
    bool equal = op[1] == '=';
    switch (*op) {
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '<':
        return equal ? a <= b : a < b;
    default:
        return equal ? a >= b : a > b;
    }
}

static bool condition(struct template_walk *walk, struct scope *scope, struct piece p)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t at = find(p, operators[i]);
        if (at == p.len)
            continue;
        unsigned left = number(walk, scope, piece(p.text, at));
        return compare(operators[i], left, number(walk, scope, skip(p, at + strlen(operators[i]))));
    }
    bool negated = p.len && *p.text == '!';
    return (number(walk, scope, skip(p, negated)) != 0) != negated;
}

/* The block that the word began in line `line` must have ended with "end". */
static void expect_end(struct template_walk *walk, enum stop stop, unsigned line, const char *word)
{
    if (stop == STOP_ELSE)
        report(walk,
               !strcmp(word, "if") ? "an \"else\" in an \"if\" that has one" : "an \"else\" in a \"for\"");
    walk->line = stop == STOP_FILE ? line : walk->line;
    if (stop == STOP_FILE)
        report(walk, "this \"%s\" has no \"end\"", word);
}

static void walk_if(struct template_walk *walk, struct scope *scope, struct piece arguments, bool active)
{
    unsigned line = walk->line;
    bool holds = active && condition(walk, scope, arguments);
    enum stop stop = walk_block(walk, scope, walk->check ? active : holds);
    if (stop == STOP_ELSE)
        stop = walk_block(walk, scope, walk->check ? active : active && !holds);
    expect_end(walk, stop, line, "if");
}

static void walk_for(struct template_walk *walk, struct scope *scope, struct piece arguments, bool active)
{
    struct range range = {.count = 0};
    unsigned line = walk->line;
    const char *begin = walk->at;
    bool rounds = active && read_range(walk, scope, arguments, &range) && range.first < range.count;
    enum stop stop = STOP_END;
    if (!rounds)
        stop = walk_block(walk, scope, false);
    for (unsigned i = range.first; rounds && i < range.count; i++) {
        walk->at = begin;
        walk->line = line;
        set_round(&range, i);
        stop = walk_block(walk, &range.scope, active);
    }
    expect_end(walk, stop, line, "for");
    if (rounds)
        check_variable(walk, &range);
}

/* The next word of a directive. */
static struct piece next_word(struct piece *p)
{
    *p = trim(*p);
    struct piece word = piece(p->text, 0);
    while (word.len < p->len && !isspace((unsigned char)word.text[word.len]))
        word.len++;
    *p = skip(*p, word.len);
    return word;
}

const struct template_source *template_find(const struct template_source *sources, size_t count,
                                            const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(sources[i].name, name))
            return &sources[i];
    return NULL;
}

static void walk_included(struct template_walk *walk, struct scope *scope,
                          const struct template_source *source)
{
    struct template_walk outer = *walk;
    walk->source = source;
    walk->at = source->text;
    walk->line = 0;
    walk->depth++;
    for (enum stop stop = STOP_END; stop != STOP_FILE;) {
        stop = walk_block(walk, scope, true);
        if (stop != STOP_FILE)
            report(walk, stop == STOP_END ? "an \"end\" that ends nothing" : "an \"else\" of no \"if\"");
    }
    *walk = outer;
}

static void walk_include(struct template_walk *walk, struct scope *scope, struct piece arguments)
{
    struct scope names[INCLUDE_NAMES];
    char texts[INCLUDE_NAMES][2][NAME_MAX_LENGTH + 1];
    unsigned count = 0;
    char file[NAME_MAX_LENGTH + 1];
    struct piece word = next_word(&arguments);
    snprintf(file, sizeof file, "%.*s", (int)word.len, word.text);
    for (; (word = next_word(&arguments)).len && count < INCLUDE_NAMES; count++) {
        struct strbuf text = {0};
        size_t equals = find(word, "=");
        add_text(walk, scope, &text, skip(word, equals < word.len ? equals + 1 : equals));
        snprintf(texts[count][0], sizeof texts[count][0], "%.*s", (int)equals, word.text);
        snprintf(texts[count][1], sizeof texts[count][1], "%s", sb_text(&text));
        sb_free(&text);
        names[count] = (struct scope){
            .outer = count ? &names[count - 1] : scope, .name = texts[count][0], .text = texts[count][1]};
    }
    const struct template_source *source = template_find(walk->sources, walk->source_count, file);
    note_use(walk, file);
    if (!source || walk->depth == INCLUDE_DEPTH) {
        report(walk,
               source ? "templates include each other without end" : "there is no template \"%s\" to include",
               file);
        return;
    }
    walk_included(walk, count ? &names[count - 1] : scope, source);
    for (unsigned i = 0; walk->check && i < count; i++)
        if (!names[i].used)
            report(walk, "\"%s\" does not use the name \"%s\"", file, names[i].name);
}

static bool is_word(struct piece word, const char *text)
{
    return word.len == strlen(text) && !memcmp(word.text, text, word.len);
}

/* Of a directive line, what follows the mark. */
static bool is_directive(struct piece line, struct piece *rest)
{
    *rest = trim(line);
    if (rest->len < 3 || memcmp(rest->text, "//:", 3) != 0)
        return false;
    *rest = skip(*rest, 3);
    return true;
}

/* False when the directive ends the block: *stop says how. */
static bool walk_directive(struct template_walk *walk, struct scope *scope, struct piece rest, bool active,
                           enum stop *stop)
{
    struct piece word = next_word(&rest);
    rest = trim(rest);
    *stop = is_word(word, "else") ? STOP_ELSE : STOP_END;
    if (is_word(word, "else") || is_word(word, "end"))
        return false;
    if (is_word(word, "if"))
        walk_if(walk, scope, rest, active);
    else if (is_word(word, "for"))
        walk_for(walk, scope, rest, active);
    else if (is_word(word, "include") && active)
        walk_include(walk, scope, rest);
    else if (!is_word(word, "include") && !is_word(word, "#"))
        report(walk, "unknown directive \"%.*s\"", (int)word.len, word.text);
    return true;
}

static enum stop walk_block(struct template_walk *walk, struct scope *scope, bool active)
{
    enum stop stop;
    while (*walk->at) {
        struct piece rest, line = piece(walk->at, strcspn(walk->at, "\n"));
        walk->at += line.len + (walk->at[line.len] == '\n');
        walk->line++;
        if (is_directive(line, &rest)) {
            if (!walk_directive(walk, scope, rest, active, &stop))
                return stop;
        } else if (active) {
            add_text(walk, scope, walk->to, line);
            sb_add(walk->to, "\n");
        }
    }
    return STOP_FILE;
}

void template_walk(struct template_walk *walk)
{
    walk_included(walk, NULL, walk->source);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "host/cli/bench.h"
#include "host/cli/page.h"

double page_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

const char *page_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool page_measured(const json_t *c)
{
    return !json_object_get(c, "left_out") && !json_object_get(c, "refused");
}

const json_t *page_figures(const json_t *c)
{
    const json_t *sim = json_object_get(c, "sim");
    return json_is_object(sim) ? sim : json_object_get(c, "model");
}

const char *page_limit(const json_t *c)
{
    static const char *const names[] = {"compute", "read", "write"};
    const json_t *limits = json_object_get(c, "limits");
    unsigned largest = 0;
    for (unsigned i = 1; i < 3; i++)
        if (page_number(limits, names[i]) > page_number(limits, names[largest]))
            largest = i;
    return names[largest];
}

const json_t *page_variant(const json_t *run, const char *name)
{
    size_t i;
    const json_t *v;
    json_array_foreach(json_object_get(run, "variants"), i, v)
    {
        if (!strcmp(page_text(v, "name"), name))
            return v;
    }
    return NULL;
}

double page_sum(const json_t *list)
{
    double sum = 0;
    size_t i;
    const json_t *value;
    json_array_foreach(list, i, value)
    {
        sum += json_number_value(value);
    }
    return sum;
}

void page_add_text(struct strbuf *to, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '<'    ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '&'  ? "&amp;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\'' ? "&#39;"
                                             : NULL;
        if (entity)
            sb_add(to, entity);
        else
            sb_addn(to, text, 1);
    }
}

void page_add_count(struct strbuf *to, double count)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.0f", count);
    const size_t length = strlen(digits);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
            sb_add(to, ",");
        sb_addn(to, digits + i, 1);
    }
}

/* ---- checking ------------------------------------------------------------------------------------------ */

struct check {
    const char *path;
    struct diag *diag;
};

static void missing(const struct check *c, const char *of, const char *what)
{
    diag_error(c->diag, (struct place){.file = c->path},
               "%s has no %s: the file is not a complete run of tulle bench --json", of, what);
}

static void need_numbers(const struct check *c, const json_t *object, const char *of, const char *const *keys)
{
    for (; *keys; keys++)
        if (!json_is_number(json_object_get(object, *keys)))
            missing(c, of, *keys);
}

static void need_texts(const struct check *c, const json_t *object, const char *of, const char *const *keys)
{
    for (; *keys; keys++)
        if (!json_is_string(json_object_get(object, *keys)))
            missing(c, of, *keys);
}

static void need_lists(const struct check *c, const json_t *object, const char *of, const char *const *keys)
{
    for (; *keys; keys++)
        if (!json_array_size(json_object_get(object, *keys)))
            missing(c, of, *keys);
}

#define KEYS (const char *const[])

static void check_measured(const struct check *c, const json_t *run, const json_t *one)
{
    const char *name = page_text(one, "name");
    const json_t *timeline = json_object_get(one, "timeline"), *model = json_object_get(one, "model");
    need_numbers(c, one, name,
                 KEYS{"m", "k", "n", "nnz", "inputs", "effective_macs", "pes", "roofline_cycles",
                      "weights_bytes", NULL});
    need_texts(c, one, name, KEYS{"op", "variant", "plan", NULL});
    need_numbers(c, json_object_get(one, "limits"), name, KEYS{"compute", "read", "write", NULL});
    need_numbers(c, model, name,
                 KEYS{"efficiency", "utilization", "cycles", "bytes_read", "bytes_written", NULL});
    need_numbers(
        c, json_object_get(one, "pe_cycles"), name,
        KEYS{"multiplies", "no_packet", "activations", "weights", "results", "between", "end", NULL});
    need_lists(c, one, name, KEYS{"pe_busy", "alternatives", NULL});
    need_numbers(c, timeline, name, KEYS{"cycles", NULL});
    need_lists(c, timeline, name, KEYS{"read", "busy", "written", NULL});
    const size_t pieces = json_array_size(json_object_get(timeline, "read"));
    if (json_array_size(json_object_get(timeline, "busy")) != pieces ||
        json_array_size(json_object_get(timeline, "written")) != pieces ||
        page_number(timeline, "cycles") < 1)
        missing(c, name, "time line of one length");
    if (!page_variant(run, page_text(one, "variant")))
        missing(c, name, "variant that is described");
    else if (page_number(model, "cycles") < 1 ||
             json_array_size(json_object_get(one, "pe_busy")) != (size_t)page_number(one, "pes"))
        missing(c, name, "cycles, or its PEs");
}

static void check_variant(const struct check *c, const json_t *v)
{
    need_texts(c, v, "a variant", KEYS{"name", "hash", NULL});
    need_numbers(
        c, v, page_text(v, "name"),
        KEYS{"n", "m", "k", "data_width", "scan", "memory_width", "memory_ports", "row_bus_width", NULL});
    if (page_number(v, "n") < 1 || page_number(v, "m") < 1 || page_number(v, "k") < 1 ||
        page_number(v, "memory_width") < 8 || page_number(v, "memory_ports") < 1)
        missing(c, page_text(v, "name"), "array of a size");
}

bool page_check(const json_t *run, const char *path, struct diag *diag)
{
    const struct check c = {.path = path, .diag = diag};
    const json_t *layout = json_object_get(run, "tulle_bench");
    size_t i;
    const json_t *one;
    if (!json_is_integer(layout)) {
        missing(&c, "the file", "tulle_bench");
        return false;
    }
    if (json_integer_value(layout) != BENCH_LAYOUT) {
        diag_error(
            diag, (struct place){.file = path},
            "the run has layout %lld, and this command reads layout %d: use the tulle that made the run",
            (long long)json_integer_value(layout), BENCH_LAYOUT);
        return false;
    }
    need_texts(&c, run, "the run", KEYS{"version", "isa", NULL});
    need_numbers(&c, json_object_get(run, "summary"), "the run",
                 KEYS{"measured", "left_out", "refused", "bars", "below", NULL});
    need_lists(&c, run, "the run", KEYS{"variants", "cases", NULL});
    json_array_foreach(json_object_get(run, "variants"), i, one)
    {
        check_variant(&c, one);
    }
    json_array_foreach(json_object_get(run, "cases"), i, one)
    {
        need_texts(&c, one, "a case", KEYS{"name", NULL});
        if (page_measured(one))
            check_measured(&c, run, one);
    }
    return !diag->errors;
}

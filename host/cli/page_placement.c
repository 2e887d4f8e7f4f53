/* SPDX-License-Identifier: Apache-2.0
 *
 * The placement of a network as a picture: a row for each operation, in the
 * column and the colour of its processor, and a line for each value to its
 * readers. Values that move to another processor have thick lines.
 */
#include <string.h>

#include "host/cli/page.h"

enum { ROW = 22, TOP = 40, BOX = 230, BOX_HEIGHT = 16, COLUMN = 300, LEFT = 70, LEVELS = 8, LEVEL = 7 };

static const char *const colours[] = {"--end",  "--read",        "--busy",    "--written",
                                      "--idle", "--activations", "--weights", "--between"};
enum { COLOURS = sizeof colours / sizeof *colours };

static size_t processor_of(const json_t *operation)
{
    return (size_t)page_number(operation, "processor");
}

bool page_check_placement(const json_t *placement)
{
    const json_t *operations = json_object_get(placement, "operations"), *operation, *reader;
    const size_t processors = json_array_size(json_object_get(placement, "processors"));
    size_t i, r;
    if (!processors || !json_array_size(operations))
        return false;
    json_array_foreach(operations, i, operation)
    {
        const json_t *readers = json_object_get(operation, "readers");
        if (!json_is_integer(json_object_get(operation, "processor")) ||
            page_number(operation, "processor") < 0 || processor_of(operation) >= processors ||
            !json_is_array(readers))
            return false;
        json_array_foreach(readers, r, reader)
        {
            if (!json_is_integer(reader) || json_integer_value(reader) <= (json_int_t)i ||
                json_integer_value(reader) >= (json_int_t)json_array_size(operations))
                return false;
        }
    }
    return true;
}

/* From the left side of the producer's box to that of the reader, the further out the longer it is. */
static void add_line(const json_t *operations, size_t from, size_t to_at, struct strbuf *to)
{
    const json_t *a = json_array_get(operations, from), *b = json_array_get(operations, to_at);
    const bool moves = processor_of(a) != processor_of(b);
    const size_t level = (to_at - from) % LEVELS;
    const size_t x1 = LEFT + COLUMN * processor_of(a), y1 = TOP + ROW * from + BOX_HEIGHT / 2,
                 x2 = LEFT + COLUMN * processor_of(b), y2 = TOP + ROW * to_at + BOX_HEIGHT / 2,
                 out = (x1 < x2 ? x1 : x2) - LEVEL * (level + 1);
    sb_addf(
        to,
        "<path d=\"M%zu %zu H%zu V%zu H%zu\" fill=\"none\" stroke=\"var(%s)\" stroke-width=\"%d\"><title>",
        x1, y1, out, y2, x2, moves ? "--bad" : "--line", moves ? 2 : 1);
    page_add_text(to, page_text(a, "name"));
    sb_add(to, moves ? " moves " : " gives ");
    page_add_count(to, page_number(a, "bytes"));
    sb_add(to, " bytes</title></path>\n");
}

static void add_box(const json_t *operation, size_t at, struct strbuf *to)
{
    enum { SHOWN = 34 };
    const size_t q = processor_of(operation), x = LEFT + COLUMN * q, y = TOP + ROW * at;
    struct strbuf shown = {0};
    const char *name = page_text(operation, "name");
    size_t end = 0;
    while (name[end] && end < SHOWN - 12)
        end += sb_utf8_length(name + end) ? sb_utf8_length(name + end) : 1;
    sb_addf(&shown, "%.12s ", page_text(operation, "type"));
    sb_addn(&shown, name, end);
    sb_addf(to,
            "<g><rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"var(%s)\" "
            "fill-opacity=\".35\" stroke=\"var(%s)\"/><text x=\"%zu\" y=\"%zu\" font-size=\"10\" "
            "fill=\"var(--text)\">",
            x, y, BOX, BOX_HEIGHT, colours[q % COLOURS], colours[q % COLOURS], x + 5, y + 12);
    page_add_text(to, sb_text(&shown));
    sb_add(to, "</text><title>");
    page_add_text(to, name);
    sb_addf(to, ": processor %zu</title></g>\n", q);
    sb_free(&shown);
}

static void add_strategies(const json_t *placement, struct strbuf *to)
{
    const char *name;
    const json_t *us;
    sb_add(to, "<table><thead><tr><th scope=\"col\">strategy</th><th scope=\"col\">predicted "
               "us</th></tr></thead><tbody>\n");
    json_object_foreach(json_object_get(placement, "strategies"), name, us)
    {
        sb_add(to, "<tr><th scope=\"row\">");
        page_add_text(to, name);
        sb_addf(to, "</th><td>%.2f</td></tr>\n", json_number_value(us));
    }
    sb_add(to, "</tbody></table>\n");
}

static void add_saving(const json_t *saving, const json_t *operations, struct strbuf *to)
{
    const json_t *part = json_object_get(saving, "part");
    sb_add(to, "<tr><th scope=\"row\">");
    if (part)
        sb_addf(to, "part %.0f", json_number_value(part));
    else
        page_add_text(
            to, page_text(json_array_get(operations, (size_t)page_number(saving, "operation")), "name"));
    sb_addf(to, "</th><td>%.0f</td><td>%.0f</td><td>", page_number(saving, "operators"),
            page_number(saving, "jobs"));
    page_add_count(to, page_number(saving, "bytes"));
    sb_addf(to, "</td><td>%.2f</td></tr>\n",
            page_number(saving, "jobs_us") + page_number(saving, "copies_us") +
                (part ? page_number(saving, "cycles_us") : 0));
}

/* What parts, and operations with others in their loops, save. */
static void add_savings(const json_t *placement, struct strbuf *to)
{
    const json_t *savings = json_object_get(placement, "savings"), *saving;
    size_t i;
    if (!json_array_size(savings))
        return;
    sb_add(to, "<table><caption>Saved because operations are neighbours on a device</caption><thead><tr>"
               "<th scope=\"col\">part, or operation with others in its loops</th><th "
               "scope=\"col\">operators</th><th scope=\"col\">jobs less</th><th scope=\"col\">bytes that "
               "stay</th><th scope=\"col\">us less</th></tr></thead><tbody>\n");
    json_array_foreach(savings, i, saving) add_saving(saving, json_object_get(placement, "operations"), to);
    sb_add(to, "</tbody></table>\n");
}

void page_add_placement(const json_t *placement, struct strbuf *to)
{
    const json_t *operations = json_object_get(placement, "operations"),
                 *processors = json_object_get(placement, "processors"), *operation, *processor, *reader;
    size_t i, r;
    sb_add(to, "<section aria-labelledby=\"placement\"><h2 id=\"placement\">Placement</h2>\n<p>A box is an "
               "operation, in the column of its processor; a thick line is a value that moves to another "
               "processor.</p>\n");
    add_strategies(placement, to);
    add_savings(placement, to);
    sb_addf(
        to,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Picture of the placement\"><svg "
        "width=\"%zu\" height=\"%zu\" role=\"img\" aria-label=\"Operations by processor\">\n",
        LEFT + COLUMN * json_array_size(processors), TOP + ROW * json_array_size(operations) + ROW);
    json_array_foreach(processors, i, processor)
    {
        sb_addf(to, "<text x=\"%zu\" y=\"20\" font-size=\"12\" fill=\"var(--text)\">%zu ", LEFT + COLUMN * i,
                i);
        page_add_text(to, page_text(processor, "name"));
        sb_add(to, "</text>\n");
    }
    json_array_foreach(operations, i, operation)
    {
        json_array_foreach(json_object_get(operation, "readers"), r, reader)
            add_line(operations, i, (size_t)json_integer_value(reader), to);
    }
    json_array_foreach(operations, i, operation) add_box(operation, i, to);
    sb_add(to, "</svg></div></section>\n");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws what a job read, multiplied and wrote over its cycles, as shares of
 * the possible amount in three lanes.
 */
#include <math.h>

#include "host/cli/page.h"

#define WIDTH 460
#define LEFT 62
#define RIGHT 8
#define LANE 34
#define GAP 10
#define TOP 6
#define PIECES_MAX 80 /* that are drawn */
#define TABLE_ROWS 8

struct lane {
    const char *key, *name, *class;
    double most; /* in a cycle */
};
#define LANES 3

struct timeline {
    const json_t *data;
    struct lane lane[LANES];
    size_t pieces;
    double cycles, all; /* of a piece, of the job */
};

static struct timeline timeline_of(const json_t *run, const json_t *c)
{
    const json_t *v = page_variant(run, page_text(c, "variant")), *data = json_object_get(c, "timeline");
    const double ports = page_number(v, "memory_ports");
    return (struct timeline){.data = data,
                             .lane = {{"read", "load", "in", ports},
                                      {"busy", "compute", "busy", page_number(c, "pes")},
                                      {"written", "store", "out", 1}},
                             .pieces = json_array_size(json_object_get(data, "read")),
                             .cycles = page_number(data, "cycles"),
                             .all = page_number(json_object_get(c, "model"), "cycles")};
}

/* How much of the lane is used in these pieces. */
static double share(const struct timeline *t, const struct lane *lane, size_t from, size_t to)
{
    const json_t *list = json_object_get(t->data, lane->key);
    double sum = 0;
    for (size_t i = from; i < to && i < t->pieces; i++)
        sum += json_number_value(json_array_get(list, i));
    const double value = to > from ? sum / ((double)(to - from) * t->cycles * lane->most) : 0;
    return value > 1 ? 1 : value;
}

static double x_of(const struct timeline *t, size_t piece)
{
    const double part = (double)piece * t->cycles / t->all;
    return LEFT + (WIDTH - LEFT - RIGHT) * (part < 1 ? part : 1);
}

static void add_lane(const struct timeline *t, unsigned number, struct strbuf *to)
{
    const struct lane *lane = &t->lane[number];
    const size_t join = (t->pieces + PIECES_MAX - 1) / PIECES_MAX;
    const double floor = TOP + LANE + number * (LANE + GAP);
    sb_addf(to, "<text class=\"strong\" x=\"0\" y=\"%.0f\">%s</text><path class=\"lane %s\" d=\"M%d %.0f",
            floor - LANE / 2.0 + 4, lane->name, lane->class, LEFT, floor);
    double level = 0;
    for (size_t i = 0; i < t->pieces; i += join) {
        const double now = LANE * share(t, lane, i, i + join);
        if (fabs(now - level) < 0.05)
            continue;
        sb_addf(to, "H%.1fV%.1f", x_of(t, i), floor - now);
        level = now;
    }
    sb_addf(to, "H%.1f", x_of(t, t->pieces));
    sb_addf(to, "V%.0fZ\"/><path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", floor, LEFT, floor + .5,
            WIDTH - RIGHT);
}

static void add_axis(const struct timeline *t, struct strbuf *to)
{
    const double wide = WIDTH - LEFT - RIGHT;
    const int y = TOP + LANES * (LANE + GAP) + 8;
    for (unsigned quarter = 0; quarter <= 4; quarter += 2) {
        sb_addf(to, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"%s\">", LEFT + wide * quarter / 4, y,
                !quarter      ? "start"
                : quarter < 4 ? "middle"
                              : "end");
        page_add_count(to, t->all * quarter / 4);
        sb_add(to, quarter == 4 ? " cycles</text>" : "</text>");
    }
}

static void add_table(const struct timeline *t, struct strbuf *to)
{
    const size_t join = (t->pieces + TABLE_ROWS - 1) / TABLE_ROWS;
    sb_add(to, "<details><summary class=\"small\">The same as a table</summary><table><thead><tr><th "
               "scope=\"col\">cycles</th>");
    for (unsigned l = 0; l < LANES; l++)
        sb_addf(to, "<th scope=\"col\">%s</th>", t->lane[l].name);
    sb_add(to, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < t->pieces; i += join) {
        const double end = (double)(i + join) * t->cycles;
        sb_add(to, "<tr><th scope=\"row\">");
        page_add_count(to, (double)i * t->cycles);
        sb_add(to, " to ");
        page_add_count(to, end < t->all ? end : t->all);
        sb_add(to, "</th>");
        for (unsigned l = 0; l < LANES; l++)
            sb_addf(to, "<td>%.0f %%</td>",
                    100 * share(t, &t->lane[l], i, i + join < t->pieces ? i + join : t->pieces));
        sb_add(to, "</tr>\n");
    }
    sb_add(to, "</tbody></table></details>\n");
}

void page_add_timeline(const json_t *run, const json_t *c, struct strbuf *to)
{
    const struct timeline t = timeline_of(run, c);
    sb_addf(to,
            "<figure><h4>What moved when</h4>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Shares "
            "of load, compute and store over "
            "%.0f cycles; the table below has them\">\n",
            WIDTH, TOP + LANES * (LANE + GAP) + 14, t.all);
    for (unsigned l = 0; l < LANES; l++)
        add_lane(&t, l, to);
    add_axis(&t, to);
    sb_add(to, "</svg>\n<figcaption>Full height: every beat of the port, every PE. Of the cycle "
               "model.</figcaption>\n");
    add_table(&t, to);
    sb_add(to, "</figure>\n");
}

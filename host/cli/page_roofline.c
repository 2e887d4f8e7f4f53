/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws the roofline: multiplications a cycle over multiplications a byte,
 * both on logarithmic scales.
 */
#include <math.h>
#include <string.h>

#include "host/cli/page.h"

#define WIDTH 460
#define HEIGHT 300
#define LEFT 44
#define RIGHT 12
#define TOP 14
#define BOTTOM 40

struct plot {
    const json_t *run, *variant;
    double pes, port;                 /* multiplications and bytes a cycle */
    int x_low, x_high, y_low, y_high; /* powers of two */
};

/* Multiplications for each byte of the busier direction of the port: what is right of the roof's edge is
 * bound by the PEs. */
static double intensity(const struct plot *p, const json_t *c)
{
    const json_t *l = json_object_get(c, "limits");
    const double read = page_number(l, "read"), write = page_number(l, "write");
    const double bytes = (read > write ? read : write) * p->port;
    return bytes > 0 ? page_number(c, "effective_macs") / bytes : p->pes / p->port;
}

static double rate(const json_t *c)
{
    return page_number(c, "effective_macs") / page_number(page_figures(c), "cycles");
}

static bool is_shown(const struct plot *p, const json_t *c)
{
    return page_measured(c) && !strcmp(page_text(c, "variant"), page_text(p->variant, "name")) &&
           page_number(c, "effective_macs") > 0;
}

static int power_below(double value)
{
    return (int)floor(log2(value));
}

/* Room for all points and for the roof's edge. False: there is no point. */
static bool scale(struct plot *p)
{
    size_t i;
    const json_t *c;
    unsigned points = 0;
    const json_t *v = p->variant;
    p->pes = page_number(v, "n") * page_number(v, "m") * page_number(v, "k");
    p->port = page_number(v, "memory_width") / 8 * page_number(v, "memory_ports");
    p->x_low = power_below(p->pes / p->port) - 1;
    p->x_high = p->x_low + 3;
    p->y_high = power_below(p->pes) + 1;
    p->y_low = p->y_high - 3;
    json_array_foreach(json_object_get(p->run, "cases"), i, c)
    {
        if (!is_shown(p, c))
            continue;
        const int x = power_below(intensity(p, c)), y = power_below(rate(c));
        p->x_low = x < p->x_low ? x : p->x_low;
        p->x_high = x + 1 > p->x_high ? x + 1 : p->x_high;
        p->y_low = y < p->y_low ? y : p->y_low;
        points++;
    }
    return points;
}

static double x_of(const struct plot *p, double value)
{
    return LEFT + (log2(value) - p->x_low) / (p->x_high - p->x_low) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct plot *p, double value)
{
    return HEIGHT - BOTTOM - (log2(value) - p->y_low) / (p->y_high - p->y_low) * (HEIGHT - TOP - BOTTOM);
}

static void add_power(int power, struct strbuf *to)
{
    if (power >= 0)
        sb_addf(to, "%.0f", exp2(power));
    else
        sb_addf(to, "1/%.0f", exp2(-power));
}

static void add_grid(const struct plot *p, struct strbuf *to)
{
    const int step = p->x_high - p->x_low > 8 ? 2 : 1;
    for (int x = p->x_low; x <= p->x_high; x += step) {
        const double at = x_of(p, exp2(x));
        sb_addf(to,
                "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16);
        add_power(x, to);
        sb_add(to, "</text>");
    }
    for (int y = p->y_low; y <= p->y_high; y++) {
        const double at = y_of(p, exp2(y));
        sb_addf(to, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                LEFT, at, WIDTH - RIGHT, LEFT - 6, at + 4);
        add_power(y, to);
        sb_add(to, "</text>");
    }
    sb_addf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">multiplications a byte of the port</text>\n",
            LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 6);
}

/* The line where the port is the limit begins at the left edge or at the lower one. */
static void add_roof(const struct plot *p, struct strbuf *to)
{
    const double low = exp2(p->y_low), from = exp2(p->x_low) * p->port < low ? low / p->port : exp2(p->x_low);
    sb_addf(to, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1fH%d\"/>\n", x_of(p, from),
            y_of(p, from * p->port), x_of(p, p->pes / p->port), y_of(p, p->pes), WIDTH - RIGHT);
    sb_addf(to, "<text class=\"strong\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f PEs</text>\n",
            WIDTH - RIGHT, y_of(p, p->pes) - 6, p->pes);
}

/* ---- points ------------------------------------------------------------------------------------------- */

/* A point has its number beside it, where no other point or number is, if there is such a place. */
#define DOT 5.0
#define NUMBER_WIDTH 15.0
#define NUMBER_HEIGHT 12.0
#define PLACED_MAX 1024

struct box {
    double x, y, width, height; /* x, y: the centre */
};

struct placed {
    struct box of[PLACED_MAX];
    unsigned count;
};

static bool is_free(const struct placed *p, struct box b)
{
    for (unsigned i = 0; i < p->count; i++)
        if (fabs(p->of[i].x - b.x) * 2 < p->of[i].width + b.width &&
            fabs(p->of[i].y - b.y) * 2 < p->of[i].height + b.height)
            return false;
    return b.x > LEFT + NUMBER_WIDTH / 2 && b.x < WIDTH - NUMBER_WIDTH / 2 && b.y > TOP &&
           b.y < HEIGHT - BOTTOM;
}

static void place(struct placed *p, struct box b)
{
    if (p->count < PLACED_MAX)
        p->of[p->count++] = b;
}

/* Around the point, further out each time. */
static struct box number_place(struct placed *p, double x, double y)
{
    struct box b = {.width = NUMBER_WIDTH, .height = NUMBER_HEIGHT};
    for (unsigned turn = 0; turn < 84; turn++) {
        const unsigned round = turn / 12;
        const double far = 13 + 6 * round;
        b.x = x + far * cos(turn * 0.5236);
        b.y = y + 0.85 * far * sin(turn * 0.5236);
        if (is_free(p, b))
            return b;
    }
    b.x = x + 13;
    b.y = y;
    return b;
}

static void add_point(const struct plot *p, const json_t *c, size_t number, struct placed *placed,
                      struct strbuf *to)
{
    const double x = x_of(p, intensity(p, c)), y = y_of(p, rate(c));
    const struct box b = number_place(placed, x, y);
    place(placed, b);
    sb_addf(to, "<a href=\"#case-%zu\" class=\"%s\"><title>", number, page_limit(c));
    page_add_text(to, page_text(c, "name"));
    sb_addf(to, ": efficiency %.3f</title>", page_number(page_figures(c), "efficiency"));
    if (hypot(b.x - x, b.y - y) > 16)
        sb_addf(to, "<path class=\"lead\" d=\"M%.1f %.1fL%.1f %.1f\"/>", x, y, b.x, b.y);
    sb_addf(to,
            "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/><text class=\"number\" x=\"%.1f\" "
            "y=\"%.1f\">%zu</text></a>\n",
            x, y, DOT, b.x, b.y + 4, number);
}

static void add_points(const struct plot *p, struct strbuf *to)
{
    struct placed placed = {.count = 0};
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(p->run, "cases"), i, c)
    {
        if (is_shown(p, c))
            place(&placed, (struct box){x_of(p, intensity(p, c)), y_of(p, rate(c)), 2 * DOT, 2 * DOT});
    }
    json_array_foreach(json_object_get(p->run, "cases"), i, c)
    {
        if (is_shown(p, c))
            add_point(p, c, i + 1, &placed, to);
    }
}

static void add_table(const struct plot *p, struct strbuf *to)
{
    size_t i;
    const json_t *c;
    sb_add(to,
           "<details><summary class=\"small\">The same as a table</summary><div class=\"scroll\" "
           "tabindex=\"0\" role=\"region\" aria-label=\"Table of the roofline\">"
           "<table><thead><tr><th scope=\"col\">case</th><th scope=\"col\">multiplications<br/>a byte</th>"
           "<th scope=\"col\">a cycle</th><th scope=\"col\">roof</th></tr></thead><tbody>\n");
    json_array_foreach(json_object_get(p->run, "cases"), i, c)
    {
        if (!is_shown(p, c))
            continue;
        sb_addf(to, "<tr><th scope=\"row\">%zu ", i + 1);
        page_add_text(to, page_text(c, "name"));
        sb_addf(to, "</th><td>%.3g</td><td>%.2f</td><td>%.2f</td></tr>\n", intensity(p, c), rate(c),
                page_number(c, "effective_macs") / page_number(c, "roofline_cycles"));
    }
    sb_add(to, "</tbody></table></div></details>\n");
}

static void add_plot(struct plot *p, size_t number, struct strbuf *to)
{
    const char *name = page_text(p->variant, "name");
    if (!scale(p))
        return;
    sb_add(to, "<figure><h3>");
    page_add_text(to, name);
    sb_addf(to,
            "</h3>\n<svg viewBox=\"0 0 %d %d\" role=\"group\" aria-labelledby=\"roof-%zu\">\n<title "
            "id=\"roof-%zu\">Roofline of ",
            WIDTH, HEIGHT, number, number);
    page_add_text(to, name);
    sb_addf(to,
            ": multiplications a cycle over multiplications a byte, under a roof of %.0f PEs and %.0f bytes "
            "a cycle</title>\n",
            p->pes, p->port);
    add_grid(p, to);
    add_roof(p, to);
    add_points(p, to);
    sb_addf(to, "<text x=\"%d\" y=\"%d\">multiplications a cycle</text>\n", LEFT + 4, TOP - 3);
    sb_add(to, "</svg>\n");
    add_table(p, to);
    sb_add(to, "</figure>\n");
}

void page_add_rooflines(const json_t *run, struct strbuf *to)
{
    size_t i;
    const json_t *v;
    sb_add(to,
           "<section aria-labelledby=\"roofline\"><h2 id=\"roofline\">Roofline</h2>\n"
           "<p>Each number is a case. The flat roof is a multiplication a PE and cycle, the slope is what "
           "the busier direction of the "
           "memory port can bring or take; the distance to the roof is what is lost.</p>\n"
           "<ul class=\"key\"><li><span class=\"dot compute\"></span>bound by the PEs</li>"
           "<li><span class=\"dot read\"></span>by what is read</li>"
           "<li><span class=\"dot write\"></span>by what is written</li></ul>\n<div class=\"figures\">\n");
    json_array_foreach(json_object_get(run, "variants"), i, v)
    {
        struct plot p = {.run = run, .variant = v};
        add_plot(&p, i + 1, to);
    }
    sb_add(to, "</div></section>\n");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the fitted tables, bitstreams/estimate/NAME.tsv. The columns of a line are separated by tabs:
 *
 *   coefficient PART FIGURE FEATURE VALUE   a figure of a part is the sum of feature times value
 *   range KEY LOW HIGH                      values, or places of words, of KEY in the variants of the fit
 *   error FIGURE VALUE                      the largest error of the device for variants outside the fit
 *   clock FIXED CELL                        nanoseconds: a period is FIXED + CELL for each cell of the path
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/estimate/estimate.h"
#include "gen/variant/keys.h"

#define WORD 32
#define WORDS 5

const char *const estimate_figure_names[ESTIMATE_FIGURES] = {"luts", "flip_flops", "dsps", "block_rams",
                                                             "longest_path"};
const char *const estimate_part_names[ESTIMATE_PARTS] = {"cluster", "around", "device"};

struct maker {
    const struct variant *variant;
    struct variant_derived derived;
    struct estimate *to;
};

static const struct place nowhere = {0};

const struct estimate_source *estimate_find(const char *family, struct diag *diag)
{
    const struct estimate_source *found = NULL;
    struct strbuf known = {0};
    for (size_t i = 0; !found && i < estimate_source_count; i++) {
        if (!strcmp(estimate_sources[i].name, family))
            found = &estimate_sources[i];
        sb_addf(&known, "%s%s", i ? ", " : "", estimate_sources[i].name);
    }
    if (!found)
        diag_error(diag, nowhere, "nothing is fitted for the FPGA family %s; there are: %s", family,
                   sb_text(&known));
    sb_free(&known);
    return found;
}

static int index_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

static bool add_coefficient(struct maker *m, const char *part_name, const char *figure_name, const char *name,
                            double value)
{
    const int part = index_of(part_name, estimate_part_names, ESTIMATE_DEVICE),
              figure = index_of(figure_name, estimate_figure_names, ESTIMATE_FIGURES);
    if (part < 0 || figure < 0)
        return false;
    for (const struct estimate_feature *f = estimate_features[part]; f->name; f++)
        if (!strcmp(f->name, name)) {
            m->to->of[part][figure] += value * f->of(m->variant, &m->derived);
            return true;
        }
    return false;
}

static bool compare_range(struct maker *m, const char *name, unsigned low, unsigned high)
{
    const struct variant_key *key = variant_key_find(name);
    if (!key)
        return false;
    const unsigned value = variant_get(m->variant, key);
    if (value >= low && value <= high)
        return true;
    sb_addf(&m->to->beyond, "%s%s ", m->to->beyond.len ? ", " : "", name);
    variant_key_value(m->variant, key, "", &m->to->beyond);
    if (high > 0)
        sb_addf(&m->to->beyond, " (%u..%u)", low, high);
    return true;
}

static unsigned number_of(const char *text)
{
    return (unsigned)strtoul(text, NULL, 10);
}

static bool read_error(struct maker *m, const char *name, double value)
{
    const int figure = index_of(name, estimate_figure_names, ESTIMATE_FIGURES);
    if (figure >= 0)
        m->to->error[figure] = value;
    return figure >= 0;
}

static bool read_line(struct maker *m, const char *line, double clock[2])
{
    char copy[WORDS * WORD], word[WORDS][WORD];
    if (*line == '#' || *line == '\n')
        return true;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
    const int words = sscanf(copy, "%31s %31s %31s %31s %31s", word[0], word[1], word[2], word[3], word[4]);
    if (words == 5 && !strcmp(word[0], "coefficient"))
        return add_coefficient(m, word[1], word[2], word[3], strtod(word[4], NULL));
    if (words == 4 && !strcmp(word[0], "range"))
        return compare_range(m, word[1], number_of(word[2]), number_of(word[3]));
    if (words == 3 && !strcmp(word[0], "error"))
        return read_error(m, word[1], strtod(word[2], NULL));
    if (words != 3 || strcmp(word[0], "clock") != 0)
        return false;
    for (unsigned i = 0; i < 2; i++)
        clock[i] = strtod(word[i + 1], NULL);
    return true;
}

/* The device is what is around the clusters, and they; its longest path is the longer one. */
static void add_up(struct maker *m)
{
    struct estimate *e = m->to;
    for (unsigned f = 0; f < ESTIMATE_FIGURES; f++) {
        const double cluster = e->of[ESTIMATE_CLUSTER][f], around = e->of[ESTIMATE_AROUND][f];
        if (f == ESTIMATE_LONGEST_PATH)
            e->of[ESTIMATE_DEVICE][f] = cluster > around ? cluster : around;
        else
            e->of[ESTIMATE_DEVICE][f] = around + m->variant->n * m->variant->m * cluster;
    }
}

bool estimate_make(const struct variant *variant, const struct estimate_source *source, struct estimate *to,
                   struct diag *diag)
{
    struct maker m = {.variant = variant, .to = to};
    double clock[2] = {0, 0};
    unsigned number = 1;
    *to = (struct estimate){.source = source};
    variant_derive(variant, &m.derived);
    for (const char *line = source->text; *line; line = strchr(line, '\n') + 1, number++)
        if (!read_line(&m, line, clock)) {
            diag_error(diag, (struct place){.file = source->label, .line = number},
                       "this line is not understood");
            return false;
        }
    for (unsigned part = 0; part < ESTIMATE_DEVICE; part++) {
        to->of[part][ESTIMATE_DSPS] = estimate_dsps(variant, source->name, part);
        to->of[part][ESTIMATE_BLOCK_RAMS] = estimate_block_rams(variant, source->name, part);
    }
    add_up(&m);
    const double period = clock[0] + clock[1] * to->of[ESTIMATE_DEVICE][ESTIMATE_LONGEST_PATH];
    to->clock_mhz = period > 0 ? 1000 / period : 0;
    return true;
}

void estimate_free(struct estimate *estimate)
{
    sb_free(&estimate->beyond);
}

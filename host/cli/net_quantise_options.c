/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/cli/net_quantise.h"

static const char *const ranges[] = {"error", "min-max", "percentile", "entropy", NULL};
static const char *const codes[] = {"int8", "uint8", NULL};
static const struct place nowhere = {0};

size_t net_quantise_entries(struct net_quantise_options *o, struct option_entry to[NET_QUANTISE_ENTRIES])
{
    struct quantise_options *how = &o->how;
    struct prune_options *prune = &how->prune;
    const struct option_entry entries[] = {
        {.name = "--calibrate", .list = o->files, .count = &o->file_count},
        {.name = "--ranges", .value = &o->ranges_text, .words = ranges, .word = &o->ranges},
        {.name = "--percentile", .value = &o->percent, .real = &how->percentile, .low = 50, .high = 100},
        {.name = "--activations", .value = &o->codes_text, .words = codes, .word = &o->codes},
        {.name = "--symmetric", .flag = &how->symmetric},
        {.name = "--per-tensor", .flag = &how->per_tensor},
        {.name = "--equalise", .flag = &how->equalise},
        {.name = "--uncorrected", .flag = &o->uncorrected},
        {.name = "--int16", .list = o->wide, .count = &how->wide_count},
        {.name = "--int16-below", .value = &o->below, .real = &how->wide_below, .low = 1, .high = 100},
        {.name = "--prune", .value = &o->share, .real = &prune->share, .high = 1},
        {.name = "--prune-global", .flag = &prune->global},
        {.name = "--prune-pattern", .value = &o->pattern},
        {.name = "--prune-channels", .value = &o->channels, .real = &prune->channels, .high = 1}};
    _Static_assert(sizeof entries / sizeof *entries == NET_QUANTISE_ENTRIES, "room for the entries");
    how->percentile = 99.99;
    memcpy(to, entries, sizeof entries);
    return NET_QUANTISE_ENTRIES;
}

bool net_quantise_given(const struct net_quantise_options *o)
{
    const struct quantise_options *how = &o->how;
    return o->file_count || o->ranges_text || o->percent || o->codes_text || o->below || o->share ||
           o->pattern || o->channels || how->wide_count || how->symmetric || how->per_tensor ||
           how->equalise || o->uncorrected || how->prune.global;
}

/* "2:4" as numbers; false: it is something else. */
static bool take_pattern(const char *text, struct prune_options *to)
{
    char *end;
    const long keep = strtol(text, &end, 10);
    if (end == text || *end != ':')
        return false;
    const char *second = end + 1;
    const long of = strtol(second, &end, 10);
    to->keep = (unsigned)keep;
    to->of = (unsigned)of;
    return end != second && !*end && keep >= 1 && keep < of && of <= PRUNE_BLOCK_MOST;
}

void net_quantise_check(struct net_quantise_options *o, struct diag *diag)
{
    struct quantise_options *how = &o->how;
    how->ranges = (enum quantise_ranges)o->ranges;
    how->unsigned_codes = o->codes == 1;
    how->correct = !o->uncorrected;
    how->wide = o->wide;
    if (!o->file_count)
        diag_error(diag, nowhere, "quantise needs samples of the network's inputs: give --calibrate FILE");
    if (o->percent && how->ranges != QUANTISE_PERCENTILE)
        diag_error(diag, nowhere, "--percentile goes with --ranges percentile");
    if (how->symmetric && how->unsigned_codes)
        diag_error(diag, nowhere, "--symmetric goes with int8: uint8 has no numbers below 0 then");
    if (how->prune.global && !o->share)
        diag_error(diag, nowhere, "--prune-global goes with --prune");
    if (o->pattern && !take_pattern(o->pattern, &how->prune))
        diag_error(diag, nowhere, "--prune-pattern %.60s: give N:M, as 2:4, with N below M and M up to %d",
                   o->pattern, PRUNE_BLOCK_MOST);
}

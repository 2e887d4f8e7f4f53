/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/simulated.h"

#include <stdio.h>

#include "host/devices/candidate.h"
#include "sim/model/model.h"

/* The board is the same each time: a first run says when the job begins, a second one has its waveform. */
static bool run_with_waveform(struct measure *m, const struct candidate *board,
                              const struct measure_window *window, struct strbuf *why)
{
    struct strbuf trace = {0};
    char from[40], to[40];
    const uint64_t first = m->start + window->from,
                   end = window->to < UINT64_MAX - m->start ? m->start + window->to : UINT64_MAX;
    snprintf(from, sizeof from, "from=%llu", (unsigned long long)first);
    snprintf(to, sizeof to, "to=%llu", (unsigned long long)end);
    sb_addf(&trace, "trace=%s", window->file);
    const char *const settings[] = {sb_text(&trace), from, to, NULL};
    const bool ok = measure_on_board(m, board->api, board->place, settings, why);
    sb_free(&trace);
    return ok;
}

/* Whether the device is there and of the very variant, or why not. */
static bool is_usable(const struct measure *m, const struct candidate *board, struct strbuf *why)
{
    const struct variant *v = &m->setup.variant;
    if (*board->why)
        sb_add(why, board->why);
    else if (board->hash != model_variant_hash(v))
        sb_addf(why, "sim:%s was built of another variant of that name, hash %016llx and not %016llx",
                v->name, (unsigned long long)board->hash, (unsigned long long)model_variant_hash(v));
    else
        return true;
    sb_addf(why, "; sim/board/build -o build/board/%s %s makes it", v->name, m->source);
    return false;
}

bool simulated_board(struct measure *m, const struct measure_window *window, uint64_t *start,
                     struct strbuf *why)
{
    struct strbuf spec = {0};
    struct candidates found = {0};
    sb_addf(&spec, "sim:%s", m->setup.variant.name);
    bool ok = candidates_find(sb_text(&spec), &found) && found.count == 1;
    if (!ok)
        sb_add(why, "out of memory");
    else
        ok = is_usable(m, &found.item[0], why);
    ok = ok && measure_on_board(m, found.item[0].api, found.item[0].place, NULL, why) &&
         (!window || run_with_waveform(m, &found.item[0], window, why));
    if (ok && start)
        *start = m->start;
    candidates_free(&found);
    sb_free(&spec);
    return ok;
}

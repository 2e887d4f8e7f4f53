/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/verilated/player.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/base/random.h"
#include "sim/model/cluster.h"
#include "sim/model/model.h"

#define PATIENCE 20000
#define QUIET 16 /* cycles that a row must show itself idle before it counts as done */

void outcome_free(struct outcome *outcome)
{
    for (unsigned c = 0; c < ROW_CLUSTERS_MAX; c++) {
        free(outcome->results[c].value);
        free(outcome->when[c].value);
    }
    *outcome = (struct outcome){0};
}

/* ---- the row --------------------------------------------------------------------------------- */

struct play {
    const struct row_api *api;
    struct row *row;
    const struct variant *variant;
    const struct packet_list *list;
    const struct surroundings *around;
    struct outcome *outcome;
    struct random random;
    size_t packet, byte; /* next to be offered */
    bool offering;
    uint64_t now, first, last_result, last_beat;
    bool started;
    unsigned quiet;
    struct {
        uint8_t bytes[16 * 8 + ROW_COLLECTOR_BYTES_MAX]; /* of the ST that is coming */
        unsigned count;
    } group[ROW_CLUSTERS_MAX];
};

static bool sent_all(const struct play *p)
{
    return p->packet == p->list->count;
}

/* As rtl/tulle_distribution_unit.v tells clusters that a packet has no data. */
static void mark_empty(struct row_beat *beat)
{
    const bool exec = beat->command & COMMAND_EXEC;
    beat->command = exec ? beat->command & ~COMMAND_EXEC : beat->command | COMMAND_LAST;
    beat->scatter = exec;
}

/* The beat to offer in this cycle; once offered it stays. */
static bool next_beat(struct play *p, struct row_beat *beat)
{
    static const uint8_t nothing[ROW_BUS_BYTES_MAX];
    if (sent_all(p) || (!p->offering && random_chance(&p->random, p->around->packet_stall)))
        return false;
    const struct row_packet *packet = &p->list->packet[p->packet];
    *beat = (struct row_beat){.data = packet->bytes ? packet->data + p->byte : nothing,
                              .command = packet->command,
                              .clusters = packet->clusters,
                              .count = packet->count,
                              .scatter = packet->scatter && packet->command & COMMAND_EXEC,
                              .last = p->byte + p->api->bus_bytes >= packet->bytes};
    if (!packet->bytes)
        mark_empty(beat);
    p->offering = true;
    return true;
}

static void beat_accepted(struct play *p, bool last)
{
    p->offering = false;
    p->first = p->started ? p->first : p->now;
    p->started = true;
    p->byte = last ? 0 : p->byte + p->api->bus_bytes;
    p->packet += last;
}

/* A whole ST: K elements from lane 0, the lanes behind them 0. */
static bool take_group(struct play *p, unsigned cluster, unsigned bytes)
{
    const uint8_t *from = p->group[cluster].bytes;
    enum num_element element = p->variant->acc_width <= 32 ? NUM_INT32 : NUM_INT64;
    unsigned each = num_element_bytes(element);
    int64_t values[16];
    for (unsigned pe = 0; pe < p->variant->k; pe++) {
        values[pe] = num_get_element(from + pe * each, element);
        if (values[pe] != num_wrap(values[pe], p->variant->acc_width))
            p->outcome->broken = "a result is not sign-extended";
    }
    for (unsigned i = p->variant->k * each; i < bytes; i++)
        if (from[i])
            p->outcome->broken = "a lane without a PE is not 0";
    const int64_t now = (int64_t)p->now;
    return cluster_results_add(&p->outcome->results[cluster], values, p->variant->k) &&
           cluster_results_add(&p->outcome->when[cluster], &now, 1);
}

static bool take_result(struct play *p, const struct row_event *event)
{
    unsigned each = p->variant->acc_width <= 32 ? 4 : 8, beat = p->api->collector_bytes;
    unsigned bytes = math_round_up(p->variant->k * each, beat), c = event->cluster;
    if (c >= p->variant->m) {
        p->outcome->broken = "a result of a cluster that does not exist";
        return true;
    }
    memcpy(p->group[c].bytes + p->group[c].count, event->data, beat);
    p->group[c].count += beat;
    if (p->group[c].count < bytes) {
        if (event->last)
            p->outcome->broken = "a packet of results ends within an ST";
        return true;
    }
    p->group[c].count = 0;
    return take_group(p, c, bytes);
}

/* Whether there is nothing more to come. */
static bool finished(struct play *p, const struct row_event *event)
{
    uint64_t patience = p->around->patience ? p->around->patience : PATIENCE;
    if (event->error) {
        p->outcome->code = (enum job_code)event->error_code;
        p->outcome->cluster = event->error_cluster;
        return true;
    }
    p->quiet = sent_all(p) && event->idle && !event->result ? p->quiet + 1 : 0;
    if (p->quiet < QUIET && p->now - p->last_beat > patience) {
        p->outcome->code = JOB_WATCHDOG;
        return true;
    }
    return p->quiet == QUIET || p->outcome->broken;
}

bool play_packets(const struct row_api *api, struct row *row, const struct variant *variant,
                  const struct packet_list *list, const struct surroundings *around, struct outcome *outcome)
{
    struct play p = {api, row, variant, list, around, outcome, .random = {around->seed}};
    struct row_event event = {0};
    bool ok = true;
    do {
        struct row_beat beat = {0};
        bool offered = next_beat(&p, &beat);
        bool ready = !random_chance(&p.random, around->result_stall);
        if (!api->step(row, offered ? &beat : NULL, ready, &event)) {
            outcome->broken = api->violation(row);
            break;
        }
        if (event.accepted)
            beat_accepted(&p, beat.last);
        if (event.result)
            ok = take_result(&p, &event);
        p.last_result = event.result ? p.now : p.last_result;
        p.last_beat = event.result || event.accepted ? p.now : p.last_beat;
        p.now++;
    } while (ok && !finished(&p, &event));
    for (unsigned c = 0; c < variant->m; c++)
        if (p.group[c].count && outcome->code == JOB_OK && !outcome->broken)
            outcome->broken = "the results end within an ST";
    outcome->all_cycles = p.now;
    outcome->cycles = p.last_result > p.first ? p.last_result - p.first + 1 : 0;
    return ok;
}

/* ---- the model ------------------------------------------------------------------------------- */

static bool run_clusters(struct cluster *clusters, const struct variant *v, const struct packet_list *list,
                         struct outcome *outcome)
{
    for (size_t i = 0; i < list->count && !outcome->code; i++) {
        const struct row_packet *from = &list->packet[i];
        const struct packet packet = {.command = from->command,
                                      .scatter = from->scatter,
                                      .count = from->count,
                                      .data = from->data,
                                      .bytes = from->bytes};
        for (unsigned c = 0; c < v->m && !outcome->code; c++) {
            unsigned pe;
            if (!(from->clusters >> c & 1))
                continue;
            outcome->code = cluster_execute(&clusters[c], &packet, c, NULL, &pe);
            outcome->cluster = c;
        }
    }
    bool ok = true;
    for (unsigned c = 0; ok && c < v->m; c++) {
        const struct results *r = &clusters[c].results;
        ok = cluster_results_add(&outcome->results[c], r->value + r->begin, r->end - r->begin);
        outcome->effective_macs += clusters[c].effective_macs;
    }
    return ok;
}

bool model_packets(const struct variant *variant, const struct packet_list *list, struct outcome *outcome)
{
    struct variant_derived derived;
    struct cluster *clusters = calloc(variant->m, sizeof *clusters);
    bool ok = clusters;
    variant_derive(variant, &derived);
    for (unsigned c = 0; ok && c < variant->m; c++)
        ok = cluster_init(&clusters[c], variant, &derived);
    ok = ok && run_clusters(clusters, variant, list, outcome);
    for (unsigned c = 0; clusters && c < variant->m; c++)
        cluster_free(&clusters[c]);
    free(clusters);
    return ok;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool results_agree(const struct variant *v, unsigned cluster, const struct outcome *outcome,
                          const struct cluster_results *model, struct strbuf *why)
{
    const struct cluster_results *row = &outcome->results[cluster];
    for (size_t i = 0; i < row->count && i < model->count; i++)
        if (row->value[i] != model->value[i]) {
            sb_addf(why, "cluster %u, result %zu, PE %zu: the row gives %lld in cycle %lld, the model %lld",
                    cluster, i / v->k, i % v->k, (long long)row->value[i],
                    (long long)outcome->when[cluster].value[i / v->k], (long long)model->value[i]);
            return false;
        }
    if (row->count == model->count)
        return true;
    sb_addf(why, "cluster %u: the row gives %zu results, the model %zu", cluster, row->count / v->k,
            model->count / v->k);
    return false;
}

bool outcomes_agree(const struct variant *v, const struct outcome *row, const struct outcome *model,
                    struct strbuf *why)
{
    if (row->broken) {
        sb_add(why, row->broken);
        return false;
    }
    if (row->code != model->code) {
        sb_addf(why, "the row ends with %s, the model with %s (%zu and %zu results of cluster 0)",
                job_code_name(row->code), job_code_name(model->code), row->results[0].count / v->k,
                model->results[0].count / v->k);
        return false;
    }
    if (row->code && row->cluster != model->cluster) {
        sb_addf(why, "%s of cluster %u, of cluster %u in the model", job_code_name(row->code), row->cluster,
                model->cluster);
        return false;
    }
    for (unsigned c = 0; !row->code && c < v->m; c++)
        if (!results_agree(v, c, row, &model->results[c], why))
            return false;
    return true;
}

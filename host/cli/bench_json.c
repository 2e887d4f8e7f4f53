/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "gen/version.h"
#include "host/cli/area.h"
#include "host/cli/bench.h"
#include "sim/model/model.h"

static void add_text(struct strbuf *to, const char *name, const char *value)
{
    sb_addf(to, ", \"%s\": ", name);
    sb_add_json(to, value);
}

static void add_number(struct strbuf *to, const char *name, uint64_t value)
{
    sb_addf(to, ", \"%s\": %llu", name, (unsigned long long)value);
}

static void add_list(struct strbuf *to, const char *name, const uint64_t *value, unsigned count)
{
    sb_addf(to, ", \"%s\": [", name);
    for (unsigned i = 0; i < count; i++)
        sb_addf(to, "%s%llu", i ? ", " : "", (unsigned long long)value[i]);
    sb_add(to, "]");
}

void bench_case_begin(const struct plan_case *c, const char *variant, struct bench_case *to)
{
    sb_add(&to->name, c->column[NAME]);
    sb_addn(&to->op, c->column[OP], strcspn(c->column[OP], " "));
    sb_add(&to->variant, variant);
    sb_add(&to->source, c->column[VARIANT]);
    sb_add(&to->json, "{\"name\": ");
    sb_add_json(&to->json, c->column[NAME]);
    add_text(&to->json, "op", sb_text(&to->op));
    add_text(&to->json, "variant", variant);
    add_text(&to->json, "weights", c->column[WEIGHTS]);
}

void bench_left_out_json(const char *key, const char *why, struct bench_case *to)
{
    sb_add(&to->left_out, why);
    add_text(&to->json, key, why);
    sb_add(&to->json, "}");
}

/* ---- parts of a case ---------------------------------------------------------------------------------- */

static void add_run(struct strbuf *to, enum bench_target target, const struct bench_run *run)
{
    sb_addf(to, ", \"%s\": ", bench_target_names[target]);
    if (!run->ran) {
        sb_add(to, "null");
        return;
    }
    sb_addf(to, "{\"efficiency\": %.4f, \"utilization\": %.4f", run->efficiency, run->utilization);
#define X(name, timed) add_number(to, #name, run->result.name);
    JOB_COUNTERS(X)
#undef X
    if (run->recorded)
        sb_addf(to, ", \"recorded_cycles\": %llu, \"change\": %.5f", (unsigned long long)run->recorded,
                run->change);
    sb_add(to, "}");
}

static void add_alternatives(const struct plan_alternatives *all, struct strbuf *to)
{
    char name[32];
    sb_add(to, ", \"alternatives\": [");
    for (unsigned i = 0; i < all->count; i++) {
        const struct plan_alternative *a = &all->of[i];
        sb_addf(to, "%s{\"plan\": ", i ? ", " : "");
        sb_add_json(to, plan_choice_name(&a->choice, name));
        sb_addf(to, ", \"estimate\": %.0f, \"cycles\": ", a->estimate);
        if (a->price.cycles)
            sb_addf(to, "%llu", (unsigned long long)a->price.cycles);
        else
            sb_add(to, "null");
        sb_addf(to, ", \"chosen\": %s", i == all->best ? "true" : "false");
        if (a->refused)
            add_text(to, "refused", a->message);
        else if (a->same_as != i && a->made)
            add_text(to, "same_as", plan_choice_name(&all->of[a->same_as].choice, name));
        sb_add(to, "}");
    }
    sb_add(to, "]");
}

static void add_uses(const uint64_t use[CYCLE_USES], struct strbuf *to)
{
    static const char *const names[CYCLE_USES] = {[CYCLE_MULTIPLIES] = "multiplies",
                                                  [CYCLE_NO_PACKET] = "no_packet",
                                                  [CYCLE_ACTIVATIONS] = "activations",
                                                  [CYCLE_WEIGHTS] = "weights",
                                                  [CYCLE_RESULTS] = "results",
                                                  [CYCLE_BETWEEN] = "between",
                                                  [CYCLE_END] = "end"};
    sb_add(to, ", \"pe_cycles\": {");
    for (unsigned u = 0; u < CYCLE_USES; u++)
        sb_addf(to, "%s\"%s\": %llu", u ? ", " : "", names[u], (unsigned long long)use[u]);
    sb_add(to, "}");
}

static void add_timeline(const struct measure_timeline *t, struct strbuf *to)
{
    sb_addf(to, ", \"timeline\": {\"cycles\": %llu", (unsigned long long)t->cycles);
    add_list(to, "read", t->read, t->buckets);
    add_list(to, "busy", t->busy, t->buckets);
    add_list(to, "written", t->written, t->buckets);
    sb_add(to, "}");
}

static void add_cpu(const struct baselines *cpu, struct strbuf *to)
{
    if (!cpu->measured)
        return;
    sb_addf(to, ", \"cpu\": {\"csr_seconds\": %.9f", cpu->csr);
    if (cpu->no_graphblas)
        add_text(to, "no_graphblas", cpu->no_graphblas);
    else
        sb_addf(to, ", \"graphblas_seconds\": %.9f", cpu->graphblas);
    sb_add(to, "}");
}

static void add_sizes(const struct measure *m, struct strbuf *to)
{
    add_number(to, "m", m->run.rows);
    add_number(to, "k", m->weights.columns);
    add_number(to, "n", m->weights.rows);
    add_number(to, "nnz", m->weights.start[m->weights.rows]);
    add_number(to, "inputs", m->run.inputs);
    add_number(to, "effective_macs", m->run.macs);
    add_number(to, "pes", m->model.pes);
    sb_addf(to, ", \"limits\": {\"compute\": %.2f, \"read\": %.2f, \"write\": %.2f}", m->limits.compute,
            m->limits.read, m->limits.write);
    sb_addf(to, ", \"roofline_cycles\": %.2f", m->run.roofline);
}

void bench_case_json(const struct measure *m, const struct baselines *cpu, struct bench_case *to)
{
    const struct plan_alternatives *all = &m->alternatives;
    char name[32];
    add_sizes(m, &to->json);
    if (to->has_bar)
        sb_addf(&to->json, ", \"bar\": %.3f, \"met\": %s", to->bar, to->below ? "false" : "true");
    add_text(&to->json, "plan", plan_choice_name(&all->of[all->best].choice, name));
    add_number(&to->json, "weights_bytes", m->plan.weights.len);
    for (unsigned t = 0; t < BENCH_TARGETS; t++)
        add_run(&to->json, t, &to->run[t]);
    add_list(&to->json, "pe_busy", m->model.pe_busy, m->model.pes);
    add_uses(m->model.use, &to->json);
    add_timeline(&m->timeline, &to->json);
    add_alternatives(all, &to->json);
    add_cpu(cpu, &to->json);
    sb_add(&to->json, "}");
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static void add_variant(const char *name, struct strbuf *to)
{
    struct variant v;
    struct diag diag = {0};
    if (variant_load(name, NULL, 0, &v, &diag)) {
        sb_add(to, "{\"name\": ");
        sb_add_json(to, v.name);
        sb_addf(to, ", \"hash\": \"%016llx\"", (unsigned long long)model_variant_hash(&v));
        const struct {
            const char *key;
            unsigned value;
        } keys[] = {{"n", v.n},
                    {"m", v.m},
                    {"k", v.k},
                    {"data_width", v.data_width},
                    {"scan", v.scan},
                    {"memory_width", v.memory_width},
                    {"memory_ports", v.memory_ports},
                    {"row_bus_width", v.row_bus_width},
                    {"collector_width", v.collector_width},
                    {"input_buffer_depth", v.input_buffer_depth},
                    {"weight_queue_depth", v.weight_queue_depth},
                    {"output_queue_depth", v.output_queue_depth},
                    {"unit_bytes", v.unit_bytes}};
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            add_number(to, keys[i].key, keys[i].value);
        area_add_json(v.name, to);
        sb_add(to, "}");
    }
    diag_free(&diag);
}

static void add_variants(const struct bench_case *cases, size_t count, struct strbuf *to)
{
    unsigned written = 0;
    sb_add(to, ", \"variants\": [");
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (strcmp(sb_text(&cases[first].variant), sb_text(&cases[i].variant)) != 0)
            first++;
        if (first != i)
            continue;
        sb_add(to, written++ ? ", " : "");
        add_variant(sb_text(&cases[i].source), to);
    }
    sb_add(to, "]");
}

static void add_tally(const struct bench_tally *t, const char *record, struct strbuf *to)
{
    sb_addf(
        to,
        ", \"summary\": {\"measured\": %u, \"left_out\": %u, \"refused\": %u, \"bars\": %u, \"below\": %u",
        t->measured, t->left_out, t->refused, t->bars, t->below);
    if (record)
        sb_addf(to,
                ", \"most_slower\": %.2f, \"compared\": %u, \"unrecorded\": %u, \"slower\": %u, "
                "\"quicker\": %u",
                BENCH_MOST_SLOWER, t->compared, t->unrecorded, t->slower, t->quicker);
    sb_add(to, "}");
}

void bench_json(const struct bench_case *cases, size_t count, const struct bench_tally *tally,
                const char *record, struct strbuf *to)
{
    sb_addf(to, "{\"tulle_bench\": %u, \"version\": \"%s\", \"isa\": \"%s\", \"memory_latency\": 64",
            BENCH_LAYOUT, TULLE_VERSION, TULLE_ISA_VERSION);
    add_variants(cases, count, to);
    add_tally(tally, record, to);
    sb_add(to, ", \"cases\": [");
    for (size_t i = 0; i < count; i++)
        sb_addf(to, "%s\n%s", i ? "," : "", sb_text(&cases[i].json));
    sb_add(to, "]}\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/steps.h"

#include <assert.h>

#include "host/plan/channels.h"

#define CONFIG_CYCLES 26
#define INSTRUCTION_CYCLES 12

uint32_t plan_all_rows(const struct variant *variant)
{
    return (1u << variant->n) - 1;
}

uint32_t plan_all_clusters(const struct variant *variant)
{
    return (1u << variant->m) - 1;
}

uint32_t step_config_bytes(unsigned instructions)
{
    return math_round_up((1 + instructions) * ISA_CONFIG_RECORD_BYTES, WRITER_CONFIG_ALIGN);
}

uint32_t step_config_cycles(unsigned instructions)
{
    return CONFIG_CYCLES + INSTRUCTION_CYCLES * instructions;
}

void step_configure(struct writer *w, unsigned buffer, const struct setting *header,
                    const struct config_instruction *code, size_t instructions)
{
    const struct variant *v = w->variant;
    const unsigned i = w->configs++;
    w->config[i].buffer = buffer;
    w->config[i].offset = writer_config(w, header, code, instructions, &w->config[i].bytes);
    w->pages += variant_register_pages(v, (unsigned)instructions);
    if (w->pages > variant_register_pages(v, v->register_file_entries) && !w->failed)
        w->failed =
            plan_refuse(PLAN_UNSUPPORTED, "the configurations do not fit the clusters' register files");
}

void step_load_configurations(struct writer *w)
{
    const unsigned last = w->configs - 1;
    writer_load_data(w, SETTINGS{{"rows", plan_all_rows(w->variant)},
                                 {"slot", SLOT_PROGRAM},
                                 {"length", (int64_t)(w->config[last].offset + w->config[last].bytes)},
                                 {"signal_a", 1},
                                 {"signal_a_token", TOKEN_CONFIG},
                                 {NULL, 0}});
}

void step_send_configurations(struct writer *w)
{
    const struct variant *v = w->variant;
    for (unsigned i = 0; i < w->configs; i++)
        writer_op(w, "distribute",
                  SETTINGS{{"rows", plan_all_rows(v)},
                           {"clusters", plan_all_clusters(v)},
                           {"command", w->config[i].buffer},
                           {"count", 1},
                           {"length", (int64_t)w->config[i].bytes},
                           {"unit_address", (int64_t)w->config[i].offset},
                           {"wait_a", i == 0},
                           {"wait_a_token", i == 0 ? TOKEN_CONFIG : 0},
                           {NULL, 0}});
}

void step_operand(struct writer *writer, const struct operand_step *step)
{
    const struct plan_join *scale = step->scale;
    writer_op(writer, "accumulate",
              SETTINGS{{"operand", step->operand},
                       {"slot", step->slot},
                       {"element", step->element},
                       {"source", 1},
                       {"unsigned", step->has_no_sign},
                       {"offset", (int64_t)(step->at << step->element)},
                       {"length", (int64_t)step->elements << step->element},
                       {"runs", step->runs},
                       {"run_pitch", (int64_t)step->run_pitch},
                       {"zero", step->zero},
                       {"multiplier", scale ? scale->multiplier : 0},
                       {"shift", scale ? scale->shift : 0},
                       {"scale_first", scale && scale->scale_first},
                       {"fraction_15", scale && scale->fraction_15},
                       {"wait_a", step->waits},
                       {"wait_a_token", step->waits ? TOKEN_STORED : 0},
                       {"signal_a", step->signals},
                       {"signal_a_token", step->signals ? TOKEN_SET_UP : 0},
                       {NULL, 0}});
}

static void join_operand(struct writer *writer, const struct collectors_step *step)
{
    const struct plan_join *join = &step->description->join;
    const bool runs = step->operand_elements;
    step_operand(writer,
                 &(struct operand_step){.operand = OPERAND_SECOND,
                                        .slot = SLOT_EXTRA,
                                        .element = join->element,
                                        .has_no_sign = join->has_no_sign,
                                        .zero = join->zero,
                                        .scale = join,
                                        .at = step->operand_at,
                                        .elements = runs ? step->operand_elements : (uint32_t)step->elements,
                                        .runs = runs ? step->operand_runs : 1,
                                        .run_pitch = step->operand_pitch,
                                        .waits = step->waits});
}

void step_collectors(struct writer *writer, const struct collectors_step *step)
{
    const struct variant *v = writer->variant;
    const struct plan_function *f = &step->description->function;
    const struct plan_channels *c = &step->description->channels;
    bool source = step->slot != 0, final = step->complete && (f->function || channels_any(c));
    unsigned bytes = v->acc_width <= 32 ? 4 : 8;
    const struct plan_join *join = &step->description->join;
    const bool joins = step->complete && join->join, waits = step->waits && !joins;
    if (joins)
        join_operand(writer, step);
    writer_op(writer, "accumulate",
              SETTINGS{{"slot", step->slot},
                       {"element", !source      ? 0
                                   : bytes == 4 ? 2
                                                : 3},
                       {"source", source},
                       {"sum_clusters", step->split.columns == PLAN_K},
                       {"sum_rows", step->split.rows == PLAN_K},
                       {"final", final},
                       {"join", joins ? join->join : 0},
                       {"channel_bias", final && c->has_bias},
                       {"channel_scale", final && c->has_scale},
                       {"channel_limits", final && c->has_limits},
                       {"offset", source ? (int64_t)(step->at * bytes) : 0},
                       {"length", source ? (int64_t)(step->elements * bytes) : 0},
                       {"function", final ? f->function : 0},
                       {"rounding", final ? f->rounding : 0},
                       {"shift", final ? f->shift : 0},
                       {"result", final ? step->description->element : 0},
                       {"multiplier", final ? f->multiplier : 0},
                       {"low", final ? f->low : 0},
                       {"high", final ? f->high : 0},
                       {"zero", final ? f->zero : 0},
                       {"slope", final ? f->slope : 0},
                       {"wait_a", waits},
                       {"wait_a_token", waits ? TOKEN_STORED : 0},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_SET_UP},
                       {NULL, 0}});
}

bool step_collectors_once(struct writer *writer, const struct plan_description *d, struct plan_split split,
                          uint64_t results)
{
    bool sums = split.rows == PLAN_K || split.columns == PLAN_K;
    if (!sums && !d->partial && !d->function.function && !channels_any(&d->channels))
        return false;
    step_collectors(writer, &(struct collectors_step){.description = d,
                                                      .split = split,
                                                      .slot = d->partial ? SLOT_PARTIAL : 0,
                                                      .elements = results,
                                                      .complete = true});
    return true;
}

#define STORES_PENDING 32 /* STs that a cluster issues before the oldest is shifted out */

uint32_t step_segments_on_the_way_out(const struct variant *v, unsigned held)
{
    uint32_t pending = v->output_queue_depth < STORES_PENDING ? v->output_queue_depth : STORES_PENDING;
    uint32_t results = v->result_queue_depth + pending;
    return results > held ? results / held : 1;
}

bool step_packet_fits_alone(const struct variant *v, const struct variant_derived *d, uint32_t segments,
                            unsigned held, uint64_t bytes)
{
    uint32_t out = step_segments_on_the_way_out(v, held);
    uint64_t beat = (uint64_t)d->bus_bytes * d->weight_beat_bus_beats,
             entries = bytes / beat * d->entries_per_beat; /* of each PE */
    return segments <= out ||
           (segments <= out + d->segment_queue_depth / 2 && entries <= v->weight_queue_depth / 2);
}

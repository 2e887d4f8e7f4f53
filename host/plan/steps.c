/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/steps.h"

#include <assert.h>

uint32_t round_up(uint32_t value, uint32_t multiple)
{
    return divide_up(value, multiple) * multiple;
}

uint32_t divide_up(uint32_t value, uint32_t by)
{
    assert(by);
    return (value + by - 1) / by;
}

uint32_t all_rows(const struct variant *variant)
{
    return (1u << variant->n) - 1;
}

uint32_t all_clusters(const struct variant *variant)
{
    return (1u << variant->m) - 1;
}

void step_configure(struct writer *writer, unsigned buffer, uint64_t offset, size_t bytes)
{
    step_configure_by(writer, buffer, offset, bytes, buffer * CONFIG_UNIT_BYTES);
}

static void take_pages(struct writer *writer, unsigned buffer)
{
    const struct variant *v = writer->variant;
    unsigned all = 0;
    writer->pages[buffer] = variant_register_pages(v, writer->instructions);
    for (unsigned b = 0; b < v->instruction_buffers; b++)
        all += writer->pages[b];
    if (all > variant_register_pages(v, v->register_file_entries) && !writer->failed)
        writer->failed = "the configurations do not fit the clusters' register files";
}

void step_configure_by(struct writer *writer, unsigned buffer, uint64_t offset, size_t bytes, uint32_t unit)
{
    const struct variant *v = writer->variant;
    take_pages(writer, buffer);
    writer_load_data(writer, SETTINGS{{"rows", all_rows(v)},
                                      {"slot", SLOT_PROGRAM},
                                      {"offset", (int64_t)offset},
                                      {"length", (int64_t)bytes},
                                      {"unit_address", unit},
                                      {"signal_a", 1},
                                      {"signal_a_token", TOKEN_CONFIG},
                                      {NULL, 0}});
    writer_op(writer, "distribute",
              SETTINGS{{"rows", all_rows(v)},
                       {"clusters", all_clusters(v)},
                       {"command", buffer},
                       {"count", 1},
                       {"length", (int64_t)bytes},
                       {"unit_address", unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_CONFIG},
                       {NULL, 0}});
}

void step_weights(struct writer *writer, const struct weights_step *step)
{
    const struct variant *v = writer->variant;
    writer_op(writer, "load",
              SETTINGS{{"rows", all_rows(v)},
                       {"slot", SLOT_WEIGHTS},
                       {"offset", (int64_t)step->offset},
                       {"length", step->bytes},
                       {"unit_address", step->unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_WEIGHTS_FREE},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_WEIGHTS},
                       {NULL, 0}});
    writer_op(writer, "distribute",
              SETTINGS{{"rows", all_rows(v)},
                       {"clusters", all_clusters(v)},
                       {"command", step->command},
                       {"count", step->count},
                       {"length", step->bytes},
                       {"unit_address", step->unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_WEIGHTS},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_WEIGHTS_FREE},
                       {NULL, 0}});
}

void step_collectors(struct writer *writer, const struct collectors_step *step)
{
    const struct variant *v = writer->variant;
    const struct plan_function *f = &step->description->function;
    bool source = step->slot != 0, final = step->complete && f->function;
    unsigned bytes = v->acc_width <= 32 ? 4 : 8;
    writer_op(writer, "accumulate",
              SETTINGS{{"rows", all_rows(v)},
                       {"clusters", all_clusters(v)},
                       {"slot", step->slot},
                       {"element", !source      ? 0
                                   : bytes == 4 ? 2
                                                : 3},
                       {"source", source},
                       {"sum_clusters", step->split.columns == PLAN_K},
                       {"sum_rows", step->split.rows == PLAN_K},
                       {"final", final},
                       {"offset", source ? (int64_t)(step->at * bytes) : 0},
                       {"length", source ? (int64_t)(step->elements * bytes) : 0},
                       {"function", final ? f->function : 0},
                       {"shift", final ? f->shift : 0},
                       {"result", final ? step->description->element : 0},
                       {"multiplier", final ? f->multiplier : 0},
                       {"low", final ? f->low : 0},
                       {"high", final ? f->high : 0},
                       {"zero", final ? f->zero : 0},
                       {"slope", final ? f->slope : 0},
                       {"wait_a", step->waits},
                       {"wait_a_token", step->waits ? TOKEN_STORED : 0},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_SET_UP},
                       {NULL, 0}});
}

bool step_collectors_once(struct writer *writer, const struct plan_description *d, struct plan_split split,
                          uint64_t results)
{
    bool sums = split.rows == PLAN_K || split.columns == PLAN_K;
    if (!sums && !d->partial && !d->function.function)
        return false;
    step_collectors(writer, &(struct collectors_step){.description = d,
                                                      .split = split,
                                                      .slot = d->partial ? SLOT_PARTIAL : 0,
                                                      .elements = results,
                                                      .complete = true});
    return true;
}

#define STORES_PENDING 32 /* STs that a cluster issues before the oldest is shifted out */

uint32_t segments_on_the_way_out(const struct variant *v, unsigned held)
{
    uint32_t pending = v->output_queue_depth < STORES_PENDING ? v->output_queue_depth : STORES_PENDING;
    uint32_t results = v->result_queue_depth + pending;
    return results > held ? results / held : 1;
}

bool packet_fits_alone(const struct variant *v, const struct variant_derived *d, uint32_t segments,
                       unsigned held, uint64_t bytes)
{
    uint32_t out = segments_on_the_way_out(v, held);
    uint64_t beat = (uint64_t)d->bus_bytes * d->weight_beat_bus_beats,
             entries = bytes / beat * d->entries_per_beat; /* of each PE */
    return segments <= out ||
           (segments <= out + d->segment_queue_depth / 2 && entries <= v->weight_queue_depth / 2);
}

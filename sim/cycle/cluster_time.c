/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/cycle/cluster_time.h"

#include <stdlib.h>
#include <string.h>

void cluster_time_init(struct cluster_time *c, const struct variant *variant,
                       const struct cycle_options *options)
{
    *c = (struct cluster_time){.variant = variant, .options = options};
    c->pes.variant = variant;
    c->pes.options = options;
}

void cluster_time_free(struct cluster_time *c)
{
    pes_free(&c->pes);
    free(c->stores);
}

/* ---- packets --------------------------------------------------------------------------------- */

bool cluster_time_has_room(const struct cluster_time *c)
{
    return c->run_count < WORK_MAX && c->load_count < WORK_MAX && !c->config_busy;
}

/* Activations that MACs still read are overwritten only when the buffer named by `after` is through. */
static void announce_load(struct cluster_time *c, const struct sequence *s, uint64_t bytes)
{
    c->loads[(c->load_head + c->load_count++) % WORK_MAX] =
        (struct load_work){.bytes = bytes, .needs_done = s->after ? c->buffer_macs[s->after_buffer] : 0};
    c->load_queued += bytes;
}

bool cluster_time_packet(struct cluster_time *c, const struct sequence *s, unsigned buffer, bool shift_out,
                         uint32_t count, uint64_t data_bytes)
{
    struct run_work run = {.iterations = count, .needs_loaded = c->load_queued, .ahead = s->ahead};
    bool loads = false;
    for (unsigned i = 0; i < s->instructions; i++) {
        const struct instruction *in = &s->code[i];
        run.macs += in->opcode == I_MAC;
        run.keeps += in->opcode == I_MAC && (in->keep || in->chain) && !in->resume;
        run.stores += in->opcode == I_ST && shift_out;
        loads |= in->opcode == I_LD && in->target == LD_INPUT;
    }
    if (loads)
        announce_load(c, s, data_bytes);
    if (!run.macs && !run.stores)
        return true;
    run.needs_stored = run.macs ? c->stores_announced : 0;
    if (run.macs && run.stores)
        run.needs_stored = 0; /* results leave as they come; the output queue is a ring */
    c->announced_macs += run.iterations * run.macs;
    c->buffer_macs[buffer] = c->announced_macs;
    c->stores_announced += run.iterations * run.stores;
    c->runs[(c->run_head + c->run_count++) % WORK_MAX] = run;
    return true;
}

bool cluster_time_accepts_activations(const struct cluster_time *c, unsigned bytes)
{
    uint64_t waiting = c->received - c->loaded;
    return waiting + bytes <= (uint64_t)c->options->activation_fifo * (c->variant->row_bus_width / 8);
}

void cluster_time_take_activations(struct cluster_time *c, unsigned bytes)
{
    c->received += bytes;
}

/* ---- issue ----------------------------------------------------------------------------------- */

static bool push_store(struct cluster_time *c, struct store_work store)
{
    if (c->store_count == c->store_room) {
        size_t room = c->store_room ? 2 * c->store_room : 64;
        struct store_work *stores = malloc(room * sizeof *stores);
        if (!stores)
            return false;
        for (size_t i = 0; i < c->store_count; i++)
            stores[i] = c->stores[(c->store_head + i) % c->store_room];
        free(c->stores);
        c->stores = stores;
        c->store_room = room;
        c->store_head = 0;
    }
    c->stores[(c->store_head + c->store_count++) % c->store_room] = store;
    return true;
}

static bool issue_queues_have_room(const struct cluster_time *c)
{
    for (unsigned p = 0; p < c->variant->k; p++)
        if (c->pes.pe[p].issued - c->pes.pe[p].started >= c->variant->issue_queue_depth)
            return false;
    return true;
}

static bool may_start_iteration(const struct cluster_time *c, const struct run_work *run)
{
    return c->loaded >= run->needs_loaded && c->stores_done >= run->needs_stored &&
           c->held + run->keeps <= c->variant->output_queue_depth;
}

static void end_iteration(struct cluster_time *c, struct run_work *run)
{
    for (unsigned s = 0; s < run->stores; s++)
        push_store(c, (struct store_work){.needs_done = c->issued_macs, .frees = 1});
    c->iteration_mac = 0;
    if (--run->iterations == 0) {
        c->run_head = (c->run_head + 1) % WORK_MAX;
        c->run_count--;
    }
}

/* One MAC a cycle to all PEs; LD and ST go to other units and cost no issue slot. */
static void issue_step(struct cluster_time *c)
{
    if (!c->run_count)
        return;
    struct run_work *run = &c->runs[c->run_head];
    if (c->iteration_mac == 0) {
        if (!may_start_iteration(c, run))
            return;
        if (!run->macs) {
            end_iteration(c, run);
            return;
        }
    }
    if (!issue_queues_have_room(c))
        return;
    if (c->iteration_mac == 0)
        c->held += run->keeps;
    for (unsigned p = 0; p < c->variant->k; p++)
        c->pes.pe[p].issued++;
    c->issued_macs++;
    if (++c->iteration_mac == run->macs)
        end_iteration(c, run);
}

/* ---- activations and results ----------------------------------------------------------------- */

static void load_step(struct cluster_time *c)
{
    if (!c->load_count)
        return;
    struct load_work *load = &c->loads[c->load_head];
    if (pes_done(&c->pes) < load->needs_done)
        return;
    uint64_t part = load->bytes < c->variant->load_width ? load->bytes : c->variant->load_width;
    part = part < c->received - c->loaded ? part : c->received - c->loaded;
    load->bytes -= part;
    c->loaded += part;
    if (!load->bytes) {
        c->load_head = (c->load_head + 1) % WORK_MAX;
        c->load_count--;
    }
}

static unsigned beats_per_store(const struct cluster_time *c)
{
    unsigned bytes = c->variant->k * (c->variant->acc_width <= 32 ? 4 : 8);
    unsigned beat = c->variant->collector_width / 8;
    return (bytes + beat - 1) / beat;
}

static void result_step(struct cluster_time *c)
{
    uint64_t ready = c->done_history[RESULT_PIPELINE - 1];
    memmove(c->done_history + 1, c->done_history, (RESULT_PIPELINE - 1) * sizeof *c->done_history);
    c->done_history[0] = pes_done(&c->pes);
    if (c->shift_left || !c->store_count || c->result_groups >= c->options->result_fifo)
        return;
    const struct store_work *store = &c->stores[c->store_head];
    if (store->needs_done <= ready)
        c->shift_left = beats_per_store(c);
}

bool cluster_time_has_result(const struct cluster_time *c)
{
    return c->shift_left > 0;
}

void cluster_time_take_result(struct cluster_time *c)
{
    if (--c->shift_left)
        return;
    const struct store_work *store = &c->stores[c->store_head];
    c->held -= c->held < store->frees ? c->held : store->frees;
    c->stores_done++;
    c->result_groups++;
    c->store_head = (c->store_head + 1) % c->store_room;
    c->store_count--;
}

void cluster_time_step(struct cluster_time *c)
{
    if (c->config_busy)
        c->config_busy--;
    pes_step(&c->pes);
    result_step(c);
    load_step(c);
    issue_step(c);
}

bool cluster_time_idle(const struct cluster_time *c)
{
    return !c->run_count && !c->load_count && !c->store_count && !c->config_busy && pes_idle(&c->pes);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/cycle/cluster_time.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "sim/cycle/pe_together.h"

bool cluster_time_init(struct cluster_time *c, const struct variant *variant,
                       const struct variant_derived *derived, const struct cycle_options *options)
{
    c->variant = variant;
    c->derived = derived;
    c->options = options;
    pes_init(&c->pes, variant, derived, options);
    c->entry_busy = calloc(variant->output_queue_depth, sizeof *c->entry_busy);
    return c->entry_busy;
}

void cluster_time_free(struct cluster_time *c)
{
    pes_free(&c->pes);
    free(c->entry_busy);
}

/* ---- packets --------------------------------------------------------------------------------- */

enum packet_kind cluster_time_packet_kind(const struct sequence *s)
{
    unsigned loads = 0;
    for (unsigned i = 0; i < s->instructions; i++) {
        if (s->code[i].opcode != I_LD)
            continue;
        if (s->code[i].target == LD_WEIGHTS)
            return PACKET_WEIGHTS;
        /* A scalar register is read in order, so the load belongs to a run. */
        loads += s->code[i].target == LD_INPUT && !s->code[i].scalar;
    }
    return loads == s->instructions ? PACKET_LOAD : PACKET_OPERANDS;
}

bool cluster_time_has_room(const struct cluster_time *c, const struct sequence *s)
{
    if (c->config_busy || c->between)
        return false;
    if (!s) /* a configuration waits until the cluster is at rest */
        return c->complete == c->announced && !c->load.on && !c->feeder_words && !c->reduction_count;
    if (cluster_time_packet_kind(s) == PACKET_LOAD)
        return !c->load.on;
    return c->announced - c->complete < RUNS_MAX;
}

/* The last one goes with what is behind it in its beat. */
static void next_ld(struct load_work *load)
{
    load->open = --load->unissued ? load->step : load->bytes;
    load->stages = 0;
}

/* Activations for PEs apart: each of them has its own. */
static unsigned planes_of(const struct cluster_time *c, const struct packet *packet)
{
    return packet->scatter ? c->variant->k : 1;
}

/* Activations that MACs still read are overwritten only when the runs of the buffer that `after` names, as
 * far as there are any now, are complete. */
static void begin_load(struct cluster_time *c, const struct sequence *s, const struct packet *packet)
{
    const uint64_t step = (uint64_t)s->block * (c->variant->data_width / 8) * planes_of(c, packet);
    c->load = (struct load_work){.on = true,
                                 .bytes = packet->bytes,
                                 .needs_runs = s->after ? c->newest_run[s->after_buffer] : 0,
                                 .unissued = (uint64_t)s->instructions * packet->count,
                                 .step = step};
    next_ld(&c->load);
    c->loads++;
}

static void begin(struct cluster_time *c, const struct sequence *s, const struct operands *operands,
                  unsigned buffer, const struct packet *packet)
{
    enum packet_kind kind = cluster_time_packet_kind(s);
    if (kind == PACKET_LOAD) {
        begin_load(c, s, packet);
        return;
    }
    c->operand_announced += kind == PACKET_OPERANDS ? packet->bytes : 0;
    struct run_work *run = &c->runs[c->announced++ % RUN_PLACES];
    *run = (struct run_work){.sequence = s,
                             .buffer = buffer,
                             .iterations = packet->count,
                             .shift_out = packet->command & COMMAND_SHIFT_OUT,
                             .last = packet->command & COMMAND_LAST,
                             .planes = planes_of(c, packet),
                             .needs_loads = c->loads,
                             .data_end = c->operand_announced};
    memcpy(run->operands, operands, s->instructions * sizeof *operands);
    c->newest_run[buffer] = c->announced;
}

/* Words that a weight packet makes. */
static size_t words_of(const struct cluster_time *c, size_t bytes)
{
    const struct variant_derived *d = c->derived;
    size_t beats = bytes / d->bus_bytes / d->weight_beat_bus_beats;
    return math_divide_up(beats * d->words_per_beat, d->beats_per_word);
}

/* ---- what the functional cluster tells ------------------------------------------------------- */

static void on_begin(void *context, unsigned cluster, unsigned buffer, const struct sequence *sequence,
                     const struct packet *packet, const struct operands *operands)
{
    struct cluster_time *c = (struct cluster_time *)context + cluster;
    c->packet_bytes = packet->bytes;
    c->between = PACKET_STEPS;
    begin(c, sequence, operands, buffer, packet);
}

static void on_weights(void *context, unsigned cluster, unsigned pe, const struct lane *lane,
                       uint32_t segments)
{
    struct cluster_time *c = (struct cluster_time *)context + cluster;
    size_t words = words_of(c, c->packet_bytes);
    c->failed = !pe_announce_weights(&c->pes, pe, lane, segments, words) || c->failed;
}

static void on_mac(void *context, unsigned cluster, unsigned pe, unsigned entries, const uint8_t *effective)
{
    struct cluster_time *c = (struct cluster_time *)context + cluster;
    c->failed = !pe_announce_flags(&c->pes, pe, effective, entries) || c->failed;
}

struct work_sink cluster_time_sink(struct cluster_time *clusters)
{
    return (struct work_sink){.context = clusters, .begin = on_begin, .weights = on_weights, .mac = on_mac};
}

/* The parser (rtl/tulle_parser.v, tulle_first_operands.v): what is around the records until the next packet
 * begins, a check of each, and the operands of an instruction. The first piece of a record comes while the
 * header before it is checked, or the instruction before it written. */
#define CONFIG_STEPS 7
#define CHECK_STEPS 1
#define WRITE_STEPS 1
#define OPERAND_STEPS 5
#define LOAD_STEPS 2
#define BASE_STEPS 3 /* and one for each bit of the base */
#define INNER_STEPS 3
#define OUTER_STEPS 4
#define PLACE_STEPS 2 /* without a base, those that an address of 0 saves, and as many a stride of 0 */
#define PIECE_BYTES_MAX 8

static bool is_extended(const struct instruction *i)
{
    return i->scalar || i->result_scalar || i->pe_stride || i->outer;
}

static unsigned operand_steps(const struct instruction *i)
{
    unsigned steps = OPERAND_STEPS + (i->stride < 0);
    if (i->opcode == I_LD && i->target == LD_INPUT)
        steps += LOAD_STEPS;
    if (i->base)
        steps += BASE_STEPS + 32 - (unsigned)__builtin_clz(i->base);
    else if (!i->address)
        steps -= i->stride ? PLACE_STEPS : 2 * PLACE_STEPS;
    if (i->inner)
        steps += INNER_STEPS + (i->stride + i->pitch < 0);
    if (i->outer)
        steps += OUTER_STEPS + (i->stride + i->pitch + i->plane < 0);
    return steps;
}

void cluster_time_configure(struct cluster_time *c, const struct sequence *s)
{
    const unsigned piece =
                       c->variant->load_width < PIECE_BYTES_MAX ? c->variant->load_width : PIECE_BYTES_MAX,
                   pieces = ISA_CONFIG_RECORD_BYTES / piece;
    unsigned records = 1 + s->instructions + s->functions, steps = CONFIG_STEPS;
    for (unsigned i = 0; i < s->instructions; i++) {
        const bool extended = is_extended(&s->code[i]);
        records += extended;
        steps += CHECK_STEPS + WRITE_STEPS + operand_steps(&s->code[i]) + extended * CHECK_STEPS;
    }
    const unsigned overlapped = s->instructions + (s->functions != 0), beat = c->derived->bus_bytes / piece;
    steps += records * pieces - overlapped + s->functions * CHECK_STEPS;
    const unsigned padding = (beat - records * pieces % beat) % beat;
    c->config_busy = steps + padding + (padding != 0);
}

/* ---- beats ----------------------------------------------------------------------------------- */

bool cluster_time_accepts(const struct cluster_time *c, enum packet_kind kind)
{
    uint64_t beat = c->derived->bus_bytes;
    switch (kind) {
    case PACKET_WEIGHTS:
        return c->feeder_words < FEEDER_WORDS;
    case PACKET_LOAD:
        return c->received - c->loaded + beat <= c->options->activation_fifo * beat;
    case PACKET_OPERANDS:
        break;
    }
    return c->operand_received < c->operand_taken + PACKET_BEATS * beat;
}

static void take_weight_beat(struct cluster_time *c, bool last)
{
    if (++c->bus_beats == c->derived->weight_beat_bus_beats) {
        c->bus_beats = 0;
        c->joined++;
    }
    /* The last word of a packet is completed with skips. */
    if (c->joined == c->derived->beats_per_word || (last && c->joined)) {
        c->joined = 0;
        c->feeder_words += c->derived->words_per_beat;
    }
}

void cluster_time_take(struct cluster_time *c, enum packet_kind kind, bool last)
{
    c->between = PACKET_STEPS;
    if (kind == PACKET_WEIGHTS)
        take_weight_beat(c, last);
    else if (kind == PACKET_LOAD)
        c->received += c->derived->bus_bytes;
    else
        c->operand_received += c->derived->bus_bytes;
}

static void feed_step(struct cluster_time *c)
{
    if (!c->feeder_words || !pes_accept_word(&c->pes))
        return;
    pes_take_word(&c->pes);
    c->feeder_words--;
}

/* ---- reductions beside MACs ------------------------------------------------------------------ */

/* A PE a cycle, and what the function unit and the way back to the PEs take; beside MACs the next one begins
 * earlier, and none before it is out of the queue. */
#define REDUCTION_STEPS 21
#define BESIDE_STEPS 15
#define QUEUE_STEPS 5

/* Functions that take longer keep all results back (rtl/tulle_functions.v). */
static unsigned late_steps(const struct variant *v)
{
    const unsigned curves = 1u << VARIANT_SIGMOID | 1u << VARIANT_TANH;
    return v->functions & curves ? 8 : v->functions & 1u << VARIANT_USER ? 6 : 0;
}

static unsigned reduction_steps(const struct cluster_time *c)
{
    return REDUCTION_STEPS + c->variant->k + c->variant->acc_width / 4 + late_steps(c->variant);
}

/* Whether a reduction is still to write the entry. */
static bool is_awaited(const struct cluster_time *c, uint32_t entry)
{
    for (unsigned i = 0; i < c->reduction_count; i++)
        if (c->reductions[i].result == entry)
            return true;
    return false;
}

/* Whether a reduction that reads the entry has not ended. */
static bool is_read(const struct cluster_time *c, uint32_t entry)
{
    for (unsigned i = 0; i < c->reduction_count; i++)
        if (c->reductions[i].source == entry)
            return true;
    return false;
}

static bool queue_reduction(struct cluster_time *c, const struct operands *o)
{
    const uint32_t source = o->address & (c->variant->output_queue_depth - 1);
    if (c->reduction_count == REDUCTIONS_MAX || c->entry_busy[o->result] || is_awaited(c, o->result) ||
        is_read(c, source))
        return false;
    c->reductions[c->reduction_count++] =
        (struct reduction_work){c->pes.issued, c->pes.now, source, o->result};
    return true;
}

static void reduction_step(struct cluster_time *c)
{
    if (!c->reduction_count)
        return;
    if (!c->reduction_left) {
        if (c->reductions[0].needs_done <= pes_done(&c->pes) &&
            c->reductions[0].since + QUEUE_STEPS <= c->pes.now)
            c->reduction_left = reduction_steps(c) - REDUCTION_STEPS + BESIDE_STEPS;
        return;
    }
    if (--c->reduction_left)
        return;
    memmove(c->reductions, c->reductions + 1, --c->reduction_count * sizeof *c->reductions);
}

/* ---- issue ----------------------------------------------------------------------------------- */

static bool is_last_mac(const struct run_work *run)
{
    const struct sequence *s = run->sequence;
    for (unsigned i = run->instruction + 1; i < s->instructions; i++)
        if (s->code[i].opcode == I_MAC)
            return false;
    return true;
}

static bool issue_mac(struct cluster_time *c, const struct run_work *run, const struct instruction *in)
{
    const struct sequence *s = run->sequence;
    const uint32_t entry = run->operands[run->instruction].result;
    const bool writes = !s->defer || run->last;
    const bool keeps = writes && (in->keep || in->chain);
    if (!pes_accept_mac(&c->pes) ||
        (keeps && (c->entry_busy[entry] || is_read(c, entry) || is_awaited(c, entry))) ||
        (in->resume && is_awaited(c, entry)))
        return false;
    pes_issue(&c->pes,
              (struct mac_work){.balance = in->balance,
                                .chain = writes && in->chain,
                                .advance = run->iteration % s->hold == s->hold - 1 && is_last_mac(run),
                                .rotate = s->queue == QUEUE_RQ});
    return true;
}

static bool issue_store(struct cluster_time *c, const struct run_work *run)
{
    uint32_t entry = run->operands[run->instruction].result;
    if (!run->shift_out)
        return true;
    if (c->store_count == STORES_MAX || c->entry_busy[entry] || is_awaited(c, entry))
        return false;
    c->stores[(c->store_head + c->store_count++) % STORES_MAX] =
        (struct store_work){.needs_done = c->pes.issued, .entry = entry};
    c->entry_busy[entry] = true;
    return true;
}

/* Operands of a packet, as they come; what a load leaves of its last beat goes with the packet. */
static uint64_t take_operands(struct cluster_time *c, uint64_t most)
{
    uint64_t there = c->operand_received > c->operand_taken ? c->operand_received - c->operand_taken : 0;
    uint64_t part = most < there ? most : there;
    c->operand_taken += part;
    return part;
}

/* A load within a run: nothing else is under way, and it is complete before the next instruction. */
static bool issue_load(struct cluster_time *c, struct run_work *run, const struct instruction *in)
{
    const struct variant *v = c->variant;
    uint64_t beat = c->derived->bus_bytes;
    bool input = in->target == LD_INPUT;
    if (in->target == LD_WEIGHTS)
        return true;
    if (!run->in_barrier) {
        uint64_t sums = (uint64_t)v->k * (v->acc_width <= 32 ? 4 : 8);
        if (!pes_idle(&c->pes) || c->store_count || c->reduction_count)
            return false;
        if (!input) /* from lane 0 of a fresh beat */
            c->operand_taken = math_round_up(c->operand_taken, beat);
        run->in_barrier = true;
        run->barrier = input ? (uint64_t)run->sequence->block * (v->data_width / 8) * run->planes
                             : math_round_up(sums, beat);
    }
    uint64_t rate = input ? v->load_width : beat;
    run->barrier -= take_operands(c, rate < run->barrier ? rate : run->barrier);
    run->in_barrier = run->barrier > 0;
    return !run->in_barrier;
}

/* A copy, and a function that does not reduce, take the unit's time for each PE, and a round of its search,
 * in which it finds PE 0 again. What is behind a result for a register comes a cycle later. */
#define BEGIN_STEPS 4
#define EACH_STEPS 12
#define REGISTER_STEPS 1

static unsigned spu_steps(const struct cluster_time *c, const struct run_work *run)
{
    const struct sequence *s = run->sequence;
    const struct num_step *step =
        &s->table[s->code[run->instruction].spu ? s->code[run->instruction].spu - 1 : 0];
    const unsigned k = c->variant->k, digits = c->variant->acc_width / 4;
    const unsigned more = s->code[run->instruction].destination ? REGISTER_STEPS : 0;
    if (s->code[run->instruction].spu && num_is_reduction(step->function))
        return reduction_steps(c) + more;
    return more + BEGIN_STEPS + k * math_round_up(EACH_STEPS + digits, k);
}

/* An SPU instruction: behind all MACs and stores, or beside them. */
static bool issue_reduction(struct cluster_time *c, struct run_work *run)
{
    if (c->variant->decoupled_reductions)
        return queue_reduction(c, &run->operands[run->instruction]);
    if (!run->in_barrier) {
        if (!pes_idle(&c->pes) || c->store_count)
            return false;
        run->in_barrier = true;
        run->barrier = spu_steps(c, run);
    }
    run->in_barrier = --run->barrier > 0;
    return !run->in_barrier;
}

static bool issue_instruction(struct cluster_time *c, struct run_work *run)
{
    const struct sequence *s = run->sequence;
    const struct instruction *in = &s->code[run->instruction];
    switch (in->opcode) {
    case I_MAC:
        return issue_mac(c, run, in);
    case I_ST:
        return issue_store(c, run);
    case I_LD:
        return issue_load(c, run, in);
    case I_SPU:
        break;
    }
    return issue_reduction(c, run);
}

/* Whether an LD beside runs is in the issue stage, and keeps their instructions from it. */
static bool takes_place(const struct cluster_time *c)
{
    return c->load.stages == 1 && !c->variant->parallel_issue;
}

/* The sequencer looks at an instruction a cycle; a MAC goes to all PEs. */
static void issue_step(struct cluster_time *c)
{
    c->pes.unissued = CYCLE_NO_PACKET;
    if (c->issued_runs == c->announced)
        return;
    struct run_work *run = &c->runs[c->issued_runs % RUN_PLACES];
    const struct sequence *s = run->sequence;
    c->pes.unissued = CYCLE_ACTIVATIONS;
    if (c->loads_done < run->needs_loads || takes_place(c))
        return;
    if (c->pause) {
        c->pause = false;
        return;
    }
    c->pes.unissued = s->code[run->instruction].opcode == I_LD ? CYCLE_ACTIVATIONS : CYCLE_RESULTS;
    if (!issue_instruction(c, run))
        return;
    c->pes.unissued = CYCLE_BETWEEN;
    pes_tell(&c->pes, c->pes.now - 1,
             (struct cycle_event){.kind = CYCLE_INSTRUCTION,
                                  .opcode = s->code[run->instruction].opcode,
                                  .command = run->buffer,
                                  .count = run->instruction});
    operands_advance(&run->operands[run->instruction], &s->code[run->instruction],
                     c->variant->output_queue_depth);
    if (++run->instruction < s->instructions)
        return;
    run->instruction = 0;
    c->pause = s->instructions == 1 && s->code[0].opcode != I_SPU; /* whose steps contain it */
    if (++run->iteration < run->iterations)
        return;
    run->macs = c->pes.issued;
    c->operand_taken = run->data_end > c->operand_taken ? run->data_end : c->operand_taken;
    c->issued_runs++;
}

static void complete_step(struct cluster_time *c)
{
    while (c->complete < c->issued_runs && c->runs[c->complete % RUN_PLACES].macs <= pes_done(&c->pes))
        c->complete++;
}

/* ---- activations and results ----------------------------------------------------------------- */

/* An LD is fetched when two lines of the one before it are left, and issued when the last of them comes. With
 * a scalar unit it goes through two more stages, where there is one LD at a time. */
static void ld_step(const struct cluster_time *c, struct load_work *load, bool near)
{
    if (load->stages > 1)
        load->stages--;
    else if (load->stages && !load->open)
        next_ld(load);
    else if (!load->stages && near && load->unissued)
        load->stages = c->variant->scalar_unit ? 3 : 1;
}

static void load_step(struct cluster_time *c)
{
    struct load_work *load = &c->load;
    if (!load->on || c->complete < load->needs_runs)
        return;
    const uint64_t line = c->variant->load_width;
    const bool near = load->open <= 2 * line;
    uint64_t part = load->open < line ? load->open : line;
    part = part < load->bytes ? part : load->bytes;
    part = part < c->received - c->loaded ? part : c->received - c->loaded;
    load->bytes -= part;
    load->open -= part;
    c->loaded += part;
    ld_step(c, load, near);
    if (load->bytes)
        return;
    *load = (struct load_work){.on = false};
    c->loads_done++;
}

static unsigned beats_per_store(const struct cluster_time *c)
{
    unsigned bytes = c->variant->k * (c->variant->acc_width <= 32 ? 4 : 8);
    unsigned beat = c->variant->collector_width / 8;
    return math_divide_up(bytes, beat);
}

static void result_step(struct cluster_time *c)
{
    if (c->shift_left || !c->store_count || c->result_groups >= c->options->result_fifo)
        return;
    if (c->stores[c->store_head].needs_done <= pes_done(&c->pes))
        c->shift_left = beats_per_store(c);
}

void cluster_time_take_result(struct cluster_time *c)
{
    if (--c->shift_left)
        return;
    c->entry_busy[c->stores[c->store_head].entry] = false;
    c->result_groups++;
    c->store_head = (c->store_head + 1) % STORES_MAX;
    c->store_count--;
}

void cluster_time_step(struct cluster_time *c)
{
    together_compare(&c->pes);
    c->config_busy -= c->config_busy > 0;
    c->between -= c->between > 0;
    feed_step(c);
    pes_step(&c->pes);
    complete_step(c);
    reduction_step(c);
    result_step(c);
    load_step(c);
    issue_step(c);
}

bool cluster_time_idle(const struct cluster_time *c)
{
    return c->complete == c->announced && !c->load.on && !c->store_count && !c->reduction_count &&
           !c->config_busy && !c->feeder_words && pes_idle(&c->pes);
}

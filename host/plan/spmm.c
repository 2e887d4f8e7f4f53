/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A x W. Every cluster holds a few rows of A; all clusters get the same
 * weights. A pass is as many rows of A as the array holds. Within a pass, the
 * columns of the result are cut into tiles and k into blocks: the sums of a
 * tile stay in the output queues while its k blocks come by. When k is one
 * block, one tile is all columns, and results leave through the output queue
 * as a ring.
 */
#include "host/plan/pack.h"
#include "host/plan/steps.h"

#define ROWS_HELD_MAX 8
#define LINE 64           /* k blocks are multiples of this, so that every row begins at a beat of any bus */
#define PACKET_BYTES 4096 /* of weights, unless the caller says otherwise */

/* Two buffers each, for the two halves of the input buffer: MACs of a first k block and of the others, and
 * loads that wait for the one or for the other. */
enum { BUFFER_LOAD_FIRST = 0, BUFFER_LOAD_RESUME = 2, BUFFER_FIRST = 4, BUFFER_RESUME = 6, BUFFERS = 8 };

/* A packet of weights: a part of the (tile, k block) it belongs to. */
struct packet {
    uint32_t segments, bytes;
    uint64_t offset;
    uint32_t tile, block;
    bool last_of_block;
};

struct spmm {
    const struct variant *variant;
    struct variant_derived derived;
    struct writer writer;
    uint32_t m, k, groups; /* groups: columns of the result / K */
    unsigned held, clusters;
    uint32_t block, blocks;      /* of k */
    uint32_t tile_groups, tiles; /* of the columns */
    struct strbuf packets;       /* struct packet */
    uint32_t largest_packet;
    /* where things are in a storage unit, in bytes */
    uint32_t input_at, input_half, weights_at, weights_slot, weights_slots;
    uint32_t packets_sent;
    bool configured[BUFFERS];
};

/* ---- tiling ---------------------------------------------------------------------------------- */

static void set_tiles(struct spmm *s, uint32_t tiles)
{
    s->tile_groups = divide_up(s->groups, tiles);
    s->tiles = divide_up(s->groups, s->tile_groups);
}

/* Blocks of k so that a weight queue has room for two segments: MACs begin when a whole one is there, and the
 * next should come while it is used. */
static uint32_t blocks_for_queue(const struct spmm *s, const struct sparse *weights)
{
    uint64_t longest = 0, entries = weights->start[weights->rows];
    for (uint32_t r = 0; r < weights->rows; r++) {
        uint64_t length = weights->start[r + 1] - weights->start[r];
        longest = length > longest ? length : longest;
    }
    /* An eighth more than two of the average: lengths differ. */
    uint64_t two = 9 * entries / 4 / weights->rows;
    return divide_up((uint32_t)(two > longest ? two : longest), s->variant->weight_queue_depth);
}

static const char *choose_tiles(struct spmm *s, const struct sparse *weights)
{
    const struct variant *v = s->variant;
    uint32_t room = v->input_buffer_depth / (2 * s->held) / LINE * LINE;
    if (s->held > ROWS_HELD_MAX || 1 + 2 * s->held > v->instruction_depth)
        return "too many rows held for the instruction buffers";
    if (v->output_queue_depth % s->held)
        return "rows held must divide the output queue";
    if (!room || v->instruction_buffers < BUFFERS)
        return "the variant's buffers are too small";
    uint32_t blocks = divide_up(s->k, room), for_queue = blocks_for_queue(s, weights);
    s->block = round_up(divide_up(s->k, blocks > for_queue ? blocks : for_queue), LINE);
    s->blocks = divide_up(s->k, s->block);
    uint32_t most = s->blocks == 1 ? s->groups : v->output_queue_depth / s->held;
    set_tiles(s, divide_up(s->groups, most));
    return NULL;
}

/* Columns of a k block. */
static uint32_t block_length(const struct spmm *s, uint32_t block)
{
    return block + 1 < s->blocks ? s->block : s->k - block * s->block;
}

static uint32_t tile_length(const struct spmm *s, uint32_t tile)
{
    return tile + 1 < s->tiles ? s->tile_groups : s->groups - tile * s->tile_groups;
}

/* The packets of one tile and k block: several when k is one block, else one, because each starts afresh. */
static const char *pack_block(struct spmm *s, struct packer *packer, uint32_t tile, uint32_t block,
                              uint32_t packet_bytes)
{
    uint32_t length = tile_length(s, tile);
    const struct assignment part = {.first = tile * s->tile_groups * s->variant->k,
                                    .segment_step = s->variant->k,
                                    .pe_step = 1,
                                    .origin = (int64_t)block * s->block,
                                    .low = block * s->block,
                                    .high = block * s->block + block_length(s, block)};
    for (uint32_t done = 0; done < length;) {
        size_t bytes = s->blocks == 1 ? packet_bytes : SIZE_MAX;
        struct packet packet = {.offset = packer->to->len, .tile = tile, .block = block};
        packet.segments = packer_add(packer, &part, done, length - done, &bytes);
        if (!packet.segments)
            return packer->failed;
        packet.bytes = (uint32_t)bytes;
        done += packet.segments;
        packet.last_of_block = done == length;
        s->largest_packet = packet.bytes > s->largest_packet ? packet.bytes : s->largest_packet;
        sb_addn(&s->packets, (const char *)&packet, sizeof packet);
    }
    return NULL;
}

static const char *pack(struct spmm *s, const struct sparse *weights, struct strbuf *to,
                        uint32_t packet_bytes)
{
    struct packer packer;
    const char *why = packer_begin(&packer, s->variant, weights, to) ? NULL : "out of memory";
    s->packets.len = to->len = s->largest_packet = 0;
    for (uint32_t t = 0; !why && t < s->tiles; t++)
        for (uint32_t b = 0; !why && b < s->blocks; b++)
            why = pack_block(s, &packer, t, b, packet_bytes);
    packer_end(&packer);
    return why ? why : sb_ok(&s->packets) ? NULL : "out of memory";
}

/* False when the storage unit does not hold three packets beside the activations. */
static bool lay_out(struct spmm *s)
{
    const struct variant *v = s->variant;
    uint32_t beat = s->derived.bus_bytes;
    s->input_at = BUFFERS * CONFIG_UNIT_BYTES;
    s->input_half = v->m * round_up(s->held * s->block, beat);
    s->weights_at = s->input_at + 2 * s->input_half;
    s->weights_slot = round_up(s->largest_packet, beat);
    s->weights_slots = s->weights_at < v->unit_bytes ? (v->unit_bytes - s->weights_at) / s->weights_slot : 0;
    s->weights_slots = s->weights_slots > 8 ? 8 : s->weights_slots;
    return s->weights_slots >= 3;
}

/* Packs, with more and smaller tiles, or smaller packets, until the storage unit holds them. */
static const char *pack_to_fit(struct spmm *s, const struct sparse *weights, struct strbuf *to,
                               uint32_t packet_bytes)
{
    for (;;) {
        const char *why = pack(s, weights, to, packet_bytes);
        if (why || lay_out(s))
            return why;
        if (s->blocks == 1 && packet_bytes > 2 * s->derived.bus_bytes)
            packet_bytes /= 2;
        else if (s->blocks > 1 && s->tile_groups > 1)
            set_tiles(s, 2 * s->tiles);
        else
            return "the storage unit is too small";
    }
}

/* ---- configurations -------------------------------------------------------------------------- */

/* Activations into a half, once the MACs that read it are through. */
static void configure_load(struct spmm *s, unsigned buffer, unsigned reader)
{
    size_t bytes;
    unsigned half = buffer & 1;
    uint64_t at = writer_config(
        &s->writer,
        SETTINGS{
            {"restart", 1}, {"block", s->held * s->block}, {"after", 1}, {"after_buffer", reader}, {NULL, 0}},
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}},
                                             SETTINGS{{"address", half * s->held * s->block}, {NULL, 0}}}},
        1, &bytes);
    step_configure(&s->writer, buffer, at, bytes);
    s->configured[buffer] = true;
}

/* Weights, a MAC per row held, an ST per row held. */
static void configure_multiply(struct spmm *s, unsigned buffer)
{
    unsigned half = buffer & 1;
    bool resume = buffer >= BUFFER_RESUME;
    struct config_instruction code[1 + 2 * ROWS_HELD_MAX];
    struct setting mac[ROWS_HELD_MAX][5], operands[ROWS_HELD_MAX][4];
    code[0] = (struct config_instruction){"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    for (unsigned r = 0; r < s->held; r++) {
        const struct setting instruction[5] = {
            {"balance", 1}, {"keep", 1}, {"acc", r % 4}, {"resume", resume}, {NULL, 0}};
        const struct setting places[4] = {{"address", (half * s->held + r) * s->block},
                                          {"result", r},
                                          {"result_stride", s->held},
                                          {NULL, 0}};
        for (unsigned i = 0; i < 5; i++)
            mac[r][i] = instruction[i];
        for (unsigned i = 0; i < 4; i++)
            operands[r][i] = places[i];
        code[1 + r] = (struct config_instruction){"mac", mac[r], operands[r]};
        code[1 + s->held + r] = (struct config_instruction){"st", NULL, operands[r] + 1};
    }
    size_t bytes;
    uint64_t at = writer_config(&s->writer, SETTINGS{{"restart", s->blocks > 1}, {NULL, 0}}, code,
                                1 + 2 * s->held, &bytes);
    step_configure(&s->writer, buffer, at, bytes);
    s->configured[buffer] = true;
}

/* The load buffer for step `step`: it waits for the reader of the same half two steps ago. */
static unsigned load_buffer(const struct spmm *s, uint32_t step)
{
    bool resume = step >= 2 && (step - 2) % s->blocks;
    return (resume ? BUFFER_LOAD_RESUME : BUFFER_LOAD_FIRST) + (step & 1);
}

static unsigned multiply_buffer(const struct spmm *s, uint32_t step)
{
    return (step % s->blocks ? BUFFER_RESUME : BUFFER_FIRST) + (step & 1);
}

static void configure_step(struct spmm *s, uint32_t step)
{
    unsigned load = load_buffer(s, step), multiply = multiply_buffer(s, step);
    if (!s->configured[load])
        configure_load(s, load, (load >= BUFFER_LOAD_RESUME ? BUFFER_RESUME : BUFFER_FIRST) + (step & 1));
    if (!s->configured[multiply])
        configure_multiply(s, multiply);
}

/* ---- activations ----------------------------------------------------------------------------- */

static void distribute_input(struct spmm *s, unsigned buffer, uint32_t unit)
{
    uint32_t bytes = s->held * s->block, beat = s->derived.bus_bytes;
    for (unsigned c = 0; c < s->variant->m; c++) {
        bool last = c + 1 == s->variant->m;
        writer_op(&s->writer, "distribute",
                  SETTINGS{{"rows", all_rows(s->variant)},
                           {"clusters", 1u << c},
                           {"command", EXEC | buffer},
                           {"count", 1},
                           {"length", round_up(bytes, beat)},
                           {"unit_address", unit + c * round_up(bytes, beat)},
                           {"wait_a", c == 0},
                           {"wait_a_token", c == 0 ? TOKEN_INPUT : 0},
                           {"signal_a", last},
                           {"signal_a_token", last ? TOKEN_INPUT_FREE : 0},
                           {NULL, 0}});
    }
}

/* Activations of a pass and k block: cluster c of row r gets every clusters-th row of A, from r * M + c on.
 * The last block is as long as the others in the buffers; what is behind k is never looked at. */
static void load_input(struct spmm *s, uint32_t step, uint32_t pass, uint32_t block)
{
    const struct variant *v = s->variant;
    uint32_t unit = s->input_at + (step & 1) * s->input_half,
             slot = round_up(s->held * s->block, s->derived.bus_bytes);
    uint64_t first = (uint64_t)pass * s->held * s->clusters;
    uint32_t length = block_length(s, block);
    bool whole = length == s->block && slot == s->held * s->block;
    for (unsigned r = 0; r < v->n; r++)
        for (unsigned c = 0; c < (whole ? 1 : v->m * s->held); c++) {
            /* Whole blocks of all clusters pack without gaps: one operation; else one for each row of A. */
            unsigned cluster = whole ? 0 : c / s->held, row = whole ? 0 : c % s->held;
            bool begin = r == 0 && c == 0, end = r + 1 == v->n && (whole || c + 1 == v->m * s->held);
            writer_op(&s->writer, "load",
                      SETTINGS{{"rows", 1u << r},
                               {"slot", SLOT_INPUT},
                               {"offset", (int64_t)((first + r * v->m + cluster + row * s->clusters) * s->k +
                                                    (uint64_t)block * s->block)},
                               {"length", length},
                               {"runs", whole ? s->held : 1},
                               {"run_pitch", (int64_t)s->clusters * s->k},
                               {"planes", whole ? v->m : 1},
                               {"plane_pitch", s->k},
                               {"unit_address", unit + cluster * slot + row * s->block},
                               {"wait_a", begin},
                               {"wait_a_token", begin ? TOKEN_INPUT_FREE : 0},
                               {"signal_a", end},
                               {"signal_a_token", end ? TOKEN_INPUT : 0},
                               {NULL, 0}});
        }
    distribute_input(s, load_buffer(s, step), unit);
}

/* ---- weights and results --------------------------------------------------------------------- */

/* Results leave with the last k block. */
static void send_packet(struct spmm *s, const struct packet *packet, unsigned buffer)
{
    uint32_t slot = s->packets_sent++ % s->weights_slots;
    bool last = packet->block + 1 == s->blocks;
    step_weights(&s->writer, &(struct weights_step){.offset = packet->offset,
                                                    .bytes = packet->bytes,
                                                    .unit = s->weights_at + slot * s->weights_slot,
                                                    .command = (last ? EXEC_SHIFT_OUT : EXEC) | buffer,
                                                    .count = packet->segments});
}

static void store_tile(struct spmm *s, uint32_t pass, uint32_t tile)
{
    uint32_t group_bytes = s->variant->k * 4, pitch = s->groups * group_bytes;
    uint64_t row = (uint64_t)pass * s->held * s->clusters;
    writer_op(&s->writer, "store",
              SETTINGS{{"rows", all_rows(s->variant)},
                       {"clusters", all_clusters(s->variant)},
                       {"slot", SLOT_OUTPUT},
                       {"element", 2},
                       {"interleave", 1},
                       {"offset", (int64_t)(row * pitch + (uint64_t)tile * s->tile_groups * group_bytes)},
                       {"length", group_bytes},
                       {"runs", s->held * s->clusters},
                       {"run_pitch", pitch},
                       {"planes", tile_length(s, tile)},
                       {"plane_pitch", group_bytes},
                       {NULL, 0}});
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Which activations step number `step` of the job needs: steps run over passes, tiles and k blocks. */
static void load_step(struct spmm *s, uint32_t step)
{
    uint32_t steps = s->blocks == 1 ? 1 : s->tiles * s->blocks; /* of a pass */
    load_input(s, step, step / steps, step % s->blocks);
}

/* The activations of the next step go between this step's packets: late enough that the step before is
 * through with that half of the input buffers, early enough to be there in time. */
static void write_step(struct spmm *s, uint32_t step, uint32_t last_step, const struct packet *packets,
                       size_t count)
{
    size_t next_at = count > 4 ? 3 : count - 1;
    for (size_t i = 0; i < count; i++) {
        send_packet(s, &packets[i], multiply_buffer(s, step));
        if (i == next_at && step < last_step)
            load_step(s, step + 1);
    }
}

/* All configurations go first: one waits until its cluster is at rest. Buffers repeat after two rounds of
 * blocks. */
static void configure(struct spmm *s, uint32_t steps)
{
    uint32_t all = 2 * s->blocks + 2;
    for (uint32_t step = 0; step < steps && step < all; step++)
        configure_step(s, step);
}

static void write_program(struct spmm *s, uint32_t passes)
{
    const struct packet *packets = (const struct packet *)(const void *)s->packets.text;
    size_t count = s->packets.len / sizeof *packets;
    uint32_t steps = s->blocks == 1 ? 1 : s->tiles * s->blocks, step = 0;
    writer_begin(&s->writer, s->variant);
    s->writer.tokens[TOKEN_WEIGHTS_FREE] = (uint8_t)s->weights_slots;
    s->writer.tokens[TOKEN_INPUT_FREE] = 2;
    configure(s, passes * steps);
    load_step(s, 0);
    for (uint32_t p = 0; p < passes; p++)
        for (size_t i = 0; i < count; step++) {
            size_t end = i;
            while (end < count && !packets[end].last_of_block)
                end++;
            if (packets[i].block == 0)
                store_tile(s, p, packets[i].tile);
            write_step(s, step, passes * steps - 1, packets + i, end + 1 - i);
            i = end + 1;
        }
}

const char *plan_spmm(const struct variant *v, const struct sparse *weights, uint32_t m,
                      const struct plan_options *options, struct plan *plan)
{
    struct spmm s = {.variant = v,
                     .k = weights->columns,
                     .held = options->rows_held,
                     .clusters = v->n * v->m,
                     .groups = (weights->rows + v->k - 1) / v->k};
    variant_derive(v, &s.derived);
    uint32_t passes = s.held ? divide_up(m, s.held * s.clusters) : 0;
    s.m = passes * s.held * s.clusters;
    const char *why = !s.held || !m || !weights->rows ? "nothing to do"
                      : !s.k || s.k % 8               ? "k must be a multiple of 8"
                                                      : plan_unsupported(v, BUFFERS, 1 + 2 * s.held);
    if (!why)
        why = choose_tiles(&s, weights);
    if (!why)
        why = pack_to_fit(&s, weights, &plan->weights,
                          options->packet_bytes ? options->packet_bytes : PACKET_BYTES);
    if (!why) {
        write_program(&s, passes);
        if (!writer_finish(&s.writer, 0, &plan->program))
            why = s.writer.failed ? s.writer.failed : "out of memory";
    }
    writer_free(&s.writer);
    sb_free(&s.packets);
    plan->input_bytes = (uint64_t)s.m * s.k;
    plan->output_pitch = s.groups * v->k * 4;
    plan->output_bytes = (uint64_t)s.m * plan->output_pitch;
    return why;
}

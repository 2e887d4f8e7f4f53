/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse convolution as products over taps and channels. A cluster holds the input of a tile of output
 * pixels; a segment of weights is the kernel of one output channel. A sequence multiplies it with a line of
 * the tile's pixels, and `hold` lets it serve all lines before the next segment comes. Clusters have tiles of
 * their own and share the weights.
 *
 * A depthwise convolution is the same with the channels of the input scattered over the PEs: channel c goes
 * to PE c mod K, which has the kernels of its channels. What neighbouring windows share is in the input
 * buffer once. With weights of 1 and `maximum` it is max pooling.
 */
#include "host/plan/pack.h"
#include "host/plan/steps.h"

#include <stdlib.h>
#include <string.h>

#define TILE_WIDTH_MAX 8
#define PACKET_BYTES 4096
#define SLOTS_MAX 4

/* Two buffers each, for the two halves of the input buffer. */
enum { BUFFER_LOAD = 0, BUFFER_MULTIPLY = 2, BUFFERS = 4 };

struct packet {
    uint32_t segments, bytes;
    uint64_t offset;
};

struct spconv {
    const struct variant *variant;
    struct variant_derived derived;
    const struct convolution *shape;
    struct writer writer;
    uint32_t out_height, out_width, groups;
    uint32_t line, lines;                 /* bytes of an input line of a tile, and how many */
    uint32_t pe_channels, pe_line, block; /* activations of a pixel, a line and a tile that a PE holds */
    uint32_t tiles_across, tiles;
    unsigned clusters;
    struct strbuf packets; /* struct packet */
    uint32_t largest_packet;
    uint32_t input_at, input_slot, weights_at, weights_slots; /* in the storage unit */
    uint32_t packets_sent;
};

uint32_t convolution_out_height(const struct convolution *shape)
{
    return (shape->height - shape->side) / shape->stride + 1;
}

uint32_t convolution_out_width(const struct convolution *shape)
{
    return (shape->width - shape->side) / shape->stride + 1;
}

static const char *check_shape(const struct spconv *s, const struct sparse *weights)
{
    const struct convolution *c = s->shape;
    const struct variant *v = s->variant;
    uint32_t columns = c->side * c->side * (c->depthwise ? 1 : c->channels);
    if (c->depthwise && !v->scatter)
        return "depthwise: clusters of this variant do not scatter";
    if (c->maximum && !(v->functions >> VARIANT_MAX & 1))
        return "maximum: this variant is without the function max";
    if (c->depthwise && (c->channels % v->k || weights->rows != c->channels))
        return "depthwise: channels must be a multiple of K, with a kernel each";
    if (weights->columns != columns || c->channels % 8)
        return "weights do not fit the shape, or channels are not a multiple of 8";
    if (!c->tile_width || c->tile_width > TILE_WIDTH_MAX || 1 + 2 * c->tile_width > v->instruction_depth)
        return "the tile is too wide for the instruction buffers";
    if (c->tile_width > s->out_width || c->tile_height > s->out_height)
        return "the tile is larger than the image";
    if (v->output_queue_depth % c->tile_width)
        return "the tile's width must divide the output queue";
    return 2 * s->block > v->input_buffer_depth ? "the tile does not fit the input buffers twice" : NULL;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Columns (dy, dx, c) become positions in what a PE holds of a tile, whose lines are longer than the
 * kernel's. */
static uint32_t tap_position(const struct spconv *s, uint32_t row, uint32_t column)
{
    const struct convolution *c = s->shape;
    uint32_t taps = c->side * (c->depthwise ? 1 : c->channels);
    uint32_t across = column % taps;
    if (c->depthwise)
        across = across * s->pe_channels + row / s->variant->k;
    return column / taps * s->pe_line + across;
}

static bool place_taps(const struct spconv *s, const struct sparse *weights, struct sparse *placed)
{
    uint32_t entries = weights->start[weights->rows];
    *placed = *weights;
    placed->columns = s->pe_line * s->lines;
    placed->column = malloc((entries + 1) * sizeof *placed->column);
    if (!placed->column)
        return false;
    for (uint32_t r = 0; r < weights->rows; r++)
        for (uint32_t i = weights->start[r]; i < weights->start[r + 1]; i++)
            placed->column[i] = tap_position(s, r, weights->column[i]);
    return true;
}

static const char *pack(struct spconv *s, const struct sparse *placed, struct strbuf *to)
{
    struct packer packer;
    const struct assignment by_channel = {.segment_step = s->variant->k, .pe_step = 1};
    const char *why = packer_begin(&packer, s->variant, placed, to) ? NULL : "out of memory";
    /* Iterations of a packet are counted in 16 bits. */
    uint32_t limit = 65535 / s->shape->tile_height;
    for (uint32_t done = 0; !why && done < s->groups;) {
        size_t bytes = PACKET_BYTES;
        struct packet packet = {.offset = to->len};
        uint32_t left = s->groups - done < limit ? s->groups - done : limit;
        packet.segments = packer_add(&packer, &by_channel, done, left, &bytes);
        if (!packet.segments)
            why = packer.failed;
        packet.bytes = (uint32_t)bytes;
        done += packet.segments;
        s->largest_packet = packet.bytes > s->largest_packet ? packet.bytes : s->largest_packet;
        sb_addn(&s->packets, (const char *)&packet, sizeof packet);
    }
    packer_end(&packer);
    return why;
}

static const char *lay_out(struct spconv *s)
{
    s->input_at = BUFFERS * CONFIG_UNIT_BYTES;
    s->input_slot = round_up(s->block * (s->shape->depthwise ? s->variant->k : 1), s->derived.bus_bytes);
    s->weights_at = s->input_at + 2 * s->variant->m * s->input_slot;
    uint32_t room = s->weights_at < s->variant->unit_bytes ? s->variant->unit_bytes - s->weights_at : 0;
    s->weights_slots = room / s->largest_packet < SLOTS_MAX ? room / s->largest_packet : SLOTS_MAX;
    return s->weights_slots < 2 ? "the storage unit is too small" : NULL;
}

/* ---- configurations -------------------------------------------------------------------------- */

static uint32_t half_address(const struct spconv *s, unsigned half)
{
    return half * (s->variant->input_buffer_depth / 2);
}

static void configure_load(struct spconv *s, unsigned half)
{
    size_t bytes;
    uint64_t at = writer_config(
        &s->writer,
        SETTINGS{{"restart", 1},
                 {"block", s->block},
                 {"after", 1},
                 {"after_buffer", BUFFER_MULTIPLY + half},
                 {NULL, 0}},
        (const struct config_instruction[]){
            {"ld", SETTINGS{{"target", 0}, {NULL, 0}},
             SETTINGS{{"maximum", s->shape->maximum}, {"address", half_address(s, half)}, {NULL, 0}}}},
        1, &bytes);
    step_configure(&s->writer, BUFFER_LOAD + half, at, bytes);
}

/* A MAC for each pixel of a line of the tile; every iteration is a line further down, and after the last the
 * address goes back to the first. */
static void configure_multiply(struct spconv *s, unsigned half)
{
    const struct convolution *c = s->shape;
    struct config_instruction code[1 + 2 * TILE_WIDTH_MAX];
    struct setting mac[TILE_WIDTH_MAX][4], operands[TILE_WIDTH_MAX][8];
    int64_t down = (int64_t)c->stride * s->pe_line;
    code[0] = (struct config_instruction){"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL};
    for (unsigned x = 0; x < c->tile_width; x++) {
        const struct setting instruction[4] = {
            {"balance", !c->maximum}, {"keep", 1}, {"acc", x % 4}, {NULL, 0}};
        const struct setting places[8] = {{"maximum", c->maximum},
                                          {"address", half_address(s, half) + x * c->stride * s->pe_channels},
                                          {"stride", down},
                                          {"inner", c->tile_height},
                                          {"pitch", -down * c->tile_height},
                                          {"result", x},
                                          {"result_stride", c->tile_width},
                                          {NULL, 0}};
        memcpy(mac[x], instruction, sizeof instruction);
        memcpy(operands[x], places, sizeof places);
        code[1 + x] = (struct config_instruction){"mac", mac[x], operands[x]};
        code[1 + c->tile_width + x] = (struct config_instruction){"st", NULL, operands[x] + 5};
    }
    size_t bytes;
    uint64_t at = writer_config(&s->writer, SETTINGS{{"restart", 0}, {"hold", c->tile_height}, {NULL, 0}},
                                code, 1 + 2 * c->tile_width, &bytes);
    step_configure(&s->writer, BUFFER_MULTIPLY + half, at, bytes);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* First output pixel of a tile; the last ones of a line or column overlap their neighbours. */
static void tile_place(const struct spconv *s, uint32_t tile, uint32_t *y, uint32_t *x)
{
    const struct convolution *c = s->shape;
    uint32_t row = tile / s->tiles_across * c->tile_height, column = tile % s->tiles_across * c->tile_width;
    *y = row + c->tile_height <= s->out_height ? row : s->out_height - c->tile_height;
    *x = column + c->tile_width <= s->out_width ? column : s->out_width - c->tile_width;
}

/* The tile of cluster `cluster` in set `set`; the last set repeats the last tile. */
static uint32_t tile_of(const struct spconv *s, uint32_t set, uint32_t cluster)
{
    uint32_t tile = set * s->clusters + cluster;
    return tile < s->tiles ? tile : s->tiles - 1;
}

static void load_tiles(struct spconv *s, uint32_t set)
{
    const struct variant *v = s->variant;
    const struct convolution *c = s->shape;
    unsigned half = set & 1;
    uint32_t unit = s->input_at + half * v->m * s->input_slot, y, x;
    for (uint32_t q = 0; q < s->clusters; q++) {
        bool first = q == 0, last = q + 1 == s->clusters;
        tile_place(s, tile_of(s, set, q), &y, &x);
        writer_op(
            &s->writer, "load",
            SETTINGS{{"rows", 1u << (q / v->m)},
                     {"slot", SLOT_INPUT},
                     {"offset", (int64_t)(((uint64_t)y * c->stride * c->width + (uint64_t)x * c->stride) *
                                          c->channels)},
                     {"length", s->line},
                     {"runs", s->lines},
                     {"run_pitch", (int64_t)c->width * c->channels},
                     {"unit_address", unit + q % v->m * s->input_slot},
                     {"wait_a", first},
                     {"wait_a_token", first ? TOKEN_INPUT_FREE : 0},
                     {"signal_a", last},
                     {"signal_a_token", last ? TOKEN_INPUT : 0},
                     {NULL, 0}});
    }
    for (unsigned cluster = 0; cluster < v->m; cluster++) {
        bool first = cluster == 0, last = cluster + 1 == v->m;
        writer_op(&s->writer, "distribute",
                  SETTINGS{{"rows", all_rows(v)},
                           {"clusters", 1u << cluster},
                           {"command", EXEC | (BUFFER_LOAD + half)},
                           {"scatter", c->depthwise},
                           {"count", 1},
                           {"length", s->input_slot},
                           {"unit_address", unit + cluster * s->input_slot},
                           {"wait_a", first},
                           {"wait_a_token", first ? TOKEN_INPUT : 0},
                           {"signal_a", last},
                           {"signal_a_token", last ? TOKEN_INPUT_FREE : 0},
                           {NULL, 0}});
    }
}

static void send_packet(struct spconv *s, const struct packet *packet, unsigned half)
{
    uint32_t slot = s->packets_sent++ % s->weights_slots;
    step_weights(&s->writer, &(struct weights_step){.offset = packet->offset,
                                                    .bytes = packet->bytes,
                                                    .unit = s->weights_at + slot * s->largest_packet,
                                                    .command = EXEC_SHIFT_OUT | (BUFFER_MULTIPLY + half),
                                                    .count = packet->segments * s->shape->tile_height});
}

/* The results of one group of output channels, a cluster's tile after the other. */
static void store_group(struct spconv *s, uint32_t set, uint32_t group)
{
    const struct convolution *c = s->shape;
    uint32_t group_bytes = s->variant->k * 4, pixel = s->groups * group_bytes, y, x;
    for (uint32_t q = 0; q < s->clusters; q++) {
        tile_place(s, tile_of(s, set, q), &y, &x);
        writer_op(&s->writer, "store",
                  SETTINGS{{"rows", 1u << (q / s->variant->m)},
                           {"clusters", 1u << (q % s->variant->m)},
                           {"slot", SLOT_OUTPUT},
                           {"element", 2},
                           {"offset", (int64_t)(((uint64_t)y * s->out_width + x) * pixel +
                                                (uint64_t)group * group_bytes)},
                           {"length", group_bytes},
                           {"runs", c->tile_width},
                           {"run_pitch", pixel},
                           {"planes", c->tile_height},
                           {"plane_pitch", (int64_t)s->out_width * pixel},
                           {NULL, 0}});
    }
}

static void write_program(struct spconv *s)
{
    const struct packet *packets = (const struct packet *)(const void *)s->packets.text;
    size_t count = s->packets.len / sizeof *packets;
    uint32_t sets = divide_up(s->tiles, s->clusters);
    writer_begin(&s->writer, s->variant);
    s->writer.tokens[TOKEN_WEIGHTS_FREE] = (uint8_t)s->weights_slots;
    s->writer.tokens[TOKEN_INPUT_FREE] = 2;
    /* Behind weights a configuration would wait until their results are stored, and their stores for it. */
    for (unsigned half = 0; half < 2 && half < sets; half++) {
        configure_load(s, half);
        configure_multiply(s, half);
    }
    load_tiles(s, 0);
    for (uint32_t set = 0; set < sets; set++) {
        uint32_t stored = 0, sent = 0;
        for (size_t p = 0; p < count; p++) {
            send_packet(s, &packets[p], set & 1);
            if (p == count / 2 && set + 1 < sets)
                load_tiles(s, set + 1);
            /* Stores follow their packets, so that the command processor is never held up by them. */
            for (; stored < sent; stored++)
                store_group(s, set, stored);
            sent += packets[p].segments;
        }
        for (; stored < sent; stored++)
            store_group(s, set, stored);
    }
}

const char *plan_spconv(const struct variant *v, const struct sparse *weights,
                        const struct convolution *shape, struct plan *plan)
{
    struct spconv s = {.variant = v,
                       .shape = shape,
                       .out_height = convolution_out_height(shape),
                       .out_width = convolution_out_width(shape),
                       .groups = divide_up(weights->rows, v->k),
                       .line = ((shape->tile_width - 1) * shape->stride + shape->side) * shape->channels,
                       .lines = (shape->tile_height - 1) * shape->stride + shape->side,
                       .clusters = v->n * v->m};
    s.pe_channels = shape->depthwise ? shape->channels / v->k : shape->channels;
    s.pe_line = shape->depthwise ? s.line / v->k : s.line;
    s.block = round_up(s.pe_line * s.lines, v->load_width);
    struct sparse placed = {0};
    variant_derive(v, &s.derived);
    const char *why = plan_unsupported(v, BUFFERS, 1 + 2 * shape->tile_width);
    if (!why)
        why = check_shape(&s, weights);
    if (!why && !place_taps(&s, weights, &placed))
        why = "out of memory";
    if (!why) {
        s.tiles_across = divide_up(s.out_width, shape->tile_width);
        s.tiles = s.tiles_across * divide_up(s.out_height, shape->tile_height);
        why = pack(&s, &placed, &plan->weights);
    }
    free(placed.column);
    if (!why)
        why = lay_out(&s);
    if (!why) {
        write_program(&s);
        if (!writer_finish(&s.writer, 0, &plan->program))
            why = s.writer.failed ? s.writer.failed : "out of memory";
    }
    writer_free(&s.writer);
    sb_free(&s.packets);
    plan->input_bytes = (uint64_t)shape->height * shape->width * shape->channels;
    plan->output_pitch = s.groups * v->k * 4;
    plan->output_bytes = (uint64_t)s.out_height * s.out_width * plan->output_pitch;
    return why;
}

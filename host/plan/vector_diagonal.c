/* SPDX-License-Identifier: Apache-2.0
 *
 * y = A x with the rows in their order, for matrices with a band. Row i * Q * K + q * K + p of A is segment i
 * of PE p of cluster q (Q clusters in all), so results come in natural order when clusters are read in turn.
 * A tile is a number of segments per PE; every cluster gets a packet of it. x either stays whole in the input
 * buffers, or slides through them: the base follows the diagonal, and each tile first loads the part of x
 * that is new to it.
 */
#include "host/plan/channels.h"
#include "host/plan/vector.h"

#include <stdlib.h>

#include "host/plan/pack.h"
#include "host/plan/roll.h"
#include "host/plan/steps.h"

#define LOAD_BLOCK 64 /* activations: loads of x are whole blocks */
#define ROWS_MAX 16
#define PACKET_BYTES 8192 /* of weights for a cluster, unless the choice says otherwise */
#define TILES_AHEAD 2     /* tiles whose loads are written before the current one's packets */

enum { BUFFER_LOAD, BUFFER_MULTIPLY };

struct tile {
    uint32_t first, segments;
    uint64_t weights;          /* offset in the packed weights */
    uint32_t *packet_bytes;    /* per cluster of a row: equal in all rows */
    uint32_t input, input_end; /* columns of x to load before it */
};

struct diagonal {
    const struct plan_description *d;
    const struct variant *variant;
    struct variant_derived derived;
    const struct sparse *matrix;
    struct writer writer;
    uint32_t clusters, group, segments; /* group: rows of a segment over all PEs of the array */
    int64_t origin, slope;
    uint32_t window; /* largest position + 1 */
    struct tile *tiles;
    uint32_t tile_count;
    uint32_t input_at, input_slot, weights_at, weights_slot, slots; /* in the storage unit */
    bool token_each; /* every cluster's weights have a token; else a tile's have one: no token counts beyond
                        15 */
};

static int64_t round_down(int64_t value, int64_t multiple)
{
    int64_t rest = value % multiple;
    return value - rest - (rest < 0 ? multiple : 0);
}

/* ---- where x is ------------------------------------------------------------------------------ */

/* Smallest and largest column of a segment over all PEs; false when it is empty. */
static bool segment_columns(const struct diagonal *s, uint32_t segment, uint32_t *low, uint32_t *high)
{
    const struct sparse *a = s->matrix;
    uint64_t first = (uint64_t)segment * s->group, end = first + s->group;
    *low = UINT32_MAX;
    *high = 0;
    for (uint64_t r = first; r < end && r < a->rows; r++) {
        if (a->start[r] == a->start[r + 1])
            continue;
        *low = a->column[a->start[r]] < *low ? a->column[a->start[r]] : *low;
        *high = a->column[a->start[r + 1] - 1] > *high ? a->column[a->start[r + 1] - 1] : *high;
    }
    return *low != UINT32_MAX;
}

static void place_window(struct diagonal *s, int64_t slope)
{
    uint32_t low, high;
    int64_t lowest = INT64_MAX, widest = 0;
    for (uint32_t i = 0; i < s->segments; i++)
        if (segment_columns(s, i, &low, &high) && (int64_t)low - i * slope < lowest)
            lowest = (int64_t)low - i * slope;
    s->slope = slope;
    s->origin = lowest == INT64_MAX ? 0 : round_down(lowest, LOAD_BLOCK);
    for (uint32_t i = 0; i < s->segments; i++)
        if (segment_columns(s, i, &low, &high) && (int64_t)high - s->origin - i * slope >= widest)
            widest = (int64_t)high - s->origin - i * slope + 1;
    s->window = widest > UINT32_MAX ? UINT32_MAX : (uint32_t)widest;
}

/* x whole when it fits, else along the diagonal. */
static enum plan_status choose_window(struct diagonal *s)
{
    const struct sparse *a = s->matrix;
    uint32_t depth = s->variant->input_buffer_depth;
    if (a->columns <= depth) {
        place_window(s, 0);
        s->origin = 0;
        return PLAN_OK;
    }
    place_window(s, (int64_t)((double)a->columns / a->rows * s->group + 0.5));
    /* What two tiles bring comes beside it, of a segment each at least. */
    return s->window + 2 * (uint64_t)s->slope + 4 * LOAD_BLOCK <= depth
               ? PLAN_OK
               : plan_refuse(PLAN_UNSUPPORTED, "the band is wider than the input buffers");
}

/* The last column that tiles up to this one touch, rounded to blocks. */
static uint32_t columns_needed(const struct diagonal *s, const struct tile *tile)
{
    uint32_t low, high, most = 0;
    for (uint32_t i = 0; i < tile->segments; i++)
        if (segment_columns(s, tile->first + i, &low, &high) && high + 1 > most)
            most = high + 1;
    return math_round_up(most, LOAD_BLOCK);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static struct assignment assignment_of(const struct diagonal *s, uint32_t cluster)
{
    return (struct assignment){.first = cluster * s->variant->k,
                               .segment_step = s->group,
                               .pe_step = 1,
                               .origin = s->origin,
                               .origin_step = s->slope};
}

/* As many segments as fit every cluster's packet, and as leave the window room to slide. */
static uint32_t tile_segments(const struct diagonal *s, struct packer *packer, uint32_t first,
                              uint32_t packet_bytes)
{
    uint32_t count = s->segments - first;
    for (uint32_t q = 0; q < s->clusters; q++) {
        struct assignment a = assignment_of(s, q);
        count = packer_fit(packer, &a, first, count, packet_bytes);
    }
    if (s->slope) {
        uint64_t room = (s->variant->input_buffer_depth - s->window) / (uint64_t)s->slope / 4;
        room = room ? room : 1;
        count = count > room ? (uint32_t)room : count;
    }
    return count;
}

/* The packets of one cluster of each row, padded to the same size. */
static enum plan_status pack_column(struct diagonal *s, struct packer *packer, struct tile *tile, unsigned c)
{
    struct strbuf packets[ROWS_MAX] = {0}, *to = packer->to;
    const struct variant *v = s->variant;
    enum plan_status why = PLAN_OK;
    for (unsigned r = 0; !why && r < v->n; r++) {
        struct assignment a = assignment_of(s, r * v->m + c);
        size_t bytes = SIZE_MAX;
        packer->to = &packets[r];
        if (!packer_add(packer, &a, tile->first, tile->segments, &bytes))
            why = packer->failed;
    }
    if (!why && !packer_join(packer, packets, v->n, 1, &tile->packet_bytes[c], to))
        why = plan_no_memory();
    packer->to = to;
    for (unsigned r = 0; r < v->n; r++)
        sb_free(&packets[r]);
    return why;
}

/* Of the segments from `*next` on, which it moves to those of the tile that follows. */
static enum plan_status make_tile(struct diagonal *s, struct packer *packer, uint32_t *next,
                                  uint32_t packet_bytes)
{
    struct tile *tiles = realloc(s->tiles, (s->tile_count + 1) * sizeof *tiles);
    if (!tiles)
        return plan_no_memory();
    s->tiles = tiles;
    struct tile *tile = &tiles[s->tile_count];
    *tile = (struct tile){.first = *next,
                          .segments = tile_segments(s, packer, *next, packet_bytes),
                          .weights = packer->to->len,
                          .packet_bytes = calloc(s->variant->m, sizeof *tile->packet_bytes)};
    if (!tile->packet_bytes)
        return plan_no_memory();
    s->tile_count++;
    enum plan_status why = PLAN_OK;
    for (unsigned c = 0; !why && c < s->variant->m; c++)
        why = pack_column(s, packer, tile, c);
    for (unsigned c = 0; !why && s->variant->m > 1 && c < s->variant->m; c++)
        if (!step_packet_fits_alone(s->variant, &s->derived, tile->segments, 1, tile->packet_bytes[c]))
            why = plan_refuse(PLAN_LONG_SEGMENT, "packets do not fit the queues of a cluster");
    tile->input =
        s->tile_count > 1 ? tiles[s->tile_count - 2].input_end : (uint32_t)(s->origin > 0 ? s->origin : 0);
    uint32_t need = s->slope             ? columns_needed(s, tile)
                    : s->tile_count == 1 ? math_round_up(s->matrix->columns, LOAD_BLOCK)
                                         : 0;
    tile->input_end = need > tile->input ? need : tile->input;
    *next += tile->segments;
    return why;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void configure(struct diagonal *s)
{
    const int64_t start = s->tiles[0].input, depth = s->variant->input_buffer_depth;
    step_configure(
        &s->writer, BUFFER_LOAD,
        SETTINGS{{"restart", 0}, {"block", LOAD_BLOCK}, STEP_ACTIVATIONS(s->d), {NULL, 0}},
        (const struct config_instruction[]){
            {"ld", SETTINGS{{"target", 0}, {NULL, 0}},
             SETTINGS{{"address", (start - s->origin) % depth}, {"stride", LOAD_BLOCK}, {NULL, 0}}}},
        1);
    step_configure(
        &s->writer, BUFFER_MULTIPLY, SETTINGS{{"restart", 0}, {NULL, 0}},
        (const struct config_instruction[]){{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
                                            {"mac", SETTINGS{{"balance", 1}, {"keep", 1}, {NULL, 0}},
                                             SETTINGS{{"stride", s->slope}, {"result_stride", 1}, {NULL, 0}}},
                                            {"st", NULL, SETTINGS{{"result_stride", 1}, {NULL, 0}}}},
        3);
    step_load_configurations(&s->writer);
}

static uint32_t input_unit(const struct diagonal *s, uint32_t t)
{
    return s->input_at + t % s->slots * s->input_slot;
}

static uint32_t weights_unit(const struct diagonal *s, uint32_t t, unsigned c)
{
    uint32_t at = s->weights_at + t % s->slots * s->weights_slot;
    for (unsigned i = 0; i < c; i++)
        at += s->tiles[t].packet_bytes[i];
    return at;
}

static void write_loads(struct diagonal *s, uint32_t t)
{
    const struct tile *tile = &s->tiles[t];
    const struct variant *v = s->variant;
    if (tile->input_end > tile->input)
        writer_op(&s->writer, "load",
                  SETTINGS{{"rows", plan_all_rows(s->variant)},
                           {"slot", SLOT_INPUT},
                           {"offset", tile->input},
                           {"length", tile->input_end - tile->input},
                           {"unit_address", input_unit(s, t)},
                           {"wait_a", 1},
                           {"wait_a_token", TOKEN_INPUT_FREE},
                           {"signal_a", 1},
                           {"signal_a_token", TOKEN_INPUT},
                           {NULL, 0}});
    uint64_t offset = tile->weights;
    for (unsigned c = 0; c < v->m; c++)
        for (unsigned r = 0; r < v->n; r++) {
            bool first = c == 0 && r == 0, last = r + 1 == v->n && (s->token_each || c + 1 == v->m);
            writer_op(&s->writer, "load",
                      SETTINGS{{"rows", 1u << r},
                               {"slot", SLOT_WEIGHTS},
                               {"offset", (int64_t)offset},
                               {"length", tile->packet_bytes[c]},
                               {"unit_address", weights_unit(s, t, c)},
                               {"wait_a", first},
                               {"wait_a_token", first ? TOKEN_WEIGHTS_FREE : 0},
                               {"signal_a", last},
                               {"signal_a_token", last ? TOKEN_WEIGHTS : 0},
                               {NULL, 0}});
            offset += tile->packet_bytes[c];
        }
}

static void write_input_packet(struct diagonal *s, uint32_t t)
{
    uint32_t new_input = s->tiles[t].input_end - s->tiles[t].input;
    if (new_input)
        writer_op(&s->writer, "distribute",
                  SETTINGS{{"rows", plan_all_rows(s->variant)},
                           {"clusters", plan_all_clusters(s->variant)},
                           {"command", EXEC | BUFFER_LOAD},
                           {"count", new_input / LOAD_BLOCK},
                           {"length", new_input},
                           {"unit_address", input_unit(s, t)},
                           {"wait_a", 1},
                           {"wait_a_token", TOKEN_INPUT},
                           {"signal_a", 1},
                           {"signal_a_token", TOKEN_INPUT_FREE},
                           {NULL, 0}});
}

/* The weights of tile t, after the activations of the tile that follows, so that they are in time. */
static void write_packets(struct diagonal *s, uint32_t t)
{
    const struct tile *tile = &s->tiles[t];
    if (t == 0)
        write_input_packet(s, 0);
    if (t + 1 < s->tile_count)
        write_input_packet(s, t + 1);
    for (unsigned c = 0; c < s->variant->m; c++) {
        bool last = c + 1 == s->variant->m, waits = s->token_each || c == 0;
        writer_op(&s->writer, "distribute",
                  SETTINGS{{"rows", plan_all_rows(s->variant)},
                           {"clusters", 1u << c},
                           {"command", EXEC_SHIFT_OUT | BUFFER_MULTIPLY},
                           {"count", tile->segments},
                           {"length", tile->packet_bytes[c]},
                           {"unit_address", weights_unit(s, t, c)},
                           {"wait_a", waits},
                           {"wait_a_token", waits ? TOKEN_WEIGHTS : 0},
                           {"signal_a", last},
                           {"signal_a_token", last ? TOKEN_WEIGHTS_FREE : 0},
                           {NULL, 0}});
    }
    writer_op(&s->writer, "store",
              SETTINGS{{"rows", plan_all_rows(s->variant)},
                       {"clusters", plan_all_clusters(s->variant)},
                       {"slot", SLOT_OUTPUT},
                       {"element", 2},
                       {"interleave", 1},
                       {"offset", (int64_t)tile->first * s->group * 4},
                       {"length", (int64_t)tile->segments * s->group * 4},
                       {NULL, 0}});
}

static enum plan_status lay_out(struct diagonal *s)
{
    const struct variant *v = s->variant;
    uint32_t weights = 0, input = LOAD_BLOCK;
    for (uint32_t t = 0; t < s->tile_count; t++) {
        const struct tile *tile = &s->tiles[t];
        uint32_t bytes = 0;
        for (unsigned c = 0; c < v->m; c++)
            bytes += tile->packet_bytes[c];
        weights = bytes > weights ? bytes : weights;
        input = tile->input_end - tile->input > input ? tile->input_end - tile->input : input;
    }
    s->input_slot = math_round_up(input, s->derived.bus_bytes);
    s->weights_slot = weights;
    s->input_at = step_config_bytes(1) + step_config_bytes(3);
    uint32_t room = v->unit_bytes > s->input_at ? v->unit_bytes - s->input_at : 0;
    s->slots = room / (s->input_slot + s->weights_slot);
    s->slots = s->slots > 8 ? 8 : s->slots;
    s->token_each = s->slots * v->m <= 15;
    s->weights_at = s->input_at + s->slots * s->input_slot;
    return s->slots < 2 ? plan_refuse(PLAN_UNSUPPORTED, "the storage unit is too small for two tiles")
                        : PLAN_OK;
}

static void write_program(struct diagonal *s)
{
    uint32_t ahead = TILES_AHEAD < s->slots ? TILES_AHEAD : s->slots - 1;
    writer_begin(&s->writer, s->variant);
    s->writer.tokens[TOKEN_WEIGHTS_FREE] = (uint8_t)s->slots;
    s->writer.tokens[TOKEN_INPUT_FREE] = (uint8_t)s->slots;
    configure(s);
    for (uint32_t t = 0; t < s->tile_count + ahead; t++) {
        if (t < s->tile_count)
            write_loads(s, t);
        if (t == ahead)
            step_send_configurations(&s->writer);
        if (t >= ahead)
            write_packets(s, t - ahead);
    }
}

static void diagonal_free(struct diagonal *s)
{
    for (uint32_t t = 0; t < s->tile_count; t++)
        free(s->tiles[t].packet_bytes);
    free(s->tiles);
    writer_free(&s->writer);
}

static enum plan_status check(const struct plan_description *d)
{
    const struct variant *v = d->variant;
    if (d->m != 1 || d->element != 2 || d->function.function || channels_any(&d->channels) || d->partial ||
        d->join.join)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "the plan along the diagonal is for int32 results and nothing added");
    if (!d->weights->rows || !d->weights->columns)
        return plan_refuse(PLAN_INVALID, "nothing to do");
    if (v->data_width != 8)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "the plan along the diagonal is for int8 operands, and this variant has int16");
    if (v->tokens < TOKENS_USED || v->instruction_buffers < 2 || v->instruction_depth < 3)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "the variant has fewer tokens or instruction buffers than a plan needs");
    return PLAN_OK;
}

static enum plan_status make(struct diagonal *s, uint32_t packet_bytes, struct plan *plan)
{
    struct packer packer = {0};
    enum plan_status why = choose_window(s);
    if (!why && !packer_begin(&packer, s->variant, s->matrix, &plan->weights))
        why = plan_no_memory();
    for (uint32_t next = 0; !why && next < s->segments;)
        why = make_tile(s, &packer, &next, packet_bytes);
    packer_end(&packer);
    if (!why)
        why = lay_out(s);
    if (why)
        return why;
    write_program(s);
    writer_roll(&s->writer, false);
    writer_finish(&s->writer, 0, &plan->program);
    return s->writer.failed;
}

enum plan_status plan_diagonal(const struct plan_description *d, const struct plan_choice *choice,
                               struct plan *plan)
{
    const struct variant *v = d->variant;
    const uint32_t clusters = v->n * v->m, group = clusters * v->k;
    struct variant_derived derived;
    enum plan_status why = check(d);
    if (why)
        return why;
    variant_derive(v, &derived);
    const struct diagonal start = {.d = d,
                                   .variant = v,
                                   .matrix = d->weights,
                                   .clusters = clusters,
                                   .derived = derived,
                                   .group = group,
                                   .segments = math_divide_up(d->weights->rows, group)};
    for (uint32_t bytes = choice->packet_bytes ? choice->packet_bytes : PACKET_BYTES;; bytes /= 2) {
        struct diagonal s = start;
        why = make(&s, bytes, plan);
        diagonal_free(&s);
        if (why != PLAN_LONG_SEGMENT || bytes <= start.derived.bus_bytes)
            break;
        plan->weights.len = 0;
    }
    plan->input_bytes = math_round_up(d->weights->columns, LOAD_BLOCK);
    plan->output_pitch = 4;
    plan->output_bytes = (uint64_t)start.segments * start.group * 4;
    plan->layout = (struct plan_layout){.data_bytes = 1, .element_bytes = 4, .partial_bytes = 4};
    plan->summary = (struct plan_summary){
        .gather = PLAN_GATHER_DIAGONAL, .split = {PLAN_N, PLAN_N}, .rows_held = 1, .passes = 1, .k_steps = 1};
    return why;
}

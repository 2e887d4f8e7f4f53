/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/product.h"

#include <stdlib.h>
#include <string.h>

#define HELD_USUAL 4
#define PART_CYCLES 4000.0        /* of multiplications, in the smaller program of a part at least */
#define PART_LONG 16000.0         /* of a pass or tile, from which on one of them is enough for it */
#define PART_MOST 0.5             /* of the work in all programs of a part of it, or there are none */
#define PART_LOADS 4.0            /* times the loads of a pass: what its tiles take in a part */
#define PART_UNLIKE 1.25          /* share of the weights over that of results: the other tiles are unlike */
#define SHORT_MAC 16              /* weights */
#define PACKET_BYTES 4096         /* of weights for a cluster, unless the choice says otherwise */
#define PACKET_BYTES_BLOCKS 16384 /* the same when a tile has several k steps, and must be one packet */
#define LINE 64                   /* k blocks are multiples of this when that pads little */

uint32_t product_part(const struct product *p, enum plan_axis axis, unsigned row, unsigned cluster)
{
    uint32_t part = p->split.rows == axis ? row : 0;
    return p->split.columns == axis ? part * p->variant->m + cluster : part;
}

uint32_t product_streams(const struct product *p)
{
    return p->parts[PLAN_M] * p->parts[PLAN_N];
}

bool product_scatters(const struct product *p)
{
    return p->window.of && p->window.of->depthwise;
}

bool product_has_own_results(const struct product *p)
{
    return product_scatters(p) || p->window.grouped;
}

bool product_maximum(const struct product *p)
{
    return p->window.of && p->window.of->maximum;
}

unsigned product_input_columns(const struct product *p)
{
    return p->split.columns == PLAN_N && !product_scatters(p) ? 1 : p->variant->m;
}

bool product_joins_frame(const struct product *p)
{
    return p->d->to && p->d->join.join;
}

bool product_stores_parts_of_n(const struct product *p)
{
    return product_scatters(p) && !(p->d->to && p->d->to->planes);
}

uint32_t product_store_parts(const struct product *p)
{
    return p->parts[PLAN_M] * (product_stores_parts_of_n(p) ? p->parts[PLAN_N] : 1);
}

unsigned product_input_rows(const struct product *p)
{
    return p->split.rows == PLAN_N && !product_scatters(p) ? 1 : p->variant->n;
}

uint32_t product_results(const struct product *p)
{
    return p->held * p->lines;
}

uint32_t product_block_passes(const struct product *p)
{
    return p->passes / p->blocks;
}

uint32_t product_block_of(const struct product *p, uint32_t pass)
{
    return pass / product_block_passes(p);
}

uint32_t product_set_number(const struct product *p, uint32_t block, uint32_t tile, uint32_t k_step)
{
    return (block * p->tile_count + tile) * p->k_steps + k_step;
}

static void set_parts(struct product *p)
{
    for (unsigned a = 0; a < PLAN_AXES; a++)
        p->parts[a] = (p->split.rows == a ? p->variant->n : 1) * (p->split.columns == a ? p->variant->m : 1);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

unsigned product_usual_held(const struct variant *v, const struct sparse *weights, unsigned k_parts,
                            unsigned most)
{
    const uint32_t row = weights->start[weights->rows] / weights->rows / k_parts;
    unsigned held = most < HELD_USUAL ? most : HELD_USUAL;
    for (; held > 1; held /= 2) {
        const uint32_t block = v->input_buffer_depth / (2 * held),
                       steps = block ? math_divide_up(weights->columns, k_parts * block) : 1;
        if (steps == 1 || row / steps >= SHORT_MAC)
            break;
    }
    return held;
}

/* Rows of activations that a cluster holds. Clusters of a row that have different m, under rows that have
 * different n, give results in an order that no store undoes but for one row at a time. */
static enum plan_status choose_held(struct product *p, unsigned wanted)
{
    const struct variant *v = p->variant;
    bool one = p->split.rows == PLAN_N && p->split.columns == PLAN_M;
    unsigned most = (v->instruction_depth - 1) / 2;
    most = most > PRODUCT_HELD_MAX ? PRODUCT_HELD_MAX : most;
    most = most > v->output_queue_depth ? v->output_queue_depth : most;
    most = one ? 1 : most;
    most = !wanted && most > p->held_most ? p->held_most : most;
    if (wanted > most)
        return one ? plan_refuse(PLAN_UNSUPPORTED, "this split holds one row of activations")
                   : plan_refuse(PLAN_UNSUPPORTED, "too many rows held for the cluster");
    uint32_t rows = math_divide_up(p->d->m, p->parts[PLAN_M]);
    unsigned usual = product_usual_held(v, p->d->weights, p->parts[PLAN_K], most);
    p->held = wanted ? wanted : math_divide_up(rows, math_divide_up(rows, usual));
    p->passes = math_divide_up(rows, p->held);
    p->lines = p->blocks = 1;
    return PLAN_OK;
}

/* Entries of the longest row, and of an average one. */
static void row_lengths(const struct sparse *w, uint64_t *longest, uint64_t *total)
{
    *longest = 0;
    *total = w->start[w->rows];
    for (uint32_t r = 0; r < w->rows; r++) {
        uint64_t length = w->start[r + 1] - w->start[r];
        *longest = length > *longest ? length : *longest;
    }
}

/* Steps of k for which a weight queue has room for two segments: MACs begin when a whole one is there, and
 * the next should come meanwhile. An eighth more than two of the average: lengths differ. */
static uint32_t steps_for_queue(const struct product *p)
{
    uint64_t longest, total;
    row_lengths(p->rows, &longest, &total);
    uint64_t two = 9 * total / 4 / p->n, most = two > longest ? two : longest;
    uint64_t room = (uint64_t)p->variant->weight_queue_depth * p->parts[PLAN_K];
    return (uint32_t)((most + room - 1) / room);
}

static uint32_t lowest_block(const struct product *p)
{
    uint32_t bytes = p->variant->load_width > 8 ? p->variant->load_width : 8;
    return bytes / p->data_bytes;
}

/* A k block of at most `most` columns for at least `steps` steps; 0: there is no such thing. */
static uint32_t block_for(const struct product *p, uint32_t steps, uint32_t most)
{
    uint32_t unit = lowest_block(p), k_parts = p->parts[PLAN_K];
    uint32_t block = math_round_up(math_divide_up(p->k, steps * k_parts), unit);
    uint32_t line = math_round_up(block, LINE);
    if (line <= most && (line - block) * 16 <= block)
        block = line;
    return block <= most ? block : most / unit * unit;
}

static enum plan_status choose_block(struct product *p, uint32_t wanted, uint32_t least_steps)
{
    uint32_t most = p->variant->input_buffer_depth / (2 * p->held);
    /* Activations that come once need no room for the next. */
    if (p->passes == 1 && least_steps <= 1 && (uint64_t)p->k <= 2 * (uint64_t)most * p->parts[PLAN_K])
        most *= 2;
    if (wanted && (wanted % lowest_block(p) || wanted > most))
        return plan_refuse(
            PLAN_INVALID,
            "the k block is no multiple of what activations are loaded in, or too long for the input "
            "buffer");
    p->block = wanted ? wanted : block_for(p, least_steps, most);
    if (!p->block)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant's input buffers are too small");
    p->k_steps = math_divide_up(p->k, p->block * p->parts[PLAN_K]);
    p->input_words = p->held * p->block;
    return PLAN_OK;
}

/* Whether steps of a pass and tile follow each other, so that sums can stay where they are. */
static void choose_sums(struct product *p, uint32_t tiles)
{
    p->on_chip = p->k_steps == 1 || p->mapping == PLAN_OUTPUT_STATIONARY ||
                 (p->mapping == PLAN_INPUT_STATIONARY && tiles == 1) ||
                 (p->mapping == PLAN_WEIGHT_STATIONARY && p->passes == 1);
    p->ring = p->k_steps == 1 || !p->on_chip;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Columns of the result in a block, those that only fill it up included. */
static uint32_t block_columns(const struct product *p)
{
    return p->segments * p->parts[PLAN_N] * p->variant->k;
}

/* The first of the K columns of a segment of the result, and how many lie between it and the next. Parts of n
 * take turns, but where they have channels of their own. */
static uint32_t first_column(const struct product *p, uint32_t block, uint32_t n_part)
{
    const uint32_t own = product_scatters(p) ? p->segments : 1;
    return block * block_columns(p) + n_part * own * p->variant->k;
}

static uint32_t column_step(const struct product *p)
{
    return (product_scatters(p) ? 1 : p->parts[PLAN_N]) * p->variant->k;
}

/* Entries that segment `segment` has in the packet that is fullest, were they dealt evenly over k. */
static uint64_t segment_entries(const struct product *p, uint32_t segment)
{
    const struct sparse *w = p->rows;
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->parts[PLAN_N] * p->blocks; i++) {
        uint64_t from = first_column(p, i / p->parts[PLAN_N], i % p->parts[PLAN_N]) +
                        (uint64_t)segment * column_step(p),
                 to = from + p->variant->k;
        from = from < p->n ? from : p->n;
        to = to < p->n ? to : p->n;
        uint64_t entries = w->start[to] - w->start[from];
        most = entries > most ? entries : most;
    }
    return most / ((uint64_t)p->k_steps * p->parts[PLAN_K]) + p->variant->k;
}

static bool add_tile(struct product *p, uint32_t first, uint32_t segments)
{
    if (p->tile_count == p->tile_room) {
        uint32_t room = p->tile_room ? 2 * p->tile_room : 64;
        struct product_tile *moved = realloc(p->tiles, room * sizeof *moved);
        if (!moved)
            return false;
        p->tiles = moved;
        p->tile_room = room;
    }
    p->tiles[p->tile_count++] = (struct product_tile){.first = first, .segments = segments};
    return true;
}

static unsigned weight_rows(const struct product *p)
{
    return p->split.rows == PLAN_M ? 1 : p->variant->n;
}

static unsigned weight_columns(const struct product *p)
{
    return p->split.columns == PLAN_M ? 1 : p->variant->m;
}

/* Whether a cluster that has a packet of its own can take it before its neighbours have theirs. */
static bool flows(const struct product *p, uint32_t segments, uint64_t entries)
{
    uint64_t bytes = entries * p->derived.entry_bits / 8;
    return weight_columns(p) == 1 ||
           step_packet_fits_alone(p->variant, &p->derived, segments, product_results(p), bytes);
}

/* Tiles whose packets have some `bytes` of weights. */
static enum plan_status cut_tiles(struct product *p, uint32_t bytes, uint32_t most)
{
    uint64_t room = (uint64_t)bytes * 8 / p->derived.entry_bits;
    p->tile_count = 0;
    for (uint32_t first = 0, s = 0; first < p->segments; first = s) {
        uint64_t used = 0;
        for (s = first; s < p->segments && s - first < most; s++) {
            used += segment_entries(p, s);
            if (s > first && (used > room || !flows(p, s - first + 1, used)))
                break;
        }
        if (!add_tile(p, first, s - first))
            return plan_no_memory();
    }
    return PLAN_OK;
}

/* ---- packing --------------------------------------------------------------------------------- */

struct packets {
    struct strbuf text[PRODUCT_CLUSTERS_MAX * PRODUCT_CLUSTERS_MAX];
};

static const struct product_tile *tile_of(const struct product *p, uint32_t set)
{
    return &p->tiles[set / p->k_steps % p->tile_count];
}

/* What a packet of a set has of the weights. */
static struct assignment part_of(const struct product *p, uint32_t set, unsigned row, unsigned column)
{
    uint32_t k_step = set % p->k_steps, block = set / p->k_steps / p->tile_count;
    uint32_t n_part = product_part(p, PLAN_N, row, column), k_part = product_part(p, PLAN_K, row, column);
    uint64_t low = ((uint64_t)k_step * p->parts[PLAN_K] + k_part) * p->block, high = low + p->block;
    return (struct assignment){.first = first_column(p, block, n_part),
                               .segment_step = column_step(p),
                               .pe_step = 1,
                               .origin = (int64_t)low,
                               .low = (uint32_t)low,
                               .high = (uint32_t)high};
}

static enum plan_status pack_packet(const struct product *p, struct packer *packer, uint32_t set,
                                    unsigned row, unsigned column, struct strbuf *to)
{
    const struct product_tile *tile = tile_of(p, set);
    const struct assignment part = part_of(p, set, row, column);
    size_t bytes = SIZE_MAX;
    packer->to = to;
    packer->failed = PLAN_OK;
    to->len = 0;
    if (packer_add(packer, &part, tile->first, tile->segments, &bytes) == tile->segments)
        return PLAN_OK;
    return packer->failed ? packer->failed : plan_refuse(PLAN_UNSUPPORTED, "a packet has too many segments");
}

/* What a set's packets take: bytes of all packets of a row of clusters, entries of the longest stream, and
 * cycles of the PEs for one activation for each weight. */
struct set_load {
    uint64_t row_bytes, stream;
    double pe_cycles;
};

/* Cycles of the memory, the row buses and the PEs, whichever is most. Sets that several passes use are taken
 * to be in the storage units. */
static double set_cycles(const struct product *p, const struct set_load *l)
{
    const double port = (double)p->derived.memory_bytes * p->variant->memory_ports,
                 beats = (double)l->row_bytes * weight_rows(p) / port * plan_beat_cycles(&p->d->memory),
                 memory = p->passes > 1 ? 0 : beats,
                 bus = (double)l->stream * weight_columns(p) / p->derived.entries_per_beat,
                 pes = l->pe_cycles * product_results(p), of_array = bus > pes ? bus : pes;
    return memory > of_array ? memory : of_array;
}

/* Cycles for which packets of bytes are taken, over those of entries. Where a weight meets one activation
 * memory may be slow. Otherwise they take no longer: queues make up for segments that differ by so little. */
#define PLAIN_SLOWER_ONCE 1.06
#define PLAIN_SLOWER 1.003

/* Whether a packet of bytes reads fewer of them than that of entries, and takes no longer. */
static bool is_better(const struct product *p, const struct set_load *bytes, const struct set_load *entries)
{
    const double slower = p->passes * product_results(p) > 1 ? PLAIN_SLOWER : PLAIN_SLOWER_ONCE;
    return bytes->row_bytes < entries->row_bytes && set_cycles(p, bytes) <= slower * set_cycles(p, entries);
}

/* No place under a segment that nothing is loaded to. */
static bool side_by_side(const struct product *p)
{
    const struct plan_window *w = p->window.of;
    return !w || (w->side_y == 1 && w->side_x == 1);
}

/* Whether a plain packet of every cluster can have the weights of a segment, and a PE's queue them. */
static bool can_be_plain(const struct product *p, uint32_t span)
{
    return span >= p->derived.entries_per_beat && span <= UINT16_MAX &&
           span / p->variant->scan + 2 <= p->derived.pace_words;
}

/* Masks of the segments of bitmaps; 0: their packets cannot be bitmaps. */
static uint32_t masks_for(const struct product *p, uint32_t span)
{
    const uint32_t least = p->derived.entries_per_beat,
                   masks = math_divide_up(span, (uint32_t)VARIANT_BITMAP_PLACES),
                   some = masks > least ? masks : least;
    return some <= variant_bitmap_masks(p->variant) ? some : 0;
}

/* Of the set's packets the longest segment. */
static uint32_t span_of(const struct product *p, const struct packer *packer, uint32_t set)
{
    const struct product_tile *tile = tile_of(p, set);
    uint32_t span = 0;
    for (unsigned row = 0; row < weight_rows(p); row++)
        for (unsigned column = 0; column < weight_columns(p); column++) {
            const struct assignment part = part_of(p, set, row, column);
            const uint32_t own = packer_span(packer, &part, tile->first, tile->segments);
            span = own > span ? own : span;
        }
    return span;
}

/* Of the packet whose PEs take longest; `span` and `masks` as in packer_cycles. */
static double cycles_of_pes(const struct product *p, const struct packer *packer, uint32_t set, uint32_t span,
                            uint32_t masks)
{
    const struct product_tile *tile = tile_of(p, set);
    double most = 0;
    for (unsigned row = 0; row < weight_rows(p); row++)
        for (unsigned column = 0; column < weight_columns(p); column++) {
            const struct assignment part = part_of(p, set, row, column);
            const double cycles = packer_cycles(packer, &part, tile->first, tile->segments, span, masks,
                                                p->d->density > 0 ? p->d->density : 1);
            most = cycles > most ? cycles : most;
        }
    return most;
}

/* What packets take but for the PEs' time; `bytes` of an entry in memory, 1 or 2. */
static struct set_load load_of(const struct product *p, const struct packer *packer,
                               const struct packets *packets, unsigned bytes)
{
    const unsigned columns = weight_columns(p);
    struct set_load load = {0};
    for (unsigned c = 0; c < columns; c++) {
        uint64_t most = 0;
        for (unsigned r = 0; r < weight_rows(p); r++) {
            const size_t len = packets->text[r * columns + c].len;
            most = len > most ? len : most;
        }
        const uint64_t stream = most / packer->layout.beat_bytes * packer->layout.entries * (2 / bytes);
        load.row_bytes += most;
        load.stream = stream > load.stream ? stream : load.stream;
    }
    return load;
}

/* Packets of bytes for all clusters, bitmaps if `masks` is not 0, else plain. False: with the reason in
 * *why, or they are too long for a queue. */
static bool make_bytes(const struct product *p, struct packer *packer, uint32_t set, uint32_t span,
                       uint32_t masks, struct packets *packets, enum plan_status *why)
{
    const unsigned columns = weight_columns(p);
    const struct product_tile *tile = tile_of(p, set);
    bool ok = true;
    for (unsigned j = 0; ok && j < weight_rows(p) * columns; j++) {
        const struct assignment part = part_of(p, set, j / columns, j % columns);
        packer->to = &packets->text[j];
        packer->to->len = 0;
        packer->failed = PLAN_OK;
        ok = masks ? packer_add_bitmap(packer, &part, tile->first, tile->segments, masks)
                   : packer_add_plain(packer, &part, tile->first, tile->segments, span);
    }
    *why = packer->failed;
    return ok;
}

/* Bitmaps of all rows are equally long: zeros behind the segments are skips. */
static bool fill_up(const struct product *p, struct packets *packets)
{
    static const char zeros[WEIGHTS_BEAT_BYTES_MAX];
    const unsigned columns = weight_columns(p), count = weight_rows(p) * columns;
    bool ok = true;
    for (unsigned j = 0; j < count; j++) {
        size_t most = 0;
        for (unsigned i = j % columns; i < count; i += columns)
            most = packets->text[i].len > most ? packets->text[i].len : most;
        while (ok && packets->text[j].len < most) {
            sb_addn(&packets->text[j], zeros, p->derived.bus_bytes);
            ok = sb_ok(&packets->text[j]);
        }
    }
    return ok;
}

/* Makes the set's packets plain, or bitmaps, where those of entries, which are there, are not better. */
static enum plan_status choose_form(struct product *p, struct packer *packer, uint32_t set,
                                    struct packets *packets, struct packets *spare)
{
    struct product_set *s = &p->sets[set];
    const uint32_t segments = tile_of(p, set)->segments, span = span_of(p, packer, set),
                   masks = masks_for(p, span);
    const uint64_t all_masks = (uint64_t)masks * segments * p->variant->k * weight_columns(p);
    struct set_load entries = load_of(p, packer, packets, 2), plain = {0}, bitmap = {0};
    enum plan_status why = PLAN_OK;
    plain.stream = (uint64_t)span * segments;
    plain.row_bytes = packer_byte_beats(packer, plain.stream) * weight_columns(p);
    const bool fewer = can_be_plain(p, span) && plain.row_bytes < entries.row_bytes,
               some_masks = masks && 2 * all_masks < entries.row_bytes;
    if (!side_by_side(p) || !span || (!fewer && !some_masks))
        return PLAN_OK;
    entries.pe_cycles = cycles_of_pes(p, packer, set, 0, 0);
    if (some_masks && make_bytes(p, packer, set, span, masks, spare, &why)) {
        bitmap = load_of(p, packer, spare, 1);
        bitmap.pe_cycles = cycles_of_pes(p, packer, set, 0, masks);
        s->bitmap = is_better(p, &bitmap, &entries);
    }
    plain.pe_cycles = cycles_of_pes(p, packer, set, span, 0);
    const bool is_plain =
        fewer && is_better(p, &plain, &entries) && !(s->bitmap && bitmap.row_bytes < plain.row_bytes);
    s->bitmap = s->bitmap && !is_plain;
    s->span = s->bitmap ? masks : is_plain ? span : 0;
    if (!why && is_plain)
        make_bytes(p, packer, set, span, 0, packets, &why);
    if (!s->bitmap)
        return why;
    const struct packets was = *packets;
    *packets = *spare;
    *spare = was;
    return fill_up(p, packets) ? why : plan_no_memory();
}

static enum plan_status pack_sets(struct product *p, struct packer *packer, struct packets packets[2],
                                  struct strbuf *to)
{
    enum plan_status why = PLAN_OK;
    p->largest_set = 0;
    to->len = 0;
    free(p->sets);
    p->set_count = product_set_number(p, p->blocks, 0, 0);
    p->sets = calloc(p->set_count, sizeof *p->sets);
    if (!p->sets)
        return plan_no_memory();
    for (uint32_t i = 0; !why && i < p->set_count; i++) {
        unsigned columns = weight_columns(p);
        for (unsigned j = 0; !why && j < weight_rows(p) * columns; j++)
            why = pack_packet(p, packer, i, j / columns, j % columns, &packets->text[j]);
        if (!why && p->variant->plain_weights)
            why = choose_form(p, packer, i, &packets[0], &packets[1]);
        p->sets[i].offset = to->len;
        if (!why && !packer_join(packer, packets->text, weight_rows(p), columns, p->sets[i].bytes, to))
            why = plan_no_memory();
        for (unsigned c = 0; c < columns; c++)
            p->sets[i].row_bytes += p->sets[i].bytes[c];
        p->largest_set = p->sets[i].row_bytes > p->largest_set ? p->sets[i].row_bytes : p->largest_set;
    }
    return why;
}

static enum plan_status pack(struct product *p, struct strbuf *to)
{
    struct packer packer;
    struct packets *packets = calloc(2, sizeof *packets);
    enum plan_status why = plan_no_memory();
    if (packets && packer_begin(&packer, p->variant, p->weights, to)) {
        why = pack_sets(p, &packer, packets, to);
        packer_end(&packer);
    }
    for (unsigned i = 0; packets && i < PRODUCT_CLUSTERS_MAX * PRODUCT_CLUSTERS_MAX; i++) {
        sb_free(&packets[0].text[i]);
        sb_free(&packets[1].text[i]);
    }
    free(packets);
    return why;
}

/* ---- storage units --------------------------------------------------------------------------- */

/* Packets turn out longer than they were taken for where PEs have unequal shares. */
static bool all_flow(const struct product *p)
{
    bool ok = true;
    for (uint32_t i = 0; ok && weight_columns(p) > 1 && i < p->set_count; i++)
        for (unsigned c = 0; ok && c < weight_columns(p); c++)
            ok = step_packet_fits_alone(p->variant, &p->derived, tile_of(p, i)->segments, product_results(p),
                                        (uint64_t)p->sets[i].bytes[c] << (p->sets[i].span != 0));
    return ok;
}

/* Bytes of a step's activations for one cluster: scattered ones are of all its PEs. */
static uint32_t input_bytes(const struct product *p)
{
    return p->input_words * p->data_bytes * (product_scatters(p) ? p->variant->k : 1);
}

/* Where things are; false when the units do not hold them. */
static bool lay_out(struct product *p)
{
    const struct variant *v = p->variant;
    uint32_t beat = p->derived.bus_bytes, input_tiles = product_input_columns(p);
    uint64_t total = 0;
    p->input_at = PRODUCT_BUFFERS / 2 * (step_config_bytes(1) + step_config_bytes(1 + 2 * p->held));
    p->input_tile = math_round_up(input_bytes(p), beat);
    p->input_half = input_tiles * p->input_tile;
    p->weights_at = p->input_at + 2 * p->input_half;
    if (p->weights_at >= v->unit_bytes)
        return false;
    uint32_t room = v->unit_bytes - p->weights_at;
    for (uint32_t i = 0; i < p->set_count; i++)
        total += p->sets[i].row_bytes;
    p->resident = total <= room;
    p->slots = p->resident ? PRODUCT_SLOTS : room / p->largest_set;
    p->slots = p->slots > PRODUCT_SLOTS ? PRODUCT_SLOTS : p->slots;
    uint32_t at = p->weights_at;
    for (uint32_t i = 0; p->resident && i < p->set_count; at += p->sets[i++].row_bytes)
        p->sets[i].unit = at;
    return p->slots > PRODUCT_AHEAD;
}

/* ---- a plan of some block and packet size ---------------------------------------------------- */

/* Most segments of a tile: sums of several k steps stay in the output queues. */
static uint32_t tile_limit(const struct product *p)
{
    return p->ring ? 65535 / p->lines : p->variant->output_queue_depth / product_results(p);
}

static enum plan_status cut_and_pack(struct product *p, uint32_t bytes, struct strbuf *to)
{
    enum plan_status why = cut_tiles(p, bytes, tile_limit(p));
    if (!why)
        why = pack(p, to);
    if (why || (all_flow(p) && lay_out(p)))
        return why;
    return plan_refuse(PLAN_SMALL_UNITS, "the storage unit is too small");
}

/* Input-stationary with several k steps keeps its sums on chip when a tile is all columns. */
static enum plan_status cut(struct product *p, const struct plan_choice *choice, struct strbuf *to)
{
    bool one_tile = p->segments <= p->variant->output_queue_depth / product_results(p);
    choose_sums(p, one_tile ? 1 : 2);
    uint32_t bytes = choice->packet_bytes ? choice->packet_bytes
                     : p->ring            ? PACKET_BYTES
                                          : PACKET_BYTES_BLOCKS;
    if (p->mapping == PLAN_INPUT_STATIONARY && !p->ring) {
        enum plan_status why = cut_and_pack(p, UINT32_MAX / 16, to);
        if (why != PLAN_SMALL_UNITS && p->tile_count == 1)
            return why;
        choose_sums(p, 2);
        bytes = choice->packet_bytes ? choice->packet_bytes : PACKET_BYTES;
    }
    for (;; bytes /= 2) {
        enum plan_status why = cut_and_pack(p, bytes, to);
        if (why != PLAN_SMALL_UNITS || bytes < p->derived.bus_bytes)
            return why;
    }
}

/* A k block for at least that many steps; *least: there are no smaller ones. */
static enum plan_status choose_steps(struct product *p, const struct plan_choice *choice, uint32_t steps,
                                     bool *least)
{
    enum plan_status why =
        p->window.of ? window_choose_block(p, choice, steps) : choose_block(p, choice->block, steps);
    *least = p->window.of ? p->window.block_channels <= p->window.unit : p->block <= lowest_block(p);
    return why;
}

static enum plan_status cut_blocks(struct product *p, const struct plan_choice *choice, struct strbuf *to)
{
    uint32_t steps = product_has_own_results(p) ? 1 : steps_for_queue(p), more;
    for (;; steps = more) {
        bool least;
        enum plan_status why = choose_steps(p, choice, steps ? steps : 1, &least);
        if (!why)
            why = cut(p, choice, to);
        bool again = why == PLAN_LONG_SEGMENT || why == PLAN_SMALL_UNITS;
        if (!again || choice->block || least)
            return why;
        /* Every try packs anew, and blocks are rounded: a quarter more, not one. */
        const uint32_t now = p->k_steps * p->blocks;
        more = (steps > now ? steps : now) + 1 + now / 4;
    }
}

/* ---- dealing --------------------------------------------------------------------------------- */

struct row {
    uint32_t length, number;
};

static int by_length(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static void copy_rows(const struct sparse *from, const struct row *rows, struct sparse *to, uint32_t *place)
{
    for (uint32_t r = 0; r < from->rows; r++) {
        const struct row *row = &rows[r];
        uint32_t at = to->start[r];
        if (row->length) {
            memcpy(to->column + at, from->column + from->start[row->number],
                   row->length * sizeof *to->column);
            memcpy(to->value + at, from->value + from->start[row->number], row->length * sizeof *to->value);
        }
        to->start[r + 1] = at + row->length;
        place[row->number] = r;
    }
}

/* Rows in the order of their lengths: those of a segment, one of each PE, are then nearly as long. */
static bool deal_rows(const struct sparse *from, struct sparse *to, uint32_t **place)
{
    const size_t entries = from->start[from->rows];
    struct row *rows = malloc(((size_t)from->rows + 1) * sizeof *rows);
    *to = (struct sparse){.rows = from->rows, .columns = from->columns};
    *place = malloc(((size_t)from->rows + 1) * sizeof **place);
    to->start = calloc((size_t)from->rows + 1, sizeof *to->start);
    to->column = malloc((entries + 1) * sizeof *to->column);
    to->value = malloc((entries + 1) * sizeof *to->value);
    bool ok = rows && *place && to->start && to->column && to->value;
    for (uint32_t r = 0; ok && r < from->rows; r++)
        rows[r] = (struct row){.length = from->start[r + 1] - from->start[r], .number = r};
    if (ok) {
        qsort(rows, from->rows, sizeof *rows, by_length);
        copy_rows(from, rows, to, *place);
    }
    free(rows);
    return ok;
}

/* ---- the whole plan -------------------------------------------------------------------------- */

static enum plan_status check(const struct product *p)
{
    const struct plan_description *d = p->d;
    const struct variant *v = p->variant;
    if (!d->m || !d->weights->rows || !d->weights->columns)
        return plan_refuse(PLAN_INVALID, "nothing to do");
    if (p->split.rows >= PLAN_AXES || p->split.columns >= PLAN_AXES || p->mapping >= PLAN_MAPPINGS ||
        d->element > 3)
        return plan_refuse(PLAN_INVALID, "no such split, mapping or element");
    if (v->tokens < TOKENS_USED || v->instruction_buffers < PRODUCT_BUFFERS || v->instruction_depth < 3)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "the variant has fewer tokens or instruction buffers than a plan needs");
    if (d->join.join && (!v->joins || !d->channels.has_scale || !d->channels.has_limits))
        return plan_refuse(PLAN_UNSUPPORTED, v->joins ? "a join needs scale and limits of the channels"
                                                      : "the variant has no joins");
    if (d->to && (p->deals || (d->partial && p->window.of)))
        return plan_refuse(PLAN_UNSUPPORTED, "results that operators on the device read are in their order, "
                                             "and do not begin with sums from memory");
    if (product_joins_frame(p) && (!p->window.of || product_scatters(p) || d->join.element != d->element))
        return plan_refuse(PLAN_UNSUPPORTED,
                           "only results of convolutions are joined in a frame, with a second "
                           "operand of as many bytes");
    if (d->weights->columns > UINT32_MAX / 64 || d->weights->rows > UINT32_MAX / 64 || d->m > UINT32_MAX / 64)
        return plan_refuse(PLAN_UNSUPPORTED, "too large");
    return d->operator== PLAN_CONVOLUTION ? window_check(p) : PLAN_OK;
}

/* Channels of a pixel: whole groups of K, for joins, and of what loads can begin at. */
static uint32_t frame_unit(const struct product *p)
{
    const uint32_t k = p->variant->k, granule = p->element_bytes < 8 ? 8 / p->element_bytes : 1;
    return k % granule == 0 ? k : granule % k == 0 ? granule : k * granule;
}

/* Where results lie for operators that read them on the device. */
static void set_places(struct product *p, struct plan *plan)
{
    const struct plan_frame *f = p->d->to;
    if (!f)
        return;
    const uint64_t pixels = (uint64_t)f->height * f->width;
    const uint32_t row = p->output_pitch / p->element_bytes,
                   room = math_round_up(f->channels > row ? f->channels : row, frame_unit(p)),
                   group = f->planes ? p->variant->k : room;
    p->to = (struct plan_places){.group = group,
                                 .pixel = (uint64_t)group * p->element_bytes,
                                 .line = (uint64_t)f->width * group * p->element_bytes,
                                 .plane = pixels * group * p->element_bytes,
                                 .image = pixels * room * p->element_bytes};
    p->to.first = f->top * p->to.line + f->left * p->to.pixel;
    if (p->window.of) {
        plan->output_bytes = p->d->m * p->to.image;
        return;
    }
    plan->output_bytes = plan->output_bytes / p->output_pitch * p->to.image;
    p->output_pitch = plan->output_pitch = (uint32_t)p->to.image;
}

static enum plan_status list_tiles(const struct product *p, struct plan_layout *l)
{
    l->tiles = calloc((size_t)p->tile_count + 1, sizeof *l->tiles);
    for (uint32_t t = 0; l->tiles && t < p->tile_count; t++)
        l->tiles[t + 1] = p->tiles[t].first + p->tiles[t].segments;
    l->tile_count = p->tile_count;
    return l->tiles ? PLAN_OK : plan_no_memory();
}

static enum plan_status fill_layout(struct product *p, struct plan *plan)
{
    struct plan_layout *l = &plan->layout;
    const uint64_t rows = (uint64_t)product_block_passes(p) * product_results(p) * p->parts[PLAN_M],
                   groups = (uint64_t)p->blocks * p->segments * p->parts[PLAN_N],
                   output = groups * p->variant->k * p->element_bytes;
    uint64_t inputs = rows, outputs = rows,
             pitch = (uint64_t)p->k_steps * p->parts[PLAN_K] * p->block * p->data_bytes;
    if (p->window.of) {
        inputs = p->d->m;
        outputs = p->natural ? window_results(p) : rows;
        pitch = window_image_bytes(p);
    }
    const struct plan_places *from = p->d->from;
    const uint64_t row = pitch; /* or image: up to its last number that is read */
    pitch = from ? from->image : pitch;
    if (pitch * p->parts[PLAN_M] > INT32_MAX || output > INT32_MAX ||
        rows * groups * p->variant->k * 8 > UINT32_MAX)
        return plan_refuse(PLAN_UNSUPPORTED, "too large: a pattern of memory has 31 bits");
    p->input_pitch = (uint32_t)pitch;
    p->output_pitch = plan->output_pitch = (uint32_t)output;
    plan->input_bytes = (inputs - 1) * pitch + row + (from && !p->window.of ? from->first : 0);
    plan->output_bytes = outputs * output;
    set_places(p, plan);
    if (product_joins_frame(p) && !p->on_chip)
        return plan_refuse(PLAN_UNSUPPORTED, "sums that go to memory are not joined in a frame");
    plan->partial_bytes = p->d->partial ? rows * groups * p->variant->k * p->partial_bytes : 0;
    plan->operand_bytes = product_joins_frame(p) ? plan->output_bytes
                          : p->d->join.join      ? rows * groups * p->variant->k << p->d->join.element
                                                 : 0;
    uint64_t spilled =
        (p->mapping == PLAN_WEIGHT_STATIONARY ? rows : (uint64_t)product_results(p) * p->parts[PLAN_M]) *
        groups * p->variant->k * p->partial_bytes;
    plan->scratch_bytes = p->on_chip ? 0 : spilled;
    *l = (struct plan_layout){.input_pitch = p->input_pitch,
                              .data_bytes = p->data_bytes,
                              .element_bytes = p->element_bytes,
                              .partial_bytes = p->partial_bytes,
                              .operand_bytes = 1u << p->d->join.element,
                              .pes = p->variant->k,
                              .held = p->held,
                              .m_parts = p->parts[PLAN_M],
                              .n_parts = p->parts[PLAN_N],
                              .n_first = p->split.rows == PLAN_N && p->split.columns == PLAN_M,
                              .segments = p->segments,
                              .passes = p->passes,
                              .from = from ? *from : (struct plan_places){0},
                              .to = p->to};
    if (p->window.of)
        window_images(p, &l->window);
    return p->mapping == PLAN_WEIGHT_STATIONARY ? list_tiles(p, l) : PLAN_OK;
}

static uint32_t byte_sets(const struct product *p, bool bitmap)
{
    uint32_t sets = 0;
    for (uint32_t i = 0; i < p->set_count; i++)
        sets += p->sets[i].span && p->sets[i].bitmap == bitmap;
    return sets;
}

static void summarise(const struct product *p, struct plan *plan)
{
    plan->summary = (struct plan_summary){.mapping = p->mapping,
                                          .split = p->split,
                                          .rows_held = p->held,
                                          .passes = p->passes,
                                          .tiles = p->tile_count,
                                          .k_steps = p->k_steps,
                                          .block = p->block,
                                          .largest_packet = p->largest_set,
                                          .lines = p->lines,
                                          .spills = !p->on_chip,
                                          .weights_stay = p->resident,
                                          .sets = p->set_count,
                                          .plain = byte_sets(p, false),
                                          .bitmaps = byte_sets(p, true)};
}

/* Configurations share a cluster's register file: those of loads, and of MACs that begin sums and that go on
 * with them, for each half of the input buffers. */
static bool configurations_fit(const struct product *p)
{
    const uint32_t kinds = p->on_chip && p->k_steps > 1 ? 2 : 1, halves = p->passes * p->k_steps > 1 ? 2 : 1;
    return kinds * halves * (1 + variant_register_pages(p->variant, 1 + 2 * p->held)) <=
           variant_register_pages(p->variant, p->variant->register_file_entries);
}

/* With fewer rows held while the configurations are too many. */
static enum plan_status cut_to_fit(struct product *p, const struct plan_choice *choice, struct strbuf *to)
{
    for (;; p->held_most = p->held - 1) {
        enum plan_status why =
            p->window.of ? window_choose_tile(p, choice) : choose_held(p, choice->rows_held);
        why = why ? why : cut_blocks(p, choice, to);
        if (why || configurations_fit(p))
            return why;
        if (choice->rows_held || p->held == 1)
            return plan_refuse(PLAN_UNSUPPORTED,
                               "the configurations do not fit the clusters' register files");
    }
}

enum plan_status product_begin(struct product *p, const struct plan_description *d,
                               const struct plan_choice *choice)
{
    const struct variant *v = d->variant;
    *p = (struct product){.d = d,
                          .rows = d->weights,
                          .weights = d->weights,
                          .window.of = d->operator== PLAN_CONVOLUTION ? d->window : NULL,
                          .variant = v,
                          .mapping = choice->mapping,
                          .split = choice->split,
                          .held_most = PRODUCT_HELD_MAX,
                          .deals = choice->deals,
                          .natural = choice->natural || d->to,
                          .k = d->weights->columns,
                          .n = d->weights->rows,
                          .data_bytes = v->data_width / 8,
                          .element_bytes = 1u << (d->element & 3),
                          .partial_bytes = v->acc_width <= 32 ? 4 : 8};
    variant_derive(v, &p->derived);
    enum plan_status why = check(p);
    if (!why) {
        set_parts(p);
        p->segments = math_divide_up(p->n, p->parts[PLAN_N] * v->k);
    }
    return why;
}

static uint64_t bytes_of_sets(const struct product *p)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < p->set_count; i++)
        bytes += p->sets[i].row_bytes;
    return bytes;
}

/* Multiplications of a PE in a pass. */
static double pass_macs(const struct product *p)
{
    const double entries = p->rows->start[p->rows->rows];
    return entries * product_results(p) * p->parts[PLAN_M] / p->blocks / p->derived.pes;
}

/* Passes of a block in a part: two and four, one and two of long ones, and more of short ones, whose time is
 * that of a queue which is only full after a while. Where a step has weights for all passes at once, their
 * loads must not hide what the passes take. */
static uint32_t part_passes(const struct product *p, unsigned i)
{
    const uint32_t all = product_block_passes(p);
    const double pass = pass_macs(p) > 1 ? pass_macs(p) : 1,
                 loads = p->mapping == PLAN_WEIGHT_STATIONARY
                             ? (double)bytes_of_sets(p) * weight_rows(p) / p->blocks / p->derived.memory_bytes
                             : 0,
                 wanted = (PART_LOADS * loads > PART_CYCLES ? PART_LOADS * loads : PART_CYCLES) / pass;
    const uint32_t least = pass >= PART_LONG ? 1 : 2, first = wanted < least ? least
                                                              : wanted < all ? (uint32_t)wanted
                                                                             : all;
    return i ? 2 * first : first;
}

/* An operator that is a part of another one, and its share of the work and of the multiplications; 1: it does
 * not stand for the whole. */
struct part {
    struct product of;
    bool own; /* its tiles and sets */
    double share, macs;
};

/* Some passes of each block: an operator of fewer rows with the same weights. Of an image they are the middle
 * ones, as tiles at the borders have fewer multiplications. */
static void take_passes(const struct product *p, unsigned i, struct part *part)
{
    const uint32_t passes = part_passes(p, i);
    struct product *of = &part->of;
    *of = *p;
    of->passes = passes * p->blocks;
    if (p->window.of && of->passes < p->passes)
        of->window.skipped = (product_block_passes(p) - passes) / 2;
    part->macs = part->share = (double)of->passes / p->passes;
    if (p->window.of && of->passes < p->passes)
        part->macs = window_work(of, passes) / window_work(p, product_block_passes(p));
}

/* How many tiles a part has. Where a pass has activations for all tiles at once, their loads must not hide
 * what the tiles take. */
static uint32_t part_tiles(const struct product *p, unsigned i)
{
    static const uint32_t some[2][PLAN_PARTS] = {{2, 5}, {1, 2}};
    const double tile = pass_macs(p) / p->tile_count;
    if (p->mapping != PLAN_INPUT_STATIONARY)
        return some[tile * p->passes >= PART_LONG][i];
    const double load = (double)p->input_half * p->k_steps * product_input_rows(p) / p->derived.memory_bytes,
                 wanted = PART_LOADS * load / (tile > 1 ? tile : 1);
    const uint32_t least = wanted < some[0][0]      ? some[0][0]
                           : wanted < p->tile_count ? (uint32_t)wanted
                                                    : p->tile_count;
    return i ? least + least * (some[0][1] - some[0][0]) / some[0][0] : least;
}

/* The place of one of `some` among `all`, at equal distances. */
static uint32_t spaced(uint32_t i, uint32_t some, uint32_t all)
{
    return (uint32_t)((2 * (uint64_t)i + 1) * all / (2 * (uint64_t)some));
}

/* Tiles from all over the result: an operator of fewer results of each row. The first ones would not do: rows
 * that are dealt come in the order of their weights. The larger part has the tiles of the smaller one, so
 * that their difference is what the others take. */
static bool take_tiles(const struct product *p, unsigned i, struct part *part)
{
    const uint32_t tiles = part_tiles(p, i), most = part_tiles(p, PLAN_PARTS - 1), sets = p->k_steps;
    struct product *of = &part->of;
    *of = *p;
    part->own = false;
    part->share = part->macs = 1;
    if (p->blocks > 1 || p->tile_count <= tiles)
        return true;
    part->own = true;
    of->tiles = calloc(tiles, sizeof *of->tiles);
    of->sets = calloc((size_t)tiles * sets, sizeof *of->sets);
    if (!of->tiles || !of->sets)
        return false;
    of->tile_count = tiles;
    of->set_count = tiles * sets;
    of->segments = 0;
    for (uint32_t t = 0; t < tiles; t++) {
        const uint32_t from = spaced(spaced(t, tiles, most), most, p->tile_count);
        of->tiles[t] = (struct product_tile){.first = of->segments, .segments = p->tiles[from].segments};
        of->segments += of->tiles[t].segments;
        memcpy(&of->sets[t * sets], &p->sets[from * sets], sets * sizeof *of->sets);
    }
    const double bytes = (double)bytes_of_sets(of) / (double)bytes_of_sets(p),
                 results = (double)of->segments / p->segments;
    if (bytes < PART_UNLIKE * results && results < PART_UNLIKE * bytes)
        part->share = part->macs = bytes;
    return true;
}

static void free_tiles(struct part *part)
{
    if (!part->own)
        return;
    free(part->of.tiles);
    free(part->of.sets);
}

/* Of passes or tiles, whichever are less work. */
static enum plan_status write_parts(const struct product *p, struct plan *plan)
{
    struct part passes[PLAN_PARTS], tiles[PLAN_PARTS];
    double all[2] = {0};
    enum plan_status why = PLAN_OK;
    for (unsigned i = 0; i < PLAN_PARTS; i++) {
        take_passes(p, i, &passes[i]);
        why = take_tiles(p, i, &tiles[i]) && !why ? PLAN_OK : plan_no_memory();
        all[0] += passes[i].share;
        all[1] += tiles[i].share;
    }
    struct part *less = all[1] < all[0] ? tiles : passes;
    for (unsigned i = 0; !why && i < PLAN_PARTS && all[less == tiles] <= PART_MOST; i++) {
        struct plan of = {0};
        why = product_write(&less[i].of, &of);
        plan->part[i].program = of.program;
        plan->part[i].share = less[i].share;
        plan->part[i].macs = less[i].macs;
    }
    for (unsigned i = 0; i < PLAN_PARTS; i++)
        free_tiles(&tiles[i]);
    return why;
}

enum plan_status plan_product(const struct plan_description *d, const struct plan_choice *choice,
                              struct plan *plan)
{
    struct sparse dealt = {0};
    uint32_t *place = NULL;
    struct product p;
    enum plan_status why = product_begin(&p, d, choice);
    if (!why && choice->deals) {
        p.rows = p.weights = &dealt;
        why = deal_rows(d->weights, &dealt, &place) ? PLAN_OK : plan_no_memory();
    }
    why = why ? why : cut_to_fit(&p, choice, &plan->weights);
    why = why ? why : fill_layout(&p, plan);
    why = why ? why
              : channels_pack(d, &plan->layout, place, p.segments * p.parts[PLAN_N] * p.blocks,
                              &plan->weights, &p.channels);
    if (!why && d->parts)
        why = write_parts(&p, plan);
    if (!why && plan->part[0].share <= 0)
        why = product_write(&p, plan);
    if (!why)
        summarise(&p, plan);
    plan->layout.place = place;
    plan->summary.deals = choice->deals;
    sparse_free(&dealt);
    sparse_free(&p.window.placed);
    free(p.tiles);
    free(p.sets);
    return why;
}

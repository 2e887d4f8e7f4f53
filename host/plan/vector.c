/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/vector.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define PACKET_BYTES 1024 /* of weights for a cluster, unless the choice says otherwise */
#define FIRST_BYTES 512   /* of the first tile's, so that PEs begin early; twice as much with each tile */
#define PAGES_MOST                                                                           \
    16 /* times that pages may have the values of the operands: no plan that is worth a look \
        */
#define SEGMENT_STEPS 3 /* instructions of a segment */
#define PART_LEAST 64   /* shorter rows are not cut into parts */

static bool append(struct vector_list *list, const void *item, size_t bytes)
{
    sb_addn(&list->text, item, bytes);
    return sb_ok(&list->text);
}

/* ---- x --------------------------------------------------------------------------------------- */

static bool find_columns(struct vector *a)
{
    const struct sparse *m = a->matrix;
    a->compact = malloc(((size_t)m->columns + 1) * sizeof *a->compact);
    a->column = calloc((size_t)m->columns + 1, sizeof *a->column);
    a->where = malloc(((size_t)m->columns + 1) * sizeof *a->where);
    if (!a->compact || !a->column || !a->where)
        return false;
    memset(a->compact, 0xff, ((size_t)m->columns + 1) * sizeof *a->compact);
    for (uint32_t e = 0; e < m->start[m->rows]; e++)
        a->compact[m->column[e]] = 0;
    for (uint32_t c = 0; c < m->columns; c++)
        if (a->compact[c] != NONE) {
            a->column[a->columns] = c;
            a->compact[c] = a->columns++;
        }
    a->pages = math_divide_up(a->columns, VECTOR_PAGE);
    a->stays = calloc(a->pages + 1, sizeof *a->stays);
    return a->stays;
}

bool vector_stay_pages(struct vector *a)
{
    bool *stays = realloc(a->stays, (a->pages + 1) * sizeof *stays);
    if (!stays)
        return false;
    a->stays = stays;
    a->stay = a->pages;
    a->halves =
        a->vectors > 1 && 2 * (uint64_t)a->pages * VECTOR_PAGE <= a->variant->input_buffer_depth ? 2 : 1;
    for (uint32_t p = 0; p < a->pages; p++)
        a->stays[p] = true;
    return true;
}

static bool stay_all(struct vector *a)
{
    if (!vector_order(a) || !vector_stay_pages(a))
        return false;
    memcpy(a->where, a->compact, a->matrix->columns * sizeof *a->where);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int by_cost(const void *a, const void *b)
{
    const struct vector_part *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static uint32_t row_length(const struct sparse *m, uint32_t row)
{
    return m->start[row + 1] - m->start[row];
}

static int descending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

uint32_t vector_longest_part(const struct vector *a)
{
    const struct sparse *m = a->matrix;
    uint32_t *length = malloc(((size_t)m->rows + 1) * sizeof *length), most = a->variant->segment_max;
    most = most < a->variant->weight_queue_depth / 2 ? most : a->variant->weight_queue_depth / 2;
    most = most > 16 ? most - most / 8 : most; /* jumps take places, too */
    if (!length)
        return most;
    for (uint32_t r = 0; r < m->rows; r++)
        length[r] = row_length(m, r);
    qsort(length, m->rows, sizeof *length, descending);
    uint32_t usual = m->rows > a->lanes ? length[a->lanes] : 0;
    free(length);
    usual = usual > PART_LEAST ? usual : PART_LEAST;
    return usual < most ? usual : most;
}

bool vector_add_parts(struct vector *a, uint32_t row, uint32_t start, uint32_t length, uint32_t longest)
{
    uint32_t parts = length ? math_divide_up(length, longest) : 1, done = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < parts; i++) {
        uint32_t end = (uint32_t)((uint64_t)length * (i + 1) / parts);
        ok = append(&a->parts, &(struct vector_part){.row = row, .start = start + done, .length = end - done},
                    sizeof(struct vector_part));
        done = end;
    }
    return ok;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Where a part's result goes; the first of a row is the row's. */
static bool place_result(struct vector *a, uint32_t row, uint64_t place)
{
    if (place >= NONE)
        return false;
    if (a->place[row] == NONE) {
        a->place[row] = (uint32_t)place;
        return true;
    }
    return append(&a->more, (const uint32_t[]){row, (uint32_t)place}, 2 * sizeof(uint32_t));
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool vector_has_result(const struct vector *a, uint32_t row)
{
    return a->matrix->start[row] < a->matrix->start[row + 1] || channels_any(&a->d->channels);
}

/* Deals the parts of a segment, longest first, to the PEs that have least. `load`: what each PE has, and
 * which it is in the lower half. */
static bool deal_segment(struct vector *a, const struct vector_part *part, uint32_t count, uint64_t segment,
                         uint64_t *load, struct cell *cells)
{
    bool ok = true;
    qsort(load, a->lanes, sizeof *load, by_number);
    for (uint32_t i = 0; ok && i < a->lanes; i++) {
        uint32_t lane = (uint32_t)load[i];
        load[i] += (uint64_t)(i < count ? part[i].cost : 1) << 32;
        if (i < count) {
            cells[lane] = (struct cell){part[i].start, part[i].length};
            ok = place_result(a, part[i].row, segment * a->lanes + lane);
        }
    }
    return ok;
}

/* Cells of a tile: parts first .. first + count - 1. NULL: out of memory. */
static struct cell *deal(struct vector *a, uint32_t first, uint32_t count, uint32_t segments)
{
    const struct vector_part *part = VECTOR_AT(a->parts, struct vector_part) + first;
    struct cell *cells = calloc((size_t)segments * a->lanes + 1, sizeof *cells);
    uint64_t *load = calloc(a->lanes, sizeof *load);
    bool ok = cells && load;
    for (uint32_t i = 0; ok && i < a->lanes; i++)
        load[i] = i;
    for (uint32_t s = 0; ok && s < segments; s++) {
        uint32_t done = s * a->lanes, left = count - done < a->lanes ? count - done : a->lanes;
        ok = deal_segment(a, part + done, left, a->segments + s, load, cells + done);
    }
    free(load);
    if (ok)
        return cells;
    free(cells);
    return NULL;
}

static enum plan_status pack_tile(struct vector *a, struct packer *packer, struct vector_tile *tile,
                                  const struct cell *cells, struct strbuf *to)
{
    struct strbuf packets[VECTOR_CLUSTERS_MAX * VECTOR_CLUSTERS_MAX] = {0};
    const unsigned count = a->variant->n * a->variant->m;
    const struct cell_places places = {.place = a->where,
                                       .base = a->step ? vector_step_base(a, tile->first)
                                                       : vector_base(a, tile->group),
                                       .wrap = vector_wrap(a),
                                       .segments = a->step_segments,
                                       .step = a->step};
    enum plan_status why = PLAN_OK;
    for (unsigned q = 0; !why && q < count; q++) {
        packer->to = &packets[q];
        packer->failed = plan_no_memory();
        if (!packer_add_cells(packer, cells + (size_t)q * a->variant->k, a->lanes, tile->segments, &places))
            why = packer->failed;
    }
    tile->offset = to->len;
    if (!why && !packer_join(packer, packets, a->variant->n, a->variant->m, tile->bytes, to))
        why = plan_no_memory();
    for (unsigned c = 0; c < a->variant->m; c++)
        tile->row_bytes += tile->bytes[c];
    for (unsigned c = 0; !why && a->variant->m > 1 && c < a->variant->m; c++)
        if (!step_packet_fits_alone(a->variant, &a->derived, tile->segments, 1, tile->bytes[c]))
            why = plan_refuse(PLAN_LONG_SEGMENT, "packets do not fit the queues of a cluster");
    a->largest_set = tile->row_bytes > a->largest_set ? tile->row_bytes : a->largest_set;
    for (unsigned q = 0; q < count; q++)
        sb_free(&packets[q]);
    return why;
}

/* Pages that stay up to the last one that the tile or those before it read. */
static uint32_t pages_read(const struct vector *a, const struct cell *cells, uint32_t first,
                           uint32_t segments)
{
    const uint32_t tiles = VECTOR_COUNT(a->tiles, struct vector_tile);
    uint32_t pages = tiles ? VECTOR_AT(a->tiles, struct vector_tile)[tiles - 1].pages : 0;
    if (a->gather == PLAN_GATHER_PAGES || a->vectors > 1)
        return a->stay;
    for (uint32_t i = 0; i < segments * a->lanes; i++)
        for (uint32_t e = cells[i].start; e < cells[i].start + cells[i].length; e++) {
            const uint32_t place = a->where[a->matrix->column[e]],
                           at = place & PACK_AT_BASE
                                    ? vector_step_base(a, first + i / a->lanes) + (place & ~PACK_AT_BASE)
                                    : place;
            pages = at / VECTOR_PAGE >= pages ? at / VECTOR_PAGE + 1 : pages;
        }
    return pages;
}

/* A tile of parts first .. first + count - 1. */
static enum plan_status add_tile(struct vector *a, struct packer *packer, uint32_t first, uint32_t count,
                                 struct vector_tile tile, struct strbuf *to)
{
    tile.first = (uint32_t)a->segments;
    tile.segments = math_divide_up(count, a->lanes);
    struct cell *cells = deal(a, first, count, tile.segments);
    enum plan_status why = cells ? pack_tile(a, packer, &tile, cells, to) : plan_no_memory();
    if (cells)
        tile.pages = pages_read(a, cells, tile.first, tile.segments);
    free(cells);
    a->segments += tile.segments;
    if (!why && !append(&a->tiles, &tile, sizeof tile))
        why = plan_no_memory();
    return why;
}

static uint32_t segments_of_tile(const struct vector *a)
{
    return step_segments_on_the_way_out(a->variant, 1) + a->derived.segment_queue_depth / 2;
}

/* Entries that a tile should have. */
static uint64_t tile_entries(const struct vector *a)
{
    uint32_t tile = VECTOR_COUNT(a->tiles, struct vector_tile);
    uint64_t most = (uint64_t)a->variant->weight_queue_depth / 3 * a->variant->k * a->derived.entry_bits / 8;
    uint64_t bytes = a->packet_bytes < most ? a->packet_bytes : most; /* step_packet_fits_alone */
    if (tile < 8 && (uint64_t)FIRST_BYTES << tile < bytes)
        bytes = (uint64_t)FIRST_BYTES << tile;
    return bytes * 8 / a->derived.entry_bits * a->variant->n * a->variant->m;
}

/* Entries of the streams: weights and the jumps between them, where columns are now. */
static bool find_costs(struct vector *a, struct vector_part *part, uint32_t count, uint32_t base)
{
    uint32_t *at = malloc(((size_t)a->matrix->columns + 1) * sizeof *at);
    for (uint32_t i = 0; at && i < count; i++) {
        for (uint32_t e = 0; e < part[i].length; e++) {
            at[e] = packer_position(a->where[a->matrix->column[part[i].start + e]], base, vector_wrap(a));
        }
        part[i].cost = vector_cost_of(a, at, part[i].length, a->ordered);
    }
    free(at);
    return at;
}

enum plan_status vector_limit_pages(const struct vector *a, uint64_t brought)
{
    const uint64_t operands = 2 * (uint64_t)a->matrix->start[a->matrix->rows] + a->columns;
    return brought * VECTOR_PAGE > PAGES_MOST * operands
               ? plan_refuse(PLAN_UNSUPPORTED, "pages of x would come too often")
               : PLAN_OK;
}

/* Parts of a tile, and the cycles that its weights and its instructions and results take. */
struct tile_size {
    uint32_t parts;
    uint64_t bus, results;
};

/* The next tile, of the longest parts that are left or of the shortest. */
static struct tile_size size_tile(const struct vector *a, const struct vector_part *part, uint32_t count,
                                  bool shortest, uint32_t segments)
{
    const uint64_t most = tile_entries(a), groups = a->variant->n * a->variant->m;
    uint64_t entries = 0;
    uint32_t taken = 0;
    for (; taken < count && (!taken || entries < most || taken % a->lanes); taken++) {
        if (taken / a->lanes == segments)
            break;
        entries += part[shortest ? count - 1 - taken : taken].cost;
    }
    return (struct tile_size){
        taken, entries * a->derived.entry_bits / (8 * a->variant->n * a->derived.bus_bytes),
        math_divide_up(taken, a->lanes) * (groups > SEGMENT_STEPS ? groups : SEGMENT_STEPS)};
}

/* Long parts first, so that the last PEs end together. Tiles of short parts, which wait for instructions and
 * results, go between them, where those wait for weights. */
enum plan_status vector_add_group(struct vector *a, struct packer *packer, uint32_t pages, struct strbuf *to)
{
    struct vector_part *part = VECTOR_AT(a->parts, struct vector_part);
    const uint32_t count = VECTOR_COUNT(a->parts, struct vector_part), limit = segments_of_tile(a),
                   index = VECTOR_COUNT(a->groups, struct vector_group);
    const struct vector_group *last = index ? VECTOR_AT(a->groups, struct vector_group) + index - 1 : NULL;
    struct vector_group group = {.first = VECTOR_COUNT(a->tiles, struct vector_tile),
                                 .first_page = VECTOR_COUNT(a->brought, uint32_t) - pages,
                                 .pages = pages,
                                 .input = last ? last->input + (last->pages > 0) : 0};
    enum plan_status why = PLAN_OK;
    if (!find_costs(a, part, count, vector_base(a, index)))
        return plan_no_memory();
    if (count)
        qsort(part, count, sizeof *part, by_cost);
    uint64_t bus = 0, results = 0;
    for (uint32_t first = 0, end = count; !why && first < end; group.tiles++) {
        struct tile_size size = size_tile(a, part + first, end - first, true, limit);
        const bool shortest = size.results > size.bus && results <= bus;
        if (!shortest)
            size = size_tile(a, part + first, end - first, false, limit);
        end -= shortest ? size.parts : 0;
        why =
            add_tile(a, packer, shortest ? end : first, size.parts, (struct vector_tile){.group = index}, to);
        first += shortest ? 0 : size.parts;
        bus += size.bus;
        results += size.results;
    }
    a->parts.text.len = 0;
    a->most_pages = pages > a->most_pages ? pages : a->most_pages;
    return why ? why : append(&a->groups, &group, sizeof group) ? PLAN_OK : plan_no_memory();
}

/* Blocks of a tile: as many as make its entries. */
static uint32_t blocks_of_tile(const struct vector *a, const struct vector_part *part, uint32_t count,
                               uint32_t segments)
{
    const uint32_t block = a->step_segments * a->lanes;
    const uint64_t most = tile_entries(a);
    uint64_t entries = 0;
    uint32_t taken = 0;
    while (taken < count && (!taken || (entries < most && taken / a->lanes + a->step_segments <= segments)))
        for (const uint32_t end = taken + block; taken < end && taken < count; taken++)
            entries += part[taken].cost;
    return taken;
}

enum plan_status vector_add_steps(struct vector *a, struct packer *packer, struct strbuf *to)
{
    struct vector_part *part = VECTOR_AT(a->parts, struct vector_part);
    const uint32_t count = VECTOR_COUNT(a->parts, struct vector_part), block = a->step_segments * a->lanes,
                   limit = segments_of_tile(a);
    struct vector_group group = {0};
    enum plan_status why = PLAN_OK;
    a->ordered = false; /* behind a base */
    for (uint32_t first = 0; first < count; first += block) {
        const uint32_t parts = count - first < block ? count - first : block;
        if (!find_costs(a, part + first, parts, vector_step_base(a, first / a->lanes)))
            return plan_no_memory();
        qsort(part + first, parts, sizeof *part, by_cost);
    }
    for (uint32_t first = 0, taken; !why && first < count; first += taken, group.tiles++) {
        taken = blocks_of_tile(a, part + first, count - first, limit);
        why = add_tile(a, packer, first, taken, (struct vector_tile){0}, to);
    }
    return why ? why : append(&a->groups, &group, sizeof group) ? PLAN_OK : plan_no_memory();
}

static bool add_rows(struct vector *a)
{
    const struct sparse *m = a->matrix;
    const uint32_t longest = vector_longest_part(a);
    bool ok = true;
    for (uint32_t r = 0; ok && r < m->rows; r++)
        ok = !vector_has_result(a, r) || vector_add_parts(a, r, m->start[r], row_length(m, r), longest);
    return ok;
}

/* ---- the whole plan -------------------------------------------------------------------------- */

static enum plan_status check(const struct vector *a)
{
    const struct variant *v = a->variant;
    if (!a->d->m || !a->matrix->start[a->matrix->rows])
        return plan_refuse(PLAN_INVALID, "no product of a matrix that has non-zeros with a vector");
    if (a->d->m > 1 && a->gather == PLAN_GATHER_STEPS)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "several vectors: the base of a plan in steps does not come back");
    if (a->d->m > 1 && channels_any(&a->d->channels))
        return plan_refuse(PLAN_UNSUPPORTED, "several vectors: results have nothing of their own");
    if (v->tokens < TOKENS_USED || v->instruction_buffers < VECTOR_BUFFERS ||
        v->register_file_entries < 4 * VECTOR_BUFFERS || v->instruction_depth < 3)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "the variant has fewer tokens or instruction buffers than a plan needs");
    if (a->d->element > 3 || VECTOR_PAGE * a->data_bytes % a->derived.bus_bytes ||
        VECTOR_PAGE * a->data_bytes % v->load_width || v->input_buffer_depth % VECTOR_PAGE)
        return plan_refuse(PLAN_UNSUPPORTED, "the variant's buses do not divide a page of activations");
    if (a->matrix->columns > UINT32_MAX / 64 || a->matrix->rows > UINT32_MAX / 64)
        return plan_refuse(PLAN_UNSUPPORTED, "too large");
    return PLAN_OK;
}

static enum plan_status make_tiles(struct vector *a, struct strbuf *to)
{
    struct packer packer;
    if (!packer_begin(&packer, a->variant, a->matrix, to))
        return plan_no_memory();
    enum plan_status why = PLAN_OK;
    to->len = a->parts.text.len = a->tiles.text.len = a->groups.text.len = a->brought.text.len =
        a->more.text.len = 0;
    a->segments = a->largest_set = a->most_pages = 0;
    memset(a->place, 0xff, ((size_t)a->matrix->rows + 1) * sizeof *a->place);
    if (a->gather == PLAN_GATHER_PAGES) {
        a->ordered = true;
        why = vector_cut_window(a, &packer, to);
    } else if (!a->stay && a->pages * VECTOR_PAGE > a->variant->input_buffer_depth)
        why = plan_refuse(PLAN_UNSUPPORTED, "x is longer than the input buffers");
    else if ((!a->stay && !stay_all(a)) || !add_rows(a))
        why = plan_no_memory();
    else
        why = a->gather == PLAN_GATHER_STEPS ? vector_cut_steps(a, &packer, to)
                                             : vector_add_group(a, &packer, 0, to);
    packer_end(&packer);
    return why;
}

/* With smaller packets when some turn out too long. */
static enum plan_status make_smaller_tiles(struct vector *a, struct strbuf *to)
{
    for (;; a->packet_bytes /= 2) {
        enum plan_status why = make_tiles(a, to);
        if (why != PLAN_LONG_SEGMENT || a->packet_bytes <= a->derived.bus_bytes)
            return why;
    }
}

static enum plan_status fill_layout(struct vector *a, struct plan *plan)
{
    uint64_t results = a->segments * a->lanes;
    unsigned partial = a->variant->acc_width <= 32 ? 4 : 8;
    if (results * a->vectors * 8 > UINT32_MAX)
        return plan_refuse(PLAN_UNSUPPORTED, "too large: a pattern of memory has 32 bits");
    if (a->more.text.len && (a->d->function.function || a->d->element < 2))
        return plan_refuse(PLAN_UNSUPPORTED,
                           "a row is cut into parts, whose sum is not there for the function");
    const uint64_t pitch = (uint64_t)a->pages * VECTOR_PAGE * a->data_bytes;
    plan->input_bytes = pitch * a->vectors;
    plan->output_pitch = (uint32_t)(results << a->d->element);
    plan->output_bytes = (results << a->d->element) * a->vectors;
    plan->partial_bytes = a->d->partial ? results * partial * a->vectors : 0;
    plan->layout = (struct plan_layout){.input_pitch = (uint32_t)pitch,
                                        .data_bytes = a->data_bytes,
                                        .element_bytes = 1u << a->d->element,
                                        .partial_bytes = partial,
                                        .compact = a->compact,
                                        .place = a->place,
                                        .repeated = a->copies,
                                        .repeat_pitch = a->copies ? a->step : 0,
                                        .repeats = a->copies ? a->bases - 1 : 0,
                                        .more = VECTOR_AT(a->more, uint32_t),
                                        .more_count = (uint32_t)(a->more.text.len / (2 * sizeof(uint32_t)))};
    plan->summary = (struct plan_summary){.split = {PLAN_N, PLAN_N},
                                          .gather = a->gather,
                                          .rows_held = 1,
                                          .passes = a->vectors,
                                          .tiles = VECTOR_COUNT(a->tiles, struct vector_tile),
                                          .k_steps = 1,
                                          .block = a->columns,
                                          .largest_packet = a->largest_set,
                                          .parts = plan->layout.more_count};
    a->compact = a->place = NULL;
    a->more.text = (struct strbuf){0};
    return PLAN_OK;
}

static void vector_free(struct vector *a)
{
    free(a->compact);
    free(a->column);
    free(a->where);
    free(a->stays);
    free(a->place);
    sb_free(&a->parts.text);
    sb_free(&a->tiles.text);
    sb_free(&a->groups.text);
    sb_free(&a->brought.text);
    sb_free(&a->more.text);
}

enum plan_status plan_vector(const struct plan_description *d, const struct plan_choice *choice,
                             struct plan *plan)
{
    struct vector a = {.d = d,
                       .variant = d->variant,
                       .matrix = d->weights,
                       .data_bytes = d->variant->data_width / 8,
                       .lanes = d->variant->n * d->variant->m * d->variant->k,
                       .gather = choice->gather,
                       .vectors = d->m,
                       .halves = 1,
                       .block = choice->block,
                       .packet_bytes = choice->packet_bytes ? choice->packet_bytes : PACKET_BYTES};
    variant_derive(a.variant, &a.derived);
    packer_code(a.variant, &a.code);
    enum plan_status why =
        d->join.join ? plan_refuse(PLAN_UNSUPPORTED, "results of a vector are not joined") : check(&a);
    a.place = malloc(((size_t)a.matrix->rows + 1) * sizeof *a.place);
    if (!why && (!a.place || !find_columns(&a)))
        why = plan_no_memory();
    else if (!why)
        why = make_smaller_tiles(&a, &plan->weights);
    struct channel_columns columns = {0};
    if (!why)
        why = channels_pack(d, &(struct plan_layout){0}, a.place, a.segments * a.variant->n * a.variant->m,
                            &plan->weights, &columns);
    a.channels = columns;
    why = why ? why : vector_write(&a, plan);
    why = why ? why : fill_layout(&a, plan);
    vector_free(&a);
    return why;
}

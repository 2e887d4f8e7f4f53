/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/pack.h"

#include <stdlib.h>

#include "gen/base/math.h"

void packer_code(const struct variant *v, struct weights_code *code)
{
    const struct isa_widths widths = {.data = v->data_width, .index = v->index_width};
    weights_code_init(code, widths);
    if (v->long_jumps)
        weights_code_allow_long_jumps(code, widths);
}

bool packer_begin(struct packer *p, const struct variant *variant, const struct sparse *matrix,
                  struct strbuf *to)
{
    *p = (struct packer){.variant = variant, .matrix = matrix, .to = to};
    variant_derive(variant, &p->derived);
    p->layout =
        (struct weights_layout){.widths = {.data = variant->data_width, .index = variant->index_width},
                                .pes = variant->k,
                                .entries = p->derived.entries_per_beat,
                                .beat_bytes = p->derived.bus_bytes * p->derived.weight_beat_bus_beats};
    packer_code(variant, &p->code);
    p->queue = (struct weights_queue){.words = p->derived.pace_words, .segments = p->derived.pace_segments};
    uint32_t longest = 1;
    for (uint32_t r = 0; r < matrix->rows; r++) {
        uint32_t length = matrix->start[r + 1] - matrix->start[r];
        longest = length > longest ? length : longest;
    }
    p->positions = malloc(2 * longest * sizeof *p->positions); /* values behind them, when they are sorted */
    p->sorted = malloc(longest * sizeof *p->sorted);
    p->longest = longest;
    if (p->positions && p->sorted)
        return true;
    packer_end(p);
    return false;
}

void packer_end(struct packer *p)
{
    free(p->positions);
    free(p->sorted);
    free(p->slices);
    p->slices = NULL;
    p->slice_room = 0;
    p->positions = NULL;
    p->sorted = NULL;
}

static uint64_t row_of(const struct assignment *a, uint32_t segment, unsigned pe)
{
    return (uint64_t)a->first + (uint64_t)segment * a->segment_step + (uint64_t)pe * a->pe_step;
}

/* Without a branch on what it finds, which nobody can foresee. */
static uint32_t first_not_below(const struct sparse *m, uint32_t start, uint32_t end, uint32_t column)
{
    uint32_t length = end - start;
    for (uint32_t half; length > 1; length -= half) {
        half = length / 2;
        start += m->column[start + half - 1] < column ? half : 0;
    }
    return start + (length && m->column[start] < column);
}

/* The entries of a row that belong to the assignment's columns. */
struct cell packer_slice(const struct packer *p, const struct assignment *a, uint32_t segment, unsigned pe)
{
    const struct sparse *m = p->matrix;
    uint64_t row = row_of(a, segment, pe);
    if (row >= m->rows)
        return (struct cell){0};
    uint32_t start = m->start[row], end = m->start[row + 1];
    if (a->high) {
        start = first_not_below(m, start, end, a->low);
        end = first_not_below(m, start, end, a->high);
    }
    return (struct cell){.start = start, .length = end - start};
}

#define SEGMENTS_MAX 65535 /* of a packet */

/* Room for one segment more. */
static bool slices_reserve(struct packer *p, uint32_t segments)
{
    const size_t wanted = ((size_t)segments + 1) * p->variant->k;
    if (wanted <= p->slice_room)
        return true;
    struct cell *slices = realloc(p->slices, 2 * wanted * sizeof *slices);
    if (!slices)
        return false;
    p->slices = slices;
    p->slice_room = 2 * wanted;
    return true;
}

/* How many segments fit, counting an entry each and leaving room for a few escapes: the packet's size is
 * what it is in the end, only a little less or more than asked. */
static uint32_t estimate(struct packer *p, const struct assignment *a, uint32_t first, uint32_t limit,
                         size_t bytes)
{
    uint64_t room = bytes / p->layout.beat_bytes * p->layout.entries, used[WEIGHTS_PES_MAX] = {0};
    uint32_t most = limit < SEGMENTS_MAX ? limit : SEGMENTS_MAX, taken = bytes == SIZE_MAX ? most : 0;
    p->sliced = 0;
    for (; taken < most; taken++) {
        const bool keeps = slices_reserve(p, taken);
        for (unsigned pe = 0; pe < p->variant->k; pe++) {
            const struct cell slice = packer_slice(p, a, first + taken, pe);
            if (keeps)
                p->slices[(size_t)taken * p->variant->k + pe] = slice;
            used[pe] += slice.length ? slice.length : 1;
            if (used[pe] > room)
                return taken ? taken : 1;
        }
        p->sliced += keeps && p->sliced == taken;
    }
    return taken;
}

static bool refuse(struct packer *p, enum plan_status status)
{
    p->failed = status;
    return false;
}

/* Segment `s` from `first` on. */
static bool add_segment(struct packer *p, const struct assignment *a, uint32_t first, uint32_t s, unsigned pe,
                        struct weights_stream *stream)
{
    const uint32_t segment = first + s;
    const struct cell slice =
        s < p->sliced ? p->slices[(size_t)s * p->variant->k + pe] : packer_slice(p, a, segment, pe);
    int64_t origin = a->origin + (int64_t)segment * a->origin_step;
    for (uint32_t i = 0; i < slice.length; i++) {
        int64_t position = (int64_t)p->matrix->column[slice.start + i] - origin;
        if (position < 0 || position >= p->variant->input_buffer_depth)
            return refuse(p, plan_refuse(PLAN_UNSUPPORTED, "a row does not fit the window of activations"));
        p->positions[i] = (uint32_t)position;
    }
    const int32_t *values = slice.length ? p->matrix->value + slice.start : NULL;
    return weights_add_segment(stream, &p->code, p->positions, values, slice.length) ||
           refuse(p,
                  plan_refuse(PLAN_INVALID, "columns do not ascend, or a value does not fit the data width"));
}

static void free_streams(const struct packer *p, struct weights_stream *streams)
{
    for (unsigned pe = 0; pe < p->variant->k; pe++)
        weights_stream_free(&streams[pe]);
}

/* Finishes and paces the streams. *padded: whether pacing made the packet longer. */
static bool pace(struct packer *p, bool ok, struct weights_stream *streams, bool *padded)
{
    for (unsigned pe = 0; pe < p->variant->k; pe++) {
        weights_finish(&streams[pe], &p->code);
        ok = ok && (!streams[pe].failed || refuse(p, plan_no_memory()));
    }
    size_t before = weights_beats(&p->layout, streams);
    enum weights_pacing pacing =
        ok ? weights_pace(&p->layout, p->variant->scan, &p->queue, streams) : WEIGHTS_PACED;
    *padded = weights_beats(&p->layout, streams) > before;
    if (pacing)
        ok = refuse(p, pacing == WEIGHTS_TOO_LONG
                           ? plan_refuse(PLAN_LONG_SEGMENT, "a segment is longer than the weight queue")
                           : plan_no_memory());
    return ok;
}

static bool build(struct packer *p, const struct assignment *a, uint32_t first, uint32_t count,
                  struct weights_stream *streams, bool *padded)
{
    bool ok = true;
    for (unsigned pe = 0; pe < p->variant->k; pe++)
        for (uint32_t s = 0; ok && s < count; s++)
            ok = add_segment(p, a, first, s, pe, &streams[pe]);
    return pace(p, ok, streams, padded);
}

/* As many segments as `bytes` hold when they are paced, at least one; 0: refused. */
static uint32_t build_to_fit(struct packer *p, const struct assignment *a, uint32_t first, uint32_t limit,
                             size_t bytes, struct weights_stream *streams)
{
    uint32_t count = estimate(p, a, first, limit, bytes);
    for (;;) {
        bool padded;
        if (!build(p, a, first, count, streams, &padded))
            return 0;
        size_t size = weights_beats(&p->layout, streams) * p->layout.beat_bytes;
        if (!padded || size <= bytes || count == 1)
            return count;
        uint32_t less = (uint32_t)((uint64_t)count * bytes / size);
        count = less ? less : 1;
        free_streams(p, streams);
    }
}

uint32_t packer_fit(struct packer *p, const struct assignment *a, uint32_t first, uint32_t limit,
                    size_t bytes)
{
    struct weights_stream streams[WEIGHTS_PES_MAX] = {0};
    uint32_t count = build_to_fit(p, a, first, limit, bytes, streams);
    free_streams(p, streams);
    return count;
}

uint32_t packer_add(struct packer *p, const struct assignment *a, uint32_t first, uint32_t limit,
                    size_t *bytes)
{
    struct weights_stream streams[WEIGHTS_PES_MAX] = {0};
    size_t before = p->to->len;
    uint32_t count = build_to_fit(p, a, first, limit, *bytes, streams);
    if (count && !weights_pack(&p->layout, streams, p->to)) {
        refuse(p, plan_no_memory());
        count = 0;
    }
    free_streams(p, streams);
    *bytes = p->to->len - before;
    return count;
}

/* How much of the multipliers' time the scan may take without making them wait now and then: 64 rows of 256 x
 * 256 weights take 0.5 % longer than with entries where a half of plain weights are 0, and no longer where
 * 0.3 are. */
#define SCAN_SHARE 0.75

/* ---- plain packets ----------------------------------------------------------------------------- */

int64_t packer_origin(const struct assignment *a, uint32_t segment)
{
    return a->origin + (int64_t)segment * a->origin_step;
}

uint32_t packer_span(const struct packer *p, const struct assignment *a, uint32_t first, uint32_t segments)
{
    int64_t span = 0;
    for (uint32_t s = first; s < first + segments; s++)
        for (unsigned pe = 0; pe < p->variant->k; pe++) {
            const struct cell cell = packer_slice(p, a, s, pe);
            const int64_t end =
                cell.length ? p->matrix->column[cell.start + cell.length - 1] - packer_origin(a, s) + 1 : 0;
            span = end > span ? end : span;
        }
    return (uint32_t)span;
}

double packer_cycles(const struct packer *p, const struct assignment *a, uint32_t first, uint32_t segments,
                     uint32_t span, uint32_t masks, double density)
{
    const bool shared = p->variant->balance == VARIANT_BALANCE_NEIGHBOUR;
    double all = 0, most = 0;
    for (unsigned pe = 0; pe < p->variant->k; pe++) {
        double own = 0;
        for (uint32_t s = first; s < first + segments; s++) {
            const uint32_t weights = packer_slice(p, a, s, pe).length;
            const uint32_t slots = (span > weights ? span : weights) + masks;
            const double scan = slots / (p->variant->scan * SCAN_SHARE), multiplied = weights * density;
            own += scan > multiplied ? scan : multiplied;
        }
        all += own;
        most = own > most ? own : most;
    }
    return shared ? all / p->variant->k : most;
}

uint32_t packer_plain_beat(const struct packer *p)
{
    return p->derived.bus_bytes / 2;
}

uint64_t packer_byte_beats(const struct packer *p, uint64_t places)
{
    const uint64_t beats = math_divide_up(places, (uint64_t)p->layout.entries);
    return math_round_up(beats * packer_plain_beat(p), (uint64_t)p->derived.bus_bytes);
}

bool packer_add_plain(struct packer *p, const struct assignment *a, uint32_t first, uint32_t segments,
                      uint32_t span)
{
    const uint32_t entries = p->layout.entries;
    const size_t bytes = packer_byte_beats(p, (uint64_t)span * segments);
    uint8_t *to = calloc(bytes, 1);
    if (!to)
        return refuse(p, plan_no_memory());
    for (uint32_t s = 0; s < segments; s++)
        for (unsigned pe = 0; pe < p->variant->k; pe++) {
            const struct cell cell = packer_slice(p, a, first + s, pe);
            for (uint32_t i = cell.start; i < cell.start + cell.length; i++) {
                const uint64_t weight =
                    (uint64_t)s * span + (uint64_t)(p->matrix->column[i] - packer_origin(a, first + s));
                to[weight / entries * packer_plain_beat(p) + pe * entries + weight % entries] =
                    (uint8_t)p->matrix->value[i];
            }
        }
    sb_addn(p->to, (const char *)to, bytes);
    free(to);
    return sb_ok(p->to) || refuse(p, plan_no_memory());
}

/* ---- cells of rows ----------------------------------------------------------------------------- */

static int by_position(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Entries by their places in the input buffer; a buffer's addresses have 16 bits. */
static bool add_cell(struct packer *p, const struct cell *cell, const struct cell_places *places,
                     uint32_t segment, struct weights_stream *stream)
{
    const struct sparse *m = p->matrix;
    const int32_t *values = cell->length ? m->value + cell->start : NULL;
    const uint64_t steps = places->segments ? segment / places->segments : 0;
    const uint32_t base = (uint32_t)((places->base + steps * places->step) % places->wrap);
    bool ascending = true;
    for (uint32_t i = 0; i < cell->length; i++) {
        p->positions[i] = packer_position(places->place[m->column[cell->start + i]], base, places->wrap);
        p->sorted[i] = (uint64_t)p->positions[i] << 32 | i;
        ascending = ascending && (!i || p->positions[i - 1] < p->positions[i]);
    }
    if (!ascending) {
        int32_t *moved = (int32_t *)(p->positions + p->longest);
        qsort(p->sorted, cell->length, sizeof *p->sorted, by_position);
        for (uint32_t i = 0; i < cell->length; i++) {
            p->positions[i] = (uint32_t)(p->sorted[i] >> 32);
            moved[i] = m->value[cell->start + (uint32_t)p->sorted[i]];
        }
        values = moved;
    }
    return weights_add_segment(stream, &p->code, p->positions, values, cell->length) ||
           refuse(p,
                  plan_refuse(PLAN_INVALID, "columns do not ascend, or a value does not fit the data width"));
}

bool packer_add_cells(struct packer *p, const struct cell *cells, uint32_t step, uint32_t segments,
                      const struct cell_places *places)
{
    struct weights_stream streams[WEIGHTS_PES_MAX] = {0};
    bool ok = true, padded;
    for (unsigned pe = 0; pe < p->variant->k; pe++)
        for (uint32_t s = 0; ok && s < segments; s++)
            ok = add_cell(p, &cells[(size_t)s * step + pe], places, s, &streams[pe]);
    ok = pace(p, ok, streams, &padded);
    ok = ok && (weights_pack(&p->layout, streams, p->to) || refuse(p, plan_no_memory()));
    free_streams(p, streams);
    return ok;
}

bool packer_pad(struct packer *p, size_t bytes)
{
    struct weights_stream streams[WEIGHTS_PES_MAX] = {0};
    uint32_t skip = weights_escape_entry(&p->code, WEIGHTS_SKIP, 0);
    size_t entries = bytes / p->layout.beat_bytes * p->layout.entries;
    for (size_t e = 0; e < entries; e++)
        weights_add_entry(&streams[0], &p->code, skip);
    bool ok = weights_pack(&p->layout, streams, p->to);
    weights_stream_free(&streams[0]);
    return ok;
}

bool packer_join(struct packer *p, const struct strbuf *packets, unsigned rows, unsigned columns,
                 uint32_t *bytes, struct strbuf *to)
{
    p->to = to;
    for (unsigned c = 0; c < columns; c++) {
        bytes[c] = 0;
        for (unsigned r = 0; r < rows; r++)
            if (packets[r * columns + c].len > bytes[c])
                bytes[c] = (uint32_t)packets[r * columns + c].len;
    }
    for (unsigned i = 0; i < rows * columns; i++) {
        sb_addn(to, packets[i].text, packets[i].len);
        if (!packer_pad(p, bytes[i % columns] - packets[i].len))
            return false;
    }
    return sb_ok(to);
}

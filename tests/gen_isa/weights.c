/* SPDX-License-Identifier: Apache-2.0
 *
 * Weight streams. A decoder written from docs/isa.md, apart from the code
 * under test, turns beats back to segments of (index, value).
 */
#include "gen/isa/weights.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gen_isa/support.h"

static const struct weights_layout layouts[] = {
    {{8, 8}, 8, 1, 0},  {{16, 8}, 4, 2, 0}, {{8, 12}, 5, 1, 0}, {{8, 16}, 3, 3, 32},
    {{8, 6}, 16, 2, 0}, {{8, 8}, 1, 1, 0},  {{8, 6}, 2, 5, 64}, {{16, 16}, 2, 1, 0},
};
#define LAYOUTS (sizeof layouts / sizeof *layouts)

/* ---- a decoder of its own -------------------------------------------------------------------- */

struct pair {
    uint32_t segment, index;
    int32_t value;
};

struct pairs {
    struct pair *items;
    size_t count, cap;
    uint32_t segments;
};

static void add_pair(struct pairs *pairs, struct pair pair)
{
    if (pairs->count == pairs->cap) {
        pairs->cap = pairs->cap ? 2 * pairs->cap : 256;
        pairs->items = realloc(pairs->items, pairs->cap * sizeof *pairs->items);
        cr_assert(pairs->items);
    }
    pairs->items[pairs->count++] = pair;
}

static uint32_t beat_bits(const uint8_t *beat, unsigned from, unsigned bits)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bits; i++)
        value |= (uint32_t)(beat[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    return value;
}

struct decoder {
    unsigned data, index;
    uint32_t position;
    bool open; /* a weight of the segment has been read */
    bool valid;
};

/* value | gap | last from the lowest bit; payload, kind of escape, all ones, 0. */
static void decode_entry(struct decoder *d, uint32_t entry, struct pairs *to)
{
    const uint32_t gap = entry >> d->data & ((1u << (d->index - 1)) - 1);
    const bool last = entry >> (d->data + d->index - 1) & 1;
    const uint32_t payload = entry & ((1u << (d->data - 3)) - 1), kind = entry >> (d->data - 3) & 7;
    if (gap != (1u << (d->index - 1)) - 1) {
        const uint32_t sign = 1u << (d->data - 1);
        const int32_t value = (int32_t)((entry & (2 * sign - 1)) ^ sign) - (int32_t)sign;
        d->position += gap;
        add_pair(to, (struct pair){to->segments, d->position++, value});
        d->open = !last;
        to->segments += last;
        d->position = last ? 0 : d->position;
        return;
    }
    d->valid = d->valid && !last && kind <= 2;
    if (kind == 1)
        d->position += (payload + 1) << (d->index - 2);
    if (kind == 2) {
        d->valid = d->valid && !d->open && !d->position;
        to->segments += payload + 1;
    }
}

static bool decode(const struct weights_layout *layout, const struct strbuf *bytes, unsigned pe,
                   struct pairs *to)
{
    struct decoder d = {layout->widths.data, layout->widths.index, 0, false, true};
    const unsigned entry_bits = d.data + d.index;
    const unsigned beat_bytes =
        layout->beat_bytes ? layout->beat_bytes : (layout->pes * layout->entries * entry_bits + 7) / 8;
    for (size_t at = 0; at + beat_bytes <= bytes->len; at += beat_bytes)
        for (unsigned e = 0; e < layout->entries; e++)
            decode_entry(&d,
                         beat_bits((const uint8_t *)bytes->text + at, (pe * layout->entries + e) * entry_bits,
                                   entry_bits),
                         to);
    return d.valid && !d.open && bytes->len % beat_bytes == 0;
}

/* ---- random weights -------------------------------------------------------------------------- */

/* Dense, sparse and very sparse segments, some empty, some runs of empty ones. */
static void random_weights(struct random *random, unsigned data, struct pairs *to)
{
    static const unsigned steps[] = {1, 3, 40, 300, 9000};
    const int32_t half = 1 << (data - 1);
    for (uint64_t left = random_below(random, 6); left; left--) {
        to->segments += random_chance(random, 30) ? (uint32_t)random_below(random, 100) : 0;
        const unsigned step = steps[random_below(random, 5)];
        const uint64_t count = random_below(random, 12);
        uint64_t index = random_below(random, step);
        for (uint64_t i = 0; i < count && index <= 65535; i++) {
            int32_t value = (int32_t)random_below(random, 2 * (uint64_t)half) - half;
            add_pair(to, (struct pair){to->segments, (uint32_t)index, value});
            index += 1 + random_below(random, step);
        }
        to->segments++;
    }
}

static void expect_same(const struct pairs *got, const struct pairs *want)
{
    cr_assert_eq(got->count, want->count);
    cr_assert_eq(got->segments, want->segments, "%u segments became %u", want->segments, got->segments);
    for (size_t i = 0; i < got->count; i++)
        cr_assert(got->items[i].segment == want->items[i].segment &&
                      got->items[i].index == want->items[i].index &&
                      got->items[i].value == want->items[i].value,
                  "weight %zu is segment %u %u:%d, not segment %u %u:%d", i, got->items[i].segment,
                  got->items[i].index, got->items[i].value, want->items[i].segment, want->items[i].index,
                  want->items[i].value);
}

/* The pairs of a PE as statements. */
static void add_statements(const struct pairs *pairs, unsigned pe, struct strbuf *to)
{
    size_t i = 0;
    for (uint32_t segment = 0; segment < pairs->segments; segment++) {
        sb_addf(to, "segment pe=%u", pe);
        for (; i < pairs->count && pairs->items[i].segment == segment; i++)
            sb_addf(to, ", %u:%d", pairs->items[i].index, pairs->items[i].value);
        sb_add(to, "\n");
    }
}

static void add_directive(const struct weights_layout *layout, struct strbuf *to)
{
    sb_addf(to, ".weights data=%u, index=%u, pes=%u, entries=%u", layout->widths.data, layout->widths.index,
            layout->pes, layout->entries);
    if (layout->beat_bytes)
        sb_addf(to, ", beat=%u", layout->beat_bytes);
    sb_add(to, "\n");
}

Test(weights, segments_come_back_as_they_were)
{
    struct random random = {11};
    for (unsigned round = 0; round < 1500 * LAYOUTS; round++) {
        const struct weights_layout *layout = &layouts[round % LAYOUTS];
        struct pairs want[WEIGHTS_PES_MAX] = {0};
        struct strbuf text = {0}, bytes = {0}, messages = {0}, again = {0};
        add_directive(layout, &text);
        for (unsigned pe = 0; pe < layout->pes; pe++) {
            random_weights(&random, layout->widths.data, &want[pe]);
            add_statements(&want[pe], pe, &text);
        }
        cr_assert(assemble(sb_text(&text), &bytes, &messages), "%s", sb_text(&messages));
        for (unsigned pe = 0; pe < layout->pes; pe++) {
            struct pairs got = {0};
            cr_assert(decode(layout, &bytes, pe, &got));
            expect_same(&got, &want[pe]);
            free(got.items);
            free(want[pe].items);
        }
        struct disasm_options options = disassemble_as(TEXT_WEIGHTS);
        options.layout = *layout;
        if (bytes.len)
            expect_round_trip(&bytes, &options, &again);
        cr_assert(!strstr(sb_text(&again), "escape"), "all of it can be segments:\n%s", sb_text(&again));
        sb_free(&text);
        sb_free(&bytes);
        sb_free(&messages);
        sb_free(&again);
    }
}

/* ---- arbitrary streams ----------------------------------------------------------------------- */

/* Legal entries in any order: unended segments, escapes anywhere, skips. */
static void random_beats(struct random *random, const struct weights_layout *layout, struct strbuf *to)
{
    const unsigned entry_bits = layout->widths.data + layout->widths.index;
    const unsigned beat_bytes = weights_beat_bytes(layout);
    const unsigned escapes = (unsigned)random_below(random, 80);
    for (uint64_t beats = random_below(random, 12) + 1; beats; beats--) {
        uint8_t beat[WEIGHTS_BEAT_BYTES_MAX] = {0};
        for (unsigned i = 0; i < layout->pes * layout->entries; i++) {
            uint8_t entry[8] = {0};
            static const char *const formats[] = {"weight", "escape", "long_jump"};
            const unsigned escape = random_chance(random, escapes) * (1 + random_chance(random, 25));
            random_record(random, &isa_weight, isa_find_format(&isa_weight, formats[escape]), layout->widths,
                          entry);
            /* What would be an escape by its gap becomes a plain skip. */
            struct strbuf why = {0};
            if (!isa_validate(&isa_weight, entry, layout->widths, &why))
                isa_put_bits(entry, 0, 64,
                             (uint64_t)((1u << (layout->widths.index - 1)) - 1) << layout->widths.data);
            sb_free(&why);
            isa_put_bits(beat, i * entry_bits, entry_bits, isa_get_bits(entry, 0, entry_bits));
        }
        sb_addn(to, (const char *)beat, beat_bytes);
    }
}

Test(weights, any_legal_stream_survives)
{
    struct random random = {12};
    for (unsigned round = 0; round < 1500 * LAYOUTS; round++) {
        struct disasm_options options = disassemble_as(TEXT_WEIGHTS);
        options.layout = layouts[round % LAYOUTS];
        struct strbuf bytes = {0}, text = {0};
        random_beats(&random, &options.layout, &bytes);
        expect_round_trip(&bytes, &options, &text);
        sb_free(&bytes);
        sb_free(&text);
    }
}

/* ---- the packer for other callers ------------------------------------------------------------ */

static struct weights_code code_of(unsigned data, unsigned index)
{
    struct weights_code code;
    weights_code_init(&code, (struct isa_widths){data, index});
    return code;
}

/* The largest gap takes no escape, one more takes a jump; as few escapes as possible. */
Test(weights, escapes_are_as_few_as_possible)
{
    static const struct {
        uint32_t index;
        size_t entries;
    } cases[] = {{0, 1}, {126, 1}, {127, 2}, {126 + 64 * 32, 2}, {127 + 64 * 32, 3}};
    const struct weights_code code = code_of(8, 8);
    const int32_t value = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weights_stream stream = {0};
        cr_assert(weights_add_segment(&stream, &code, &cases[i].index, &value, 1));
        cr_expect_eq(stream.count, cases[i].entries, "index %u takes %zu entries", cases[i].index,
                     stream.count);
        weights_stream_free(&stream);
    }
    struct weights_stream empty = {0};
    weights_add_empty(&empty, 32);
    weights_add_segment(&empty, &code, NULL, NULL, 0);
    weights_finish(&empty, &code);
    cr_expect_eq(empty.count, 2, "33 empty segments take two end escapes");
    weights_stream_free(&empty);
}

/* Positions that the entries of a segment of one weight add up to. */
static uint64_t reached(const struct weights_code *code, const struct weights_stream *stream)
{
    uint64_t position = 0;
    for (size_t i = 0; i < stream->count; i++) {
        const struct weights_entry e = weights_unpack(code, stream->entries[i]);
        position +=
            !e.is_escape ? e.gap
            : e.last
                ? ((uint64_t)(stream->entries[i] >> code->value_lsb & ((1u << code->data_bits) - 1)) + 1) *
                      code->long_unit
                : ((uint64_t)e.payload + 1) * code->jump_unit;
    }
    return position;
}

/* A long jump where a short one does not suffice; two behind a gap whose rest no entry can say, and beyond.
 */
Test(weights, long_jumps_reach_far)
{
    static const struct {
        uint32_t index;
        size_t entries;
    } cases[] = {{126, 1},
                 {126 + 64 * 32, 2},
                 {127 + 64 * 32, 3},
                 {128 * 17, 2},
                 {128 * 255 + 126, 2},
                 {32767, 3},
                 {128 * 256 + 126, 2},
                 {128 * 256 + 127, 3},
                 {128 * 256 + 126 + 2048, 3},
                 {65535, 4},
                 {65534, 3}};
    struct weights_code code = code_of(8, 8);
    const int32_t value = 1;
    weights_code_allow_long_jumps(&code, (struct isa_widths){8, 8});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weights_stream stream = {0};
        cr_assert(weights_add_segment(&stream, &code, &cases[i].index, &value, 1));
        cr_expect_eq(stream.count, cases[i].entries, "index %u takes %zu entries, not %zu", cases[i].index,
                     stream.count, cases[i].entries);
        cr_expect_eq(weights_jumps(&code, cases[i].index), stream.count - 1);
        cr_expect_eq(reached(&code, &stream), cases[i].index);
        weights_stream_free(&stream);
    }
}

Test(weights, what_is_not_a_segment_is_refused_and_leaves_nothing)
{
    const struct weights_code code = code_of(8, 8);
    struct weights_stream stream = {0};
    cr_expect(
        !weights_add_segment(&stream, &code, (const uint32_t[]){1, 5, 5}, (const int32_t[]){1, 1, 1}, 3));
    cr_expect(
        !weights_add_segment(&stream, &code, (const uint32_t[]){1, 5, 4}, (const int32_t[]){1, 1, 1}, 3));
    cr_expect(!weights_add_segment(&stream, &code, (const uint32_t[]){1}, (const int32_t[]){128}, 1));
    cr_expect(!weights_add_segment(&stream, &code, (const uint32_t[]){1}, (const int32_t[]){-129}, 1));
    cr_expect_eq(stream.count, 0);
    cr_expect(weights_add_segment(&stream, &code, (const uint32_t[]){1, 2}, (const int32_t[]){127, -128}, 2));
    cr_expect_eq(stream.count, 2);
    weights_stream_free(&stream);
}

/* Indices are 32 bits for the library, which may have matrices wider than text. */
Test(weights, the_largest_index_can_be_reached)
{
    const struct weights_code code = code_of(16, 16);
    const uint32_t index = UINT32_MAX;
    const int32_t value = -32768;
    struct weights_stream stream = {0};
    cr_assert(weights_add_segment(&stream, &code, &index, &value, 1));
    uint64_t position = 0;
    for (size_t i = 0; i + 1 < stream.count; i++)
        position += ((uint64_t)weights_unpack(&code, stream.entries[i]).payload + 1) << 14;
    cr_expect_eq(position + weights_unpack(&code, stream.entries[stream.count - 1]).gap, index);
    weights_stream_free(&stream);
}

Test(weights, a_million_weights_pack_and_come_back)
{
    enum { SEGMENTS = 20000, EACH = 50, PES = 8 };
    const struct weights_layout layout = {{8, 8}, PES, 2, 0};
    const struct weights_code code = code_of(8, 8);
    struct weights_stream streams[PES] = {0};
    struct strbuf bytes = {0};
    uint32_t indices[EACH];
    int32_t values[EACH];
    for (uint32_t s = 0; s < SEGMENTS; s++) {
        for (uint32_t i = 0; i < EACH; i++) {
            indices[i] = 7 * i + s % 5;
            values[i] = (int32_t)((s + i) % 255) - 127;
        }
        cr_assert(weights_add_segment(&streams[s % PES], &code, indices, values, EACH));
    }
    cr_assert(weights_pack(&layout, streams, &bytes));
    cr_assert_eq(bytes.len, 2 * (size_t)SEGMENTS * EACH, "two bytes a weight");
    struct pairs got = {0};
    cr_assert(decode(&layout, &bytes, 3, &got));
    cr_assert_eq(got.count, SEGMENTS * EACH / PES);
    const struct pair *last = &got.items[got.count - 1];
    cr_expect(last->segment == SEGMENTS / PES - 1 && last->index == 7 * (EACH - 1) + (SEGMENTS - 5) % 5 &&
              last->value == (SEGMENTS - 5 + EACH - 1) % 255 - 127);
    for (unsigned pe = 0; pe < PES; pe++)
        weights_stream_free(&streams[pe]);
    free(got.items);
    sb_free(&bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/isa/weights.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/isa/codec.h"

static unsigned lsb_of(const char *format_name, const char *field_name, struct isa_widths widths)
{
    const struct isa_format *format = isa_find_format(&isa_weight, format_name);
    return isa_field_lsb(&isa_weight, format, isa_find_field(format, field_name), widths);
}

void weights_code_init(struct weights_code *code, struct isa_widths widths)
{
    const struct isa_format *escape = isa_find_format(&isa_weight, "escape");
    *code = (struct weights_code){
        .entry_bits = isa_family_bits(&isa_weight, widths),
        .value_lsb = lsb_of("weight", "value", widths),
        .gap_lsb = lsb_of("weight", "gap", widths),
        .last_lsb = lsb_of("weight", "last", widths),
        .payload_lsb = lsb_of("escape", "payload", widths),
        .escape_lsb = lsb_of("escape", "escape", widths),
        .data_bits = widths.data,
        .gap_escape = (uint32_t)isa_const_value(isa_find_field(escape, "gap"), widths),
        .payload_max = (uint32_t)isa_field_max(isa_find_field(escape, "payload"), widths),
        .jump_unit = 1u << (widths.index - 2),
    };
}

void weights_code_allow_long_jumps(struct weights_code *code, struct isa_widths widths)
{
    code->long_unit = 1u << (widths.index - 1);
}

static unsigned entry_bits(const struct weights_layout *layout)
{
    return isa_family_bits(&isa_weight, layout->widths);
}

unsigned weights_beat_bytes_needed(const struct weights_layout *layout)
{
    return math_divide_up(layout->pes * layout->entries * entry_bits(layout), 8);
}

unsigned weights_beat_bytes(const struct weights_layout *layout)
{
    return layout->beat_bytes ? layout->beat_bytes : weights_beat_bytes_needed(layout);
}

bool weights_stays_inside(const struct weights_code *code, uint32_t entry, bool inside)
{
    const struct weights_entry e = weights_unpack(code, entry);
    if (!e.is_escape)
        return !e.last;
    if (e.last)
        return true;
    return e.escape == WEIGHTS_SKIP ? inside : e.escape != WEIGHTS_END;
}

uint32_t weights_escape_entry(const struct weights_code *code, enum weights_escape kind, uint32_t payload)
{
    return code->gap_escape << code->gap_lsb | (uint32_t)kind << code->escape_lsb |
           payload << code->payload_lsb;
}

void weights_stream_free(struct weights_stream *stream)
{
    free(stream->entries);
    *stream = (struct weights_stream){0};
}

/* False: there is no room for `more` entries, and the stream has failed. */
static bool make_room(struct weights_stream *stream, size_t more)
{
    if (more <= stream->cap - stream->count)
        return true;
    const size_t cap = stream->cap + (more > stream->cap ? more : stream->cap) + 64;
    uint32_t *entries = realloc(stream->entries, cap * sizeof *entries);
    if (!entries) {
        stream->failed = true;
        return false;
    }
    stream->entries = entries;
    stream->cap = cap;
    return true;
}

static void push(struct weights_stream *stream, uint32_t entry)
{
    if (make_room(stream, 1))
        stream->entries[stream->count++] = entry;
}

/* `amount` counts of an escape whose payload says how many, less one: as few escapes as possible. */
static void push_escapes(struct weights_stream *stream, const struct weights_code *code,
                         enum weights_escape kind, uint64_t amount)
{
    while (amount && !stream->failed) {
        uint64_t part = amount <= code->payload_max ? amount : (uint64_t)code->payload_max + 1;
        push(stream, weights_escape_entry(code, kind, (uint32_t)part - 1));
        amount -= part;
    }
}

void weights_finish(struct weights_stream *stream, const struct weights_code *code)
{
    push_escapes(stream, code, WEIGHTS_END, stream->empty);
    stream->empty = 0;
}

/* A jump in front of a gap that an entry cannot say: a short one where it suffices, else the longest that
 * does not go too far. Returns the positions it advances. */
static uint64_t next_jump(const struct weights_code *code, uint64_t gap, uint32_t *entry)
{
    const uint32_t gap_max = code->gap_escape - 1;
    const uint64_t most = (uint64_t)code->payload_max + 1, longest = UINT64_C(1) << code->data_bits;
    uint64_t units = math_divide_up(gap - gap_max, (uint64_t)code->jump_unit);
    if (units <= most || !code->long_unit) {
        units = units < most ? units : most;
        *entry = weights_escape_entry(code, WEIGHTS_JUMP, (uint32_t)units - 1);
        return units * code->jump_unit;
    }
    units = gap / code->long_unit < longest ? gap / code->long_unit : longest;
    *entry =
        1u << code->last_lsb | code->gap_escape << code->gap_lsb | (uint32_t)(units - 1) << code->value_lsb;
    return units * code->long_unit;
}

unsigned weights_jumps(const struct weights_code *code, uint64_t gap)
{
    unsigned jumps = 0;
    for (uint32_t entry; gap >= code->gap_escape; jumps++)
        gap -= next_jump(code, gap, &entry);
    return jumps;
}

bool weights_add_segment(struct weights_stream *stream, const struct weights_code *code,
                         const uint32_t *indices, const int32_t *values, size_t count)
{
    if (!count) {
        weights_add_empty(stream, 1);
        return true;
    }
    weights_finish(stream, code);
    if (!make_room(stream, count))
        return true;
    const uint32_t value_mask = (1u << code->data_bits) - 1, half = 1u << (code->data_bits - 1);
    const size_t before = stream->count;
    uint64_t position = 0;
    bool bad = false;
    for (size_t i = 0; i < count && !bad; i++) {
        bad = (uint32_t)values[i] + half > value_mask || indices[i] < position;
        for (uint32_t jump; !bad && indices[i] - position >= code->gap_escape;) {
            position += next_jump(code, indices[i] - position, &jump);
            push(stream, jump);
        }
        push(stream, ((uint32_t)values[i] & value_mask) << code->value_lsb | (uint32_t)(indices[i] - position)
                                                                                 << code->gap_lsb);
        position = (uint64_t)indices[i] + 1;
    }
    if (bad)
        stream->count = before;
    else if (!stream->failed)
        stream->entries[stream->count - 1] |= 1u << code->last_lsb;
    return !bad;
}

void weights_add_empty(struct weights_stream *stream, uint64_t segments)
{
    stream->empty += segments;
}

void weights_add_entry(struct weights_stream *stream, const struct weights_code *code, uint32_t entry)
{
    weights_finish(stream, code);
    push(stream, entry);
}

size_t weights_beats(const struct weights_layout *layout, const struct weights_stream *streams)
{
    size_t longest = 0;
    for (unsigned pe = 0; pe < layout->pes; pe++)
        if (streams[pe].count > longest)
            longest = streams[pe].count;
    return math_divide_up(longest, layout->entries);
}

/* Bits collect in `held` until they make four bytes. */
struct bit_writer {
    uint8_t *at;
    uint64_t held;
    unsigned bits;
};

static void put_bytes(struct bit_writer *writer, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *writer->at++ = (uint8_t)(writer->held >> 8 * i);
    writer->held >>= 8 * bytes;
}

static void write_bits(struct bit_writer *writer, uint32_t value, unsigned bits)
{
    writer->held |= (uint64_t)value << writer->bits;
    writer->bits += bits;
    if (writer->bits >= 32) {
        put_bytes(writer, 4);
        writer->bits -= 32;
    }
}

static void pack_beat(const struct weights_layout *layout, const struct weights_stream *streams,
                      const struct weights_code *code, size_t beat, uint8_t *to)
{
    struct bit_writer writer = {.at = to};
    const uint32_t skip = weights_escape_entry(code, WEIGHTS_SKIP, 0);
    const size_t first = beat * layout->entries;
    for (unsigned pe = 0; pe < layout->pes; pe++)
        for (size_t i = first; i < first + layout->entries; i++)
            write_bits(&writer, i < streams[pe].count ? streams[pe].entries[i] : skip, code->entry_bits);
    put_bytes(&writer, math_divide_up(writer.bits, 8));
}

bool weights_pack(const struct weights_layout *layout, const struct weights_stream *streams,
                  struct strbuf *to)
{
    uint8_t beat[WEIGHTS_BEAT_BYTES_MAX] = {0};
    struct weights_code code;
    weights_code_init(&code, layout->widths);
    for (unsigned pe = 0; pe < layout->pes; pe++)
        if (streams[pe].failed)
            return false;
    const size_t beats = weights_beats(layout, streams);
    for (size_t i = 0; i < beats; i++) {
        pack_beat(layout, streams, &code, i, beat);
        sb_addn(to, (const char *)beat, weights_beat_bytes(layout));
    }
    return sb_ok(to);
}

uint32_t weights_beat_entry(const struct weights_layout *layout, const uint8_t *beat, unsigned pe,
                            unsigned which)
{
    unsigned bits = entry_bits(layout);
    return (uint32_t)isa_get_bits(beat, (pe * layout->entries + which) * bits, bits);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Weight beats to text: each PE's stream as segments where the assembler
 * would make the same entries of them, and as entries where it would not.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "gen/isa/disasm_unit.h"

struct weights_text {
    struct disassembler *d;
    const struct weights_layout *layout;
    struct weights_code code;
    struct weights_stream streams[WEIGHTS_PES_MAX];
    /* Room for the segment at hand. */
    uint32_t *indices;
    int32_t *values;
    size_t cap;
    struct weights_stream again;
};

/* ---- taking beats apart ---------------------------------------------------------------------- */

static bool is_legal(const struct weights_text *w, uint32_t entry, struct strbuf *why)
{
    uint8_t bytes[4] = {0};
    if (!weights_unpack(&w->code, entry).is_escape)
        return true; /* a weight may be anything */
    isa_put_bits(bytes, 0, 32, entry);
    return isa_validate(&isa_weight, bytes, w->layout->widths, why);
}

static void take_entry(struct weights_text *w, size_t beat, unsigned pe, unsigned which)
{
    const size_t offset = beat * weights_beat_bytes(w->layout);
    const uint32_t entry = weights_beat_entry(w->layout, w->d->bytes + offset, pe, which);
    struct strbuf why = {0};
    if (!is_legal(w, entry, &why) && !w->d->options->lenient)
        disasm_error(w->d, w->d->diag, offset, "PE %u, entry %u of the beat: %s", pe, which, sb_text(&why));
    sb_free(&why);
    weights_add_entry(&w->streams[pe], &w->code, entry);
}

static void take_beat(struct weights_text *w, size_t beat)
{
    const size_t bytes = weights_beat_bytes(w->layout);
    const uint8_t *at = w->d->bytes + beat * bytes;
    for (unsigned pe = 0; pe < w->layout->pes; pe++)
        for (unsigned which = 0; which < w->layout->entries; which++)
            take_entry(w, beat, pe, which);
    for (size_t bit = (size_t)w->layout->pes * w->layout->entries * w->code.entry_bits; bit < 8 * bytes;
         bit++)
        if (isa_get_bits(at, (unsigned)bit, 1)) {
            disasm_error(w->d, w->d->diag, beat * bytes, "the bits above the last PE's entries must be 0");
            return;
        }
}

static bool is_plain_skip(const struct weights_text *w, uint32_t entry)
{
    return entry == weights_escape_entry(&w->code, WEIGHTS_SKIP, 0);
}

/* Drops the skips that the assembler puts at the ends of shorter streams. When all have some in the last
 * beat, PE 0 keeps enough for the number of beats. */
static void drop_padding(struct weights_text *w, size_t beats)
{
    for (unsigned pe = 0; pe < w->layout->pes; pe++) {
        struct weights_stream *stream = &w->streams[pe];
        while (stream->count && is_plain_skip(w, stream->entries[stream->count - 1]))
            stream->count--;
    }
    if (weights_beats(w->layout, w->streams) < beats)
        w->streams[0].count = (beats - 1) * w->layout->entries + 1;
}

/* ---- segments -------------------------------------------------------------------------------- */

static bool reserve(struct weights_text *w, size_t count)
{
    if (count < w->cap)
        return true;
    const size_t cap = w->cap ? 2 * w->cap : 256;
    uint32_t *indices = realloc(w->indices, cap * sizeof *indices);
    w->indices = indices ? indices : w->indices;
    int32_t *values = realloc(w->values, cap * sizeof *values);
    w->values = values ? values : w->values;
    if (!indices || !values)
        return false;
    w->cap = cap;
    return true;
}

/* The weights of the segment that begins with the entry; 0 when it is not one of jumps and weights only. The
 * assembler makes no long jumps of weights: they remain entries. */
static size_t read_segment(struct weights_text *w, const struct weights_stream *stream, size_t from)
{
    uint64_t position = 0;
    size_t count = 0;
    for (size_t i = from; i < stream->count; i++) {
        const struct weights_entry e = weights_unpack(&w->code, stream->entries[i]);
        if (e.is_escape && (e.last || e.escape != WEIGHTS_JUMP))
            return 0;
        position += e.is_escape ? ((uint64_t)e.payload + 1) * w->code.jump_unit : e.gap;
        if (position > WEIGHTS_INDEX_MAX || !reserve(w, count))
            return 0;
        if (e.is_escape)
            continue;
        w->indices[count] = (uint32_t)position++;
        w->values[count++] = e.value;
        if (e.last)
            return count;
    }
    return 0;
}

/* Entries of the segment at `from`, when the assembler makes the same of its weights; else 0. */
static size_t add_segment(struct weights_text *w, const struct weights_stream *stream, size_t from,
                          const char *pe)
{
    const size_t count = read_segment(w, stream, from);
    if (!count)
        return 0;
    w->again.count = 0;
    weights_add_segment(&w->again, &w->code, w->indices, w->values, count);
    if (w->again.failed || w->again.count > stream->count - from ||
        memcmp(w->again.entries, stream->entries + from, w->again.count * sizeof *w->again.entries) != 0)
        return 0;
    sb_addf(w->d->to, "    segment%s", pe);
    for (size_t i = 0; i < count; i++)
        sb_addf(w->d->to, "%s%u:%d", i || *pe ? ", " : " ", w->indices[i], w->values[i]);
    sb_add(w->d->to, "\n");
    return w->again.count;
}

/* ---- entries --------------------------------------------------------------------------------- */

static void add_entry(struct weights_text *w, uint32_t entry, const char *pe)
{
    uint8_t bytes[4] = {0};
    struct strbuf text = {0};
    isa_put_bits(bytes, 0, 32, entry);
    if (is_legal(w, entry, &text)) {
        const struct isa_format *format = isa_classify(&isa_weight, bytes, w->layout->widths, &text);
        text_add_record(&text, &isa_weight, format, bytes, w->layout->widths, NULL);
        const char *fields = strchr(sb_text(&text), ' ');
        sb_addf(w->d->to, "    %s%s%s%s\n", format->name, pe, fields && *pe ? "," : "", fields ? fields : "");
    } else {
        sb_addf(w->d->to, "    .word%s%s 0x%x # %s\n", pe, *pe ? "," : "", entry, sb_text(&text));
    }
    sb_free(&text);
}

/* Empty segments follow each other without a statement between them only when the assembler, which writes as
 * few escapes as possible, makes the same escapes of them. */
static bool add_empty(struct weights_text *w, uint32_t entry, const char *pe, bool mergeable)
{
    const struct weights_entry e = weights_unpack(&w->code, entry);
    if (!e.is_escape || e.last || e.escape != WEIGHTS_END || !mergeable)
        return false;
    sb_addf(w->d->to, "    empty%s%s count=%u\n", pe, *pe ? "," : "", e.payload + 1);
    return true;
}

static void add_stream(struct weights_text *w, unsigned number)
{
    const struct weights_stream *stream = &w->streams[number];
    bool inside = false, mergeable = true;
    char pe[16] = "";
    if (w->layout->pes > 1)
        snprintf(pe, sizeof pe, " pe=%u", number);
    for (size_t i = 0; i < stream->count && !disasm_stops(w->d);) {
        const uint32_t entry = stream->entries[i];
        const size_t taken = inside ? 0 : add_segment(w, stream, i, pe);
        if (!taken && !inside && add_empty(w, entry, pe, mergeable)) {
            mergeable = weights_unpack(&w->code, entry).payload == w->code.payload_max;
        } else {
            mergeable = true;
            if (!taken)
                add_entry(w, entry, pe);
            inside = !taken && weights_stays_inside(&w->code, entry, inside);
        }
        i += taken ? taken : 1;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void add_section_line(struct strbuf *to, const struct weights_layout *layout)
{
    sb_addf(to, ".weights data=%u, index=%u, pes=%u, entries=%u", layout->widths.data, layout->widths.index,
            layout->pes, layout->entries);
    if (weights_beat_bytes(layout) != weights_beat_bytes_needed(layout))
        sb_addf(to, ", beat=%u", layout->beat_bytes);
    sb_add(to, "\n");
}

static bool out_of_memory(const struct weights_text *w)
{
    for (unsigned pe = 0; pe < w->layout->pes; pe++)
        if (w->streams[pe].failed)
            return true;
    return w->again.failed;
}

static void free_text(struct weights_text *w)
{
    for (unsigned pe = 0; pe < w->layout->pes; pe++)
        weights_stream_free(&w->streams[pe]);
    weights_stream_free(&w->again);
    free(w->indices);
    free(w->values);
}

void disasm_weights(struct disassembler *d)
{
    struct weights_text w = {.d = d, .layout = &d->options->layout};
    const size_t beat_bytes = weights_beat_bytes(w.layout);
    const size_t beats = d->len / beat_bytes;
    weights_code_init(&w.code, w.layout->widths);
    if (d->len % beat_bytes)
        disasm_error(d, d->diag, beats * beat_bytes,
                     "the last beat is cut off: %zu of its %zu bytes are there", d->len % beat_bytes,
                     beat_bytes);
    for (size_t i = 0; i < beats && !disasm_stops(d); i++)
        take_beat(&w, i);
    if (!d->diag->errors) {
        drop_padding(&w, beats);
        add_section_line(d->to, w.layout);
        for (unsigned pe = 0; pe < w.layout->pes; pe++)
            add_stream(&w, pe);
    }
    if (out_of_memory(&w))
        disasm_error(d, d->diag, 0, "out of memory");
    free_text(&w);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets that must be refused: the row and the functional model name the same
 * error, which is the one written down here. Each comes behind a packet that
 * computes something, and goes to the last cluster of the row.
 */
#include <string.h>

#include "gen/isa/codec.h"
#include "sim/model/sequence.h"
#include "sim/numerics/numerics.h"
#include "tests/rtl_cluster/tool/cluster_test.h"
#include "tests/sim_model/stream.h"

/* A case while it is made. */
struct making {
    struct builder *b;
    const struct variant *v;
    struct random *dice;
    struct stream stream[16]; /* of the PEs */
    unsigned cluster;         /* mask */
    unsigned pe;              /* whose stream is wrong */
};

enum { BUFFER_MULTIPLY, BUFFER_LOAD };

static const struct config_instruction multiply[] = {
    {"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL},
    {"mac", SETTINGS{{"keep", 1}, {NULL, 0}}, SETTINGS{{"result_stride", 1}, {NULL, 0}}},
    {"st", NULL, SETTINGS{{"result_stride", 1}, {NULL, 0}}},
};

static unsigned line_of(const struct variant *v)
{
    return v->load_width * 8 / v->data_width;
}

static void send(struct making *m, unsigned command, unsigned count, const void *bytes, size_t length)
{
    const struct send to = {.rows = 1, .clusters = m->cluster, .command = command, .count = count};
    builder_send(m->b, &to, bytes, length);
}

/* Sends what the streams hold, and empties them. */
static void send_streams(struct making *m, unsigned buffer, unsigned count)
{
    struct strbuf bytes = {0};
    streams_pack(m->v, m->stream, &bytes);
    send(m, EXEC_SHIFT_OUT | buffer, count, sb_text(&bytes), bytes.len);
    sb_free(&bytes);
    for (unsigned p = 0; p < m->v->k; p++) {
        stream_free(&m->stream[p]);
        m->stream[p] = (struct stream){.variant = m->v};
    }
}

/* The same for every PE but `but`. */
static void every_stream(struct making *m, unsigned but, unsigned empty_segments)
{
    for (unsigned p = 0; p < m->v->k; p++)
        if (p != but)
            stream_escape(&m->stream[p], ESCAPE_END, empty_segments - 1);
}

/* A line of activations, to the place 0. */
static void load_line(struct making *m, unsigned buffer)
{
    uint8_t activations[128];
    memset(activations, 3, sizeof activations);
    builder_config(m->b, buffer, SETTINGS{{"restart", 1}, {"block", line_of(m->v)}, {NULL, 0}},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL}}, 1);
    send(m, EXEC | buffer, 1, activations, m->v->load_width);
}

/* Something that works: activations, and a segment of one weight for each PE. */
static void compute(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {NULL, 0}}, multiply, 3);
    if (m->v->instruction_buffers > BUFFER_LOAD)
        load_line(m, BUFFER_LOAD);
    for (unsigned p = 0; p < m->v->k; p++)
        stream_weight(&m->stream[p], 0, (int32_t)p + 1, true);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

/* ---- weight streams -------------------------------------------------------------------------- */

static void undefined_escape(struct making *m)
{
    every_stream(m, m->pe, 1);
    stream_escape(&m->stream[m->pe], random_range(m->dice, ESCAPE_UNDEFINED, 7), 0);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void skip_with_a_payload(struct making *m)
{
    every_stream(m, m->pe, 1);
    stream_escape(&m->stream[m->pe], ESCAPE_SKIP, 1);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

/* A long jump is part of a segment, which nothing ends. */
static void long_jump_at_the_end(struct making *m)
{
    every_stream(m, m->pe, 1);
    stream_weight(&m->stream[m->pe], (1u << (m->v->index_width - 1)) - 1, 0, true);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void line_escape(struct making *m)
{
    every_stream(m, m->pe, 1);
    stream_escape(&m->stream[m->pe], ESCAPE_LINE, 0);
    stream_weight(&m->stream[m->pe], 0, 1, true);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void end_in_an_open_segment(struct making *m)
{
    every_stream(m, m->pe, 1);
    stream_weight(&m->stream[m->pe], 0, 1, false);
    stream_escape(&m->stream[m->pe], ESCAPE_END, 0);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void too_few_segments(struct making *m)
{
    every_stream(m, m->pe, 2);
    stream_escape(&m->stream[m->pe], ESCAPE_END, 0);
    send_streams(m, BUFFER_MULTIPLY, 2);
}

static void too_many_segments(struct making *m)
{
    every_stream(m, m->pe, 2);
    stream_escape(&m->stream[m->pe], ESCAPE_END, 2);
    send_streams(m, BUFFER_MULTIPLY, 2);
}

static void weight_behind_the_last_segment(struct making *m)
{
    every_stream(m, m->pe, 1);
    stream_weight(&m->stream[m->pe], 0, 1, true);
    stream_weight(&m->stream[m->pe], 0, 1, false);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void segment_left_open(struct making *m)
{
    every_stream(m, m->pe, 1);
    stream_weight(&m->stream[m->pe], 0, 1, false);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void weights_without_beats(struct making *m)
{
    send(m, EXEC | BUFFER_MULTIPLY, 1, "", 0);
}

static void count_that_hold_does_not_divide(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {"hold", 2}, {NULL, 0}}, multiply, 3);
    every_stream(m, UINT32_MAX, 1);
    send_streams(m, BUFFER_MULTIPLY, 3);
}

/* A weight at this position of an empty segment, in as few entries as the variant allows. */
static void weight_at(struct making *m, uint32_t position, bool last)
{
    uint32_t unit = 1u << (m->v->index_width - 2), most = 1u << (m->v->data_width - 3);
    for (uint32_t left = position / unit; left;) {
        uint32_t jump = left < most ? left : most;
        stream_escape(&m->stream[m->pe], ESCAPE_JUMP, jump - 1);
        left -= jump;
    }
    stream_weight(&m->stream[m->pe], position % unit, 1, last);
}

static void position_behind_the_buffer(struct making *m)
{
    every_stream(m, m->pe, 1);
    weight_at(m, m->v->input_buffer_depth + (1u << (m->v->index_width - 2)), true);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

/* A MAC whose wrap is the depth, and whose address is the second line: the last positions are in the first
 * line, which is loaded. */
static void wrap_at_the_depth(struct making *m)
{
    load_line(m, BUFFER_MULTIPLY);
    const struct config_instruction moved[] = {
        multiply[0],
        {"mac", multiply[1].instruction, SETTINGS{{"address", line_of(m->v)}, {NULL, 0}}},
        multiply[2]};
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {NULL, 0}}, moved, 3);
}

/* Before that, the last position there is, which is no error. */
static void position_at_the_depth(struct making *m)
{
    wrap_at_the_depth(m);
    for (uint32_t behind = 0; behind < 2; behind++) {
        every_stream(m, m->pe, 1);
        weight_at(m, m->v->input_buffer_depth - 1 + behind, true);
        send_streams(m, BUFFER_MULTIPLY, 1);
    }
}

/* In the word of the last legal one, where a word has several entries. */
static void position_at_the_depth_behind_a_weight(struct making *m)
{
    wrap_at_the_depth(m);
    for (uint32_t behind = 0; behind < 2; behind++) {
        every_stream(m, m->pe, 1);
        weight_at(m, m->v->input_buffer_depth - 2 + behind, false);
        stream_weight(&m->stream[m->pe], 0, 1, true);
        send_streams(m, BUFFER_MULTIPLY, 1);
    }
}

static void last_position_of_the_buffer(struct making *m)
{
    wrap_at_the_depth(m);
    every_stream(m, m->pe, 1);
    weight_at(m, m->v->input_buffer_depth - 1, true);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void position_behind_wrap(struct making *m)
{
    const struct config_instruction wraps[] = {
        multiply[0], {"mac", multiply[1].instruction, SETTINGS{{"wrap", 8}, {NULL, 0}}}, multiply[2]};
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {NULL, 0}}, wraps, 3);
    every_stream(m, m->pe, 1);
    stream_weight(&m->stream[m->pe], 8, 1, true);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void segment_longer_than_the_queue(struct making *m)
{
    every_stream(m, m->pe, 1);
    for (unsigned i = 0; i < m->v->weight_queue_depth + 64; i++)
        stream_weight(&m->stream[m->pe], 0, 1, i == m->v->weight_queue_depth + 63);
    send_streams(m, BUFFER_MULTIPLY, 1);
}

static void more_resident_weights_than_the_queue_holds(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {NULL, 0}}, multiply, 1);
    for (unsigned packet = 0; packet < 3; packet++) {
        for (unsigned p = 0; p < m->v->k; p++)
            for (unsigned i = 0; i < m->v->weight_queue_depth / 2; i++)
                stream_weight(&m->stream[p], 0, 1, i % 8 == 7 || i == m->v->weight_queue_depth / 2 - 1);
        send_streams(m, BUFFER_MULTIPLY, (m->v->weight_queue_depth / 2 + 7) / 8);
    }
}

static void multiplication_without_a_segment(struct making *m)
{
    const struct config_instruction alone[] = {multiply[1]};
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {NULL, 0}}, alone, 1);
    send(m, EXEC | BUFFER_MULTIPLY, 1, "", 0);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* An LD of `block` activations to `address`, with a packet of `bytes`. */
static void load_as(struct making *m, unsigned block, unsigned address, size_t bytes, bool scatter)
{
    static const uint8_t zeros[2 * 16 * ROW_BUS_BYTES_MAX];
    const struct send to = {
        .rows = 1, .clusters = m->cluster, .command = EXEC | BUFFER_MULTIPLY, .count = 1, .scatter = scatter};
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"block", block}, {NULL, 0}},
                   (const struct config_instruction[]){
                       {"ld", SETTINGS{{"target", 0}, {NULL, 0}}, SETTINGS{{"address", address}, {NULL, 0}}}},
                   1);
    builder_send(m->b, &to, zeros, bytes);
}

static void load(struct making *m, unsigned block, unsigned address, size_t bytes)
{
    load_as(m, block, address, bytes, false);
}

/* The PEs that share the packets that the functions below scatter, where clusters can. */
static unsigned sharers(const struct variant *v)
{
    return v->scatter ? v->k : 1;
}

static void scattered_load_with_a_beat_too_many(struct making *m)
{
    size_t beat = m->b->derived.bus_bytes, beats = (sharers(m->v) * m->v->load_width + beat - 1) / beat;
    load_as(m, line_of(m->v), 0, (beats + 1) * beat, m->v->scatter);
}

static void scattered_load_with_a_beat_too_few(struct making *m)
{
    size_t beat = m->b->derived.bus_bytes;
    load_as(m, 2 * (unsigned)beat * 8 / m->v->data_width, 0, (2 * sharers(m->v) - 1) * beat, m->v->scatter);
}

static void scattered_address_within_a_line(struct making *m)
{
    load_as(m, line_of(m->v), line_of(m->v) / 2, (size_t)sharers(m->v) * m->v->load_width, m->v->scatter);
}

static void block_of_part_of_a_line(struct making *m)
{
    load(m, line_of(m->v) / 2, 0, m->v->load_width);
}

static void address_within_a_line(struct making *m)
{
    load(m, line_of(m->v), line_of(m->v) / 2, m->v->load_width);
}

/* An LD behind an ST belongs to a run. */
static void address_within_a_line_in_a_run(struct making *m)
{
    static const uint8_t zeros[2 * ROW_BUS_BYTES_MAX];
    const struct setting to_input[] = {{"target", 0}, {NULL, 0}};
    const struct setting within[] = {{"address", line_of(m->v) / 2}, {NULL, 0}};
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"block", line_of(m->v)}, {NULL, 0}},
                   (const struct config_instruction[]){{"st", NULL, NULL}, {"ld", to_input, within}}, 2);
    send(m, EXEC | BUFFER_MULTIPLY, 1, zeros, m->v->load_width);
}

static void block_larger_than_the_buffer(struct making *m)
{
    load(m, m->v->input_buffer_depth + line_of(m->v), 0, 64);
}

static void load_with_a_beat_too_many(struct making *m)
{
    load(m, line_of(m->v), 0, (size_t)2 * m->b->derived.bus_bytes);
}

static void load_with_a_beat_too_few(struct making *m)
{
    load(m, 2 * m->b->derived.bus_bytes * 8 / m->v->data_width, 0, m->b->derived.bus_bytes);
}

/* What else is wrong with it is not looked at. */
static void load_without_data(struct making *m)
{
    load(m, line_of(m->v) / 2, 0, 0);
}

static void partial_sums_that_do_not_come(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY, NULL,
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 1}, {NULL, 0}}, NULL}}, 1);
    /* A packet without data takes a beat all the same, which is not looked at. */
    send(m, EXEC | BUFFER_MULTIPLY, 2, "", 0);
}

static void store_with(struct making *m, unsigned beats)
{
    static const uint8_t zeros[2 * ROW_BUS_BYTES_MAX];
    builder_config(m->b, BUFFER_MULTIPLY, NULL, (const struct config_instruction[]){{"st", NULL, NULL}}, 1);
    send(m, EXEC_SHIFT_OUT | BUFFER_MULTIPLY, 1, zeros, (size_t)beats * m->b->derived.bus_bytes);
}

static void store_with_a_beat(struct making *m)
{
    store_with(m, 1);
}

static void store_with_beats(struct making *m)
{
    store_with(m, 2);
}

/* ---- configurations and commands ------------------------------------------------------------- */

static void configuration_without_data(struct making *m)
{
    send(m, BUFFER_MULTIPLY, 1, "", 0);
}

static void buffer_never_configured(struct making *m)
{
    send(m, EXEC | (m->v->instruction_buffers - 1), 1, "", 0);
}

static void buffer_that_is_not_there(struct making *m)
{
    send(m, EXEC | (m->v->instruction_buffers % 32), 1, "", 0);
}

/* A configuration of one ST with a byte changed, sealed again or not. */
static void changed(struct making *m, unsigned byte, unsigned value, bool sealed)
{
    struct writer scratch;
    size_t bytes;
    writer_begin(&scratch, m->v);
    writer_config(&scratch, NULL, (const struct config_instruction[]){{"st", NULL, NULL}}, 1, &bytes);
    uint8_t *payload = (uint8_t *)scratch.data.text;
    payload[byte] = (uint8_t)value;
    if (sealed)
        isa_seal(&isa_config, isa_find_format(&isa_config, "config_header"), payload, bytes, 0);
    send(m, BUFFER_MULTIPLY, 1, payload, bytes);
    writer_free(&scratch);
}

static void flipped_bit(struct making *m)
{
    changed(m, 24, 1, false);
}

static void other_version(struct making *m)
{
    changed(m, 0, 1 | 2 << 2, true);
}

static void not_a_header(struct making *m)
{
    changed(m, 0, 0, true);
}

static void trigger_without_its_flag(struct making *m)
{
    changed(m, 2, 1 << 4, true);
}

static void reserved_instruction_bits(struct making *m)
{
    changed(m, 17, 0x90, true);
}

static void scalar_instruction(struct making *m)
{
    changed(m, 17, 0xC0, true);
}

/* An SPU with the records of the functions. */
static void reduce(struct making *m, const struct setting *spu, const struct function_record *records,
                   size_t count)
{
    const struct config_instruction code = {"spu", spu, NULL};
    builder_config_functions(m->b, BUFFER_MULTIPLY, NULL, &code, 1, records, count);
}

/* Of the functions that reduce, one that the variant has, or sum. */
static unsigned reduction_of(const struct variant *v)
{
    return v->functions >> VARIANT_MAX & 1       ? NUM_MAX
           : v->functions >> VARIANT_AVERAGE & 1 ? NUM_AVERAGE
                                                 : NUM_SUM;
}

static void reduction_by_the_second_record(struct making *m)
{
    const struct function_record record = {.function = reduction_of(m->v)};
    reduce(m, SETTINGS{{"function", 2}, {NULL, 0}}, &record, 1);
}

static void reduction_to_another_block(struct making *m)
{
    const struct function_record record = {.function = reduction_of(m->v)};
    reduce(m, SETTINGS{{"function", 1}, {"destination", 3}, {NULL, 0}}, &record, 1);
}

static void reduction_without_a_function(struct making *m)
{
    reduce(m, SETTINGS{{"function", 1}, {NULL, 0}}, NULL, 0);
}

static void reduction_that_is_none(struct making *m)
{
    const struct function_record record = {.function = NUM_NONE};
    reduce(m, SETTINGS{{"function", 1}, {NULL, 0}}, &record, 1);
}

static void another_reserved_bit(struct making *m)
{
    changed(m, 16, 2 | 1 << 3, true);
}

/* What is wrong with a record has an order, wherever it is in the record. */
static void reserved_bit_behind_a_bad_field(struct making *m)
{
    changed(m, 2, 3 | 1 << 4, true);
}

static void maximum_that_balances(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY, NULL,
                   (const struct config_instruction[]){
                       {"mac", SETTINGS{{"balance", 1}, {NULL, 0}}, SETTINGS{{"maximum", 1}, {NULL, 0}}}},
                   1);
}

static void maximum_of_partial_sums(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY, NULL,
                   (const struct config_instruction[]){
                       {"ld", SETTINGS{{"target", 1}, {NULL, 0}}, SETTINGS{{"maximum", 1}, {NULL, 0}}}},
                   1);
}

static void store_of_a_maximum(struct making *m)
{
    changed(m, 16, 2 | 1 << 2, true);
}

/* ---- accumulation buffers -------------------------------------------------------------------- */

static void last_of_a_sequence_that_does_not_defer(struct making *m)
{
    static const struct config_instruction store = {"st", NULL, NULL};
    builder_config(m->b, BUFFER_MULTIPLY, NULL, &store, 1);
    send(m, EXEC | COMMAND_LAST | BUFFER_MULTIPLY, 1, "", 0);
}

static void last_of_a_sliding_window(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"queue", 2}, {NULL, 0}}, multiply, 3);
    send(m, EXEC | COMMAND_LAST | BUFFER_MULTIPLY, 1, "", 0);
}

static void last_of_a_buffer_never_configured(struct making *m)
{
    send(m, EXEC | COMMAND_LAST | (m->v->instruction_buffers - 1), 1, "", 0);
}

static void last_of_a_sequence_that_defers(struct making *m)
{
    static const struct config_instruction store = {"st", NULL, NULL};
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"defer", 1}, {NULL, 0}}, &store, 1);
    send(m, EXEC | COMMAND_LAST | BUFFER_MULTIPLY, 1, "", 0);
}

static void configure_one(struct making *m, const struct setting *header, const char *format,
                          const struct setting *instruction, const struct setting *operands)
{
    const struct config_instruction code = {format, instruction, operands};
    builder_config(m->b, BUFFER_MULTIPLY, header, &code, 1);
}

static void multiplication_on_a_buffer(struct making *m)
{
    configure_one(m, NULL, "mac", SETTINGS{{"acc", 2}, {NULL, 0}}, NULL);
}

static void load_of_a_buffer(struct making *m)
{
    configure_one(m, NULL, "ld", SETTINGS{{"target", 3}, {NULL, 0}}, NULL);
}

static void load_of_a_buffer_with_a_result_outside(struct making *m)
{
    configure_one(m, NULL, "ld", SETTINGS{{"target", 3}, {NULL, 0}},
                  SETTINGS{{"result", m->v->output_queue_depth}, {NULL, 0}});
}

static void sums_for_a_buffer_that_do_not_come(struct making *m)
{
    load_of_a_buffer(m);
    send(m, EXEC | BUFFER_MULTIPLY, 2, "", 0);
}

static void maximum_on_a_buffer(struct making *m)
{
    configure_one(m, NULL, "mac", SETTINGS{{"acc", 2}, {NULL, 0}}, SETTINGS{{"maximum", 1}, {NULL, 0}});
}

static void maximum_that_is_deferred(struct making *m)
{
    configure_one(m, SETTINGS{{"defer", 1}, {NULL, 0}}, "mac", NULL, SETTINGS{{"maximum", 1}, {NULL, 0}});
}

static void zero_point_above_activations(struct making *m)
{
    configure_one(m, SETTINGS{{"zero", m->v->data_width == 8 ? 128 : INT16_MAX}, {NULL, 0}}, "st", NULL,
                  NULL);
}

static void zero_point_below_activations(struct making *m)
{
    configure_one(m, SETTINGS{{"zero", m->v->data_width == 8 ? -129 : INT16_MIN}, {NULL, 0}}, "st", NULL,
                  NULL);
}

static void zero_point_with_a_sign(struct making *m)
{
    configure_one(m, SETTINGS{{"zero", -1}, {"unsigned", 1}, {NULL, 0}}, "st", NULL, NULL);
}

static void more_records_than_come(struct making *m)
{
    changed(m, 1, 12, true);
}

static void result_behind_the_output_queue(struct making *m)
{
    const struct config_instruction far[] = {
        {"st", NULL, SETTINGS{{"result", m->v->output_queue_depth}, {NULL, 0}}}};
    builder_config(m->b, BUFFER_MULTIPLY, NULL, far, 1);
}

static void chain_without_a_function(struct making *m)
{
    const struct config_instruction chained[] = {{"mac", SETTINGS{{"chain", 1}, {NULL, 0}}, NULL}};
    builder_config(m->b, BUFFER_MULTIPLY, NULL, chained, 1);
}

static void weights_beside_another_load(struct making *m)
{
    const struct config_instruction both[] = {multiply[0], {"ld", SETTINGS{{"target", 1}, {NULL, 0}}, NULL}};
    builder_config(m->b, BUFFER_MULTIPLY, NULL, both, 2);
}

/* Sequences as long as can be, in one buffer after another; the first buffer gives back what it had each
 * time. A register file that holds all that the buffers can has no such error: then a record is missing. */
static void more_instructions_than_registers(struct making *m)
{
    const struct variant *v = m->v;
    struct config_instruction stores[32];
    unsigned pages = variant_register_pages(v, v->register_file_entries),
             each = variant_register_pages(v, v->instruction_depth);
    for (unsigned i = 0; i < v->instruction_depth; i++)
        stores[i] = (struct config_instruction){"st", NULL, NULL};
    for (unsigned i = 0; i < 3; i++)
        builder_config(m->b, 0, NULL, stores, v->instruction_depth);
    for (unsigned b = 1; b < v->instruction_buffers && b <= pages / each; b++)
        builder_config(m->b, b, NULL, stores, v->instruction_depth);
    if (v->instruction_buffers <= pages / each)
        more_records_than_come(m);
}

static void sliding_window(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"queue", 2}, {NULL, 0}}, multiply, 3);
    send(m, EXEC | BUFFER_MULTIPLY, 1, "", 0);
}

static void ring_of_triggers(struct making *m)
{
    builder_config(m->b, BUFFER_MULTIPLY,
                   SETTINGS{{"trigger", 1}, {"trigger_buffer", BUFFER_MULTIPLY}, {NULL, 0}},
                   (const struct config_instruction[]){{"st", NULL, NULL}}, 1);
    send(m, EXEC | BUFFER_MULTIPLY, 1, "", 0);
}

/* ---- the list -------------------------------------------------------------------------------- */

struct error_case {
    const char *name;
    void (*make)(struct making *m);
    enum job_code code;
    unsigned needs;       /* functions: no_feature in variants with none of them; 0: needs none */
    enum job_code scalar; /* in variants with a scalar unit */
    bool buffers;         /* needs accumulation buffers, else no_feature */
    bool zero_points;     /* needs zero points, else no_feature; allowed with activations of 16 bits */
};

#define CASE_OF(name, code, needs, scalar, buffers)      \
    {                                                    \
#name, name, code, needs, scalar, buffers, false \
    }
#define CASE(name, code) CASE_OF(name, code, 0, code, false)
#define REDUCTION(name, code, scalar) \
    CASE_OF(name, code, 1u << VARIANT_SUM | 1u << VARIANT_MAX | 1u << VARIANT_AVERAGE, scalar, false)
#define MAXIMUM(name, code) CASE_OF(name, code, 1u << VARIANT_MAX, code, false)
#define BUFFERS(name, code) CASE_OF(name, code, 0, code, true)
#define ZERO_POINT(name, code)                  \
    {                                           \
#name, name, code, 0, code, false, true \
    }

static const struct error_case cases[] = {
    CASE(undefined_escape, JOB_BAD_ESCAPE),
    CASE(skip_with_a_payload, JOB_BAD_ESCAPE),
    CASE(long_jump_at_the_end, JOB_PACKET_LENGTH),
    CASE(line_escape, JOB_NO_FEATURE),
    CASE(end_in_an_open_segment, JOB_BAD_ESCAPE),
    CASE(too_few_segments, JOB_PACKET_LENGTH),
    CASE(too_many_segments, JOB_PACKET_LENGTH),
    CASE(weight_behind_the_last_segment, JOB_PACKET_LENGTH),
    CASE(segment_left_open, JOB_PACKET_LENGTH),
    CASE(weights_without_beats, JOB_PACKET_LENGTH),
    CASE(count_that_hold_does_not_divide, JOB_PACKET_LENGTH),
    CASE(position_behind_the_buffer, JOB_OUT_OF_BUFFER),
    CASE(last_position_of_the_buffer, JOB_OK),
    CASE(position_at_the_depth, JOB_OUT_OF_BUFFER),
    CASE(position_at_the_depth_behind_a_weight, JOB_OUT_OF_BUFFER),
    CASE(position_behind_wrap, JOB_OUT_OF_BUFFER),
    CASE(segment_longer_than_the_queue, JOB_QUEUE_OVERFLOW),
    CASE(more_resident_weights_than_the_queue_holds, JOB_QUEUE_OVERFLOW),
    CASE(multiplication_without_a_segment, JOB_PACKET_LENGTH),
    CASE(block_of_part_of_a_line, JOB_OUT_OF_BUFFER),
    CASE(address_within_a_line, JOB_OUT_OF_BUFFER),
    CASE(address_within_a_line_in_a_run, JOB_OUT_OF_BUFFER),
    CASE(block_larger_than_the_buffer, JOB_OUT_OF_BUFFER),
    CASE(load_with_a_beat_too_many, JOB_PACKET_LENGTH),
    CASE(load_with_a_beat_too_few, JOB_PACKET_LENGTH),
    CASE(scattered_load_with_a_beat_too_many, JOB_PACKET_LENGTH),
    CASE(scattered_load_with_a_beat_too_few, JOB_PACKET_LENGTH),
    CASE(scattered_address_within_a_line, JOB_OUT_OF_BUFFER),
    CASE(partial_sums_that_do_not_come, JOB_PACKET_LENGTH),
    CASE(load_without_data, JOB_PACKET_LENGTH),
    CASE(store_with_a_beat, JOB_PACKET_LENGTH),
    CASE(store_with_beats, JOB_PACKET_LENGTH),
    CASE(configuration_without_data, JOB_BAD_COMMAND),
    CASE(buffer_never_configured, JOB_NOT_CONFIGURED),
    CASE(buffer_that_is_not_there, JOB_NOT_CONFIGURED),
    CASE(flipped_bit, JOB_CONFIG_CHECK),
    CASE(other_version, JOB_CONFIG_VERSION),
    CASE(not_a_header, JOB_BAD_FIELD),
    CASE(trigger_without_its_flag, JOB_BAD_RESERVED),
    CASE(reserved_instruction_bits, JOB_BAD_INSTRUCTION),
    CASE(another_reserved_bit, JOB_BAD_RESERVED),
    CASE(reserved_bit_behind_a_bad_field, JOB_BAD_RESERVED),
    CASE_OF(scalar_instruction, JOB_NO_FEATURE, 0, JOB_OK, false),
    REDUCTION(reduction_by_the_second_record, JOB_NO_FEATURE, JOB_NO_FUNCTION),
    REDUCTION(reduction_to_another_block, JOB_NO_FEATURE, JOB_OK),
    REDUCTION(reduction_without_a_function, JOB_NO_FUNCTION, JOB_NO_FUNCTION),
    REDUCTION(reduction_that_is_none, JOB_NO_FUNCTION, JOB_OK),
    MAXIMUM(maximum_that_balances, JOB_BAD_FIELD),
    MAXIMUM(maximum_of_partial_sums, JOB_BAD_FIELD),
    MAXIMUM(store_of_a_maximum, JOB_BAD_FIELD),
    CASE(more_records_than_come, JOB_CONFIG_LENGTH),
    CASE(more_instructions_than_registers, JOB_CONFIG_LENGTH),
    CASE(result_behind_the_output_queue, JOB_OUT_OF_BUFFER),
    CASE(chain_without_a_function, JOB_NO_FUNCTION),
    CASE(weights_beside_another_load, JOB_BAD_FIELD),
    CASE(sliding_window, JOB_NO_FEATURE),
    CASE(ring_of_triggers, JOB_BAD_LOOP),
    CASE(last_of_a_sequence_that_does_not_defer, JOB_BAD_COMMAND),
    CASE(last_of_a_sliding_window, JOB_BAD_COMMAND),
    CASE(last_of_a_buffer_never_configured, JOB_NOT_CONFIGURED),
    BUFFERS(last_of_a_sequence_that_defers, JOB_OK),
    BUFFERS(multiplication_on_a_buffer, JOB_OK),
    BUFFERS(load_of_a_buffer, JOB_OK),
    BUFFERS(load_of_a_buffer_with_a_result_outside, JOB_OUT_OF_BUFFER),
    BUFFERS(sums_for_a_buffer_that_do_not_come, JOB_PACKET_LENGTH),
    CASE_OF(maximum_on_a_buffer, JOB_BAD_FIELD, 1u << VARIANT_MAX, JOB_BAD_FIELD, true),
    CASE_OF(maximum_that_is_deferred, JOB_BAD_FIELD, 1u << VARIANT_MAX, JOB_BAD_FIELD, true),
    ZERO_POINT(zero_point_above_activations, JOB_BAD_FIELD),
    ZERO_POINT(zero_point_below_activations, JOB_BAD_FIELD),
    ZERO_POINT(zero_point_with_a_sign, JOB_BAD_FIELD),
};

unsigned case_error_count(void)
{
    return sizeof cases / sizeof *cases * 2;
}

/* Odd seeds: the packet alone; even ones: behind one that computes, whose results may be on their way. */
static void make(struct making *m, const struct error_case *which, bool alone)
{
    if (!alone)
        compute(m);
    else
        builder_config(m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {NULL, 0}}, multiply, 3);
    which->make(m);
    for (unsigned p = 0; p < m->v->k; p++)
        stream_free(&m->stream[p]);
}

static enum job_code wanted_of(const struct error_case *which, const struct variant *v)
{
    if (which->make == long_jump_at_the_end && !v->long_jumps)
        return JOB_BAD_ESCAPE;
    if (which->make == last_of_a_buffer_never_configured && !v->accumulators)
        return JOB_BAD_COMMAND; /* no sequence defers */
    if (v->scalar_unit && which->scalar != which->code)
        return which->scalar;
    if ((which->needs && !(v->functions & which->needs)) || (which->buffers && !v->accumulators) ||
        (which->zero_points && !v->zero_points))
        return JOB_NO_FEATURE;
    if (which->zero_points && v->data_width == 16)
        return JOB_OK;
    return which->code;
}

static bool run_list(struct bench *bench, const struct error_case *which, const struct job *job,
                     uint64_t seed, struct strbuf *why)
{
    struct row_program program = {0};
    enum job_code code = JOB_OK;
    const char *refused = row_program_read(&program, &bench->variant, job);
    const enum job_code wanted = wanted_of(which, &bench->variant);
    bool ok = !refused && bench_packets(bench, &program.row[0], seed, &code, why);
    if (refused)
        sb_add(why, refused);
    if (ok && code != wanted)
        sb_addf(why, "both end with %s, not %s", job_code_name(code), job_code_name(wanted));
    row_program_free(&program);
    return ok && code == wanted;
}

bool case_error(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    if (!seed || seed > case_error_count())
        return false;
    const struct error_case *which = &cases[(seed - 1) / 2];
    struct random dice = {seed};
    struct builder b;
    struct slots slots;
    struct making m = {.b = &b, .v = &bench->variant, .dice = &dice, .cluster = 1u << (bench->variant.m - 1)};
    m.pe = (unsigned)random_below(&dice, bench->variant.k);
    for (unsigned p = 0; p < bench->variant.k; p++)
        m.stream[p].variant = m.v;
    builder_begin(&b, &bench->variant);
    b.config_rows = 1;
    make(&m, which, seed & 1);
    builder_finish(&b, &slots, 0);
    builder_free(&b);
    sb_addf(why, "%s: ", which->name);
    bool ok = run_list(bench, which, &slots.job, seed, why);
    slots_free(&slots);
    return ok;
}

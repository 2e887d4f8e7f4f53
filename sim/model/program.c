/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/program.h"

#include <string.h>

#include "gen/isa/codec.h"
#include "sim/model/legal.h"
#include "sim/model/records.h"

/* Memory is addressed in granules: what the DMA's byte lanes can rotate. */
#define GRANULE 8

static uint64_t header_get(const uint8_t *header, const char *name)
{
    return isa_header_field(&isa_program, header, name);
}

static enum job_code fail(struct job_result *result, enum job_code code, uint64_t offset)
{
    result->code = code;
    result->queue = QUEUE_COMMAND;
    result->offset = offset;
    return code;
}

static enum job_code check_operation_record(const uint8_t *record, uint32_t index)
{
    if (isa_checksum(record, ISA_OPERATION_BYTES) != isa_check_word(index))
        return JOB_BAD_CHECK;
    const struct record_format *format = record_format(record);
    if (!format)
        return JOB_BAD_OPCODE;
    return record_is_legal(format, record) ? JOB_OK : legal_check(&isa_operation, record);
}

static enum job_code check_header(const struct program *program, uint64_t hash)
{
    const uint8_t *header = program->bytes;
    if (program->size < ISA_OPERATION_BYTES)
        return JOB_BAD_LENGTH;
    if (header_get(header, "magic") != isa_find_field(isa_program.formats, "magic")->min)
        return JOB_BAD_MAGIC;
    if (header_get(header, "major") != ISA_MAJOR || header_get(header, "minor") > ISA_MINOR)
        return JOB_BAD_VERSION;
    if (isa_checksum(header, ISA_OPERATION_BYTES) != isa_check_word(0))
        return JOB_BAD_CHECK;
    enum job_code code = legal_check(&isa_program, header);
    if (code)
        return code;
    uint64_t variant = header_get(header, "variant");
    if (variant && variant != hash)
        return JOB_WRONG_VARIANT;
    const uint64_t operations = header_get(header, "operations"), lines = header_get(header, "lines"),
                   room = program->size / ISA_OPERATION_BYTES;
    if (lines && !program->variant->packed_programs)
        return JOB_NO_FEATURE;
    if (!program->variant->kept_weights && (header_get(header, "expects") || header_get(header, "leaves")))
        return JOB_NO_FEATURE;
    const bool short_of = lines <= ISA_PACKED_FIRST || operations < ISA_PACKED_FIRST;
    if (lines ? lines > room || short_of || operations > ISA_PACKED_MOST : operations >= room)
        return JOB_BAD_LENGTH;
    return JOB_OK;
}

enum job_code program_open(struct program *program, const struct variant *variant, uint64_t hash,
                           const uint8_t *bytes, uint64_t size, struct job_result *result)
{
    *program = (struct program){.bytes = bytes, .size = size, .variant = variant, .next = 1};
    enum job_code code = check_header(program, hash);
    if (code)
        return fail(result, code, 0);
    program->operations = (uint32_t)header_get(bytes, "operations");
    program->lines = isa_program_bytes(bytes) / ISA_OPERATION_BYTES;
    program->packed = header_get(bytes, "lines");
    program->expects = (uint32_t)header_get(bytes, "expects");
    program->leaves = (uint32_t)header_get(bytes, "leaves");
    if (program->packed)
        isa_unpack_begin(&program->unpacker, bytes + (size_t)ISA_PACKED_FIRST * ISA_OPERATION_BYTES,
                         (size_t)(program->lines - ISA_PACKED_FIRST) * ISA_OPERATION_BYTES);
    uint64_t tokens[2] = {header_get(bytes, "tokens_low"), header_get(bytes, "tokens_high")};
    for (unsigned t = 0; t < ISA_TOKENS; t++) {
        program->tokens[t] = (tokens[t / 16] >> (4 * (t % 16))) & 15;
        if (program->tokens[t] && t >= variant->tokens)
            return fail(result, JOB_BAD_FIELD, 0);
    }
    return JOB_OK;
}

/* An operation's bytes with their format. */
struct record {
    const struct record_format *format;
    const uint8_t *bytes;
};

#define GET(name) record_get(r->format, r->bytes, FIELD_##name)

static void decode_pattern(const struct record *r, struct pattern *to)
{
    int64_t planes = GET(planes);
    *to = (struct pattern){
        .slot = (unsigned)GET(slot),
        .offset = (uint64_t)GET(offset),
        .length = (uint32_t)GET(length),
        .runs = (unsigned)GET(runs),
        .planes = planes ? (unsigned)planes : 1,
        .run_pitch = (int32_t)GET(run_pitch),
        .plane_pitch = (int32_t)GET(plane_pitch),
    };
}

static void decode_join(const struct record *r, struct operation *op)
{
    op->operand = (enum isa_operand)GET(operand);
    op->join = (enum isa_join)GET(join);
    op->alone = GET(alone);
    op->scale_first = GET(scale_first);
    op->fraction_15 = GET(fraction_15);
    op->softmax = (uint16_t)GET(softmax);
}

static void decode(const struct program *program, const struct record *r, struct operation *op)
{
    *op = (struct operation){
        .code = (enum opcode)GET(opcode),
        .place = (uint64_t)program->next * ISA_OPERATION_BYTES,
        .wait = {GET(wait_a) ? (unsigned)GET(wait_a_token) : NO_TOKEN,
                 GET(wait_b) ? (unsigned)GET(wait_b_token) : NO_TOKEN},
        .signal = {GET(signal_a) ? (unsigned)GET(signal_a_token) : NO_TOKEN,
                   GET(signal_b) ? (unsigned)GET(signal_b_token) : NO_TOKEN},
        .rows = (uint16_t)GET(rows),
        .clusters = (uint16_t)GET(clusters),
        .unit_address = (uint32_t)GET(unit_address),
        .command = (uint8_t)GET(command),
        .scatter = GET(scatter),
        .dispatch = GET(dispatch),
        .plain = GET(plain),
        .bitmap = GET(bitmap),
        .segment = (uint16_t)GET(segment),
        .segments = (uint16_t)GET(segments),
        .count = (uint16_t)GET(count),
        .interleave = GET(interleave),
        .no_sign = GET(unsigned),
        .element = (unsigned)GET(element),
        .source = GET(source),
        .sum_clusters = GET(sum_clusters),
        .sum_rows = GET(sum_rows),
        .final = GET(final),
        .function = (unsigned)GET(function),
        .result = (unsigned)GET(result),
        .rounding = (unsigned)GET(rounding),
        .shift = (unsigned)GET(shift),
        .multiplier = (int32_t)GET(multiplier),
        .low = (int16_t)GET(low),
        .high = (int16_t)GET(high),
        .slope = (int16_t)GET(slope),
        .fill = (uint16_t)GET(fill),
        .channels = {.first = (uint16_t)GET(first_group),
                     .run = (uint16_t)GET(group_run),
                     .repeats = (uint16_t)GET(group_repeats),
                     .holds = (uint16_t)GET(group_holds)},
        .group = (uint16_t)GET(group),
        .column = (enum isa_column)GET(column),
        .by_channel = {.bias = GET(channel_bias), .scale = GET(channel_scale), .limits = GET(channel_limits)},
    };
    decode_join(r, op);
    /* "zero" is a flag of a load and the zero point of an accumulate. */
    if (op->code == OP_ACCUMULATE)
        op->zero_point = (int16_t)GET(zero);
    else
        op->zero = GET(zero);
    decode_pattern(r, &op->memory);
}

static void decode_steps(const struct program *program, const struct record *r, struct known_record *to)
{
    const int64_t beat = program->variant->row_bus_width / 8;
    const int64_t offset[] = {GET(offset_step0), GET(offset_step1), GET(offset_step2)},
                  unit[] = {GET(unit_step0), GET(unit_step1), GET(unit_step2)},
                  group[] = {GET(group_step0), GET(group_step1), GET(group_step2)};
    for (unsigned i = 0; i < ISA_LOOP_LEVELS; i++) {
        to->offset_step[i] = offset[i];
        to->unit_step[i] = unit[i] * beat;
        to->group_step[i] = group[i];
        to->op.walks = to->op.walks || group[i];
        to->stepped = to->stepped || offset[i] || unit[i] || group[i];
    }
}

/* The bytes of the next record; NULL: those of a packed program end before. */
static const uint8_t *next_bytes(struct program *program)
{
    return program->packed && program->next >= ISA_PACKED_FIRST
               ? isa_unpack(&program->unpacker, program->next)
               : program->bytes + (uint64_t)program->next * ISA_OPERATION_BYTES;
}

/* The next record; NULL when it is wrong. `own` has it when the program keeps none. */
static const struct known_record *known_record(struct program *program, struct known_record *own,
                                               enum job_code *code)
{
    struct known_record *known = program->records ? &program->records[program->next] : own;
    *code = JOB_OK;
    if (program->records && known->known)
        return known;
    const uint8_t *bytes = next_bytes(program);
    *code = bytes ? check_operation_record(bytes, program->next) : JOB_BAD_LENGTH;
    if (*code)
        return NULL;
    const struct record record = {.format = record_format(bytes), .bytes = bytes}, *r = &record;
    *known = (struct known_record){.known = true,
                                   .early = program->packed && !isa_unpacked_all(&program->unpacker),
                                   .level = (uint32_t)GET(level),
                                   .iterations = (uint32_t)GET(iterations),
                                   .body = (uint32_t)GET(body)};
    decode(program, r, &known->op);
    decode_steps(program, r, known);
    return known;
}

/* Steps of loops; addresses of storage units and groups of channels wrap. */
static void add_steps(const struct program *program, const struct known_record *known, struct operation *op)
{
    uint64_t offset = op->memory.offset, unit = op->unit_address, group = op->channels.first;
    for (unsigned i = 0; known->stepped && i < ISA_LOOP_LEVELS; i++) {
        offset += (uint64_t)known->offset_step[i] * program->index[i];
        unit += (uint64_t)known->unit_step[i] * program->index[i];
        group += (uint64_t)known->group_step[i] * program->index[i];
    }
    op->memory.offset = offset;
    op->unit_address = (uint32_t)(unit & (program->variant->unit_bytes - 1));
    op->channels.first = (uint16_t)group;
}

static bool aligned(const struct operation *op)
{
    const struct pattern *p = &op->memory;
    return !(p->offset % GRANULE) && !(p->length % GRANULE) && !(p->run_pitch % GRANULE) &&
           !(p->plane_pitch % GRANULE);
}

/* Results go byte by byte through a packer: only whole elements are asked for. */
static bool element_aligned(const struct operation *op)
{
    const struct pattern *p = &op->memory;
    int32_t bytes = 1 << op->element;
    return !(p->offset % (uint64_t)bytes) && !(p->length % (uint32_t)bytes) && !(p->run_pitch % bytes) &&
           !(p->plane_pitch % bytes);
}

static bool masks_exist(const struct operation *op, const struct variant *v)
{
    bool rows = op->code != OP_ACCUMULATE, clusters = rows && op->code != OP_LOAD;
    return (!rows || (op->rows && !(op->rows >> v->n))) &&
           (!clusters || (op->clusters && !(op->clusters >> v->m)));
}

static bool tokens_exist(const struct operation *op, const struct variant *v)
{
    for (unsigned i = 0; i < 2; i++)
        if ((op->wait[i] != NO_TOKEN && op->wait[i] >= v->tokens) ||
            (op->signal[i] != NO_TOKEN && op->signal[i] >= v->tokens))
            return false;
    return true;
}

static bool function_exists(unsigned function, const struct variant *v)
{
    return function == NUM_LOOKUP ? v->lookup : function == 0 || (v->functions >> (function - 1) & 1);
}

/* What is read into the table of channels, or taken from it, has a use. */
static bool channels_are_used(const struct operation *op)
{
    const struct channel_use *use = &op->by_channel;
    const enum num_function function = (enum num_function)op->function;
    return (!op->column || op->source) && (op->column < COLUMN_LOOKUP || !op->group) &&
           (op->final || !channel_used(use)) && (!use->scale || num_scales(function)) &&
           (!use->limits || num_limits(function));
}

static bool names_channels(const struct operation *op)
{
    const struct channel_walk *walk = &op->channels;
    return op->group || op->column || channel_used(&op->by_channel) || walk->first || walk->run ||
           walk->repeats || walk->holds || op->walks;
}

static bool names_bank(const struct operation *op)
{
    return op->memory.slot == SLOT_BANK;
}

static bool names_joins(const struct operation *op)
{
    return op->operand || op->join || op->alone || op->scale_first || op->fraction_15 ||
           (op->no_sign && op->code == OP_ACCUMULATE);
}

/* An operand is read in groups of K, and its scale is one that the store engine has. */
static bool operand_is_right(const struct operation *op, const struct variant *v)
{
    const struct pattern *p = &op->memory;
    const uint32_t group = v->k << op->element;
    const unsigned most = op->fraction_15 ? ISA_OPERAND_SHIFT_MAX_15 : ISA_OPERAND_SHIFT_MAX_20;
    if (!op->operand)
        return !op->scale_first && !op->fraction_15 && !op->no_sign;
    if (!op->source || op->column || op->final || op->join || op->softmax || op->element > NUM_INT16 ||
        (((uint32_t)p->offset | p->length | (uint32_t)p->run_pitch) & (group - 1)))
        return false;
    return op->operand != OPERAND_SECOND ||
           (op->multiplier >= ISA_OPERAND_MULTIPLIER && op->shift >= ISA_OPERAND_SHIFT && op->shift <= most);
}

/* Results that are joined were scaled by the table of channels, or are operands from memory alone. Softmax is
 * of one operand alone. */
static bool join_is_right(const struct operation *op, const struct variant *v)
{
    const struct channel_use *use = &op->by_channel;
    const enum num_function function = (enum num_function)op->function;
    if (op->softmax && v->softmax && (op->join || !op->alone || op->softmax > v->softmax))
        return false;
    if (!op->join && !op->softmax)
        return !op->alone;
    if (!op->final || !num_scales(function) || !num_limits(function))
        return false;
    return op->alone ? !op->source && !channel_used(use) : use->scale && use->limits;
}

/* A beat of a plain packet has the end of at most one segment of each PE. */
static bool plain_is_right(const struct operation *op, const struct variant *v)
{
    if (!op->plain)
        return true;
    const bool masks = !op->segments && op->segment <= variant_bitmap_masks(v);
    return op->segment >= variant_entries_per_beat(v) &&
           (op->bitmap ? masks || !v->bitmap_weights : op->segments);
}

/* Rules between fields, and what this variant has: checked before the operation is handed out. */
static enum job_code check_operation(const struct operation *op, const struct variant *v)
{
    unsigned beat = v->row_bus_width / 8;
    if (op->code == OP_FENCE || op->code == OP_END)
        return JOB_OK;
    if (!masks_exist(op, v) || !tokens_exist(op, v))
        return JOB_BAD_FIELD;
    switch (op->code) {
    case OP_LOAD:
        if (!aligned(op) || op->unit_address % beat || !op->memory.length)
            return JOB_BAD_FIELD;
        if (program_pattern_bytes(&op->memory) > v->unit_bytes)
            return JOB_BAD_FIELD;
        break;
    case OP_DISTRIBUTE:
        if (op->unit_address % beat || op->memory.length % beat || op->memory.run_pitch % (int32_t)beat ||
            program_pattern_bytes(&op->memory) > v->unit_bytes || !op->count ||
            (v->plain_weights && !plain_is_right(op, v)))
            return JOB_BAD_FIELD;
        break;
    case OP_STORE:
        if (op->memory.slot != SLOT_OUTPUT && op->memory.slot != SLOT_SCRATCH && op->memory.slot != SLOT_BANK)
            return JOB_NOT_WRITABLE;
        if (!element_aligned(op) || !op->memory.length || (op->no_sign && op->element > NUM_INT16))
            return JOB_BAD_FIELD;
        break;
    case OP_ACCUMULATE:
        if ((op->source && (!element_aligned(op) || !op->memory.length)) || !channels_are_used(op) ||
            (v->joins && !(operand_is_right(op, v) && join_is_right(op, v))))
            return JOB_BAD_FIELD;
        break;
    default:
        break;
    }
    if (((op->fill || op->no_sign) && !v->zero_points) || (names_bank(op) && !v->local_bytes) ||
        (names_channels(op) && !v->channel_groups) || (op->rounding && !v->roundings) ||
        (op->column == COLUMN_LOOKUP && !v->lookup) || (names_joins(op) && !v->joins) ||
        ((op->softmax || op->column == COLUMN_EXPONENTIAL) && !v->softmax) ||
        (op->plain && !v->plain_weights) || (op->bitmap && !v->bitmap_weights))
        return JOB_NO_FEATURE;
    return op->code == OP_ACCUMULATE && op->final && !function_exists(op->function, v) ? JOB_NO_FUNCTION
                                                                                       : JOB_OK;
}

static enum job_code begin_loop(struct program *p, const struct known_record *r)
{
    unsigned level = r->level;
    if (p->depth == ISA_LOOP_LEVELS || (p->depth && level <= p->loops[p->depth - 1].level))
        return JOB_BAD_LOOP;
    p->loops[p->depth].level = level;
    p->loops[p->depth].start = p->next;
    p->loops[p->depth].iterations = r->iterations;
    p->depth++;
    p->index[level] = 0;
    p->next++;
    return JOB_OK;
}

static enum job_code end_loop(struct program *p, const struct known_record *r)
{
    unsigned level = r->level;
    if (!p->depth || p->loops[p->depth - 1].level != level)
        return JOB_BAD_LOOP;
    uint32_t start = p->loops[p->depth - 1].start;
    uint32_t body = p->next - start;
    /* A loop without an operation would keep the command processor from ever handing one out. */
    if (body != r->body || body == 1 || body + 1 > p->variant->program_buffer)
        return JOB_BAD_LOOP;
    if (++p->index[level] < p->loops[p->depth - 1].iterations) {
        p->next = start + 1;
        return JOB_OK;
    }
    p->index[level] = 0;
    p->depth--;
    p->next++;
    return JOB_OK;
}

enum job_code program_next(struct program *program, struct operation *op, struct job_result *result)
{
    for (;;) {
        uint64_t place = (uint64_t)program->next * ISA_OPERATION_BYTES;
        if (program->next > program->operations)
            return fail(result, JOB_BAD_LENGTH, place);
        struct known_record own;
        enum job_code code;
        const struct known_record *record = known_record(program, &own, &code);
        if (!record)
            return fail(result, code, place);
        *op = record->op;
        add_steps(program, record, op);
        program->loops_walked += op->code == OP_LOOP || op->code == OP_ENDLOOP;
        if (op->code == OP_LOOP)
            code = begin_loop(program, record);
        else if (op->code == OP_ENDLOOP)
            code = end_loop(program, record);
        else {
            if (op->code == OP_END)
                code = program->depth                         ? JOB_BAD_LOOP
                       : program->next != program->operations ? JOB_BAD_LENGTH
                       : record->early                        ? JOB_BAD_LENGTH
                                                              : JOB_OK;
            else
                code = check_operation(op, program->variant);
            program->next++;
            return code ? fail(result, code, place) : JOB_OK;
        }
        if (code)
            return fail(result, code, place);
    }
}

uint64_t program_pattern_bytes(const struct pattern *pattern)
{
    uint64_t runs = (uint64_t)pattern->runs * pattern->planes;
    return runs * pattern->length;
}

bool program_pattern_fits(const struct pattern *pattern, uint64_t size)
{
    int64_t runs = (int64_t)(pattern->runs - 1) * pattern->run_pitch;
    int64_t planes = (int64_t)(pattern->planes - 1) * pattern->plane_pitch;
    int64_t low = (runs < 0 ? runs : 0) + (planes < 0 ? planes : 0);
    int64_t high = (runs > 0 ? runs : 0) + (planes > 0 ? planes : 0);
    if (pattern->offset > (uint64_t)INT64_MAX / 2 || size > (uint64_t)INT64_MAX / 2)
        return false;
    int64_t first = (int64_t)pattern->offset + low;
    int64_t end = (int64_t)pattern->offset + high + pattern->length;
    return first >= 0 && end <= (int64_t)size;
}

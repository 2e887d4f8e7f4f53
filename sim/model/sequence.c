/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/isa/codec.h"
#include "sim/model/legal.h"

static uint64_t get(const uint8_t *record, const struct isa_format *format, const char *name)
{
    const struct isa_field *field = isa_find_field(format, name);
    return isa_get_bits(record, isa_field_lsb(&isa_config, format, field, isa_int8_widths),
                        (unsigned)field->bits);
}

static int32_t get_signed(const uint8_t *record, const struct isa_format *format, const char *name)
{
    const struct isa_field *field = isa_find_field(format, name);
    return (int32_t)isa_sign_extend(get(record, format, name), (unsigned)field->bits);
}

static uint64_t get_bit_field(uint64_t word, const char *format_name, const char *name)
{
    const struct isa_format *format = isa_find_format(&isa_instruction, format_name);
    const struct isa_field *field = isa_find_field(format, name);
    uint8_t bytes[8] = {0};
    isa_put_bits(bytes, 0, 64, word);
    return isa_get_bits(bytes, isa_field_lsb(&isa_instruction, format, field, isa_int8_widths),
                        (unsigned)field->bits);
}

static bool record_is(const uint8_t *record, const char *format)
{
    struct strbuf why = {0};
    const struct isa_format *found = isa_classify(&isa_config, record, isa_int8_widths, &why);
    sb_free(&why);
    return found && !strcmp(found->name, format);
}

static void parse_mac(struct instruction *i, uint64_t word)
{
    i->balance = get_bit_field(word, "mac", "balance");
    i->chain = get_bit_field(word, "mac", "chain");
    i->acc = (unsigned)get_bit_field(word, "mac", "acc");
    i->resume = get_bit_field(word, "mac", "resume");
    i->keep = get_bit_field(word, "mac", "keep");
}

static void parse_ld(struct instruction *i, uint64_t word)
{
    i->target = (enum ld_target)get_bit_field(word, "ld", "target");
    i->acc = (unsigned)get_bit_field(word, "ld", "acc");
}

static void parse_spu(struct instruction *i, uint64_t word)
{
    i->spu = (unsigned)get_bit_field(word, "spu", "function");
    i->destination = (unsigned)get_bit_field(word, "spu", "destination");
}

/* The record that may stand before an instruction's own. */
static void parse_extension(struct instruction *i, const uint8_t *record)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_extension");
    i->scalar = (unsigned)get(record, format, "register");
    i->result_scalar = (unsigned)get(record, format, "result_register");
    i->pe_stride = (uint32_t)get(record, format, "pe_stride");
    i->outer = (uint32_t)get(record, format, "outer");
    i->plane = get_signed(record, format, "plane");
}

/* Addresses are corrected by wrap once, so no step may be longer. */
static bool steps_fit(const struct instruction *i)
{
    int64_t wrap = i->wrap, turn = (int64_t)i->stride + (i->inner ? i->pitch : 0);
    int64_t plane = turn + (i->outer ? i->plane : 0);
    return llabs(i->stride) <= wrap && llabs(turn) <= wrap && llabs(plane) <= wrap;
}

/* The last PE's address is corrected by wrap once, too. */
static bool pes_fit(const struct instruction *i, const struct variant *v)
{
    return (uint64_t)(v->k - 1) * i->pe_stride < i->wrap;
}

/* What may be a maximum: MACs whose work stays, and what they read. */
static bool may_be_maximum(const struct instruction *i)
{
    return (i->opcode == I_MAC && !i->balance) || (i->opcode == I_LD && i->target == LD_INPUT);
}

/* What the instruction can do with the operands of its extension record. */
static bool extension_fits(const struct sequence *s, const struct instruction *i)
{
    const bool to_input = i->opcode == I_LD && i->target == LD_INPUT;
    const bool to_sums = i->opcode == I_LD && i->target == LD_ACCUMULATOR;
    const bool mac = i->opcode == I_MAC, st = i->opcode == I_ST, spu = i->opcode == I_SPU;
    const bool addresses = mac || to_input || spu;
    const bool results = mac || to_sums || st || (spu && !i->destination);
    if (!s->update_pipeline && (i->scalar || i->result_scalar || i->outer))
        return false;
    return (addresses || !i->scalar) && (results || !i->result_scalar) && (mac || !i->pe_stride) &&
           (i->inner || !i->outer) && (i->outer || !i->plane);
}

/* Whether the variant has reductions over the PEs of a cluster. */
static bool reduces(const struct variant *v)
{
    return v->functions & (1u << VARIANT_SUM | 1u << VARIANT_MAX | 1u << VARIANT_AVERAGE);
}

/* What the variant must have for the instruction. */
static bool has_features(const struct instruction *i, const struct variant *v)
{
    if ((i->maximum && !(v->functions >> VARIANT_MAX & 1)) || (i->pe_stride && !v->pe_operands) ||
        ((i->acc || i->target == LD_BUFFER) && !v->accumulators))
        return false;
    return i->opcode != I_SPU || v->scalar_unit || (reduces(v) && i->spu == 1 && !i->destination);
}

/* Whether the instruction's fields go with each other and with the header. */
static bool fields_fit(const struct sequence *s, const struct instruction *i)
{
    if (i->maximum && (!may_be_maximum(i) || i->acc || (i->opcode == I_MAC && s->defer)))
        return false;
    if (i->opcode == I_SPU && i->destination && !i->spu)
        return false;
    return extension_fits(s, i);
}

static void parse_operands(struct sequence *sequence, struct instruction *i, const struct variant *v,
                           const uint8_t *record)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_instruction");
    uint64_t word = get(record, format, "instruction");
    i->base = (unsigned)get_bit_field(word, "mac", "base");
    uint32_t base = i->base * sequence->block;
    i->address = (uint32_t)get(record, format, "address");
    i->result = (uint32_t)get(record, format, "result");
    i->stride = get_signed(record, format, "stride");
    i->pitch = get_signed(record, format, "pitch");
    i->result_stride = get_signed(record, format, "result_stride");
    i->inner = (uint32_t)get(record, format, "inner");
    i->wrap = (uint32_t)get(record, format, "wrap");
    i->wrap += i->wrap ? 0 : v->input_buffer_depth;
    if (i->opcode == I_ST || i->target == LD_ACCUMULATOR || i->target == LD_BUFFER)
        i->result += base;
    else
        i->address += base;
}

static enum job_code parse_instruction(struct sequence *sequence, struct instruction *i,
                                       const struct variant *v, const uint8_t *record)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_instruction");
    uint64_t word = get(record, format, "instruction");
    i->opcode = (enum instruction_opcode)(word >> 10);
    i->maximum = (unsigned)get(record, format, "maximum");
    if (i->opcode == I_MAC)
        parse_mac(i, word);
    else if (i->opcode == I_LD)
        parse_ld(i, word);
    else if (i->opcode == I_SPU)
        parse_spu(i, word);
    parse_operands(sequence, i, v, record);
    if (!has_features(i, v))
        return JOB_NO_FEATURE;
    if (!fields_fit(sequence, i))
        return JOB_BAD_FIELD;
    if (i->wrap > v->input_buffer_depth || i->address >= i->wrap || i->result >= v->output_queue_depth ||
        !steps_fit(i) || !pes_fit(i, v))
        return JOB_OUT_OF_BUFFER;
    unsigned functions = i->opcode == I_SPU ? i->spu : i->chain;
    return functions > sequence->functions ? JOB_NO_FUNCTION : JOB_OK;
}

static enum job_code parse_function(struct num_step *step, const struct variant *v, const uint8_t *record)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_function");
    *step = (struct num_step){
        .function = (enum num_function)get(record, format, "function"),
        .element = (enum num_element)get(record, format, "element"),
        .rounding = (enum num_rounding)get(record, format, "rounding"),
        .shift = (unsigned)get(record, format, "shift"),
        .multiplier = get_signed(record, format, "multiplier"),
        .low = (int16_t)get_signed(record, format, "low"),
        .high = (int16_t)get_signed(record, format, "high"),
        .zero = (int16_t)get_signed(record, format, "zero"),
        .slope = (int16_t)get_signed(record, format, "slope"),
    };
    if (step->rounding && !v->roundings)
        return JOB_NO_FEATURE;
    bool there = step->function == NUM_NONE || (v->functions >> (step->function - 1) & 1);
    return there ? JOB_OK : JOB_NO_FUNCTION;
}

/* The record of a payload at a position, or NULL behind its end. */
static const uint8_t *record_at(const uint8_t *payload, size_t bytes, size_t position)
{
    return (position + 1) * ISA_CONFIG_RECORD_BYTES <= bytes ? payload + position * ISA_CONFIG_RECORD_BYTES
                                                             : NULL;
}

static bool has_extensions(const struct variant *v)
{
    return v->pe_operands || v->scalar_unit;
}

/* Records that the payload must have: extensions are counted as they come. 0 when it ends before. */
static size_t count_records(const struct sequence *s, const struct variant *v, const uint8_t *payload,
                            size_t bytes)
{
    size_t position = 1;
    for (unsigned left = s->instructions; left; position++) {
        const uint8_t *record = record_at(payload, bytes, position);
        if (!record)
            return 0;
        left -= !(has_extensions(v) && record_is(record, "config_extension"));
    }
    return position + s->functions;
}

/* Whether an activation can have the value of the zero point. */
static bool zero_fits(const struct sequence *s, const struct variant *v)
{
    const int32_t values = 1 << v->data_width, least = s->has_no_sign ? 0 : -values / 2;
    return s->zero >= least && s->zero < least + values;
}

static enum job_code parse_header(struct sequence *s, const struct variant *v, const uint8_t *payload,
                                  size_t bytes)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_header");
    *s = (struct sequence){
        .instructions = (unsigned)get(payload, format, "instructions"),
        .functions = (unsigned)get(payload, format, "functions"),
        .queue = (enum weight_queue_state)get(payload, format, "queue"),
        .update_pipeline = get(payload, format, "pipeline"),
        .trigger = get(payload, format, "trigger"),
        .restart = get(payload, format, "restart"),
        .defer = get(payload, format, "defer"),
        .trigger_buffer = (unsigned)get(payload, format, "trigger_buffer"),
        .after = get(payload, format, "after"),
        .after_buffer = (unsigned)get(payload, format, "after_buffer"),
        .has_no_sign = (unsigned)get(payload, format, "unsigned"),
        .block = (uint32_t)get(payload, format, "block"),
        .hold = (uint32_t)get(payload, format, "hold"),
    };
    s->hold += !s->hold;
    s->zero = s->has_no_sign ? (int32_t)get(payload, format, "zero") : get_signed(payload, format, "zero");
    if (s->instructions > v->instruction_depth)
        return JOB_CONFIG_LENGTH;
    /* The payload is padded to whole beats with zeros. */
    size_t records = count_records(s, v, payload, bytes);
    if (!records || math_round_up(records * ISA_CONFIG_RECORD_BYTES, v->row_bus_width / 8) != bytes)
        return JOB_CONFIG_LENGTH;
    if (isa_checksum(payload, bytes) != isa_check_word(0))
        return JOB_CONFIG_CHECK;
    if (s->trigger_buffer >= v->instruction_buffers || s->after_buffer >= v->instruction_buffers)
        return JOB_BAD_FIELD;
    if ((s->update_pipeline && !v->scalar_unit) || (s->functions > 1 && !v->scalar_unit) ||
        (s->defer && !v->accumulators) || ((s->zero || s->has_no_sign) && !v->zero_points))
        return JOB_NO_FEATURE;
    return zero_fits(s, v) ? JOB_OK : JOB_BAD_FIELD;
}

/* Whether the record is of this kind and has what its kind allows. */
static enum job_code check_kind(const uint8_t *record, const char *format)
{
    return record_is(record, format) ? legal_check(&isa_config, record) : JOB_BAD_FIELD;
}

/* The version says what the other fields mean, so it is looked at before them. */
static enum job_code check_header(const uint8_t *record)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_header");
    if (record_is(record, format->name) && get(record, format, "version") != ISA_MAJOR)
        return JOB_CONFIG_VERSION;
    return check_kind(record, format->name);
}

/* An instruction's records, its extension first; *position is moved behind them. */
static enum job_code parse_records(struct sequence *s, unsigned index, const struct variant *v,
                                   const uint8_t *payload, size_t *position)
{
    struct instruction *i = &s->code[index];
    const uint8_t *record = payload + (*position)++ * ISA_CONFIG_RECORD_BYTES;
    enum job_code code = JOB_OK;
    if (has_extensions(v) && record_is(record, "config_extension")) {
        code = legal_check(&isa_config, record);
        parse_extension(i, record);
        record = payload + (*position)++ * ISA_CONFIG_RECORD_BYTES;
    }
    code = code ? code : check_kind(record, "config_instruction");
    return code ? code : parse_instruction(s, i, v, record);
}

/* A function without a reduction is no use to an SPU of a sequence that only reduces, or to a register. */
static bool reduces_by(const struct sequence *s, const struct variant *v, unsigned function)
{
    for (unsigned i = 0; i < s->instructions; i++) {
        const struct instruction *in = &s->code[i];
        if (in->opcode == I_SPU && in->spu == function + 1 && (!v->scalar_unit || in->destination))
            return true;
    }
    return false;
}

static enum job_code parse_functions(struct sequence *s, const struct variant *v, const uint8_t *payload,
                                     size_t position)
{
    for (unsigned f = 0; f < s->functions; f++) {
        const uint8_t *record = payload + (position + f) * ISA_CONFIG_RECORD_BYTES;
        enum job_code code = check_kind(record, "config_function");
        code = code ? code : parse_function(&s->table[f], v, record);
        if (!code && reduces_by(s, v, f) && !num_is_reduction(s->table[f].function))
            code = JOB_NO_FUNCTION;
        if (code)
            return code;
    }
    return JOB_OK;
}

/* Weights come in beats of their own, so nothing else of a packet could be told from them. */
static bool loads_are_mixed(const struct sequence *s, unsigned index)
{
    unsigned loads = 0;
    bool weights = false;
    for (unsigned i = 0; i <= index; i++) {
        loads += s->code[i].opcode == I_LD;
        weights = weights || (s->code[i].opcode == I_LD && s->code[i].target == LD_WEIGHTS);
    }
    return weights && loads > 1;
}

enum job_code sequence_parse(struct sequence *s, const struct variant *v, unsigned room,
                             const uint8_t *payload, size_t bytes)
{
    if (bytes < ISA_CONFIG_RECORD_BYTES)
        return JOB_CONFIG_LENGTH;
    enum job_code code = check_header(payload);
    code = code ? code : parse_header(s, v, payload, bytes);
    size_t position = 1;
    for (unsigned i = 0; !code && i < s->instructions; i++) {
        code = parse_records(s, i, v, payload, &position);
        if (!code && loads_are_mixed(s, i))
            code = JOB_BAD_FIELD;
        if (!code && i >= room)
            code = JOB_CONFIG_LENGTH;
    }
    return code ? code : parse_functions(s, v, payload, position);
}

unsigned sequence_macs(const struct sequence *s)
{
    unsigned macs = 0;
    for (unsigned i = 0; i < s->instructions; i++)
        macs += s->code[i].opcode == I_MAC;
    return macs;
}

bool sequence_loads_weights(const struct sequence *s)
{
    for (unsigned i = 0; i < s->instructions; i++)
        if (s->code[i].opcode == I_LD && s->code[i].target == LD_WEIGHTS)
            return true;
    return false;
}

void operands_start(struct operands *operands, const struct instruction *instruction)
{
    *operands = (struct operands){.address = instruction->address, .result = instruction->result};
}

static uint32_t step_modulo(uint32_t value, int32_t step, uint32_t modulus)
{
    int64_t sum = (int64_t)value + step;
    if (sum >= 0 && sum < modulus) /* a division takes as long as the rest of an iteration */
        return (uint32_t)sum;
    sum %= (int64_t)modulus;
    return (uint32_t)(sum < 0 ? sum + modulus : sum);
}

void operands_advance(struct operands *operands, const struct instruction *instruction, uint32_t result_depth)
{
    operands->address = step_modulo(operands->address, instruction->stride, instruction->wrap);
    if (instruction->inner && ++operands->pass == instruction->inner) {
        operands->pass = 0;
        operands->address = step_modulo(operands->address, instruction->pitch, instruction->wrap);
        if (instruction->outer && ++operands->turn == instruction->outer) {
            operands->turn = 0;
            operands->address = step_modulo(operands->address, instruction->plane, instruction->wrap);
        }
    }
    operands->result = step_modulo(operands->result, instruction->result_stride, result_depth);
}

static bool same_step(const struct num_step *a, const struct num_step *b)
{
    return a->function == b->function && a->element == b->element && a->shift == b->shift &&
           a->multiplier == b->multiplier && a->low == b->low && a->high == b->high && a->zero == b->zero &&
           a->slope == b->slope && a->rounding == b->rounding && a->lookup == b->lookup;
}

bool sequence_same(const struct sequence *a, const struct sequence *b)
{
    if (a->instructions != b->instructions || a->functions != b->functions || a->queue != b->queue ||
        a->update_pipeline != b->update_pipeline || a->trigger != b->trigger || a->restart != b->restart ||
        a->after != b->after || a->defer != b->defer || a->trigger_buffer != b->trigger_buffer ||
        a->after_buffer != b->after_buffer || a->has_no_sign != b->has_no_sign || a->zero != b->zero ||
        a->block != b->block || a->hold != b->hold ||
        memcmp(a->code, b->code, a->instructions * sizeof *a->code) != 0)
        return false;
    for (unsigned f = 0; f < a->functions; f++)
        if (!same_step(&a->table[f], &b->table[f]))
            return false;
    return true;
}

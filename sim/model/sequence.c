/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "gen/isa/codec.h"

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

/* What is wrong with a record whose kind is right. */
static enum job_code check_record(const uint8_t *record)
{
    struct strbuf why = {0};
    enum job_code code = JOB_OK;
    if (!isa_validate(&isa_config, record, isa_int8_widths, &why))
        code = strstr(sb_text(&why), "\"version\"")       ? JOB_CONFIG_VERSION
               : strstr(sb_text(&why), "\"instruction\"") ? JOB_BAD_INSTRUCTION
               : strstr(sb_text(&why), "reserved")        ? JOB_BAD_RESERVED
                                                          : JOB_BAD_FIELD;
    sb_free(&why);
    return code;
}

static void parse_mac(struct instruction *i, uint64_t word)
{
    i->balance = get_bit_field(word, "mac", "balance");
    i->chain = get_bit_field(word, "mac", "chain");
    i->acc = (unsigned)get_bit_field(word, "mac", "acc");
    i->resume = get_bit_field(word, "mac", "resume");
    i->keep = get_bit_field(word, "mac", "keep");
}

/* Addresses are corrected by wrap once, so no step may be longer. */
static bool steps_fit(const struct instruction *i)
{
    int64_t wrap = i->wrap, turn = (int64_t)i->stride + (i->inner ? i->pitch : 0);
    return llabs(i->stride) <= wrap && llabs(turn) <= wrap;
}

/* What may be a maximum: MACs whose work stays, and what they read. */
static bool may_be_maximum(const struct instruction *i)
{
    return (i->opcode == I_MAC && !i->balance) || (i->opcode == I_LD && i->target == LD_INPUT);
}

/* Whether the variant has reductions over the PEs of a cluster. */
static bool reduces(const struct variant *v)
{
    return v->functions & (1u << VARIANT_SUM | 1u << VARIANT_MAX | 1u << VARIANT_AVERAGE);
}

static enum job_code parse_instruction(struct sequence *sequence, struct instruction *i,
                                       const struct variant *v, const uint8_t *record)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_instruction");
    uint64_t word = get(record, format, "instruction");
    i->opcode = (enum instruction_opcode)(word >> 10);
    uint32_t base = (uint32_t)get_bit_field(word, "mac", "base") * sequence->block;
    i->address = (uint32_t)get(record, format, "address");
    i->result = (uint32_t)get(record, format, "result");
    i->stride = get_signed(record, format, "stride");
    i->pitch = get_signed(record, format, "pitch");
    i->result_stride = get_signed(record, format, "result_stride");
    i->inner = (uint32_t)get(record, format, "inner");
    i->wrap = (uint32_t)get(record, format, "wrap");
    i->maximum = (unsigned)get(record, format, "maximum");
    if (i->maximum && !(v->functions >> VARIANT_MAX & 1))
        return JOB_NO_FEATURE;
    switch (i->opcode) {
    case I_MAC:
        parse_mac(i, word);
        break;
    case I_LD:
        i->target = (enum ld_target)get_bit_field(word, "ld", "target");
        break;
    case I_ST:
        break;
    case I_SPU:
        if (!reduces(v) || get_bit_field(word, "spu", "function") != 1)
            return JOB_NO_FEATURE;
        if (get_bit_field(word, "spu", "destination"))
            return JOB_BAD_FIELD;
        break;
    }
    if (i->maximum && !may_be_maximum(i))
        return JOB_BAD_FIELD;
    bool input_side =
        i->opcode == I_MAC || i->opcode == I_SPU || (i->opcode == I_LD && i->target != LD_ACCUMULATOR);
    if (input_side)
        i->address += base;
    else
        i->result += base;
    if (!i->wrap)
        i->wrap = v->input_buffer_depth;
    if (i->wrap > v->input_buffer_depth || i->address >= i->wrap || i->result >= v->output_queue_depth ||
        !steps_fit(i))
        return JOB_OUT_OF_BUFFER;
    if ((i->chain || i->opcode == I_SPU) && !sequence->functions)
        return JOB_NO_FUNCTION;
    return JOB_OK;
}

static enum job_code parse_function(struct num_step *step, const struct variant *v, const uint8_t *record)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_function");
    *step = (struct num_step){
        .function = (enum num_function)get(record, format, "function"),
        .element = (enum num_element)get(record, format, "element"),
        .shift = (unsigned)get(record, format, "shift"),
        .multiplier = get_signed(record, format, "multiplier"),
        .low = (int16_t)get_signed(record, format, "low"),
        .high = (int16_t)get_signed(record, format, "high"),
        .zero = (int16_t)get_signed(record, format, "zero"),
        .slope = (int16_t)get_signed(record, format, "slope"),
    };
    bool there = step->function == NUM_NONE || (v->functions >> (step->function - 1) & 1);
    return there ? JOB_OK : JOB_NO_FUNCTION;
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
        .trigger_buffer = (unsigned)get(payload, format, "trigger_buffer"),
        .ahead = (unsigned)get(payload, format, "ahead"),
        .after = get(payload, format, "after"),
        .after_buffer = (unsigned)get(payload, format, "after_buffer"),
        .block = (uint32_t)get(payload, format, "block"),
        .hold = (uint32_t)get(payload, format, "hold"),
        .step = (uint32_t)get(payload, format, "step"),
    };
    s->hold += !s->hold;
    /* The payload is padded to whole beats with zeros. */
    size_t records = 1 + s->instructions + s->functions;
    size_t beat = v->row_bus_width / 8;
    size_t padded = math_round_up(records * ISA_CONFIG_RECORD_BYTES, beat);
    if (s->instructions > v->instruction_depth || padded != bytes)
        return JOB_CONFIG_LENGTH;
    if (isa_checksum(payload, bytes) != isa_check_word(0))
        return JOB_CONFIG_CHECK;
    if (s->trigger_buffer >= v->instruction_buffers || s->after_buffer >= v->instruction_buffers)
        return JOB_BAD_FIELD;
    return JOB_OK;
}

static bool is_reduction(enum num_function function)
{
    return function == NUM_SUM || function == NUM_MAX || function == NUM_AVERAGE;
}

enum job_code sequence_parse(struct sequence *s, const struct variant *v, unsigned room,
                             const uint8_t *payload, size_t bytes)
{
    if (bytes < ISA_CONFIG_RECORD_BYTES)
        return JOB_CONFIG_LENGTH;
    if (!record_is(payload, "config_header"))
        return JOB_BAD_FIELD;
    enum job_code code = check_record(payload);
    if (!code)
        code = parse_header(s, v, payload, bytes);
    for (unsigned r = 0; !code && r < s->instructions + s->functions; r++) {
        const uint8_t *record = payload + (size_t)(1 + r) * ISA_CONFIG_RECORD_BYTES;
        bool instruction = r < s->instructions;
        if (!record_is(record, instruction ? "config_instruction" : "config_function"))
            return JOB_BAD_FIELD;
        code = check_record(record);
        if (!code)
            code = instruction ? parse_instruction(s, &s->code[r], v, record)
                               : parse_function(&s->table[r - s->instructions], v, record);
        if (!code && instruction && r >= room)
            code = JOB_CONFIG_LENGTH;
    }
    /* Weights come in beats of their own, so nothing else of the packet could be told from them. */
    if (!code && sequence_loads_weights(s) && sequence_loads(s) > 1)
        code = JOB_BAD_FIELD;
    if (!code && sequence_reduces(s) && !is_reduction(s->table[0].function))
        code = JOB_NO_FUNCTION;
    return code;
}

unsigned sequence_loads(const struct sequence *s)
{
    unsigned loads = 0;
    for (unsigned i = 0; i < s->instructions; i++)
        loads += s->code[i].opcode == I_LD;
    return loads;
}

bool sequence_reduces(const struct sequence *s)
{
    for (unsigned i = 0; i < s->instructions; i++)
        if (s->code[i].opcode == I_SPU)
            return true;
    return false;
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
    int64_t sum = ((int64_t)value + step) % (int64_t)modulus;
    return (uint32_t)(sum < 0 ? sum + modulus : sum);
}

void operands_advance(struct operands *operands, const struct instruction *instruction, uint32_t result_depth)
{
    operands->address = step_modulo(operands->address, instruction->stride, instruction->wrap);
    if (instruction->inner && ++operands->pass == instruction->inner) {
        operands->pass = 0;
        operands->address = step_modulo(operands->address, instruction->pitch, instruction->wrap);
    }
    operands->result = step_modulo(operands->result, instruction->result_stride, result_depth);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the configuration payloads of the test bench with the codec. A faulty payload is a good one with a
 * change. Its check is computed again after the change, unless the check is the fault.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gen/emit/params.h"
#include "gen/emit/testbench.h"
#include "gen/isa/codec.h"

enum { RECORD_BYTES = ISA_CONFIG_RECORD_BYTES };

/* What an instruction works on; see config_instruction in the table. */
struct operands {
    unsigned address;
    int stride;
    unsigned inner;
    int pitch;
    unsigned wrap, result;
    int result_stride;
};

/* ---- making a payload ------------------------------------------------------------------------ */

static void set_in(const struct isa_family *family, const char *format_name, uint8_t *bytes, const char *name,
                   uint64_t value)
{
    const struct isa_format *format = isa_find_format(family, format_name);
    const struct isa_field *field = format ? isa_find_field(format, name) : NULL;
    if (!field)
        abort(); /* the table has no such field: the tests of the generator run this for every name */
    isa_put_bits(bytes, isa_field_lsb(family, format, field, isa_int8_widths),
                 isa_field_bits(field, isa_int8_widths), value);
}

static void set_constants(const struct isa_family *family, const char *format_name, uint8_t *bytes)
{
    const struct isa_format *format = isa_find_format(family, format_name);
    for (const struct isa_field *f = format->fields; f->bits; f++)
        if (f->kind == ISA_CONST)
            set_in(family, format_name, bytes, f->name, isa_const_value(f, isa_int8_widths));
}

static void set_header(struct testbench_payload *payload, const char *name, uint64_t value)
{
    set_in(&isa_config, "config_header", payload->bytes, name, value);
}

static uint8_t *last_record(struct testbench_payload *payload)
{
    return payload->bytes + (payload->records - 1) * RECORD_BYTES;
}

static void set_instruction(struct testbench_payload *payload, const char *name, uint64_t value)
{
    set_in(&isa_config, "config_instruction", last_record(payload), name, value);
}

static void seal(struct testbench_payload *payload)
{
    isa_seal(&isa_config, isa_find_format(&isa_config, "config_header"), payload->bytes,
             payload->records * RECORD_BYTES, 0);
}

static struct testbench_payload begin(unsigned block)
{
    struct testbench_payload payload = {.records = 1};
    set_constants(&isa_config, "config_header", payload.bytes);
    set_header(&payload, "version", ISA_MAJOR);
    set_header(&payload, "restart", 1);
    set_header(&payload, "block", block);
    return payload;
}

static void add_instruction(struct testbench_payload *payload, uint64_t instruction, struct operands operands)
{
    payload->records++;
    set_constants(&isa_config, "config_instruction", last_record(payload));
    set_instruction(payload, "instruction", instruction);
    set_instruction(payload, "address", operands.address);
    set_instruction(payload, "stride", (uint64_t)operands.stride);
    set_instruction(payload, "inner", operands.inner);
    set_instruction(payload, "pitch", (uint64_t)operands.pitch);
    set_instruction(payload, "wrap", operands.wrap);
    set_instruction(payload, "result", operands.result);
    set_instruction(payload, "result_stride", (uint64_t)operands.result_stride);
    set_header(payload, "instructions", payload->records - 1);
}

static void add_function(struct testbench_payload *payload, unsigned function)
{
    payload->records++;
    set_constants(&isa_config, "config_function", last_record(payload));
    set_in(&isa_config, "config_function", last_record(payload), "function", function);
    set_header(payload, "functions", 1);
}

/* An instruction with its base and, where it has one, its load target. */
static uint64_t instruction(const char *format, unsigned base, const char *target)
{
    uint8_t bytes[8] = {0};
    set_constants(&isa_instruction, format, bytes);
    if (base)
        set_in(&isa_instruction, format, bytes, "base", base);
    if (target) {
        const struct isa_field *field = isa_find_field(isa_find_format(&isa_instruction, format), "target");
        set_in(&isa_instruction, format, bytes, "target", isa_find_value_named(field->values, target)->value);
    }
    return isa_get_bits(bytes, 0, 12);
}

static struct testbench_payload single(unsigned block, uint64_t word, struct operands operands)
{
    struct testbench_payload payload = begin(block);
    add_instruction(&payload, word, operands);
    return payload;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* Adds the payload as it is: its check may be wrong. */
static void add_raw(struct testbench_payloads *list, const char *name, const char *doc,
                    const struct testbench_payload *payload)
{
    assert(list->count < TESTBENCH_PAYLOADS_MAX);
    list->items[list->count] = *payload;
    list->items[list->count].name = name;
    list->items[list->count].doc = doc;
    list->items[list->count++].first = list->records;
    list->records += payload->records;
}

static void add(struct testbench_payloads *list, const char *name, const char *doc,
                struct testbench_payload payload)
{
    seal(&payload);
    add_raw(list, name, doc, &payload);
}

/* ---- good ones ------------------------------------------------------------------------------- */

static void add_partial_payloads(struct testbench_payloads *list)
{
    uint64_t load = instruction("ld", 0, "accumulator");
    uint64_t store = instruction("st", 0, NULL);
    struct testbench_payload going_on = single(1, load, (struct operands){.result_stride = 1});
    set_header(&going_on, "restart", 0);
    add(list, "PARTIALS", "partial sums into entries 0, 1, ...",
        single(1, load, (struct operands){.result_stride = 1}));
    add(list, "PARTIALS_GO_ON", "the same, each packet going on where the last one stopped", going_on);
    add(list, "PARTIALS_DOWN", "partial sums into entries 3, 2, ...: base 3, blocks of 1",
        single(1, instruction("ld", 3, "accumulator"), (struct operands){.result_stride = -1}));
    add(list, "RESULTS", "results of entries 0, 1, ...",
        single(1, store, (struct operands){.result_stride = 1}));
    add(list, "RESULTS_STEP", "results of entries 1, 3: base 1, blocks of 1, stride 2",
        single(1, instruction("st", 1, NULL), (struct operands){.result_stride = 2}));
}

static void add_input_payloads(struct testbench_payloads *list, unsigned depth, unsigned line)
{
    int l = (int)line;
    uint64_t load = instruction("ld", 0, "input");
    add(list, "INPUTS", "activations, two lines at a time",
        single(2 * line, load, (struct operands){.stride = 2 * l}));
    add(list, "INPUTS_PITCH", "base 1, blocks of a line; pitch after every second; wrap at eight lines",
        single(line, instruction("ld", 1, "input"),
               (struct operands){.stride = l, .inner = 2, .pitch = 2 * l, .wrap = 8 * line}));
    add(list, "INPUTS_END", "from the last line on, wrapping at the buffer's depth",
        single(2 * line, load, (struct operands){.address = depth - line}));
    add(list, "INPUTS_BACK", "two lines at a time, a line back each time, wrap at four lines",
        single(2 * line, load, (struct operands){.stride = -l, .wrap = 4 * line}));
}

/* A MAC that writes its sum to the output queue. */
static uint64_t mac(bool resume, bool balance)
{
    uint8_t word[8] = {0};
    isa_put_bits(word, 0, 16, instruction("mac", 0, NULL));
    set_in(&isa_instruction, "mac", word, "keep", 1);
    set_in(&isa_instruction, "mac", word, "resume", resume);
    set_in(&isa_instruction, "mac", word, "balance", balance);
    return isa_get_bits(word, 0, 12);
}

static void add_products(struct testbench_payloads *list, const char *name, const char *doc, bool resume)
{
    struct operands entries = {.result_stride = 1};
    struct testbench_payload products = begin(1);
    add_instruction(&products, instruction("ld", 0, "weights"), (struct operands){0});
    add_instruction(&products, mac(resume, true), entries);
    add_instruction(&products, instruction("st", 0, NULL), entries);
    add(list, name, doc, products);
}

static void add_compute_payloads(struct testbench_payloads *list, const struct variant *v, unsigned line)
{
    struct operands lines = {.stride = (int)line, .result_stride = 1};
    struct testbench_payload segment = single(1, instruction("ld", 0, "weights"), (struct operands){0});
    struct testbench_payload twice = segment, scan = single(1, mac(false, false), lines);
    add(list, "SEGMENT", "segments of weights", segment);
    set_header(&twice, "hold", 2);
    add(list, "SEGMENT_TWICE", "segments of weights that serve two iterations", twice);
    set_header(&scan, "hold", v->output_queue_depth < 16 ? v->output_queue_depth : 16);
    add(list, "SCAN_LINES", "the segment at the head with lines 0, 1, ...", scan);
    add(list, "LAST_LINE", "the segment at the head with the last line",
        single(1, mac(false, false), (struct operands){.address = v->input_buffer_depth - line}));
    if (v->instruction_depth < 3)
        return;
    add_products(list, "PRODUCTS", "weights, a sum for each segment, results", false);
    add_products(list, "PRODUCTS_MORE", "the same, added to the sums that are there", true);
}

static void add_longer_payloads(struct testbench_payloads *list, const struct variant *v, unsigned line)
{
    struct testbench_payload both = begin(line), all = begin(line);
    struct operands entries = {.result_stride = 1};
    add_instruction(&both, instruction("ld", 0, "accumulator"), entries);
    add_instruction(&both, instruction("st", 0, NULL), entries);
    if (v->instruction_depth >= 2) {
        struct testbench_payload two = begin(line);
        uint64_t load = instruction("ld", 0, "input");
        add(list, "THROUGH", "partial sums in and out again", both);
        add_instruction(&two, load, (struct operands){.address = line, .stride = (int)(2 * line)});
        add_instruction(&two, load, (struct operands){.stride = (int)(2 * line)});
        add(list, "INPUTS_TWO", "activations, odd and even lines in turn", two);
    }
    add_instruction(&all, instruction("ld", 0, "input"), (struct operands){.stride = (int)line});
    add_instruction(&all, instruction("ld", 0, "accumulator"), entries);
    add_instruction(&all, instruction("st", 0, NULL), entries);
    if (v->instruction_depth >= 3)
        add(list, "MIXED", "a line of activations, partial sums, results", all);
}

static void add_function_payload(struct testbench_payloads *list, const struct variant *v, bool there,
                                 const char *name, const char *doc)
{
    unsigned mask = params_function_mask(v);
    for (const struct isa_value *f = isa_function_values; f->name; f++)
        if (f->value && (mask >> f->value & 1) == there) {
            struct testbench_payload payload =
                single(1, instruction("st", 0, NULL), (struct operands){.result_stride = 1});
            add_function(&payload, (unsigned)f->value);
            add(list, name, doc, payload);
            return;
        }
}

/* ---- faulty ones ----------------------------------------------------------------------------- */

static struct testbench_payload good(void)
{
    return single(1, instruction("st", 0, NULL), (struct operands){.result_stride = 1});
}

static void add_record_faults(struct testbench_payloads *list)
{
    struct testbench_payload version = good(), reserved = good(), field = good(), word = good(),
                             check = good();
    set_header(&version, "version", ISA_MAJOR + 1);
    add(list, "BAD_VERSION", "another major version", version);
    set_header(&field, "queue", 3);
    add(list, "BAD_FIELD", "a queue state that is not defined", field);
    isa_put_bits(last_record(&reserved), 3, 1, 1);
    add(list, "BAD_RESERVED", "a reserved bit of an instruction record", reserved);
    set_instruction(&word, "instruction", instruction("st", 0, NULL) | 1);
    add(list, "BAD_INSTRUCTION", "a reserved bit of an instruction", word);
    seal(&check);
    check.bytes[20] ^= 0x10;
    add_raw(list, "BAD_CHECK", "a flipped bit", &check);
    seal(&word);
    word.bytes[20] ^= 0x10;
    add_raw(list, "BAD_CHECK_FIRST", "a flipped bit and a bad instruction", &word);
}

static void add_length_faults(struct testbench_payloads *list, const struct variant *v)
{
    struct testbench_payload fewer = good(), more = good(), kind = good(), full = begin(1);
    set_header(&fewer, "instructions", 6); /* the widest beat holds four records */
    add(list, "BAD_SHORT", "fewer records than the header says", fewer);
    for (unsigned i = 0; i < 4; i++)
        add_instruction(&more, instruction("st", 0, NULL), (struct operands){0});
    set_header(&more, "instructions", 1);
    add(list, "BAD_LONG", "beats behind the last record", more);
    memset(last_record(&kind), 0, RECORD_BYTES);
    set_constants(&isa_config, "config_function", last_record(&kind));
    add(list, "BAD_KIND", "no instruction record where one is due", kind);
    if (v->instruction_depth == 32)
        return;
    for (unsigned i = 0; i <= v->instruction_depth; i++)
        add_instruction(&full, instruction("st", 0, NULL), (struct operands){0});
    add(list, "BAD_FULL", "more instructions than a buffer holds", full);
}

static void add_operand_faults(struct testbench_payloads *list, const struct variant *v, unsigned line)
{
    uint64_t load = instruction("ld", 0, "input"), store = instruction("st", 0, NULL);
    add(list, "BAD_BLOCK", "a block that is not a whole line",
        single(line + line / 2, load, (struct operands){0}));
    add(list, "BAD_ADDRESS", "an address at the wrap",
        single(line, load, (struct operands){.address = 4 * line, .wrap = 4 * line}));
    add(list, "BAD_STRIDE", "a stride larger than the wrap",
        single(line, load, (struct operands){.stride = (int)(9 * line), .wrap = 4 * line}));
    add(list, "BAD_RESULT", "an entry outside the output queue",
        single(1, store, (struct operands){.result = v->output_queue_depth}));
    add(list, "BAD_BASE", "an operand above 16 bits",
        single(0xFFFF, instruction("st", 15, NULL), (struct operands){0}));
}

/* An instruction with one more field. */
static uint64_t instruction_with(const char *format, const char *field, uint64_t value)
{
    uint8_t word[8] = {0};
    isa_put_bits(word, 0, 16, instruction(format, 0, NULL));
    set_in(&isa_instruction, format, word, field, value);
    return isa_get_bits(word, 0, 12);
}

static void add_missing_features(struct testbench_payloads *list)
{
    struct testbench_payload window = good(), maximum = good(), chain = begin(1);
    set_header(&window, "queue", 2);
    set_instruction(&maximum, "maximum", 1);
    add(list, "NO_MAXIMUM", "a store that is a maximum", maximum);
    add(list, "NO_WINDOW", "a sliding window", window);
    add(list, "NO_SPU", "an SPU", single(1, instruction("spu", 0, NULL), (struct operands){0}));
    add(list, "BAD_COPY", "a copy to a scalar register",
        single(1, instruction_with("spu", "destination", 1), (struct operands){0}));
    add_instruction(&chain, instruction_with("mac", "chain", 1), (struct operands){0});
    add(list, "NO_TABLE", "a chained MAC without a function table", chain);
}

unsigned testbench_other_buffer(const struct variant *v)
{
    const unsigned longest = v->instruction_depth < 3 ? v->instruction_depth : 3;
    const bool both =
        variant_register_pages(v, v->register_file_entries) >= 2 * variant_register_pages(v, longest);
    return both ? v->instruction_buffers - 1 : 0;
}

static void add_triggers(struct testbench_payloads *list, const struct variant *v)
{
    struct testbench_payload next =
        single(1, instruction("ld", 0, "accumulator"), (struct operands){.result_stride = 1});
    struct testbench_payload ring = good(), far = good();
    set_header(&next, "trigger", 1);
    set_header(&next, "trigger_buffer", testbench_other_buffer(v));
    if (testbench_other_buffer(v))
        add(list, "TRIGGERS", "partial sums, then the other buffer", next);
    set_header(&ring, "trigger", 1);
    add(list, "BAD_RING", "a buffer 0 that starts itself", ring);
    set_header(&far, "trigger", 1);
    set_header(&far, "trigger_buffer", v->instruction_buffers);
    if (v->instruction_buffers < 32)
        add(list, "BAD_TRIGGER", "starting a buffer that the variant does not have", far);
}

/* As many instructions as a buffer has places, the last of which stores entry 0. */
static void add_longest(struct testbench_payloads *list, const struct variant *v)
{
    struct testbench_payload longest = begin(1);
    for (unsigned i = 1; i < v->instruction_depth; i++)
        add_instruction(&longest, instruction("ld", 0, "accumulator"), (struct operands){.result_stride = 1});
    add_instruction(&longest, instruction("st", 0, NULL), (struct operands){0});
    add(list, "LONGEST", "as many instructions as a buffer holds", longest);
}

void testbench_payloads_make(struct testbench_payloads *list, const struct variant *v)
{
    unsigned line = 8 * v->load_width / v->data_width;
    *list = (struct testbench_payloads){0};
    add_partial_payloads(list);
    add_input_payloads(list, v->input_buffer_depth, line);
    add_longer_payloads(list, v, line);
    add_compute_payloads(list, v, line);
    add_function_payload(list, v, true, "FUNCTION", "with a function of the array");
    add_record_faults(list);
    add_length_faults(list, v);
    add_function_payload(list, v, false, "BAD_FUNCTION", "with a function that the array does not have");
    add_operand_faults(list, v, line);
    add_missing_features(list);
    add_triggers(list, v);
    add_longest(list, v);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_model/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "sim/model/traffic.h"

/* ---- numbers --------------------------------------------------------------------------------- */

int64_t random_signed(struct random *dice, unsigned bits)
{
    int64_t top = INT64_MAX >> (64 - bits);
    switch (random_below(dice, 16)) {
    case 0:
        return top;
    case 1:
        return -top - 1;
    default:
        return (int64_t)random_next(dice) >> (64 - bits);
    }
}

int64_t random_signed_non_zero(struct random *dice, unsigned bits)
{
    int64_t value = random_signed(dice, bits);
    return value ? value : 1;
}

void random_bytes(struct random *dice, struct strbuf *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char byte = (char)random_below(dice, 256);
        sb_addn(to, &byte, 1);
    }
}

uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

struct variant variant_of(const char *name, const char *const *sets)
{
    struct variant variant;
    struct diag diag = {0};
    size_t count = 0;
    while (sets && sets[count])
        count++;
    bool ok = variant_load(name, sets, count, &variant, &diag);
    cr_assert(ok, "%s", sb_text(&diag.text));
    diag_free(&diag);
    return variant;
}

unsigned every_row(const struct variant *v)
{
    return (1u << v->n) - 1;
}

unsigned every_cluster(const struct variant *v)
{
    return (1u << v->m) - 1;
}

/* ---- slots ----------------------------------------------------------------------------------- */

#define GUARD 64
#define GUARD_BYTE 0xC3

void slots_set(struct slots *slots, unsigned slot, const void *bytes, size_t size)
{
    uint8_t *block = malloc(size + 2 * GUARD), *before = malloc(size + 1);
    cr_assert(block && before);
    memset(block, GUARD_BYTE, size + 2 * GUARD);
    if (bytes)
        memcpy(before, bytes, size);
    else
        memset(before, 0xEE, size);
    memcpy(block + GUARD, before, size);
    slots->job.slots[slot].bytes = block + GUARD;
    slots->job.slots[slot].size = size;
    slots->before[slot] = before;
}

void slots_restore(struct slots *slots)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        if (slots->before[s])
            memcpy(slots->job.slots[s].bytes, slots->before[s], slots->job.slots[s].size);
}

static bool guards_whole(const uint8_t *bytes, uint64_t size)
{
    for (size_t i = 0; i < GUARD; i++)
        if (bytes[-1 - (ptrdiff_t)i] != GUARD_BYTE || bytes[size + i] != GUARD_BYTE)
            return false;
    return true;
}

static bool device_writes(unsigned slot)
{
    return slot == SLOT_STATUS || slot == SLOT_OUTPUT || slot == SLOT_SCRATCH;
}

/* FNV-1a over what a device must not write. */
static uint64_t read_only_bytes(const struct slots *slots)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        for (uint64_t i = 0; !device_writes(s) && i < slots->job.slots[s].size; i++)
            hash = (hash ^ slots->job.slots[s].bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

bool slots_whole(const struct slots *slots)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        if (slots->before[s] && !guards_whole(slots->job.slots[s].bytes, slots->job.slots[s].size))
            return false;
    return true;
}

void slots_free(struct slots *slots)
{
    for (unsigned s = 0; s < ISA_SLOTS; s++) {
        if (slots->before[s])
            free(slots->job.slots[s].bytes - GUARD);
        free(slots->before[s]);
    }
    *slots = (struct slots){0};
}

/* ---- programs -------------------------------------------------------------------------------- */

void builder_begin(struct builder *b, const struct variant *variant)
{
    *b = (struct builder){.variant = *variant, .config_rows = every_row(variant)};
    variant_derive(&b->variant, &b->derived);
    writer_begin(&b->writer, &b->variant);
    b->writer.tokens[TOKEN_UNIT_FREE] = 1;
}

void builder_free(struct builder *b)
{
    writer_free(&b->writer);
    for (unsigned s = 0; s < ISA_SLOTS; s++)
        sb_free(&b->slot[s]);
}

static void distribute(struct builder *b, const struct send *send, size_t len)
{
    writer_op(&b->writer, "distribute",
              SETTINGS{{"rows", send->rows},
                       {"clusters", send->clusters},
                       {"command", send->command},
                       {"count", send->count},
                       {"scatter", send->scatter},
                       {"dispatch", send->dispatch},
                       {"plain", send->plain},
                       {"bitmap", send->bitmap},
                       {"segment", send->segment},
                       {"segments", send->segments},
                       {"length", (int64_t)len},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_ARRIVED},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_UNIT_FREE},
                       {NULL, 0}});
}

#define LOAD_SETTINGS(from, at, len)                                                                       \
    SETTINGS                                                                                               \
    {                                                                                                      \
        {"rows", every_row(&b->variant)}, {"slot", from}, {"offset", (int64_t)(at)},                       \
            {"length", (int64_t)(len)}, {"wait_a", 1}, {"wait_a_token", TOKEN_UNIT_FREE}, {"signal_a", 1}, \
            {"signal_a_token", TOKEN_ARRIVED},                                                             \
        {                                                                                                  \
            NULL, 0                                                                                        \
        }                                                                                                  \
    }

static void pad(struct strbuf *to, size_t start, size_t multiple)
{
    while ((to->len - start) % multiple)
        sb_addn(to, "", 1);
}

void builder_send(struct builder *b, const struct send *send, const void *bytes, size_t len)
{
    struct strbuf *data = &b->slot[SLOT_WEIGHTS];
    size_t start = data->len;
    sb_addn(data, bytes, len);
    pad(data, start, b->derived.bus_bytes);
    cr_assert_leq(data->len - start, b->variant.unit_bytes, "a test's packet must fit the storage unit");
    /* A packet without data needs a load all the same, for the token. */
    size_t loaded = data->len - start ? data->len - start : 8;
    if (data->len == start)
        sb_addn(data, "\0\0\0\0\0\0\0", 8);
    writer_op(&b->writer, "load", LOAD_SETTINGS(SLOT_WEIGHTS, start, loaded));
    distribute(b, send, (len + b->derived.bus_bytes - 1) / b->derived.bus_bytes * b->derived.bus_bytes);
}

static struct send to_all(const struct builder *b, unsigned command)
{
    return (struct send){
        .rows = b->config_rows, .clusters = every_cluster(&b->variant), .command = command, .count = 1};
}

void builder_config(struct builder *b, unsigned buffer, const struct setting *header,
                    const struct config_instruction *code, size_t instructions)
{
    size_t bytes;
    uint64_t at = writer_config(&b->writer, header, code, instructions, &bytes);
    writer_load_data(&b->writer, LOAD_SETTINGS(SLOT_PROGRAM, at, bytes));
    struct send send = to_all(b, buffer);
    distribute(b, &send, bytes);
}

static void put(uint8_t *record, const struct isa_format *format, const char *name, int64_t value)
{
    const struct isa_field *field = isa_find_field(format, name);
    isa_put_bits(record, isa_field_lsb(&isa_config, format, field, isa_int8_widths), (unsigned)field->bits,
                 (uint64_t)value);
}

static void append_function(struct strbuf *to, const struct function_record *f)
{
    const struct isa_format *format = isa_find_format(&isa_config, "config_function");
    uint8_t record[ISA_CONFIG_RECORD_BYTES] = {0};
    put(record, format, "record", 3);
    put(record, format, "function", f->function);
    put(record, format, "element", f->element);
    put(record, format, "shift", f->shift);
    put(record, format, "multiplier", f->multiplier);
    put(record, format, "low", f->low);
    put(record, format, "high", f->high);
    put(record, format, "zero", f->zero);
    put(record, format, "slope", f->slope);
    put(record, format, "rounding", f->rounding);
    sb_addn(to, (const char *)record, sizeof record);
}

/* The writer knows no function records: they are put behind the instructions of its payload. */
void builder_config_functions(struct builder *b, unsigned buffer, const struct setting *header,
                              const struct config_instruction *code, size_t instructions,
                              const struct function_record *functions, size_t function_count)
{
    struct writer scratch;
    struct strbuf payload = {0};
    size_t bytes;
    writer_begin(&scratch, &b->variant);
    writer_config(&scratch, header, code, instructions, &bytes);
    sb_addn(&payload, scratch.data.text, (1 + instructions) * ISA_CONFIG_RECORD_BYTES);
    for (size_t f = 0; f < function_count; f++)
        append_function(&payload, &functions[f]);
    pad(&payload, 0, b->derived.bus_bytes);
    const struct isa_format *format = isa_find_format(&isa_config, "config_header");
    put((uint8_t *)payload.text, format, "functions", (int64_t)function_count);
    isa_seal(&isa_config, format, (uint8_t *)payload.text, payload.len, 0);
    struct send send = to_all(b, buffer);
    builder_send(b, &send, payload.text, payload.len);
    writer_free(&scratch);
    sb_free(&payload);
}

void builder_finish(struct builder *b, struct slots *slots, size_t output_bytes)
{
    struct strbuf image = {0};
    const uint8_t *program = writer_finish(&b->writer, 0, &image);
    cr_assert(program, "%s", plan_message());
    *slots = (struct slots){0};
    slots->job.number = 77;
    slots_set(slots, SLOT_PROGRAM, image.text, image.len);
    slots_set(slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    if (output_bytes)
        slots_set(slots, SLOT_OUTPUT, NULL, output_bytes);
    for (unsigned s = SLOT_WEIGHTS; s < ISA_SLOTS; s++)
        if (s != SLOT_OUTPUT && b->slot[s].len)
            slots_set(slots, s, b->slot[s].text, b->slot[s].len);
    sb_free(&image);
}

/* ---- running --------------------------------------------------------------------------------- */

static uint64_t status_get(const uint8_t *record, unsigned byte, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i--;)
        value = value << 8 | record[byte + i];
    return value;
}

/* Byte positions are those of docs/isa.md, written down once more. */
void expect_status(const struct slots *slots, const struct job_result *r)
{
    const uint8_t *s = slots->job.slots[SLOT_STATUS].bytes;
    uint32_t check = 0;
    for (unsigned w = 0; w < ISA_STATUS_BYTES; w += 4)
        check ^= (uint32_t)status_get(s, w, 4);
    cr_assert_eq(check, 0x54554C4Cu, "the status record must pass its check");
    cr_assert_eq(status_get(s, 0, 4), 0x534C5554u);
    cr_assert_eq(status_get(s, 4, 4), 0x201, "version 1.2");
    cr_assert_eq(status_get(s, 8, 2), r->code);
    cr_assert_eq(status_get(s, 10, 1), r->queue);
    cr_assert_eq(status_get(s, 11, 1), r->row);
    cr_assert_eq(status_get(s, 12, 1), r->cluster);
    cr_assert_eq(status_get(s, 13, 3), r->pe);
    const uint64_t words[] = {r->offset,     r->cycles,        r->effective_macs, r->scanned,
                              r->pe_busy,    r->bytes_read,    r->bytes_written,  r->bus_beats,
                              r->stall_load, r->stall_weights, r->stall_output,   r->stall_store,
                              r->moved};
    for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
        cr_assert_eq(status_get(s, 16 + 8 * w, 8), words[w], "word at byte %u", 16 + 8 * w);
    cr_assert_eq(status_get(s, 120, 4), slots->job.number);
}

struct job_result run_on(struct model *model, struct slots *slots)
{
    struct job_result result;
    uint64_t before = read_only_bytes(slots);
    model_run(model, &slots->job, &result);
    cr_assert(slots_whole(slots) && read_only_bytes(slots) == before,
              "written outside of the slots that a device writes");
    cr_assert_str_neq(job_code_name(result.code), "unknown", "code %d", result.code);
    if (slots->job.slots[SLOT_STATUS].size >= ISA_STATUS_BYTES)
        expect_status(slots, &result);
    return result;
}

struct job_result run_model(const struct variant *v, struct slots *slots)
{
    struct model *model = model_new(v);
    cr_assert(model);
    struct job_result result = run_on(model, slots);
    model_free(model);
    return result;
}

void expect_traffic(const struct variant *v, const struct slots *slots, const struct job_result *r)
{
    const struct job *job = &slots->job;
    if (r->code)
        return;
    struct traffic traffic;
    cr_assert(traffic_of_program(v, job->slots[SLOT_PROGRAM].bytes, job->slots[SLOT_PROGRAM].size, &traffic));
    cr_assert(traffic.read == r->bytes_read && traffic.written == r->bytes_written,
              "bytes read and written: %llu and %llu, foreseen %llu and %llu",
              (unsigned long long)r->bytes_read, (unsigned long long)r->bytes_written,
              (unsigned long long)traffic.read, (unsigned long long)traffic.written);
}

/* The check of docs/isa.md, computed apart from the code under test. */
static void seal(uint8_t *record, uint32_t index)
{
    uint32_t check = 0x54554C4Cu ^ index;
    for (unsigned w = 0; w + 4 < ISA_OPERATION_BYTES; w += 4)
        check ^= (uint32_t)status_get(record, w, 4);
    for (unsigned i = 0; i < 4; i++)
        record[60 + i] = (uint8_t)(check >> (8 * i));
}

void seal_operation(uint8_t *program, uint64_t place)
{
    seal(program + place, (uint32_t)(place / ISA_OPERATION_BYTES));
}

void seal_header(uint8_t *program)
{
    seal(program, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_model/victims.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "gen/isa/packed.h"
#include "tests/sim_model/tile.h"

/* ---- loops ----------------------------------------------------------------------------------- */

static void loop(struct builder *b, unsigned level, unsigned iterations)
{
    writer_op(&b->writer, "loop", SETTINGS{{"level", level}, {"iterations", iterations}, {NULL, 0}});
}

static void endloop(struct builder *b, unsigned level, unsigned body)
{
    writer_op(&b->writer, "endloop", SETTINGS{{"level", level}, {"body", body}, {NULL, 0}});
}

/* One group of K partial sums in and out again, in the innermost loop. */
static void write_body(struct builder *b, const unsigned counts[3], unsigned group)
{
    unsigned beat = b->derived.bus_bytes, depth = b->variant.unit_bytes / beat;
    writer_op(&b->writer, "load",
              SETTINGS{{"rows", 1},
                       {"slot", SLOT_INPUT},
                       {"length", group},
                       {"offset_step0", (int64_t)counts[1] * counts[2] * group},
                       {"offset_step1", (int64_t)counts[2] * group},
                       {"offset_step2", group},
                       {"unit_step0", 3 % depth},
                       {"unit_step1", 5 % depth},
                       {"unit_step2", 7 % depth},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_UNIT_FREE},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_ARRIVED},
                       {NULL, 0}});
    writer_op(&b->writer, "distribute",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"command", EXEC_SHIFT_OUT},
                       {"count", 1},
                       {"length", group},
                       {"unit_step0", 3 % depth},
                       {"unit_step1", 5 % depth},
                       {"unit_step2", 7 % depth},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_ARRIVED},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_UNIT_FREE},
                       {NULL, 0}});
    int64_t bytes = (int64_t)b->variant.k * 4;
    writer_op(&b->writer, "store",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"slot", SLOT_OUTPUT},
                       {"element", NUM_INT32},
                       {"length", bytes},
                       {"offset_step0", bytes},
                       {"offset_step1", bytes * counts[0]},
                       {"offset_step2", bytes * counts[0] * counts[1]},
                       {NULL, 0}});
}

void make_transposition(const struct variant *v, const unsigned counts[3], struct slots *slots,
                        size_t *results)
{
    struct builder b;
    builder_begin(&b, v);
    unsigned group = (v->k * (v->acc_width <= 32 ? 4 : 8) + b.derived.bus_bytes - 1) / b.derived.bus_bytes *
                     b.derived.bus_bytes;
    size_t groups = (size_t)counts[0] * counts[1] * counts[2];
    builder_config(&b, 0, SETTINGS{{"restart", 1}, {NULL, 0}},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 1}, {NULL, 0}}, NULL},
                                                       {"st", NULL, NULL}},
                   2);
    for (unsigned level = 0; level < 3; level++)
        loop(&b, level, counts[level]);
    write_body(&b, counts, group);
    for (unsigned level = 3; level--;)
        endloop(&b, level, 4 + 2 * (2 - level));
    for (size_t i = 0; i < groups * group; i++)
        sb_addn(&b.slot[SLOT_INPUT], &(char){(char)(i * 7 + i / 256)}, 1);
    *results = groups * v->k;
    builder_finish(&b, slots, *results * 4);
    builder_free(&b);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static struct sparse diagonals(uint32_t rows, uint32_t columns)
{
    struct sparse s = {.rows = rows, .columns = columns};
    uint32_t count = 0;
    s.start = calloc((size_t)rows + 1, sizeof *s.start);
    s.column = malloc((size_t)rows * 4 * sizeof *s.column);
    s.value = malloc((size_t)rows * 4 * sizeof *s.value);
    cr_assert(s.start && s.column && s.value);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = r * columns / rows; c < columns && c < r * columns / rows + 7; c += 2 + r % 3) {
            s.column[count] = c;
            s.value[count++] = (int32_t)(r * 11 + c) % 100 + 1;
        }
        s.start[r + 1] = count;
    }
    return s;
}

static void make_plan(struct victim *t, bool spmm)
{
    static const char *const sets[] = {"input_buffer_depth=1024", "weight_queue_depth=128", NULL};
    struct plan plan = {0};
    t->v = variant_of("tiny", sets);
    struct sparse w = spmm ? diagonals(9, 96) : diagonals(150, 150);
    const struct plan_description d = {.variant = &t->v,
                                       .weights = &w,
                                       .m = spmm ? 15 : 1,
                                       .element = 2,
                                       .operator= spmm ? PLAN_SPMM : PLAN_SPMV };
    const struct plan_choice choice = {.gather = spmm ? PLAN_GATHER_NONE : PLAN_GATHER_DIAGONAL,
                                       .split = {PLAN_M, PLAN_M},
                                       .rows_held = spmm ? 2 : 0,
                                       .packet_bytes = 64};
    const char *refused = plan_why(plan_make(&d, &choice, &plan));
    cr_assert_null(refused, "%s", refused);
    uint8_t *input = malloc(plan.input_bytes);
    cr_assert(input);
    for (uint64_t i = 0; i < plan.input_bytes; i++)
        input[i] = (uint8_t)(i * 37 % 5 ? i * 31 : 0);
    slots_set(&t->slots, SLOT_PROGRAM, plan.program.text, plan.program.len);
    slots_set(&t->slots, SLOT_STATUS, NULL, ISA_STATUS_BYTES);
    slots_set(&t->slots, SLOT_WEIGHTS, plan.weights.text, plan.weights.len);
    slots_set(&t->slots, SLOT_INPUT, input, plan.input_bytes);
    slots_set(&t->slots, SLOT_OUTPUT, NULL, plan.output_bytes);
    free(input);
    sparse_free(&w);
    plan_free(&plan);
}

/* ---- victims --------------------------------------------------------------------------------- */

static void make_tile(struct victim *t, unsigned seed)
{
    struct random dice = {seed};
    struct tile tile;
    t->v = tile_variant(&dice);
    tile_make(&tile, &dice, &t->v);
    t->slots = tile.slots;
    t->result_slot = tile.slot;
    free(tile.expected);
}

void victim_make(struct victim *t, unsigned which)
{
    *t = (struct victim){.result_slot = SLOT_OUTPUT};
    size_t results;
    if (which < 2)
        make_plan(t, which == 0);
    else if (which == 2) {
        t->v = variant_of("tiny", NULL);
        make_transposition(&t->v, (const unsigned[3]){2, 3, 2}, &t->slots, &results);
    } else
        make_tile(t, which);
    t->slots.job.max_operations = 600;
    t->model = model_new(&t->v);
    cr_assert(t->model);
    struct job_result result = run_on(t->model, &t->slots);
    cr_assert_eq(result.code, JOB_OK, "victim %u: %s", which, job_code_name(result.code));
    uint64_t size = t->slots.job.slots[t->result_slot].size;
    t->result = malloc(size + 1);
    cr_assert(t->result);
    memcpy(t->result, t->slots.job.slots[t->result_slot].bytes, size);
}

void victim_free(struct victim *t)
{
    slots_free(&t->slots);
    model_free(t->model);
    free(t->result);
}

struct job_result victim_run(struct victim *t)
{
    return run_on(t->model, &t->slots);
}

bool victim_is_right(const struct victim *t)
{
    return !memcmp(t->result, t->slots.job.slots[t->result_slot].bytes,
                   t->slots.job.slots[t->result_slot].size);
}

/* ---- changes that are sealed again ----------------------------------------------------------- */

static uint64_t tempting_value(struct random *dice, unsigned bits)
{
    uint64_t all = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    switch (random_below(dice, 6)) {
    case 0:
        return 0;
    case 1:
        return all;
    case 2:
        return all >> 1;
    case 3:
        return (UINT64_C(1) << random_below(dice, bits)) & all;
    case 4:
        return random_below(dice, 20) & all;
    default:
        return random_next(dice) & all;
    }
}

static void change_field(uint8_t *record, const struct isa_family *family, struct random *dice)
{
    struct strbuf why = {0};
    const struct isa_format *format = isa_classify(family, record, isa_int8_widths, &why);
    sb_free(&why);
    if (!format)
        return;
    unsigned count = 0;
    while (format->fields[count].bits)
        count++;
    const struct isa_field *field = &format->fields[random_below(dice, count)];
    unsigned lsb = isa_field_lsb(family, format, field, isa_int8_widths);
    unsigned bits = field->bits > 64 ? 64 : (unsigned)field->bits;
    isa_put_bits(record, lsb, bits, tempting_value(dice, bits));
}

static void change_record(uint8_t *record, size_t bytes, const struct isa_family *family, struct random *dice)
{
    if (random_chance(dice, 70))
        change_field(record, family, dice);
    else
        record[random_below(dice, bytes)] ^= (uint8_t)(1u << random_below(dice, 8));
}

static uint32_t word_at(const uint8_t *bytes, size_t at)
{
    return bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16 |
           (uint32_t)bytes[at + 3] << 24;
}

/* A configuration is sealed over all that its header claims, padded as the device expects; a claim beyond the
 * slot is left alone. */
static void seal_config(uint8_t *bytes, size_t room, size_t beat)
{
    size_t records = 1 + (size_t)(bytes[1] & 63) + (bytes[1] >> 6);
    size_t len = (records * ISA_CONFIG_RECORD_BYTES + beat - 1) / beat * beat;
    uint32_t check = 0x54554C4Cu;
    if (len > room)
        return;
    for (size_t w = 0; w < len; w += 4)
        check ^= w == 12 ? 0 : word_at(bytes, w);
    for (unsigned i = 0; i < 4; i++)
        bytes[12 + i] = (uint8_t)(check >> (8 * i));
}

/* The configurations are at multiples of 64 bytes behind the operations, and in the weights of a builder. */
static void change_config(struct victim *t, uint8_t *data, size_t size, struct random *dice)
{
    for (unsigned tries = 0; size >= 64 && tries < 20; tries++) {
        size_t at = random_below(dice, size / 8 - 1) * 8, room = size - at;
        if ((data[at] & 255) != 5 || room < 32)
            continue;
        size_t records = 1 + (size_t)(data[at + 1] & 63);
        size_t which = random_below(dice, records);
        if ((which + 1) * ISA_CONFIG_RECORD_BYTES <= room)
            change_record(data + at + which * ISA_CONFIG_RECORD_BYTES, ISA_CONFIG_RECORD_BYTES, &isa_config,
                          dice);
        seal_config(data + at, room, t->v.row_bus_width / 8);
        return;
    }
}

uint32_t victim_operations(const struct victim *t)
{
    const uint8_t *header = t->slots.before[SLOT_PROGRAM];
    const uint32_t operations = word_at(header, 16);
    const uint64_t full = (uint64_t)(operations + 1) * ISA_OPERATION_BYTES;
    return isa_program_bytes(header) < full ? ISA_PACKED_FIRST - 1 : operations;
}

void victim_change_sealed(struct victim *t, struct random *dice)
{
    uint8_t *program = t->slots.job.slots[SLOT_PROGRAM].bytes;
    const size_t size = t->slots.job.slots[SLOT_PROGRAM].size, operations = victim_operations(t),
                 data = (size_t)isa_program_bytes(t->slots.before[SLOT_PROGRAM]);
    switch (random_below(dice, 8)) {
    case 0:
        change_record(program, ISA_OPERATION_BYTES, &isa_program, dice);
        seal_header(program);
        break;
    case 1:
        change_config(t, program + data, size - data, dice);
        break;
    case 2:
        if (t->slots.job.slots[SLOT_WEIGHTS].bytes)
            change_config(t, t->slots.job.slots[SLOT_WEIGHTS].bytes, t->slots.job.slots[SLOT_WEIGHTS].size,
                          dice);
        break;
    default: {
        size_t place = (1 + random_below(dice, operations)) * ISA_OPERATION_BYTES;
        change_record(program + place, ISA_OPERATION_BYTES, &isa_operation, dice);
        seal_operation(program, place);
    }
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Extension records, scalar registers and all forms of SPU instructions, as far
 * as the variant has them: operators made at random, and configurations that
 * must be refused.
 */
#include <string.h>

#include "sim/numerics/numerics.h"
#include "tests/rtl_cluster/tool/cluster_test.h"
#include "tests/sim_model/stream.h"

enum { BUFFER_ENTRIES, BUFFER_LOAD, BUFFER_MULTIPLY, BUFFER_SPU };
enum { POSITIONS = 12, SETTINGS_MAX = 12 };

struct making {
    struct builder b;
    const struct variant *v;
    struct random dice;
};

static unsigned line_of(const struct variant *v)
{
    return v->load_width * 8 / v->data_width;
}

static void send(struct making *m, unsigned command, unsigned count, const struct strbuf *bytes, bool scatter)
{
    const struct send to = {
        .rows = 1, .clusters = every_cluster(m->v), .command = command, .count = count, .scatter = scatter};
    builder_send(&m->b, &to, bytes ? sb_text(bytes) : "", bytes ? bytes->len : 0);
}

static size_t sums_bytes(const struct making *m)
{
    size_t each = (size_t)m->v->k * (m->v->acc_width <= 32 ? 4 : 8), beat = m->b.derived.bus_bytes;
    return (each + beat - 1) / beat * beat;
}

/* Every entry and every activation: memories come up with anything in them. */
static void fill_memories(struct making *m)
{
    const struct variant *v = m->v;
    const bool scatter = v->scatter && random_chance(&m->dice, 50);
    struct strbuf bytes = {0};
    builder_config(&m->b, BUFFER_ENTRIES, SETTINGS{{"restart", 1}, {NULL, 0}},
                   (const struct config_instruction[]){
                       {"ld", SETTINGS{{"target", 1}, {NULL, 0}}, SETTINGS{{"result_stride", 1}, {NULL, 0}}}},
                   1);
    random_bytes(&m->dice, &bytes, v->output_queue_depth * sums_bytes(m));
    send(m, EXEC | BUFFER_ENTRIES, v->output_queue_depth, &bytes, false);
    sb_free(&bytes);
    builder_config(&m->b, BUFFER_LOAD, SETTINGS{{"restart", 1}, {"block", v->input_buffer_depth}, {NULL, 0}},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, {NULL, 0}}, NULL}}, 1);
    random_bytes(&m->dice, &bytes, (size_t)v->input_buffer_depth * v->data_width / 8 * (scatter ? v->k : 1));
    send(m, EXEC | BUFFER_LOAD, 1, &bytes, scatter);
    sb_free(&bytes);
}

/* ---- operands -------------------------------------------------------------------------------- */

static int64_t around_zero(struct making *m, int64_t most)
{
    return (int64_t)random_below(&m->dice, (uint64_t)(2 * most + 1)) - most;
}

static struct setting *add(struct setting *to, const char *name, int64_t value)
{
    *to++ = (struct setting){name, value};
    *to = (struct setting){NULL, 0};
    return to;
}

/* An instruction's operands and its extension record; addresses in steps of `unit` below wrap. */
static void choose_operands(struct making *m, const char *kind, unsigned unit, struct setting *operands,
                            struct setting *extension)
{
    const struct variant *v = m->v;
    struct random *dice = &m->dice;
    const bool mac = !strcmp(kind, "mac"), addresses = strcmp(kind, "st") != 0,
               turns = random_chance(dice, 60);
    const int64_t units = v->input_buffer_depth / unit;
    const int64_t wrap = unit * (int64_t)random_range(dice, (unsigned)(units / 2), (unsigned)units);
    const int64_t third = wrap / unit / 3;
    operands = add(operands, "wrap", wrap == v->input_buffer_depth ? 0 : wrap);
    operands = add(operands, "address", unit * (int64_t)random_below(dice, (uint64_t)(wrap / unit)));
    operands = add(operands, "stride", unit * around_zero(m, third));
    operands = add(operands, "result", (int64_t)random_below(dice, v->output_queue_depth));
    operands = add(operands, "result_stride", (int64_t)random_below(dice, v->output_queue_depth));
    if (turns) {
        operands = add(operands, "inner", random_range(dice, 1, 4));
        operands = add(operands, "pitch", unit * around_zero(m, third));
    }
    *extension = (struct setting){NULL, 0};
    if (mac && v->pe_operands && random_chance(dice, 80))
        extension =
            add(extension, "pe_stride",
                (int64_t)random_below(dice, v->k > 1 ? (uint64_t)(wrap - 1) / (v->k - 1) + 1 : 65536));
    if (!v->scalar_unit)
        return;
    if (turns && random_chance(dice, 60)) {
        extension = add(extension, "outer", random_range(dice, 1, 3));
        extension = add(extension, "plane", unit * around_zero(m, third));
    }
    if (addresses && random_chance(dice, 40))
        extension = add(extension, "register",
                        unit > 1 && random_chance(dice, 85) ? 4
                        : random_chance(dice, 15)           ? 5
                                                            : random_range(dice, 0, 3));
    if (random_chance(dice, 40))
        add(extension, "result_register", random_below(dice, 7));
}

/* An extension record, if it has anything, and the instruction. */
static unsigned put(struct config_instruction *code, const char *kind, const struct setting *instruction,
                    const struct setting *operands, const struct setting *extension)
{
    unsigned count = 0;
    if (extension->field)
        code[count++] = (struct config_instruction){"extension", extension, NULL};
    code[count++] = (struct config_instruction){kind, instruction, operands};
    return count;
}

/* ---- packets --------------------------------------------------------------------------------- */

static void multiply(struct making *m)
{
    const struct variant *v = m->v;
    const unsigned count = random_range(&m->dice, 1, 9);
    struct setting operands[2][SETTINGS_MAX], extension[2][SETTINGS_MAX];
    struct config_instruction code[6] = {{"ld", SETTINGS{{"target", 2}, {NULL, 0}}, NULL}};
    unsigned n = 1;
    choose_operands(m, "mac", 1, operands[0], extension[0]);
    choose_operands(m, "st", 1, operands[1], extension[1]);
    n += put(code + n, "mac",
             SETTINGS{{"keep", 1}, {"balance", 1}, {"resume", random_chance(&m->dice, 30)}, {NULL, 0}},
             operands[0], extension[0]);
    n += put(code + n, "st", NULL, operands[1], extension[1]);
    builder_config(&m->b, BUFFER_MULTIPLY, SETTINGS{{"restart", 1}, {"pipeline", v->scalar_unit}, {NULL, 0}},
                   code, n);
    struct stream streams[16];
    struct strbuf bytes = {0};
    for (unsigned p = 0; p < v->k; p++) {
        streams[p] = (struct stream){.variant = v};
        for (unsigned s = 0; s < count; s++) {
            for (unsigned w = random_below(&m->dice, POSITIONS / 3); w; w--)
                stream_weight(&streams[p], random_below(&m->dice, 3),
                              (int32_t)random_signed_non_zero(&m->dice, v->data_width), false);
            stream_weight(&streams[p], 0, (int32_t)random_signed_non_zero(&m->dice, v->data_width), true);
        }
    }
    streams_pack(v, streams, &bytes);
    send(m, EXEC_SHIFT_OUT | BUFFER_MULTIPLY, count, &bytes, false);
    sb_free(&bytes);
    for (unsigned p = 0; p < v->k; p++)
        stream_free(&streams[p]);
}

static bool has(const struct variant *v, enum variant_function function)
{
    return v->functions >> function & 1;
}

/* A few activations, to where a register says. */
static void load(struct making *m)
{
    const unsigned line = line_of(m->v), count = random_range(&m->dice, 1, 4);
    const bool scatter = m->v->scatter && random_chance(&m->dice, 50);
    struct setting operands[SETTINGS_MAX], extension[SETTINGS_MAX];
    struct config_instruction code[2];
    struct strbuf bytes = {0};
    choose_operands(m, "ld", line, operands, extension);
    for (struct setting *s = extension; s->field; s++)
        if (!strcmp(s->field, "result_register"))
            s->value = 0;
    unsigned n = put(code, "ld", SETTINGS{{"target", 0}, {NULL, 0}}, operands, extension);
    builder_config(&m->b, BUFFER_LOAD, SETTINGS{{"block", line}, {"pipeline", m->v->scalar_unit}, {NULL, 0}},
                   code, n);
    /* Right behind a reduction that sets its register: no configuration is between them. */
    if (m->v->scalar_unit && has(m->v, VARIANT_AVERAGE) && random_chance(&m->dice, 60)) {
        const int16_t to =
            (int16_t)(line * random_below(&m->dice, 3) + (random_chance(&m->dice, 20) ? line / 2 : 0));
        const struct function_record record = {
            .function = NUM_AVERAGE, .element = NUM_INT32, .multiplier = 1, .low = to, .high = to};
        const struct config_instruction set = {
            "spu", SETTINGS{{"function", 1}, {"destination", 4}, {NULL, 0}}, NULL};
        builder_config_functions(&m->b, BUFFER_SPU, SETTINGS{{"pipeline", 1}, {NULL, 0}}, &set, 1, &record,
                                 1);
        send(m, EXEC | BUFFER_SPU, 3, NULL, false);
    }
    random_bytes(&m->dice, &bytes, (size_t)count * m->v->load_width * (scatter ? m->v->k : 1));
    send(m, EXEC | BUFFER_LOAD, count, &bytes, scatter);
    sb_free(&bytes);
}

/* By record 1, a number below 8 for register 1 to 3; by record 2, a whole line for register 4; by record 3,
 * anything for register 5. */
static void set_registers(struct making *m)
{
    const struct variant *v = m->v;
    const unsigned line = line_of(v);
    if (!has(v, VARIANT_AVERAGE))
        return;
    const struct function_record records[] = {
        {.function = NUM_AVERAGE, .element = NUM_INT32, .multiplier = 1, .high = 7},
        {.function = NUM_AVERAGE,
         .element = NUM_INT32,
         .multiplier = 1,
         .low = (int16_t)line,
         .high = (int16_t)line},
        {.function = has(v, VARIANT_MAX) ? NUM_MAX : NUM_AVERAGE, .element = NUM_INT64}};
    const int64_t which = random_range(&m->dice, 1, 3);
    const int64_t to = which == 1   ? random_range(&m->dice, 1, 3)
                       : which == 2 ? 4
                                    : random_range(&m->dice, 5, 6);
    const struct config_instruction code = {
        "spu", SETTINGS{{"function", which}, {"destination", to}, {NULL, 0}},
        SETTINGS{{"address", (int64_t)random_below(&m->dice, 4)}, {"stride", 1}, {NULL, 0}}};
    builder_config_functions(&m->b, BUFFER_SPU, SETTINGS{{"pipeline", 1}, {NULL, 0}}, &code, 1, records, 3);
    send(m, EXEC | BUFFER_SPU, random_range(&m->dice, 1, 3), NULL, false);
}

static struct function_record random_record(struct making *m)
{
    static const enum num_function functions[] = {NUM_NONE, NUM_RELU, NUM_REQUANTISE, NUM_SIGMOID,
                                                  NUM_SUM,  NUM_MAX,  NUM_AVERAGE};
    enum num_function function;
    do {
        function = functions[random_below(&m->dice, sizeof functions / sizeof *functions)];
    } while (function && !(m->v->functions >> (function - 1) & 1));
    const bool limits = function == NUM_REQUANTISE || function == NUM_AVERAGE;
    const bool scales = limits || function == NUM_SIGMOID;
    return (struct function_record){
        .function = function,
        .element = function == NUM_SIGMOID ? NUM_INT8 : (unsigned)random_below(&m->dice, 4),
        .shift = scales ? random_range(&m->dice, 0, 40) : 0,
        .multiplier = scales ? random_signed(&m->dice, 20) : 0,
        .low = limits ? -3000 : 0,
        .high = limits ? 3000 : 0,
        .rounding = m->v->roundings ? (unsigned)random_below(&m->dice, NUM_ROUNDINGS) : 0};
}

/* Entries in, or not, any form of SPU instruction, and entries out: what is reduced into a register may be
 * added by the next instruction. */
static void special(struct making *m)
{
    const struct function_record records[] = {random_record(m), random_record(m), random_record(m)};
    const bool loads = random_chance(&m->dice, 50);
    const unsigned count = random_range(&m->dice, 1, 5), given = random_below(&m->dice, 4);
    const unsigned function = random_below(&m->dice, given + 1);
    const bool reduces = function && num_is_reduction(records[function - 1].function);
    const unsigned destination = reduces && random_chance(&m->dice, 60) ? random_range(&m->dice, 5, 6) : 0;
    const struct setting sums[] = {{"target", 1}, {NULL, 0}};
    struct setting operands[3][SETTINGS_MAX], extension[3][SETTINGS_MAX];
    struct config_instruction code[6];
    struct strbuf bytes = {0};
    unsigned n = 0;
    choose_operands(m, "st", 1, operands[0], extension[0]);
    choose_operands(m, "spu", 1, operands[1], extension[1]);
    choose_operands(m, "st", 1, operands[2], extension[2]);
    if (loads) {
        n += put(code, "ld", sums, operands[0], extension[0]);
        random_bytes(&m->dice, &bytes, count * sums_bytes(m));
    }
    if (destination)
        add(extension[2], "result_register", destination);
    n += put(code + n, "spu", SETTINGS{{"function", function}, {"destination", destination}, {NULL, 0}},
             operands[1], extension[1]);
    n += put(code + n, "st", NULL, operands[2], extension[2]);
    builder_config_functions(&m->b, BUFFER_SPU, SETTINGS{{"pipeline", 1}, {NULL, 0}}, code, n, records,
                             given);
    send(m, EXEC_SHIFT_OUT | BUFFER_SPU, count, &bytes, false);
    sb_free(&bytes);
}

bool case_extension(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    struct making m = {.v = v, .dice = {seed}};
    struct slots slots;
    if ((!v->pe_operands && !v->scalar_unit) || v->instruction_buffers <= BUFFER_SPU ||
        v->instruction_depth < 3) {
        bench->skipped++;
        return true;
    }
    builder_begin(&m.b, v);
    m.b.config_rows = 1;
    fill_memories(&m);
    for (unsigned i = random_range(&m.dice, 1, 8); i; i--) {
        void (*const all[])(struct making * m) = {multiply, load, set_registers, special};
        all[random_below(&m.dice, v->scalar_unit ? 4 : 2)](&m);
    }
    builder_finish(&m.b, &slots, 0);
    builder_free(&m.b);
    bool ok = bench_job(bench, &slots.job, seed, why);
    slots_free(&slots);
    return ok;
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* Two numbers: with `pe_operands`, and with `scalar_unit`. Variants with neither have bad_field. */
struct refusal {
    const char *name;
    unsigned pipeline,
        functions; /* records, the first a reduction if the variant has one; 4: the code stands for one */
    struct config_instruction code[3];
    enum job_code code_pe, code_scalar;
};

#define EXTENSION(...)                                      \
    {                                                       \
        "extension", SETTINGS{__VA_ARGS__, {NULL, 0}}, NULL \
    }
#define ST               \
    {                    \
        "st", NULL, NULL \
    }
#define MAC                                           \
    {                                                 \
        "mac", SETTINGS{{"keep", 1}, {NULL, 0}}, NULL \
    }
#define MAC_WITH(...)         \
    {                         \
        "mac", NULL, SETTINGS \
        {                     \
            __VA_ARGS__,      \
            {                 \
                NULL, 0       \
            }                 \
        }                     \
    }
#define LD(target_)                                          \
    {                                                        \
        "ld", SETTINGS{{"target", target_}, {NULL, 0}}, NULL \
    }
#define SPU(function_, destination_)                                                             \
    {                                                                                            \
        "spu", SETTINGS{{"function", function_}, {"destination", destination_}, {NULL, 0}}, NULL \
    }

static const struct refusal refusals[] = {
    {"two in a row",
     0,
     0,
     {EXTENSION({"outer", 0}), EXTENSION({"outer", 0}), ST},
     JOB_BAD_FIELD,
     JOB_BAD_FIELD},
    {"nothing in it", 0, 0, {EXTENSION({"outer", 0}), ST}, JOB_OK, JOB_OK},
    {"pe_stride of ST", 0, 0, {EXTENSION({"pe_stride", 1}), ST}, JOB_BAD_FIELD, JOB_NO_FEATURE},
    {"pe_stride of LD", 0, 0, {EXTENSION({"pe_stride", 1}), LD(0)}, JOB_BAD_FIELD, JOB_NO_FEATURE},
    {"pe_stride too long", 0, 0, {EXTENSION({"pe_stride", 65535}), MAC}, JOB_OUT_OF_BUFFER, JOB_NO_FEATURE},
    {"register, fixed", 0, 0, {EXTENSION({"register", 1}), MAC}, JOB_BAD_FIELD, JOB_BAD_FIELD},
    {"result register, fixed", 0, 0, {EXTENSION({"result_register", 1}), MAC}, JOB_BAD_FIELD, JOB_BAD_FIELD},
    {"outer, fixed", 0, 0, {EXTENSION({"outer", 1}), MAC_WITH({"inner", 1})}, JOB_BAD_FIELD, JOB_BAD_FIELD},
    {"pipeline", 1, 0, {ST}, JOB_NO_FEATURE, JOB_OK},
    {"register", 1, 0, {EXTENSION({"register", 1}), MAC}, JOB_NO_FEATURE, JOB_OK},
    {"register of ST", 1, 0, {EXTENSION({"register", 1}), ST}, JOB_NO_FEATURE, JOB_BAD_FIELD},
    {"register of LD of sums", 1, 0, {EXTENSION({"register", 1}), LD(1)}, JOB_NO_FEATURE, JOB_BAD_FIELD},
    {"result register of ST", 1, 0, {EXTENSION({"result_register", 15}), ST}, JOB_NO_FEATURE, JOB_OK},
    {"result register of LD of sums",
     1,
     0,
     {EXTENSION({"result_register", 1}), LD(1)},
     JOB_NO_FEATURE,
     JOB_OK},
    {"result register of LD",
     1,
     0,
     {EXTENSION({"result_register", 1}), LD(0)},
     JOB_NO_FEATURE,
     JOB_BAD_FIELD},
    {"register of SPU", 1, 0, {EXTENSION({"register", 2}), SPU(0, 0)}, JOB_NO_FEATURE, JOB_OK},
    {"result register of SPU", 1, 0, {EXTENSION({"result_register", 2}), SPU(0, 0)}, JOB_NO_FEATURE, JOB_OK},
    {"result register and destination",
     1,
     1,
     {EXTENSION({"result_register", 1}), SPU(1, 2)},
     JOB_NO_FEATURE,
     JOB_BAD_FIELD},
    {"outer without inner", 1, 0, {EXTENSION({"outer", 1}), MAC}, JOB_NO_FEATURE, JOB_BAD_FIELD},
    {"plane without outer",
     1,
     0,
     {EXTENSION({"plane", 1}), MAC_WITH({"inner", 1})},
     JOB_NO_FEATURE,
     JOB_BAD_FIELD},
    {"plane too far",
     1,
     0,
     {EXTENSION({"outer", 1}, {"plane", 9}),
      MAC_WITH({"inner", 1}, {"wrap", 10}, {"stride", 1}, {"pitch", 1})},
     JOB_NO_FEATURE,
     JOB_OUT_OF_BUFFER},
    {"plane as far as can be",
     1,
     0,
     {EXTENSION({"outer", 1}, {"plane", 8}),
      MAC_WITH({"inner", 1}, {"wrap", 10}, {"stride", 1}, {"pitch", 1})},
     JOB_NO_FEATURE,
     JOB_OK},
    {"destination of a copy", 0, 0, {SPU(0, 1)}, JOB_NO_FEATURE, JOB_BAD_FIELD},
    {"copy", 0, 0, {SPU(0, 0)}, JOB_NO_FEATURE, JOB_OK},
    {"no second record", 0, 1, {SPU(2, 0)}, JOB_NO_FEATURE, JOB_NO_FUNCTION},
    {"three records", 0, 3, {ST}, JOB_NO_FEATURE, JOB_OK},
    {"destination by no reduction", 0, 2, {SPU(2, 1)}, JOB_NO_FEATURE, JOB_NO_FUNCTION},
    {"no reduction", 0, 2, {SPU(2, 0)}, JOB_NO_FEATURE, JOB_OK},
    {"extension in place of a function", 0, 4, {ST, EXTENSION({"outer", 0})}, JOB_BAD_FIELD, JOB_BAD_FIELD},
};

unsigned case_refusal_count(void)
{
    return sizeof refusals / sizeof *refusals;
}

static void make_refusal(struct making *m, const struct refusal *which)
{
    struct function_record records[3] = {
        {.function = has(m->v, VARIANT_SUM) ? NUM_SUM : NUM_NONE, .element = NUM_INT32}};
    unsigned count = 0;
    while (count < 3 && which->code[count].format)
        count++;
    if (which->functions == 4)
        builder_config(&m->b, 0, SETTINGS{{"functions", 1}, {NULL, 0}}, which->code, count);
    else
        builder_config_functions(&m->b, 0, SETTINGS{{"pipeline", which->pipeline}, {NULL, 0}}, which->code,
                                 count, records, which->functions);
}

bool case_refusal(struct bench *bench, uint64_t seed, struct strbuf *why)
{
    const struct variant *v = &bench->variant;
    if (!seed || seed > case_refusal_count())
        return false;
    if (!v->pe_operands && !v->scalar_unit) {
        bench->skipped++;
        return true;
    }
    const struct refusal *which = &refusals[seed - 1];
    struct making m = {.v = v, .dice = {seed}};
    struct slots slots;
    struct row_program program = {0};
    enum job_code code = JOB_OK, wanted = v->scalar_unit ? which->code_scalar : which->code_pe;
    if (v->scalar_unit && v->pe_operands && wanted == JOB_NO_FEATURE)
        wanted = which->code_pe;
    builder_begin(&m.b, v);
    m.b.config_rows = 1;
    make_refusal(&m, which);
    builder_finish(&m.b, &slots, 0);
    builder_free(&m.b);
    const char *refused = row_program_read(&program, v, &slots.job);
    sb_addf(why, "%s: %s", which->name, refused ? refused : "");
    bool ok = !refused && bench_packets(bench, &program.row[0], seed, &code, why);
    if (ok && code != wanted)
        sb_addf(why, "both end with %s, not %s", job_code_name(code), job_code_name(wanted));
    row_program_free(&program);
    slots_free(&slots);
    return ok && code == wanted;
}

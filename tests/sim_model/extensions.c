/* SPDX-License-Identifier: Apache-2.0
 *
 * What extension records, scalar registers and the forms of SPU instructions
 * mean, with results that were computed by hand. Two PEs.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/numerics/numerics.h"
#include "tests/sim_model/stream.h"

#define NONE    \
    {           \
        NULL, 0 \
    }

enum { LINE = 64, RESULTS_MOST = 32 };

static const char *const keys[] = {"pe_operands=on", "scalar_unit=on", "functions=relu,sum,max,average",
                                   NULL};

static void store_all(struct builder *b, size_t results)
{
    writer_op(&b->writer, "store",
              SETTINGS{{"rows", 1},
                       {"clusters", 1},
                       {"slot", SLOT_OUTPUT},
                       {"element", NUM_INT32},
                       {"length", (int64_t)(4 * results)},
                       NONE});
}

static void expect(struct builder *b, const struct variant *v, const int32_t *expected, size_t count)
{
    struct slots slots;
    store_all(b, count);
    builder_finish(b, &slots, 4 * count);
    builder_free(b);
    struct job_result result = run_model(v, &slots);
    cr_assert_eq(result.code, JOB_OK, "%s", job_code_name(result.code));
    for (size_t i = 0; i < count; i++) {
        int64_t got = num_get_element(slots.job.slots[SLOT_OUTPUT].bytes + 4 * i, NUM_INT32);
        cr_assert_eq(got, expected[i], "result %zu is %lld, not %d", i, (long long)got, expected[i]);
    }
    slots_free(&slots);
}

/* Activation i is i + 1; a MAC of one weight of 1, so often, gives what is at its address. */
static void expect_addresses(const struct setting *extension, const struct setting *operands,
                             const int32_t *expected, size_t count)
{
    const struct variant v = variant_of("tiny", keys);
    const struct config_instruction code[] = {{"ld", SETTINGS{{"target", 2}, NONE}, NULL},
                                              {"extension", extension, NULL},
                                              {"mac", SETTINGS{{"keep", 1}, NONE}, operands},
                                              {"st", NULL, SETTINGS{{"result_stride", 1}, NONE}}};
    struct stream streams[2] = {{.variant = &v}, {.variant = &v}};
    struct strbuf bytes = {0};
    struct builder b;
    uint8_t activations[LINE];
    for (unsigned i = 0; i < LINE; i++)
        activations[i] = (uint8_t)(i + 1);
    builder_begin(&b, &v);
    builder_config(&b, 0, SETTINGS{{"block", LINE}, NONE},
                   (const struct config_instruction[]){{"ld", SETTINGS{{"target", 0}, NONE}, NULL}}, 1);
    builder_config(&b, 1, SETTINGS{{"pipeline", 1}, {"hold", (int64_t)count / 2}, NONE}, code, 4);
    struct send send = {.rows = 1, .clusters = 1, .command = EXEC, .count = 1};
    builder_send(&b, &send, activations, sizeof activations);
    for (unsigned p = 0; p < 2; p++)
        stream_weight(&streams[p], 0, 1, true);
    streams_pack(&v, streams, &bytes);
    send.command = EXEC_SHIFT_OUT | 1;
    send.count = (unsigned)count / 2;
    builder_send(&b, &send, sb_text(&bytes), bytes.len);
    expect(&b, &v, expected, count);
    for (unsigned p = 0; p < 2; p++)
        stream_free(&streams[p]);
    sb_free(&bytes);
}

Test(extensions, addresses_advance_from_pe_to_pe_modulo_wrap)
{
    expect_addresses(SETTINGS{{"pe_stride", 7}, NONE},
                     SETTINGS{{"wrap", 10}, {"address", 1}, {"stride", 4}, {"result_stride", 1}, NONE},
                     (const int32_t[]){2, 9, 6, 3, 10, 7}, 6);
}

Test(extensions, planes_are_added_after_outer_turns)
{
    expect_addresses(SETTINGS{{"outer", 2}, {"plane", 20}, NONE},
                     SETTINGS{{"address", 1},
                              {"stride", 1},
                              {"inner", 2},
                              {"pitch", 5},
                              {"result_stride", 1},
                              {"wrap", 40},
                              NONE},
                     (const int32_t[]){2, 2, 3, 3, 9, 9, 10, 10, 36, 36, 37, 37, 3, 3}, 14);
}

/* Partial sums of the two PEs into entry 5, an SPU, and an ST of entry 3, plus a register. */
static void expect_spu(const struct setting *spu, unsigned result_register,
                       const struct function_record *records, const int32_t sums[2],
                       const int32_t expected[2])
{
    const struct variant v = variant_of("tiny", keys);
    struct builder b;
    builder_begin(&b, &v);
    builder_config_functions(&b, 0, SETTINGS{{"pipeline", 1}, NONE},
                             (const struct config_instruction[]){
                                 {"ld", SETTINGS{{"target", 1}, NONE}, SETTINGS{{"result", 5}, NONE}},
                                 {"spu", spu, SETTINGS{{"address", 5}, {"result", 3}, NONE}},
                                 {"extension", SETTINGS{{"result_register", result_register}, NONE}, NULL},
                                 {"st", NULL, SETTINGS{{"result", 3}, NONE}}},
                             4, records, 3);
    const struct send send = {.rows = 1, .clusters = 1, .command = EXEC_SHIFT_OUT, .count = 1};
    builder_send(&b, &send, sums, 2 * sizeof *sums);
    expect(&b, &v, expected, 2);
}

Test(extensions, spu_instructions_copy_apply_and_reduce)
{
    const struct function_record records[] = {{.function = NUM_SUM, .element = NUM_INT32},
                                              {.function = NUM_RELU, .element = NUM_INT8},
                                              {.function = NUM_MAX, .element = NUM_INT32}};
    const int32_t sums[] = {-9, 400};
    expect_spu(SETTINGS{{"function", 0}, NONE}, 0, records, sums, (const int32_t[]){-9, 400});
    expect_spu(SETTINGS{{"function", 1}, NONE}, 0, records, sums, (const int32_t[]){391, 391});
    expect_spu(SETTINGS{{"function", 2}, NONE}, 0, records, sums, (const int32_t[]){0, 127});
    expect_spu(SETTINGS{{"function", 3}, NONE}, 0, records, sums, (const int32_t[]){400, 400});
}

/* The sum says which entry is stored; entry 3 + 16 + 2 is 5, and a register that nobody wrote is 0. */
Test(extensions, a_reduction_into_a_register_steers_a_result_address)
{
    const struct function_record records[] = {{.function = NUM_SUM, .element = NUM_INT32},
                                              {.function = NUM_RELU, .element = NUM_INT8},
                                              {.function = NUM_MAX, .element = NUM_INT32}};
    expect_spu(SETTINGS{{"function", 1}, {"destination", 7}, NONE}, 7, records, (const int32_t[]){-12, 30},
               (const int32_t[]){-12, 30});
    expect_spu(SETTINGS{{"function", 0}, NONE}, 7, records, (const int32_t[]){-12, 30},
               (const int32_t[]){-12, 30});
}

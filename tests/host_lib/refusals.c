/* SPDX-License-Identifier: Apache-2.0
 *
 * Bad input: a named status, a message that says what and where, and nothing
 * changed.
 */
#include <math.h>
#include <string.h>

#include "support.h"
#include "tests/host_icd/support.h"

/* A 3 x 4 matrix by rows, which every case breaks in one way. */
static const int8_t values[] = {1, 2, 3, 4};
static const int32_t starts[] = {0, 2, 2, 4}, columns[] = {0, 3, 1, 2}, rows[] = {0, 0, 2, 2};

static struct tulle_matrix whole(void)
{
    return (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                 .format = TULLE_CSR,
                                 .type = TULLE_INT8,
                                 .rows = 3,
                                 .columns = 4,
                                 .entries = 4,
                                 .index_type = TULLE_INT32,
                                 .values = values,
                                 .starts = starts,
                                 .indices = columns};
}

static struct tulle_device *device;

static void refuses_matrix(enum tulle_status status, const char *text, struct tulle_matrix matrix)
{
    struct tulle_operator *op = NULL;
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = TULLE_SPMM_LEFT,
                                                   .matrix = &matrix,
                                                   .dense = 2,
                                                   .output_type = TULLE_INT32};
    refuses(status, text, tulle_operator_create(device, &options, &op));
    cr_assert_null(op);
}

#define COMMA ,
#define MATRIX_IS(status, text, change)      \
    do {                                     \
        struct tulle_matrix m = whole();     \
        change;                              \
        refuses_matrix((status), (text), m); \
    } while (0)

static void open_tiny(void)
{
    device = open_device("model:tiny", NULL, 0);
}

static void close_tiny(void)
{
    tulle_device_close(device);
}

TestSuite(host_lib_refusals, .init = open_tiny, .fini = close_tiny);

Test(host_lib_refusals, sizes)
{
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    MATRIX_IS(wrong, "-1 x 4", m.rows = -1);
    MATRIX_IS(wrong, "x 4294967296", m.columns = INT64_C(1) << 32);
    MATRIX_IS(wrong, "-5 entries", m.entries = -5);
    MATRIX_IS(wrong, "9223372036854775807 entries", m.entries = INT64_MAX);
    MATRIX_IS(wrong, "starts is NULL", m.starts = NULL);
    MATRIX_IS(wrong, "indices are NULL", m.indices = NULL);
    MATRIX_IS(wrong, "unknown format", m.format = (enum tulle_format)9);
    MATRIX_IS(wrong, "unknown format or type", m.type = (enum tulle_type) - 1);
    MATRIX_IS(wrong, "not int8", m.index_type = TULLE_INT8);
    MATRIX_IS(wrong, "indices are NULL", m.format = TULLE_COO; m.indices = rows);
    MATRIX_IS(wrong, "values is NULL", m.format = TULLE_DENSE; m.values = NULL);
    MATRIX_IS(wrong, "negative", m.format = TULLE_DENSE; m.row_stride = -4; m.column_stride = 1);
    MATRIX_IS(wrong, "one stride of two", m.format = TULLE_DENSE; m.row_stride = 4);
    MATRIX_IS(TULLE_INVALID_MATRIX, "0 x 4", m.rows = 0; m.entries = 0; m.starts = (const int32_t[]){0});
    MATRIX_IS(wrong, "elements are too many", m.format = TULLE_DENSE; m.rows = 1 << 20; m.columns = 1 << 20);
}

Test(host_lib_refusals, contents)
{
    const enum tulle_status wrong = TULLE_INVALID_MATRIX;
    MATRIX_IS(wrong, "entry 2 has column 4", m.indices = (const int32_t[]){0 COMMA 3 COMMA 4 COMMA 5});
    MATRIX_IS(wrong, "entry 0 has column -1", m.indices = (const int32_t[]){-1 COMMA 3 COMMA 1 COMMA 2});
    MATRIX_IS(wrong, "in row 0: index 0 comes after 3",
              m.indices = (const int32_t[]){3 COMMA 0 COMMA 1 COMMA 2});
    MATRIX_IS(wrong, "in row 2: index 1 comes after 1",
              m.indices = (const int32_t[]){0 COMMA 3 COMMA 1 COMMA 1});
    MATRIX_IS(wrong, "starts[1] is 5", m.starts = (const int32_t[]){0 COMMA 5 COMMA 2 COMMA 4});
    MATRIX_IS(wrong, "starts[2] is 1", m.starts = (const int32_t[]){0 COMMA 2 COMMA 1 COMMA 4});
    MATRIX_IS(wrong, "starts[0] is 1", m.starts = (const int32_t[]){1 COMMA 2 COMMA 2 COMMA 4});
    MATRIX_IS(wrong, "the last of starts is 3", m.starts = (const int32_t[]){0 COMMA 2 COMMA 2 COMMA 3});
    MATRIX_IS(wrong, "there is a duplicate in line 0", m.format = TULLE_COO; m.indices = rows;
              m.more_indices = (const int32_t[]){0 COMMA 0 COMMA 1 COMMA 2});
    MATRIX_IS(wrong, "entry 3 has row 3", m.format = TULLE_COO;
              m.indices = (const int32_t[]){0 COMMA 0 COMMA 2 COMMA 3}; m.more_indices = columns);
    MATRIX_IS(wrong, "value 128", m.type = TULLE_INT16;
              m.values = (const int16_t[]){1 COMMA 128 COMMA 3 COMMA 4});
    MATRIX_IS(wrong, "value -129", m.type = TULLE_INT16;
              m.values = (const int16_t[]){1 COMMA 2 COMMA - 129 COMMA 4});
}

static struct tulle_epilogue epilogue;
static struct tulle_plan_options plan;

static void refuses_options(enum tulle_status status, const char *text, struct tulle_operator_options options)
{
    struct tulle_operator *op = NULL;
    const struct tulle_matrix matrix = whole();
    options.matrix = &matrix;
    refuses(status, text, tulle_operator_create(device, &options, &op));
    cr_assert_null(op);
}

static const struct tulle_operator_options usual = {
    .size = sizeof usual, .operation = TULLE_SPMM_LEFT, .dense = 2, .output_type = TULLE_INT32};
#define OPTIONS_ARE(status, text, change)                            \
    do {                                                             \
        struct tulle_operator_options o = usual;                     \
        epilogue = (struct tulle_epilogue){.size = sizeof epilogue}; \
        plan = (struct tulle_plan_options){.size = sizeof plan};     \
        o.epilogue = &epilogue;                                      \
        o.plan = &plan;                                              \
        change;                                                      \
        refuses_options((status), (text), o);                        \
    } while (0)

Test(host_lib_refusals, options)
{
    static const int16_t limit[1] = {0};
    static const struct tulle_channels limits = {.size = sizeof limits, .low = limit, .high = limit};
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    OPTIONS_ARE(wrong, "no operation", o.operation = TULLE_OPERATIONS);
    OPTIONS_ARE(wrong, "dense is 0", o.dense = 0);
    OPTIONS_ARE(wrong, "dense is -1", o.dense = -1);
    OPTIONS_ARE(wrong, "SpMV has one", o.operation = TULLE_SPMV);
    OPTIONS_ARE(wrong, "not float32", o.output_type = TULLE_FLOAT32);
    OPTIONS_ARE(wrong, "no function", epilogue.function = (enum tulle_function)44);
    OPTIONS_ARE(wrong, "a shift of 64", epilogue.shift = 64);
    OPTIONS_ARE(wrong, "no rounding 3", epilogue.rounding = TULLE_ROUNDINGS);
    OPTIONS_ARE(TULLE_UNSUPPORTED, "roundings: on", epilogue.rounding = TULLE_ROUND_EVEN);
    OPTIONS_ARE(wrong, "40000 has more", epilogue.low = 40000);
    OPTIONS_ARE(wrong, "input_zero: 128", o.input_zero = 128);
    OPTIONS_ARE(wrong, "matrix_zero: -129", o.matrix_zero = -129);
    OPTIONS_ARE(TULLE_UNSUPPORTED, "made without zero_points", o.input_unsigned = 1);
    OPTIONS_ARE(TULLE_UNSUPPORTED, "made without channel_groups", o.channels = &limits);
    OPTIONS_ARE(TULLE_UNSUPPORTED, "output_unsigned: variant", o.output_unsigned = 1);
    OPTIONS_ARE(TULLE_UNSUPPORTED, "made without lookup", epilogue.lookup = (const int8_t *)"");
    OPTIONS_ARE(wrong, "matrix_zero and quantise", o.matrix_zero = 1; o.quantise = 1);
    OPTIONS_ARE(wrong, "mapping \"xs\"", plan.mapping = "xs");
    OPTIONS_ARE(wrong, "split \"m\"", plan.split = "m");
    OPTIONS_ARE(wrong, "split \"mz\"", plan.split = "mz");
    OPTIONS_ARE(TULLE_UNSUPPORTED, "without this function", epilogue.function = TULLE_TANH);
    OPTIONS_ARE(TULLE_INVALID_MATRIX, "zero point -126", o.matrix_zero = -126;
                o.operation = TULLE_SPMM_RIGHT);
}

/* Numbers of channels' own that do not fit together, or that the device or the operation does not have. */
Test(host_lib_channels, refusals)
{
    static const int32_t multiplier[1] = {1};
    static const uint8_t shift[1] = {64};
    static const int16_t limit[1] = {0};
    struct tulle_device *other = open_device("model:tiny;set=channel_groups=16", NULL, 0);
    struct tulle_channels channels = {.size = sizeof channels, .multiplier = multiplier};
    struct tulle_epilogue own = {.size = sizeof own};
    const int8_t value = 1;
    const struct tulle_matrix matrix = {.size = sizeof matrix, .rows = 1, .columns = 1, .values = &value};
    struct tulle_operator_options o = usual;
    struct tulle_operator *op = NULL;
    o.matrix = &matrix;
    o.channels = &channels;
    o.epilogue = &own;
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    refuses(wrong, "multiplier and shift come together", tulle_operator_create(other, &o, &op));
    channels.shift = shift;
    channels.low = limit;
    refuses(wrong, "low and high come together", tulle_operator_create(other, &o, &op));
    channels.high = limit;
    refuses(wrong, "are those of TULLE_REQUANTISE, which", tulle_operator_create(other, &o, &op));
    own.function = TULLE_REQUANTISE;
    refuses(wrong, "shift 0 is 64; 0 to 63", tulle_operator_create(other, &o, &op));
    channels.multiplier = NULL;
    channels.shift = NULL;
    own.function = TULLE_RELU;
    refuses(wrong, "limits are those of", tulle_operator_create(other, &o, &op));
    channels.size = 3;
    refuses(wrong, "struct tulle_channels: size is 3", tulle_operator_create(other, &o, &op));
    tulle_device_close(other);
}

/* Weights of 127 whose products with activations of 255 just fit 24 bits, and one more. */
Test(host_lib_zero_points, refusals)
{
    enum { FIT = 259 };
    static int8_t most[FIT + 1];
    struct tulle_device *other =
        open_device("model:tiny;set=zero_points=on;set=acc_width=24;set=segment_max=64", NULL, 0);
    struct tulle_matrix matrix = {.size = sizeof matrix, .rows = 1, .columns = FIT + 1, .values = most};
    struct tulle_operator_options o = usual;
    struct tulle_operator *op = NULL;
    memset(most, 127, sizeof most);
    o.matrix = &matrix;
    o.input_zero = -129;
    refuses(TULLE_INVALID_ARGUMENT, "input_zero: -129 does not fit int8",
            tulle_operator_create(other, &o, &op));
    o.input_zero = 0;
    o.output_unsigned = 1;
    refuses(TULLE_INVALID_ARGUMENT, "results are int8 or int16 then, not int32",
            tulle_operator_create(other, &o, &op));
    o.output_type = TULLE_INT16;
    refuses(TULLE_INVALID_ARGUMENT, "only requantised results", tulle_operator_create(other, &o, &op));
    o.output_type = TULLE_INT32;
    o.output_unsigned = 0;
    o.input_unsigned = 1;
    o.input_zero = -1;
    refuses(TULLE_INVALID_ARGUMENT, "input_zero: -1 does not fit uint8",
            tulle_operator_create(other, &o, &op));
    o.input_zero = 256;
    refuses(TULLE_INVALID_ARGUMENT, "input_zero: 256 does not fit uint8",
            tulle_operator_create(other, &o, &op));
    o.input_zero = 0;
    refuses(TULLE_RANGE, "may be as large as 8420100", tulle_operator_create(other, &o, &op));
    o.input_zero = 128;
    done(tulle_operator_create(other, &o, &op));
    tulle_operator_free(op);
    o.input_zero = 0;
    matrix.columns = FIT;
    done(tulle_operator_create(other, &o, &op));
    tulle_operator_free(op);
    tulle_device_close(other);
}

Test(host_lib_refusals, floats)
{
    float some[] = {1, -2, 0.5F, 4};
    struct tulle_matrix matrix = whole();
    struct tulle_operator *op = NULL;
    struct tulle_operator_options options = usual;
    struct tulle_operator_info info = {.size = sizeof info};
    options.matrix = &matrix;
    matrix.type = TULLE_FLOAT32;
    matrix.values = some;
    refuses(TULLE_INVALID_ARGUMENT, "set quantise", tulle_operator_create(device, &options, &op));
    options.quantise = 1;
    some[2] = NAN;
    refuses(TULLE_INVALID_MATRIX, "value 2 is not a finite", tulle_operator_create(device, &options, &op));
    some[2] = -INFINITY;
    refuses(TULLE_INVALID_MATRIX, "value 2 is not a finite", tulle_operator_create(device, &options, &op));
    cr_assert_null(op);
    some[2] = 0.5F;
    done(tulle_operator_create(device, &options, &op));
    done(tulle_operator_describe(op, &info));
    cr_assert_float_eq(info.matrix_scale, 4.0 / 127, 1e-12);
    tulle_operator_free(op);
}

/* 2^17 products of 2^14 do not fit 32 bits. */
Test(host_lib_refusals, range)
{
    enum { LENGTH = 1 << 18 };
    static int8_t many[LENGTH];
    struct tulle_operator *op = NULL;
    memset(many, -128, sizeof many);
    const struct tulle_matrix matrix = {.size = sizeof matrix,
                                        .format = TULLE_DENSE,
                                        .type = TULLE_INT8,
                                        .rows = 1,
                                        .columns = LENGTH,
                                        .values = many};
    struct tulle_operator_options options = {
        .size = sizeof options, .operation = TULLE_SPMV, .matrix = &matrix, .output_type = TULLE_INT32};
    refuses(TULLE_RANGE, "result 0 may be as large as 4294967296",
            tulle_operator_create(device, &options, &op));
    options.wraps = 1;
    done(tulle_operator_create(device, &options, &op));
    tulle_operator_free(op);
}

/* ---- runs ----------------------------------------------------------------------------------------- */

static struct tulle_operator *make(bool initial)
{
    struct tulle_operator *op = NULL;
    const struct tulle_matrix matrix = whole();
    struct tulle_operator_options options = usual;
    options.matrix = &matrix;
    options.initial = initial;
    done(tulle_operator_create(device, &options, &op));
    return op;
}

static void refuses_run(struct tulle_operator *op, enum tulle_status status, const char *text,
                        struct tulle_operands operands)
{
    int32_t out[6];
    struct tulle_run *run = NULL;
    memset(out, 0x77, sizeof out);
    struct tulle_output output = *operands.output;
    output.values = output.values ? out : NULL;
    operands.output = &output;
    refuses(status, text, tulle_run(op, &operands, WAIT, NULL));
    refuses(status, text, tulle_start(op, &operands, &run));
    cr_assert_null(run);
    for (size_t i = 0; i < sizeof out; i++)
        cr_assert_eq(((const uint8_t *)out)[i], 0x77);
}

static int8_t input_values[8];
static const struct tulle_matrix good = {
    .size = sizeof good, .type = TULLE_INT8, .rows = 4, .columns = 2, .values = input_values};

static const struct tulle_output usual_output = {
    .size = sizeof usual_output, .type = TULLE_INT32, .values = input_values};
static const struct tulle_operands usual_run = {
    .size = sizeof usual_run, .input = &good, .output = &usual_output};
#define RUN_IS(op, status, text, change)        \
    do {                                        \
        struct tulle_operands r = usual_run;    \
        struct tulle_output to = usual_output;  \
        r.output = &to;                         \
        change;                                 \
        refuses_run((op), (status), (text), r); \
    } while (0)
#define MATRIX(...) (&(const struct tulle_matrix){.size = sizeof(struct tulle_matrix), __VA_ARGS__})

Test(host_lib_refusals, runs)
{
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    const int32_t large[] = {1, 2, 3, 4, 5, 300, 7, 8}, sums[6] = {0};
    struct tulle_operator *op = make(false), *adding = make(true);
    RUN_IS(op, wrong, "the input: there is none", r.input = NULL);
    RUN_IS(op, wrong, "the input: it is 2 x 4, and the operator takes 4 x 2",
           r.input = MATRIX(.type = TULLE_INT8, .rows = 2, .columns = 4, .values = input_values));
    RUN_IS(op, wrong, "the input: it has floats",
           r.input = MATRIX(.type = TULLE_FLOAT32, .rows = 4, .columns = 2, .values = large));
    RUN_IS(op, TULLE_INVALID_MATRIX, "value 300 of dense row 1, place 2",
           r.input = MATRIX(.type = TULLE_INT32, .rows = 4, .columns = 2, .values = large));
    RUN_IS(op, wrong, "without `initial`",
           r.initial = MATRIX(.type = TULLE_INT32, .rows = 3, .columns = 2, .values = sums));
    RUN_IS(adding, wrong, "the initial sums: it is 2 x 3",
           r.initial = MATRIX(.type = TULLE_INT32, .rows = 2, .columns = 3, .values = sums));
    RUN_IS(adding, wrong, "must be dense",
           r.initial = MATRIX(.format = TULLE_CSR, .type = TULLE_INT32, .rows = 3, .columns = 2,
                              .index_type = TULLE_INT32, .starts = (const int32_t[]){0, 0, 0, 0}));
    RUN_IS(op, wrong, "its type is int8", to.type = TULLE_INT8);
    RUN_IS(op, wrong, "the output: values is NULL", to.values = NULL);
    RUN_IS(op, wrong, "a stride is negative", to.row_stride = -1);
    RUN_IS(op, TULLE_INVALID_MATRIX, "the input: entry 0 has row 9",
           r.input = MATRIX(.format = TULLE_COO, .type = TULLE_INT8, .rows = 4, .columns = 2, .entries = 1,
                            .index_type = TULLE_INT32, .indices = (const int32_t[]){9},
                            .more_indices = (const int32_t[]){0}));
    tulle_operator_free(op);
    tulle_operator_free(adding);
}

/* Results and operands have places of their own. */
Test(host_lib_refusals, strides)
{
    const enum tulle_status wrong = TULLE_INVALID_ARGUMENT;
    const struct tulle_matrix matrix = whole();
    struct tulle_operator *op = make(false), *vector = NULL;
    const struct tulle_operator_options options = {
        .size = sizeof options, .operation = TULLE_SPMV, .matrix = &matrix, .output_type = TULLE_INT32};
    RUN_IS(op, wrong, "the output: one stride of two", to.column_stride = 3);
    RUN_IS(op, wrong, "3 x 2 results would overlap", to.column_stride = 1; to.row_stride = 1);
    RUN_IS(op, wrong, "would overlap", to.column_stride = 2; to.row_stride = 3);
    tulle_operator_free(op);
    done(tulle_operator_create(device, &options, &vector));
    RUN_IS(vector, wrong, "the input: one stride of two",
           r.input = MATRIX(.type = TULLE_INT8, .rows = 4, .columns = 1, .column_stride = 1,
                            .values = input_values));
    RUN_IS(vector, wrong, "the output: one stride of two",
           r.input = MATRIX(.type = TULLE_INT8, .rows = 4, .columns = 1, .values = input_values);
           to.column_stride = 1);
    tulle_operator_free(vector);
}

/* 127 * 4 + 2^31 - 500 is more than 32 bits have. */
Test(host_lib_refusals, range_of_initial_sums)
{
    int32_t sums[] = {0, 0, 0, INT32_MAX - 500, 0, 0}, out[6];
    struct tulle_operator *op = make(true);
    struct tulle_operands operands = usual_run;
    operands.initial = MATRIX(.type = TULLE_INT32, .rows = 3, .columns = 2, .values = sums);
    struct tulle_output output = usual_output;
    output.values = out;
    operands.output = &output;
    done(tulle_run(op, &operands, WAIT, NULL)); /* row 1 has no entries */
    sums[5] = sums[3];
    RUN_IS(op, TULLE_RANGE, "of dense row 1, result 2", r.initial = operands.initial);
    tulle_operator_free(op);
}

Test(host_lib_refusals, nothing_given)
{
    struct tulle_operator *op = make(false);
    struct tulle_operands operands = usual_run;
    struct tulle_run *run = NULL;
    const struct tulle_operator_options options = {.size = sizeof options, .dense = 1};
    size_t count;
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_run(NULL, &operands, 1, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_start(op, NULL, &run));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_start(op, &operands, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_wait(NULL, 1, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_create(NULL, &options, &op));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_create(device, NULL, &op));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_create(device, &options, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "there is none", tulle_operator_create(device, &options, &op));
    refuses(TULLE_INVALID_ARGUMENT, "there is none", tulle_operator_update(op, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_describe(op, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_explain(op, 0, NULL, 5, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_save(op, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_load(device, NULL, &op));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_device_describe(NULL, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_device_open(NULL, NULL, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_devices(NULL, 1, &count));
    tulle_run_free(NULL);
    tulle_operator_free(NULL);
    tulle_device_close(NULL);
    tulle_operator_free(op);
}

Test(host_lib_refusals, devices)
{
    struct tulle_device *other = NULL;
    size_t count = 0;
    struct tulle_device_info info = {.size = sizeof info};
    done(tulle_devices(&info, 1, &count));
    cr_assert_eq(count, 1u);
    cr_assert_str_eq(info.name, "model:tiny");
    refuses(TULLE_NO_DEVICE, "there are model:tiny", tulle_device_open("sim:nothere", NULL, &other));
    refuses(TULLE_NO_DEVICE, "no device \"7\"", tulle_device_open("7", NULL, &other));
    refuses(TULLE_FILE, "/nowhere/x",
            tulle_device_open(NULL,
                              &(struct tulle_device_options){.size = sizeof(struct tulle_device_options),
                                                             .container = "/nowhere/x"},
                              &other));
    refuses(TULLE_INVALID_FILE, "/proc/self/exe",
            tulle_device_open(NULL,
                              &(struct tulle_device_options){.size = sizeof(struct tulle_device_options),
                                                             .container = "/proc/self/exe"},
                              &other));
    refuses(TULLE_RANGE, "rows is 3; the device's array has 2",
            tulle_device_open(
                NULL, &(struct tulle_device_options){.size = sizeof(struct tulle_device_options), .rows = 3},
                &other));
    refuses(TULLE_RANGE, "beat_cycles is 1001; allowed 0..1000",
            tulle_device_open(NULL,
                              &(struct tulle_device_options){.size = sizeof(struct tulle_device_options),
                                                             .beat_cycles = 1001},
                              &other));
    cr_assert_null(other);
}

/* The reason is that of the name, not that of a driver which is not there. A process lists its devices once.
 */
static void refuses_to_open(const char *list, const char *why)
{
    struct tulle_device *none = NULL;
    use_devices(list);
    refuses(TULLE_NO_DEVICE, why, tulle_device_open(NULL, NULL, &none));
    cr_assert_null(none);
}

Test(host_lib, a_variant_file_that_is_not_there)
{
    refuses_to_open("model:/nowhere.yaml", "/nowhere.yaml: error: cannot open: No such file");
}

Test(host_lib, a_variant_that_is_not_legal)
{
    refuses_to_open("model:tiny;set=n=99", "\"n\": 99 is not allowed: 1..16");
}

Test(host_lib, half_an_address_behind_pcie)
{
    refuses_to_open("pcie:00", "nor the address of a PCI function");
}

Test(host_lib, scales)
{
    int32_t multiplier;
    unsigned shift;
    done(tulle_scale(0.75, &multiplier, &shift));
    cr_assert_float_eq(ldexp(multiplier, -(int)shift), 0.75, 1e-9);
    done(tulle_scale(1e-9, &multiplier, &shift));
    cr_assert_float_eq(ldexp(multiplier, -(int)shift), 1e-9, 1e-15);
    done(tulle_scale(-3000.5, &multiplier, &shift));
    cr_assert_float_eq(ldexp(multiplier, -(int)shift), -3000.5, 1e-5);
    done(tulle_scale(0, &multiplier, &shift));
    cr_assert_eq(multiplier, 0);
    refuses(TULLE_INVALID_ARGUMENT, "2^31", tulle_scale(INFINITY, &multiplier, &shift));
    refuses(TULLE_INVALID_ARGUMENT, "2^31", tulle_scale(4e9, &multiplier, &shift));
    cr_assert_str_eq(tulle_status_text((enum tulle_status)99), "unknown status");
    for (unsigned s = 0; s < TULLE_STATUSES; s++)
        cr_assert_str_neq(tulle_status_text((enum tulle_status)s), "unknown status");
}

/* ---- tables of functions -------------------------------------------------------------------------- */

Test(host_lib_refusals, tables)
{
    int8_t table[256];
    struct tulle_curve_scales s = {.input_scale = 1. / 16, .output_scale = 1. / 256, .output_zero = -128};
    refuses(TULLE_INVALID_ARGUMENT, "is NULL", tulle_curve_table(TULLE_CURVE_TANH, NULL, table));
    refuses(TULLE_INVALID_ARGUMENT, "no curve 5", tulle_curve_table(TULLE_CURVES, &s, table));
    done(tulle_curve_table(TULLE_CURVE_SIGMOID, &s, table));
    cr_assert_eq(table[0], 0, "half of 256 is 128");
    cr_assert_eq(table[127], 127, "1 - e^-8 saturates");
    cr_assert_eq(table[128], -128, "e^-8 is 0.09 units");
    s.output_scale = 1. / 128;
    s.output_zero = 0;
    done(tulle_curve_table(TULLE_CURVE_TANH, &s, table));
    cr_assert_eq(table[16], 97, "tanh 1 = 0.7616");
    cr_assert_eq(table[256 - 16], -97);
    s.output_scale = s.input_scale = 0.5;
    s.input_zero = 2;
    done(tulle_curve_table(TULLE_CURVE_HARD_SWISH, &s, table));
    cr_assert_eq(table[4], 1, "1 * 4 / 6 = 0.67 is 1.33 units");
    cr_assert_eq(table[100], 98, "49 is itself");
    cr_assert_eq(table[256 - 10], 0, "0 below -3");
    done(tulle_curve_table(TULLE_CURVE_GELU, &s, table));
    cr_assert_eq(table[4], 2, "0.841 is 1.68 units");
    cr_assert_eq(table[256 - 100], 0);
    done(tulle_curve_table(TULLE_CURVE_ELU, &s, table));
    cr_assert_eq(table[0], -1, "e^-1 - 1 = -0.632 is -1.26 units");
    s.input_scale = 0;
    refuses(TULLE_INVALID_ARGUMENT, "above 0", tulle_curve_table(TULLE_CURVE_ELU, &s, table));
    s.input_scale = 1;
    s.input_zero = 128;
    refuses(TULLE_INVALID_ARGUMENT, "-128 to 127", tulle_curve_table(TULLE_CURVE_ELU, &s, table));
}

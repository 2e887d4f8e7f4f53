/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens to operators and runs: new values, files, several at the same
 * time, devices that fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/strbuf.h"
#include "host/container/archive.h"
#include "host/container/sha256.h"
#include "support.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/mutate.h"

enum { ROWS = 40, COLUMNS = 30, DENSE = 6 };

struct rig {
    struct tulle_device *device;
    struct sample sparse, input;
    struct tulle_matrix matrix, dense;
    struct tulle_operator *op;
};

static struct rig rig_make(enum tulle_operation operation, const char *devices)
{
    struct random random = {5};
    const bool spmv = operation == TULLE_SPMV;
    struct rig r = {.device = open_device(devices, NULL, 0),
                    .sparse = sample_make(ROWS, COLUMNS, 0.3, &random),
                    .input = sample_make(COLUMNS, spmv ? 1 : DENSE, 0.8, &random)};
    r.matrix = sample_view(&r.sparse, TULLE_CSR);
    r.dense = sample_view(&r.input, TULLE_DENSE);
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = operation,
                                                   .matrix = &r.matrix,
                                                   .dense = spmv ? 1 : DENSE,
                                                   .output_type = TULLE_INT32};
    done(tulle_operator_create(r.device, &options, &r.op));
    return r;
}

static void rig_free(struct rig *r)
{
    tulle_operator_free(r->op);
    tulle_device_close(r->device);
    sample_free(&r->sparse);
    sample_free(&r->input);
}

/* `output` lasts as long as the operands. */
static struct tulle_operands operands_of(const struct rig *r, int32_t *out, struct tulle_output *output)
{
    *output = (struct tulle_output){.size = sizeof *output, .type = TULLE_INT32, .values = out};
    return (struct tulle_operands){
        .size = sizeof(struct tulle_operands), .input = &r->dense, .output = output};
}
#define OPERANDS(rig, out) operands_of((rig), (out), &(struct tulle_output){0})

static bool right(const struct rig *r, const int32_t *out)
{
    const int64_t dense = r->input.columns;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < dense; j++) {
            int32_t sum = 0;
            for (int64_t k = 0; k < COLUMNS; k++)
                sum += r->sparse.dense[i * COLUMNS + k] * r->input.dense[k * dense + j];
            if (out[i * dense + j] != sum)
                return false;
        }
    return true;
}

/* Other values at the same places, in the dense form too; some of them 0. */
static void change_values(struct sample *s)
{
    for (int64_t e = 0; e < s->entries; e++) {
        s->value[e] = (int8_t)(e % 5 ? s->value[e] / 2 + 3 : 0);
        s->dense[s->row[e] * s->columns + s->column[e]] = s->value[e];
    }
}

static void updates(enum tulle_operation operation)
{
    struct rig r = rig_make(operation, tiny_device());
    int32_t before[ROWS * DENSE], after[ROWS * DENSE];
    struct tulle_operands first = OPERANDS(&r, before), second = OPERANDS(&r, after);
    struct tulle_run *run = NULL;
    done(tulle_start(r.op, &first, &run));
    struct sample old = r.sparse;
    old.dense = malloc(ROWS * COLUMNS);
    cr_assert(old.dense);
    memcpy(old.dense, r.sparse.dense, ROWS * COLUMNS);
    change_values(&r.sparse);
    done(tulle_operator_update(r.op, &r.matrix));
    done(tulle_run(r.op, &second, WAIT, NULL));
    cr_assert(right(&r, after));
    /* What was started before has the values of then. */
    done(tulle_wait(run, WAIT, NULL));
    struct rig then = r;
    then.sparse = old;
    cr_assert(right(&then, before));
    tulle_run_free(run);
    free(old.dense);
    rig_free(&r);
}

Test(host_lib, update_spmm)
{
    updates(TULLE_SPMM_LEFT);
}

Test(host_lib, update_spmv)
{
    updates(TULLE_SPMV);
}

Test(host_lib, update_refused)
{
    struct rig r = rig_make(TULLE_SPMM_LEFT, tiny_device());
    int32_t out[ROWS * DENSE];
    struct tulle_operands operands = OPERANDS(&r, out);
    struct tulle_matrix other = r.matrix;
    other.entries--;
    refuses(TULLE_INVALID_MATRIX, "starts[40]", tulle_operator_update(r.op, &other));
    other = r.matrix;
    other.rows--;
    other.entries = r.sparse.start[ROWS - 1];
    refuses(TULLE_INVALID_MATRIX, "at other places", tulle_operator_update(r.op, &other));
    done(tulle_run(r.op, &operands, WAIT, NULL));
    cr_assert(right(&r, out));
    rig_free(&r);
}

/* ---- files -------------------------------------------------------------------------------------- */

static void save_and_load(enum tulle_operation operation)
{
    struct rig r = rig_make(operation, tiny_device());
    struct tulle_operator *loaded = NULL;
    struct tulle_operator_info info = {.size = sizeof info}, info_loaded = {.size = sizeof info_loaded};
    int32_t out[ROWS * DENSE];
    struct tulle_operands operands = OPERANDS(&r, out);
    done(tulle_operator_save(r.op, "operator"));
    done(tulle_operator_load(r.device, "operator", &loaded));
    done(tulle_operator_describe(r.op, &info));
    done(tulle_operator_describe(loaded, &info_loaded));
    cr_assert_str_eq(info.plan, info_loaded.plan);
    cr_assert_eq(info.device_bytes, info_loaded.device_bytes);
    cr_assert_eq(info.predicted_cycles, info_loaded.predicted_cycles);
    memset(out, 0, sizeof out);
    done(tulle_run(loaded, &operands, WAIT, NULL));
    cr_assert(right(&r, out));
    refuses(TULLE_UNSUPPORTED, "loaded", tulle_operator_update(loaded, &r.matrix));
    tulle_operator_free(loaded);
    rig_free(&r);
}

Test(host_lib, files_spmm, .init = scratch_enter, .fini = scratch_leave)
{
    save_and_load(TULLE_SPMM_LEFT);
}

Test(host_lib, files_spmv, .init = scratch_enter, .fini = scratch_leave)
{
    save_and_load(TULLE_SPMV);
}

static struct strbuf read_all(const char *path)
{
    struct strbuf text = {0};
    char piece[4096];
    FILE *file = fopen(path, "rb");
    cr_assert(file);
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
        sb_addn(&text, piece, n);
    fclose(file);
    cr_assert(sb_ok(&text));
    return text;
}

static void write_all(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    cr_assert_eq(fwrite(bytes, 1, count, file), count);
    cr_assert_eq(fclose(file), 0);
}

Test(host_lib, files_damaged, .init = scratch_enter, .fini = scratch_leave)
{
    struct rig r = rig_make(TULLE_SPMV, tiny_device());
    struct tulle_operator *op = NULL;
    done(tulle_operator_save(r.op, "operator"));
    struct strbuf file = read_all("operator");
    for (size_t at = 0; at < file.len; at += 7) {
        file.text[at] ^= 0x10;
        write_all("damaged", file.text, file.len);
        refuses(TULLE_INVALID_FILE, "damaged", tulle_operator_load(r.device, "damaged", &op));
        file.text[at] ^= 0x10;
    }
    for (size_t length = 0; length < file.len; length += 11) {
        write_all("damaged", file.text, length);
        refuses(TULLE_INVALID_FILE, "damaged", tulle_operator_load(r.device, "damaged", &op));
    }
    refuses(TULLE_FILE, "nothere", tulle_operator_load(r.device, "nothere", &op));
    refuses(TULLE_FILE, "nothere", tulle_operator_save(r.op, "nothere/operator"));
    cr_assert_null(op);
    sb_free(&file);
    rig_free(&r);
}

static struct strbuf bytes_of(const struct tulle_operator *op)
{
    struct strbuf bytes = {0};
    char first = 'x';
    size_t size = 0, again = 0;
    done(tulle_operator_save_bytes(op, &first, 1, &size));
    cr_assert(size > 1 && first == 'x', "it is written where it has no room");
    char *to = malloc(size);
    cr_assert(to);
    done(tulle_operator_save_bytes(op, to, size, &again));
    cr_assert_eq(size, again);
    sb_addn(&bytes, to, size);
    free(to);
    return bytes;
}

Test(host_lib, files_in_memory, .init = scratch_enter, .fini = scratch_leave)
{
    struct rig r = rig_make(TULLE_SPMM_LEFT, tiny_device());
    struct tulle_operator *loaded = NULL;
    int32_t out[ROWS * DENSE];
    struct tulle_operands operands = OPERANDS(&r, out);
    done(tulle_operator_save(r.op, "operator"));
    struct strbuf file = read_all("operator"), bytes = bytes_of(r.op);
    cr_assert(file.len == bytes.len && !memcmp(file.text, bytes.text, file.len));
    done(tulle_operator_load_bytes(r.device, bytes.text, bytes.len, &loaded));
    memset(out, 0, sizeof out);
    done(tulle_run(loaded, &operands, WAIT, NULL));
    cr_assert(right(&r, out));
    tulle_operator_free(loaded);
    refuses(TULLE_INVALID_FILE, "too short", tulle_operator_load_bytes(r.device, bytes.text, 40, &loaded));
    refuses(TULLE_INVALID_FILE, "damaged",
            tulle_operator_load_bytes(r.device, bytes.text, bytes.len - 1, &loaded));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_load_bytes(r.device, NULL, 0, &loaded));
    refuses(TULLE_INVALID_ARGUMENT, "NULL", tulle_operator_save_bytes(r.op, NULL, 0, NULL));
    sb_free(&file);
    sb_free(&bytes);
    rig_free(&r);
}

/* With a right checksum: what is loaded runs, or ends with an error. */
Test(host_lib, files_with_wrong_bytes, .timeout = 300)
{
    enum { MUTATIONS = 6000, FEW_MS = 50 };
    struct rig r = rig_make(TULLE_SPMM_LEFT, "model:tiny;memory=1M");
    struct random random = {28};
    struct tulle_operator *op = NULL;
    int32_t out[ROWS * DENSE];
    struct tulle_operands operands = OPERANDS(&r, out);
    unsigned loaded = 0, refused = 0;
    struct strbuf seed = bytes_of(r.op), bytes = {0};
    for (unsigned i = 0; i < MUTATIONS; i++) {
        bytes.len = 0;
        sb_addn(&bytes, seed.text, seed.len - SHA256_BYTES);
        mutate(&random, &bytes);
        archive_seal(&bytes);
        if (tulle_operator_load_bytes(r.device, bytes.text, bytes.len, &op)) {
            cr_assert(*tulle_message());
            refused++;
            continue;
        }
        loaded++;
        (void)tulle_run(op, &operands, FEW_MS, NULL);
        tulle_operator_free(op);
    }
    cr_log_info("%u loaded, %u refused", loaded, refused);
    cr_expect(loaded > MUTATIONS / 20 && refused > MUTATIONS / 20, "%u loaded, %u refused", loaded, refused);
    sb_free(&seed);
    sb_free(&bytes);
    rig_free(&r);
}

/* ---- several runs --------------------------------------------------------------------------------- */

Test(host_lib, several_in_flight)
{
    enum { RUNS = 9 };
    struct rig r = rig_make(TULLE_SPMM_LEFT, tiny_device());
    int32_t out[RUNS][ROWS * DENSE];
    struct tulle_run *run[RUNS];
    struct tulle_counters counters = {.size = sizeof counters};
    memset(out, 0, sizeof out);
    for (unsigned i = 0; i < RUNS; i++) {
        struct tulle_operands operands = OPERANDS(&r, out[i]);
        done(tulle_start(r.op, &operands, &run[i]));
    }
    /* The operator may go before its runs; a run that is forgotten writes nothing. */
    tulle_operator_free(r.op);
    tulle_run_free(run[3]);
    for (unsigned i = RUNS; i-- > 0;) {
        if (i == 3)
            continue;
        done(tulle_wait(run[i], WAIT, &counters));
        cr_assert(right(&r, out[i]), "run %u", i);
        cr_assert_eq(counters.jobs, 1u);
        cr_assert_gt(counters.effective_macs, 0u);
        done(tulle_wait(run[i], 0, NULL));
        tulle_run_free(run[i]);
    }
    for (unsigned i = 0; i < ROWS * DENSE; i++)
        cr_assert_eq(out[3][i], 0);
    r.op = NULL;
    rig_free(&r);
}

Test(host_lib, several_devices)
{
    struct tulle_device *device[2] = {NULL};
    struct tulle_operator *op[2] = {NULL};
    struct tulle_run *run[2];
    struct rig r = rig_make(TULLE_SPMM_LEFT, "model:tiny,model:base");
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = TULLE_SPMM_LEFT,
                                                   .matrix = &r.matrix,
                                                   .dense = DENSE,
                                                   .output_type = TULLE_INT32};
    int32_t out[2][ROWS * DENSE];
    done(tulle_device_open("0", NULL, &device[0]));
    done(tulle_device_open("model:base", NULL, &device[1]));
    struct tulle_device_info info = {.size = sizeof info};
    done(tulle_device_describe(device[1], &info));
    cr_assert(info.rows == 2 && info.clusters == 2 && info.pes == 8 && info.data_bytes == 1 &&
              info.accumulator_bits == 32 && info.memory_bytes_per_cycle == 64);
    for (unsigned i = 0; i < 2; i++) {
        struct tulle_operands operands = OPERANDS(&r, out[i]);
        done(tulle_operator_create(device[i], &options, &op[i]));
        done(tulle_start(op[i], &operands, &run[i]));
    }
    for (unsigned i = 0; i < 2; i++) {
        done(tulle_wait(run[i], WAIT, NULL));
        cr_assert(right(&r, out[i]));
        tulle_run_free(run[i]);
        tulle_operator_free(op[i]);
        tulle_device_close(device[i]);
    }
    rig_free(&r);
}

/* The board fails again and again, each time some calls after it was opened. */
Test(host_lib, a_device_that_was_lost_is_opened_again)
{
    struct rig r = rig_make(TULLE_SPMM_LEFT, "model:tiny;fault=ones:2000");
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = TULLE_SPMM_LEFT,
                                                   .matrix = &r.matrix,
                                                   .dense = DENSE,
                                                   .output_type = TULLE_INT32};
    int32_t out[ROWS * DENSE];
    struct tulle_operands operands = OPERANDS(&r, out);
    for (unsigned loss = 0; loss < 3; loss++) {
        unsigned runs = 0;
        while (tulle_run(r.op, &operands, WAIT, NULL) == TULLE_OK && runs < 2000) {
            cr_assert(right(&r, out));
            runs++;
        }
        cr_assert(runs > 0 && runs < 2000, "%u", runs);
        refuses(TULLE_DEVICE_LOST, "was lost", tulle_run(r.op, &operands, WAIT, NULL));
        tulle_operator_free(r.op);
        tulle_device_close(r.device);
        done(tulle_device_open(NULL, NULL, &r.device));
        done(tulle_operator_create(r.device, &options, &r.op));
    }
    rig_free(&r);
}

Test(host_lib, waits_are_bounded)
{
    struct rig r = rig_make(TULLE_SPMM_LEFT, tiny_device());
    int32_t out[ROWS * DENSE];
    struct tulle_operands operands = OPERANDS(&r, out);
    struct tulle_run *run = NULL;
    enum tulle_status status;
    unsigned asked = 0;
    done(tulle_start(r.op, &operands, &run));
    while ((status = tulle_wait(run, asked % 2, NULL)) == TULLE_TIMEOUT && asked < WAIT)
        asked++;
    cr_assert_eq(status, TULLE_OK, "%s", tulle_message());
    cr_assert(right(&r, out));
    tulle_run_free(run);
    rig_free(&r);
}

/* Room of runs that are over goes to whoever needs it. */
Test(host_lib, idle_room_is_given_back)
{
    enum { COUNT = 3 };
    struct rig r = rig_make(TULLE_SPMM_LEFT, "model:tiny;memory=230000");
    struct random random = {6};
    const struct sample large = sample_make(COLUMNS, 600, 0.9, &random);
    const struct tulle_matrix input = sample_view(&large, TULLE_DENSE);
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = TULLE_SPMM_LEFT,
                                                   .matrix = &r.matrix,
                                                   .dense = 600,
                                                   .output_type = TULLE_INT32};
    int32_t *out = malloc(sizeof *out * ROWS * 600);
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = out};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    struct tulle_operator *op[COUNT] = {NULL};
    cr_assert(out);
    for (unsigned i = 0; i < COUNT; i++)
        done(tulle_operator_create(r.device, &options, &op[i]));
    for (unsigned i = 0; i < 2 * COUNT; i++)
        done(tulle_run(op[i % COUNT], &operands, WAIT, NULL));
    for (unsigned i = 0; i < COUNT; i++)
        tulle_operator_free(op[i]);
    struct sample all = large;
    free(out);
    sample_free(&all);
    rig_free(&r);
}

/* ---- plans ------------------------------------------------------------------------------------------ */

Test(host_lib, forced_plans)
{
    static const char *const mappings[] = {"is", "os", "ws"}, axes[] = "mnk";
    struct rig r = rig_make(TULLE_SPMM_LEFT, tiny_device());
    int32_t out[ROWS * DENSE];
    struct tulle_operands operands = OPERANDS(&r, out);
    for (unsigned i = 0; i < 27; i++) {
        const char split[] = {axes[i / 3 % 3], axes[i % 3], 0};
        const struct tulle_plan_options plan = {
            .size = sizeof plan, .mapping = mappings[i / 9], .split = split};
        const struct tulle_operator_options options = {.size = sizeof options,
                                                       .operation = TULLE_SPMM_LEFT,
                                                       .matrix = &r.matrix,
                                                       .dense = DENSE,
                                                       .output_type = TULLE_INT32,
                                                       .plan = &plan};
        struct tulle_operator *op = NULL;
        struct tulle_operator_info info = {.size = sizeof info};
        done(tulle_operator_create(r.device, &options, &op));
        done(tulle_operator_describe(op, &info));
        cr_assert_str_eq(info.mapping, mappings[i / 9]);
        cr_assert_str_eq(info.split, split);
        cr_assert_gt(info.predicted_cycles, 0u);
        memset(out, 0, sizeof out);
        done(tulle_run(op, &operands, WAIT, NULL));
        cr_assert(right(&r, out), "%s %s", mappings[i / 9], split);
        tulle_operator_free(op);
    }
    rig_free(&r);
}

/* Of this matrix packets of 8192 bytes along the diagonal lock a row on tiny, and smaller ones do not. */
Test(host_lib, plans_that_never_end_are_not_chosen, .timeout = 60)
{
    struct random random = {11};
    struct tulle_device *device = open_device(tiny_device(), NULL, 0);
    struct sample s = sample_make(200, 300, 0.1, &random);
    const struct tulle_matrix matrix = sample_view(&s, TULLE_CSR);
    const struct tulle_operator_options options = {
        .size = sizeof options, .operation = TULLE_SPMV, .matrix = &matrix, .output_type = TULLE_INT32};
    struct tulle_operator *op = NULL;
    struct tulle_operator_info info = {.size = sizeof info};
    done(tulle_operator_create(device, &options, &op));
    done(tulle_operator_describe(op, &info));
    cr_assert(info.predicted_cycles > 1000 && info.predicted_cycles < 10000, "%s", info.plan);
    static const int8_t x[300];
    int32_t y[200] = {1};
    const struct tulle_matrix input = {
        .size = sizeof input, .rows = 300, .columns = 1, .type = TULLE_INT8, .values = x};
    struct tulle_output output = {
        .size = sizeof output, .type = TULLE_INT32, .row_stride = 1, .column_stride = 1, .values = y};
    done(tulle_run(
        op,
        &(struct tulle_operands){.size = sizeof(struct tulle_operands), .input = &input, .output = &output},
        WAIT, NULL));
    cr_assert_eq(y[0], 0);
    tulle_operator_free(op);
    sample_free(&s);
    tulle_device_close(device);
}

Test(host_lib, explains)
{
    struct rig r = rig_make(TULLE_SPMM_LEFT, tiny_device());
    char text[20000], cut[10];
    size_t needed = 0;
    done(tulle_operator_explain(r.op, 1234, text, sizeof text, &needed));
    cr_assert_eq(strlen(text), needed);
    cr_assert(strstr(text, "chosen: ") && strstr(text, "measured 1234"));
    done(tulle_operator_explain(r.op, 1234, cut, sizeof cut, NULL));
    cr_assert_eq(strlen(cut), sizeof cut - 1);
    done(tulle_operator_explain(r.op, 0, NULL, 0, &needed));
    rig_free(&r);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences: what operators hand to each other on the device is what the host would have carried between
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "gen/base/strbuf.h"
#include "host/container/archive.h"
#include "host/container/sha256.h"
#include "tests/gen_base/rounds.h"
#include "tests/host_lib/support.h"
#include "tests/host_net/mutate.h"

#define DEVICE "model:networks"
#define BANK(bytes) DEVICE ";set=local_bytes=" #bytes
#define BANKS BANK(0) "," BANK(4096) "," BANK(8192) "," BANK(131072)
enum { SIDE = 9, CHANNELS = 12, MIDDLE = 20, CLASSES = 7, STEPS = 5, FEW_MS = 50 };

/* A convolution with a border, a depthwise one, the sum of both, a convolution of that whose results are
 * joined with those of the first, and a product of all of that. */
struct chain {
    struct tulle_window window[3];
    struct tulle_epilogue epilogue, sum, joined;
    struct tulle_second second, third;
    struct tulle_channels channels;
    int32_t multiplier[MIDDLE];
    uint8_t shift[MIDDLE];
    int16_t low[MIDDLE], high[MIDDLE];
    struct tulle_matrix matrix[4];
    struct tulle_operator_options options[STEPS];
    int8_t weights[4][SIDE * SIDE * MIDDLE * CLASSES];
    int8_t x[SIDE * SIDE * CHANNELS];
};

static void fill(int8_t *to, size_t count, unsigned percent, struct random *random)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (int8_t)(random_chance(random, percent) ? (int)random_below(random, 200) - 100 : 0);
}

static struct tulle_matrix weights_of(struct chain *c, unsigned i, int64_t rows, int64_t columns,
                                      struct random *random)
{
    fill(c->weights[i], (size_t)(rows * columns), 50, random);
    return (struct tulle_matrix){.size = sizeof c->matrix[0],
                                 .format = TULLE_DENSE,
                                 .type = TULLE_INT8,
                                 .rows = rows,
                                 .columns = columns,
                                 .values = c->weights[i]};
}

static struct tulle_window window_of(int64_t channels, int64_t groups)
{
    return (struct tulle_window){.size = sizeof(struct tulle_window),
                                 .batch = 1,
                                 .height = SIDE,
                                 .width = SIDE,
                                 .channels = channels,
                                 .kernel_height = 3,
                                 .kernel_width = 3,
                                 .pad_top = 1,
                                 .pad_bottom = 1,
                                 .pad_left = 1,
                                 .pad_right = 1,
                                 .groups = groups,
                                 .input_layout = TULLE_NHWC,
                                 .output_layout = TULLE_NHWC,
                                 .weights_layout = TULLE_NHWC};
}

/* Sums of the last convolution have scales and limits of their channels, and the join those of `sum`. */
static void join_sums(struct chain *c)
{
    for (unsigned i = 0; i < MIDDLE; i++) {
        c->multiplier[i] = (1 << 30) + (int)i * 1000003;
        c->shift[i] = (uint8_t)(38 + i % 3);
        c->low[i] = (int16_t)(-100 - (int)i);
        c->high[i] = (int16_t)(120 + i);
    }
    c->channels = (struct tulle_channels){.size = sizeof c->channels,
                                          .multiplier = c->multiplier,
                                          .shift = c->shift,
                                          .low = c->low,
                                          .high = c->high};
    c->window[2] = window_of(MIDDLE, 1);
    c->third = c->second;
    c->third.columns = 0;
    c->joined = c->sum;
}

static struct chain *chain_make(uint64_t seed)
{
    struct random random = {seed};
    struct chain *c = calloc(1, sizeof *c);
    const int zero = seed % 2 ? 5 : INT8_MIN; /* that of a ReLU, which the bank has as 0 */
    cr_assert(c);
    fill(c->x, sizeof c->x, 70, &random);
    c->window[0] = window_of(CHANNELS, 1);
    c->window[1] = window_of(MIDDLE, MIDDLE);
    c->epilogue = (struct tulle_epilogue){.size = sizeof c->epilogue,
                                          .function = TULLE_REQUANTISE,
                                          .multiplier = 1 << 30,
                                          .shift = 38,
                                          .low = -128,
                                          .high = 127,
                                          .zero = zero};
    c->sum = c->epilogue;
    c->sum.shift = 49;
    c->second = (struct tulle_second){.size = sizeof c->second,
                                      .join = TULLE_JOIN_ADD,
                                      .type = TULLE_INT8,
                                      .zero = zero,
                                      .multiplier = 1 << 30,
                                      .shift = 32,
                                      .columns = MIDDLE};
    c->matrix[0] = weights_of(c, 0, MIDDLE, 9 * CHANNELS, &random);
    c->matrix[1] = weights_of(c, 1, MIDDLE, 9, &random);
    c->matrix[2] = weights_of(c, 2, SIDE * SIDE * MIDDLE, CLASSES, &random);
    c->matrix[3] = weights_of(c, 3, MIDDLE, 9 * MIDDLE, &random);
    join_sums(c);
    for (unsigned i = 0; i < STEPS; i++)
        c->options[i] = (struct tulle_operator_options){.size = sizeof *c->options,
                                                        .output_type = TULLE_INT8,
                                                        .input_zero = i ? zero : 0,
                                                        .epilogue = i == 2   ? &c->sum
                                                                    : i == 3 ? &c->joined
                                                                             : &c->epilogue};
    static const unsigned images[] = {0, 1, 3}, weights[] = {0, 1, 3};
    for (unsigned i = 0; i < 3; i++) {
        c->options[images[i]].operation = TULLE_CONVOLUTION;
        c->options[images[i]].window = &c->window[i];
        c->options[images[i]].matrix = &c->matrix[weights[i]];
    }
    c->options[3].channels = &c->channels;
    c->options[3].second = &c->third;
    c->options[2].operation = TULLE_ELEMENTWISE;
    c->options[2].dense = SIDE * SIDE;
    c->options[2].second = &c->second;
    c->options[4].operation = TULLE_SPMM_RIGHT;
    c->options[4].dense = 1;
    c->options[4].matrix = &c->matrix[2];
    return c;
}

static struct tulle_matrix operand(const int8_t *values, int64_t rows, int64_t columns)
{
    return (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                 .format = TULLE_DENSE,
                                 .type = TULLE_INT8,
                                 .rows = rows,
                                 .columns = columns,
                                 .values = values};
}

static void run_alone(struct tulle_device *device, const struct tulle_operator_options *options,
                      struct tulle_matrix x, const struct tulle_matrix *second, int8_t *y)
{
    struct tulle_operator *op = NULL;
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT8, .values = y};
    const struct tulle_operands operands = {
        .size = sizeof operands, .input = &x, .output = &output, .second = second};
    done(tulle_operator_create(device, options, &op));
    done(tulle_run(op, &operands, WAIT, NULL));
    tulle_operator_free(op);
}

/* One after the other, as jobs of their own. */
struct results {
    int8_t first[SIDE * SIDE * MIDDLE], second[SIDE * SIDE * MIDDLE], sum[SIDE * SIDE * MIDDLE],
        joined[SIDE * SIDE * MIDDLE], last[CLASSES];
};

static void run_each(struct tulle_device *device, struct chain *c, struct results *r)
{
    const int64_t pixels = SIDE * SIDE;
    run_alone(device, &c->options[0], operand(c->x, pixels, CHANNELS), NULL, r->first);
    run_alone(device, &c->options[1], operand(r->first, pixels, MIDDLE), NULL, r->second);
    const struct tulle_matrix w = operand(r->first, pixels, MIDDLE);
    run_alone(device, &c->options[2], operand(r->second, pixels, MIDDLE), &w, r->sum);
    run_alone(device, &c->options[3], operand(r->sum, pixels, MIDDLE), &w, r->joined);
    run_alone(device, &c->options[4], operand(r->joined, 1, pixels * MIDDLE), NULL, r->last);
}

static void steps_of(const struct chain *c, struct tulle_step steps[STEPS], bool all)
{
    static const size_t from[STEPS] = {TULLE_FROM_HOST, 0, 1, 2, 3};
    for (unsigned i = 0; i < STEPS; i++)
        steps[i] = (struct tulle_step){.size = sizeof *steps,
                                       .options = &c->options[i],
                                       .input = from[i],
                                       .second = i == 2 || i == 3 ? 0 : TULLE_FROM_HOST,
                                       .wanted = all};
}

/* All outputs, or the last one alone. */
static enum tulle_status start_sequence(struct tulle_operator *op, const struct chain *c, struct results *r,
                                        bool all, unsigned milliseconds, struct tulle_counters *counters)
{
    const struct tulle_matrix x = operand(c->x, SIDE * SIDE, CHANNELS);
    const struct tulle_matrix *const inputs[] = {&x};
    struct tulle_output output[STEPS];
    const struct tulle_output *outputs[STEPS];
    int8_t *const to[STEPS] = {r->first, r->second, r->sum, r->joined, r->last};
    const int64_t room[STEPS] = {sizeof r->first, sizeof r->second, sizeof r->sum, sizeof r->joined,
                                 sizeof r->last};
    struct tulle_run *run = NULL;
    const unsigned first = all ? 0 : STEPS - 1;
    for (unsigned i = first; i < STEPS; i++) {
        output[i] = (struct tulle_output){
            .size = sizeof *output, .type = TULLE_INT8, .values = to[i], .room = room[i]};
        outputs[i - first] = &output[i];
    }
    enum tulle_status status = tulle_sequence_start(op, inputs, 1, outputs, STEPS - first, &run);
    if (!status)
        status = tulle_wait(run, milliseconds, counters);
    tulle_run_free(run);
    return status;
}

/* Bytes of memory that the job read and wrote. */
static uint64_t run_sequence(struct tulle_operator *op, const struct chain *c, struct results *r, bool all)
{
    struct tulle_counters counters = {.size = sizeof counters};
    struct tulle_operator_info info = {.size = sizeof info};
    done(start_sequence(op, c, r, all, WAIT, &counters));
    cr_assert_eq(counters.jobs, 1u);
    done(tulle_operator_describe(op, &info));
    cr_assert(info.bytes_read == counters.bytes_read && info.bytes_written == counters.bytes_written,
              "%llu and %llu bytes foreseen, %llu and %llu moved", (unsigned long long)info.bytes_read,
              (unsigned long long)info.bytes_written, (unsigned long long)counters.bytes_read,
              (unsigned long long)counters.bytes_written);
    return counters.bytes_read + counters.bytes_written;
}

/* Bytes of the runs in which only the last results are wanted. */
static uint64_t compare_with_each(const char *number)
{
    struct tulle_device *device = open_device(BANKS, number, 0);
    uint64_t bytes = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct chain *c = chain_make(seed);
        struct results *alone = calloc(1, sizeof *alone), *together = calloc(1, sizeof *together);
        struct tulle_step steps[STEPS];
        struct tulle_operator *op = NULL;
        cr_assert(alone && together);
        run_each(device, c, alone);
        for (unsigned all = 0; all < 2; all++) {
            struct tulle_operator_info info = {.size = sizeof info};
            memset(together, 0x55, sizeof *together);
            steps_of(c, steps, all);
            done(tulle_sequence_create(device, steps, STEPS, &op, NULL));
            done(tulle_operator_describe(op, &info));
            cr_assert_gt(info.predicted_cycles, 0u);
            /* A second run meets what the first one has left in memory. */
            run_sequence(op, c, together, all);
            const uint64_t moved = run_sequence(op, c, together, all);
            bytes += all ? 0 : moved;
            tulle_operator_free(op);
            cr_assert_arr_eq(together->last, alone->last, sizeof alone->last);
            cr_assert(!all || !memcmp(together, alone, sizeof *alone));
        }
        free(alone);
        free(together);
        free(c);
    }
    tulle_device_close(device);
    return bytes;
}

/* In memory, and in banks of several sizes: what is in the bank moves no byte of memory. */
Test(host_lib_sequences, same_as_one_after_the_other)
{
    static const char *const numbers[] = {"0", "1", "2", "3"};
    uint64_t before = UINT64_MAX;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const uint64_t bytes = compare_with_each(numbers[i]);
        cr_expect_lt(bytes, before, "device %s: %llu after %llu bytes", numbers[i], (unsigned long long)bytes,
                     (unsigned long long)before);
        before = bytes;
    }
}

/* ---- saved ----------------------------------------------------------------------------------------- */

static struct strbuf saved(const struct tulle_operator *op)
{
    struct strbuf bytes = {0};
    size_t size = 0;
    done(tulle_operator_save_bytes(op, NULL, 0, &size));
    void *to = malloc(size);
    cr_assert(to);
    done(tulle_operator_save_bytes(op, to, size, &size));
    sb_addn(&bytes, to, size);
    free(to);
    return bytes;
}

static struct tulle_operator *make_sequence(struct tulle_device *device, const struct chain *c, bool all)
{
    struct tulle_step steps[STEPS];
    struct tulle_operator *op = NULL;
    steps_of(c, steps, all);
    done(tulle_sequence_create(device, steps, STEPS, &op, NULL));
    return op;
}

static void save_and_load(const char *number)
{
    struct tulle_device *device = open_device(BANKS ",model:base", number, 0), *other = NULL;
    struct chain *c = chain_make(7);
    struct results *alone = calloc(1, sizeof *alone), *together = calloc(1, sizeof *together);
    cr_assert(alone && together);
    run_each(device, c, alone);
    done(tulle_device_open("model:base", NULL, &other));
    for (unsigned all = 0; all < 2; all++) {
        struct tulle_operator *op = make_sequence(device, c, all), *loaded = NULL, *none = NULL;
        struct tulle_operator_info info = {.size = sizeof info}, again = {.size = sizeof again};
        struct strbuf bytes = saved(op);
        done(tulle_operator_describe(op, &info));
        tulle_operator_free(op);
        done(tulle_operator_load_bytes(device, bytes.text, bytes.len, &loaded));
        refuses(TULLE_INVALID_FILE, "it is for variant",
                tulle_operator_load_bytes(other, bytes.text, bytes.len, &none));
        refuses(TULLE_INVALID_FILE, "damaged",
                tulle_operator_load_bytes(device, bytes.text, bytes.len - 1, &none));
        done(tulle_operator_describe(loaded, &again));
        cr_expect_eq(info.predicted_cycles, again.predicted_cycles);
        cr_expect_eq(info.device_bytes, again.device_bytes);
        struct strbuf second = saved(loaded);
        cr_expect(second.len == bytes.len && !memcmp(second.text, bytes.text, bytes.len), "other bytes");
        memset(together, 0x55, sizeof *together);
        run_sequence(loaded, c, together, all);
        run_sequence(loaded, c, together, all);
        cr_expect_arr_eq(together->last, alone->last, sizeof alone->last);
        cr_expect(!all || !memcmp(together, alone, sizeof *alone));
        tulle_operator_free(loaded);
        sb_free(&bytes);
        sb_free(&second);
    }
    free(alone);
    free(together);
    free(c);
    tulle_device_close(other);
    tulle_device_close(device);
}

/* A device keeps what was found for sequences: made once more, nothing is searched for, and so nothing is
 * written into the folder of plans. Opened anew it has kept nothing. */
Test(host_lib_sequences, steps_are_searched_for_once)
{
    char name[] = "/tmp/tulle-sequences-XXXXXX";
    struct chain *c = chain_make(7);
    const char *folder = plans_keep_in(name);
    struct strbuf first = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct tulle_device *device = open_device("model:networks", NULL, 0);
        for (unsigned again = 0; again < 2; again++) {
            struct tulle_operator *op = make_sequence(device, c, false);
            struct strbuf bytes = saved(op);
            cr_expect_eq(plans_entries(folder, plans_remove) > 0, !again);
            cr_expect(!first.len || (bytes.len == first.len && !memcmp(bytes.text, first.text, first.len)));
            if (!first.len)
                first = bytes;
            else
                sb_free(&bytes);
            tulle_operator_free(op);
        }
        tulle_device_close(device);
    }
    sb_free(&first);
    free(c);
    plans_forget(folder);
}

/* Loaded it gives the same, with the same prediction, and has the same bytes when it is saved again: with
 * values in memory, and in the bank. */
Test(host_lib_sequences, saved_and_loaded)
{
    save_and_load("0");
    save_and_load("3");
}

/* The outputs have the room of the sequence that was saved. */
static void survive(const char *number, bool all)
{
    const unsigned mutations = FEWER_ROUNDS(1000);
    struct tulle_device *device =
        open_device(DEVICE ";memory=4M," DEVICE ";memory=4M;set=local_bytes=131072", number, 0);
    struct chain *c = chain_make(7);
    struct tulle_operator *op = make_sequence(device, c, all), *loaded = NULL;
    struct results *r = calloc(1, sizeof *r);
    struct random random = {31};
    struct strbuf seed = saved(op), bytes = {0};
    unsigned taken = 0, refused = 0;
    cr_assert(r);
    tulle_operator_free(op);
    for (unsigned i = 0; i < mutations; i++) {
        bytes.len = 0;
        sb_addn(&bytes, seed.text, seed.len - SHA256_BYTES);
        mutate(&random, &bytes);
        archive_seal(&bytes);
        if (tulle_operator_load_bytes(device, bytes.text, bytes.len, &loaded)) {
            cr_assert(*tulle_message());
            refused++;
            continue;
        }
        taken++;
        (void)start_sequence(loaded, c, r, all, FEW_MS, NULL);
        tulle_operator_free(loaded);
    }
    cr_log_info("%u loaded, %u refused", taken, refused);
    cr_expect(taken > mutations / 20 && refused > mutations / 20, "%u loaded, %u refused", taken, refused);
    free(r);
    free(c);
    sb_free(&seed);
    sb_free(&bytes);
    tulle_device_close(device);
}

/* With a right checksum: what is loaded runs, or ends with an error. */
Test(host_lib_sequences, wrong_bytes_are_survived, .timeout = 300)
{
    survive("0", true);
    survive("1", false);
}

Test(host_lib_sequences, refusals)
{
    struct tulle_device *device = open_device(DEVICE, NULL, 0);
    struct chain *c = chain_make(1);
    struct tulle_step steps[STEPS];
    struct tulle_operator *op = NULL, *alone = NULL;
    struct tulle_run *run = NULL;
    size_t failed = 99;
    steps_of(c, steps, false);
    refuses(TULLE_INVALID_ARGUMENT, "0 steps", tulle_sequence_create(device, steps, 0, &op, NULL));
    steps[1].input = 2;
    refuses(TULLE_INVALID_ARGUMENT, "step 1: it reads results of step 2, which is not before it",
            tulle_sequence_create(device, steps, STEPS, &op, NULL));
    steps[1].input = 0;
    steps[2].second = TULLE_FROM_HOST;
    refuses(TULLE_UNSUPPORTED, "a join with what the host gives",
            tulle_sequence_create(device, steps, STEPS, &op, &failed));
    cr_assert_eq(failed, 2u);
    steps[2].second = 0;
    steps[3].second = TULLE_FROM_HOST;
    refuses(TULLE_UNSUPPORTED, "a join with what the host gives",
            tulle_sequence_create(device, steps, STEPS, &op, &failed));
    cr_assert_eq(failed, 3u);
    steps[3].second = 0;
    c->window[1].height--;
    refuses(TULLE_UNSUPPORTED, "another form", tulle_sequence_create(device, steps, STEPS, &op, &failed));
    cr_assert_eq(failed, 1u);
    c->window[1].height++;
    done(tulle_sequence_create(device, steps, STEPS, &op, NULL));
    const struct tulle_matrix x = operand(c->x, SIDE * SIDE, CHANNELS);
    const struct tulle_matrix *const inputs[] = {&x};
    int8_t y[CLASSES];
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT8, .values = y};
    const struct tulle_output *const outputs[] = {&output};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &x, .output = &output};
    refuses(TULLE_INVALID_ARGUMENT, "1 inputs and 0 outputs; the sequence has 1 and 1",
            tulle_sequence_start(op, inputs, 1, outputs, 0, &run));
    const struct tulle_output less = {
        .size = sizeof less, .type = TULLE_INT8, .values = y, .room = CLASSES - 1};
    const struct tulle_output *const few[] = {&less};
    refuses(TULLE_INVALID_ARGUMENT, "1 x 7 results do not fit its room of 6 elements",
            tulle_sequence_start(op, inputs, 1, few, 1, &run));
    refuses(TULLE_INVALID_ARGUMENT, "the operator is a sequence", tulle_start(op, &operands, &run));
    refuses(TULLE_INVALID_ARGUMENT, "the operator is a sequence", tulle_operator_update(op, &c->matrix[0]));
    done(tulle_operator_create(device, &c->options[0], &alone));
    refuses(TULLE_INVALID_ARGUMENT, "none of tulle_sequence_create",
            tulle_sequence_start(alone, inputs, 1, outputs, 1, &run));
    cr_assert(!run);
    tulle_operator_free(alone);
    tulle_operator_free(op);
    tulle_device_close(device);
    free(c);
}

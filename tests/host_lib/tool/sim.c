/* SPDX-License-Identifier: Apache-2.0
 *
 * libtulle on a simulated device that fails, and with containers. The
 * environment: TULLE_LIB_SIM, the device's folder; TULLE_LIB_CONTAINER, a
 * container of it; TULLE_LIB_OTHER, one of another variant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host_lib/support.h"

static const int8_t values[] = {1, 2, 3, 4};
static const int32_t untouched = 0x55555555;

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    cr_assert(value, "%s is not set", name);
    return value;
}

static struct tulle_device *open_with(const char *settings)
{
    static char list[4096];
    snprintf(list, sizeof list, "sim:%s%s", setting("TULLE_LIB_SIM"), settings);
    return open_device(list, NULL, 0);
}

static struct tulle_operator *make(struct tulle_device *device)
{
    struct tulle_operator *op = NULL;
    const struct tulle_matrix matrix = {
        .size = sizeof matrix, .type = TULLE_INT8, .rows = 2, .columns = 2, .values = values};
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = TULLE_SPMM_LEFT,
                                                   .matrix = &matrix,
                                                   .dense = 2,
                                                   .output_type = TULLE_INT32};
    done(tulle_operator_create(device, &options, &op));
    return op;
}

static enum tulle_status run(struct tulle_operator *op, int32_t out[4])
{
    const struct tulle_matrix input = {
        .size = sizeof input, .type = TULLE_INT8, .rows = 2, .columns = 2, .values = values};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = out};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    for (unsigned i = 0; i < 4; i++)
        out[i] = untouched;
    return tulle_run(op, &operands, WAIT, NULL);
}

static void refuses_to_run(struct tulle_operator *op, enum tulle_status status, const char *text)
{
    int32_t out[4];
    refuses(status, text, run(op, out));
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(out[i], untouched);
}

static void runs(struct tulle_operator *op)
{
    int32_t out[4];
    done(run(op, out));
    cr_assert(out[0] == 7 && out[1] == 10 && out[2] == 15 && out[3] == 22);
}

Test(lib_sim, a_memory_that_answers_with_errors)
{
    struct tulle_device *device = open_with(";fault=slverr:read:*:0-2000");
    struct tulle_operator *op = make(device);
    refuses_to_run(op, TULLE_JOB_FAILED, "the device ended the job with");
    for (unsigned i = 0; i < 8; i++) { /* until the fault's cycles are over */
        int32_t out[4];
        if (run(op, out) == TULLE_OK)
            break;
    }
    runs(op);
    tulle_operator_free(op);
    tulle_device_close(device);
}

Test(lib_sim, a_memory_that_does_not_answer)
{
    cr_assert_eq(setenv("TULLE_WATCHDOG", "5000", 1), 0);
    struct tulle_device *device = open_with(";fault=dead:read");
    struct tulle_operator *op = make(device);
    refuses_to_run(op, TULLE_JOB_FAILED, "");
    tulle_operator_free(op);
    tulle_device_close(device);
}

/* Its waveform cannot be written in the middle of a job. */
Test(lib_sim, a_board_that_is_lost)
{
    struct tulle_device *device = open_with(";trace=/nowhere/x.fst;from=400"), *again = NULL;
    struct tulle_operator *op = make(device), *other = NULL;
    const struct tulle_operator_options options = {.size = sizeof options, .dense = 1};
    refuses_to_run(op, TULLE_DEVICE_LOST, "does not answer");
    refuses_to_run(op, TULLE_DEVICE_LOST, "was lost");
    refuses(TULLE_DEVICE_LOST, "was lost", tulle_operator_create(device, &options, &other));
    done(tulle_device_open(NULL, NULL, &again));
    refuses_to_run(op, TULLE_DEVICE_LOST, "was lost");
    tulle_device_close(again);
    tulle_operator_free(op);
    tulle_device_close(device);
}

Test(lib_sim, a_job_that_lasts_too_long_for_the_caller)
{
    struct tulle_device *device = open_with(";fault=late200000:read");
    struct tulle_operator *op = make(device);
    int32_t out[4];
    const struct tulle_matrix input = {
        .size = sizeof input, .type = TULLE_INT8, .rows = 2, .columns = 2, .values = values};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = out};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    out[0] = untouched;
    refuses(TULLE_TIMEOUT, "1 ms", tulle_run(op, &operands, 1, NULL));
    cr_assert_eq(out[0], untouched);
    tulle_operator_free(op);
    tulle_device_close(device);
}

Test(lib_sim, containers)
{
    struct tulle_device *device = open_with(""), *with = NULL;
    const struct tulle_device_options own = {.size = sizeof own, .container = setting("TULLE_LIB_CONTAINER")},
                                      other = {.size = sizeof other, .container = setting("TULLE_LIB_OTHER")};
    done(tulle_device_open(NULL, &own, &with));
    struct tulle_operator *op = make(with);
    runs(op);
    tulle_operator_free(op);
    tulle_device_close(with);
    with = NULL;
    refuses(TULLE_UNSUPPORTED, "not what the device has", tulle_device_open(NULL, &other, &with));
    cr_assert_null(with);
    tulle_device_close(device);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/goldens/tool/device.h"

#include "host/net/device/job.h"
#include "tests/goldens/tool/cpu.h"

#define WAIT 120000 /* ms */

struct tulle_device *device_open(const char *name, struct diag *diag)
{
    struct tulle_device *device = NULL;
    if (tulle_device_open(name, NULL, &device))
        diag_error(diag, (struct place){name, 0, 0}, "%s", tulle_message());
    return device;
}

/* What the device or its library does not have leaves the case out; everything else is an error. Nor are
 * there weights with a zero point that have no room for it. */
static bool went(struct golden *golden, enum tulle_status status, bool weights_have_zero)
{
    if (status == TULLE_UNSUPPORTED || (status == TULLE_INVALID_MATRIX && weights_have_zero))
        golden_leave_out(golden, tulle_message());
    else if (status)
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "%s", tulle_message());
    return !status;
}

static void run(struct golden *golden, const struct job *job, const struct exact *what, struct answer *answer)
{
    struct tulle_operator *op = NULL;
    if (went(golden, tulle_operator_create(golden->device, &job->options, &op), job->options.matrix_zero) &&
        went(golden, job_run(job, op, what->x, what->w, what->y, WAIT, NULL), false))
        cpu_values(what->y, answer->values);
    tulle_operator_free(op);
}

void device_run(struct golden *golden, const struct exact *what, struct answer *answer)
{
    struct tulle_device_info info = {.size = sizeof info};
    struct job job;
    if (golden->diag->errors || !went(golden, tulle_device_describe(golden->device, &info), false))
        return;
    if (job_make(&job, what, info.data_bytes))
        run(golden, &job, what, answer);
    else
        golden_leave_out(golden, job.reason);
    job_free(&job);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/version.h"
#include "host/icd/tulle_cl.h"
#include "host/lib/library.h"

const char *tulle_message(void)
{
    return message_text();
}

const char *tulle_version(void)
{
    return TULLE_VERSION;
}

const char *tulle_status_text(enum tulle_status status)
{
    static const char *const texts[TULLE_STATUSES] = {
        [TULLE_OK] = "ok",
        [TULLE_INVALID_ARGUMENT] = "invalid argument",
        [TULLE_INVALID_MATRIX] = "invalid matrix",
        [TULLE_OUT_OF_MEMORY] = "out of memory",
        [TULLE_DEVICE_MEMORY] = "not enough device memory",
        [TULLE_NO_DEVICE] = "no such device",
        [TULLE_UNSUPPORTED] = "not supported by the device",
        [TULLE_RANGE] = "sums do not fit the accumulator",
        [TULLE_TIMEOUT] = "timeout",
        [TULLE_DEVICE_LOST] = "device lost",
        [TULLE_JOB_FAILED] = "job failed",
        [TULLE_FILE] = "file cannot be read or written",
        [TULLE_INVALID_FILE] = "invalid file",
        [TULLE_CANCELLED] = "cancelled",
    };
    return (unsigned)status < TULLE_STATUSES ? texts[status] : "unknown status";
}

enum tulle_status message_opencl(const char *what, cl_int code)
{
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
        return message_no_memory();
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE:
        return message_set(TULLE_DEVICE_MEMORY, "%s: the device has not enough memory (OpenCL %d)", what,
                           code);
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_DEVICE_NOT_FOUND:
        return message_set(TULLE_DEVICE_LOST, "%s: the device does not answer; close it and open it again",
                           what);
    case CL_TULLE_JOB_TIMEOUT:
        return message_set(TULLE_JOB_FAILED,
                           "%s: the job did not end in the driver's time (TULLE_TIMEOUT_MS)", what);
    default:
        return message_set(TULLE_UNSUPPORTED, "%s: OpenCL error %d", what, code);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "gen/version.h"
#include "host/icd/tulle_cl.h"
#include "host/lib/library.h"

#define MESSAGE_BYTES 512

static _Thread_local char message[MESSAGE_BYTES];

const char *tulle_message(void)
{
    return message;
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
    };
    return (unsigned)status < TULLE_STATUSES ? texts[status] : "unknown status";
}

enum tulle_status tell(enum tulle_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return status;
}

enum tulle_status tell_no_memory(void)
{
    return tell(TULLE_OUT_OF_MEMORY, "the host has not enough memory");
}

enum tulle_status tell_cl(const char *what, cl_int code)
{
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
        return tell_no_memory();
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE:
        return tell(TULLE_DEVICE_MEMORY, "%s: the device has not enough memory (OpenCL %d)", what, code);
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_DEVICE_NOT_FOUND:
        return tell(TULLE_DEVICE_LOST, "%s: the device does not answer; close it and open it again", what);
    case CL_TULLE_JOB_TIMEOUT:
        return tell(TULLE_JOB_FAILED, "%s: the job did not end in the driver's time (TULLE_TIMEOUT_MS)",
                    what);
    default:
        return tell(TULLE_UNSUPPORTED, "%s: OpenCL error %d", what, code);
    }
}

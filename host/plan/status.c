/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[PLAN_MESSAGE_BYTES];

const char *plan_message(void)
{
    return message;
}

const char *plan_why(enum plan_status status)
{
    return status ? message : NULL;
}

enum plan_status plan_refuse(enum plan_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

enum plan_status plan_no_memory(void)
{
    return plan_refuse(PLAN_NO_MEMORY, "out of memory");
}

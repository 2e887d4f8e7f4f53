/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "host/operator/operator.h"

#define MESSAGE_BYTES 512

static _Thread_local char message[MESSAGE_BYTES];

const char *message_text(void)
{
    return message;
}

enum tulle_status message_set(enum tulle_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return status;
}

enum tulle_status message_no_memory(void)
{
    return message_set(TULLE_OUT_OF_MEMORY, "the host has not enough memory");
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the calls for transfers share.
 */
#ifndef TULLE_HOST_TRANSFER_H
#define TULLE_HOST_TRANSFER_H

#include "host/icd/command.h"

/* Checks the queue, the wait list, and a buffer of the same context. */
cl_int transfer_check(cl_command_queue queue, struct wait_list wait, cl_mem memory);

/* Checks the host's access to the buffer: CL_SUCCESS or CL_INVALID_OPERATION. */
cl_int transfer_rights(cl_mem memory, bool reads, bool writes);

cl_int transfer_enqueue(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event),
                        struct wait_list wait, const struct transfer *transfer, cl_bool blocking,
                        cl_event *event);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * What the calls that enqueue transfers share.
 */
#ifndef TULLE_HOST_TRANSFER_H
#define TULLE_HOST_TRANSFER_H

#include "host/icd/command.h"

/* Queue, wait list, and a buffer of the same context. */
cl_int transfer_check(cl_command_queue queue, struct wait_list wait, cl_mem memory);

/* Whether the host may do that: CL_SUCCESS or CL_INVALID_OPERATION. */
cl_int transfer_rights(cl_mem memory, bool reads, bool writes);

cl_int transfer_enqueue(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event),
                        struct wait_list wait, const struct transfer *transfer, cl_bool blocking,
                        cl_event *event);

#endif

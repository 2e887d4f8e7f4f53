/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands on their way: from a queue over what they wait for to the worker
 * of the device.
 */
#ifndef TULLE_HOST_COMMAND_H
#define TULLE_HOST_COMMAND_H

#include "host/icd/objects.h"

/* What a clEnqueue... was given beside its own. */
struct wait_list {
    cl_uint count;
    const cl_event *events;
};

/* CL_SUCCESS when queue and wait list are right; CL_INVALID_... else. */
cl_int command_check(cl_command_queue queue, struct wait_list wait);

/* A command that nobody knows yet; NULL when out of memory. Buffers that it names are to be given to
 * command_use. */
cl_event command_new(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event),
                     struct wait_list wait);
void command_use(cl_mem buffer);
/* One that will not be submitted after all. */
void command_drop(cl_event command);

/* Into the queue. Blocking: until its end, whose status is returned when it is an error. `event` gets a
 * reference when it is not NULL. */
cl_int command_submit(cl_event command, struct wait_list wait, bool blocking, cl_event *event);

/* The worker of a device runs; CL_SUCCESS, or why it cannot be started. */
cl_int worker_start(cl_device_id device);
/* At the end of the process: workers stop. One that does not end what it does within a second stays
 * `working`. */
void workers_stop(struct _cl_device_id *device, cl_uint count);

/* Callbacks that are due. */
void event_call_back(cl_event event);
/* The end of a command, and of its worker's reference. */
void command_end(cl_event command, cl_int status);
/* Until it is complete; returns its status. */
cl_int event_wait(cl_event event);
void event_release(cl_event event);
/* With icd_lock held: everything it waited for is complete. */
void command_ready(cl_event command);

/* ---- what commands do, in the worker ---------------------------------------------------------------- */

/* Each returns CL_COMPLETE or an error. */
cl_int run_nothing(cl_event command);
cl_int run_read(cl_event command);
cl_int run_write(cl_event command);
cl_int run_copy(cl_event command);
cl_int run_fill(cl_event command);
cl_int run_read_rect(cl_event command);
cl_int run_write_rect(cl_event command);
cl_int run_copy_rect(cl_event command);
cl_int run_migrate(cl_event command);
cl_int run_map(cl_event command);
cl_int run_unmap(cl_event command);
cl_int run_task(cl_event command);

/* The newest contents of a buffer to the device that is to use it. */
cl_int memory_bring(cl_mem m, cl_device_id d);

#endif

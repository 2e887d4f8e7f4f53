/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands: a command waits in a queue for its events, then for the worker
 * thread of its device, which executes it.
 */
#ifndef TULLE_HOST_COMMAND_H
#define TULLE_HOST_COMMAND_H

#include "host/icd/objects.h"

/* The arguments that all clEnqueue... calls share. */
struct wait_list {
    cl_uint count;
    const cl_event *events;
};

/* Checks the queue and the wait list; CL_SUCCESS or CL_INVALID_... */
cl_int command_check(cl_command_queue queue, struct wait_list wait);

/* Makes a command that is not submitted yet; NULL when out of memory. The caller passes its buffers to
 * command_use. */
cl_event command_new(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event),
                     struct wait_list wait);
void command_use(cl_mem buffer);
/* Frees a command that is not submitted. */
void command_drop(cl_event command);

/* Submits the command to its queue. A blocking call waits for its end and returns its error. `event` gets a
 * reference when it is not NULL. */
cl_int command_submit(cl_event command, struct wait_list wait, bool blocking, cl_event *event);

/* Starts the worker of a device unless it runs; CL_SUCCESS or the error. */
cl_int worker_start(cl_device_id device);
/* Stops the workers at the end of the process. A worker that is busy for another second stays `working`. */
void workers_stop(struct _cl_device_id *device, cl_uint count);

/* Calls the callbacks that are due. */
void event_call_back(cl_event event);
/* Ends a command and releases its worker's reference. */
void command_end(cl_event command, cl_int status);
/* A command that was submitted runs from now on. */
void command_begin(cl_event command);
/* Lets go of what the command holds, and ends it. */
void command_finish(cl_event command, cl_int status);
/* Takes a job from what waits for the device, to be run behind `last`, a job that runs: one that is ready, or
 * that waits for `last` only because its queue is in order. It counts as submitted. NULL when there is none.
 */
cl_event command_take_follower(cl_event last);
/* Waits until the event is complete; returns its status. */
cl_int event_wait(cl_event event);
void event_release(cl_event event);
/* Called with icd_lock held when everything that the command waits for is complete. */
void command_ready(cl_event command);

/* ---- execution of commands in the worker ------------------------------------------------------------ */

/* What run_task returns when it has ended the command. */
#define COMMAND_ENDED 1

/* Each returns CL_COMPLETE, an error, or COMMAND_ENDED. */
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

/* Copies the newest contents of a buffer to the device that will use it. */
cl_int memory_bring(cl_mem m, cl_device_id d);
/* Whether there is nothing to copy. Waits for nobody, and says no when another thread uses the buffer. */
bool memory_is_there(cl_mem m, cl_device_id d);
/* Where the buffer's contents are on the device. */
uint64_t memory_address(cl_mem m, cl_device_id d);

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Every kind of command that there is, each enqueued with a wait list that the
 * test chooses: for what is the same for all of them.
 */
#ifndef TULLE_TESTS_KINDS_H
#define TULLE_TESTS_KINDS_H

#include "support.h"

#define KINDS_BYTES 64

/* What the commands use. `rig` and `queue` are the test's. */
struct kinds {
    struct rig *rig;
    cl_command_queue queue;
    cl_command_queue side; /* for what a command needs before it */
    cl_mem memory, source;
    void *mapped; /* what the next unmapping unmaps; NULL: nothing yet */
    unsigned char host[KINDS_BYTES];
    struct work work;
    struct buffers buffers;
};

struct kind {
    const char *name;
    cl_command_type type;
    cl_int (*enqueue)(struct kinds *k, cl_uint count, const cl_event *events, cl_event *event);
};

extern const struct kind kinds[];
extern const size_t kinds_count;

/* On a queue of a context of device[0]'s. */
void kinds_open(struct kinds *k, struct rig *rig, cl_command_queue queue);
void kinds_close(struct kinds *k);

#endif

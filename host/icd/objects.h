/* SPDX-License-Identifier: Apache-2.0
 *
 * The objects of the driver. A file per kind has the functions; who needs
 * another kind's object finds its members here.
 */
#ifndef TULLE_HOST_OBJECTS_H
#define TULLE_HOST_OBJECTS_H

#include "gen/isa/table.h"
#include "host/icd/candidate.h"
#include "host/icd/icd.h"
#include "host/icd/space.h"
#include "sim/model/job.h"

/* ---- platform and devices: there as long as the process ----------------------------------------------- */

struct _cl_platform_id {
    struct object object;
};

extern struct _cl_platform_id icd_platform;

struct _cl_device_id {
    struct object object;
    struct candidate *candidate;
    char name[128];
    /* Under `board_lock`: the board, which is open once candidate->board is set. */
    pthread_mutex_t board_lock;
    bool ended;             /* the process does: it is not opened again */
    atomic_bool failed;     /* until a new context opens it again */
    atomic_uint life;       /* how often it was opened again: contexts of an earlier life cannot use it */
    atomic_bool identified; /* the registers told what the candidate says */
    atomic_uint contexts;   /* that have it, of any life */
    /* Under `space_lock`. */
    pthread_mutex_t space_lock;
    struct space space;
    /* Under icd_lock: the worker and what it is to do. */
    pthread_t worker;
    bool working, stopping;
    pthread_cond_t wake;
    cl_event first_ready, last_ready;
    cl_uint jobs; /* started so far; the worker's own */
};

/* The devices that can be used. False when out of memory. */
bool devices_get(struct _cl_device_id **device, cl_uint *count);
bool device_is(cl_device_id device);

/* A board that has failed is opened again. False: it cannot be used. */
bool device_revive(cl_device_id device);

/* For a context that begins, which needs it revived. False: it cannot be used. */
bool device_join(cl_device_id device, unsigned *life);
/* For a context that ends. */
void device_leave(cl_device_id device);

/* Whether a command can be expected to succeed. One that has failed is opened again by the question, once no
 * context is left that has lost its contents. */
bool device_available(cl_device_id device);

/* Opens the board when it is not yet, with board_lock held. False: it cannot be used now, or not from this
 * context any more. */
bool device_open(cl_device_id device, cl_context context);

/* The bound that the device itself keeps, into its register; board_lock is held. */
enum board_status device_watchdog(cl_device_id device);

/* The board's answer as a command's end, with board_lock held; a board that failed is lost. */
cl_int device_status(cl_device_id device, enum board_status status);
/* The same of a board that said nothing: one that is off its bus reads all ones. */
cl_int device_look(cl_device_id device);

/* It has failed, for a reason that it does not tell itself. */
cl_int device_lose(cl_device_id device, const char *why);

/* Why the context cannot use it; "" when it can. */
void device_why(cl_device_id device, cl_context context, char *why, size_t room);

/* ---- contexts ---------------------------------------------------------------------------------- */

struct _cl_context {
    struct object object;
    cl_context_properties *properties; /* as given, with the 0 at the end; NULL: none */
    size_t property_count;             /* that 0 included */
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *user_data;
    cl_ulong timeout;              /* of a job, nanoseconds */
    unsigned life[CANDIDATES_MAX]; /* of its devices, when it was made */
    cl_uint devices;
    cl_device_id device[];
};

void context_release(cl_context context);
bool context_has(cl_context context, cl_device_id device, cl_uint *index);

/* Tells the application, when it asked to be told. */
void context_tell(cl_context context, const char *text);

/* ---- queues ------------------------------------------------------------------------------------ */

struct _cl_command_queue {
    struct object object;
    cl_context context;
    cl_device_id device;
    cl_uint device_index; /* in the context */
    cl_command_queue_properties properties;
    /* Under icd_lock: of the commands that are not complete, in the order in which they came. */
    cl_event first, last;
    cl_event gate;     /* what every later command waits for: in order the last one, else the last barrier */
    cl_ulong commands; /* that ever came */
};

void queue_release(cl_command_queue queue);

/* ---- memory objects ---------------------------------------------------------------------------- */

#define MEMORY_ALIGNMENT SPACE_BLOCK /* of buffers and sub-buffers */

struct mapping {
    struct mapping *next;
    void *at;
    size_t offset, bytes;
    bool writes, owned; /* owned: `at` was allocated for it */
};

struct destructor {
    struct destructor *next;
    void(CL_CALLBACK *call)(cl_mem, void *);
    void *user_data;
};

struct _cl_mem {
    struct object object;
    cl_context context;
    cl_mem_flags flags;
    size_t size;
    void *host;
    cl_mem parent; /* a sub-buffer's, else NULL: contents and addresses are the parent's */
    size_t origin; /* in the parent */
    /* Under home_lock: where the newest contents are. No device and no `initial`: nothing was written. */
    pthread_mutex_t home_lock;
    cl_device_id home;
    unsigned char *initial; /* contents that no device has yet */
    /* Under icd_lock. */
    struct mapping *mappings;
    cl_uint map_count;
    struct destructor *destructors;
    uint64_t address[]; /* on every device of the context */
};

void memory_release(cl_mem memory);

/* The one that has contents and addresses: itself, or its parent. */
cl_mem memory_whole(cl_mem memory);

/* ---- programs and kernels ------------------------------------------------------------------------ */

struct program_device {
    cl_device_id device;
    unsigned char *binary; /* NULL: built in, or from source */
    size_t bytes;
    atomic_bool built;
    char *options; /* of the last build; NULL: none. Under icd_lock */
};

struct _cl_program {
    struct object object;
    cl_context context;
    atomic_uint kernels; /* attached */
    char *source;        /* NULL: a container or built in */
    cl_uint devices;
    struct program_device device[];
};

void program_release(cl_program program);
bool program_has(cl_program program, cl_device_id device);
bool program_is_built_in(cl_program program);

/* Whether kernels of it can run on the device; on any when it is NULL. */
bool program_is_built(cl_program program, cl_device_id device);

struct kernel_argument {
    bool set;
    cl_mem buffer;   /* not retained, as OpenCL wants it */
    cl_ulong number; /* size or job number */
};

struct _cl_kernel {
    struct object object;
    cl_program program;
    pthread_mutex_t lock;
    struct kernel_argument argument[CL_TULLE_ARGUMENTS];
};

/* ---- events, which are commands ------------------------------------------------------------------- */

struct edge {
    struct edge *next;
    cl_event dependent;
    bool explicit; /* of a wait list: an error goes on along it */
};

struct callback {
    struct callback *next;
    cl_int at;
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *user_data;
};

/* Where a rectangle begins, and how far it is from row to row and from slice to slice. */
struct layout {
    size_t start, row, slice;
};

struct transfer { /* read, write, copy, fill, map, unmap */
    cl_mem buffer, source;
    size_t region[3];          /* of a rectangle: bytes of a row, rows, slices */
    struct layout here, there; /* in the buffer; in the source or in the host's memory */
    size_t offset, source_offset, bytes;
    void *host;
    const void *host_source;
    unsigned char pattern[128];
    size_t pattern_bytes;
    bool reads, writes; /* map: contents are wanted; unmap: contents go back */
    struct mapping *mapping;
};

struct migration {
    cl_mem *memory;
    cl_uint count;
    cl_mem_migration_flags flags;
};

struct task {
    cl_mem buffer[ISA_SLOTS];
    uint64_t size[ISA_SLOTS];
    bool numbered;
    cl_uint number;
};

struct _cl_event {
    struct object object;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    cl_ulong time[4]; /* queued, submitted, started, ended */
    /* Under icd_lock. */
    cl_int status;
    unsigned waiters;        /* references that are clWaitForEvents' */
    unsigned pending;        /* edges that lead here from what is not complete */
    bool doomed;             /* an event of its wait list has failed */
    bool barrier;            /* later commands of its queue wait for it */
    bool after_all;          /* it waits, as one of `pending`, until it is the first of its queue */
    cl_event before, behind; /* in its queue */
    cl_ulong number;         /* in its queue, from 1 */
    cl_event next_ready;
    struct edge *dependents;
    struct callback *callbacks;
    pthread_cond_t ended;
    /* The worker's until the end. */
    cl_int (*run)(cl_event event);
    struct job_result result;
    union {
        struct transfer transfer;
        struct migration migration;
        struct task task;
    };
    struct edge edge[]; /* those that lead here */
};

#endif

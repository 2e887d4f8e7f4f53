/* SPDX-License-Identifier: Apache-2.0
 *
 * The structures of all objects of the driver. Each kind has a source file
 * with its functions; files that use another kind find its members here.
 */
#ifndef TULLE_HOST_OBJECTS_H
#define TULLE_HOST_OBJECTS_H

#include "gen/isa/table.h"
#include "host/devices/candidate.h"
#include "host/icd/icd.h"
#include "host/icd/space.h"
#include "host/monitor/monitor.h"
#include "sim/model/job.h"

/* ---- platform and devices, which exist until the process ends
 * ----------------------------------------------- */

struct _cl_platform_id {
    struct object object;
};

extern struct _cl_platform_id icd_platform;

struct _cl_device_id {
    struct object object;
    struct candidate *candidate;
    char name[128];
    /* Guarded by `board_lock`: the board, which is open once candidate->board is set, and what others see of
     * it. */
    pthread_mutex_t board_lock;
    struct monitor monitor;
    bool ended;             /* the process ends: the board is not opened again */
    atomic_bool failed;     /* until a new context opens it again */
    atomic_uint life;       /* how often the board was opened again; older contexts cannot use it */
    atomic_bool identified; /* the registers match the candidate */
    atomic_uint contexts;   /* that contain the device, of any life */
    /* Guarded by `space_lock`. */
    pthread_mutex_t space_lock;
    struct space space;
    /* Guarded by icd_lock: the worker and its commands. */
    pthread_t worker;
    bool working, stopping;
    pthread_cond_t wake;
    cl_event first_ready, last_ready;
    /* Used by the worker only: jobs started so far, and the number of the last one's context. */
    cl_uint jobs;
    cl_ulong served;
};

/* The devices that can be used. False when out of memory. */
bool devices_get(struct _cl_device_id **device, cl_uint *count);
/* Adds those that TULLE_DEVICES names and that are none, each with the reason, "; " between them. */
bool devices_unused(struct strbuf *text);
bool device_is(cl_device_id device);

/* Opens a board that has failed again. False when it cannot be used. */
bool device_revive(cl_device_id device);

/* Adds a context, for which a failed board is opened again. False when it cannot be used. */
bool device_join(cl_device_id device, unsigned *life);
/* Removes a context. */
void device_leave(cl_device_id device);

/* Whether commands can be expected to succeed. A failed board is opened again once no context is left that
 * has lost its contents. */
bool device_available(cl_device_id device);

/* Opens the board unless it is open, with board_lock held. False when it cannot be used now, or no longer
 * from this context. */
bool device_open(cl_device_id device, cl_context context);

/* Sets the device's own time limit in its register, with board_lock held. */
enum board_status device_watchdog(cl_device_id device);

/* Converts the board's answer to the status of a command, with board_lock held; a failed board is lost. */
cl_int device_status(cl_device_id device, enum board_status status);
/* The same for a board without an answer: one that has left its bus reads all ones. */
cl_int device_look(cl_device_id device);

/* Marks the board as failed, with the reason. */
cl_int device_lose(cl_device_id device, const char *why);

/* The reason why the context cannot use the device, or "". */
void device_why(cl_device_id device, cl_context context, char *why, size_t room);

/* ---- contexts ---------------------------------------------------------------------------------- */

struct _cl_context {
    struct object object;
    cl_context_properties *properties; /* as given, with the 0 at the end; NULL: none */
    size_t property_count;             /* that 0 included */
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *user_data;
    cl_ulong timeout;              /* of a job, nanoseconds */
    cl_ulong number;               /* no other context of the process has it; from 1 */
    unsigned life[CANDIDATES_MAX]; /* of its devices at its creation */
    cl_uint devices;
    cl_device_id device[];
};

void context_release(cl_context context);
bool context_has(cl_context context, cl_device_id device, cl_uint *index);

/* Calls the application's callback for errors, if there is one. */
void context_tell(cl_context context, const char *text);

/* ---- queues ------------------------------------------------------------------------------------ */

struct _cl_command_queue {
    struct object object;
    cl_context context;
    cl_device_id device;
    cl_uint device_index; /* in the context */
    cl_command_queue_properties properties;
    /* Guarded by icd_lock: the commands that are not complete, in the order of submission. */
    cl_event first, last;
    cl_event gate;     /* every later command waits for it: the last command (in order) or the last barrier */
    cl_ulong commands; /* submitted so far */
};

void queue_release(cl_command_queue queue);

/* ---- memory objects ---------------------------------------------------------------------------- */

#define MEMORY_ALIGNMENT SPACE_BLOCK /* of buffers and sub-buffers */

struct mapping {
    struct mapping *next;
    void *at;
    size_t offset, bytes;
    bool writes, owned; /* owned: `at` was allocated by the driver */
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
    cl_mem parent; /* of a sub-buffer, which uses its contents and addresses; otherwise NULL */
    size_t origin; /* in the parent */
    /* Guarded by home_lock: the place of the newest contents. Without a device and `initial` nothing was
     * written. */
    pthread_mutex_t home_lock;
    cl_device_id home;
    unsigned char *initial; /* contents that are on no device yet */
    /* Guarded by icd_lock. */
    struct mapping *mappings;
    cl_uint map_count;
    struct destructor *destructors;
    uint64_t address[]; /* on every device of the context */
};

void memory_release(cl_mem memory);

/* The buffer with the contents and addresses: itself or its parent. */
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

/* Whether its kernels can run on the device, or on any device (NULL). */
bool program_is_built(cl_program program, cl_device_id device);

struct kernel_argument {
    bool set;
    cl_mem buffer;   /* not retained, as OpenCL requires */
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
    bool explicit; /* of a wait list: it passes errors on */
};

struct callback {
    struct callback *next;
    cl_int at;
    void(CL_CALLBACK *call)(cl_event, cl_int, void *);
    void *user_data;
};

/* The start of a rectangle and the distances between its rows and slices. */
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
    bool reads, writes; /* map: copies contents to the host; unmap: copies them back */
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
    /* Guarded by icd_lock. */
    cl_int status;
    unsigned waiters;        /* references of clWaitForEvents */
    unsigned pending;        /* incoming edges from commands that are not complete */
    bool taken;              /* the worker has it already, behind a job that it waits for */
    bool doomed;             /* an event of its wait list has failed */
    bool barrier;            /* later commands of its queue wait for it */
    bool after_all;          /* it waits until it is the first of its queue, which counts in `pending` */
    cl_event before, behind; /* in its queue */
    cl_ulong number;         /* in its queue, from 1 */
    cl_event next_ready;
    struct edge *dependents;
    struct callback *callbacks;
    pthread_cond_t ended;
    /* Used by the worker until the end. */
    cl_int (*run)(cl_event event);
    struct job_result result;
    _Atomic uint64_t elapsed; /* clock cycles of the job so far */
    union {
        struct transfer transfer;
        struct migration migration;
        struct task task;
    };
    struct edge edge[]; /* incoming edges */
};

#endif

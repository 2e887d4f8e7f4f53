/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface between the parts of the OpenCL driver: objects and their
 * reference counts, answers to queries, and the one lock.
 *
 * Every object begins with the loader's table. `icd_lock` guards what changes
 * after creation and is shared: events and their dependencies, the ends of
 * queues, the devices' lists of ready commands. No callback and no board
 * operation runs under the lock. docs/opencl.md describes the whole.
 */
#ifndef TULLE_HOST_ICD_H
#define TULLE_HOST_ICD_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "host/icd/tulle_cl.h"

/* ---- objects ---------------------------------------------------------------------------------- */

enum object_kind {
    OBJECT_GONE,
    OBJECT_PLATFORM = 0x7C1A0001,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_QUEUE,
    OBJECT_MEMORY,
    OBJECT_PROGRAM,
    OBJECT_KERNEL,
    OBJECT_EVENT
};

struct object {
    const cl_icd_dispatch *dispatch; /* first, for the loader */
    enum object_kind kind;
    atomic_uint references;
};

extern const cl_icd_dispatch icd_dispatch;
extern pthread_mutex_t icd_lock;

/* Makes an object of `bytes`, which are 0 behind its head, with one reference; NULL when out of memory. */
void *object_new(enum object_kind kind, size_t bytes);

/* Whether a handle appears to be an object of that kind. */
bool object_is(const void *handle, enum object_kind kind);

void object_retain(void *object);
/* True when that was the last reference: the caller frees it. */
bool object_release(void *object);
void object_free(void *object);

/* Ends a creation: sets *errcode_ret unless it is NULL, and returns the object. */
void *object_created(void *object, cl_int status, cl_int *errcode_ret);

/* ---- information ------------------------------------------------------------------------------ */

/* The place of a query's answer. */
struct info {
    size_t room;
    void *to;
    size_t *needed;
};

cl_int info_bytes(struct info info, const void *bytes, size_t count);
cl_int info_text(struct info info, const char *text);
cl_int info_uint(struct info info, cl_uint value);
cl_int info_ulong(struct info info, cl_ulong value);
cl_int info_size(struct info info, size_t value);
cl_int info_pointer(struct info info, const void *value);

/* CLOCK_MONOTONIC in nanoseconds. */
cl_ulong icd_now(void);

/* Polls for something that may happen soon, because waking up an idle processor takes longer than a short
 * job. Yields once, without icd_lock. False when ICD_SPIN has passed since `since`. */
#define ICD_SPIN 300000 /* ns */
bool icd_spin(cl_ulong since);

/* The functions that a file adds to the table; NAME stands for the type cl_api_NAME. */
#define ICD_FUNCTION(name) __typeof__(*(cl_api_##name)0) icd_##name

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/icd/icd.h"

pthread_mutex_t icd_lock = PTHREAD_MUTEX_INITIALIZER;

void *object_new(enum object_kind kind, size_t bytes)
{
    struct object *o = calloc(1, bytes);
    if (!o)
        return NULL;
    o->dispatch = &icd_dispatch;
    o->kind = kind;
    atomic_init(&o->references, 1);
    return o;
}

bool object_is(const void *handle, enum object_kind kind)
{
    return handle && ((const struct object *)handle)->kind == kind;
}

void object_retain(void *object)
{
    atomic_fetch_add_explicit(&((struct object *)object)->references, 1, memory_order_relaxed);
}

bool object_release(void *object)
{
    return atomic_fetch_sub_explicit(&((struct object *)object)->references, 1, memory_order_acq_rel) == 1;
}

void object_free(void *object)
{
    ((struct object *)object)->kind = OBJECT_GONE;
    free(object);
}

void *object_created(void *object, cl_int status, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = status;
    return object;
}

cl_int info_bytes(struct info info, const void *bytes, size_t count)
{
    if (info.to && info.room < count)
        return CL_INVALID_VALUE;
    if (info.to && count)
        memcpy(info.to, bytes, count);
    if (info.needed)
        *info.needed = count;
    return CL_SUCCESS;
}

cl_int info_text(struct info info, const char *text)
{
    return info_bytes(info, text, strlen(text) + 1);
}

cl_int info_uint(struct info info, cl_uint value)
{
    return info_bytes(info, &value, sizeof value);
}

cl_int info_ulong(struct info info, cl_ulong value)
{
    return info_bytes(info, &value, sizeof value);
}

cl_int info_size(struct info info, size_t value)
{
    return info_bytes(info, &value, sizeof value);
}

cl_int info_pointer(struct info info, const void *value)
{
    return info_bytes(info, &value, sizeof value);
}

cl_ulong icd_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (cl_ulong)t.tv_sec * 1000000000u + (cl_ulong)t.tv_nsec;
}

bool icd_spin(cl_ulong since)
{
    if (icd_now() - since > ICD_SPIN)
        return false;
    pthread_mutex_unlock(&icd_lock);
    sched_yield();
    pthread_mutex_lock(&icd_lock);
    return true;
}

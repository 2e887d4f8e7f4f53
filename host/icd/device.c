/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices. They are found when the application first asks for them and exist
 * until the process ends. A board is opened when the first command needs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/version.h"
#include "host/icd/command.h"
#include "host/icd/entries.h"
#include "sim/board/registers.h"

#define WATCHDOG_VARIABLE "TULLE_WATCHDOG"
#define WATCHDOG_DEFAULT 1000000 /* cycles without progress */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct candidates candidates;
static struct _cl_device_id *list;
static cl_uint list_count;
static bool listed;

/* ---- the list --------------------------------------------------------------------------------- */

static void furnish(struct _cl_device_id *d, struct candidate *c)
{
    d->object.dispatch = &icd_dispatch;
    d->object.kind = OBJECT_DEVICE;
    d->candidate = c;
    snprintf(d->name, sizeof d->name, "tulle %s", c->text);
    space_open(&d->space, c->memory);
    pthread_mutex_init(&d->board_lock, NULL);
    pthread_mutex_init(&d->space_lock, NULL);
    pthread_cond_init(&d->wake, NULL);
    atomic_init(&d->failed, false);
    atomic_init(&d->life, 0);
    atomic_init(&d->identified, false);
    atomic_init(&d->contexts, 0);
}

/* The library is never unloaded, so this is the end of the process. Threads of the application may still be
 * there: devices stay, and are of no more use. A board whose worker does not stop is left alone. */
__attribute__((destructor)) static void close_devices(void)
{
    workers_stop(list, list_count);
    for (cl_uint i = 0; i < list_count; i++) {
        struct _cl_device_id *d = &list[i];
        if (d->working)
            continue;
        pthread_mutex_lock(&d->board_lock);
        d->ended = true;
        atomic_store(&d->failed, true);
        candidate_close(d->candidate);
        monitor_close(&d->monitor);
        pthread_mutex_unlock(&d->board_lock);
    }
}

static bool find_devices(void)
{
    if (!candidates_find(getenv(CANDIDATES_VARIABLE), &candidates))
        return false;
    list = calloc(candidates.count + 1, sizeof *list);
    /* Now, so that it is called before what the objects of simulated devices have registered for the end. */
    if (!list || atexit(close_devices) != 0) {
        free(list);
        list = NULL;
        candidates_free(&candidates);
        return false;
    }
    for (size_t i = 0; i < candidates.count; i++)
        if (!*candidates.item[i].why)
            furnish(&list[list_count++], &candidates.item[i]);
    return true;
}

bool devices_get(struct _cl_device_id **device, cl_uint *count)
{
    pthread_mutex_lock(&list_lock);
    listed = listed || find_devices();
    *device = list;
    *count = list_count;
    bool ok = listed;
    pthread_mutex_unlock(&list_lock);
    return ok;
}

bool devices_unused(struct strbuf *text)
{
    struct _cl_device_id *all;
    cl_uint count;
    if (!devices_get(&all, &count))
        return false;
    for (size_t i = 0; i < candidates.count; i++)
        if (*candidates.item[i].why)
            sb_addf(text, "%s%s: %s", text->len ? "; " : "", candidates.item[i].text, candidates.item[i].why);
    return true;
}

bool device_is(cl_device_id device)
{
    struct _cl_device_id *all;
    cl_uint count;
    if (!devices_get(&all, &count))
        return false;
    for (cl_uint i = 0; i < count; i++)
        if (device == &all[i])
            return true;
    return false;
}

/* ---- boards ------------------------------------------------------------------------------------ */

static uint32_t watchdog(void)
{
    const char *text = getenv(WATCHDOG_VARIABLE);
    char *end;
    unsigned long value = text ? strtoul(text, &end, 10) : WATCHDOG_DEFAULT;
    return text && (end == text || *end || value > UINT32_MAX) ? WATCHDOG_DEFAULT : (uint32_t)value;
}

enum board_status device_watchdog(cl_device_id d)
{
    return d->candidate->api->write_register(d->candidate->board, register_offset("watchdog"), watchdog());
}

static bool open_board(cl_device_id d)
{
    if (!atomic_load(&d->failed) && !atomic_load(&d->identified)) {
        bool ok = candidate_open(d->candidate) && device_status(d, device_watchdog(d)) == CL_COMPLETE;
        atomic_store(&d->identified, ok);
    }
    return atomic_load(&d->identified) && !atomic_load(&d->failed);
}

static void show_to_others(cl_device_id d)
{
    const struct candidate *c = d->candidate;
    struct monitor_about about = {.hash = c->hash,
                                  .pes = (uint64_t)c->variant.n * c->variant.m * c->variant.k};
    snprintf(about.name, sizeof about.name, "%s", c->text);
    snprintf(about.variant, sizeof about.variant, "%s", c->variant.name);
    monitor_open(&d->monitor, &about);
}

/* What the board holds is lost, and so is what contexts so far know of it. */
static bool open_again(cl_device_id d)
{
    if (d->ended)
        return false;
    candidate_close(d->candidate);
    d->candidate->why[0] = 0;
    atomic_store(&d->identified, false);
    atomic_fetch_add(&d->life, 1);
    atomic_store(&d->failed, false);
    bool ok = open_board(d);
    atomic_store(&d->failed, !ok);
    return ok;
}

bool device_revive(cl_device_id d)
{
    if (!atomic_load(&d->failed))
        return true;
    pthread_mutex_lock(&d->board_lock);
    bool ok = !atomic_load(&d->failed) || open_again(d);
    pthread_mutex_unlock(&d->board_lock);
    return ok;
}

bool device_join(cl_device_id d, unsigned *life)
{
    bool ok = device_revive(d);
    if (ok)
        atomic_fetch_add(&d->contexts, 1);
    *life = atomic_load(&d->life);
    return ok;
}

void device_leave(cl_device_id d)
{
    atomic_fetch_sub(&d->contexts, 1);
}

bool device_available(cl_device_id d)
{
    return !atomic_load(&d->failed) || (!atomic_load(&d->contexts) && device_revive(d));
}

static bool of_this_life(cl_device_id d, cl_context context)
{
    cl_uint index;
    return context_has(context, d, &index) && context->life[index] == atomic_load(&d->life);
}

bool device_open(cl_device_id d, cl_context context)
{
    bool ok = of_this_life(d, context) && open_board(d);
    if (ok && !d->monitor.tried)
        show_to_others(d);
    return ok;
}

cl_int device_lose(cl_device_id d, const char *why)
{
    snprintf(d->candidate->why, sizeof d->candidate->why, "%s", why);
    atomic_store(&d->failed, true);
    monitor_fails(&d->monitor, MONITOR_LOST);
    return CL_DEVICE_NOT_AVAILABLE;
}

cl_int device_status(cl_device_id d, enum board_status status)
{
    if (status == BOARD_OK)
        return CL_COMPLETE;
    if (status == BOARD_BAD_ARGUMENT)
        return CL_OUT_OF_RESOURCES;
    return device_lose(d, d->candidate->api->error(d->candidate->board));
}

/* No board has all bits of this register, and reading it changes nothing. */
cl_int device_look(cl_device_id d)
{
    uint32_t value = 0;
    cl_int status = device_status(d, d->candidate->api->read_register(
                                         d->candidate->board, register_offset("interrupt_enable"), &value));
    return status == CL_COMPLETE && value == UINT32_MAX
               ? device_lose(d, "it reads all ones: it is off the bus, or off")
               : status;
}

void device_why(cl_device_id d, cl_context context, char *why, size_t room)
{
    if (!of_this_life(d, context)) {
        snprintf(why, room, "it failed and was opened again after this context was made: make another one");
        return;
    }
    pthread_mutex_lock(&d->board_lock);
    snprintf(why, room, "%s", d->candidate->why);
    pthread_mutex_unlock(&d->board_lock);
}

/* ---- the calls ----------------------------------------------------------------------------------- */

cl_int icd_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *to,
                          cl_uint *found)
{
    const cl_device_type any = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                               CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    struct _cl_device_id *all;
    cl_uint count;
    if (platform && platform != &icd_platform)
        return CL_INVALID_PLATFORM;
    if ((!room && to) || (!to && !found))
        return CL_INVALID_VALUE;
    if (!type || (type != CL_DEVICE_TYPE_ALL && (type & ~any)))
        return CL_INVALID_DEVICE_TYPE;
    if (found)
        *found = 0;
    if (!devices_get(&all, &count))
        return CL_OUT_OF_HOST_MEMORY;
    if (!(type & CL_DEVICE_TYPE_ACCELERATOR))
        count = count && (type & CL_DEVICE_TYPE_DEFAULT) ? 1 : 0;
    if (!count)
        return CL_DEVICE_NOT_FOUND;
    for (cl_uint i = 0; to && i < count && i < room; i++)
        to[i] = &all[i];
    if (found)
        *found = count;
    return CL_SUCCESS;
}

/* No way to partition a device is supported. */
cl_int icd_clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties,
                              cl_uint room, cl_device_id *to, cl_uint *found)
{
    (void)properties;
    (void)room;
    (void)to;
    (void)found;
    return device_is(device) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

cl_int icd_clRetainDevice(cl_device_id device)
{
    return device_is(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int icd_clReleaseDevice(cl_device_id device)
{
    return device_is(device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

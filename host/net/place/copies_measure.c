/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "host/net/place/copies.h"
#include "host/tulle.h"

/* From 64 bytes to 4 MiB, each four times as large as the one before. */
enum { LEAST = 64, MOST = 1 << 22, STEP = 4 };

/* The least of so many copies, and as its spread what their mean is above it: the host's other work only adds
 * to a copy. */
static enum tulle_status measure(struct tulle_device *device, uint64_t bytes, unsigned runs,
                                 struct place_entry *to, struct place_entry *from)
{
    double there, back, sum_to = 0, sum_from = 0;
    enum tulle_status status = TULLE_OK;
    to->seconds = from->seconds = INFINITY;
    for (unsigned r = 0; !status && r < runs; r++) {
        status = tulle_device_copy(device, bytes, &there, &back);
        to->seconds = fmin(to->seconds, there);
        from->seconds = fmin(from->seconds, back);
        sum_to += there;
        sum_from += back;
    }
    to->spread = sum_to / runs / to->seconds - 1;
    from->spread = sum_from / runs / from->seconds - 1;
    return status;
}

bool place_calibrate_copies(struct tulle_device *device, unsigned runs, struct place_library *library,
                            struct diag *diag)
{
    struct tulle_device_info info = {.size = sizeof info};
    enum tulle_status status = tulle_device_describe(device, &info);
    bool ok = true;
    for (uint64_t bytes = LEAST; ok && !status && bytes <= MOST && bytes <= info.memory; bytes *= STEP) {
        struct place_entry to = {.what = place_copy_features(info.name, true, (double)bytes)};
        struct place_entry from = {.what = place_copy_features(info.name, false, (double)bytes)};
        status = measure(device, bytes, runs, &to, &from);
        ok = status || (place_library_add(library, &to) && place_library_add(library, &from));
    }
    if (!ok)
        diag_no_memory(diag, info.name);
    if (status)
        diag_error(diag, (struct place){0}, "%s", tulle_message());
    return ok && !status;
}

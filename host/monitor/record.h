/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a device: where it is and its layout. A file belongs to the
 * process that holds a lock on all of it.
 */
#ifndef TULLE_HOST_MONITOR_RECORD_H
#define TULLE_HOST_MONITOR_RECORD_H

#include <stdatomic.h>

#include "host/monitor/monitor.h"

#define MONITOR_MAGIC UINT64_C(0x31484354574C5554) /* "TULWTCH1" */
#define MONITOR_VERSION 1
#define MONITOR_WORDS (sizeof(struct monitor_counts) / sizeof(uint64_t))

struct monitor_record {
    _Atomic uint64_t magic; /* written when everything else is there */
    uint32_t version, bytes;
    struct monitor_about about;
    _Atomic uint64_t sequence; /* odd while the counts change */
    _Atomic uint64_t counts[MONITOR_WORDS];
};

_Static_assert(sizeof(struct monitor_about) == 4 * 8 + 2 * MONITOR_NAME_BYTES, "padding in a file");
_Static_assert(sizeof(struct monitor_record) ==
                   3 * 8 + sizeof(struct monitor_about) + sizeof(struct monitor_counts),
               "padding in a file");

/* The folders that records may be in: $XDG_RUNTIME_DIR/tulle and /tmp/tulle-UID. */
#define MONITOR_FOLDERS 2

/* Opens a folder, which is made if `make` is set. -1, with the reason in `why`, when it is not this user's
 * alone; -1 without a reason when there is none. `path` is set in any case. */
int monitor_folder(unsigned which, bool make, char path[MONITOR_PATH_BYTES], char why[MONITOR_WHY_BYTES]);

#endif

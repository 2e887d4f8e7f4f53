/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/monitor/record.h"

uint64_t monitor_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* False when there is no such place. A path with a file's name behind it fits, too. */
static bool path_of(unsigned which, char path[MONITOR_PATH_BYTES])
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int length;
    if (which)
        length = snprintf(path, MONITOR_PATH_BYTES, "/tmp/tulle-%lu", (unsigned long)geteuid());
    else if (runtime && *runtime == '/')
        length = snprintf(path, MONITOR_PATH_BYTES, "%s/tulle", runtime);
    else
        return false;
    return length > 0 && length < MONITOR_PATH_BYTES / 2;
}

/* Others could put files or links into a folder that is not this user's alone. */
static const char *distrust(int folder)
{
    struct stat is;
    if (fstat(folder, &is) != 0)
        return "it cannot be examined";
    if (is.st_uid != geteuid())
        return "it belongs to another user";
    return is.st_mode & 077 ? "other users may use it: its mode must be 0700" : NULL;
}

int monitor_folder(unsigned which, bool make, char path[MONITOR_PATH_BYTES], char why[MONITOR_WHY_BYTES])
{
    *why = *path = '\0';
    if (!path_of(which, path))
        return -1;
    if (make)
        mkdir(path, 0700); /* the next call says whether it is there */
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        if (errno != ENOENT)
            snprintf(why, MONITOR_WHY_BYTES, "it is no folder that can be read: %s", strerror(errno));
        return -1;
    }
    const char *reason = distrust(folder);
    if (!reason)
        return folder;
    snprintf(why, MONITOR_WHY_BYTES, "%s", reason);
    close(folder);
    return -1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "host/net/base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map(struct source *source, int file, struct diag *diag)
{
    const struct place place = {.file = source->path};
    struct stat info;
    if (fstat(file, &info) != 0) {
        diag_error(diag, place, "cannot read: %s", strerror(errno));
        return false;
    }
    if (!S_ISREG(info.st_mode) || info.st_size <= 0) {
        diag_error(diag, place, "%s",
                   S_ISREG(info.st_mode) ? "the file is empty"
                                         : "this is not a regular file; networks are read from files only");
        return false;
    }
    source->size = (size_t)info.st_size;
    void *at = mmap(NULL, source->size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) {
        diag_error(diag, place, "cannot map the file: %s", strerror(errno));
        return false;
    }
    source->bytes = source->map = at;
    return true;
}

bool source_open(struct source *source, const char *path, struct diag *diag)
{
    *source = (struct source){.path = path};
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        diag_error(diag, (struct place){.file = path}, "cannot open: %s", strerror(errno));
        return false;
    }
    const bool ok = map(source, file, diag);
    close(file);
    return ok;
}

bool source_copy(struct source *source, const char *path, const void *bytes, size_t size, struct diag *diag)
{
    void *at =
        size ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    *source = (struct source){.path = path};
    if (at == MAP_FAILED) {
        diag_no_memory(diag, path);
        return false;
    }
    memcpy(at, bytes, size);
    source->bytes = source->map = at;
    source->size = size;
    return true;
}

void source_close(struct source *source)
{
    if (source->map)
        munmap(source->map, source->size);
    *source = (struct source){.path = NULL};
}

void source_error(const struct source *source, const void *at, struct diag *diag, const char *format, ...)
{
    const uintptr_t begin = (uintptr_t)source->bytes, place = (uintptr_t)at;
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    sb_vaddf(&text, format, args);
    va_end(args);
    if (at && place >= begin && place - begin <= source->size)
        diag_error(diag, (struct place){.file = source->path}, "at byte %zu: %s", (size_t)(place - begin),
                   sb_text(&text));
    else
        diag_error(diag, (struct place){.file = source->path}, "%s", sb_text(&text));
    sb_free(&text);
}

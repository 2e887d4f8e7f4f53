/* SPDX-License-Identifier: Apache-2.0
 *
 * Unpacks a container with a Verilated device into the folder that the
 * simulated board opens. All bytes have passed container_read().
 */
#include "host/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char object_name[] = "board.so", variant_name[] = "variant.yaml";

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* A new file: what is there already, a link above all, is never written to. */
static bool create(const char *folder, const char *name, const void *bytes, size_t count, struct strbuf *why)
{
    struct strbuf path = {0};
    sb_addf(&path, "%s/%s", folder, name);
    int file = sb_ok(&path) ? open(path.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool ok = file >= 0 && write_all(file, bytes, count);
    ok = (file < 0 || close(file) == 0) && ok;
    if (!ok)
        sb_addf(why, "%s/%s: cannot write: %s", folder, name, strerror(errno));
    sb_free(&path);
    return ok;
}

bool container_unpack(const struct container *c, const char *folder, struct strbuf *why)
{
    struct strbuf variant = {0};
    if (c->kind != CONTAINER_VERILATED) {
        sb_addf(why, "a container of kind %s is nothing to simulate", container_kind_name(c->kind));
        return false;
    }
    variant_write_yaml(&c->variant, &variant);
    bool ok = sb_ok(&variant);
    if (!ok)
        sb_add(why, "out of memory");
    ok = ok && create(folder, variant_name, variant.text, variant.len, why) &&
         create(folder, object_name, c->payload, c->payload_bytes, why);
    sb_free(&variant);
    return ok;
}

void container_remove(const char *folder)
{
    const char *const names[] = {object_name, variant_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct strbuf path = {0};
        sb_addf(&path, "%s/%s", folder, names[i]);
        if (sb_ok(&path))
            (void)unlink(path.text);
        sb_free(&path);
    }
    (void)rmdir(folder);
}

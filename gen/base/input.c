/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/input.h"

#include <errno.h>
#include <string.h>

static bool read_all(FILE *file, struct place at, size_t limit, struct strbuf *to, struct diag *diag)
{
    char block[65536];
    size_t total = 0, got;
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        total += got;
        if (total > limit) {
            diag_error(diag, at, "larger than %zu bytes: this is not a file of the expected kind", limit);
            return false;
        }
        sb_addn(to, block, got);
    }
    if (ferror(file)) {
        diag_error(diag, at, "cannot read: %s", strerror(errno));
        return false;
    }
    if (!sb_ok(to)) {
        diag_error(diag, at, "out of memory");
        return false;
    }
    return true;
}

bool input_read(const char *path, size_t limit, struct strbuf *to, struct diag *diag)
{
    struct place at = {.file = path};
    if (!strcmp(path, "-"))
        return read_all(stdin, (struct place){.file = "<stdin>"}, limit, to, diag);
    FILE *file = fopen(path, "rb");
    if (!file) {
        diag_error(diag, at, "cannot open: %s", strerror(errno));
        return false;
    }
    bool ok = read_all(file, at, limit, to, diag);
    fclose(file);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks and converts the caller's structures, whose size is that of the
 * header that the program was compiled with.
 *
 * Later versions append fields and leave all others as they are. A structure
 * ends without padding: otherwise a new field could lie where an old program
 * leaves bytes that it never set.
 */
#include <stddef.h>

#include "host/lib/library.h"

#define SIZE_MOST 4096 /* of any structure in any version; more is a size that was never set */

#define END(tag, last) (offsetof(struct tag, last) + sizeof((struct tag *)0)->last)
#define X(kind, tag, last)                                                      \
    _Static_assert(offsetof(struct tag, size) == 0, #tag ": size comes first"); \
    _Static_assert(END(tag, last) % _Alignof(struct tag) == 0, #tag ": it ends with padding");
SIZED_STRUCTURES(X)
#undef X

static const struct {
    const char *name;
    size_t first, known; /* bytes: in the first version, and in this one */
} structures[] = {
#define X(kind, tag, last) [kind] = {"struct " #tag, END(tag, last), sizeof(struct tag)},
    SIZED_STRUCTURES(X)
#undef X
};

static size_t size_of(const void *structure)
{
    size_t size;
    memcpy(&size, structure, sizeof size);
    return size;
}

enum tulle_status sized_check(enum sized kind, const void *structure)
{
    const size_t size = size_of(structure);
    if (size >= structures[kind].first && size <= SIZE_MOST)
        return TULLE_OK;
    return message_set(TULLE_INVALID_ARGUMENT,
                       "%s: size is %zu; set it to the sizeof of the structure, which is %zu in this version",
                       structures[kind].name, size, structures[kind].known);
}

enum tulle_status sized_take(enum sized kind, const void *from, void *to)
{
    const size_t known = structures[kind].known;
    memset(to, 0, known);
    if (from) {
        const size_t size = size_of(from);
        enum tulle_status status = sized_check(kind, from);
        if (status)
            return status;
        for (size_t i = known; i < size; i++)
            if (((const char *)from)[i])
                return message_set(
                    TULLE_INVALID_ARGUMENT,
                    "%s: size is %zu; this version knows %zu bytes, and byte %zu behind them is not "
                    "0: the program needs a newer library",
                    structures[kind].name, size, known, i - known);
        memcpy(to, from, size < known ? size : known);
    }
    memcpy(to, &known, sizeof known);
    return TULLE_OK;
}

void sized_give(enum sized kind, const void *from, void *to)
{
    const size_t known = structures[kind].known, size = size_of(to), copied = size < known ? size : known;
    memcpy(to, from, copied);
    memset((char *)to + copied, 0, size - copied);
    memcpy(to, &size, sizeof size);
}

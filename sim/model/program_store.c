/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/model/program_store.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES_MAX ((size_t)64 << 20) /* then everything is forgotten */

static size_t records_of(size_t count)
{
    return count * sizeof(struct known_record);
}

static void drop_last(struct program_store *store)
{
    struct stored_program *last = &store->entry[--store->entries];
    store->bytes -= records_of(last->count);
    free(last->bytes);
    free(last->records);
}

void program_store_free(struct program_store *store)
{
    while (store->entries)
        drop_last(store);
}

static bool make(struct stored_program *to, const uint8_t *bytes, size_t size, size_t count)
{
    *to = (struct stored_program){malloc(size), size, count, calloc(records_of(count), 1)};
    if (to->bytes && to->records) {
        memcpy(to->bytes, bytes, size);
        return true;
    }
    free(to->bytes);
    free(to->records);
    return false;
}

void program_store_get(struct program_store *store, struct program *program)
{
    const size_t size = (size_t)program->lines * ISA_OPERATION_BYTES, count = (size_t)program->operations + 1;
    struct stored_program found;
    unsigned which = 0;
    while (which < store->entries &&
           (store->entry[which].size != size || memcmp(store->entry[which].bytes, program->bytes, size) != 0))
        which++;
    if (which < store->entries)
        found = store->entry[which];
    else {
        if (records_of(count) > RECORD_BYTES_MAX || !make(&found, program->bytes, size, count))
            return;
        while (store->entries && (store->entries == PROGRAM_STORE_ENTRIES ||
                                  store->bytes + records_of(count) > RECORD_BYTES_MAX))
            drop_last(store);
        store->bytes += records_of(count);
        which = store->entries++;
    }
    memmove(store->entry + 1, store->entry, which * sizeof found);
    store->entry[0] = found;
    program->records = found.records;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/formats/random.h"
#include "tests/host_icd/support.h"

const char *tiny_device(void)
{
    const char *list = getenv("TULLE_LIB_TEST");
    return list ? list : "model:tiny";
}

struct tulle_device *open_device(const char *list, const char *name, uint64_t memory)
{
    struct tulle_device *device = NULL;
    use_devices(list);
    done(tulle_device_open(
        name, &(struct tulle_device_options){.size = sizeof(struct tulle_device_options), .memory = memory},
        &device));
    return device;
}

static void *room(int64_t count, size_t bytes)
{
    void *memory = calloc((size_t)count + 1, bytes);
    cr_assert(memory);
    return memory;
}

static void fill_dense(struct sample *s, double density, struct random *random)
{
    for (int64_t i = 0; i < s->rows * s->columns; i++)
        if (random_next(random) % 1000 < (uint64_t)(density * 1000)) {
            s->dense[i] = (int8_t)((int)random_below(random, 255) - 127);
            s->dense[i] = s->dense[i] ? s->dense[i] : 1;
            s->entries++;
        }
}

struct sample sample_make(int64_t rows, int64_t columns, double density, struct random *random)
{
    struct sample s = {.rows = rows, .columns = columns, .dense = room(rows * columns, 1)};
    int32_t at = 0;
    fill_dense(&s, density, random);
    s.value = room(s.entries, 1);
    s.value_by_column = room(s.entries, 1);
    s.start = room(rows + 1, 4);
    s.column_start = room(columns + 1, 4);
    s.column = room(s.entries, 4);
    s.row = room(s.entries, 4);
    s.row_by_column = room(s.entries, 4);
    for (int64_t r = 0; r < rows; r++) {
        s.start[r] = at;
        for (int64_t c = 0; c < columns; c++)
            if (s.dense[r * columns + c]) {
                s.value[at] = s.dense[r * columns + c];
                s.row[at] = (int32_t)r;
                s.column[at++] = (int32_t)c;
            }
    }
    s.start[rows] = at;
    at = 0;
    for (int64_t c = 0; c < columns; c++) {
        s.column_start[c] = at;
        for (int64_t r = 0; r < rows; r++)
            if (s.dense[r * columns + c]) {
                s.value_by_column[at] = s.dense[r * columns + c];
                s.row_by_column[at++] = (int32_t)r;
            }
    }
    s.column_start[columns] = at;
    return s;
}

void sample_free(struct sample *s)
{
    free(s->dense);
    free(s->value);
    free(s->value_by_column);
    free(s->start);
    free(s->column_start);
    free(s->column);
    free(s->row);
    free(s->row_by_column);
}

struct tulle_matrix sample_view(const struct sample *s, enum tulle_format format)
{
    struct tulle_matrix m = {.size = sizeof m,
                             .format = format,
                             .type = TULLE_INT8,
                             .rows = s->rows,
                             .columns = s->columns,
                             .entries = s->entries,
                             .index_type = TULLE_INT32,
                             .values = s->value,
                             .starts = s->start,
                             .indices = s->column};
    if (format == TULLE_DENSE)
        m.values = s->dense;
    if (format == TULLE_COO) {
        m.indices = s->row;
        m.more_indices = s->column;
    }
    if (format == TULLE_CSC) {
        m.values = s->value_by_column;
        m.starts = s->column_start;
        m.indices = s->row_by_column;
    }
    return m;
}

/* ---- a folder of plans ------------------------------------------------------------------------------ */

unsigned plans_entries(const char *folder, void (*change)(const char *path))
{
    unsigned count = 0;
    DIR *entries = opendir(folder);
    cr_assert(entries);
    for (struct dirent *e = readdir(entries); e; e = readdir(entries)) {
        char path[512];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        count++;
        if (change)
            change(path);
    }
    closedir(entries);
    return count;
}

void plans_remove(const char *path)
{
    cr_assert(!unlink(path));
}

const char *plans_keep_in(char folder[])
{
    cr_assert(mkdtemp(folder));
    cr_assert(!setenv("TULLE_PLANS", folder, 1));
    return folder;
}

void plans_forget(const char *folder)
{
    plans_entries(folder, plans_remove);
    cr_assert(!rmdir(folder));
}

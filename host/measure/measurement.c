/* SPDX-License-Identifier: Apache-2.0 */
#include "host/measure/measurement.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/formats/formats.h"
#include "host/formats/generate.h"
#include "host/formats/random.h"
#include "sim/model/model.h"

static void *must(void *memory)
{
    if (!memory) {
        fputs("explore: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

struct setup setup_load(const char *name, const char *const *sets)
{
    struct setup setup;
    struct diag diag = {0};
    size_t count = 0;
    while (sets && sets[count])
        count++;
    if (!variant_load(name, sets, count, &setup.variant, &diag)) {
        diag_report(&diag, stderr);
        exit(1);
    }
    setup.options = cycle_defaults(&setup.variant);
    setup.options.limit = 100000000;
    return setup;
}

/* ---- operands -------------------------------------------------------------------------------- */

static struct sparse sparse_new(uint32_t rows, uint32_t columns, uint64_t room)
{
    struct sparse s = {.rows = rows, .columns = columns};
    s.start = must(calloc((size_t)rows + 1, sizeof *s.start));
    s.column = must(malloc((room + 1) * sizeof *s.column));
    s.value = must(malloc((room + 1) * sizeof *s.value));
    return s;
}

struct sparse sparse_heavy(uint32_t rows, uint32_t columns, double density, unsigned pes, unsigned heavy,
                           double factor, uint64_t seed)
{
    struct sparse s = sparse_new(rows, columns, (uint64_t)rows * columns);
    struct random random = {seed};
    struct random_gap even = random_gap_of(density), more = random_gap_of(density * factor);
    uint32_t count = 0;
    for (uint32_t r = 0; r < rows; r++) {
        const struct random_gap *gap = r % pes == heavy ? &more : &even;
        for (uint64_t c = random_place(&random, gap, 0, columns); c < columns;
             c = random_place(&random, gap, c + 1, columns)) {
            s.column[count] = (uint32_t)c;
            s.value[count++] = random_non_zero(&random);
        }
        s.start[r + 1] = count;
    }
    return s;
}

/* Integers that fit int8 keep their value; everything else, patterns included, gets one. Zeros are holes. */
static int32_t int8_value(const struct matrix *m, uint64_t entry, struct random *random)
{
    if (m->integer && m->integer[entry] >= INT8_MIN && m->integer[entry] <= INT8_MAX)
        return (int32_t)m->integer[entry];
    if (m->real && m->real[entry] == 0)
        return 0;
    return random_non_zero(random);
}

struct sparse sparse_from(const struct matrix *m)
{
    struct sparse s = sparse_new(m->rows, m->columns, matrix_entries(m));
    struct random random = {1};
    uint32_t count = 0;
    for (uint32_t r = 0; r < m->rows; r++) {
        for (uint64_t e = m->start[r]; e < m->start[r + 1]; e++) {
            s.column[count] = m->column[e];
            s.value[count] = int8_value(m, e, &random);
            count += s.value[count] != 0;
        }
        s.start[r + 1] = count;
    }
    return s;
}

static void or_exit(bool ok, struct diag *diag)
{
    if (ok)
        return;
    diag_report(diag, stderr);
    exit(1);
}

static struct sparse sparse_generated(const struct generate_shape *shape)
{
    struct matrix m = {0};
    struct diag diag = {0};
    or_exit(generate_matrix(shape, &m, &diag), &diag);
    struct sparse s = sparse_from(&m);
    matrix_free(&m);
    return s;
}

struct sparse sparse_random(uint32_t rows, uint32_t columns, double density, uint64_t seed)
{
    return sparse_generated(&(struct generate_shape){
        .kind = GENERATE_RANDOM, .rows = rows, .columns = columns, .density = density, .seed = seed});
}

struct sparse sparse_banded(uint32_t rows, uint32_t per_row, uint32_t half, uint64_t seed)
{
    return sparse_generated(&(struct generate_shape){.kind = GENERATE_BANDED,
                                                     .rows = rows,
                                                     .columns = rows,
                                                     .per_row = per_row,
                                                     .half_bandwidth = half,
                                                     .seed = seed});
}

struct sparse sparse_power_law(uint32_t nodes, uint64_t edges, uint64_t seed)
{
    return sparse_generated(&(struct generate_shape){
        .kind = GENERATE_POWER_LAW, .rows = nodes, .columns = nodes, .edges = edges, .seed = seed});
}

struct sparse sparse_block(uint32_t rows, uint32_t columns, uint32_t block, double density, uint64_t seed)
{
    return sparse_generated(&(struct generate_shape){.kind = GENERATE_BLOCK,
                                                     .rows = rows,
                                                     .columns = columns,
                                                     .block = block,
                                                     .density = density,
                                                     .seed = seed});
}

bool measured_activations(int8_t *to, uint64_t count, double density)
{
    return generate_activations(to, count, density, ACTIVATION_SEED);
}

struct sparse sparse_read(const char *path)
{
    struct matrix m = {0};
    struct diag diag = {0};
    or_exit(matrix_read(path, NULL, &m, &diag), &diag);
    struct sparse s = sparse_from(&m);
    matrix_free(&m);
    return s;
}

/* ---- limits ----------------------------------------------------------------------------------- */

struct limits limits_of(const struct variant *v, uint64_t macs, uint64_t nonzeros, uint64_t activations,
                        uint64_t results)
{
    const double port = v->memory_width / 8.0 * v->memory_ports, data = v->data_width / 8.0;
    return (struct limits){.compute = (double)macs / (v->n * v->m * v->k),
                           .read = ((double)nonzeros * (data + 1) + (double)activations * data) / port,
                           .write = (double)results * 4 / port};
}

double roofline(const struct limits *l)
{
    const double limit = l->compute > l->read ? l->compute : l->read;
    return limit > l->write ? limit : l->write;
}

struct limits limits_of_product(const struct variant *v, uint64_t macs, const struct sparse *w, uint64_t rows)
{
    const uint64_t nonzeros = w->start[w->rows];
    return limits_of(v, macs, nonzeros, rows * sparse_needed_columns(w->column, nonzeros, w->columns),
                     rows * sparse_needed_rows(w));
}

/* ---- shapes ----------------------------------------------------------------------------------- */

bool shape_read(const char *text, struct shape *to)
{
    static const char separators[] = "xx,,,x";
    struct plan_window *w = &to->window;
    *to = (struct shape){.window = {.dilation_y = 1, .dilation_x = 1}};
    uint32_t *const numbers[] = {&w->height,   &w->width,       &w->channels,    &w->side_y,
                                 &w->stride_y, &to->tile_width, &to->tile_height};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *end = NULL;
        errno = 0;
        unsigned long number = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : UINT32_MAX;
        if (errno || number >= UINT32_MAX || *end != separators[i])
            return false;
        *numbers[i] = (uint32_t)number;
        text = end + 1;
    }
    w->side_x = w->side_y;
    w->stride_x = w->stride_y;
    return w->side_y && w->stride_y && w->side_y <= w->height && w->side_y <= w->width;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/generate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/formats/entries.h"
#include "host/formats/random.h"

const char *const generate_kind_names[GENERATE_KINDS] = {[GENERATE_RANDOM] = "random",
                                                         [GENERATE_FIXED] = "fixed",
                                                         [GENERATE_BANDED] = "banded",
                                                         [GENERATE_POWER_LAW] = "power-law",
                                                         [GENERATE_BLOCK] = "block"};

/* A matrix that is made row by row. */
struct maker {
    const struct generate_shape *shape;
    struct matrix *matrix;
    struct random random;
    uint64_t count, capacity;
};

static bool refuse(struct diag *diag, const char *cause)
{
    diag_error(diag, (struct place){0}, "%s", cause);
    return false;
}

/* Room for `more` entries behind those that are there. */
static bool reserve(struct maker *m, uint64_t more)
{
    if (m->capacity - m->count >= more)
        return true;
    const uint64_t capacity = m->count + more > 2 * m->capacity ? m->count + more : 2 * m->capacity;
    uint32_t *column = capacity <= SIZE_MAX / sizeof *column
                           ? realloc(m->matrix->column, (size_t)capacity * sizeof *column)
                           : NULL;
    if (!column)
        return false;
    m->matrix->column = column;
    m->capacity = capacity;
    return true;
}

static bool begin(struct maker *m)
{
    *m->matrix = (struct matrix){.rows = m->shape->rows, .columns = m->shape->columns};
    m->matrix->start = calloc((size_t)m->shape->rows + 1, sizeof *m->matrix->start);
    return m->matrix->start && reserve(m, 1);
}

/* Closes the rows up to, but without, row `row`. */
static void close_rows(struct maker *m, uint32_t *open, uint64_t row)
{
    while (*open < row)
        m->matrix->start[++*open] = m->count;
}

static bool make_random(struct maker *m)
{
    const uint64_t columns = m->shape->columns, places = m->shape->rows * columns;
    const struct random_gap gap = random_gap_of(m->shape->density);
    uint32_t open = 0;
    uint64_t at = m->shape->density > 0 ? 0 : places;
    while ((at = random_place(&m->random, &gap, at, places)) < places) {
        if (!reserve(m, 1))
            return false;
        close_rows(m, &open, at / columns);
        m->matrix->column[m->count++] = (uint32_t)(at++ % columns);
    }
    close_rows(m, &open, m->shape->rows);
    return true;
}

/* Inserts into chosen[0..count-1], which ascends; false when it is there already. */
static bool insert(uint32_t *chosen, uint32_t count, uint32_t value)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (chosen[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && chosen[low] == value)
        return false;
    memmove(chosen + low + 1, chosen + low, (count - low) * sizeof *chosen);
    chosen[low] = value;
    return true;
}

/* `count` of first .. first + span - 1, every choice equally likely (Floyd's method). */
static void choose(struct maker *m, uint32_t first, uint32_t span, uint32_t count)
{
    uint32_t *chosen = m->matrix->column + m->count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t last = span - count + i;
        if (!insert(chosen, i, first + (uint32_t)random_below(&m->random, (uint64_t)last + 1)))
            insert(chosen, i, first + last);
    }
    m->count += count;
}

/* At the corners the band is cut off, and a row may have less than per_row. */
static bool make_banded(struct maker *m)
{
    const struct generate_shape *s = m->shape;
    const bool banded = s->kind == GENERATE_BANDED;
    for (uint32_t row = 0; row < s->rows; row++) {
        const uint64_t end = (uint64_t)row + s->half_bandwidth + 1;
        const uint32_t first = banded && row > s->half_bandwidth ? row - s->half_bandwidth : 0;
        const uint32_t last = banded && end < s->columns ? (uint32_t)end : s->columns;
        const uint32_t span = last > first ? last - first : 0;
        const uint32_t count = span < s->per_row ? span : s->per_row;
        if (!reserve(m, count))
            return false;
        choose(m, first, span, count);
        m->matrix->start[row + 1] = m->count;
    }
    return true;
}

/* The columns of a block row that are in blocks, added once for each of its rows. */
static bool make_block_row(struct maker *m, uint32_t first_row, const uint32_t *blocks, uint32_t count)
{
    const uint32_t size = m->shape->block, rows = m->shape->rows, columns = m->shape->columns;
    for (uint32_t row = first_row; row < rows && row - first_row < size; row++) {
        if (!reserve(m, (uint64_t)count * size))
            return false;
        for (uint32_t b = 0; b < count; b++)
            for (uint64_t c = (uint64_t)blocks[b] * size; c < columns && c < ((uint64_t)blocks[b] + 1) * size;
                 c++)
                m->matrix->column[m->count++] = (uint32_t)c;
        m->matrix->start[row + 1] = m->count;
    }
    return true;
}

static uint32_t divided_up(uint32_t a, uint32_t b)
{
    return (uint32_t)math_divide_up((uint64_t)a, b);
}

/* The pattern of the blocks is a random matrix itself. */
static bool make_block(struct maker *m)
{
    const uint32_t size = m->shape->block;
    const struct generate_shape shape = {.rows = divided_up(m->shape->rows, size),
                                         .columns = divided_up(m->shape->columns, size),
                                         .density = m->shape->density};
    struct matrix blocks;
    struct maker maker = {.shape = &shape, .matrix = &blocks, .random = m->random};
    bool ok = begin(&maker) && make_random(&maker);
    for (uint32_t b = 0; ok && b < shape.rows; b++)
        ok = make_block_row(m, b * size, blocks.column + blocks.start[b],
                            (uint32_t)(blocks.start[b + 1] - blocks.start[b]));
    m->random = maker.random;
    matrix_free(&blocks);
    return ok;
}

/* R-MAT of Chakrabarti, Zhan and Faloutsos, 2004, with Graph500's probabilities: at each of the levels an
 * edge falls into one of four quarters. */
static void draw_edge(struct random *random, unsigned levels, uint64_t *from, uint64_t *to)
{
    *from = *to = 0;
    for (unsigned level = 0; level < levels; level++) {
        const uint64_t percent = random_below(random, 100);
        *from = *from * 2 + (percent >= 57 + 19);
        *to = *to * 2 + ((percent >= 57 && percent < 57 + 19) || percent >= 57 + 19 + 19);
    }
}

/* 0 .. count - 1 in a random order, so that the busy nodes are not all at the beginning. */
static uint32_t *shuffled(struct random *random, uint32_t count)
{
    uint32_t *order = calloc((size_t)count + 1, sizeof *order);
    for (uint32_t i = 0; order && i < count; i++) {
        const uint32_t other = (uint32_t)random_below(random, (uint64_t)i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

static void draw_edges(struct maker *m, const uint32_t *order, struct entries *entries)
{
    const uint64_t nodes = m->shape->rows;
    unsigned levels = 0;
    while (nodes > UINT64_C(1) << levels)
        levels++;
    while (entries->count < m->shape->edges) {
        uint64_t from, to;
        draw_edge(&m->random, levels, &from, &to);
        if (from < nodes && to < nodes)
            entries_add(entries, order[from], order[to], (union entry_value){0});
    }
}

static bool make_power_law(struct maker *m)
{
    static const struct read_options options;
    struct entries entries = {.rows = m->shape->rows, .columns = m->shape->rows, .values = MATRIX_PATTERN};
    struct diag ignored = {0}; /* the only error there can be is memory, which the caller reports */
    struct matrix made = {0};
    uint32_t *order = shuffled(&m->random, m->shape->rows);
    bool ok = order && m->shape->edges <= SIZE_MAX &&
              entries_reserve(&entries, (size_t)m->shape->edges, (struct place){0}, &ignored);
    if (ok) {
        draw_edges(m, order, &entries);
        ok = entries_build(&entries, &options, (struct place){0}, &made, &ignored);
    }
    matrix_free(m->matrix);
    *m->matrix = made;
    entries_free(&entries);
    diag_free(&ignored);
    free(order);
    return ok;
}

static bool fill_values(struct maker *m)
{
    const uint64_t count = matrix_entries(m->matrix);
    m->matrix->integer = calloc((size_t)count + 1, sizeof *m->matrix->integer);
    if (!m->matrix->integer)
        return false;
    m->matrix->values = MATRIX_INTEGER;
    for (uint64_t i = 0; i < count; i++)
        m->matrix->integer[i] = random_non_zero(&m->random);
    return true;
}

static bool is_probability(double density)
{
    return density >= 0 && density <= 1;
}

static bool check_shape(const struct generate_shape *s, struct diag *diag)
{
    const bool fixed = s->kind == GENERATE_FIXED || s->kind == GENERATE_BANDED;
    if ((unsigned)s->kind >= GENERATE_KINDS)
        return refuse(diag, "this kind of matrix is not one of enum generate_kind");
    if (!s->rows || !s->columns)
        return refuse(diag, "a matrix without rows or columns cannot be generated; give both from 1");
    if ((s->kind == GENERATE_RANDOM || s->kind == GENERATE_BLOCK) && !is_probability(s->density))
        return refuse(diag, "the density is a probability; give one from 0 to 1");
    if (fixed && s->per_row > s->columns)
        return refuse(diag, "a row cannot have more entries than there are columns; give fewer per row");
    if (s->kind == GENERATE_BANDED && s->per_row > 2 * (uint64_t)s->half_bandwidth + 1)
        return refuse(diag, "the band is too narrow for so many entries per row; widen it or give fewer");
    if ((s->kind == GENERATE_BANDED || s->kind == GENERATE_POWER_LAW) && s->rows != s->columns)
        return refuse(diag, "a banded matrix and a graph are square; give as many columns as rows");
    return s->kind != GENERATE_BLOCK || s->block ||
           refuse(diag, "a block without rows; give its size from 1");
}

bool generate_matrix(const struct generate_shape *shape, struct matrix *matrix, struct diag *diag)
{
    static bool (*const make[GENERATE_KINDS])(struct maker *) = {[GENERATE_RANDOM] = make_random,
                                                                 [GENERATE_FIXED] = make_banded,
                                                                 [GENERATE_BANDED] = make_banded,
                                                                 [GENERATE_POWER_LAW] = make_power_law,
                                                                 [GENERATE_BLOCK] = make_block};
    struct maker maker = {.shape = shape, .matrix = matrix, .random = {shape->seed}};
    *matrix = (struct matrix){0};
    if (!check_shape(shape, diag))
        return false;
    if (begin(&maker) && make[shape->kind](&maker) && fill_values(&maker))
        return true;
    matrix_free(matrix);
    return refuse(diag, "out of memory; generate a smaller matrix");
}

bool generate_activations(int8_t *to, uint64_t count, double density, uint64_t seed)
{
    struct random random = {seed};
    if (!is_probability(density))
        return false;
    memset(to, 0, (size_t)count);
    if (density == 0)
        return true;
    const struct random_gap gap = random_gap_of(density);
    for (uint64_t at = 0; (at = random_place(&random, &gap, at, count)) < count; at++)
        to[at] = random_non_zero(&random);
    return true;
}

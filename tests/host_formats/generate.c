/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated operands: shape, density, reach, and the same on every machine.
 */
#include "host/formats/generate.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/formats/random.h"
#include "tests/host_formats/support.h"

static struct matrix make(const struct generate_shape *shape)
{
    struct matrix matrix;
    struct diag diag = {0};
    cr_assert(generate_matrix(shape, &matrix, &diag), "%s", sb_text(&diag.text));
    cr_assert_eq(matrix.rows, shape->rows);
    cr_assert_eq(matrix.columns, shape->columns);
    cr_assert_eq(matrix.values, MATRIX_INTEGER);
    expect_valid(&matrix);
    for (uint64_t i = 0; i < matrix_entries(&matrix); i++)
        cr_assert(matrix.integer[i] >= -128 && matrix.integer[i] <= 127 && matrix.integer[i] != 0);
    return matrix;
}

static uint64_t row_length(const struct matrix *m, uint64_t row)
{
    return m->start[row + 1] - m->start[row];
}

Test(generate, splitmix64)
{
    /* The published sequence of seed 1234567. */
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                        4593380528125082431u, 16408922859458223821u};
    struct random random = {1234567};
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(random_next(&random), expected[i]);
}

Test(generate, no_number_is_likelier)
{
    /* 2^64 is no multiple of this: a plain remainder would have half of them in the first third. */
    const uint64_t third = UINT64_C(1) << 62;
    struct random random = {12};
    unsigned first = 0;
    for (unsigned i = 0; i < 30000; i++) {
        const uint64_t value = random_below(&random, 3 * third);
        cr_assert_lt(value, 3 * third);
        first += value < third;
    }
    cr_assert(first > 9500 && first < 10500, "%u of 30000", first);
}

Test(generate, random_density)
{
    static const double densities[] = {0.9, 0.5, 0.1, 0.003};
    for (size_t i = 0; i < 4; i++) {
        const struct generate_shape shape = {
            .kind = GENERATE_RANDOM, .rows = 700, .columns = 900, .density = densities[i], .seed = 3};
        struct matrix m = make(&shape);
        const double expected = 630000 * densities[i], difference = (double)matrix_entries(&m) - expected;
        /* five standard deviations of a binomial distribution */
        cr_assert_lt(difference * difference, 25 * expected * (1 - densities[i]), "%g: %g", densities[i],
                     difference);
        matrix_free(&m);
    }
}

/* Columns, rows and values are each spread evenly: chi-squared over 16 groups, whose mean is 15 and whose
 * 99.99 % point is 44. */
static double chi_squared(const unsigned *count)
{
    double total = 0, sum = 0;
    for (unsigned i = 0; i < 16; i++)
        total += count[i];
    for (unsigned i = 0; i < 16; i++)
        sum += (count[i] - total / 16) * (count[i] - total / 16) / (total / 16);
    return sum;
}

Test(generate, spread_evenly)
{
    static const struct generate_shape shapes[] = {
        {.kind = GENERATE_RANDOM, .rows = 160, .columns = 4800, .density = 0.01, .seed = 9},
        {.kind = GENERATE_FIXED, .rows = 160, .columns = 4800, .per_row = 48, .seed = 9},
    };
    for (size_t s = 0; s < 2; s++) {
        struct matrix m = make(&shapes[s]);
        unsigned columns[16] = {0}, values[16] = {0};
        for (uint64_t i = 0; i < matrix_entries(&m); i++) {
            const int64_t v = m.integer[i];
            columns[m.column[i] / 300]++;
            const int64_t rank = v + 128 - (v > 0); /* 0..254 */
            if (rank < 240)
                values[rank / 15]++;
        }
        cr_assert_lt(chi_squared(columns), 44);
        cr_assert_lt(chi_squared(values), 44);
        matrix_free(&m);
    }
}

Test(generate, random_ends)
{
    struct generate_shape shape = {.kind = GENERATE_RANDOM, .rows = 5, .columns = 7, .density = 1};
    struct matrix full = make(&shape);
    shape.density = 0;
    struct matrix empty = make(&shape);
    cr_assert_eq(matrix_entries(&full), 35);
    cr_assert_eq(matrix_entries(&empty), 0);
    matrix_free(&full);
    matrix_free(&empty);
}

Test(generate, huge_and_sparse)
{
    /* Time is spent on entries, not on places. */
    const struct generate_shape shape = {
        .kind = GENERATE_RANDOM, .rows = 3000000, .columns = 4294967295u, .density = 1e-12, .seed = 1};
    struct matrix m = make(&shape);
    cr_assert(matrix_entries(&m) > 12000 && matrix_entries(&m) < 13800);
    matrix_free(&m);
}

Test(generate, fixed_rows)
{
    static const uint32_t lengths[] = {0, 1, 13, 99, 100};
    for (size_t i = 0; i < 5; i++) {
        const struct generate_shape shape = {
            .kind = GENERATE_FIXED, .rows = 50, .columns = 100, .per_row = lengths[i], .seed = 2};
        struct matrix m = make(&shape);
        for (uint32_t r = 0; r < 50; r++)
            cr_assert_eq(row_length(&m, r), lengths[i]);
        matrix_free(&m);
    }
}

Test(generate, banded)
{
    const struct generate_shape shape = {
        .kind = GENERATE_BANDED, .rows = 200, .columns = 200, .per_row = 9, .half_bandwidth = 6, .seed = 2};
    struct matrix m = make(&shape);
    unsigned reach = 0;
    for (int r = 0; r < 200; r++) {
        const int edge = r < 199 - r ? r : 199 - r, width = 7 + (edge < 6 ? edge : 6);
        cr_assert_eq(row_length(&m, (uint64_t)r), (uint64_t)(width < 9 ? width : 9), "row %d", r);
        for (uint64_t i = m.start[r]; i < m.start[r + 1]; i++) {
            cr_assert_leq(abs((int)m.column[i] - r), 6);
            reach |= abs((int)m.column[i] - r) == 6;
        }
    }
    cr_assert(reach);
    matrix_free(&m);
}

Test(generate, block)
{
    const struct generate_shape shape = {
        .kind = GENERATE_BLOCK, .rows = 67, .columns = 130, .block = 8, .density = 0.3, .seed = 4};
    struct matrix m = make(&shape);
    uint64_t blocks = 0;
    for (uint32_t r = 0; r < 67; r++)
        for (uint64_t i = m.start[r]; i < m.start[r + 1]; i++) {
            const uint64_t first = m.start[r / 8 * 8] + (i - m.start[r]);
            cr_assert_eq(row_length(&m, r), row_length(&m, r / 8 * 8));
            cr_assert_eq(m.column[i], m.column[first], "rows of a block differ");
            const bool begins = m.column[i] % 8 == 0;
            const bool ends = m.column[i] % 8 == 7 || m.column[i] == 129;
            cr_assert(begins || m.column[i - 1] + 1 == m.column[i], "a block has a hole");
            cr_assert(ends || (i + 1 < m.start[r + 1] && m.column[i + 1] == m.column[i] + 1));
            blocks += begins && r % 8 == 0;
        }
    cr_assert(blocks > 25 && blocks < 70, "%u of 153 blocks", (unsigned)blocks);
    matrix_free(&m);
}

static int descending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

Test(generate, power_law)
{
    enum { NODES = 5000, EDGES = 40000 };
    const struct generate_shape shape = {
        .kind = GENERATE_POWER_LAW, .rows = NODES, .columns = NODES, .edges = EDGES, .seed = 4};
    struct matrix m = make(&shape);
    static uint64_t degree[NODES];
    uint64_t busiest = 0, in_first_tenth = 0;
    for (uint32_t r = 0; r < NODES; r++) {
        degree[r] = row_length(&m, r);
        in_first_tenth += r < NODES / 10 ? degree[r] : 0;
    }
    const uint64_t edges = matrix_entries(&m);
    cr_assert(edges > EDGES * 8 / 10 && edges <= EDGES, "%u edges", (unsigned)edges);
    cr_assert_lt(in_first_tenth, edges / 4, "the busy nodes are all at the beginning");
    qsort(degree, NODES, sizeof degree[0], descending);
    for (uint32_t r = 0; r < NODES / 10; r++)
        busiest += degree[r];
    cr_assert(busiest * 10 > edges * 4, "a tenth of the nodes has only %u edges", (unsigned)busiest);
    cr_assert_gt(degree[0], 20 * edges / NODES);
    matrix_free(&m);
}

/* FNV-1a over everything that a matrix is. */
static uint64_t hash_of(const struct matrix *m)
{
    struct strbuf text = describe(m);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.text[i]) * 1099511628211u;
    sb_free(&text);
    return hash;
}

Test(generate, the_same_on_every_machine)
{
    static const struct {
        struct generate_shape shape;
        uint64_t hash;
    } cases[] = {
        {{.kind = GENERATE_RANDOM, .rows = 90, .columns = 80, .density = 0.1, .seed = 1}, 0x049BA10DEF0038FB},
        {{.kind = GENERATE_RANDOM, .rows = 90, .columns = 80, .density = 1.0 / 3, .seed = 2},
         0x1BF4977B1CBC8B4A},
        {{.kind = GENERATE_FIXED, .rows = 90, .columns = 80, .per_row = 7, .seed = 1}, 0xEB492DB3260351F2},
        {{.kind = GENERATE_BANDED, .rows = 90, .columns = 90, .per_row = 5, .half_bandwidth = 9, .seed = 1},
         0x6F2700F66A90F7A6},
        {{.kind = GENERATE_POWER_LAW, .rows = 90, .columns = 90, .edges = 400, .seed = 1},
         0xC75CCAAF08394BC9},
        {{.kind = GENERATE_BLOCK, .rows = 90, .columns = 80, .block = 4, .density = 0.2, .seed = 1},
         0xBEC29C9854F212FD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct matrix m = make(&cases[i].shape);
        const uint64_t hash = hash_of(&m);
        cr_expect_eq(hash, cases[i].hash, "%s: 0x%016llX", generate_kind_names[cases[i].shape.kind],
                     (unsigned long long)hash);
        matrix_free(&m);
    }
}

Test(generate, seeds_differ)
{
    struct generate_shape shape = {
        .kind = GENERATE_RANDOM, .rows = 30, .columns = 30, .density = 0.5, .seed = 1};
    struct matrix a = make(&shape);
    shape.seed = 2;
    struct matrix b = make(&shape);
    cr_assert_neq(hash_of(&a), hash_of(&b));
    matrix_free(&a);
    matrix_free(&b);
}

Test(generate, activations)
{
    enum { COUNT = 100000, GUARD = 77 };
    static int8_t to[COUNT + 1];
    static const double densities[] = {0, 0.05, 0.5, 1};
    for (size_t d = 0; d < 4; d++) {
        int64_t non_zero = 0;
        to[COUNT] = GUARD;
        cr_assert(generate_activations(to, COUNT, densities[d], 8));
        for (unsigned i = 0; i < COUNT; i++)
            non_zero += to[i] != 0;
        cr_assert_leq(llabs(non_zero - (int64_t)(COUNT * densities[d])), densities[d] == 0.05  ? 350
                                                                         : densities[d] == 0.5 ? 800
                                                                                               : 0);
        cr_assert_eq(to[COUNT], GUARD);
    }
    cr_assert_not(generate_activations(to, COUNT, 1.5, 8));
    cr_assert_not(generate_activations(to, COUNT, -0.1, 8));
}

Test(generate, refused)
{
    static const struct {
        struct generate_shape shape;
        const char *message;
    } cases[] = {
        {{.kind = GENERATE_KINDS, .rows = 1, .columns = 1},
         "error: this kind of matrix is not one of enum generate_kind\n"},
        {{.kind = GENERATE_RANDOM, .rows = 0, .columns = 1},
         "error: a matrix without rows or columns cannot be generated; give both from 1\n"},
        {{.kind = GENERATE_RANDOM, .rows = 1, .columns = 1, .density = 1.01},
         "error: the density is a probability; give one from 0 to 1\n"},
        {{.kind = GENERATE_BLOCK, .rows = 1, .columns = 1, .block = 1, .density = -1},
         "error: the density is a probability; give one from 0 to 1\n"},
        {{.kind = GENERATE_BLOCK, .rows = 1, .columns = 1, .density = 1},
         "error: a block without rows; give its size from 1\n"},
        {{.kind = GENERATE_FIXED, .rows = 1, .columns = 3, .per_row = 4},
         "error: a row cannot have more entries than there are columns; give fewer per row\n"},
        {{.kind = GENERATE_BANDED, .rows = 9, .columns = 9, .per_row = 4, .half_bandwidth = 1},
         "error: the band is too narrow for so many entries per row; widen it or give fewer\n"},
        {{.kind = GENERATE_BANDED, .rows = 9, .columns = 8, .per_row = 1, .half_bandwidth = 1},
         "error: a banded matrix and a graph are square; give as many columns as rows\n"},
        {{.kind = GENERATE_POWER_LAW, .rows = 9, .columns = 8, .edges = 1},
         "error: a banded matrix and a graph are square; give as many columns as rows\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct matrix matrix;
        struct diag diag = {0};
        cr_assert_not(generate_matrix(&cases[i].shape, &matrix, &diag));
        cr_assert_str_eq(sb_text(&diag.text), cases[i].message);
        cr_assert_not(matrix.start);
        diag_free(&diag);
    }
}

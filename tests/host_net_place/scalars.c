/* SPDX-License-Identifier: Apache-2.0
 *
 * Scalar programs: what is simplified gives the same results for any sizes, each rewrite finds what it is
 * for, and what a network is lowered to is what its sizes say.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "host/net/place/scalar.h"
#include "host/net/read/read.h"
#include "tests/gen_base/rounds.h"
#include "tests/gen_base/scratch.h"

TestSuite(host_net_place_scalars, .init = scratch_enter, .fini = scratch_leave);

void write_onnx(const char *path, const char *graph);

enum { SCALARS = 60, RESULTS = 8, NAMES = 4 };

static int64_t sizes[NAMES];
static const char *const names[NAMES] = {"n", "h", "w", "c"};

static int64_t size_of(void *context, const char *name)
{
    (void)context;
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(name, names[i]))
            return sizes[i];
    cr_assert_fail("%s", name);
    return 0;
}

static struct scalar random_scalar(struct random *random, size_t at)
{
    const uint64_t kind = at < 2 ? random_below(random, 2) : random_below(random, SCALAR_KINDS);
    return (struct scalar){.kind = (enum scalar_kind)kind,
                           .value = (int64_t)random_below(random, 3),
                           .name = names[random_below(random, NAMES)],
                           .a = at ? random_below(random, at) : 0,
                           .b = at ? random_below(random, at) : 0};
}

static void results_of(const struct scalar_program *p, int64_t tile, int64_t to[RESULTS])
{
    int64_t values[SCALARS];
    scalar_run(p, size_of, NULL, tile, values);
    for (size_t i = 0; i < p->result_count; i++)
        to[i] = values[p->results[i].at];
}

Test(host_net_place_scalars, simplifying_keeps_results)
{
    struct random random = {1};
    struct scalar_savings all = {0}, s;
    for (int round = 0; round < FEWER_ROUNDS(2000); round++) {
        struct scalar scalars[SCALARS];
        struct scalar_result results[RESULTS];
        struct scalar_program p = {
            .scalars = scalars, .count = SCALARS, .results = results, .result_count = RESULTS};
        for (size_t i = 0; i < SCALARS; i++)
            scalars[i] = random_scalar(&random, i);
        for (size_t i = 0; i < RESULTS; i++)
            results[i].at = random_below(&random, SCALARS);
        for (int sample = 0; sample < 3; sample++) {
            int64_t before[RESULTS], after[RESULTS];
            struct scalar copy[SCALARS];
            struct scalar_result result_copy[RESULTS];
            struct scalar_program q = p;
            memcpy(copy, scalars, sizeof copy);
            memcpy(result_copy, results, sizeof result_copy);
            q.scalars = copy;
            q.results = result_copy;
            for (int i = 0; i < NAMES; i++)
                sizes[i] = 1 + (int64_t)random_below(&random, 300);
            results_of(&p, sample, before);
            cr_assert(scalar_simplify(&q, &s));
            cr_assert_leq(q.count, p.count);
            results_of(&q, sample, after);
            cr_assert_arr_eq(before, after, sizeof before, "round %d", round);
            const size_t once = q.count;
            all.constants += s.constants;
            all.identities += s.identities;
            all.common += s.common;
            all.dead += s.dead;
            cr_assert(scalar_simplify(&q, &s));
            cr_assert_eq(q.count, once, "round %d: a second time takes more away", round);
        }
    }
    cr_expect(all.constants && all.identities && all.common && all.dead);
}

/* x of n x 6 numbers; its Relu and the Relu of that. */
#define GRAPH                                                                                    \
    "input { name: 'x' type { tensor_type { elem_type: 1 shape { dim { dim_param: 'n' } dim { "  \
    "dim_value: 6 } } } } }\n"                                                                   \
    "output { name: 'z' type { tensor_type { elem_type: 1 shape { dim { dim_param: 'n' } dim { " \
    "dim_value: 6 } } } } }\n"                                                                   \
    "node { op_type: 'Relu' input: 'x' output: 'y' }\n"                                          \
    "node { op_type: 'Relu' input: 'y' output: 'z' }\n"

Test(host_net_place_scalars, a_network_is_lowered)
{
    struct diag diag = {0};
    struct scalar_program p;
    struct scalar_savings s;
    write_onnx("net.onnx", GRAPH);
    struct net *net = net_read("net.onnx", NULL, &diag);
    cr_assert(net, "%s", sb_text(&diag.text));
    cr_assert(scalar_lower(net, NULL, &p));
    const size_t lowered = p.count;
    cr_assert(scalar_simplify(&p, &s));
    cr_expect(s.constants && s.identities && s.common && s.dead, "%zu %zu %zu %zu", s.constants, s.identities,
              s.common, s.dead);
    cr_expect_lt(2 * p.count, lowered);
    cr_assert_eq(p.result_count, 2u * SCALAR_USES);
    int64_t *values = calloc(p.count, sizeof *values);
    sizes[0] = 10;
    scalar_run(&p, size_of, NULL, 1, values);
    /* 10 rows of 6 floats: 240 bytes, which begin at multiples of 64; two tiles of 8 rows, of which this is
     * the second. */
    const int64_t expected[] = {256, 240, 24, 2, 256 + 192, 192, 512, 240, 24, 2, 512 + 192, 256 + 192};
    for (size_t i = 0; i < p.result_count; i++) {
        cr_expect_eq(p.results[i].node, i / SCALAR_USES);
        cr_expect_eq(p.results[i].use, (enum scalar_use)(i % SCALAR_USES));
        cr_expect_eq(values[p.results[i].at], expected[i], "%zu: %lld", i,
                     (long long)values[p.results[i].at]);
    }
    free(values);
    scalar_free(&p);
    net_free(net);
    diag_free(&diag);
}

/* 20 channels of 20 x 20 floats: the largest of 3 x 3 with stride 2 and a pixel of padding, and their Relu.
 */
#define SHAPE(name, side)                                                                    \
    "name: '" name "' type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { " \
    "dim_value: 20 } dim { dim_value: " side " } dim { dim_value: " side " } } } }"
#define LIST(name, numbers) "attribute { name: '" name "' type: INTS " numbers " } "
#define WINDOWS                                                                                           \
    "input { " SHAPE("x", "20") " }\noutput { " SHAPE(                                                    \
        "z",                                                                                              \
        "10") " }\n"                                                                                      \
              "node { op_type: 'MaxPool' input: 'x' output: 'y' " LIST("kernel_shape", "ints: 3 ints: 3") \
                  LIST("strides", "ints: 2 ints: 2") LIST(                                                \
                      "pads",                                                                             \
                      "ints: 1 ints: 1 ints: 1 ints: 1") "}\n"                                            \
                                                         "node { op_type: 'Relu' input: 'y' output: 'z' }\n"

/* The simplified scalars of the two, in one loop or in two, are what places of pixels say for each tile. */
static size_t check_windows(const struct net *net, const size_t *within)
{
    enum { ROWS = 20 * 10, TILES = ROWS / SCALAR_TILE_ROWS, BYTES = 4 };
    struct scalar_program p;
    struct scalar_savings s;
    cr_assert(scalar_lower(net, within, &p));
    cr_assert(scalar_simplify(&p, &s));
    cr_expect(s.identities);
    int64_t *values = calloc(p.count, sizeof *values);
    for (int64_t tile = 0; tile < TILES; tile++) {
        const int64_t row = SCALAR_TILE_ROWS * tile, channel = row / 10, y = row % 10, x_at = 0,
                      y_at = (20 * 20 * 20 * BYTES + 63) / 64 * 64, result = y_at + row * 10 * BYTES;
        scalar_run(&p, size_of, NULL, tile, values);
        for (size_t i = 0; i < p.result_count; i++) {
            const struct scalar_result *r = &p.results[i];
            if (r->use == SCALAR_LOOPS)
                cr_expect_eq(values[r->at], TILES);
            if (r->use == SCALAR_SOURCE && r->node == 0)
                cr_expect_eq(values[r->at], x_at + ((channel * 20 + 2 * y - 1) * 20 - 1) * BYTES, "tile %lld",
                             (long long)tile);
            if (r->use == SCALAR_SOURCE && r->node == 1)
                cr_expect_eq(values[r->at], result, "tile %lld", (long long)tile);
            if (r->use == SCALAR_TILE && r->node == 0)
                cr_expect_eq(values[r->at], result, "tile %lld", (long long)tile);
        }
    }
    const size_t count = p.count;
    free(values);
    scalar_free(&p);
    return count;
}

Test(host_net_place_scalars, windows_and_loops_that_are_one)
{
    struct diag diag = {0};
    write_onnx("net.onnx", WINDOWS);
    struct net *net = net_read("net.onnx", NULL, &diag);
    cr_assert(net, "%s", sb_text(&diag.text));
    cr_expect_lt(check_windows(net, (size_t[]){0, 0}), check_windows(net, NULL));
    net_free(net);
    diag_free(&diag);
}

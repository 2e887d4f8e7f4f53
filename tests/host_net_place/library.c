/* SPDX-License-Identifier: Apache-2.0
 *
 * The function library: times that are measured, times between them with their stated error, and times of a
 * network on this machine.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/net/place/measure.h"
#include "host/net/read/read.h"
#include "tests/gen_base/scratch.h"

TestSuite(host_net_place_library, .init = scratch_enter, .fini = scratch_leave);

void write_onnx(const char *path, const char *graph);

/* Twice the work takes twice the time, but for the last one. */
#define LINES                            \
    "# a comment\n\n"                    \
    "Relu.int8\t100\t100\t1e-6\t0.25\n"  \
    "Relu.int8\t200\t200\t2e-6\t0.125\n" \
    "Add.int8\t100\t100\t1e-6\t0\n"      \
    "Add.int8\t100\t200\t4e-6\t0\n"      \
    "Conv.int8\t50\t1000\t7e-6\t0\n"

static struct place_time time_of(const struct place_library *library, const char *key, double work,
                                 double bytes)
{
    struct place_features what = {.work = work, .bytes = bytes};
    snprintf(what.key, sizeof what.key, "%s", key);
    return place_library_time(library, &what);
}

Test(host_net_place_library, times)
{
    struct place_library library = {0};
    struct diag diag = {0};
    cr_assert(place_library_read(&library, LINES, sizeof LINES - 1, "times", &diag));
    cr_assert_eq(library.count, 5u);
    const struct place_time known = time_of(&library, "Relu.int8", 200, 200);
    cr_expect(known.measured && known.seconds == 2e-6 && known.error == 0.125);
    const struct place_time between = time_of(&library, "Relu.int8", 150, 150);
    cr_expect_not(between.measured);
    cr_expect_float_eq(between.seconds, 1.5e-6, 2e-8, "%g", between.seconds);
    /* Each of the two foretells the other, but for the work of one that every size is taken to have more. */
    cr_expect_lt(between.error, 0.01);
    /* These foretell each other by a factor of four. */
    cr_expect_float_eq(time_of(&library, "Add.int8", 100, 150).error, 3, 0.01);
    const struct place_time other = time_of(&library, "Sigmoid.int8", 1, 1000);
    cr_expect(other.error == 1 && fabs(other.seconds - 7e-6) < 1e-7, "%g", other.seconds);
    /* A line for the same operator and size replaces the other. */
    static const char again[] = "Conv.int8\t50\t1000\t8e-6\t0\n";
    cr_assert(place_library_read(&library, again, sizeof again - 1, "times", &diag));
    cr_assert_eq(library.count, 5u);
    cr_expect_eq(time_of(&library, "Conv.int8", 50, 1000).seconds, 8e-6);
    static const char wrong[] = "# fine\nConv.int8\t50\t1000\t0\t0\n";
    cr_assert_not(place_library_read(&library, wrong, sizeof wrong - 1, "times", &diag));
    cr_expect(strstr(sb_text(&diag.text), "times:2: error: a line of measured times is"), "%s",
              sb_text(&diag.text));
    place_library_free(&library);
    diag_free(&diag);
}

/* x of 3 x 1000 numbers; its Relu, and the sum of both. */
#define GRAPH                                                                                  \
    "input { name: 'x' type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { "  \
    "dim_value: 1000 } } } } }\n"                                                              \
    "output { name: 'z' type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { " \
    "dim_value: 1000 } } } } }\n"                                                              \
    "node { op_type: 'Relu' input: 'x' output: 'y' }\n"                                        \
    "node { op_type: 'Add' input: 'x' input: 'y' output: 'z' }\n"

Test(host_net_place_library, times_of_this_machine)
{
    struct diag diag = {0};
    struct place_library library = {0};
    write_onnx("net.onnx", GRAPH);
    struct net *net = net_read("net.onnx", NULL, &diag);
    cr_assert(net, "%s", sb_text(&diag.text));
    cr_assert(place_calibrate(net, 3, &library, &diag), "%s", sb_text(&diag.text));
    cr_expect_eq(library.count, 3u); /* and the rest of a node */
    const struct place_time relu = time_of(&library, "Relu.float32", 3000, 24000),
                            add = time_of(&library, "Add.float32", 3000, 36000),
                            rest = time_of(&library, PLACE_REST_KEY, 1, 0);
    cr_expect(relu.measured && relu.seconds > 0 && relu.seconds < 1);
    cr_expect(add.measured && add.seconds > 0 && add.seconds < 1);
    cr_expect(rest.measured && rest.seconds > 0 && rest.seconds < 1);
    place_library_free(&library);
    net_free(net);
    diag_free(&diag);
}

/* The median of each node's times, not their mean or the last one. */
Test(host_net_place_library, medians)
{
    static const double times[] = {5, 1, 100, 2, 4, 3}; /* three runs of two nodes */
    double seconds[2];
    struct net net = {.node_count = 2};
    struct place_watch watch = {.net = &net, .seconds = seconds};
    place_watch_medians(&watch, times, 3);
    cr_expect_eq(seconds[0], 5);
    cr_expect_eq(seconds[1], 2);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * External outputs of networks whose layers run on a device, layer by layer and compiled: the device's work
 * stays as it is, and marked results are the CPU's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "host/net/compiled/compiled.h"
#include "host/net/read/read.h"
#include "tests/gen_base/rounds.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_lib/support.h"
#include "tests/host_net/marked.h"
#include "tests/host_net/random_graphs.h"
#include "tests/host_net_device/small.h"

TestSuite(host_net_device_marks, .init = scratch_enter, .fini = scratch_leave, .timeout = 300);

enum { INPUTS = 72, NODES_MOST = 8, BYTES = 128 };

/* Of tests/host_net/support.h, which has a function with the name of a macro here. */
struct strbuf small_tflite(void);
void write_bytes(const char *path, const struct strbuf *bytes);
void write_onnx(const char *path, const char *graph);

/* ---- random networks ----------------------------------------------------------------------------- */

static struct tulle_device *device;

static void *begin(struct net *net)
{
    struct diag diag = {0};
    enum tulle_status status;
    struct layers *layers =
        layers_new(net, device, &(struct layers_options){.milliseconds = WAIT}, &status, &diag);
    cr_assert(layers, "%s", sb_text(&diag.text));
    return layers;
}

static void offer(void *layers, struct run *run)
{
    layers_offer(layers, run);
}

static void end(void *layers)
{
    layers_free(layers);
}

Test(host_net_device_marks, of_random_networks)
{
    size_t swallowed = 0;
    device = open_device(SMALL, "model:networks", 0);
    for (uint64_t seed = 1; seed <= FEWER_ROUNDS(40); seed++) {
        struct random random = {seed};
        const struct marked how = {
            .seed = seed, .settles = true, .begin = begin, .gives = layers_give, .run = offer, .end = end};
        graph_of_scales(&random, random_range(&random, 1, 3), true, "graph.onnx");
        swallowed += marked_check(&how);
    }
    cr_expect_geq(swallowed, FEWER_ROUNDS(40) * 5, "%zu swallowed results", swallowed);
    tulle_device_close(device);
}

Test(host_net_device_marks, of_a_fold)
{
    struct diag diag = {0};
    struct view x = {.type = NET_INT8,
                     .rank = 2,
                     .dim = {1, 4},
                     .count = 4,
                     .data = (int8_t[]){10, -20, 30, 5}},
                y;
    device = open_device(SMALL, "model:networks", 0);
    write_onnx("net.onnx", SMALL_PRODUCT);
    struct net *net = net_read("net.onnx", NULL, &diag);
    cr_assert(net, "%s", sb_text(&diag.text));
    struct layers *layers = begin(net);
    struct marks *marks = marks_new(net);
    cr_assert_eq(layers_nodes(layers), 2u);
    cr_expect(!layers_give(layers, net_find(net, "y", 1)) && layers_give(layers, net_find(net, "z", 1)));
    const struct marks_source source = {.gives = layers_give, .context = layers};
    cr_assert(marks_choose(marks, (const char *const[]){"y"}, 1, &source, &diag), "%s", sb_text(&diag.text));
    struct run *run = run_new(net, &diag);
    cr_assert(run && run_set(run, net->inputs[0], &x));
    run_forget(run);
    offer(layers, run);
    cr_assert(run_nodes(run) && marks_compute(marks, run, 1, &diag), "%s", sb_text(&diag.text));
    cr_assert(run_get(run, net->outputs[0], &y) && y.count == 3);
    cr_expect_arr_eq(y.data, ((int8_t[]){0, 0, 42}), 3);
    cr_assert(run_get(run, net->outputs[1], &y) && y.count == 3);
    cr_expect_arr_eq(y.data, ((int8_t[]){-35, -10, 42}), 3);
    run_free(run);
    marks_free(marks);
    end(layers);
    net_free(net);
    tulle_device_close(device);
}

/* ---- through the library ------------------------------------------------------------------------- */

static struct tulle_net *load(const char *path, struct tulle_device *on)
{
    struct tulle_net *net = NULL;
    done(tulle_net_load(
        path, &(struct tulle_net_options){.size = sizeof(struct tulle_net_options), .device = on}, &net));
    return net;
}

static size_t outputs_of(const struct tulle_net *net)
{
    struct tulle_net_info info = {.size = sizeof info};
    done(tulle_net_describe(net, &info));
    return (size_t)info.outputs;
}

/* All outputs, which come with their names. */
static size_t run(struct tulle_net *net, const char *names[], uint8_t y[][BYTES])
{
    int8_t x[INPUTS];
    struct tulle_tensor in = {.size = sizeof in}, out[NODES_MOST + 1], *list[NODES_MOST + 1];
    const size_t count = outputs_of(net);
    for (int i = 0; i < INPUTS; i++)
        x[i] = (int8_t)(i * 37);
    done(tulle_net_input(net, 0, &in));
    in.values = x;
    cr_assert(count <= NODES_MOST + 1 && in.bytes == INPUTS);
    memset(y, 0, count * BYTES);
    for (size_t i = 0; i < count; i++) {
        out[i] = (struct tulle_tensor){.size = sizeof out[i]};
        list[i] = &out[i];
        done(tulle_net_output(net, i, &out[i]));
        cr_assert(out[i].bytes <= BYTES);
        names[i] = out[i].name;
        out[i].values = y[i];
    }
    done(tulle_net_run(net, (const struct tulle_tensor *const[]){&in}, 1, list, count));
    return count;
}

/* The results of nodes of the small network of int8, which every subset is held against. */
static struct {
    char names[NODES_MOST][64];
    uint8_t y[NODES_MOST + 1][BYTES];
    size_t count;
} all;

static void find_all(void)
{
    const char *names[NODES_MOST + 1];
    struct diag diag = {0};
    struct strbuf bytes = small_tflite();
    write_bytes("net.tflite", &bytes);
    sb_free(&bytes);
    struct net *net = net_read("net.tflite", NULL, &diag);
    struct tulle_net *marked = load("net.tflite", NULL);
    cr_assert(net && net->node_count <= NODES_MOST);
    for (all.count = 0; all.count < net->node_count; all.count++) {
        snprintf(all.names[all.count], sizeof all.names[0], "%s", net->nodes[all.count]->outputs[0]->name);
        if (!net->nodes[all.count]->outputs[0]->output)
            done(tulle_net_mark(marked, all.names[all.count], 1));
    }
    cr_assert_eq(run(marked, names, all.y), all.count);
    for (size_t i = 0; i < all.count; i++)
        snprintf(all.names[i], sizeof all.names[0], "%s", names[i]);
    tulle_net_free(marked);
    net_free(net);
}

/* The outputs of a network in which those of the subset are marked: bit i is output i + 1. */
static void check_subset(struct tulle_net *net, unsigned subset)
{
    const char *names[NODES_MOST + 1];
    uint8_t y[NODES_MOST + 1][BYTES];
    size_t at = 1;
    const size_t count = run(net, names, y);
    cr_assert_str_eq(names[0], all.names[0]);
    cr_assert_arr_eq(y[0], all.y[0], BYTES);
    for (size_t i = 1; i < all.count; i++) {
        if (!(subset >> (i - 1) & 1))
            continue;
        cr_assert(at < count);
        cr_assert_str_eq(names[at], all.names[i]);
        cr_assert_arr_eq(y[at], all.y[i], BYTES, "subset %u: %s differs", subset, names[at]);
        at++;
    }
    cr_assert_eq(at, count);
}

/* Marks as the next subset has them. */
static void change(struct tulle_net *net, unsigned from, unsigned to)
{
    for (unsigned i = 0; i + 1 < all.count; i++)
        if ((from ^ to) >> i & 1)
            done(tulle_net_mark(net, all.names[i + 1], to >> i & 1));
}

Test(host_net_device_marks, every_subset_of_a_loaded_network)
{
    device = open_device(SMALL, "model:networks", 0);
    find_all();
    for (unsigned on = 0; on < 2; on++) {
        struct tulle_net *net = load("net.tflite", on ? device : NULL);
        unsigned before = 0;
        for (unsigned subset = 0; subset < 1U << (all.count - 1); before = subset++) {
            change(net, before, subset);
            check_subset(net, subset);
        }
        tulle_net_free(net);
    }
    tulle_device_close(device);
}

static struct strbuf file_of(const char *path)
{
    struct strbuf bytes = {0};
    struct diag diag = {0};
    cr_assert(input_read(path, 1 << 20, &bytes, &diag), "%s", sb_text(&diag.text));
    return bytes;
}

/* Operators and the graph are those of the file without marks. */
static void compare_files(const char *path, const char *plain)
{
    struct compiled a, b;
    struct diag diag = {0};
    cr_assert(compiled_read(path, &a, &diag) && compiled_read(plain, &b, &diag), "%s", sb_text(&diag.text));
    cr_assert(a.count == b.count && a.graph_bytes == b.graph_bytes && a.memory == b.memory);
    for (size_t i = 0; i < a.count; i++)
        cr_assert(a.layers[i].count == b.layers[i].count &&
                  (!a.layers[i].digest || !memcmp(a.layers[i].bytes, b.layers[i].bytes, a.layers[i].count)));
    net_free(a.net);
    net_free(b.net);
    compiled_close(&a);
    compiled_close(&b);
}

Test(host_net_device_marks, every_subset_of_a_compiled_network)
{
    device = open_device(SMALL, "model:networks", 0);
    find_all();
    struct tulle_net *net = load("net.tflite", device);
    done(tulle_net_save(net, "plain"));
    for (unsigned subset = 0; subset < 1U << (all.count - 1); subset++) {
        change(net, subset ? subset - 1 : 0, subset);
        done(tulle_net_save(net, "net"));
        compare_files("net", "plain");
        for (unsigned on = 0; on < 2; on++) {
            struct tulle_net *compiled = load("net", on ? device : NULL);
            check_subset(compiled, subset);
            if (on) {
                done(tulle_net_save(compiled, "again"));
                struct strbuf first = file_of("net"), again = file_of("again");
                cr_expect(first.len == again.len && !memcmp(first.text, again.text, first.len),
                          "other bytes");
                sb_free(&first);
                sb_free(&again);
            }
            change(compiled, subset, ((1U << (all.count - 1)) - 1) & ~subset);
            check_subset(compiled, ((1U << (all.count - 1)) - 1) & ~subset);
            tulle_net_free(compiled);
        }
    }
    tulle_net_free(net);
    tulle_device_close(device);
}

Test(host_net_device_marks, what_is_wrong_changes_nothing)
{
    device = open_device(SMALL, "model:networks", 0);
    find_all();
    struct tulle_net *net = load("net.tflite", device);
    done(tulle_net_mark(net, all.names[1], 1));
    refuses(TULLE_INVALID_ARGUMENT, "it is marked already", tulle_net_mark(net, all.names[1], 1));
    refuses(TULLE_INVALID_ARGUMENT, "it is not marked", tulle_net_mark(net, all.names[2], 0));
    refuses(TULLE_INVALID_ARGUMENT, "no layer and no result of this name", tulle_net_mark(net, "none", 1));
    refuses(TULLE_INVALID_ARGUMENT, "name is NULL", tulle_net_mark(net, NULL, 1));
    refuses(TULLE_INVALID_ARGUMENT, "net is NULL", tulle_net_mark(NULL, "none", 1));
    check_subset(net, 1);
    done(tulle_net_mark(net, all.names[0], 1)); /* an output anyway */
    check_subset(net, 1);
    done(tulle_net_mark(net, all.names[1], 0));
    check_subset(net, 0);
    tulle_net_free(net);
    tulle_device_close(device);
}

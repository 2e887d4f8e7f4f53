/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks placed on the host and on two devices of different variants: no placement changes a bit, and what
 * is placed somewhere runs there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/pass/pass.h"
#include "host/net/place/crowd.h"
#include "host/net/place/joined.h"
#include "host/net/read/read.h"
#include "tests/gen_base/rounds.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_lib/support.h"
#include "tests/host_net/random_graphs.h"
#include "tests/host_net_device/small.h"

TestSuite(host_net_device_placement, .init = scratch_enter, .fini = scratch_leave, .timeout = 300);

/* Another array: more PEs behind a wider port. */
#define OTHER                                                                                               \
    "model:networks;set=memory_width=128;set=row_bus_width=128;set=n=1;set=m=2;set=k=4;set=channel_groups=" \
    "32;set=softmax=64"
#define ROUNDS FEWER_ROUNDS(500)

enum { DEVICES = 2, PROCESSORS = DEVICES + 1, MARKS_MOST = 200 };

void write_onnx(const char *path, const char *graph);

/* A network, its devices, and where its nodes are. */
struct placed {
    struct net *net;
    struct tulle_device *device[DEVICES];
    struct place_mark marks[MARKS_MOST];
    struct place_library library;
    struct place_network_options options;
    struct place_device devices[DEVICES];
    struct place_crowd crowd;
    struct place_network network;
    struct diag diag;
};

struct may {
    const struct placed *placed;
    size_t processor;
};

static bool may(void *context, const struct node *node)
{
    const struct may *m = context;
    return place_may(&m->placed->options, node, m->processor);
}

static void open_devices(struct placed *p)
{
    memset(p, 0, sizeof *p);
    p->device[0] = open_device(SMALL "," OTHER, "0", 0);
    done(tulle_device_open("1", NULL, &p->device[1]));
    cr_assert(place_library_shipped(&p->library, &p->diag), "%s", sb_text(&p->diag.text));
}

static void close_devices(struct placed *p)
{
    tulle_device_close(p->device[0]);
    tulle_device_close(p->device[1]);
    place_library_free(&p->library);
    diag_free(&p->diag);
}

static void read_net(struct placed *p)
{
    p->net = net_read("graph.onnx", NULL, &p->diag);
    cr_assert(p->net && passes_settle(p->net, NULL, &p->diag), "%s", sb_text(&p->diag.text));
    cr_assert_lt(p->net->node_count, (size_t)MARKS_MOST);
}

static void set_options(struct placed *p, const struct place_strategy *strategy, size_t marks)
{
    p->options = (struct place_network_options){.strategy = strategy,
                                                .how.thresholds = {true, true, 1e-3, -1e-4},
                                                .library = &p->library,
                                                .marks = p->marks,
                                                .mark_count = marks};
}

/* Of so many devices. */
static void make_layers(struct placed *p, size_t count)
{
    p->crowd = (struct place_crowd){.count = count};
    for (size_t d = 0; d < count; d++) {
        struct may m = {p, d + 1};
        enum tulle_status status;
        p->crowd.layers[d] = layers_new(p->net, p->device[d],
                                        &(struct layers_options){.milliseconds = WAIT, .placer = {&m, may}},
                                        &status, &p->diag);
        cr_assert(p->crowd.layers[d], "%s", sb_text(&p->diag.text));
        p->devices[d] = (struct place_device){
            .name = "model", .layers = p->crowd.layers[d], .hertz = 1e8, .job = 1e-6, .byte = 1e-9};
    }
}

/* Makes the layers of both devices, and places them. */
static void place(struct placed *p, const struct place_strategy *strategy, size_t marks)
{
    set_options(p, strategy, marks);
    make_layers(p, DEVICES);
    cr_assert(place_network_new(&p->network, p->net, p->devices, DEVICES, &p->options, &p->diag) &&
                  place_network_apply(&p->network, &p->diag),
              "%s", sb_text(&p->diag.text));
}

static void free_layers(struct placed *p)
{
    place_network_free(&p->network);
    for (size_t d = 0; d < DEVICES; d++)
        layers_free(p->crowd.layers[d]);
}

static void set_input(struct net *net, struct run *run, uint64_t seed)
{
    struct random random = {seed};
    const struct shape *shape = net->inputs[0]->shape;
    struct view v = {.type = net->inputs[0]->type, .rank = shape->rank, .count = 1};
    for (int i = 0; i < v.rank; i++)
        v.count *= (size_t)(v.dim[i] = shape->dim[i].value);
    float *reals = calloc(v.count + 1, sizeof *reals);
    for (size_t i = 0; v.type == NET_FLOAT && i < v.count; i++)
        reals[i] = (float)random_range(&random, 0, 4000) / 1000 - 2;
    for (size_t i = 0; v.type != NET_FLOAT && i < v.count; i++)
        ((uint8_t *)reals)[i] = (uint8_t)random_next(&random);
    v.data = reals;
    cr_assert(run_set(run, net->inputs[0], &v));
    free(reals);
}

/* The first output, as bytes. */
static struct strbuf result(struct placed *p, bool on_devices, uint64_t seed)
{
    struct strbuf bytes = {0};
    struct view y;
    struct run *run = run_new(p->net, &p->diag);
    cr_assert(run);
    set_input(p->net, run, seed);
    if (on_devices)
        place_crowd_offer(&p->crowd, run);
    cr_assert(run_nodes(run), "%s", sb_text(&p->diag.text));
    cr_assert(run_get(run, p->net->outputs[0], &y));
    sb_addn(&bytes, y.data, y.count * type_bytes(y.type));
    run_free(run);
    return bytes;
}

static void expect_same(struct placed *p, uint64_t seed, const char *what)
{
    struct strbuf cpu = result(p, false, seed), there = result(p, true, seed);
    cr_assert(cpu.len && cpu.len == there.len && !memcmp(cpu.text, there.text, cpu.len), "round %llu, %s",
              (unsigned long long)seed, what);
    sb_free(&cpu);
    sb_free(&there);
}

/* How many operations run on each processor; no node is on two. */
static void count_places(const struct placed *p, size_t ran[PROCESSORS])
{
    for (size_t i = 0; i < p->net->node_count; i++) {
        size_t count, there = 0;
        for (size_t d = 0; d < DEVICES; d++) {
            const struct layer *layer = &layers_list(p->crowd.layers[d], &count)[i];
            const bool here = layer->op || layer->folded_into != i;
            cr_assert_eq(here, p->network.places[i] == d + 1);
            cr_assert(here || layer->reason);
            there += here;
            ran[d + 1] += here;
        }
        ran[PLACE_HOST] += !there;
        cr_assert_leq(there, 1);
    }
}

static void random_graph(struct random *random, uint64_t seed)
{
    *random = (struct random){seed};
    graph_of_scales(random, random_range(random, 1, 3), true, "graph.onnx");
}

Test(host_net_device_placement, random_placements_keep_every_bit)
{
    static struct placed p;
    size_t ran[PROCESSORS] = {0};
    open_devices(&p);
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random random;
        random_graph(&random, seed / 5 + 1);
        read_net(&p);
        random.state += seed;
        for (size_t i = 0; i < p.net->node_count; i++)
            p.marks[i] =
                (struct place_mark){place_node_name(p.net->nodes[i]), random_below(&random, PROCESSORS)};
        place(&p, NULL, p.net->node_count);
        expect_same(&p, seed, "random marks");
        count_places(&p, ran);
        free_layers(&p);
        net_free(p.net);
    }
    for (size_t q = 0; q < PROCESSORS; q++)
        cr_expect_geq(ran[q], ROUNDS / 4, "%zu operations on processor %zu", ran[q], q);
    close_devices(&p);
}

/* The default is never above another strategy. */
Test(host_net_device_placement, strategies_keep_every_bit)
{
    static struct placed p;
    open_devices(&p);
    for (uint64_t seed = 1; seed <= FEWER_ROUNDS(40); seed++) {
        struct random random;
        double least = 0;
        random_graph(&random, seed);
        read_net(&p);
        for (const struct place_strategy *s = place_strategies; s->name; s++) {
            size_t ran[PROCESSORS] = {0};
            place(&p, s, 0);
            expect_same(&p, seed, s->name);
            count_places(&p, ran);
            least = s == place_strategies ? p.network.result.seconds : least;
            cr_expect_leq(least, p.network.result.seconds, "round %llu: %s", (unsigned long long)seed,
                          s->name);
            cr_expect(strcmp(s->name, "host") != 0 || ran[PLACE_HOST] == p.net->node_count);
            free_layers(&p);
        }
        net_free(p.net);
    }
    close_devices(&p);
}

/* ---- neighbours that are one job ------------------------------------------------------------------- */

static bool make_parts(void *context, const struct layers_placer *placer, struct diag *diag)
{
    struct placed *p = context;
    enum tulle_status status;
    layers_free(p->crowd.layers[0]);
    p->crowd.layers[0] = layers_new(
        p->net, p->device[0],
        &(struct layers_options){.milliseconds = WAIT, .fused = true, .placer = *placer}, &status, diag);
    p->devices[0].layers = p->crowd.layers[0];
    return p->crowd.layers[0];
}

/* As place(), on the first device alone. */
static void place_parts(struct placed *p, const struct place_strategy *strategy, size_t marks)
{
    set_options(p, strategy, marks);
    make_layers(p, 1);
    const struct place_joiner joiner = {p, make_parts};
    cr_assert(p->crowd.layers[0] &&
                  place_network_new(&p->network, p->net, p->devices, 1, &p->options, &p->diag) &&
                  place_join_costs(&p->network) && place_network_join(&p->network, &joiner, &p->diag),
              "%s", sb_text(&p->diag.text));
}

/* With random marks and with every strategy: parts give the host's bits, and the default plans the best. */
Test(host_net_device_placement, parts_keep_every_bit)
{
    static struct placed p;
    size_t parts = 0, some, apart = 0;
    open_devices(&p);
    for (uint64_t seed = 1; seed <= FEWER_ROUNDS(60); seed++) {
        struct random random;
        const struct place_strategy *s = seed % 2 ? &place_strategies[seed / 2 % 5] : place_strategies;
        random_graph(&random, seed / 2 + 1);
        read_net(&p);
        for (size_t i = 0; seed % 2 == 0 && i < p.net->node_count; i++)
            p.marks[i] = (struct place_mark){place_node_name(p.net->nodes[i]), random_below(&random, 2)};
        place_parts(&p, s, seed % 2 ? 0 : p.net->node_count);
        cr_expect(place_joined_seconds(&p.network) == p.network.result.seconds); /* before parts learn */
        expect_same(&p, seed, s->name);
        layers_parts(p.crowd.layers[0], &some);
        parts += some;
        for (size_t i = 0; i < p.network.joined_count; i++)
            cr_expect_leq(p.network.result.seconds, p.network.joined[i]);
        for (size_t i = 0; i < p.net->node_count; i++)
            apart += p.network.places[i] == PLACE_HOST;
        free_layers(&p);
        net_free(p.net);
    }
    cr_expect(6 * parts > FEWER_ROUNDS(60) && 6 * apart > FEWER_ROUNDS(60),
              "%zu parts, %zu operations on the host", parts, apart);
    close_devices(&p);
}

/* ---- a node that is marked, and reasons ----------------------------------------------------------- */

static void read_product(struct placed *p)
{
    write_onnx("graph.onnx", SMALL_PRODUCT);
    p->net = net_read("graph.onnx", NULL, &p->diag);
    cr_assert(p->net, "%s", sb_text(&p->diag.text));
}

/* The product and its limit are one layer, unless a mark parts them. */
Test(host_net_device_placement, marks_part_what_a_device_would_compute_as_one)
{
    static struct placed p;
    size_t count;
    open_devices(&p);
    read_product(&p);
    p.marks[0] = (struct place_mark){"y", 2};
    place(&p, NULL, 1);
    cr_expect_eq(p.network.places[0], 2);
    cr_expect_str_eq(layers_list(p.crowd.layers[0], &count)[0].reason, "it is marked for another processor");
    expect_same(&p, 1, "a mark");
    free_layers(&p);
    p.marks[1] = (struct place_mark){"z", 0};
    place(&p, NULL, 2);
    cr_expect_eq(p.network.places[0], 2);
    cr_expect_eq(p.network.places[1], 0);
    expect_same(&p, 1, "two marks");
    free_layers(&p);
    net_free(p.net);
    close_devices(&p);
}

Test(host_net_device_placement, reasons_have_the_numbers)
{
    static struct placed p;
    struct strbuf text = {0}, json = {0};
    size_t count;
    open_devices(&p);
    read_product(&p);
    place(&p, NULL, 0);
    cr_expect_eq(p.network.places[0], PLACE_HOST);
    cr_expect(strstr(layers_list(p.crowd.layers[1], &count)[0].reason, "placed on the CPU: "));
    place_network_explain(&p.network, &text);
    place_network_json(&p.network, &json);
    cr_expect(strstr(sb_text(&text), "proven to be the least") && strstr(sb_text(&text), " = P ") &&
                  strstr(sb_text(&text), "within y; here the whole takes +"),
              "%s", sb_text(&text));
    cr_expect(strstr(sb_text(&json), "\"within\": 0"), "%s", sb_text(&json));
    sb_free(&text);
    sb_free(&json);
    free_layers(&p);
    net_free(p.net);
    close_devices(&p);
}

/* A mark of a node that is not there is an error; one for a processor that cannot run its node is not. */
Test(host_net_device_placement, marks_that_cannot_be)
{
    static struct placed p;
    open_devices(&p);
    read_product(&p);
    p.marks[0] = (struct place_mark){"nothing", 1};
    p.options = (struct place_network_options){.library = &p.library, .marks = p.marks, .mark_count = 1};
    cr_assert_not(place_network_new(&p.network, p.net, p.devices, 0, &p.options, &p.diag));
    cr_expect(strstr(sb_text(&p.diag.text), "the network has no such node"));
    place_network_free(&p.network);
    p.marks[0] = (struct place_mark){"y", 1};
    cr_assert_not(place_network_new(&p.network, p.net, p.devices, 0, &p.options, &p.diag));
    cr_expect(strstr(sb_text(&p.diag.text), "there is no such processor"));
    place_network_free(&p.network);
    net_free(p.net);
    close_devices(&p);
}

/* ---- what cannot be made --------------------------------------------------------------------------- */

/* How many nodes the device has; the others have their reasons, and the run gives the host's bits. */
static size_t nodes_with(struct placed *p, uint64_t memory, bool fused)
{
    const struct tulle_device_options few = {.size = sizeof few, .memory = memory};
    const struct layers_options how = {.milliseconds = WAIT, .fused = fused};
    enum tulle_status status;
    struct tulle_device *device;
    struct random random;
    size_t count;
    random_graph(&random, 2);
    read_net(p);
    done(tulle_device_open("0", &few, &device));
    struct layers *layers = layers_new(p->net, device, &how, &status, &p->diag);
    cr_assert(layers, "%s", sb_text(&p->diag.text));
    p->crowd = (struct place_crowd){.layers = {layers}, .count = 1};
    expect_same(p, 2, fused ? "parts" : "layers");
    const struct layer *list = layers_list(layers, &count);
    for (size_t i = 0; i < count; i++)
        cr_expect(list[i].op || list[i].part || list[i].folded_into != i || list[i].reason,
                  "node %zu (%s), %zu bytes, %s", i, list[i].node->type, (size_t)memory,
                  fused ? "parts" : "layers");
    const size_t nodes = layers_nodes(layers);
    layers_free(layers);
    tulle_device_close(device);
    net_free(p->net);
    return nodes;
}

/* A device without memory for a layer, or for a part: the host computes it, and the run goes on. */
Test(host_net_device_placement, what_does_not_fit_stays_on_the_host)
{
    static struct placed p;
    open_devices(&p);
    for (int fused = 0; fused < 2; fused++) {
        const size_t all = nodes_with(&p, 0, fused), some = nodes_with(&p, 1024, fused);
        cr_expect(some < all, "%zu and %zu nodes", some, all);
    }
    close_devices(&p);
}

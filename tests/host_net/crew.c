/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that share the work of layers, and what runs keep: results are the same bits with any number of
 * threads, and in the second run, which makes nothing of the weights again.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "host/net/cpu/crew.h"
#include "host/net/graph/summary.h"
#include "tests/host_net/graphs.h"

/* ---- work ---------------------------------------------------------------------------------------- */

enum { MOST = 1000 };
static unsigned char done[MOST];

static bool mark(const void *context, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        done[i]++;
    return !context || begin > *(const int64_t *)context || end <= *(const int64_t *)context;
}

Test(host_net_crew, every_element_is_done_once)
{
    static const unsigned counts[] = {1, 2, 5, 33};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct crew *crew = crew_new(counts[i]);
        cr_assert(crew);
        for (int64_t count = 0; count <= MOST; count += count < 20 ? 1 : 97) {
            memset(done, 0, sizeof done);
            cr_assert(crew_share(crew, count, INT64_MAX, mark, NULL));
            for (int64_t k = 0; k < MOST; k++)
                cr_assert_eq(done[k], k < count, "%u threads, element %lld of %lld", counts[i], (long long)k,
                             (long long)count);
        }
        /* A piece that fails is not forgotten, and the next work knows nothing of it. */
        cr_assert(!crew_share(crew, MOST, 1000, mark, &(const int64_t){700}));
        cr_assert(crew_share(crew, MOST, 1000, mark, NULL));
        crew_free(crew);
    }
    crew_free(NULL);
    cr_assert(!crew_share(NULL, MOST, 1000, mark, &(const int64_t){700}));
}

/* Two threads meet in the work: one alone would wait for ever. */
static pthread_barrier_t meeting;

static bool meet(const void *context, int64_t begin, int64_t end)
{
    (void)context;
    for (int64_t i = begin; i < end; i++)
        pthread_barrier_wait(&meeting);
    return true;
}

Test(host_net_crew, threads_work_at_the_same_time, .timeout = 60)
{
    struct crew *crew = crew_new(2);
    pthread_barrier_init(&meeting, NULL, 2);
    for (int i = 0; i < 100; i++)
        cr_assert(crew_share(crew, 2, INT64_MAX, meet, NULL));
    crew_free(crew);
    pthread_barrier_destroy(&meeting);
}

/* ---- layers -------------------------------------------------------------------------------------- */

enum { OPERANDS = 8, SIZE = 40 };

/* A node: its operands, of which the first is given and all others are constants of the network, and its
 * result. */
struct layer {
    const char *type;
    struct sample {
        enum net_type type;
        int rank;
        int64_t dim[4];
        float scale;
        int32_t zero;
    } in[OPERANDS], out;
    const char *attribute; /* an integer */
    int64_t value;
    bool last;     /* channels at the end, with one weight for each in the last of the two orders */
    unsigned kept; /* pieces of the network's keep */
};

#define IMAGES(type, ...)                         \
    {                                             \
        type, 4, {2, 32, SIZE, SIZE}, __VA_ARGS__ \
    }
#define LAST(type, ...)                           \
    {                                             \
        type, 4, {2, SIZE, SIZE, 32}, __VA_ARGS__ \
    }
#define RESULTS(type, ...)                                \
    {                                                     \
        type, 4, {2, 24, SIZE - 2, SIZE - 2}, __VA_ARGS__ \
    }
#define WINDOWS(type, ...)                   \
    {                                        \
        type, 4, {24, 32, 3, 3}, __VA_ARGS__ \
    }
#define MATRIX(type, rows, columns, ...)      \
    {                                         \
        type, 2, {rows, columns}, __VA_ARGS__ \
    }
#define NUMBER(type)       \
    {                      \
        type, 1, {1}, 0, 0 \
    }
static const struct layer layers[] = {
    {"Conv", {IMAGES(NET_INT8, 0.5F, 3), WINDOWS(NET_INT8, 0.25F, 0)}, RESULTS(NET_INT8, 300, 2), .kept = 1},
    {"Conv",
     {LAST(NET_UINT8, 0.5F, 3), {NET_UINT8, 4, {1, 3, 3, 32}, 0.25F, 7}},
     {NET_UINT8, 4, {2, SIZE - 2, SIZE - 2, 32}, 300, 2},
     "group",
     32,
     .last = true,
     .kept = 1},
    {"Conv", {IMAGES(NET_FLOAT, 0, 0), WINDOWS(NET_FLOAT, 0, 0)}, RESULTS(NET_FLOAT, 0, 0), .kept = 1},
    {"ConvInteger",
     {IMAGES(NET_UINT8, 0, 0), WINDOWS(NET_INT8, 0, 0), NUMBER(NET_UINT8)},
     RESULTS(NET_INT32, 0, 0),
     .kept = 1},
    {"QLinearConv",
     {IMAGES(NET_INT8, 0, 0), NUMBER(NET_FLOAT), NUMBER(NET_INT8), WINDOWS(NET_INT8, 0, 0), NUMBER(NET_FLOAT),
      NUMBER(NET_INT8), NUMBER(NET_FLOAT), NUMBER(NET_INT8)},
     RESULTS(NET_INT8, 0, 0),
     .kept = 1},
    {"Gemm",
     {MATRIX(NET_INT8, 64, 96, 0.5F, 3), MATRIX(NET_INT8, 128, 96, 0.25F, 0)},
     MATRIX(NET_INT8, 64, 128, 300, 2),
     "transB",
     1,
     .kept = 1},
    {"Gemm",
     {MATRIX(NET_FLOAT, 60, 90, 0, 0), MATRIX(NET_FLOAT, 90, 43, 0, 0)},
     MATRIX(NET_FLOAT, 60, 43, 0, 0),
     .kept = 0},
    {"MatMul",
     {MATRIX(NET_FLOAT, 60, 90, 0, 0), MATRIX(NET_FLOAT, 90, 43, 0, 0)},
     MATRIX(NET_FLOAT, 60, 43, 0, 0),
     .kept = 0},
    {"MatMul",
     {MATRIX(NET_INT32, 60, 90, 0, 0), MATRIX(NET_INT32, 90, 43, 0, 0)},
     MATRIX(NET_INT32, 60, 43, 0, 0),
     .kept = 0},
    {"MatMul",
     {MATRIX(NET_INT8, 60, 90, 0.5F, 3), MATRIX(NET_INT8, 90, 43, 0.25F, 1)},
     MATRIX(NET_INT8, 60, 43, 100, 2),
     .kept = 0},
    {"MatMulInteger",
     {MATRIX(NET_UINT8, 60, 90, 0, 0), MATRIX(NET_INT8, 90, 43, 0, 0)},
     MATRIX(NET_INT32, 60, 43, 0, 0),
     .kept = 0},
    {"QLinearMatMul",
     {MATRIX(NET_INT8, 60, 90, 0, 0), NUMBER(NET_FLOAT), NUMBER(NET_INT8), MATRIX(NET_INT8, 90, 43, 0, 0),
      NUMBER(NET_FLOAT), NUMBER(NET_INT8), NUMBER(NET_FLOAT), NUMBER(NET_INT8)},
     MATRIX(NET_INT8, 60, 43, 0, 0),
     .kept = 0},
};

static struct operand make(struct random *random, const struct sample *s)
{
    struct operand o = operand_of(s->type, s->rank, s->dim, NULL, s->scale, s->zero);
    o.view.data = calloc(o.view.count + 1, type_bytes(s->type));
    cr_assert(o.view.data);
    for (size_t i = 0; i < o.view.count; i++)
        if (s->type == NET_FLOAT)
            ((float *)o.view.data)[i] =
                o.view.count == 1 ? 0.001F : (float)random_below(random, 2000) / 1000 - 1;
        else
            view_set_integer(&o.view, i, o.view.count == 1 ? 3 : (int64_t)random_below(random, 256) - 128);
    return o;
}

static struct net *net_of(const struct layer *layer, struct operand *in, struct operand *out)
{
    const struct operand *list[OPERANDS];
    struct random random = {9};
    struct node *node;
    size_t count = 0;
    for (; count < OPERANDS && layer->in[count].rank; count++) {
        in[count] = make(&random, &layer->in[count]);
        list[count] = &in[count];
    }
    *out = make(&random, &layer->out);
    struct net *net = graph_of("", layer->type, list, count, out, &node);
    cr_assert(net && (!layer->attribute || node_set_integer(net, node, layer->attribute, layer->value)));
    cr_assert(!layer->last || (node_set_text(net, node, "layout", "NHWC") &&
                               node_set_text(net, node, "weights_layout", "1HWO")));
    for (size_t i = 1; i < count; i++) {
        node->inputs[i]->constant = true;
        node->inputs[i]->values =
            (struct values){.at = in[i].view.data, .size = in[i].view.count * type_bytes(in[i].view.type)};
    }
    return net;
}

/* Runs it, with its result in the numbers of `out`. */
static void run_with(struct net *net, unsigned threads, const struct operand *in, const struct operand *out)
{
    struct diag diag = {0};
    struct run *run = run_new(net, &diag);
    struct view result;
    cr_assert(run && run_threads(run, threads) && run_set(run, net->inputs[0], &in->view));
    cr_assert(run_nodes(run), "%s: %s", net->nodes[0]->type, sb_text(&diag.text));
    cr_assert(run_get(run, net->nodes[0]->outputs[0], &result) && result.count == out->view.count);
    memcpy(out->view.data, result.data, result.count * type_bytes(result.type));
    run_free(run);
}

Test(host_net_crew, results_do_not_depend_on_the_number_of_threads)
{
    static const unsigned counts[] = {1, 2, 5, 1};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        struct operand in[OPERANDS] = {{.scales = {0}}}, out;
        struct net *net = net_of(&layers[i], in, &out);
        const size_t bytes = out.view.count * type_bytes(out.view.type);
        uint8_t *first = calloc(bytes, 1);
        bool varied = false;
        for (unsigned k = 0; first && k < sizeof counts / sizeof *counts; k++) {
            memset(out.view.data, 0x5a, bytes);
            run_with(net, counts[k], &in[0], &out);
            if (!k)
                memcpy(first, out.view.data, bytes);
            cr_assert(!memcmp(first, out.view.data, bytes), "layer %zu (%s), %u threads", i, layers[i].type,
                      counts[k]);
        }
        for (size_t k = 1; first && k < bytes; k++)
            varied = varied || first[k] != first[0];
        cr_assert(varied, "layer %zu (%s) gives one number", i, layers[i].type);
        /* The first run made what all others have found. */
        cr_assert_eq(net->keep.made, layers[i].kept, "layer %zu (%s)", i, layers[i].type);
        cr_assert(net->keep.used <= net_kept_most(net));
        net_free(net);
        free(first);
        free(out.view.data);
        for (int k = 0; k < OPERANDS; k++)
            free(in[k].view.data);
    }
}

/* ---- what is kept -------------------------------------------------------------------------------- */

Test(host_net_crew, other_weights_are_not_found)
{
    struct operand in[OPERANDS] = {{.scales = {0}}}, out;
    struct net *net = net_of(&layers[0], in, &out);
    int8_t *result = out.view.data, before;
    run_with(net, 1, &in[0], &out);
    before = result[5];
    /* Numbers that a run gives are its own: nothing is kept of them. */
    struct tensor *weights = net->nodes[0]->inputs[1];
    struct diag diag = {0};
    struct run *run = run_new(net, &diag);
    net->keep.most = 1 << 20;
    memset(in[1].view.data, 1, in[1].view.count);
    cr_assert(run_set(run, net->inputs[0], &in[0].view) && run_set(run, weights, &in[1].view));
    cr_assert(run_nodes(run));
    run_free(run);
    cr_assert_eq(net->keep.made, 1u);
    /* Other numbers at another place. */
    int8_t *others = calloc(in[1].view.count, 1);
    weights->values = (struct values){.at = (const uint8_t *)others, .size = in[1].view.count};
    run_with(net, 1, &in[0], &out);
    cr_assert(result[5] == 2 && before != 2, "%d, before %d", result[5], before); /* the zero point */
    net_free(net);
    free(others);
    free(out.view.data);
    free(in[0].view.data);
    free(in[1].view.data);
}

Test(host_net_crew, the_bound_holds)
{
    struct keep keep = {.most = 1000};
    const int64_t form[] = {1, 2};
    bool fresh;
    char *a = keep_get(&keep, "a", form, 2, 300, &fresh);
    cr_assert(a && fresh && keep.used > 300 && keep.used <= 1000);
    cr_assert(keep_get(&keep, "a", form, 2, 300, &fresh) == a && !fresh && keep.made == 1);
    const size_t used = keep.used;
    cr_assert(!keep_get(&keep, "b", form, 2, 900, &fresh) && keep.used == used);
    /* Another form, or size, takes the place of the old one. */
    cr_assert(keep_get(&keep, "a", form, 1, 300, &fresh) && fresh && keep.used < used);
    cr_assert(keep_get(&keep, "a", form, 1, 301, &fresh) && fresh && keep.made == 3);
    cr_assert(!keep_get(&keep, "a", form, 1, 2000, &fresh) && keep.used == 0);
    keep_close(&keep);
}

Test(host_net_crew, room_is_taken_again)
{
    struct spare spare = {NULL};
    char *a = spare_take(&spare, 1000), *b = spare_take(&spare, 100000);
    cr_assert(a && b && (uintptr_t)a % 64 == 0);
    memset(a, 7, 1000);
    spare_give(&spare, a);
    spare_give(&spare, b);
    spare_give(&spare, NULL);
    char *c = spare_take(&spare, 700);
    cr_assert(c == a && c[0] == 0 && c[699] == 0);
    cr_assert(spare_take(&spare, SIZE_MAX - 3) == NULL);
    spare_give(&spare, c);
    spare_trim(&spare);
    cr_assert(spare.free); /* both were taken */
    cr_assert_eq(spare_take(&spare, 700), a);
    spare_give(&spare, a);
    spare_trim(&spare); /* frees the large one, which this time nothing took */
    char *d = spare_take(&spare, 1000);
    cr_assert(d == a && !spare.free);
    spare_give(&spare, d);
    spare_close(&spare);
    cr_assert(!spare.free);
}

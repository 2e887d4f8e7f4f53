/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to pools: on several devices and on the CPU they have the results of single runs, and each is
 * answered once, also when a device is lost, a request is cancelled, or the pool ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/strbuf.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_lib/support.h"
#include "tests/host_net_device/small.h"

TestSuite(host_net_device_pool, .init = scratch_enter, .fini = scratch_leave, .timeout = 120);

enum { REQUESTS = 200, INPUTS = 4, OUTPUTS = 3, MARKED = 2 * OUTPUTS };

/* Of tests/host_net/support.h, which has a function with the name of a macro here. */
void write_onnx(const char *path, const char *graph);

/* ---- requests ------------------------------------------------------------------------------------ */

/* A request with its numbers: outputs "z" and, if it is marked, "y". */
struct asked {
    int8_t x[INPUTS], y[MARKED];
    struct tulle_tensor in, out[2];
    const struct tulle_tensor *inputs[1];
    struct tulle_tensor *outputs[2];
    struct tulle_request *request;
};

static void ask(struct tulle_pool *pool, struct asked *a, unsigned number, size_t outputs)
{
    struct random random = {number};
    *a =
        (struct asked){.in = {.size = sizeof a->in}, .out = {{.size = sizeof a->in}, {.size = sizeof a->in}}};
    memset(a->y, 99, sizeof a->y);
    for (int i = 0; i < INPUTS; i++)
        a->x[i] = (int8_t)random_next(&random);
    done(tulle_pool_input(pool, 0, &a->in));
    a->in.values = a->x;
    a->inputs[0] = &a->in;
    for (size_t i = 0; i < outputs; i++) {
        done(tulle_pool_output(pool, i, &a->out[i]));
        a->out[i].values = a->y + i * OUTPUTS;
        a->outputs[i] = &a->out[i];
    }
    done(tulle_pool_start(pool, a->inputs, 1, a->outputs, outputs, WAIT, &a->request));
}

/* By the definition of the network. */
static void check(const struct asked *a, size_t outputs)
{
    static const int w[INPUTS][OUTPUTS] = {{1, -1, 2}, {3, 1, -2}, {-1, 0, 1}, {2, 2, -1}};
    for (int n = 0; n < OUTPUTS; n++) {
        int sum = 0;
        for (int k = 0; k < INPUTS; k++)
            sum += a->x[k] * w[k][n];
        /* Half of it, halves to even, within int8. */
        int y = (sum - (sum & 1)) / 2;
        y += (sum & 1) && (y & 1);
        y = y < -128 ? -128 : y > 127 ? 127 : y;
        cr_assert_eq(a->y[n], y < 0 ? 0 : y, "result %d is %d, and the sum %d", n, a->y[n], sum);
        if (outputs > 1)
            cr_assert_eq(a->y[OUTPUTS + n], y);
    }
}

static struct tulle_pool_info info_of(struct tulle_pool *pool)
{
    struct tulle_pool_info info = {.size = sizeof info};
    done(tulle_pool_describe(pool, &info));
    return info;
}

/* ---- devices ------------------------------------------------------------------------------------- */

/* Two devices of a list, and a pool of the small product on them. */
struct rig {
    struct tulle_device *devices[2];
    struct tulle_pool *pool;
};

/* Of the network with its mark, for the first device. */
static void compile(struct tulle_device *device)
{
    struct tulle_net *net;
    const struct tulle_net_options options = {.size = sizeof options, .device = device};
    done(tulle_net_load("net.onnx", &options, &net));
    done(tulle_net_mark(net, "y", 1));
    done(tulle_net_save(net, "net.net"));
    tulle_net_free(net);
}

enum kind { READ, COMPILED }; /* a compiled network has two threads on a device */

static struct rig open_pool(struct rig r, enum kind kind, int in_turn, int repeats)
{
    write_onnx("net.onnx", SMALL_PRODUCT);
    if (kind == COMPILED)
        compile(r.devices[1]);
    const struct tulle_pool_options options = {.size = sizeof options,
                                               .marks = (const char *const[]){"y"},
                                               .mark_count = kind == READ,
                                               .devices = r.devices,
                                               .device_count = 2,
                                               .requests = REQUESTS,
                                               .in_turn = in_turn,
                                               .repeats = repeats};
    done(tulle_pool_open(kind == READ ? "net.onnx" : "net.net", &options, &r.pool));
    return r;
}

static struct rig open_rig(const char *list, enum kind kind, int in_turn, int repeats)
{
    struct rig r = {.devices = {open_device(list, "0", 0)}};
    done(tulle_device_open("1", NULL, &r.devices[1]));
    return open_pool(r, kind, in_turn, repeats);
}

/* A device that is there twice: one network copies while the other computes. */
static struct rig open_twice(const char *device)
{
    struct tulle_device *only = open_device(device, "0", 0);
    return open_pool((struct rig){.devices = {only, only}}, READ, 0, 1);
}

static void close_rig(struct rig *r)
{
    tulle_pool_free(r->pool);
    tulle_device_close(r->devices[0]);
    if (r->devices[1] != r->devices[0])
        tulle_device_close(r->devices[1]);
}

/* Starts all requests, then waits for them in their order. Returns how many ended with the device. */
static unsigned ask_all(struct tulle_pool *pool, struct asked *asked)
{
    unsigned lost = 0;
    for (unsigned i = 0; i < REQUESTS; i++)
        ask(pool, &asked[i], i, 2);
    for (unsigned i = 0; i < REQUESTS; i++) {
        const enum tulle_status status = tulle_request_wait(asked[i].request, WAIT);
        lost += status == TULLE_DEVICE_LOST;
        if (status != TULLE_DEVICE_LOST) {
            done(status);
            check(&asked[i], 2);
        } else {
            cr_assert(*tulle_message());
            cr_assert_eq(tulle_request_wait(asked[i].request, 0), TULLE_DEVICE_LOST);
            for (int k = 0; k < MARKED; k++)
                cr_assert_eq(asked[i].y[k], 99);
        }
    }
    return lost;
}

static void free_all(struct asked *asked)
{
    for (unsigned i = 0; i < REQUESTS; i++)
        tulle_request_free(asked[i].request);
}

static struct asked asked[REQUESTS];

Test(host_net_device_pool, two_devices)
{
    for (int round = 0; round < 4; round++) {
        struct rig r = open_rig(SMALL "," SMALL, (enum kind)(round / 2), round % 2, 0);
        cr_assert_eq(ask_all(r.pool, asked), 0u);
        const struct tulle_pool_info info = info_of(r.pool);
        cr_expect(info.networks == 2 && info.answered == REQUESTS && !info.failed && !info.lost &&
                  !info.waiting && !info.running);
        free_all(asked);
        close_rig(&r);
    }
}

Test(host_net_device_pool, one_device_twice)
{
    struct rig r = open_twice(SMALL);
    cr_assert_eq(ask_all(r.pool, asked), 0u);
    const struct tulle_pool_info info = info_of(r.pool);
    cr_expect(info.networks == 2 && info.answered == REQUESTS && !info.failed && !info.lost);
    free_all(asked);
    close_rig(&r);
}

#define LOST(accesses) SMALL ";fault=ones:" #accesses

/* How many requests a device takes with it: one for each thread that it has. */
static bool is_few(uint64_t requests, enum kind kind)
{
    return requests == 1 || (requests == 2 && kind == COMPILED);
}

Test(host_net_device_pool, a_lost_device_is_replaced)
{
    for (int round = 0; round < 4; round++) {
        const int in_turn = round % 2;
        const enum kind kind = (enum kind)(round / 2);
        struct rig r = open_rig(LOST(2000) "," SMALL, kind, in_turn, 1);
        cr_assert_eq(ask_all(r.pool, asked), 0u);
        const struct tulle_pool_info info = info_of(r.pool);
        /* Without turns the other device may answer nearly all. */
        cr_expect(info.answered == REQUESTS && (info.lost ? is_few(info.repeated, kind) : !info.repeated) &&
                      (info.lost == 1 || (!info.lost && !in_turn)),
                  "%llu answered, %llu repeated, %llu lost", (unsigned long long)info.answered,
                  (unsigned long long)info.repeated, (unsigned long long)info.lost);
        free_all(asked);
        close_rig(&r);
    }
}

Test(host_net_device_pool, a_lost_device_is_named)
{
    for (int kind = READ; kind <= COMPILED; kind++) {
        struct rig r = open_rig(LOST(2000) "," SMALL, (enum kind)kind, 1, 0);
        const unsigned lost = ask_all(r.pool, asked);
        const struct tulle_pool_info info = info_of(r.pool);
        cr_expect(is_few(lost, (enum kind)kind) && info.answered == REQUESTS - lost && info.failed == lost &&
                      info.lost == 1 && !info.repeated,
                  "%u lost", lost);
        free_all(asked);
        close_rig(&r);
    }
}

Test(host_net_device_pool, without_devices_requests_end)
{
    for (int kind = READ; kind <= COMPILED; kind++) {
        struct rig r = open_rig(LOST(2000) "," LOST(3000), (enum kind)kind, 1, 1);
        const unsigned lost = ask_all(r.pool, asked);
        const struct tulle_pool_info info = info_of(r.pool);
        cr_expect(lost > 0 && lost < REQUESTS && info.lost == 2 && info.failed == lost &&
                      info.answered == REQUESTS - lost,
                  "%u lost", lost);
        refuses(TULLE_DEVICE_LOST, "all devices of the pool are lost",
                tulle_pool_start(r.pool, asked[0].inputs, 1, asked[0].outputs, 2, WAIT, &asked[0].request));
        free_all(asked);
        close_rig(&r);
    }
}

/* Both networks have lost it. */
Test(host_net_device_pool, one_device_twice_is_lost)
{
    struct rig r = open_twice(LOST(2000));
    const unsigned lost = ask_all(r.pool, asked);
    const struct tulle_pool_info info = info_of(r.pool);
    cr_expect(lost > 0 && lost < REQUESTS && info.lost == 2 && info.answered == REQUESTS - lost, "%u lost",
              lost);
    free_all(asked);
    close_rig(&r);
}

/* ---- the CPU ------------------------------------------------------------------------------------- */

/* A network of pools that takes a while. */
static struct tulle_pool *slow_pool(unsigned networks, unsigned requests)
{
    struct strbuf text = {0};
    struct tulle_pool *pool = NULL;
    sb_add(&text, "input: 'l0' input_dim: 1 input_dim: 4 input_dim: 64 input_dim: 64\n");
    for (int i = 0; i < 40; i++)
        sb_addf(&text,
                "layer { name: 'l%d' type: 'Pooling' bottom: 'l%d' top: 'l%d' pooling_param { pool: AVE "
                "kernel_size: 31 stride: 1 pad: 15 } }\n",
                i + 1, i, i + 1);
    scratch_write("slow.prototxt", sb_text(&text));
    sb_free(&text);
    const struct tulle_pool_options options = {
        .size = sizeof options, .networks = networks, .requests = requests};
    done(tulle_pool_open("slow.prototxt", &options, &pool));
    return pool;
}

static struct tulle_tensor slow_in, slow_out;

static struct tulle_request *ask_slow(struct tulle_pool *pool)
{
    static const struct tulle_tensor *const in[] = {&slow_in};
    static struct tulle_tensor *const out[] = {&slow_out};
    static float x[4 * 64 * 64], y[4 * 64 * 64];
    struct tulle_request *request = NULL;
    slow_in.size = slow_out.size = sizeof slow_in;
    done(tulle_pool_input(pool, 0, &slow_in));
    done(tulle_pool_output(pool, 0, &slow_out));
    slow_in.values = x;
    slow_out.values = y;
    y[0] = 99;
    done(tulle_pool_start(pool, in, 1, out, 1, WAIT, &request));
    return request;
}

static void is_cancelled(struct tulle_request *request)
{
    refuses(TULLE_CANCELLED, "the request was cancelled", tulle_request_wait(request, WAIT));
    cr_assert_eq(*(float *)slow_out.values, 99);
}

Test(host_net_device_pool, requests_are_cancelled)
{
    struct tulle_pool *pool = slow_pool(1, 3);
    struct tulle_request *list[] = {ask_slow(pool), ask_slow(pool), ask_slow(pool)}, *more = NULL;
    refuses(TULLE_TIMEOUT, "3 requests were under way for 1 ms",
            tulle_pool_start(pool, NULL, 0, NULL, 0, 1, &more));
    refuses(TULLE_TIMEOUT, "is not over after 0 ms", tulle_request_wait(list[2], 0));
    for (int i = 2; i >= 0; i--) {
        tulle_request_cancel(list[i]);
        tulle_request_cancel(list[i]);
        is_cancelled(list[i]);
    }
    cr_expect_eq(info_of(pool).cancelled, 3u);
    for (int i = 0; i < 3; i++)
        tulle_request_free(list[i]);
    /* One that is freed is cancelled, and so are those of a pool that ends. */
    tulle_request_free(ask_slow(pool));
    cr_expect_eq(info_of(pool).cancelled, 4u);
    list[0] = ask_slow(pool);
    list[1] = ask_slow(pool);
    tulle_pool_free(pool);
    is_cancelled(list[0]);
    is_cancelled(list[1]);
    tulle_request_free(list[0]);
    tulle_request_free(list[1]);
    tulle_pool_free(NULL);
    tulle_request_free(NULL);
    tulle_request_cancel(NULL);
}

Test(host_net_device_pool, on_the_cpu)
{
    struct tulle_pool *pool = NULL;
    write_onnx("net.onnx", SMALL_PRODUCT);
    const struct tulle_pool_options options = {
        .size = sizeof options, .networks = 4, .marks = (const char *const[]){"y"}, .mark_count = 1};
    done(tulle_pool_open("net.onnx", &options, &pool));
    cr_assert_eq(ask_all(pool, asked), 0u);
    free_all(asked);
    /* What a run refuses, the request tells. */
    struct asked wrong;
    ask(pool, &wrong, 1, 2);
    done(tulle_request_wait(wrong.request, WAIT));
    tulle_request_free(wrong.request);
    wrong.in.rank = 3;
    done(tulle_pool_start(pool, wrong.inputs, 1, wrong.outputs, 2, WAIT, &wrong.request));
    refuses(TULLE_INVALID_ARGUMENT, "rank is 3", tulle_request_wait(wrong.request, WAIT));
    tulle_request_free(wrong.request);
    cr_expect(info_of(pool).failed == 1 && info_of(pool).networks == 4);
    refuses(TULLE_INVALID_ARGUMENT, "no input 1; it has 1", tulle_pool_input(pool, 1, &wrong.in));
    refuses(TULLE_INVALID_ARGUMENT, "no output 2; it has 2", tulle_pool_output(pool, 2, &wrong.in));
    tulle_pool_free(pool);
}

Test(host_net_device_pool, what_is_wrong_is_named)
{
    struct tulle_pool *pool = NULL;
    struct tulle_pool_options o = {.size = sizeof o, .device_count = 1};
    write_onnx("net.onnx", SMALL_PRODUCT);
    refuses(TULLE_INVALID_ARGUMENT, "path is NULL", tulle_pool_open(NULL, &o, &pool));
    refuses(TULLE_INVALID_ARGUMENT, "pool is NULL", tulle_pool_open("net.onnx", &o, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "devices is NULL", tulle_pool_open("net.onnx", &o, &pool));
    o.devices = (struct tulle_device *const[]){NULL};
    refuses(TULLE_INVALID_ARGUMENT, "a device is NULL", tulle_pool_open("net.onnx", &o, &pool));
    o = (struct tulle_pool_options){.size = sizeof o, .networks = 257};
    refuses(TULLE_INVALID_ARGUMENT, "at most 256 networks", tulle_pool_open("net.onnx", &o, &pool));
    o = (struct tulle_pool_options){
        .size = sizeof o, .marks = (const char *const[]){"none"}, .mark_count = 1};
    refuses(TULLE_INVALID_ARGUMENT, "no layer and no result of this name",
            tulle_pool_open("net.onnx", &o, &pool));
    refuses(TULLE_FILE, "nothere", tulle_pool_open("nothere", NULL, &pool));
    refuses(TULLE_INVALID_ARGUMENT, "request is NULL", tulle_request_wait(NULL, 0));
    refuses(TULLE_INVALID_ARGUMENT, "pool is NULL", tulle_pool_start(NULL, NULL, 0, NULL, 0, 0, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "pool is NULL", tulle_pool_describe(NULL, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "pool is NULL", tulle_pool_input(NULL, 0, NULL));
    refuses(TULLE_INVALID_ARGUMENT, "pool is NULL", tulle_pool_output(NULL, 0, NULL));
    cr_expect_null(pool);
}

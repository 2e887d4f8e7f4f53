/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage: bench-between NET [RUNS]
 *
 * Time that the host takes between two networks back to back: how long the device has no job, of runs one
 * after the other in one thread, and of a pool with one and with two requests under way. The driver says how
 * long jobs took (host/monitor). Inputs are random bytes. NET is a compiled network whose layers are one job:
 * with several jobs a run has as many gaps. Before that, how long the start takes: from the file to a
 * network on the device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/monitor/monitor.h"
#include "tests/bench/tool/places.h"

enum { RUNS = 1000, PIECES = 20, WAIT = 60000, UNDER_WAY = 2 };

/* Of the device of this process. */
static struct monitor_counts counts(void)
{
    struct monitor_samples samples;
    struct monitor_counts of = {.jobs = 0};
    if (!monitor_read(&samples))
        exit(1);
    for (size_t i = 0; i < samples.count; i++)
        if (samples.item[i].about.pid == (uint64_t)getpid())
            of = samples.item[i].counts;
    monitor_free(&samples);
    return of;
}

/* What runs: a network, or else a pool. */
struct running {
    struct tulle_net *net;
    struct tulle_pool *pool;
    struct tulle_pool_info info;
    struct place places[UNDER_WAY];
};

static void end(struct place *p)
{
    place_check("wait", tulle_request_wait(p->request, WAIT));
    tulle_request_free(p->request);
    p->request = NULL;
}

static void run(struct running *r, unsigned under_way, unsigned runs)
{
    const size_t inputs = (size_t)r->info.inputs, outputs = (size_t)r->info.outputs;
    for (unsigned i = 0; !under_way && i < runs; i++)
        place_check("run", tulle_net_run(r->net, r->places->inputs, inputs, r->places->outputs, outputs));
    for (unsigned i = 0; under_way && i < runs + under_way; i++) {
        struct place *p = &r->places[i % under_way];
        if (p->request)
            end(p);
        if (i < runs)
            place_check("start",
                        tulle_pool_start(r->pool, p->inputs, inputs, p->outputs, outputs, WAIT, &p->request));
    }
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Microseconds between two jobs: the median of many pieces, from the end of one job to the end of another one
 * less what the jobs between took. */
static double between(struct running *r, unsigned under_way, unsigned runs)
{
    double list[PIECES];
    for (unsigned piece = 0; piece < PIECES; piece++) {
        run(r, under_way, 1);
        const struct monitor_counts a = counts();
        const uint64_t begin = monitor_now();
        run(r, under_way, runs / PIECES);
        const struct monitor_counts b = counts();
        const uint64_t jobs = b.jobs - a.jobs, all = b.last_end - begin, busy = b.busy - a.busy;
        if (!jobs) {
            fputs("bench-between: error: the driver shows no jobs; unset TULLE_MONITOR\n", stderr);
            exit(1);
        }
        list[piece] = all > busy ? (double)(all - busy) / 1e3 / (double)jobs : 0;
    }
    qsort(list, PIECES, sizeof *list, ascending);
    return list[PIECES / 2];
}

static double milliseconds(uint64_t since)
{
    return (double)(monitor_now() - since) / 1e6;
}

/* Milliseconds in which a file is read. */
static double reading(const char *path)
{
    char bytes[65536];
    const uint64_t begin = monitor_now();
    FILE *file = fopen(path, "rb");
    while (file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes)
        ;
    if (file)
        fclose(file);
    return milliseconds(begin);
}

int main(int argc, char **argv)
{
    static struct running r;
    struct tulle_device *device;
    if (argc < 2 || argc > 3)
        return fputs("usage: bench-between NET [RUNS]\n", stderr), 2;
    const unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : RUNS;
    r.info.size = sizeof r.info;
    place_check("open", tulle_device_open("0", NULL, &device));
    const struct tulle_net_options alone = {.size = sizeof alone, .device = device};
    const struct tulle_pool_options options = {
        .size = sizeof options, .devices = &device, .device_count = 1, .requests = UNDER_WAY};
    const double file = reading(argv[1]);
    const uint64_t begin = monitor_now();
    place_check("load", tulle_net_load(argv[1], &alone, &r.net));
    printf("the start   %9.1f ms, and reading the file alone %.1f ms\n", milliseconds(begin), file);
    place_check("pool", tulle_pool_open(argv[1], &options, &r.pool));
    for (unsigned i = 0; i < UNDER_WAY; i++)
        place_fill(r.pool, &r.info, &r.places[i]);
    run(&r, UNDER_WAY, UNDER_WAY);
    printf("in one thread %9.1f us between two networks\n", between(&r, 0, runs));
    for (unsigned under_way = 1; under_way <= UNDER_WAY; under_way++)
        printf("%u under way   %9.1f us between two networks\n", under_way, between(&r, under_way, runs));
    tulle_pool_free(r.pool);
    tulle_net_free(r.net);
    tulle_device_close(device);
    return 0;
}

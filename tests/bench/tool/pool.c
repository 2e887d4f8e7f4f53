/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage: bench-pool NET [REQUESTS]
 *
 * Requests a second of a network on one device, of a pool that has this device twice, and of one on the first
 * two devices there are, in turn, and what they are of the first. Inputs are random bytes. NET is a compiled
 * network, or any whose inputs have all sizes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/tool/places.h"

enum { ROUNDS = 5, REQUESTS = 200, WAIT = 60000, UNDER_WAY = 8 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of all requests, of which some are under way at a time. */
static double measure(struct tulle_pool *pool, unsigned requests)
{
    static struct place places[UNDER_WAY];
    struct tulle_pool_info info = {.size = sizeof info};
    for (unsigned i = 0; i < UNDER_WAY && !places[i].inputs[0]; i++)
        place_fill(pool, &info, &places[i]);
    place_check("describe", tulle_pool_describe(pool, &info));
    const double begin = now();
    for (unsigned i = 0; i < requests + UNDER_WAY; i++) {
        struct place *p = &places[i % UNDER_WAY];
        if (i >= UNDER_WAY) {
            place_check("wait", tulle_request_wait(p->request, WAIT));
            tulle_request_free(p->request);
        }
        if (i < requests)
            place_check("start", tulle_pool_start(pool, p->inputs, (size_t)info.inputs, p->outputs,
                                                  (size_t)info.outputs, WAIT, &p->request));
    }
    return now() - begin;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double list[ROUNDS])
{
    qsort(list, ROUNDS, sizeof *list, ascending);
    return list[ROUNDS / 2];
}

enum { ONE, TWICE, TWO, POOLS };
static const char *const names[POOLS] = {"one device", "this device twice", "two devices"};

int main(int argc, char **argv)
{
    struct tulle_device *devices[2];
    struct tulle_pool *pools[POOLS] = {NULL};
    double seconds[POOLS][ROUNDS];
    if (argc < 2 || argc > 3)
        return fputs("usage: bench-pool NET [REQUESTS]\n", stderr), 2;
    const unsigned requests = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : REQUESTS;
    place_check("open", tulle_device_open("0", NULL, &devices[0]));
    place_check("open", tulle_device_open("1", NULL, &devices[1]));
    struct tulle_device *const lists[POOLS][2] = {
        {devices[0]}, {devices[0], devices[0]}, {devices[0], devices[1]}};
    for (int p = 0; p < POOLS; p++) {
        const struct tulle_pool_options options = {.size = sizeof options,
                                                   .devices = lists[p],
                                                   .device_count = p == ONE ? 1 : 2,
                                                   .requests = UNDER_WAY};
        place_check("pool", tulle_pool_open(argv[1], &options, &pools[p]));
        measure(pools[p], requests); /* operators and caches settle */
    }
    for (unsigned i = 0; i < ROUNDS; i++)
        for (int p = 0; p < POOLS; p++)
            seconds[p][i] = measure(pools[p], requests);
    const double first = median(seconds[ONE]);
    for (int p = 0; p < POOLS; p++) {
        const double all = median(seconds[p]);
        printf("%-18s %9.1f requests/s %6.2f\n", names[p], requests / all, first / all);
        tulle_pool_free(pools[p]);
    }
    tulle_device_close(devices[0]);
    tulle_device_close(devices[1]);
    return 0;
}

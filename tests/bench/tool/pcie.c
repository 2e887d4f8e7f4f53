/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast a device behind a PCIe function is reached, without a virtual
 * machine: register reads, small and large pieces of memory, the interrupt of
 * a job that is over at once. By default the board is the functional model:
 * what is measured is the way there. A Verilated device with a host port has
 * the copy engine in RTL. Not a test: it depends on the machine.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/devices/kinds.h"
#include "host/pcie/pcie.h"
#include "sim/board/registers.h"
#include "sim/pcie/server.h"

#define PIECE (16u << 20)
#define SECOND UINT64_C(1000000000)

/* How often. A Verilated device takes a second for a megabyte. */
struct counts {
    unsigned reads, copies, jobs;
    uint64_t large;
};

static const struct counts of_model = {20000, 5000, 2000, UINT64_C(256) << 20},
                           of_device = {2000, 200, 200, UINT64_C(1) << 20};

static const struct board_api *const api = &board_pcie;
static struct server server;
static struct counts counts;

static void *serve(void *argument)
{
    struct strbuf why = {0};
    (void)argument;
    if (!server_run(&server, &why))
        fprintf(stderr, "bench-pcie: %s\n", sb_text(&why));
    sb_free(&why);
    return NULL;
}

static void must(struct board *b, enum board_status status)
{
    if (status == BOARD_OK)
        return;
    fprintf(stderr, "bench-pcie: error: %s\n", api->error(b));
    exit(1);
}

/* What each turn took, in nanoseconds. */
static uint64_t took[20000];

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The median: other work on the machine disturbs some. */
static void tell(const char *what, unsigned count)
{
    const unsigned middle = count / 2;
    qsort(took, count, sizeof *took, compare);
    printf("%-44s %8.2f us\n", what, (double)took[middle] / 1000);
}

static void registers(struct board *b)
{
    const uint32_t at = register_offset("magic");
    uint32_t value;
    for (unsigned i = 0; i < counts.reads; i++) {
        const uint64_t begin = wire_now();
        must(b, api->read_register(b, at, &value));
        took[i] = wire_now() - begin;
    }
    tell("register read", counts.reads);
}

static void small(struct board *b, const char *what, size_t bytes)
{
    static uint8_t data[8192];
    char text[64];
    for (unsigned from = 0; from < 2; from++) {
        for (unsigned i = 0; i < counts.copies; i++) {
            const uint64_t begin = wire_now();
            must(b, from ? api->read_memory(b, 1 << 20, data, bytes)
                         : api->write_memory(b, 1 << 20, data, bytes));
            took[i] = wire_now() - begin;
        }
        snprintf(text, sizeof text, "%s %s", what, from ? "from it" : "to the device");
        tell(text, counts.copies);
    }
}

/* What it would cost through a window that is mapped, eight bytes at a time. */
static void mapped(void)
{
    static volatile uint64_t there[512];
    for (unsigned i = 0; i < counts.copies; i++) {
        const uint64_t begin = wire_now();
        for (unsigned at = 0; at < sizeof there / sizeof *there; at++)
            there[at] = i;
        took[i] = wire_now() - begin;
    }
    tell("4 KiB written to memory, for comparison", counts.copies);
}

static void large(struct board *b, uint8_t *data)
{
    const size_t piece = counts.large < PIECE ? counts.large : PIECE;
    uint64_t begin = wire_now();
    for (uint64_t at = 0; at < counts.large; at += piece)
        must(b, api->write_memory(b, at, data, piece));
    double there = (double)counts.large / (double)(wire_now() - begin);
    begin = wire_now();
    for (uint64_t at = 0; at < counts.large; at += piece)
        must(b, api->read_memory(b, at, data, piece));
    printf("%2zu MiB %-38s %8.2f MB/s to the device, %.2f MB/s from it\n", piece >> 20, "by the copy engine",
           1000 * there, 1000 * (double)counts.large / (double)(wire_now() - begin));
}

/* A program that is none ends a job with an error, and an interrupt as any other. */
static void interrupts(struct board *b)
{
    must(b, api->write_register(b, register_offset("interrupt_mask"), INTERRUPT_DONE));
    must(b, api->write_register(b, register_offset("interrupt_enable"), 1));
    for (unsigned i = 0; i < counts.jobs; i++) {
        uint64_t begin = wire_now();
        must(b, api->write_register(b, register_offset("control"), CONTROL_START));
        must(b, api->wait(b, 0, 10 * SECOND));
        took[i] = wire_now() - begin;
        must(b, api->write_register(b, register_offset("interrupt_status"), INTERRUPT_DONE));
        must(b, api->write_register(b, register_offset("control"), CONTROL_CONTINUE));
    }
    tell("start of an empty job to its interrupt", counts.jobs);
}

/* Up to 4 KiB go through the window, when it is larger than that. */
static void measure_window(struct board *b, uint8_t *data)
{
    (void)data;
    registers(b);
    small(b, "64 bytes through the window", 64);
    small(b, "4 KiB through the window", 4096);
    mapped();
    interrupts(b);
}

static void measure_engine(struct board *b, uint8_t *data)
{
    small(b, "64 bytes by the copy engine", 64);
    small(b, "8 KiB by the copy engine", 8192);
    large(b, data);
}

static bool open_and(void (*measure)(struct board *b, uint8_t *data), const char *path)
{
    char why[512] = "";
    uint8_t *data = calloc(1, PIECE);
    struct board *b = data ? api->open(path, NULL, why, sizeof why) : NULL;
    if (b)
        measure(b, data);
    else
        fprintf(stderr, "bench-pcie: error: %s\n", data ? why : "out of memory");
    const bool ok = b;
    api->close(b);
    free(data);
    return ok;
}

static bool measure_behind(const struct function_settings *with,
                           void (*measure)(struct board *b, uint8_t *data))
{
    struct strbuf why = {0};
    pthread_t thread;
    char path[64];
    snprintf(path, sizeof path, "/tmp/tulle-bench-%ld", (long)getpid());
    if (!server_open(&server, path, with, &why) || pthread_create(&thread, NULL, serve, NULL) != 0) {
        fprintf(stderr, "bench-pcie: error: %s\n", sb_text(&why));
        sb_free(&why);
        return false;
    }
    bool ok = open_and(measure, path);
    server_stop(&server);
    pthread_join(thread, NULL);
    server_close(&server);
    sb_free(&why);
    return ok;
}

/* ---- cycles of the device -------------------------------------------------------------------- */

#define HOST_BYTES (2u << 20) /* of the host's memory: a ring, data from the second megabyte on */

static uint8_t host_memory[HOST_BYTES];

static void put(struct board *b, uint32_t offset, uint32_t value)
{
    if (board_sim.host->write_register(b, offset, value) != BOARD_OK) {
        fprintf(stderr, "bench-pcie: error: %s\n", board_sim.error(b));
        exit(1);
    }
}

static bool step(struct board *b)
{
    const struct board_host *host = board_sim.host;
    struct board_host_access a;
    if (host->run(b, 100000) != BOARD_OK)
        return false;
    while (host->asks(b, &a)) {
        const bool there = a.address <= HOST_BYTES - a.bytes;
        if (there && a.write)
            memcpy(host_memory + a.address, a.data, a.bytes);
        else if (there)
            memcpy(a.data, host_memory + a.address, a.bytes);
        host->answer(b, &a, there);
    }
    return true;
}

/* One descriptor, from the write of copy_tail to the interrupt. */
static void count_copy(struct board *b, uint32_t flags, uint32_t bytes)
{
    const struct copy_descriptor d = {
        .flags = flags | DESCRIPTOR_INTERRUPT, .bytes = bytes, .host = HOST_BYTES / 2, .device = 1 << 20};
    const uint64_t before = board_sim.host->interrupts(b);
    memcpy(host_memory, &d, sizeof d);
    put(b, COPY_CONTROL, COPY_CONTROL_RESET);
    put(b, COPY_RING, 0);
    put(b, COPY_ENTRIES, 2);
    put(b, COPY_INTERRUPT_MASK, COPY_INTERRUPT_COMPLETED | COPY_INTERRUPT_HALTED);
    put(b, COPY_CONTROL, COPY_CONTROL_RUN);
    const uint64_t begin = board_sim.cycles(b);
    put(b, COPY_TAIL, 1);
    while (board_sim.host->interrupts(b) == before && step(b))
        ;
    const uint64_t cycles = board_sim.cycles(b) - begin;
    printf("%7u bytes %-28s %8llu cycles, %.2f bytes a cycle\n", bytes,
           flags ? "from the device" : "to the device", (unsigned long long)cycles,
           (double)bytes / (double)cycles);
}

/* What the engine itself takes, whatever the machine does: both memories answer after 64 cycles. */
static bool count_cycles(const char *place)
{
    static const uint32_t sizes[] = {64, 4096, 8192, 65536, 1 << 20};
    char why[512] = "";
    struct board *b = board_sim.open(place, NULL, why, sizeof why);
    if (!b || !board_sim.host->there(b)) {
        fprintf(stderr, "bench-pcie: error: %s\n", b ? "the device has no host port" : why);
        board_sim.close(b);
        return false;
    }
    board_sim.host->set_master(b, true);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        count_copy(b, 0, sizes[i]);
        count_copy(b, DESCRIPTOR_TO_HOST, sizes[i]);
    }
    board_sim.close(b);
    return true;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "model:tiny", *place = "";
    struct function_settings with = {
        .api = board_find(board_kinds, name, &place),
        .window = WINDOW_BYTES_DEFAULT,
        .ids = {PCIE_VENDOR_DEFAULT, PCIE_DEVICE_DEFAULT, PCIE_VENDOR_DEFAULT, PCIE_DEVICE_DEFAULT}};
    if (argc > 2 || (with.api != &board_model && with.api != &board_sim)) {
        fputs("usage: bench-pcie [model:VARIANT | sim:FOLDER]\n", stderr);
        return 2;
    }
    with.place = place;
    counts = with.api == &board_sim ? of_device : of_model;
    printf("%s\n", name);
    bool ok = measure_behind(&with, measure_window);
    with.window = WINDOW_BYTES_MIN;
    ok = ok && measure_behind(&with, measure_engine);
    if (ok && with.api == &board_sim)
        ok = count_cycles(place);
    return !ok;
}

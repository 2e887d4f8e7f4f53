/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast a device behind a PCIe function is reached, without a virtual
 * machine: register reads, small and large pieces of memory, the interrupt of
 * a job that is over at once. The board is the functional model: what is
 * measured is the way there. Not a test: it depends on the machine.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/board/registers.h"
#include "sim/pcie/server.h"

#define READS 20000
#define SMALL_COPIES 5000
#define LARGE (UINT64_C(256) << 20)
#define PIECE (16u << 20)
#define JOBS 2000
#define SECOND UINT64_C(1000000000)

static const struct board_api *const api = &board_pcie;
static struct server server;

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

static void tell(const char *what, uint64_t begin, unsigned count)
{
    printf("%-44s %8.2f us\n", what, (double)(wire_now() - begin) / 1000 / count);
}

static void registers(struct board *b)
{
    const uint32_t at = register_offset("magic");
    const uint64_t begin = wire_now();
    uint32_t value;
    for (unsigned i = 0; i < READS; i++)
        must(b, api->read_register(b, at, &value));
    tell("register read", begin, READS);
}

/* Up to 4 KiB it is the window, then the copy engine. */
static void small(struct board *b, const char *what, size_t bytes)
{
    static uint8_t data[8192];
    uint64_t begin = wire_now();
    for (unsigned i = 0; i < SMALL_COPIES; i++)
        must(b, api->write_memory(b, 1 << 20, data, bytes));
    tell(what, begin, SMALL_COPIES);
}

static void large(struct board *b, uint8_t *data)
{
    uint64_t begin = wire_now();
    for (uint64_t at = 0; at < LARGE; at += PIECE)
        must(b, api->write_memory(b, at, data, PIECE));
    double there = (double)LARGE / (double)(wire_now() - begin);
    begin = wire_now();
    for (uint64_t at = 0; at < LARGE; at += PIECE)
        must(b, api->read_memory(b, at, data, PIECE));
    printf("%-44s %8.2f GB/s to the device, %.2f GB/s from it\n", "16 MiB by the copy engine", there,
           (double)LARGE / (double)(wire_now() - begin));
}

/* A program that is none ends a job with an error, and an interrupt as any other. */
static void interrupts(struct board *b)
{
    uint64_t spent = 0;
    must(b, api->write_register(b, register_offset("interrupt_mask"), INTERRUPT_DONE));
    must(b, api->write_register(b, register_offset("interrupt_enable"), 1));
    for (unsigned i = 0; i < JOBS; i++) {
        uint64_t begin = wire_now();
        must(b, api->write_register(b, register_offset("control"), CONTROL_START));
        must(b, api->wait(b, 0, 10 * SECOND));
        spent += wire_now() - begin;
        must(b, api->write_register(b, register_offset("interrupt_status"), INTERRUPT_DONE));
        must(b, api->write_register(b, register_offset("control"), CONTROL_CONTINUE));
    }
    printf("%-44s %8.2f us\n", "start of an empty job to its interrupt", (double)spent / 1000 / JOBS);
}

static bool measure(const char *path)
{
    char why[512] = "";
    uint8_t *data = calloc(1, PIECE);
    struct board *b = data ? api->open(path, NULL, why, sizeof why) : NULL;
    if (b) {
        registers(b);
        small(b, "64 bytes through the window", 64);
        small(b, "4 KiB through the window", 4096);
        small(b, "8 KiB by the copy engine", 8192);
        interrupts(b);
        large(b, data);
    } else {
        fprintf(stderr, "bench-pcie: error: %s\n", data ? why : "out of memory");
    }
    const bool ok = b;
    api->close(b);
    free(data);
    return ok;
}

int main(void)
{
    const struct function_settings with = {
        .api = &board_model,
        .place = "tiny",
        .window = WINDOW_BYTES_DEFAULT,
        .ids = {PCIE_VENDOR_DEFAULT, PCIE_DEVICE_DEFAULT, PCIE_VENDOR_DEFAULT, PCIE_DEVICE_DEFAULT}};
    struct strbuf why = {0};
    pthread_t thread;
    char path[64];
    snprintf(path, sizeof path, "/tmp/tulle-bench-%ld", (long)getpid());
    if (!server_open(&server, path, &with, &why) || pthread_create(&thread, NULL, serve, NULL) != 0) {
        fprintf(stderr, "bench-pcie: error: %s\n", sb_text(&why));
        return 1;
    }
    bool ok = measure(path);
    server_stop(&server);
    pthread_join(thread, NULL);
    server_close(&server);
    return !ok;
}

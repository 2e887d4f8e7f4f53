/* SPDX-License-Identifier: Apache-2.0
 *
 * What scripts/check-vm runs in the guest beside the programs for users: one
 * thing to show at a time, on a function that is reached through the kernel's
 * VFIO.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/pcie/pcie.h"
#include "sim/board/registers.h"
#include "sim/pcie/message.h"
#include "sim/pcie/wire.h"
#include "tests/sim_board/tulle_sim/problem.h"
#include "tests/sim_pcie/engine.h"

#define SECOND UINT64_C(1000000000)
#define ROUNDS 20
#define LOST_SECONDS 60 /* in which a server that ended must have been seen */

static const struct board_api *const api = &board_pcie;
static const struct link_settings settings = {.patience = 10 * SECOND};

_Noreturn void engine_failed(const char *what)
{
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

static void check(bool good, const char *what)
{
    if (!good)
        engine_failed(what);
}

static struct board *opened(const char *place)
{
    char why[512];
    struct board *b = api->open(place, NULL, why, sizeof why);
    check(b, why);
    return b;
}

static void must(struct board *b, enum board_status status)
{
    check(status == BOARD_OK, api->error(b));
}

/* ---- what the kernel has counted ----------------------------------------------------------------- */

/* Interrupts of one vector of the function, by /proc/interrupts. */
static unsigned long counted(const char *place, unsigned vector)
{
    char line[4096], name[64];
    unsigned long sum = 0;
    FILE *f = fopen("/proc/interrupts", "r");
    check(f, "/proc/interrupts cannot be read");
    snprintf(name, sizeof name, "vfio-msix[%u](%s)", vector, place);
    while (fgets(line, sizeof line, f)) {
        char *at = strchr(line, ':'), *end = at;
        if (!at || !strstr(line, name))
            continue;
        for (end = at + 1; at != end; sum += strtoul(at, &end, 10))
            at = end;
    }
    fclose(f);
    return sum;
}

/* ---- things to show ------------------------------------------------------------------------------ */

/* Registers and window, in pieces of every size and place within a word, over the end of a page. */
static void show_bars(const char *place)
{
    uint8_t there[64], back[66];
    struct board *b = opened(place);
    uint32_t value;
    must(b, api->write_register(b, register_offset("job"), 0x12345678));
    must(b, api->read_register(b, register_offset("job"), &value));
    check(value == 0x12345678, "a register does not keep what is written to it");
    for (unsigned i = 0; i < sizeof there; i++)
        there[i] = (uint8_t)(i * 37 + 1);
    for (unsigned size = 1; size < 20; size++)
        for (unsigned shift = 0; shift < 8; shift++) {
            const uint64_t at = 4096 - 8 + shift;
            memset(back, 0xEE, sizeof back);
            must(b, api->write_memory(b, at - 1, back, size + 2));
            must(b, api->write_memory(b, at, there, size));
            must(b, api->read_memory(b, at - 1, back, size + 2));
            check(back[0] == 0xEE && back[size + 1] == 0xEE && !memcmp(back + 1, there, size),
                  "the window is wrong");
        }
    api->close(b);
}

/* Copies both ways, with an interrupt for each, and the kernel's count of them. */
static void show_interrupts(const char *place)
{
    struct engine e;
    engine_open(&e, &link_vfio, place, &settings);
    const unsigned long before = counted(place, VECTOR_COPY);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const bool back = round % 2;
        for (unsigned i = 0; i < ENGINE_PAGE; i++)
            e.data[i + back * ENGINE_PAGE] = (uint8_t)(back ? 0 : i * 5 + round);
        const struct copy_descriptor d = {.flags = DESCRIPTOR_INTERRUPT | (back ? DESCRIPTOR_TO_HOST : 0),
                                          .bytes = ENGINE_PAGE,
                                          .host = ENGINE_HERE + ENGINE_PAGE + back * ENGINE_PAGE,
                                          .device = 12345};
        check(engine_one(&e, d) == COPY_OK, "a copy does not succeed");
        check(!back || !memcmp(e.data, e.data + ENGINE_PAGE, ENGINE_PAGE),
              "what came back is not what went there");
    }
    const unsigned long there = counted(place, VECTOR_COPY) - before;
    printf("interrupts: %u heard, %lu counted by the kernel\n", ROUNDS, there);
    check(there >= ROUNDS, "the kernel counts fewer interrupts");
    engine_close(&e);
}

/* An address that the IOMMU does not map, then one that it does. */
static void show_fault(const char *place)
{
    struct engine e;
    engine_open(&e, &link_vfio, place, &settings);
    const struct copy_descriptor right = {
        .flags = DESCRIPTOR_INTERRUPT, .bytes = 64, .host = ENGINE_HERE + ENGINE_PAGE};
    for (unsigned to_host = 0; to_host < 2; to_host++) {
        struct copy_descriptor wrong = right;
        wrong.host = ENGINE_HERE + (1 + ENGINE_DATA_PAGES) * ENGINE_PAGE;
        wrong.flags |= to_host ? DESCRIPTOR_TO_HOST : 0;
        check(engine_one(&e, wrong) == COPY_HOST_FAULT, "memory that is not mapped can be reached");
        check(engine_look(&e, COPY_FAULTS) == 1, "the fault is not counted");
        check(engine_look(&e, COPY_FAULT_ADDRESS) == (uint32_t)wrong.host, "the fault has another address");
        check(engine_one(&e, right) == COPY_OK, "after a fault nothing works");
    }
    engine_close(&e);
}

static void make(struct problem *p, uint64_t rows, uint64_t n, uint64_t seed)
{
    const struct sim_options o = {.operator= OPERATOR_SPMM,
                                  .variant = "tiny",
                                  .rows = rows,
                                  .k = 64,
                                  .n = n,
                                  .held = 2,
                                  .seed = seed,
                                  .density = rows > 8 ? 1 : 0.3,
                                  .act_density = 1,
                                  .seconds = 60};
    static const char *const host_port[] = {"host_port=on"};
    struct variant variant;
    struct diag diag = {0};
    check(variant_load("tiny", host_port, 1, &variant, &diag), "there is no variant tiny");
    const char *why = problem_make(&o, &variant, NULL, p);
    check(!why, why);
}

/* A job, and every byte of memory that it had to write. */
static void run(struct board *b, const struct problem *p)
{
    struct job_result result;
    uint8_t *image = malloc(p->bytes);
    check(image, "out of memory");
    must(b, api->write_memory(b, p->base, p->image, p->bytes));
    must(b, board_job_run(api, b, &p->job, &result));
    must(b, api->read_memory(b, p->base, image, p->bytes));
    for (uint64_t i = 0; i < p->bytes; i++)
        check(image[i] == p->expected[i] || problem_is_status(p, i), "a result is wrong");
    free(image);
}

/* A reset in the middle of a job, and a right one after it; device memory stays. */
static void show_reset(const char *place)
{
    struct problem long_one = {0}, short_one = {0};
    uint8_t back[64];
    uint32_t control;
    make(&long_one, 512, 256, 1);
    make(&short_one, 8, 32, 3);
    struct board *b = opened(place);
    const unsigned long before = counted(place, VECTOR_JOB);
    must(b, api->write_memory(b, long_one.base, long_one.image, long_one.bytes));
    must(b, board_job_start(api, b, &long_one.job));
    check(api->wait(b, 0, SECOND / 2) == BOARD_TIMEOUT, "the long job is too short: this shows nothing");
    must(b, pcie_reset(b));
    must(b, api->read_register(b, register_offset("control"), &control));
    check(control & CONTROL_IDLE, "the job goes on after a reset");
    must(b, api->read_memory(b, long_one.base, back, sizeof back));
    check(!memcmp(back, long_one.image, sizeof back), "device memory is lost by a reset");
    run(b, &short_one);
    const unsigned long there = counted(place, VECTOR_JOB) - before;
    printf("interrupts: %lu of a job\n", there);
    check(there, "the job has raised no interrupt");
    api->close(b);
    problem_free(&long_one);
    problem_free(&short_one);
}

/* The server ends while somebody waits. It says so when it is time to end it. */
static void show_loss(const char *place)
{
    struct board *b = opened(place);
    uint32_t value;
    puts("waiting for the end");
    fflush(stdout);
    const uint64_t begin = wire_now();
    check(api->wait(b, 0, 10 * LOST_SECONDS * SECOND) == BOARD_FAILED,
          "the device is there without its server");
    check(wire_now() - begin < LOST_SECONDS * SECOND, "the loss is seen too late");
    check(api->read_register(b, 0, &value) == BOARD_FAILED, "a lost device answers");
    printf("lost: %s\n", api->error(b));
    fflush(stdout);
    api->close(b);
}

/* Has the function until its input ends. */
static void show_hold(const char *place)
{
    struct board *b = opened(place);
    puts("held");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    api->close(b);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*show)(const char *place);
    } shows[] = {{"bars", show_bars},   {"interrupts", show_interrupts},
                 {"fault", show_fault}, {"reset", show_reset},
                 {"hold", show_hold},   {"loss", show_loss}};
    for (size_t i = 0; argc == 3 && i < sizeof shows / sizeof *shows; i++)
        if (!strcmp(argv[1], shows[i].name)) {
            shows[i].show(argv[2]);
            return 0;
        }
    fputs("Usage: pcie-guest bars|interrupts|fault|reset|hold|loss ADDRESS\n", stderr);
    return 2;
}

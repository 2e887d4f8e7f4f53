/* SPDX-License-Identifier: Apache-2.0
 *
 * The board pcie against a server: registers, memory, jobs, resets, faults,
 * and a server that ends.
 */
#define _GNU_SOURCE /* usleep */
#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/pcie/pcie.h"
#include "sim/board/registers.h"
#include "tests/sim_pcie/engine.h"
#include "tests/sim_pcie/support.h"

#define SECOND UINT64_C(1000000000)
#define WINDOW (UINT64_C(1) << 20)

static const struct board_api *const api = &board_pcie;
static const char *const memory_64m[] = {"memory=64M", NULL};

static struct board *opened(const struct rig *rig, const char *const *settings)
{
    char why[512] = "";
    struct board *b = api->open(rig->path, settings, why, sizeof why);
    cr_assert(b, "%s", why);
    return b;
}

static uint32_t get(struct board *b, const char *name)
{
    uint32_t value = 0;
    cr_assert_eq(api->read_register(b, register_offset(name), &value), BOARD_OK, "%s", api->error(b));
    return value;
}

static void set(struct board *b, const char *name, uint32_t value)
{
    cr_assert_eq(api->write_register(b, register_offset(name), value), BOARD_OK, "%s", api->error(b));
}

Test(session, registers_are_the_boards)
{
    struct rig rig;
    rig_start(&rig, &board_model, "tiny", memory_64m, WINDOW);
    struct board *b = opened(&rig, NULL), *direct = board_model.open("tiny", NULL, (char[8]){0}, 8);
    uint32_t value, wanted;
    cr_assert_eq(pcie_memory(b), 64 << 20);
    for (uint32_t at = 0; at < ISA_REGISTER_SPACE; at += 4) {
        cr_assert_eq(board_model.read_register(direct, at, &wanted), BOARD_OK);
        cr_assert_eq(api->read_register(b, at, &value), BOARD_OK, "%s", api->error(b));
        cr_assert_eq(value, wanted, "0x%x", at);
    }
    set(b, "job", 0x12345678);
    cr_assert_eq(get(b, "job"), 0x12345678);
    cr_assert_eq(api->read_register(b, 2, &value), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->write_register(b, ISA_REGISTER_SPACE, 0), BOARD_BAD_ARGUMENT);
    cr_assert_eq(pcie_reset(b), BOARD_OK, "%s", api->error(b));
    cr_assert_eq(get(b, "job"), 0, "arguments do not outlive a reset of the function");
    board_model.close(direct);
    api->close(b);
    rig_stop(&rig);
}

/* Through the window, over its edges, and by the copy engine; at both ends of memory. */
static void move_memory(const char *const *settings, uint64_t window)
{
    static const size_t sizes[] = {1,     3,     4096,          4097,          20001,
                                   65536, 65537, (1 << 20) - 1, (1 << 20) + 3, (2 << 20) + 5};
    struct rig rig;
    rig_start_named(&rig, memory_64m, window);
    /* A Verilated device moves some 100 KB a second. */
    const size_t count = rig_is_rtl(&rig) ? 5 : sizeof sizes / sizeof *sizes;
    struct board *b = opened(&rig, settings);
    uint8_t *there = malloc(4 << 20), *back = malloc(4 << 20), edge[2];
    cr_assert(there && back);
    for (size_t i = 0; i < 4 << 20; i++)
        there[i] = (uint8_t)(i * 13 + i / 1021);
    for (size_t i = 0; i < count; i++)
        for (unsigned end = 0; end < 3; end++) {
            const size_t n = sizes[i];
            const uint64_t at = end == 2 ? (64 << 20) - n : end ? (1 << 20) - 7 : 4097;
            const uint8_t guard = 0xEE;
            cr_assert_eq(api->write_memory(b, at - 1, &guard, 1), BOARD_OK, "%s", api->error(b));
            cr_assert_eq(api->write_memory(b, at, there + i, n), BOARD_OK, "%s", api->error(b));
            memset(back, 0x77, n + 1);
            cr_assert_eq(api->read_memory(b, at, back, n), BOARD_OK, "%s", api->error(b));
            cr_assert_eq(memcmp(there + i, back, n), 0, "%zu bytes at 0x%llx", n, (unsigned long long)at);
            cr_assert_eq(back[n], 0x77);
            cr_assert_eq(api->read_memory(b, at - 1, edge, 2), BOARD_OK);
            cr_assert_eq(edge[0], guard);
        }
    cr_assert_eq(api->read_memory(b, (64 << 20) - 1, back, 2), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->write_memory(b, UINT64_MAX, back, 2), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->read_memory(b, 64 << 20, back, 0), BOARD_OK, "nothing at the end");
    memset(back, 0xFF, 64);
    cr_assert_eq(api->write_memory(b, 0, back, 64), BOARD_OK);
    cr_assert_eq(api->read_memory(b, 0, back, 64), BOARD_OK, "ones in memory are no device that is gone");
    free(there);
    free(back);
    api->close(b);
    rig_stop(&rig);
}

Test(memory, both_ways)
{
    move_memory(NULL, WINDOW);
}

Test(memory, with_a_window_of_a_page)
{
    move_memory(NULL, 4096);
}

Test(memory, by_messages)
{
    const char *const messages[] = {"messages=1", NULL};
    move_memory(messages, WINDOW);
}

Test(session, products)
{
    struct rig rig;
    rig_start(&rig, &board_model, "tiny", NULL, WINDOW);
    for (uint64_t seed = 1; seed < 5; seed++)
        product_on(rig.board, seed);
    rig_stop(&rig);
}

/* ---- a job that does not end ------------------------------------------------------------------- */

/* The functional model, but its first job goes on until a reset. */
static struct board_api hangs;
static bool hanging;

static enum board_status hanging_write(struct board *b, uint32_t offset, uint32_t value)
{
    static bool used;
    if (offset == register_offset("control") && (value & CONTROL_START) && !used) {
        used = hanging = true;
        return BOARD_OK;
    }
    if (offset == register_offset("reset") && value == RESET_KEY)
        hanging = false;
    return board_model.write_register(b, offset, value);
}

static enum board_status hanging_read(struct board *b, uint32_t offset, uint32_t *value)
{
    enum board_status status = board_model.read_register(b, offset, value);
    if (hanging && offset == register_offset("control"))
        *value &= ~CONTROL_IDLE;
    return status;
}

Test(session, a_reset_in_the_middle_of_a_job_and_a_right_one_after_it)
{
    struct rig rig;
    hangs = board_model;
    hangs.write_register = hanging_write;
    hangs.read_register = hanging_read;
    rig_start(&rig, &hangs, "tiny", NULL, WINDOW);
    struct board *b = opened(&rig, NULL);
    const uint8_t mark[4] = {1, 2, 3, 4};
    uint8_t back[4];
    cr_assert_eq(api->write_memory(b, 1 << 20, mark, 4), BOARD_OK);
    set(b, "interrupt_mask", INTERRUPT_DONE);
    set(b, "interrupt_enable", 1);
    set(b, "control", CONTROL_START);
    cr_assert_eq(api->wait(b, 0, SECOND / 20), BOARD_TIMEOUT);
    cr_assert(strstr(api->error(b), "no interrupt"), "%s", api->error(b));
    cr_assert_not(get(b, "control") & CONTROL_IDLE);
    cr_assert_eq(pcie_reset(b), BOARD_OK, "%s", api->error(b));
    cr_assert(get(b, "control") & CONTROL_IDLE);
    cr_assert_eq(get(b, "interrupt_enable"), 0);
    cr_assert_eq(api->read_memory(b, 1 << 20, back, 4), BOARD_OK);
    cr_assert_eq(memcmp(mark, back, 4), 0, "memory stays");
    api->close(b);
    product_on(rig.board, 3);
    rig_stop(&rig);
}

/* ---- boards and servers that fail ---------------------------------------------------------------- */

Test(session, a_device_that_is_gone_reads_all_ones_until_a_reset)
{
    const char *const settings[] = {"memory=1M", "fault=gone:300", NULL};
    struct rig rig;
    rig_start(&rig, &board_model, "tiny", settings, WINDOW);
    struct board *b = opened(&rig, NULL);
    enum board_status status = BOARD_OK;
    uint32_t value;
    for (unsigned i = 0; i < 400 && status == BOARD_OK; i++)
        status = api->read_register(b, register_offset("magic"), &value);
    cr_assert_eq(status, BOARD_FAILED);
    cr_assert(strstr(api->error(b), "all ones"), "%s", api->error(b));
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED, "it stays so");
    cr_assert(strstr(api->error(b), "all ones"));
    api->close(b);
    rig_check(&rig); /* open() resets the function */
    rig_stop(&rig);
}

Test(session, one_process_at_a_time)
{
    struct rig rig;
    char why[512] = "";
    rig_start(&rig, &board_model, "tiny", memory_64m, WINDOW);
    for (unsigned i = 0; i < 20; i++) {
        struct board *b = opened(&rig, NULL);
        cr_assert_null(api->open(rig.path, NULL, why, sizeof why));
        cr_assert(strstr(why, "one process at a time"), "%s", why);
        (void)get(b, "magic");
        api->close(b);
    }
    rig_stop(&rig);
}

Test(session, what_cannot_be_opened)
{
    static const struct {
        const char *place, *setting, *word;
    } cases[] = {{"/nowhere/socket", NULL, "tulle-pcied --socket"},
                 {"nowhere", NULL, "with a / in it"},
                 {"01:00", NULL, "such as 0000:01:00.0"},
                 {"0000:01:00.8", NULL, "no such PCI function"},
                 {"/nowhere", "patience=0", "allowed 1..3600"},
                 {"/nowhere", "messages=2", "allowed 0..1"},
                 {"/nowhere", "interrupts=2", "allowed 0..1"},
                 {"/nowhere", "way=socket", "group or node"},
                 {"/nowhere", "latency=2", "no setting"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const settings[] = {cases[i].setting, NULL};
        char why[512] = "";
        cr_assert_null(api->open(cases[i].place, settings, why, sizeof why));
        cr_assert(strstr(why, cases[i].word), "%s: %s", cases[i].place, why);
    }
}

/* A server of its own process, so that it can be stopped and killed. */
static pid_t server_process(struct rig *rig)
{
    rig_start(rig, &board_model, "tiny", memory_64m, WINDOW);
    rig_stop(rig); /* for its path */
    const struct function_settings with = rig->server.function.with;
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct strbuf why = {0};
        if (server_open(&rig->server, rig->path, &with, &why) && write(ready[1], "", 1) == 1)
            (void)server_run(&rig->server, &why);
        _exit(1);
    }
    struct pollfd listens = {.fd = ready[0], .events = POLLIN};
    cr_assert_eq(poll(&listens, 1, 60000), 1, "the server does not listen");
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void *kill_later(void *argument)
{
    usleep(100000);
    kill(*(pid_t *)argument, SIGKILL);
    return NULL;
}

Test(session, a_server_that_is_killed_is_a_lost_device)
{
    struct rig rig;
    pthread_t killer;
    pid_t child = server_process(&rig);
    struct board *b = opened(&rig, NULL);
    const uint64_t begin = wire_now();
    uint32_t value;
    cr_assert_eq(pthread_create(&killer, NULL, kill_later, &child), 0);
    cr_assert_eq(api->wait(b, 0, 600 * SECOND), BOARD_FAILED);
    cr_assert_lt(wire_now() - begin, 60 * SECOND, "it is seen in the wait");
    cr_assert(strstr(api->error(b), "lost"), "%s", api->error(b));
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED);
    cr_assert_eq(api->write_memory(b, 0, &value, 4), BOARD_FAILED);
    pthread_join(killer, NULL);
    waitpid(child, NULL, 0);
    api->close(b);
    unlink(rig.path);
}

Test(session, a_server_that_hangs_is_lost_after_the_patience)
{
    const char *const settings[] = {"patience=1", NULL};
    struct rig rig;
    pid_t child = server_process(&rig);
    struct board *b = opened(&rig, settings);
    uint32_t value;
    kill(child, SIGSTOP);
    const uint64_t begin = wire_now();
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED);
    cr_assert_lt(wire_now() - begin, 60 * SECOND);
    cr_assert(strstr(api->error(b), "in time"), "%s", api->error(b));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    api->close(b);
    unlink(rig.path);
}

/* ---- the copy engine, register by register -------------------------------------------------------- */

#define HERE ENGINE_HERE
#define PAGE ENGINE_PAGE

static void engine_rig(struct engine *e, struct rig *rig)
{
    const struct link_settings settings = {.patience = 10 * SECOND};
    rig_start_named(rig, memory_64m, WINDOW);
    engine_open(e, &link_vfio_user, rig->path, &settings);
}

Test(engine, scattered_pieces)
{
    struct engine e;
    struct rig rig;
    engine_rig(&e, &rig);
    for (unsigned i = 0; i < 3 * PAGE; i++)
        e.data[i] = (uint8_t)(i * 3 + 1);
    /* Three pieces to the device, then back as one. */
    e.ring[0] = (struct copy_descriptor){.bytes = 100, .host = HERE + PAGE + 7, .device = 1000};
    e.ring[1] = (struct copy_descriptor){.bytes = 1, .host = HERE + 2 * PAGE, .device = 1100};
    e.ring[2] = (struct copy_descriptor){.bytes = 50, .host = HERE + 3 * PAGE - 25, .device = 1101};
    e.ring[3] = (struct copy_descriptor){.flags = DESCRIPTOR_TO_HOST | DESCRIPTOR_INTERRUPT,
                                         .bytes = 151,
                                         .host = HERE + 4 * PAGE - 151,
                                         .device = 1000};
    engine_put(&e, COPY_TAIL, 4);
    engine_await(&e);
    for (unsigned i = 0; i < 4; i++)
        cr_assert(e.ring[i].status == DESCRIPTOR_DONE && e.ring[i].moved == e.ring[i].bytes, "%u", i);
    const uint8_t *back = e.data + 3 * PAGE - 151;
    cr_assert_eq(memcmp(back, e.data + 7, 100), 0);
    cr_assert_eq(back[100], e.data[PAGE]);
    cr_assert_eq(memcmp(back + 101, e.data + 2 * PAGE - 25, 50), 0);
    cr_assert(engine_look(&e, COPY_HEAD) == 4 && engine_look(&e, COPY_DONE) == 4 &&
              engine_look(&e, COPY_FAULTS) == 0);
    cr_assert_eq(engine_look(&e, COPY_STATUS), 0);
    engine_close(&e);
    rig_stop(&rig);
}

Test(engine, an_address_that_is_not_mapped_is_reported_and_survived)
{
    struct engine e;
    struct rig rig;
    engine_rig(&e, &rig);
    const struct copy_descriptor right = {
        .flags = DESCRIPTOR_INTERRUPT, .bytes = 64, .host = HERE + PAGE, .device = 0};
    struct copy_descriptor wrong = right;
    wrong.host = HERE + 4 * PAGE - 32; /* half of it is there */
    for (unsigned to_host = 0; to_host < 2; to_host++) {
        wrong.flags = to_host ? DESCRIPTOR_TO_HOST : 0;
        cr_assert_eq(engine_one(&e, wrong), COPY_HOST_FAULT);
        /* In RTL what is written up to the end of a page is a piece, in the model all of it is one. */
        cr_assert_eq(e.ring[0].moved, rig_is_rtl(&rig) && to_host ? 32 : 0);
        cr_assert_eq(engine_look(&e, COPY_STATUS),
                     COPY_STATUS_HALTED | COPY_HOST_FAULT << COPY_STATUS_CODE_SHIFT);
        cr_assert_eq(engine_look(&e, COPY_FAULTS), 1);
        cr_assert_eq(engine_look(&e, COPY_FAULT_ADDRESS) | (uint64_t)engine_look(&e, COPY_FAULT_ADDRESS + 4)
                                                               << 32,
                     HERE + 4 * PAGE);
        engine_put(&e, COPY_TAIL, 2);
        cr_assert_eq(engine_look(&e, COPY_HEAD), 1, "it is halted");
        cr_assert_eq(engine_one(&e, right), COPY_OK);
    }
    engine_close(&e);
    rig_stop(&rig);
}

Test(engine, the_window_moves_and_counts_what_is_not_in_memory)
{
    struct engine e;
    struct rig rig;
    uint32_t value = 0x12345678, back = 0;
    engine_rig(&e, &rig);
    cr_assert_eq(engine_look(&e, FUNCTION_MEMORY), 64 << 20);
    cr_assert_eq(engine_look(&e, FUNCTION_WINDOW_BYTES), WINDOW);
    engine_put(&e, FUNCTION_WINDOW, (1 << 20) + 4095);
    cr_assert_eq(engine_look(&e, FUNCTION_WINDOW), 1 << 20, "a multiple of a page");
    cr_assert_eq(e.api->write(e.link, VU_BAR2, 6, &value, sizeof value), LINK_OK);
    engine_put(&e, FUNCTION_WINDOW, 0);
    cr_assert_eq(e.api->read(e.link, VU_BAR2, 6, &back, sizeof back), LINK_OK);
    cr_assert_neq(back, value);
    /* The last page of memory is the first of the window: behind it nothing is. */
    engine_put(&e, FUNCTION_WINDOW, (64 << 20) - 4096);
    cr_assert_eq(engine_look(&e, FUNCTION_WINDOW_FAULTS), 0);
    cr_assert_eq(e.api->read(e.link, VU_BAR2, 4092, &back, sizeof back), LINK_OK);
    cr_assert_eq(engine_look(&e, FUNCTION_WINDOW_FAULTS), 0);
    cr_assert_eq(e.api->read(e.link, VU_BAR2, 4094, &back, sizeof back), LINK_OK);
    cr_assert_eq(back, UINT32_MAX);
    cr_assert_eq(e.api->write(e.link, VU_BAR2, 4096, &value, sizeof value), LINK_OK);
    cr_assert_eq(engine_look(&e, FUNCTION_WINDOW_FAULTS), 2);
    engine_put(&e, FUNCTION_WINDOW + 4, 1);
    cr_assert_eq(e.api->write(e.link, VU_BAR2, 0, &value, sizeof value), LINK_OK);
    cr_assert_eq(engine_look(&e, FUNCTION_WINDOW_FAULTS), 3);
    engine_put(&e, FUNCTION_WINDOW_FAULTS, 7);
    cr_assert_eq(engine_look(&e, FUNCTION_WINDOW_FAULTS), 0);
    engine_put(&e, FUNCTION_WINDOW + 4, 0);
    engine_put(&e, FUNCTION_WINDOW, 1 << 20);
    cr_assert_eq(e.api->read(e.link, VU_BAR2, 6, &back, sizeof back), LINK_OK);
    cr_assert_eq(back, value, "where it was written");
    engine_close(&e);
    rig_stop(&rig);
}

Test(engine, what_cannot_be_has_a_code)
{
    struct engine e;
    struct rig rig;
    engine_rig(&e, &rig);
    const struct copy_descriptor right = {.bytes = 64, .host = HERE + PAGE};
    const struct {
        struct copy_descriptor d;
        enum copy_code code;
    } cases[] = {{{.flags = 4, .bytes = 64, .host = HERE + PAGE}, COPY_BAD_DESCRIPTOR},
                 {{.bytes = 0, .host = HERE + PAGE}, COPY_BAD_DESCRIPTOR},
                 {{.bytes = COPY_PIECE_MAX + 1, .host = HERE + PAGE}, COPY_BAD_DESCRIPTOR},
                 {{.bytes = UINT32_MAX, .host = HERE + PAGE}, COPY_BAD_DESCRIPTOR},
                 {{.bytes = 64, .host = HERE + PAGE, .device = (64 << 20) - 63}, COPY_DEVICE_ADDRESS},
                 {{.bytes = 64, .host = HERE + PAGE, .device = UINT64_MAX}, COPY_DEVICE_ADDRESS},
                 {{.bytes = 64, .host = UINT64_MAX}, COPY_HOST_FAULT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(engine_one(&e, cases[i].d), cases[i].code, "case %zu: %u", i, e.ring[0].status);
    /* A ring that cannot be is never read. */
    engine_start(&e);
    engine_put(&e, COPY_TAIL, 8);
    engine_await(&e);
    cr_assert_eq(engine_look(&e, COPY_STATUS) >> COPY_STATUS_CODE_SHIFT, COPY_BAD_RING);
    engine_start(&e);
    engine_put(&e, COPY_CONTROL, 0);
    engine_put(&e, COPY_RING, (uint32_t)HERE + (4 << 20));
    engine_put(&e, COPY_CONTROL, COPY_CONTROL_RUN);
    engine_put(&e, COPY_TAIL, 1);
    engine_await(&e);
    cr_assert_eq(engine_look(&e, COPY_STATUS) >> COPY_STATUS_CODE_SHIFT, COPY_RING_FAULT);
    /* Without bus mastering nothing is read either. */
    engine_start(&e);
    engine_command(&e, COMMAND_MEMORY);
    e.ring[0] = right;
    engine_put(&e, COPY_TAIL, 1);
    engine_await(&e);
    cr_assert_eq(engine_look(&e, COPY_STATUS) >> COPY_STATUS_CODE_SHIFT, COPY_NOT_MASTER);
    cr_assert_eq(e.ring[0].status, 0);
    engine_close(&e);
    rig_stop(&rig);
}

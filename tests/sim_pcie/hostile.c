/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients that mean no good: after each of them the server serves the next
 * one as ever.
 */
#define _GNU_SOURCE /* memfd_create */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gen/base/random.h"
#include "tests/sim_pcie/support.h"

#define SECOND UINT64_C(1000000000)
#define WINDOW (UINT64_C(1) << 20)
#define PAGE 4096u

static const char *const memory_1m[] = {"memory=1M", NULL};

static void begin(struct rig *rig)
{
    rig_start_named(rig, memory_1m, WINDOW);
}

static void send_bytes(struct wire *w, const void *bytes, size_t count)
{
    (void)!send(w->socket, bytes, count, MSG_NOSIGNAL);
}

/* Whatever is said to it, it answers or hangs up. */
static void drain(struct wire *w)
{
    shutdown(w->socket, SHUT_WR);
    enum wire_status status = WIRE_OK;
    while (status == WIRE_OK)
        status = wire_receive(w, 10 * SECOND);
    cr_assert_neq(status, WIRE_TIMEOUT, "it does neither");
    wire_close(w);
}

/* Every command cut off at every byte, before and after the greeting. */
Test(hostile, messages_that_stop)
{
    struct rig rig;
    begin(&rig);
    for (unsigned greeted = 0; greeted < 2; greeted++)
        for (uint16_t command = 0; command < 20; command++)
            for (size_t cut = 0; cut <= 64; cut += cut < 20 ? 1 : 4) {
                struct wire w;
                uint8_t bytes[64] = {0};
                const struct vu_header h = {.command = command, .size = 64};
                if (greeted)
                    client_greet(&w, &rig);
                else
                    client_connect(&w, &rig);
                vu_write_header(bytes, &h);
                send_bytes(&w, bytes, cut);
                drain(&w);
            }
    rig_check(&rig);
    rig_stop(&rig);
}

Test(hostile, random_bytes)
{
    struct rig rig;
    struct random chance = {.state = 7};
    begin(&rig);
    for (unsigned i = 0; i < 500; i++) {
        struct wire w;
        uint8_t bytes[300];
        client_greet(&w, &rig);
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)random_below(&chance, 256);
        send_bytes(&w, bytes, random_below(&chance, sizeof bytes));
        drain(&w);
    }
    rig_check(&rig);
    rig_stop(&rig);
}

/* Right headers, payloads of words that are often at an end of something, descriptors now and then. */
Test(hostile, random_commands)
{
    static const uint64_t ends[] = {
        0,    1,          2,         4,          0x1000,         0x1064,     0x3FFF,    0x100000,
        4096, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 7, 0x10000000, 0x1000001, 32};
    struct rig rig;
    struct random chance = {.state = 11};
    begin(&rig);
    const int file = memfd_create("test", 0);
    cr_assert(file >= 0 && ftruncate(file, 16 * PAGE) == 0);
    for (unsigned i = 0; i < 200; i++) {
        struct wire w;
        client_greet(&w, &rig);
        for (unsigned k = 0; k < 40; k++) {
            uint32_t words[24];
            for (size_t n = 0; n < 24; n++)
                words[n] = (uint32_t)(ends[random_below(&chance, 16)] >> (random_below(&chance, 2) ? 32 : 0));
            const struct vu_header h = {.id = (uint16_t)k,
                                        .command = (uint16_t)(2 + random_below(&chance, 14)),
                                        .flags = random_below(&chance, 8) ? 0 : VU_NO_REPLY};
            static const size_t sizes[] = {0, 16, 20, 24, 32};
            const size_t size = sizes[random_below(&chance, 5)] + (random_below(&chance, 3) ? 0 : 4);
            const unsigned fds = random_below(&chance, 4) == 0;
            if (wire_send(&w, &h, (struct wire_part){words, size}, (struct wire_part){NULL, 0}, &file, fds) !=
                WIRE_OK)
                break;
            while (wire_receive(&w, 0) == WIRE_OK)
                ;
        }
        drain(&w);
    }
    close(file);
    rig_check(&rig);
    rig_stop(&rig);
}

Test(hostile, what_is_refused)
{
    struct rig rig;
    struct wire w;
    uint8_t p[64];
    begin(&rig);
    client_greet(&w, &rig);
    const int fd = memfd_create("test", 0);
    cr_assert(fd >= 0 && ftruncate(fd, PAGE) == 0);
    size_t n = vu_write_map(p, VU_MAP_READ, 0, 0x10000, PAGE);
    cr_assert_eq(client_ask(&w, VU_DMA_MAP, p, n, &fd, 1), 0);
    cr_assert_eq(client_ask(&w, VU_DMA_MAP, p, n, &fd, 1), EEXIST);
    n = vu_write_map(p, VU_MAP_READ, 0, 0x20000, 2 * PAGE);
    cr_assert_eq(client_ask(&w, VU_DMA_MAP, p, n, &fd, 1), EINVAL, "the file is shorter");
    n = vu_write_unmap(p, 24, 0, 0x7000, PAGE);
    cr_assert_eq(client_ask(&w, VU_DMA_UNMAP, p, n, NULL, 0), 0, "what was never mapped");
    n = vu_write_unmap(p, 24, 1, 0x10000, PAGE);
    cr_assert_eq(client_ask(&w, VU_DMA_UNMAP, p, n, NULL, 0), ENOTSUP, "dirty pages");
    n = vu_write_unmap(p, 24, VU_UNMAP_ALL, 0, 0);
    cr_assert_eq(client_ask(&w, VU_DMA_UNMAP, p, n, NULL, 0), 0);
    n = vu_write_access(p, VU_REGION_READ, BAR0_BYTES - 4, VU_BAR0, 8);
    cr_assert_eq(client_ask(&w, VU_REGION_READ, p, n, NULL, 0), EINVAL);
    n = vu_write_access(p, VU_REGION_READ, 0, 4, 4);
    cr_assert_eq(client_ask(&w, VU_REGION_READ, p, n, NULL, 0), EINVAL, "a region that is empty");
    n = vu_write_set_irqs(p, VU_SET_NONE | VU_SET_TRIGGER, VU_IRQ_MSIX, VECTORS, 1);
    cr_assert_eq(client_ask(&w, VU_SET_IRQS, p, n, NULL, 0), EINVAL);
    n = vu_write_set_irqs(p, VU_SET_NONE | VU_SET_TRIGGER, VU_IRQ_INTX, 0, 1);
    cr_assert_eq(client_ask(&w, VU_SET_IRQS, p, n, NULL, 0), EINVAL);
    n = vu_write_set_irqs(p, VU_SET_NONE | VU_SET_TRIGGER, VU_IRQ_INTX, 0, 0);
    cr_assert_eq(client_ask(&w, VU_SET_IRQS, p, n, NULL, 0), 0, "none of none");
    for (unsigned command = VU_DMA_READ; command <= 20; command++)
        if (command != VU_DEVICE_RESET)
            cr_assert_neq(client_ask(&w, (enum vu_command)command, p, 16, NULL, 0), 0, "%u", command);
    cr_assert_eq(client_ask(&w, VU_DEVICE_RESET, NULL, 0, NULL, 0), 0, "and it is still there");
    close(fd);
    wire_close(&w);
    rig_check(&rig);
    rig_stop(&rig);
}

/* A version is agreed on once. */
Test(hostile, a_second_greeting)
{
    struct rig rig;
    struct wire w;
    uint8_t p[64];
    begin(&rig);
    client_greet(&w, &rig);
    size_t n = vu_write_version(p, VU_MAJOR, VU_MINOR, "{\"capabilities\":{\"max_msg_fds\":8}}");
    cr_assert_eq(client_ask(&w, VU_VERSION, p, n, NULL, 0), EINVAL);
    wire_close(&w);
    rig_check(&rig);
    rig_stop(&rig);
}

/* Masks, triggers and eventfds of the client's own. */
Test(hostile, vectors)
{
    struct rig rig;
    struct wire w;
    uint8_t p[64];
    uint64_t count;
    begin(&rig);
    client_greet(&w, &rig);
    const int signals[] = {eventfd(0, EFD_NONBLOCK), eventfd(UINT32_MAX, 0)};
    cr_assert(signals[0] >= 0 && signals[1] >= 0);
    size_t n = vu_write_set_irqs(p, VU_SET_EVENTFD | VU_SET_TRIGGER, VU_IRQ_MSIX, 0, 2);
    cr_assert_eq(client_ask(&w, VU_SET_IRQS, p, n, signals, 2), 0);
    n = vu_write_set_irqs(p, VU_SET_NONE | VU_SET_MASK, VU_IRQ_MSIX, 0, 1);
    cr_assert_eq(client_ask(&w, VU_SET_IRQS, p, n, NULL, 0), 0);
    n = vu_write_set_irqs(p, VU_SET_NONE | VU_SET_TRIGGER, VU_IRQ_MSIX, 0, 1);
    cr_assert_eq(client_ask(&w, VU_SET_IRQS, p, n, NULL, 0), 0);
    cr_assert_lt(read(signals[0], &count, sizeof count), 0, "it is masked");
    n = vu_write_set_irqs(p, VU_SET_NONE | VU_SET_UNMASK, VU_IRQ_MSIX, 0, 1);
    cr_assert_eq(client_ask(&w, VU_SET_IRQS, p, n, NULL, 0), 0);
    cr_assert_eq(read(signals[0], &count, sizeof count), (ssize_t)sizeof count, "it was pending");
    /* One that is full does not hold the server up. */
    count = UINT64_MAX - 1 - UINT32_MAX;
    cr_assert_eq(write(signals[1], &count, sizeof count), (ssize_t)sizeof count);
    n = vu_write_set_irqs(p, VU_SET_NONE | VU_SET_TRIGGER, VU_IRQ_MSIX, 1, 1);
    cr_assert_eq(client_ask(&w, VU_SET_IRQS, p, n, NULL, 0), 0);
    wire_close(&w);
    rig_check(&rig);
    rig_stop(&rig);
    close(signals[0]);
    close(signals[1]);
}

/* Memory by messages, and nobody who answers: the server goes on when the client has gone. */
Test(hostile, a_client_that_goes_while_it_is_asked)
{
    struct rig rig;
    struct wire w;
    uint8_t p[128];
    begin(&rig);
    client_greet(&w, &rig);
    size_t n = vu_write_map(p, VU_MAP_READ | VU_MAP_WRITE, 0, 0x10000, PAGE);
    cr_assert_eq(client_ask(&w, VU_DMA_MAP, p, n, NULL, 0), 0);
    const struct {
        unsigned region;
        uint32_t offset, value;
    } writes[] = {{VU_CONFIG, CONFIG_COMMAND, COMMAND_MEMORY | COMMAND_MASTER},
                  {VU_BAR0, BAR0_FUNCTION + COPY_RING, 0x10000},
                  {VU_BAR0, BAR0_FUNCTION + COPY_ENTRIES, 8},
                  {VU_BAR0, BAR0_FUNCTION + COPY_CONTROL, COPY_CONTROL_RUN},
                  {VU_BAR0, BAR0_FUNCTION + COPY_TAIL, 1}};
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        n = vu_write_access(p, VU_REGION_WRITE, writes[i].offset, writes[i].region, 4);
        memcpy(p + n, &writes[i].value, 4);
        cr_assert_eq(client_ask(&w, VU_REGION_WRITE, p, n + 4, NULL, 0), 0);
    }
    cr_assert_eq(wire_receive(&w, 10 * SECOND), WIRE_OK);
    cr_assert_eq(w.header.command, VU_DMA_READ, "it asks for the descriptor");
    /* While it waits it still serves: a reset, which ends what it waits for. */
    const struct vu_header reset = {.id = 9, .command = VU_DEVICE_RESET};
    const struct wire_part none = {NULL, 0};
    const uint16_t asked = w.header.id;
    cr_assert_eq(wire_send(&w, &reset, none, none, NULL, 0), WIRE_OK);
    cr_assert_eq(wire_receive(&w, 10 * SECOND), WIRE_OK);
    cr_assert(w.header.id == 9 && w.header.command == VU_DEVICE_RESET);
    const struct vu_header refusal = {
        .id = asked, .command = VU_DMA_READ, .flags = VU_TYPE_REPLY | VU_ERROR, .error = EFAULT};
    cr_assert_eq(wire_send(&w, &refusal, none, none, NULL, 0), WIRE_OK);
    n = vu_write_access(p, VU_REGION_READ, CONFIG_COMMAND, VU_CONFIG, 4);
    cr_assert_eq(client_ask(&w, VU_REGION_READ, p, n, NULL, 0), 0);
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        n = vu_write_access(p, VU_REGION_WRITE, writes[i].offset, writes[i].region, 4);
        memcpy(p + n, &writes[i].value, 4);
        cr_assert_eq(client_ask(&w, VU_REGION_WRITE, p, n + 4, NULL, 0), 0);
    }
    cr_assert_eq(wire_receive(&w, 10 * SECOND), WIRE_OK);
    cr_assert_eq(w.header.command, VU_DMA_READ);
    wire_close(&w);
    rig_check(&rig);
    rig_stop(&rig);
}

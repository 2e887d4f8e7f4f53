/* SPDX-License-Identifier: Apache-2.0
 *
 * The copy engine, watched access by access: a client whose memory is reached
 * by messages, which does something before it answers one of them.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "gen/base/random.h"
#include "tests/sim_pcie/support.h"

#define SECOND UINT64_C(1000000000)
#define PAGE 4096u
#define HERE 0x5000000u /* bus address of the memory: the ring is at its beginning */
#define PAGES 4u
#define BYTES 3000u  /* of a copy */
#define PLACE 20003u /* in device memory */
#define PIECE 60u    /* of it, through the window */
#define LOOKS 20000u /* at the engine, until it is done */

static const char *const memory_1m[] = {"memory=1M", NULL};

struct watched {
    struct rig rig;
    struct wire wire;
    uint8_t memory[PAGES * PAGE];
    int signal; /* vector 1 */
    uint16_t id;
    unsigned accesses, interrupts; /* so far */
    /* Before access number `at` is answered, from 1 on; what it returns is the answer, 0 or an errno. */
    unsigned at;
    int (*act)(struct watched *);
    bool acting, acted;
};

/* ---- the client ------------------------------------------------------------------------------ */

/* The access in the wire. What is done in between may overwrite that. */
static void answer_access(struct watched *c)
{
    const struct vu_header command = c->wire.header;
    const struct vu_header header = {.id = command.id, .command = command.command, .flags = VU_TYPE_REPLY};
    struct vu_request r;
    struct wire_part data = {NULL, 0};
    uint8_t fixed[64];
    int error = vu_read_request(&command, c->wire.message + VU_HEADER_BYTES, 0, &r);
    cr_assert_not(error);
    cr_assert(command.command == VU_DMA_READ || command.command == VU_DMA_WRITE);
    cr_assert_not(c->acting, "an access while another one is not answered");
    cr_assert(r.address >= HERE && r.address - HERE <= sizeof c->memory - r.size, "0x%llx was never mapped",
              (unsigned long long)r.address);
    uint8_t *at = c->memory + (r.address - HERE);
    if (command.command == VU_DMA_WRITE)
        memcpy(at, r.data, r.count);
    if (++c->accesses == c->at) {
        c->acting = true;
        error = c->act(c);
        c->acting = false;
        c->acted = true;
    }
    if (error) {
        cr_assert_eq(wire_refuse(&c->wire, &command, error), WIRE_OK);
        return;
    }
    if (command.command == VU_DMA_READ)
        data = (struct wire_part){at, r.count};
    const struct wire_part part = {
        fixed, vu_write_access(fixed, (enum vu_command)command.command, r.address, 0, r.count)};
    cr_assert_eq(wire_send(&c->wire, &header, part, data, NULL, 0), WIRE_OK);
}

/* Until the answer to a command; accesses in between are answered. The errno of it, or 0. */
static int ask(struct watched *c, enum vu_command command, const void *payload, size_t bytes)
{
    const struct vu_header header = {.id = ++c->id, .command = (uint16_t)command};
    const uint16_t id = c->id;
    cr_assert_eq(wire_send(&c->wire, &header, (struct wire_part){payload, bytes}, (struct wire_part){NULL, 0},
                           NULL, 0),
                 WIRE_OK);
    for (;;) {
        cr_assert_eq(wire_receive(&c->wire, 20 * SECOND), WIRE_OK, "no answer to command %d", command);
        if ((c->wire.header.flags & VU_TYPE_MASK) == VU_TYPE_REPLY)
            break;
        answer_access(c);
    }
    cr_assert_eq(c->wire.header.id, id);
    return c->wire.header.flags & VU_ERROR ? (int)c->wire.header.error : 0;
}

static void put(struct watched *c, unsigned region, uint64_t offset, const void *bytes, uint32_t count)
{
    uint8_t payload[64 + 64];
    size_t n = vu_write_access(payload, VU_REGION_WRITE, offset, region, count);
    memcpy(payload + n, bytes, count);
    cr_assert_eq(ask(c, VU_REGION_WRITE, payload, n + count), 0);
}

static void get(struct watched *c, unsigned region, uint64_t offset, void *to, uint32_t count)
{
    uint8_t payload[64];
    const uint8_t *data;
    size_t n = vu_write_access(payload, VU_REGION_READ, offset, region, count);
    cr_assert_eq(ask(c, VU_REGION_READ, payload, n), 0);
    cr_assert(vu_read_access_reply(VU_REGION_READ, c->wire.message + VU_HEADER_BYTES,
                                   c->wire.header.size - VU_HEADER_BYTES, offset, region, count, &data));
    memcpy(to, data, count);
}

static void put_register(struct watched *c, uint32_t offset, uint32_t value)
{
    put(c, VU_BAR0, BAR0_FUNCTION + offset, &value, sizeof value);
}

static uint32_t get_register(struct watched *c, uint32_t offset)
{
    uint32_t value;
    get(c, VU_BAR0, BAR0_FUNCTION + offset, &value, sizeof value);
    return value;
}

static void begin(struct watched *c)
{
    uint8_t payload[64];
    memset(c, 0, sizeof *c);
    rig_start_named(&c->rig, memory_1m, 1 << 20);
    client_greet(&c->wire, &c->rig);
    size_t n = vu_write_map(payload, VU_MAP_READ | VU_MAP_WRITE, 0, HERE, sizeof c->memory);
    cr_assert_eq(ask(c, VU_DMA_MAP, payload, n), 0);
    c->signal = eventfd(0, EFD_NONBLOCK);
    n = vu_write_set_irqs(payload, VU_SET_EVENTFD | VU_SET_TRIGGER, VU_IRQ_MSIX, VECTOR_COPY, 1);
    cr_assert_eq(client_ask(&c->wire, VU_SET_IRQS, payload, n, &c->signal, 1), 0);
}

static void end(struct watched *c)
{
    wire_close(&c->wire);
    close(c->signal);
    rig_check(&c->rig);
    rig_stop(&c->rig);
}

static bool interrupted(struct watched *c)
{
    uint64_t count;
    c->interrupts += read(c->signal, &count, sizeof count) == (ssize_t)sizeof count;
    return c->interrupts;
}

/* ---- copies ---------------------------------------------------------------------------------- */

static const struct copy_descriptor to_device = {
    .flags = DESCRIPTOR_INTERRUPT, .bytes = BYTES, .host = HERE + PAGE + 5, .device = PLACE};
static const struct copy_descriptor to_host = {.flags = DESCRIPTOR_TO_HOST | DESCRIPTOR_INTERRUPT,
                                               .bytes = BYTES,
                                               .host = HERE + PAGE + 9,
                                               .device = PLACE};

static void fill(struct watched *c, unsigned seed)
{
    uint8_t bytes[PIECE];
    for (unsigned i = PAGE; i < sizeof c->memory; i++)
        c->memory[i] = (uint8_t)(i * 7 + i / 256 + seed);
    for (unsigned at = 0; at < BYTES; at += PIECE) {
        for (unsigned i = 0; i < PIECE; i++)
            bytes[i] = (uint8_t)((at + i) * 11 + seed + 3);
        put(c, VU_BAR2, PLACE + at, bytes, PIECE);
    }
}

static void enable(struct watched *c)
{
    const uint16_t command = COMMAND_MEMORY | COMMAND_MASTER;
    put(c, VU_CONFIG, CONFIG_COMMAND, &command, sizeof command);
}

static void start(struct watched *c, const struct copy_descriptor *d)
{
    enable(c);
    put_register(c, COPY_CONTROL, COPY_CONTROL_RESET);
    memcpy(c->memory, d, sizeof *d);
    put_register(c, COPY_RING, HERE);
    put_register(c, COPY_ENTRIES, 8);
    put_register(c, COPY_INTERRUPT_MASK, COPY_INTERRUPT_COMPLETED | COPY_INTERRUPT_HALTED);
    put_register(c, COPY_CONTROL, COPY_CONTROL_RUN);
    (void)interrupted(c);
    c->accesses = c->interrupts = 0;
    put_register(c, COPY_TAIL, 1);
}

/* Until its interrupt, or until it was acted upon an access; the engine's status then. */
static uint32_t await(struct watched *c)
{
    uint32_t status = COPY_STATUS_BUSY;
    c->acted = false;
    for (unsigned i = 0; i < LOOKS && !c->acted && !interrupted(c); i++) {
        const enum wire_status received = wire_receive(&c->wire, SECOND / 500);
        if (received == WIRE_OK)
            answer_access(c);
        else
            cr_assert_eq(received, WIRE_TIMEOUT);
    }
    c->at = 0;
    for (unsigned i = 0; i < LOOKS && (status & COPY_STATUS_BUSY); i++)
        status = get_register(c, COPY_STATUS);
    cr_assert_not(status & COPY_STATUS_BUSY, "it is never done");
    (void)interrupted(c);
    return status;
}

/* What is where the copies go in device memory. */
static void look_at_device(struct watched *c, uint8_t to[BYTES])
{
    for (unsigned at = 0; at < BYTES; at += PIECE)
        get(c, VU_BAR2, PLACE + at, to + at, PIECE);
}

static void check_right(struct watched *c, bool host, unsigned seed)
{
    const struct copy_descriptor *d = host ? &to_host : &to_device;
    uint8_t there[BYTES];
    struct copy_descriptor done;
    fill(c, seed);
    start(c, d);
    cr_assert_eq(await(c), 0);
    memcpy(&done, c->memory, sizeof done);
    cr_assert(done.status == DESCRIPTOR_DONE && done.moved == BYTES);
    cr_assert_eq(c->interrupts, 1);
    look_at_device(c, there);
    cr_assert_eq(memcmp(there, c->memory + (d->host - HERE), BYTES), 0);
    cr_assert_eq(c->memory[d->host - HERE - 1],
                 (uint8_t)((d->host - HERE - 1) * 7 + (d->host - HERE - 1) / 256 + seed));
}

/* ---- resets with a copy under way ---------------------------------------------------------------- */

static int reset_by_message(struct watched *c)
{
    cr_assert_eq(ask(c, VU_DEVICE_RESET, NULL, 0), 0);
    enable(c);
    return 0;
}

static int reset_by_configuration(struct watched *c)
{
    const uint16_t reset = DEVICE_CONTROL_FLR;
    put(c, VU_CONFIG, EXPRESS_DEVICE_CONTROL, &reset, sizeof reset);
    enable(c);
    return EIO;
}

static int reset_of_the_engine(struct watched *c)
{
    put_register(c, COPY_CONTROL, COPY_CONTROL_RESET);
    return 0;
}

/* Nothing is left of the copy, and nothing moves any more. */
static void check_reset(struct watched *c)
{
    static const uint32_t zeros[] = {COPY_CONTROL, COPY_STATUS, COPY_RING,   COPY_ENTRIES,   COPY_HEAD,
                                     COPY_TAIL,    COPY_DONE,   COPY_FAULTS, COPY_TO_DEVICE, COPY_TO_HOST};
    uint8_t before[sizeof c->memory], device[BYTES], device_then[BYTES];
    memcpy(before, c->memory, sizeof before);
    look_at_device(c, device);
    const unsigned accesses = c->accesses;
    for (unsigned i = 0; i < sizeof zeros / sizeof *zeros; i++)
        cr_assert_eq(get_register(c, zeros[i]), 0, "register 0x%x", zeros[i]);
    cr_assert_eq(get_register(c, COPY_WATCHDOG), COPY_WATCHDOG_DEFAULT);
    cr_assert_eq(c->accesses, accesses, "it goes on");
    look_at_device(c, device_then);
    cr_assert_eq(memcmp(before, c->memory, sizeof before), 0);
    cr_assert_eq(memcmp(device, device_then, BYTES), 0);
}

/* At each access of a copy in turn. */
static void reset_at_each_access(int (*reset)(struct watched *))
{
    static struct watched c;
    unsigned resets = 0;
    begin(&c);
    c.act = reset;
    check_right(&c, false, 1);
    for (unsigned host = 0; host < 2; host++) {
        start(&c, host ? &to_host : &to_device);
        cr_assert_eq(await(&c), 0);
        const unsigned last = c.accesses;
        cr_assert_geq(last, 3, "a descriptor, data and a status");
        for (unsigned at = 1; at <= last; at++, resets++) {
            start(&c, host ? &to_host : &to_device);
            c.at = at;
            (void)await(&c);
            cr_assert_eq(c.accesses, at, "access %u of %u", at, last);
            check_reset(&c);
            check_right(&c, at % 2, at);
        }
    }
    cr_assert_geq(resets, 6);
    end(&c);
}

Test(copies, a_reset_of_the_function_at_each_access)
{
    reset_at_each_access(reset_by_message);
}

Test(copies, a_reset_by_configuration_space_at_each_access)
{
    reset_at_each_access(reset_by_configuration);
}

Test(copies, a_reset_of_the_engine_at_each_access)
{
    reset_at_each_access(reset_of_the_engine);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static int refuse(struct watched *c)
{
    (void)c;
    return EFAULT;
}

Test(copies, each_access_refused_in_turn)
{
    static struct watched c;
    begin(&c);
    c.act = refuse;
    for (unsigned host = 0; host < 2; host++) {
        const struct copy_descriptor *d = host ? &to_host : &to_device;
        check_right(&c, host, 1);
        const unsigned last = c.accesses;
        for (unsigned at = 1; at <= last; at++) {
            struct copy_descriptor done;
            start(&c, d);
            c.at = at;
            uint32_t status = await(&c), code = status >> COPY_STATUS_CODE_SHIFT;
            memcpy(&done, c.memory, sizeof done);
            cr_assert_eq(status & (COPY_STATUS_BUSY | COPY_STATUS_HALTED), COPY_STATUS_HALTED);
            cr_assert_eq(code, at == 1 || at == last ? COPY_RING_FAULT : COPY_HOST_FAULT,
                         "access %u of %u: %u", at, last, code);
            cr_assert_eq(c.interrupts, 1);
            cr_assert_eq(get_register(&c, COPY_FAULTS), 1);
            cr_assert_eq(get_register(&c, COPY_DONE), at > 1);
            const uint64_t where = get_register(&c, COPY_FAULT_ADDRESS);
            if (at == 1)
                cr_assert_eq(where, HERE);
            else if (at == last)
                cr_assert_eq(where, HERE + 24);
            else
                cr_assert(where >= d->host && where < d->host + BYTES && done.moved < BYTES &&
                          done.status == (DESCRIPTOR_DONE | COPY_HOST_FAULT));
            check_right(&c, at % 2, at);
        }
    }
    end(&c);
}

/* ---- order ----------------------------------------------------------------------------------- */

static unsigned seen_early;

/* Before the status is answered every byte is there, and nobody has been told. */
static int look_at_all(struct watched *c)
{
    uint8_t there[BYTES];
    seen_early += interrupted(c);
    look_at_device(c, there);
    cr_assert_eq(memcmp(there, c->memory + (to_device.host - HERE), BYTES), 0);
    return 0;
}

Test(copies, data_before_status_before_interrupt)
{
    static struct watched c;
    begin(&c);
    check_right(&c, false, 1);
    const unsigned last = c.accesses;
    fill(&c, 2);
    c.act = look_at_all;
    start(&c, &to_device);
    c.at = last;
    cr_assert_eq(await(&c), 0);
    cr_assert_eq(seen_early, 0, "the interrupt comes before the status");
    cr_assert(c.acted && c.interrupts);
    end(&c);
}

/* A ring goes round, and an interrupt comes for each descriptor whose status is cleared in time. */
Test(copies, round_the_ring)
{
    static struct watched c;
    begin(&c);
    fill(&c, 5);
    struct copy_descriptor d = to_device;
    d.bytes = 40;
    for (unsigned i = 0; i < 4; i++)
        memcpy(c.memory + i * sizeof d, &d, sizeof d);
    start(&c, &d);
    cr_assert_eq(await(&c), 0);
    for (unsigned i = 2; i < 20; i++) {
        put_register(&c, COPY_INTERRUPT_STATUS, UINT32_MAX);
        c.interrupts = 0;
        memcpy(c.memory + (i - 1) % 8 * sizeof d, &d, sizeof d);
        put_register(&c, COPY_TAIL, i % 8);
        cr_assert_eq(await(&c), 0);
        cr_assert_eq(c.interrupts, 1, "descriptor %u", i);
        cr_assert_eq(get_register(&c, COPY_HEAD), i % 8);
        cr_assert_eq(get_register(&c, COPY_DONE), i);
        cr_assert_eq(get_register(&c, COPY_TO_DEVICE), 40 * i);
    }
    end(&c);
}

/* ---- abuse ----------------------------------------------------------------------------------- */

/* Registers written at random while it runs: whatever becomes of it, it serves on after a reset. */
Test(copies, abused_registers)
{
    static const uint32_t offsets[] = {
        COPY_CONTROL,    COPY_TAIL,     COPY_TAIL,     COPY_TAIL,           COPY_ENTRIES,
        COPY_RING,       COPY_RING + 4, COPY_WATCHDOG, COPY_INTERRUPT_MASK, COPY_INTERRUPT_STATUS,
        FUNCTION_WINDOW, COPY_HEAD};
    static const uint32_t values[] = {0, 1, 1, 1, 2, 3, 5, 7, 8, HERE, 20, 300, UINT32_MAX};
    static struct watched c;
    struct random chance = {.state = 3};
    begin(&c);
    const unsigned rounds = rig_is_rtl(&c.rig) ? 15 : 60;
    for (unsigned round = 0; round < rounds; round++) {
        fill(&c, round);
        for (unsigned i = 0; i < 8; i++) {
            struct copy_descriptor d = i % 2 ? to_host : to_device;
            d.bytes = 1 + (uint32_t)random_below(&chance, BYTES);
            memcpy(c.memory + i * sizeof d, &d, sizeof d);
        }
        start(&c, (const struct copy_descriptor *)(const void *)c.memory);
        for (unsigned i = 0; i < 30; i++)
            put_register(&c, offsets[random_below(&chance, sizeof offsets / sizeof *offsets)],
                         values[random_below(&chance, sizeof values / sizeof *values)]);
        cr_assert_eq(get_register(&c, FUNCTION_MAGIC), FUNCTION_MAGIC_VALUE, "round %u", round);
        const uint32_t zero[2] = {0};
        put(&c, VU_BAR0, BAR0_FUNCTION + FUNCTION_WINDOW, zero, sizeof zero);
        check_right(&c, round % 2, round);
    }
    end(&c);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The board "pcie". Registers are accessed through BAR0 and small pieces of
 * memory through BAR2. The copy engine transfers large pieces from and to
 * memory that the function may reach. Interrupts are MSI-X.
 *
 * The place of the board is the path of a socket (it contains a slash) for a
 * function that is served over vfio-user, or the address of a PCI function,
 * which is reached through the kernel's VFIO.
 */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gen/isa/table.h"
#include "host/pcie/pci.h"
#include "host/pcie/pcie.h"
#include "host/pcie/transport.h"
#include "sim/board/common.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"
#include "sim/pcie/message.h"
#include "sim/pcie/wire.h"

#define SECOND UINT64_C(1000000000)
#define PATIENCE_DEFAULT 10 /* seconds */
#define ENTRIES 16
#define RING_BYTES 4096
#define PIECE (UINT64_C(1) << 20)          /* of memory, at a time */
#define SHARED_ADDRESS (UINT64_C(4) << 30) /* where the function sees what is shared: 64 bits are needed */
#define SHARED_BYTES (RING_BYTES + PIECE)
#define SMALL 4096                         /* bytes up to which BAR2 is quicker */
#define CYCLE_NANOSECONDS UINT64_C(100000) /* for waits bounded in cycles: simulated ones are slow */
#define LOOK_NANOSECONDS SECOND            /* between two looks whether the device is there */

_Static_assert(ENTRIES * sizeof(struct copy_descriptor) <= RING_BYTES, "the ring has a page");

struct board {
    const struct link_api *api;
    struct link *link;
    int file, signal[VECTORS];
    uint8_t *shared; /* the ring, then the piece that is under way */
    uint32_t tail;
    uint64_t memory, window, window_bytes, patience;
    struct strbuf error;
    bool failed;
};

/* ---- errors ---------------------------------------------------------------------------------- */

static enum board_status fail(struct board *b, const char *what)
{
    if (!b->failed)
        sb_add(&b->error, what);
    b->failed = true;
    return BOARD_FAILED;
}

/* What failed keeps its reason. */
static enum board_status begin_call(struct board *b)
{
    if (!b->failed)
        sb_free(&b->error);
    return b->failed ? BOARD_FAILED : BOARD_OK;
}

static enum board_status linked(struct board *b, enum link_status status)
{
    return status == LINK_LOST ? fail(b, b->api->error(b->link)) : BOARD_OK;
}

/* ---- registers ------------------------------------------------------------------------------- */

static enum board_status get(struct board *b, uint32_t offset, uint32_t *value)
{
    return linked(b, b->api->read(b->link, VU_BAR0, offset, value, sizeof *value));
}

static enum board_status put(struct board *b, uint32_t offset, uint32_t value)
{
    return linked(b, b->api->write(b->link, VU_BAR0, offset, &value, sizeof value));
}

static enum board_status get64(struct board *b, uint32_t offset, uint64_t *value)
{
    return linked(b, b->api->read(b->link, VU_BAR0, offset, value, sizeof *value));
}

static enum board_status put64(struct board *b, uint32_t offset, uint64_t value)
{
    return linked(b, b->api->write(b->link, VU_BAR0, offset, &value, sizeof value));
}

/* A function that is off the bus reads all ones everywhere; this register is never that. */
static enum board_status check_there(struct board *b)
{
    uint32_t magic;
    if (get(b, BAR0_FUNCTION + FUNCTION_MAGIC, &magic) != BOARD_OK)
        return BOARD_FAILED;
    if (magic == UINT32_MAX)
        return fail(b, "it reads all ones: it is off the bus, or off");
    return magic == FUNCTION_MAGIC_VALUE ? BOARD_OK : fail(b, "not the PCIe function of a Tulle device");
}

static enum board_status read_register(struct board *b, uint32_t offset, uint32_t *value)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (offset >= ISA_REGISTER_SPACE || offset % 4)
        return board_refuse(&b->error, "no register has this offset", offset);
    enum board_status status = get(b, BAR0_DEVICE + offset, value);
    return status == BOARD_OK && *value == UINT32_MAX ? check_there(b) : status;
}

static enum board_status write_register(struct board *b, uint32_t offset, uint32_t value)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (offset >= ISA_REGISTER_SPACE || offset % 4)
        return board_refuse(&b->error, "no register has this offset", offset);
    return put(b, BAR0_DEVICE + offset, value);
}

/* ---- setting up ------------------------------------------------------------------------------ */

/* Memory accesses and bus mastering on. Whoever resets a function finds them off. */
static enum board_status enable(struct board *b)
{
    const uint16_t command = COMMAND_MEMORY | COMMAND_MASTER | COMMAND_INTX_OFF;
    return linked(b, b->api->write(b->link, VU_CONFIG, CONFIG_COMMAND, &command, sizeof command));
}

static enum board_status start_copies(struct board *b)
{
    const uint32_t at = BAR0_FUNCTION;
    b->tail = 0;
    memset(b->shared, 0, RING_BYTES);
    if (put(b, at + COPY_CONTROL, COPY_CONTROL_RESET) != BOARD_OK ||
        put64(b, at + COPY_RING, SHARED_ADDRESS) != BOARD_OK ||
        put(b, at + COPY_ENTRIES, ENTRIES) != BOARD_OK ||
        put(b, at + COPY_INTERRUPT_MASK, COPY_INTERRUPT_COMPLETED | COPY_INTERRUPT_HALTED) != BOARD_OK)
        return BOARD_FAILED;
    return put(b, at + COPY_CONTROL, COPY_CONTROL_RUN);
}

static enum board_status reset_function(struct board *b)
{
    uint32_t version;
    if (linked(b, b->api->reset(b->link)) != BOARD_OK || enable(b) != BOARD_OK ||
        check_there(b) != BOARD_OK || get(b, BAR0_FUNCTION + FUNCTION_VERSION, &version) != BOARD_OK)
        return BOARD_FAILED;
    if (version >> 8 != FUNCTION_VERSION_VALUE >> 8)
        return fail(b, "the PCIe function is of another major version than this driver");
    if (get64(b, BAR0_FUNCTION + FUNCTION_MEMORY, &b->memory) != BOARD_OK ||
        get64(b, BAR0_FUNCTION + FUNCTION_WINDOW_BYTES, &b->window_bytes) != BOARD_OK)
        return BOARD_FAILED;
    b->window = 0;
    return start_copies(b);
}

static enum board_status share(struct board *b)
{
    b->file = memfd_create("tulle-pcie", MFD_CLOEXEC);
    if (b->file < 0 || ftruncate(b->file, (off_t)SHARED_BYTES) != 0)
        return fail(b, "no memory to share with the function");
    void *at = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, 0);
    if (at == MAP_FAILED)
        return fail(b, "no memory to share with the function");
    b->shared = at;
    return linked(b, b->api->map(b->link, SHARED_ADDRESS, at, SHARED_BYTES, b->file));
}

static enum board_status listen_to_vectors(struct board *b)
{
    for (unsigned i = 0; i < VECTORS; i++) {
        b->signal[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (b->signal[i] < 0)
            return fail(b, "no descriptors are left for interrupts");
        if (linked(b, b->api->listen(b->link, i, b->signal[i])) != BOARD_OK)
            return BOARD_FAILED;
    }
    return BOARD_OK;
}

static void close_board(struct board *b)
{
    if (!b)
        return;
    if (b->link)
        b->api->close(b->link);
    if (b->shared)
        munmap(b->shared, SHARED_BYTES);
    if (b->file >= 0)
        close(b->file);
    for (unsigned i = 0; i < VECTORS; i++)
        if (b->signal[i] >= 0)
            close(b->signal[i]);
    sb_free(&b->error);
    free(b);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* For whoever looks for the variant (host/devices/candidate.c); the board needs none. */
static bool pass(void *context, const char *value)
{
    (void)context;
    return *value;
}

static bool take_way(void *context, const char *value)
{
    struct link_settings *with = context;
    const bool node = !strcmp(value, "node");
    with->way = node ? LINK_BY_NODE : LINK_BY_GROUP;
    return node || !strcmp(value, "group");
}

static bool read_settings(const char *const *settings, struct link_settings *with, struct strbuf *why)
{
    uint64_t patience = PATIENCE_DEFAULT, messages = 0, interrupts = 1;
    const struct setting_spec specs[] = {{.name = "patience", .number = &patience, .min = 1, .max = 3600},
                                         {.name = "messages", .number = &messages, .max = 1},
                                         {.name = "interrupts", .number = &interrupts, .max = 1},
                                         {.name = "way", .take = take_way, .form = "group or node"},
                                         {.name = "variant", .take = pass, .form = "a variant"},
                                         {.name = "set", .take = pass, .form = "KEY=VALUE of the variant"},
                                         {.name = NULL}};
    if (!settings_read(settings, specs, with, why))
        return false;
    with->patience = patience * SECOND;
    with->messages = messages;
    with->polled = !interrupts;
    return true;
}

/* Without a place: the function there is, when there is one. */
static bool find_only(char address[PCI_ADDRESS_BYTES], struct strbuf *why)
{
    char found[PCI_FOUND_MAX][PCI_ADDRESS_BYTES];
    size_t count;
    if (!pci_find(found, &count, why))
        return false;
    if (count == 1)
        memcpy(address, found[0], PCI_ADDRESS_BYTES);
    for (size_t i = 0; i < count && count > 1; i++)
        sb_addf(why, "%s%s", i ? ", pcie:" : "which? pcie:", found[i]);
    return count == 1;
}

/* Socket or address. */
static const struct link_api *link_for(const char **place, char address[PCI_ADDRESS_BYTES],
                                       struct strbuf *why)
{
    if (strchr(*place, '/'))
        return &link_vfio_user;
    if (**place && !pci_take_address(*place, address)) {
        sb_addf(why,
                "%s: neither the path of a socket of tulle-pcied, with a / in it, nor the address of a PCI "
                "function, such as 0000:01:00.0",
                *place);
        return NULL;
    }
    if (!**place && !find_only(address, why))
        return NULL;
    *place = address;
    return &link_vfio;
}

static bool furnish(struct board *b, const char *place, const char *const *settings, struct strbuf *why)
{
    char address[PCI_ADDRESS_BYTES];
    struct link_settings with = {.way = LINK_ANY_WAY};
    if (!read_settings(settings, &with, why))
        return false;
    b->patience = with.patience;
    b->api = link_for(&place, address, why);
    b->link = b->api ? b->api->open(place, &with, why) : NULL;
    if (!b->link)
        return false;
    bool ok = share(b) == BOARD_OK && listen_to_vectors(b) == BOARD_OK && reset_function(b) == BOARD_OK;
    if (!ok)
        sb_addf(why, "%s: %s", place, sb_text(&b->error));
    return ok;
}

static struct board *open_board(const char *place, const char *const *settings, char *why, size_t room)
{
    struct strbuf reason = {0};
    struct board *b = calloc(1, sizeof *b);
    bool ok = false;
    if (b) {
        b->file = b->signal[VECTOR_JOB] = b->signal[VECTOR_COPY] = -1;
        ok = furnish(b, place, settings, &reason);
    } else {
        sb_add(&reason, "out of memory");
    }
    settings_message(&reason, why, room);
    sb_free(&reason);
    if (ok)
        return b;
    close_board(b);
    return NULL;
}

uint64_t pcie_memory(const struct board *b)
{
    return b->memory;
}

enum board_status pcie_reset(struct board *b)
{
    return begin_call(b) == BOARD_OK ? reset_function(b) : BOARD_FAILED;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool holds(const struct board *b, uint64_t address, size_t bytes)
{
    return bytes <= b->memory && address <= b->memory - bytes;
}

/* Moves the window when the piece is not within it. */
static enum board_status aim(struct board *b, uint64_t address, size_t bytes)
{
    if (address >= b->window && address - b->window <= b->window_bytes - bytes)
        return BOARD_OK;
    b->window = address - address % WINDOW_ALIGNMENT;
    return put64(b, BAR0_FUNCTION + FUNCTION_WINDOW, b->window);
}

static bool all_ones(const uint8_t *bytes, size_t count)
{
    return bytes[0] == 0xFF && memcmp(bytes, bytes + 1, count - 1) == 0;
}

static enum board_status read_window(struct board *b, uint64_t address, void *to, size_t bytes)
{
    if (aim(b, address, bytes) != BOARD_OK ||
        linked(b, b->api->read(b->link, VU_BAR2, address - b->window, to, bytes)) != BOARD_OK)
        return BOARD_FAILED;
    return all_ones(to, bytes) ? check_there(b) : BOARD_OK;
}

static enum board_status write_window(struct board *b, uint64_t address, const void *from, size_t bytes)
{
    return aim(b, address, bytes) == BOARD_OK
               ? linked(b, b->api->write(b->link, VU_BAR2, address - b->window, from, bytes))
               : BOARD_FAILED;
}

/* The word of a descriptor that the engine writes last. What the copy brought is read after it, and a new
 * descriptor is whole before it. The ring begins at a page. */
static _Atomic uint32_t *status_of(struct board *b, uint32_t entry)
{
    return (_Atomic uint32_t *)(void *)(b->shared + entry * sizeof(struct copy_descriptor) +
                                        offsetof(struct copy_descriptor, status));
}

/* What the engine has written of it so far. */
static uint32_t descriptor_status(struct board *b, uint32_t entry)
{
    return atomic_load_explicit(status_of(b, entry), memory_order_acquire);
}

static enum board_status copy_failed(struct board *b, uint32_t status)
{
    static const char *const names[COPY_CODES] = {[COPY_OK] = "nothing",
                                                  [COPY_BAD_DESCRIPTOR] = "bad descriptor",
                                                  [COPY_DEVICE_ADDRESS] = "not in device memory",
                                                  [COPY_HOST_FAULT] = "the host's memory is not mapped",
                                                  [COPY_RING_FAULT] = "the ring is not mapped",
                                                  [COPY_BAD_RING] = "bad ring",
                                                  [COPY_NOT_MASTER] = "bus mastering is off",
                                                  [COPY_DEVICE_FAILED] = "the device does not answer"};
    const uint32_t code = status & COPY_CODE_MASK;
    uint64_t fault = 0;
    if (get64(b, BAR0_FUNCTION + COPY_FAULT_ADDRESS, &fault) != BOARD_OK)
        return BOARD_FAILED;
    struct strbuf text = {0};
    sb_addf(&text, "the copy engine has halted: %s (code %u, last fault at 0x%llx)",
            code < COPY_CODES ? names[code] : "unknown", (unsigned)code, (unsigned long long)fault);
    enum board_status status_now = fail(b, sb_text(&text));
    sb_free(&text);
    return status_now;
}

/* The engine halted without having come to the descriptor: its own status says why. */
static enum board_status await_copy(struct board *b, uint32_t entry)
{
    const uint64_t until = wire_now() + b->patience;
    uint32_t status = descriptor_status(b, entry), engine;
    while (!(status & DESCRIPTOR_DONE)) {
        uint64_t now = wire_now();
        uint64_t left = until > now ? until - now : 0;
        enum link_status waited =
            b->api->wait(b->link, b->signal[VECTOR_COPY], left < LOOK_NANOSECONDS ? left : LOOK_NANOSECONDS);
        if (linked(b, waited) != BOARD_OK || check_there(b) != BOARD_OK ||
            get(b, BAR0_FUNCTION + COPY_STATUS, &engine) != BOARD_OK)
            return BOARD_FAILED;
        status = descriptor_status(b, entry);
        if (!(status & DESCRIPTOR_DONE) && (engine & COPY_STATUS_HALTED))
            return copy_failed(b, engine >> COPY_STATUS_CODE_SHIFT);
        if (!(status & DESCRIPTOR_DONE) && !left)
            return fail(b, "the copy engine does not end");
    }
    return (status & COPY_CODE_MASK) == COPY_OK ? BOARD_OK : copy_failed(b, status);
}

/* The shared piece from or to device memory. */
static enum board_status copy(struct board *b, uint32_t flags, uint64_t address, size_t bytes)
{
    const uint32_t entry = b->tail;
    const struct copy_descriptor d = {.flags = flags | DESCRIPTOR_INTERRUPT,
                                      .bytes = (uint32_t)bytes,
                                      .host = SHARED_ADDRESS + RING_BYTES,
                                      .device = address};
    memcpy(b->shared + entry * sizeof d, &d, sizeof d);
    atomic_store_explicit(status_of(b, entry), 0, memory_order_release);
    b->tail = (b->tail + 1) % ENTRIES;
    /* The vector fires when the status rises from nothing. */
    if (put(b, BAR0_FUNCTION + COPY_INTERRUPT_STATUS, UINT32_MAX) != BOARD_OK ||
        put(b, BAR0_FUNCTION + COPY_TAIL, b->tail) != BOARD_OK)
        return BOARD_FAILED;
    return await_copy(b, entry);
}

static enum board_status read_memory(struct board *b, uint64_t address, void *to, size_t bytes)
{
    uint8_t *at = to;
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (!holds(b, address, bytes))
        return board_refuse(&b->error, "not all of it is in memory", address);
    if (bytes && bytes <= SMALL && bytes <= b->window_bytes - WINDOW_ALIGNMENT)
        return read_window(b, address, to, bytes);
    for (size_t done = 0; done < bytes; done += PIECE) {
        size_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        if (copy(b, DESCRIPTOR_TO_HOST, address + done, piece) != BOARD_OK)
            return BOARD_FAILED;
        memcpy(at + done, b->shared + RING_BYTES, piece);
    }
    return BOARD_OK;
}

static enum board_status write_memory(struct board *b, uint64_t address, const void *from, size_t bytes)
{
    const uint8_t *at = from;
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (!holds(b, address, bytes))
        return board_refuse(&b->error, "not all of it is in memory", address);
    if (bytes && bytes <= SMALL && bytes <= b->window_bytes - WINDOW_ALIGNMENT)
        return write_window(b, address, from, bytes);
    for (size_t done = 0; done < bytes; done += PIECE) {
        size_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        memcpy(b->shared + RING_BYTES, at + done, piece);
        if (copy(b, 0, address + done, piece) != BOARD_OK)
            return BOARD_FAILED;
    }
    return BOARD_OK;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static uint64_t bound(uint64_t cycles, uint64_t nanoseconds)
{
    uint64_t by_cycles =
        cycles > (UINT64_MAX - SECOND) / CYCLE_NANOSECONDS ? UINT64_MAX : cycles * CYCLE_NANOSECONDS + SECOND;
    if (!cycles)
        return nanoseconds;
    return nanoseconds && nanoseconds < by_cycles ? nanoseconds : by_cycles;
}

static enum board_status pause_for_message(struct board *b, uint64_t nanoseconds)
{
    return linked(b, b->api->wait(b->link, b->signal[VECTOR_JOB], nanoseconds));
}

static enum board_status wait_for_interrupt(struct board *b, uint64_t cycles, uint64_t nanoseconds)
{
    const struct board_poll poll = {.api = &board_pcie,
                                    .most = bound(cycles, nanoseconds),
                                    .look = LOOK_NANOSECONDS,
                                    .pause = pause_for_message,
                                    .error = &b->error};
    return begin_call(b) == BOARD_OK ? board_poll(b, &poll) : BOARD_FAILED;
}

static const char *last_error(const struct board *b)
{
    return sb_text(&b->error);
}

const struct board_api board_pcie = {.size = sizeof board_pcie,
                                     .version = BOARD_API_VERSION,
                                     .kind = "pcie",
                                     .open = open_board,
                                     .close = close_board,
                                     .read_register = read_register,
                                     .write_register = write_register,
                                     .read_memory = read_memory,
                                     .write_memory = write_memory,
                                     .wait = wait_for_interrupt,
                                     .cycles = board_no_cycles,
                                     .written = board_not_written,
                                     .error = last_error,
                                     .events = board_no_events,
                                     .traffic = board_no_traffic,
                                     .packet_after = board_no_packet};

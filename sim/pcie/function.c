/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/pcie/function.h"

#include <string.h>
#include <unistd.h>

#include "gen/isa/table.h"
#include "sim/board/memory.h"
#include "sim/board/registers.h"
#include "sim/pcie/message.h"

#define SLICE 2000        /* clock cycles between two looks at the socket */
#define RESET_LOOKS 10000 /* at control, until a job has let go */

/* ---- vectors --------------------------------------------------------------------------------- */

static void deliver(struct vector *v)
{
    const uint64_t one = 1;
    if (v->signal < 0 || v->masked || !v->pending)
        return;
    /* It does not block; one that is full has been signalled anyway. */
    ssize_t sent = write(v->signal, &one, sizeof one);
    (void)sent;
    v->pending = false;
}

void function_trigger(struct function *f, unsigned vector)
{
    f->vector[vector].pending = true;
    deliver(&f->vector[vector]);
}

void function_mask(struct function *f, unsigned vector, bool masked)
{
    f->vector[vector].masked = masked;
    deliver(&f->vector[vector]);
}

void function_listen(struct function *f, unsigned vector, int signal)
{
    struct vector *v = &f->vector[vector];
    if (v->signal >= 0)
        close(v->signal);
    v->signal = signal;
    deliver(v);
}

/* ---- the board ------------------------------------------------------------------------------- */

static bool good(struct function *f, enum board_status status)
{
    f->failed = f->failed || status == BOARD_FAILED;
    return status == BOARD_OK;
}

/* Looks at the interrupt line for so many cycles at most. */
static void look(struct function *f, uint64_t cycles)
{
    if (f->failed)
        return;
    const uint64_t before = f->with.api->cycles(f->board);
    const bool up = good(f, f->with.api->wait(f->board, cycles, 0));
    if (up && !f->line) {
        f->running = false;
        function_trigger(f, VECTOR_JOB);
    }
    f->line = up;
    /* A board without a clock has done all that it will do. */
    if (!up && f->with.api->cycles(f->board) == before)
        f->running = false;
}

/* The device's line may have gone down and up again between two looks: rises are counted. */
static void note_bridge(struct function *f)
{
    if (!f->failed && bridge_interrupt(&f->bridge))
        function_trigger(f, VECTOR_COPY);
}

static void note_copy(struct function *f)
{
    const bool up = copy_interrupt(&f->copy);
    if (up && !f->copy_line)
        function_trigger(f, VECTOR_COPY);
    f->copy_line = up;
}

static bool memory_move(void *context, enum dma_way way, uint64_t address, void *bytes, size_t count,
                        bool *failed)
{
    struct function *f = context;
    const struct board_api *api = f->with.api;
    bool ok = !f->failed && count <= f->memory && address <= f->memory - count;
    if (ok)
        ok = good(f, way == DMA_TO_HOST ? api->write_memory(f->board, address, bytes, count)
                                        : api->read_memory(f->board, address, bytes, count));
    *failed = f->failed;
    return ok;
}

/* The end of device memory: a board says of each byte whether it is there, and they are all there up to the
 * last one. */
static uint64_t probe(struct function *f)
{
    uint64_t there = 0, not_there = MEMORY_BYTES_MAX;
    uint8_t byte;
    while (there < not_there) {
        uint64_t middle = there + (not_there - there) / 2;
        if (good(f, f->with.api->read_memory(f->board, middle, &byte, 1)))
            there = middle + 1;
        else
            not_there = middle;
    }
    return there;
}

static bool open_board(struct function *f, struct strbuf *why)
{
    char reason[512] = "";
    f->board = f->with.api->open(f->with.place, f->with.settings, reason, sizeof reason);
    f->failed = !f->board;
    if (f->board)
        f->memory = probe(f);
    bridge_connect(&f->bridge, f->with.api, f->board, f->with.window);
    sb_add(why, reason);
    if (f->board && !f->memory)
        sb_add(why, "its memory cannot be read");
    return f->board && f->memory;
}

/* ---- opening and resets ------------------------------------------------------------------------ */

static void forget(struct function *f)
{
    if (f->bridge.host && !f->failed)
        (void)good(f, bridge_reset(&f->bridge));
    config_reset(&f->config, &f->with.ids, f->with.window);
    copy_reset(&f->copy);
    for (unsigned i = 0; i < VECTORS; i++) {
        f->vector[i].masked = f->vector[i].pending = false;
        memset(f->table + (size_t)i * MSIX_ENTRY_BYTES, 0, MSIX_ENTRY_BYTES);
        f->table[i * MSIX_ENTRY_BYTES + 12] = 1; /* masked */
    }
    f->window = f->window_faults = 0;
    f->line = f->copy_line = f->running = f->queued = false;
}

bool function_open(struct function *f, const struct function_settings *settings, struct dma *dma,
                   struct strbuf *why)
{
    *f = (struct function){.with = *settings, .dma = dma};
    for (unsigned i = 0; i < VECTORS; i++)
        f->vector[i].signal = -1;
    forget(f);
    if (open_board(f, why))
        return true;
    function_close(f);
    return false;
}

void function_close(struct function *f)
{
    for (unsigned i = 0; i < VECTORS; i++)
        function_listen(f, i, -1);
    if (f->board)
        f->with.api->close(f->board);
    f->board = NULL;
    f->failed = true;
}

static bool device_idle(struct function *f)
{
    uint32_t control = 0;
    for (unsigned i = 0; i < RESET_LOOKS && !(control & CONTROL_IDLE); i++)
        if (!good(f, f->with.api->read_register(f->board, register_offset("control"), &control)))
            return false;
    return control & CONTROL_IDLE;
}

/* A soft reset, and the arguments that it keeps to what they are at first. */
static bool reset_device(struct function *f)
{
    const struct board_api *api = f->with.api;
    bool ok = !f->failed && good(f, api->write_register(f->board, register_offset("reset"), RESET_KEY)) &&
              device_idle(f);
    for (const struct isa_register *r = isa_registers; ok && r->name; r++)
        if (r->access == ISA_READ_WRITE && r->offset != register_offset("control"))
            ok = good(f, api->write_register(f->board, r->offset, 0));
    return ok;
}

/* A board that a soft reset does not bring back is opened again; what its memory held is lost then. */
void function_reset(struct function *f)
{
    struct strbuf why = {0};
    forget(f);
    if (!reset_device(f)) {
        if (f->board)
            f->with.api->close(f->board);
        f->board = NULL;
        bridge_connect(&f->bridge, f->with.api, NULL, 0);
        f->failed = true;
        (void)open_board(f, &why);
    }
    sb_free(&why);
}

/* ---- BAR0: the device's registers -------------------------------------------------------------- */

static uint32_t device_read(struct function *f, uint32_t offset)
{
    uint32_t value = 0;
    if (offset >= ISA_REGISTER_SPACE)
        return 0;
    if (!good(f, f->with.api->read_register(f->board, offset, &value)))
        return UINT32_MAX;
    if (offset == register_offset("control") && (value & CONTROL_IDLE) && !(value & CONTROL_START))
        f->running = f->queued = false;
    return value;
}

static void note_control(struct function *f, uint32_t value)
{
    if (value & CONTROL_START) {
        f->queued = f->running || f->line;
        f->running = true;
    }
    if ((value & CONTROL_CONTINUE) && f->queued) {
        f->queued = false;
        f->running = true;
    }
}

static void device_write(struct function *f, uint32_t offset, uint32_t value)
{
    if (offset >= ISA_REGISTER_SPACE || !good(f, f->with.api->write_register(f->board, offset, value)))
        return;
    if (offset == register_offset("control"))
        note_control(f, value);
    else if (offset == register_offset("reset") && value == RESET_KEY)
        f->running = f->queued = false;
    const bool running = f->running;
    look(f, 1);
    /* One cycle may have told a board without a clock that nothing will come; work() asks it again. */
    f->running = running && !f->line;
}

/* ---- BAR0: the function's registers, MSI-X ------------------------------------------------------ */

static uint32_t half(uint64_t value, uint32_t offset)
{
    return (uint32_t)(value >> (offset & 4 ? 32 : 0));
}

/* The device's own registers, where it has a host port. */
static uint32_t bridged_read(struct function *f, uint32_t offset)
{
    uint32_t value;
    const bool ok = good(f, bridge_read(&f->bridge, offset, &value));
    note_bridge(f);
    return ok ? value : UINT32_MAX;
}

static void bridged_write(struct function *f, uint32_t offset, uint32_t value)
{
    if (!good(f, bridge_write(&f->bridge, offset, value)))
        return;
    f->window = f->bridge.host->window(f->board);
    note_bridge(f);
}

static uint32_t own_read(const struct function *f, uint32_t offset)
{
    switch (offset) {
    case FUNCTION_MAGIC:
        return FUNCTION_MAGIC_VALUE;
    case FUNCTION_VERSION:
        return FUNCTION_VERSION_VALUE;
    case FUNCTION_FEATURES:
        return FEATURE_COPY | VECTORS << 8;
    case FUNCTION_MEMORY:
    case FUNCTION_MEMORY + 4:
        return half(f->memory, offset - FUNCTION_MEMORY);
    case FUNCTION_WINDOW:
    case FUNCTION_WINDOW + 4:
        return half(f->window, offset - FUNCTION_WINDOW);
    case FUNCTION_WINDOW_BYTES:
    case FUNCTION_WINDOW_BYTES + 4:
        return half(f->with.window, offset - FUNCTION_WINDOW_BYTES);
    case FUNCTION_WINDOW_FAULTS:
        return f->window_faults;
    default:
        return copy_read(&f->copy, offset);
    }
}

static void own_write(struct function *f, uint32_t offset, uint32_t value)
{
    if (offset == FUNCTION_WINDOW) {
        f->window = (f->window & ~(uint64_t)UINT32_MAX) | (value & ~(uint32_t)(WINDOW_ALIGNMENT - 1));
    } else if (offset == FUNCTION_WINDOW + 4) {
        f->window = (uint32_t)f->window | (uint64_t)value << 32;
    } else if (offset == FUNCTION_WINDOW_FAULTS) {
        f->window_faults = 0;
    } else if (offset >= COPY_CONTROL) {
        copy_write(&f->copy, offset, value);
        note_copy(f);
    }
}

static uint32_t msix_read(const struct function *f, uint32_t offset)
{
    uint32_t value = 0;
    if (offset < sizeof f->table)
        memcpy(&value, f->table + offset, sizeof value);
    return value;
}

static void msix_write(struct function *f, uint32_t offset, uint32_t value)
{
    if (offset % MSIX_ENTRY_BYTES == 12)
        value &= 1;
    if (offset < sizeof f->table)
        memcpy(f->table + offset, &value, sizeof value);
}

static uint32_t pending_read(const struct function *f, uint32_t offset)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < VECTORS && !offset; i++)
        value |= (uint32_t)f->vector[i].pending << i;
    return value;
}

static uint32_t bar0_read(struct function *f, uint32_t offset)
{
    const uint32_t within = offset % BAR0_PAGE;
    switch (offset - within) {
    case BAR0_DEVICE:
        return device_read(f, within);
    case BAR0_FUNCTION:
        return f->bridge.host ? bridged_read(f, within) : own_read(f, within);
    case BAR0_MSIX_TABLE:
        return msix_read(f, within);
    default:
        return pending_read(f, within);
    }
}

static void bar0_write(struct function *f, uint32_t offset, uint32_t value)
{
    const uint32_t within = offset % BAR0_PAGE;
    if (offset - within == BAR0_DEVICE)
        device_write(f, within, value);
    else if (offset - within == BAR0_FUNCTION && f->bridge.host)
        bridged_write(f, within, value);
    else if (offset - within == BAR0_FUNCTION)
        own_write(f, within, value);
    else if (offset - within == BAR0_MSIX_TABLE)
        msix_write(f, within, value);
}

/* ---- regions --------------------------------------------------------------------------------- */

uint64_t function_region(const struct function *f, unsigned region)
{
    switch (region) {
    case VU_BAR0:
        return BAR0_BYTES;
    case VU_BAR2:
        return f->with.window;
    case VU_CONFIG:
        return CONFIG_BYTES;
    default:
        return 0;
    }
}

/* Registers are whole words: anything else is an unsupported request. */
static bool whole_words(uint64_t offset, size_t count)
{
    return offset % 4 == 0 && count % 4 == 0;
}

static bool window_move(struct function *f, enum dma_way way, uint64_t offset, void *bytes, size_t count)
{
    bool failed, ok = f->window <= UINT64_MAX - offset &&
                      memory_move(f, way, f->window + offset, bytes, count, &failed);
    if (!ok && !f->failed && f->bridge.host)
        (void)good(f, f->bridge.host->window_fault(f->board));
    else
        f->window_faults += !ok && !f->failed;
    return ok;
}

void function_read(struct function *f, unsigned region, uint64_t offset, uint8_t *to, size_t count)
{
    if (region == VU_CONFIG) {
        memcpy(to, f->config.value + offset, count);
        return;
    }
    memset(to, 0xFF, count);
    if (!config_memory_on(&f->config) || f->failed)
        return;
    if (region == VU_BAR2 && !window_move(f, DMA_FROM_HOST, offset, to, count))
        memset(to, 0xFF, count);
    for (size_t at = 0; region == VU_BAR0 && whole_words(offset, count) && at < count && !f->failed;
         at += 4) {
        uint32_t value = bar0_read(f, (uint32_t)(offset + at));
        memcpy(to + at, &value, sizeof value);
    }
}

void function_write(struct function *f, unsigned region, uint64_t offset, const uint8_t *from, size_t count)
{
    if (region == VU_CONFIG) {
        if (config_write(&f->config, offset, from, count))
            function_reset(f);
        if (f->bridge.host)
            f->bridge.host->set_master(f->board, config_master_on(&f->config));
        return;
    }
    if (!config_memory_on(&f->config) || f->failed)
        return;
    if (region == VU_BAR2)
        (void)window_move(f, DMA_TO_HOST, offset, (void *)from, count);
    for (size_t at = 0; region == VU_BAR0 && whole_words(offset, count) && at < count && !f->failed;
         at += 4) {
        uint32_t value;
        memcpy(&value, from + at, sizeof value);
        bar0_write(f, (uint32_t)(offset + at), value);
    }
}

/* ---- work ------------------------------------------------------------------------------------ */

static bool is_master(void *context)
{
    return config_master_on(&((struct function *)context)->config);
}

bool function_busy(const struct function *f)
{
    return (f->running && !f->line && !f->failed) || copy_ready(&f->copy) ||
           (f->bridge.working && !f->failed);
}

static void work_for_bridge(struct function *f)
{
    (void)good(f, bridge_work(&f->bridge, f->dma, SLICE));
    if (f->bridge.host)
        note_bridge(f);
}

void function_work(struct function *f)
{
    const struct copy_port port = {.dma = f->dma, .master = is_master, .device = memory_move, .context = f};
    if (f->running && !f->line)
        look(f, f->bridge.working ? 1 : SLICE);
    if (f->bridge.working && !f->failed)
        work_for_bridge(f);
    if (copy_ready(&f->copy)) {
        copy_step(&f->copy, &port);
        note_copy(f);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated board: a Verilated device (top.h), device memory behind its
 * ports (axi.h), a host that reads and writes registers, and the clock.
 * Place: the folder that sim/board/build made.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/variant/variant.h"
#include "sim/board/common.h"
#include "sim/board/settings.h"
#include "sim/board/sim.h"
#include "sim/model/model.h"

#define RESET_CYCLES 8
#define REGISTER_PATIENCE 10000 /* cycles that a register access may take */
#define LOOK_AT_TIME 256        /* cycles between two looks at the time */
#define SETTLE 3                /* cycles from a write's response to what it makes of the interrupt line */

struct sim_settings {
    uint64_t latency, bursts, reorder, stalls, seed, memory, from, to, events, until;
    unsigned beats, cycles; /* bandwidth */
    struct axi_fault fault[AXI_FAULTS_MAX];
    unsigned faults;
    const char *trace;
};

/* ---- settings -------------------------------------------------------------------------------- */

static bool take_bandwidth(void *context, const char *value)
{
    struct sim_settings *s = context;
    return settings_bandwidth(value, &s->beats, &s->cycles);
}

static bool take_fault(void *context, const char *value)
{
    struct sim_settings *s = context;
    return s->faults < AXI_FAULTS_MAX && axi_parse_fault(value, &s->fault[s->faults++]);
}

static bool take_trace(void *context, const char *value)
{
    ((struct sim_settings *)context)->trace = value;
    return *value;
}

static bool read_settings(const char *const *settings, struct sim_settings *s, struct strbuf *why)
{
    *s = (struct sim_settings){.latency = 64,
                               .bursts = 64,
                               .seed = 1,
                               .memory = MEMORY_BYTES_DEFAULT,
                               .to = UINT64_MAX,
                               .events = EVENTS_DEFAULT,
                               .until = UINT64_MAX,
                               .beats = 1,
                               .cycles = 1};
    const struct setting_spec specs[] = {
        {.name = "latency", .number = &s->latency, .max = 100000},
        {.name = "bandwidth", .take = take_bandwidth, .form = SETTINGS_BANDWIDTH},
        {.name = "bursts", .number = &s->bursts, .min = 1, .max = AXI_BURSTS_MAX},
        {.name = "reorder", .number = &s->reorder, .max = 1},
        {.name = "stalls", .number = &s->stalls, .max = UINT64_MAX},
        {.name = "seed", .number = &s->seed, .max = UINT64_MAX},
        {.name = "memory", .number = &s->memory, .min = MEMORY_BYTES_MIN, .max = MEMORY_BYTES_MAX},
        {.name = "fault",
         .take = take_fault,
         .form =
             "KIND:read|write[:FIRST-LAST[:FROM-TO]], KIND slverr, decerr, lateCYCLES, dead or deaf (which "
             "takes no addresses but *), 16 at most"},
        {.name = "trace", .take = take_trace, .form = "a file for the waveform"},
        {.name = "from", .number = &s->from, .max = UINT64_MAX},
        {.name = "to", .number = &s->to, .max = UINT64_MAX},
        {.name = "events", .number = &s->events, .min = 1, .max = EVENTS_MAX},
        {.name = "until", .number = &s->until, .max = UINT64_MAX},
        {.name = NULL}};
    if (!settings_read(settings, specs, s, why))
        return false;
    if (s->memory % MEMORY_BYTES_MIN == 0)
        return true;
    sb_addf(why, "memory=%llu: not a multiple of %d", (unsigned long long)s->memory, MEMORY_BYTES_MIN);
    return false;
}

/* ---- the clock ------------------------------------------------------------------------------- */

static enum board_status fail(struct board *b, enum board_status status)
{
    b->failed = b->failed || status == BOARD_FAILED;
    return status;
}

static void trace_window(struct board *b)
{
    bool on = b->cycle >= b->trace_from && b->cycle < b->trace_to;
    if (!b->trace || on == b->tracing)
        return;
    b->tracing = on;
    if (b->api->trace(b->top, on ? b->trace : NULL))
        return;
    sb_addf(&b->error, "%s: the waveform cannot be written", b->trace);
    b->failed = true;
}

static void note_interrupt(struct board *b, bool before)
{
    if (before != b->out.interrupt && !b->in.reset)
        events_add(&b->events, &(struct event){.cycle = b->cycle,
                                               .kind = before ? EVENT_INTERRUPT_DOWN : EVENT_INTERRUPT_UP});
}

static void broken(struct board *b, const char *what)
{
    sb_addf(&b->error, "cycle %llu: %s", (unsigned long long)b->cycle, what);
    b->failed = true;
}

bool sim_cycle(struct board *b)
{
    if (b->failed)
        return false;
    trace_window(b);
    for (unsigned i = 0; i < b->api->ports && !b->in.reset; i++) {
        axi_drive(&b->port[i], b->cycle);
        b->in.memory[i] = b->port[i].wires;
    }
    sim_host_drive(b);
    bool before = b->out.interrupt;
    if (!b->api->step(b->top, &b->in, &b->out)) {
        broken(b, b->api->violation(b->top));
        return false;
    }
    note_interrupt(b, before);
    if (b->out.packet && !b->packet)
        b->packets[b->packet_runs++ % SIM_PACKETS] = b->cycle;
    b->packet = b->out.packet;
    for (unsigned i = 0; i < b->api->ports && !b->in.reset; i++)
        if (!axi_clock(&b->port[i], b->cycle, &b->out.memory[i]))
            broken(b, sb_text(&b->port[i].broken));
    if (!sim_host_clock(b))
        broken(b, sb_text(&b->host.broken));
    b->cycle++;
    return !b->failed;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The variant of the folder must be the object's: somebody may have built another one into it. */
static bool check_variant(const char *folder, const struct top_api *api, struct strbuf *why)
{
    struct strbuf path = {0};
    struct variant variant;
    struct diag diag = {0};
    sb_addf(&path, "%s/variant.yaml", folder);
    bool ok = variant_load_file(sb_text(&path), NULL, 0, &variant, &diag);
    if (!ok)
        sb_add(why, sb_text(&diag.text));
    else if (model_variant_hash(&variant) != api->variant)
        sb_addf(why, "%s: the object and variant.yaml are not of the same variant", folder);
    ok = ok && model_variant_hash(&variant) == api->variant;
    diag_free(&diag);
    sb_free(&path);
    return ok;
}

static const struct top_api *load_top(const char *folder, bool trace, struct strbuf *why)
{
    const char *name = trace ? "board-trace.so" : "board.so", *reason = NULL;
    struct strbuf path = {0};
    /* A name without a slash would be looked for among the system's libraries. */
    sb_addf(&path, "%s%s/%s", strchr(folder, '/') ? "" : "./", folder, name);
    const struct top_api *api = top_load(sb_text(&path), &reason);
    if (!api)
        sb_addf(why, "%s: %s; sim/board/build%s makes it", sb_text(&path), reason, trace ? " --trace" : "");
    sb_free(&path);
    return api && check_variant(folder, api, why) ? api : NULL;
}

static void close_board(struct board *b)
{
    if (!b)
        return;
    for (unsigned i = 0; b->api && i < b->api->ports; i++)
        axi_close(&b->port[i]);
    axi_close(&b->host);
    if (b->api && b->top)
        b->api->free(b->top);
    memory_close(&b->memory);
    events_close(&b->events);
    free(b->trace);
    sb_free(&b->error);
    sb_free(&b->text);
    free(b);
}

static void take_timing(struct board *b, const struct sim_settings *s)
{
    b->timing = (struct axi_timing){.latency = (unsigned)s->latency,
                                    .beats = s->beats,
                                    .cycles = s->cycles,
                                    .bursts = (unsigned)s->bursts,
                                    .reorder = s->reorder,
                                    .stalls = s->stalls,
                                    .faults = s->faults};
    memcpy(b->timing.fault, s->fault, sizeof s->fault);
    b->chance.state = s->stalls;
    b->trace_from = s->from;
    b->trace_to = s->to;
}

static const char *furnish(struct board *b, const struct sim_settings *s)
{
    take_timing(b, s);
    if (s->trace && !(b->trace = strdup(s->trace)))
        return "out of memory";
    if (!memory_open(&b->memory, s->memory))
        return "the system gives no address range of that size: set memory to less";
    if (!events_open(&b->events, (unsigned)s->events, s->until))
        return "out of memory";
    b->top = b->api->create(s->seed);
    if (!b->top)
        return "the device cannot be created: out of memory";
    for (unsigned i = 0; i < b->api->ports; i++)
        axi_open(&b->port[i], i, b->api->beat_bytes, &b->timing, &b->memory, &b->events);
    sim_host_open(b);
    b->in.reset = true;
    for (unsigned i = 0; i < RESET_CYCLES; i++)
        if (!sim_cycle(b))
            return sb_text(&b->error);
    b->in.reset = false;
    return sim_cycle(b) ? NULL : sb_text(&b->error);
}

static struct board *open_board(const char *place, const char *const *settings, char *why, size_t room)
{
    struct strbuf reason = {0};
    struct sim_settings s;
    struct board *b = calloc(1, sizeof *b);
    const char *failed = b ? NULL : "out of memory";
    bool ok = b && read_settings(settings, &s, &reason);
    if (ok && !*place)
        failed = "which folder? sim:FOLDER";
    ok = ok && !failed && (b->api = load_top(place, s.trace, &reason));
    if (ok)
        failed = furnish(b, &s);
    if (failed)
        sb_add(&reason, failed);
    settings_message(&reason, why, room);
    sb_free(&reason);
    if (ok && !failed)
        return b;
    close_board(b);
    return NULL;
}

/* ---- registers ------------------------------------------------------------------------------- */

void sim_begin_call(struct board *b)
{
    if (!b->failed)
        b->error.len = 0;
    if (b->error.text && !b->failed)
        b->error.text[0] = 0;
}

/* Some cycles in which nothing happens at the registers: with stalls, now and then. */
static bool dawdle(struct board *b)
{
    if (!b->timing.stalls || random_below(&b->chance, 3))
        return true;
    for (uint64_t i = random_below(&b->chance, 6); i; i--)
        if (!sim_cycle(b))
            return false;
    return true;
}

static enum board_status no_answer(struct board *b, const char *what, uint32_t offset)
{
    if (!b->failed)
        sb_addf(&b->error, "cycle %llu: no answer to a register %s at 0x%03x in %d cycles",
                (unsigned long long)b->cycle, what, offset, REGISTER_PATIENCE);
    return fail(b, BOARD_FAILED);
}

enum board_status sim_read(struct board *b, const struct sim_lite *port, uint32_t offset, uint32_t *value)
{
    struct lite_host *host = port->host;
    const struct lite_device *device = port->device;
    sim_begin_call(b);
    if (offset >= ISA_REGISTER_SPACE || offset % 4)
        return board_refuse(&b->error, "no register has this offset", offset);
    if (b->failed || !dawdle(b))
        return BOARD_FAILED;
    *host = (struct lite_host){.arvalid = true, .araddr = (uint16_t)offset, .rready = !b->timing.stalls};
    for (unsigned i = 0; i < REGISTER_PATIENCE && sim_cycle(b); i++) {
        host->arvalid = host->arvalid && !device->arready;
        if (device->rvalid && host->rready) {
            host->rready = false;
            *value = device->rdata;
            events_add(&b->events, &(struct event){.cycle = b->cycle - 1,
                                                   .kind = EVENT_REGISTER_READ,
                                                   .address = port->base + offset,
                                                   .value = *value});
            return BOARD_OK;
        }
        host->rready = !b->timing.stalls || random_below(&b->chance, 2);
    }
    return no_answer(b, "read", port->base + offset);
}

/* A wait that follows must not see the interrupt line of before the write. */
enum board_status sim_settle(struct board *b)
{
    for (unsigned i = 0; i < SETTLE; i++)
        if (!sim_cycle(b))
            return BOARD_FAILED;
    return BOARD_OK;
}

enum board_status sim_write(struct board *b, const struct sim_lite *port, uint32_t offset, uint32_t value)
{
    struct lite_host *host = port->host;
    const struct lite_device *device = port->device;
    sim_begin_call(b);
    if (offset >= ISA_REGISTER_SPACE || offset % 4)
        return board_refuse(&b->error, "no register has this offset", offset);
    if (b->failed || !dawdle(b))
        return BOARD_FAILED;
    bool address_later = b->timing.stalls && random_below(&b->chance, 3) == 0;
    bool data_later = b->timing.stalls && !address_later && random_below(&b->chance, 2);
    *host = (struct lite_host){.awvalid = !address_later,
                               .awaddr = (uint16_t)offset,
                               .wvalid = !data_later,
                               .wdata = value,
                               .bready = !b->timing.stalls};
    for (unsigned i = 0; i < REGISTER_PATIENCE && sim_cycle(b); i++) {
        host->awvalid = (host->awvalid && !device->awready) || address_later;
        host->wvalid = (host->wvalid && !device->wready) || data_later;
        address_later = data_later = false;
        if (device->bvalid && host->bready) {
            host->bready = false;
            events_add(&b->events, &(struct event){.cycle = b->cycle - 1,
                                                   .kind = EVENT_REGISTER_WRITE,
                                                   .address = port->base + offset,
                                                   .value = value});
            return sim_settle(b);
        }
        host->bready = !b->timing.stalls || random_below(&b->chance, 2);
    }
    return no_answer(b, "write", port->base + offset);
}

static struct sim_lite control_port(struct board *b)
{
    return (struct sim_lite){.host = &b->in.lite, .device = &b->out.lite};
}

static enum board_status read_register(struct board *b, uint32_t offset, uint32_t *value)
{
    const struct sim_lite port = control_port(b);
    return sim_read(b, &port, offset, value);
}

static enum board_status write_register(struct board *b, uint32_t offset, uint32_t value)
{
    const struct sim_lite port = control_port(b);
    return sim_write(b, &port, offset, value);
}

/* ---- memory, waiting, and what the board tells ------------------------------------------------- */

static enum board_status read_memory(struct board *b, uint64_t address, void *to, size_t bytes)
{
    sim_begin_call(b);
    if (!memory_holds(&b->memory, address, bytes))
        return board_refuse(&b->error, "not all of it is in memory", address);
    memcpy(to, b->memory.bytes + address, bytes);
    return BOARD_OK;
}

static enum board_status write_memory(struct board *b, uint64_t address, const void *from, size_t bytes)
{
    sim_begin_call(b);
    if (!memory_holds(&b->memory, address, bytes))
        return board_refuse(&b->error, "not all of it is in memory", address);
    memcpy(b->memory.bytes + address, from, bytes);
    return BOARD_OK;
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static enum board_status wait_for_interrupt(struct board *b, uint64_t cycles, uint64_t nanoseconds)
{
    sim_begin_call(b);
    if (!cycles && !nanoseconds)
        return board_refuse(&b->error, "a wait needs a bound", 0);
    uint64_t begin = nanoseconds ? now() : 0;
    for (uint64_t i = 0; !b->failed && !b->out.interrupt; i++) {
        bool over = nanoseconds && i % LOOK_AT_TIME == 0 && i && now() - begin >= nanoseconds;
        if (over || (cycles && i == cycles)) {
            sb_addf(&b->error, "no interrupt in %llu cycles", (unsigned long long)i);
            return BOARD_TIMEOUT;
        }
        (void)sim_cycle(b);
    }
    return b->failed ? BOARD_FAILED : BOARD_OK;
}

static uint64_t cycles_so_far(const struct board *b)
{
    return b->cycle;
}

static uint64_t written(const struct board *b, uint64_t address)
{
    return memory_written(&b->memory, address);
}

/* The oldest of those that are known. */
static uint64_t packet_after(const struct board *b, uint64_t cycle)
{
    const uint64_t oldest = b->packet_runs > SIM_PACKETS ? b->packet_runs - SIM_PACKETS : 0;
    for (uint64_t i = oldest; i < b->packet_runs; i++)
        if (b->packets[i % SIM_PACKETS] > cycle)
            return b->packets[i % SIM_PACKETS];
    return 0;
}

static const char *last_error(const struct board *b)
{
    return sb_text(&b->error);
}

static const char *last_events(struct board *b)
{
    sb_free(&b->text);
    events_write(&b->events, &b->text);
    return sb_text(&b->text);
}

static void add_traffic(struct board_traffic *to, const struct board_traffic *port)
{
    if (!port->beats)
        return;
    to->first = to->beats && to->first < port->first ? to->first : port->first;
    to->last = to->last > port->last ? to->last : port->last;
    to->beats += port->beats;
    to->bytes += port->bytes;
    to->bytes_whole += port->bytes_whole;
    to->bytes_long += port->bytes_long;
}

static void traffic(const struct board *b, struct board_traffic *read, struct board_traffic *written)
{
    *read = *written = (struct board_traffic){0};
    for (unsigned i = 0; i < b->api->ports; i++) {
        add_traffic(read, &b->port[i].read_beats);
        add_traffic(written, &b->port[i].write_beats);
    }
}

const struct board_api board_sim = {.size = sizeof board_sim,
                                    .version = BOARD_API_VERSION,
                                    .kind = "sim",
                                    .open = open_board,
                                    .close = close_board,
                                    .read_register = read_register,
                                    .write_register = write_register,
                                    .read_memory = read_memory,
                                    .write_memory = write_memory,
                                    .wait = wait_for_interrupt,
                                    .cycles = cycles_so_far,
                                    .written = written,
                                    .error = last_error,
                                    .events = last_events,
                                    .traffic = traffic,
                                    .host = &sim_host,
                                    .packet_after = packet_after};

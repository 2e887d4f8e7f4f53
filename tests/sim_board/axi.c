/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory end of an AXI port against a master in C that drives what it is
 * told: timing, order, errors, and every way to break the protocol.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/board/axi.h"

#define BEAT 8
#define MEMORY 65536

struct bench {
    struct memory memory;
    struct events events;
    struct axi_timing timing;
    struct axi_port port;
    struct axi_master master;
    uint64_t cycle;
    /* what came back */
    uint64_t first_beat, beats, last_beat, responses, response_cycle[64];
    unsigned read_id[1024], read_response[1024], response[64], response_id[64];
    uint8_t data[1024][BEAT];
    bool whole; /* the protocol was kept so far */
};

static void begin(struct bench *b, const struct axi_timing *timing)
{
    memset(b, 0, sizeof *b);
    b->timing = *timing;
    if (!b->timing.cycles)
        b->timing.beats = b->timing.cycles = 1;
    if (!b->timing.bursts)
        b->timing.bursts = 16;
    cr_assert(memory_open(&b->memory, MEMORY) && events_open(&b->events, 64, UINT64_MAX));
    for (unsigned i = 0; i < MEMORY; i++)
        b->memory.bytes[i] = (uint8_t)(i * 7 + i / 256);
    axi_open(&b->port, 0, BEAT, &b->timing, &b->memory, &b->events);
    b->master = (struct axi_master){
        .arsize = 3, .awsize = 3, .arburst = 1, .awburst = 1, .rready = true, .bready = true};
    b->whole = true;
}

static void end(struct bench *b)
{
    axi_close(&b->port);
    memory_close(&b->memory);
    events_close(&b->events);
}

static void collect(struct bench *b)
{
    const struct axi_slave *w = &b->port.wires;
    if (w->rvalid && b->master.rready) {
        b->first_beat = b->beats ? b->first_beat : b->cycle;
        b->last_beat = b->cycle;
        b->read_id[b->beats] = w->rid;
        b->read_response[b->beats] = w->rresp;
        memcpy(b->data[b->beats++], w->rdata, BEAT);
    }
    if (w->bvalid && b->master.bready) {
        b->response_cycle[b->responses] = b->cycle;
        b->response_id[b->responses] = w->bid;
        b->response[b->responses++] = w->bresp;
    }
}

/* One cycle; what was taken is no longer offered. */
static void step(struct bench *b)
{
    axi_drive(&b->port, b->cycle);
    struct axi_slave wires = b->port.wires;
    collect(b);
    b->whole = axi_clock(&b->port, b->cycle, &b->master) && b->whole;
    b->master.arvalid = b->master.arvalid && !wires.arready;
    b->master.awvalid = b->master.awvalid && !wires.awready;
    b->master.wvalid = b->master.wvalid && !wires.wready;
    b->cycle++;
}

static void run(struct bench *b, unsigned cycles)
{
    while (cycles--)
        step(b);
}

static void ask(struct bench *b, unsigned id, uint64_t address, unsigned beats)
{
    b->master.arvalid = true;
    b->master.arid = (uint8_t)id;
    b->master.araddr = address;
    b->master.arlen = (uint8_t)(beats - 1);
    for (unsigned i = 0; i < 10000 && b->master.arvalid; i++)
        step(b);
}

static void announce(struct bench *b, unsigned id, uint64_t address, unsigned beats)
{
    b->master.awvalid = true;
    b->master.awid = (uint8_t)id;
    b->master.awaddr = address;
    b->master.awlen = (uint8_t)(beats - 1);
}

static void send(struct bench *b, uint8_t value, unsigned strobes, bool last)
{
    b->master.wvalid = true;
    memset(b->master.wdata, value, BEAT);
    b->master.wstrb = strobes;
    b->master.wlast = last;
    for (unsigned i = 0; i < 10000 && (b->master.wvalid || b->master.awvalid); i++)
        step(b);
}

/* ---- a port without memory -------------------------------------------------------------------- */

static void begin_asking(struct bench *b)
{
    begin(b, &(struct axi_timing){.latency = 4});
    b->port.memory = NULL;
}

Test(axi, without_memory_it_waits_for_what_it_is_given)
{
    struct bench b;
    struct board_host_access a, again;
    begin_asking(&b);
    ask(&b, 0, 0xFFFFFFFFFFFFF000, 3);
    ask(&b, 0, 0x200, 1);
    run(&b, 50);
    cr_assert_eq(b.beats, 0, "nothing comes by itself");
    cr_assert(axi_waits(&b.port) && axi_asks(&b.port, &a) && axi_asks(&b.port, &again));
    cr_assert(!a.write && a.address == 0xFFFFFFFFFFFFF000 && a.bytes == 3 * BEAT);
    cr_assert_eq(again.address, a.address, "it is the same one until it is answered");
    for (unsigned i = 0; i < a.bytes; i++)
        a.data[i] = (uint8_t)(i + 1);
    axi_answer(&b.port, b.cycle, &a, true);
    cr_assert(axi_asks(&b.port, &again) && again.address == 0x200);
    axi_answer(&b.port, b.cycle, &again, false);
    cr_assert_not(axi_waits(&b.port) || axi_asks(&b.port, &a));
    run(&b, 20);
    cr_assert(b.whole && b.beats == 4);
    for (unsigned i = 0; i < 3 * BEAT; i++)
        cr_assert_eq(b.data[i / BEAT][i % BEAT], i + 1);
    cr_assert(b.read_response[2] == 0 && b.read_response[3] == 3, "the refused one is DECERR");
    end(&b);
}

/* Bytes in a row are asked for at once, those that no strobe names never. */
Test(axi, without_memory_a_write_is_asked_for_row_by_row)
{
    static const struct {
        uint64_t address;
        unsigned bytes;
        uint8_t first, last;
    } rows[] = {{0x103, 9, 0x11, 0x22}, {0x10F, 2, 0x22, 0x33}};
    for (unsigned refused = 0; refused < 3; refused++) {
        struct bench b;
        struct board_host_access a;
        begin_asking(&b);
        announce(&b, 1, 0x100, 4);
        send(&b, 0x11, 0xF8, false);
        send(&b, 0x22, 0x8F, false);
        cr_assert_not(axi_waits(&b.port), "not before it is whole");
        send(&b, 0x33, 0x01, false);
        send(&b, 0x44, 0x00, true);
        for (unsigned i = 0; i < (refused == 1 ? 1 : 2); i++) {
            cr_assert(axi_asks(&b.port, &a) && a.write);
            cr_assert(a.address == rows[i].address && a.bytes == rows[i].bytes, "row %u", i);
            cr_assert(a.data[0] == rows[i].first && a.data[a.bytes - 1] == rows[i].last);
            run(&b, 10);
            cr_assert_eq(b.responses, 0);
            axi_answer(&b.port, b.cycle, &a, refused != i + 1);
        }
        cr_assert_not(axi_waits(&b.port));
        run(&b, 10);
        cr_assert(b.whole && b.responses == 1);
        cr_assert_eq(b.response[0], refused ? 3 : 0);
        end(&b);
    }
}

Test(axi, without_memory_a_write_of_nothing_is_answered)
{
    struct bench b;
    begin_asking(&b);
    announce(&b, 1, 0x100, 1);
    send(&b, 0x11, 0, true);
    cr_assert_not(axi_waits(&b.port));
    run(&b, 10);
    cr_assert(b.responses == 1 && b.response[0] == 0);
    end(&b);
}

/* The older one first; what is open at the end is let go (under a sanitizer: without a leak). */
Test(axi, without_memory_reads_and_writes_take_turns_by_age)
{
    struct bench b;
    struct board_host_access a;
    begin_asking(&b);
    announce(&b, 1, 0x100, 1);
    send(&b, 0x11, 0xFF, true);
    ask(&b, 0, 0x200, 1);
    run(&b, 3);
    cr_assert(axi_asks(&b.port, &a) && a.write);
    axi_answer(&b.port, b.cycle, &a, true);
    cr_assert(axi_asks(&b.port, &a) && !a.write);
    announce(&b, 1, 0x300, 1);
    send(&b, 0x11, 0xFF, true);
    cr_assert(axi_asks(&b.port, &a) && !a.write && a.address == 0x200);
    axi_answer(&b.port, b.cycle, &a, true);
    cr_assert(axi_asks(&b.port, &a) && a.write && a.address == 0x300);
    end(&b);
}

/* ---- timing ---------------------------------------------------------------------------------- */

Test(axi, a_read_takes_its_latency_and_a_cycle_a_beat)
{
    for (unsigned latency = 1; latency < 200; latency += 33) {
        struct bench b;
        begin(&b, &(struct axi_timing){.latency = latency});
        ask(&b, 0, 0x1000, 16);
        uint64_t taken = b.cycle - 1;
        run(&b, latency + 20);
        cr_assert_eq(b.beats, 16);
        cr_assert_eq(b.first_beat, taken + latency);
        cr_assert_eq(b.last_beat, b.first_beat + 15);
        cr_assert_eq(b.port.read_beats.beats, 16);
        cr_assert_eq(b.port.read_beats.first, b.first_beat);
        cr_assert_eq(b.port.read_beats.last, b.last_beat);
        cr_assert_eq(b.port.write_beats.beats, 0);
        cr_assert_eq(memcmp(b.data, b.memory.bytes + 0x1000, sizeof b.data[0] * 16), 0);
        end(&b);
    }
}

Test(axi, a_write_is_answered_after_its_latency_and_lands_then)
{
    struct bench b;
    begin(&b, &(struct axi_timing){.latency = 30});
    announce(&b, 2, 0x208, 2);
    send(&b, 0x11, 0xFF, false);
    send(&b, 0x22, 0x0F, true);
    uint64_t taken = b.cycle - 1;
    run(&b, 29);
    cr_assert_eq(b.memory.bytes[0x208], (uint8_t)(0x208 * 7 + 2), "not before the response");
    cr_assert_eq(b.responses, 0);
    run(&b, 5);
    cr_assert_eq(b.responses, 1);
    cr_assert_eq(b.response_cycle[0], taken + 30);
    cr_assert_eq(b.response_id[0], 2);
    cr_assert_eq(b.memory.bytes[0x207], (uint8_t)(0x207 * 7 + 2));
    for (unsigned i = 0x208; i < 0x214; i++)
        cr_assert_eq(b.memory.bytes[i], i < 0x210 ? 0x11 : 0x22, "0x%x", i);
    cr_assert_eq(b.memory.bytes[0x214], (uint8_t)(0x214 * 7 + 2), "no strobe");
    cr_assert_eq(memory_written(&b.memory, 0x208), taken + 30);
    end(&b);
}

Test(axi, bandwidth_is_a_ratio)
{
    const struct {
        unsigned beats, cycles;
    } ratios[] = {{1, 1}, {1, 2}, {3, 4}, {2, 7}};
    for (unsigned i = 0; i < 4; i++) {
        struct bench b;
        begin(&b, &(struct axi_timing){.latency = 5, .beats = ratios[i].beats, .cycles = ratios[i].cycles});
        ask(&b, 0, 0, 210);
        run(&b, 1000);
        uint64_t took = b.last_beat - b.first_beat, ideal = 209 * ratios[i].cycles / ratios[i].beats;
        cr_assert_eq(b.beats, 210);
        cr_assert(took + 4 >= ideal && took <= ideal + 4, "%u/%u: %llu cycles", ratios[i].beats,
                  ratios[i].cycles, (unsigned long long)took);
        end(&b);
    }
}

/* A bus that was idle has not saved up anything. */
Test(axi, bandwidth_is_not_saved_up)
{
    struct bench b;
    begin(&b, &(struct axi_timing){.latency = 5, .beats = 1, .cycles = 4});
    run(&b, 1000);
    ask(&b, 0, 0, 100);
    run(&b, 1000);
    cr_assert_eq(b.beats, 100);
    cr_assert_geq(b.last_beat - b.first_beat, 392);
    end(&b);
}

Test(axi, bandwidth_is_of_writes_too)
{
    struct bench b;
    begin(&b, &(struct axi_timing){.latency = 5, .beats = 1, .cycles = 4});
    announce(&b, 0, 0, 100);
    for (unsigned i = 0; i < 100; i++)
        send(&b, (uint8_t)i, 0xFF, i == 99);
    cr_assert(b.cycle >= 396 && b.cycle <= 404, "%llu cycles", (unsigned long long)b.cycle);
    end(&b);
}

Test(axi, stalls_on_every_channel_lose_nothing)
{
    uint64_t slowest = 0, fastest = UINT64_MAX;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct bench b;
        begin(&b, &(struct axi_timing){.latency = 3, .stalls = seed, .bursts = 2});
        for (unsigned i = 0; i < 20; i++) {
            ask(&b, 0, 256 * i, 4);
            announce(&b, 1, 0x8000 + 64 * i, 2);
            send(&b, (uint8_t)(i + 1), 0xFF, false);
            send(&b, (uint8_t)(i + 101), 0xFF, true);
        }
        for (unsigned i = 0; i < 20000 && (b.beats < 80 || b.responses < 20); i++)
            step(&b);
        cr_assert(b.whole && b.beats == 80 && b.responses == 20, "seed %llu: %s", (unsigned long long)seed,
                  sb_text(&b.port.broken));
        for (unsigned i = 0; i < 80; i++)
            cr_assert_eq(memcmp(b.data[i], b.memory.bytes + 256 * (i / 4) + 8 * (i % 4), BEAT), 0);
        for (unsigned i = 0; i < 20; i++)
            cr_assert(b.memory.bytes[0x8000 + 64 * i] == i + 1 && b.memory.bytes[0x8008 + 64 * i] == i + 101);
        slowest = b.cycle > slowest ? b.cycle : slowest;
        fastest = b.cycle < fastest ? b.cycle : fastest;
        end(&b);
    }
    cr_assert_gt(slowest, 3 * fastest, "seeds stall in different ways: %llu..%llu cycles",
                 (unsigned long long)fastest, (unsigned long long)slowest);
}

Test(axi, takes_no_more_bursts_than_it_holds)
{
    struct bench b;
    begin(&b, &(struct axi_timing){.latency = 1000, .bursts = 3});
    for (unsigned i = 0; i < 3; i++)
        ask(&b, 0, 64 * i, 1);
    b.master.arvalid = true;
    run(&b, 100);
    cr_assert(b.master.arvalid, "the fourth waits");
    end(&b);
}

/* ---- order ----------------------------------------------------------------------------------- */

Test(axi, data_may_come_before_its_address)
{
    struct bench b;
    begin(&b, &(struct axi_timing){.latency = 2});
    send(&b, 0x31, 0xFF, false);
    send(&b, 0x32, 0xFF, true);
    b.master.wvalid = true;
    run(&b, 20);
    cr_assert(b.master.wvalid, "one burst ahead, not two");
    announce(&b, 0, 0x400, 2);
    b.master.wlast = true;
    run(&b, 3);
    announce(&b, 0, 0x500, 1);
    run(&b, 20);
    cr_assert(b.whole, "%s", sb_text(&b.port.broken));
    cr_assert_eq(b.responses, 2);
    cr_assert(b.memory.bytes[0x400] == 0x31 && b.memory.bytes[0x408] == 0x32 &&
              b.memory.bytes[0x500] == 0x32);
    end(&b);
}

Test(axi, answers_of_one_id_come_in_order_others_overtake)
{
    bool overtaken = false, interleaved = false;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct bench b;
        unsigned place[3] = {0};
        begin(&b, &(struct axi_timing){.latency = 20, .reorder = true, .stalls = seed});
        for (unsigned i = 0; i < 12; i++)
            ask(&b, i % 3, 0x800 * (i % 3) + 64 * (i / 3), 4);
        for (unsigned i = 0; i < 20000 && b.beats < 48; i++)
            step(&b);
        cr_assert_eq(b.beats, 48);
        for (unsigned i = 0; i < 48; i++) {
            unsigned id = b.read_id[i], beat = place[id]++;
            cr_assert_eq(
                memcmp(b.data[i], b.memory.bytes + 0x800 * id + 64 * (beat / 4) + 8 * (beat % 4), BEAT), 0);
            overtaken = overtaken || id != i / 4 % 3;
            interleaved = interleaved || (i && beat % 4 && b.read_id[i - 1] != id);
        }
        end(&b);
    }
    cr_assert(overtaken && interleaved);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void with_fault(struct bench *b, const char *text)
{
    struct axi_timing timing = {.latency = 4, .faults = 1};
    cr_assert(axi_parse_fault(text, &timing.fault[0]), "%s", text);
    begin(b, &timing);
}

Test(axi, error_responses_to_the_beats_of_a_range)
{
    struct bench b;
    with_fault(&b, "slverr:read:0x108-0x117");
    ask(&b, 0, 0x100, 4);
    run(&b, 20);
    const unsigned wanted[4] = {0, 2, 2, 0};
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(b.read_response[i], wanted[i]);
    announce(&b, 0, 0x100, 1);
    send(&b, 1, 0xFF, true);
    run(&b, 20);
    cr_assert_eq(b.response[0], 0, "of reads only");
    end(&b);
    with_fault(&b, "slverr:read:0x107-0x108"); /* the last byte of a beat, the first of the next */
    ask(&b, 0, 0x100, 3);
    run(&b, 20);
    cr_assert(b.read_response[0] == 2 && b.read_response[1] == 2 && b.read_response[2] == 0);
    end(&b);
}

Test(axi, a_refused_write_writes_nothing_and_no_strobes_are_no_write)
{
    struct bench b;
    with_fault(&b, "decerr:write:0x108");
    announce(&b, 0, 0x100, 2);
    send(&b, 0x77, 0xFF, false);
    send(&b, 0x77, 0x01, true);
    run(&b, 20);
    cr_assert_eq(b.response[0], 3);
    cr_assert_eq(b.memory.bytes[0x100], (uint8_t)(0x100 * 7 + 1));
    announce(&b, 0, 0x100, 2);
    send(&b, 0x77, 0xFF, false);
    send(&b, 0x77, 0x00, true);
    run(&b, 20);
    cr_assert_eq(b.response[1], 0);
    cr_assert_eq(b.memory.bytes[0x100], 0x77);
    end(&b);
}

Test(axi, outside_of_memory_is_a_decode_error)
{
    struct bench b;
    begin(&b, &(struct axi_timing){.latency = 4});
    ask(&b, 0, MEMORY, 1);
    ask(&b, 0, UINT64_MAX - 7, 1);
    announce(&b, 0, MEMORY, 1);
    send(&b, 0x77, 0xFF, true);
    run(&b, 20);
    cr_assert(b.read_response[0] == 3 && b.read_response[1] == 3 && b.response[0] == 3);
    end(&b);
}

Test(axi, dead_is_never_answered_and_holds_up_its_id_alone)
{
    struct bench b;
    with_fault(&b, "dead:read:0x100-0x1ff");
    ask(&b, 0, 0x100, 1);
    ask(&b, 0, 0x200, 1);
    ask(&b, 1, 0x200, 2);
    run(&b, 5000);
    cr_assert_eq(b.beats, 2);
    cr_assert(b.read_id[0] == 1 && b.read_id[1] == 1);
    end(&b);
}

Test(axi, late_is_answered_later)
{
    struct bench b;
    with_fault(&b, "late300:write:*:0-50");
    announce(&b, 0, 0, 1);
    send(&b, 1, 0xFF, true);
    uint64_t taken = b.cycle - 1;
    run(&b, 400);
    cr_assert_eq(b.response_cycle[0], taken + 304);
    announce(&b, 0, 0, 1);
    send(&b, 1, 0xFF, true);
    taken = b.cycle - 1;
    run(&b, 40);
    cr_assert_eq(b.response_cycle[1], taken + 4, "the time is over");
    end(&b);
}

Test(axi, deaf_takes_nothing_for_a_time)
{
    struct bench b;
    with_fault(&b, "deaf:write:*:10-500");
    run(&b, 20);
    announce(&b, 0, 0, 1);
    send(&b, 1, 0xFF, true);
    cr_assert_eq(b.cycle, 501);
    ask(&b, 0, 0, 1);
    run(&b, 10);
    cr_assert_eq(b.beats, 1);
    end(&b);
}

Test(axi, faults_as_text)
{
    static const char *const wrong[] = {"",
                                        "slverr",
                                        "slverr:",
                                        "slverr:reads",
                                        "slow:read",
                                        "slverr:read:",
                                        "slverr:read:5-4",
                                        "late:read",
                                        "late5-:read",
                                        "late5-9:read",
                                        "dead:write:x",
                                        "deaf:read:0x10",
                                        "deaf:read:0-5",
                                        "dead:read:1:2:3",
                                        "dead:read:1-2-3",
                                        "slverr:read:*:"};
    struct axi_fault f;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_not(axi_parse_fault(wrong[i], &f), "%s", wrong[i]);
    cr_assert(axi_parse_fault("late17:read:0x100-:5-9", &f));
    cr_assert(f.kind == AXI_LATE && f.delay == 17 && !f.write && f.first == 256 && f.last == UINT64_MAX &&
              f.from == 5 && f.to == 9);
    cr_assert(axi_parse_fault("decerr:write", &f));
    cr_assert(f.kind == AXI_DECODE_ERROR && f.write && f.first == 0 && f.last == UINT64_MAX && f.from == 0);
}

/* ---- a device that breaks the protocol -------------------------------------------------------- */

static void expect_broken(struct bench *b, const char *word)
{
    cr_assert_not(b->whole, "nobody noticed: %s", word);
    cr_assert(strstr(sb_text(&b->port.broken), word), "%s", sb_text(&b->port.broken));
    end(b);
}

Test(axi, bad_bursts_are_noticed)
{
    struct bench b;
    const struct axi_timing timing = {.latency = 4};
    begin(&b, &timing);
    ask(&b, 0, 0xFF8, 2);
    expect_broken(&b, "4 KiB");
    begin(&b, &timing);
    announce(&b, 0, 0xFF8, 2);
    step(&b);
    expect_broken(&b, "4 KiB");
    begin(&b, &timing);
    ask(&b, 0, 0x104, 1);
    expect_broken(&b, "begin at a beat");
    begin(&b, &timing);
    b.master.arsize = 2;
    ask(&b, 0, 0x100, 1);
    expect_broken(&b, "wide");
    begin(&b, &timing);
    b.master.awburst = 2;
    announce(&b, 0, 0x100, 1);
    step(&b);
    expect_broken(&b, "INCR");
}

Test(axi, wrong_last_beats_are_noticed)
{
    struct bench b;
    const struct axi_timing timing = {.latency = 4};
    begin(&b, &timing);
    announce(&b, 0, 0x100, 2);
    send(&b, 1, 0xFF, true);
    expect_broken(&b, "last beat");
    begin(&b, &timing);
    announce(&b, 0, 0x100, 1);
    send(&b, 1, 0xFF, false);
    expect_broken(&b, "last beat");
    begin(&b, &timing);
    send(&b, 1, 0xFF, true);
    announce(&b, 0, 0x100, 2);
    run(&b, 3);
    expect_broken(&b, "more or fewer beats");
    begin(&b, &timing);
    send(&b, 1, 0xFF, false);
    send(&b, 1, 0xFF, false);
    announce(&b, 0, 0x100, 2);
    run(&b, 3);
    expect_broken(&b, "more beats");
}

/* Offers something that is not taken, changes it, and is found out. */
static void expect_stable(void (*offer)(struct bench *), void (*change)(struct bench *), const char *word)
{
    struct bench b;
    struct axi_timing timing = {.latency = 4, .faults = 2};
    cr_assert(axi_parse_fault("deaf:read", &timing.fault[0]) &&
              axi_parse_fault("deaf:write", &timing.fault[1]));
    begin(&b, &timing);
    offer(&b);
    run(&b, 3);
    cr_assert(b.whole);
    change(&b);
    step(&b);
    expect_broken(&b, word);
}

static void offer_all(struct bench *b)
{
    announce(b, 0, 0x100, 1);
    b->master.wvalid = b->master.wlast = true;
    b->master.arvalid = true;
}
static void drop_ar(struct bench *b)
{
    b->master.arvalid = false;
}
static void move_ar(struct bench *b)
{
    b->master.araddr += BEAT;
}
static void drop_aw(struct bench *b)
{
    b->master.awvalid = false;
}
static void lengthen_aw(struct bench *b)
{
    b->master.awlen++;
}
static void drop_w(struct bench *b)
{
    b->master.wvalid = false;
}
static void change_w(struct bench *b)
{
    b->master.wdata[BEAT - 1] ^= 1;
}
static void strobe_w(struct bench *b)
{
    b->master.wstrb ^= 4;
}

Test(axi, what_is_offered_stays)
{
    expect_stable(offer_all, drop_ar, "read address");
    expect_stable(offer_all, move_ar, "read address");
    expect_stable(offer_all, drop_aw, "write address");
    expect_stable(offer_all, lengthen_aw, "write address");
    expect_stable(offer_all, drop_w, "write data");
    expect_stable(offer_all, change_w, "write data");
    expect_stable(offer_all, strobe_w, "write data");
}

Test(axi, reset_forgets)
{
    struct bench b;
    begin(&b, &(struct axi_timing){.latency = 10});
    ask(&b, 0, 0x100, 4);
    send(&b, 1, 0xFF, true);
    axi_reset(&b.port);
    run(&b, 50);
    cr_assert(b.beats == 0 && b.responses == 0 && b.whole);
    ask(&b, 0, 0x200, 1);
    run(&b, 50);
    cr_assert_eq(b.beats, 1);
    end(&b);
}

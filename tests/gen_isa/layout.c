/* SPDX-License-Identifier: Apache-2.0
 *
 * Words computed by hand from docs/isa.md: a field that moves is noticed.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/gen_isa/support.h"

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

Test(layout, commands)
{
    expect_bytes(".commands\n"
                 "config buffer=31\n"
                 "exec shift_out, last, buffer=5\n" /* 1 1 1 00101 */
                 "exec last\n"
                 "exec shift_out\n",
                 BYTES(0x1F, 0xE5, 0xA0, 0xC0));
}

Test(layout, instructions)
{
    expect_bytes(".instructions\n"
                 "mac balance, base=5, acc=2, keep\n"          /* 00 1 0 0101 10 0 1 */
                 "mac chain, resume\n"                         /* 00 0 1 0000 00 1 0 */
                 "ld target=buffer, base=3, acc=1\n"           /* 01 11 0011 01 00 */
                 "ld target=weights, base=15\n"                /* 01 10 1111 0000 */
                 "st base=9\n"                                 /* 10 00 1001 0000 */
                 "spu function=2, source=4, destination=12\n", /* 11 10 0100 1100 */
                 BYTES(0x59, 0x02, 0x02, 0x01, 0x34, 0x07, 0xF0, 0x06, 0x90, 0x08, 0x4C, 0x0E));
}

Test(layout, packets)
{
    expect_bytes(".packets\npacket command=exec(buffer=1), clusters=0x8001, count=0x1234, beats=255\n",
                 BYTES(0x81, 0x00, 0x01, 0x80, 0x34, 0x12, 0xFF, 0x00));
}

/* The check is the exclusive or of the fifteen other words and 0x54554C4C. */
Test(layout, configurations)
{
    expect_bytes(
        ".config\n"
        "config_header queue=sw, pipeline=update, trigger, trigger_buffer=17, restart, defer, \\\n"
        "              block=0x102, hold=0x506, after, after_buffer=18\n"
        "config_extension register=9, result_register=10, pe_stride=0x0B0C, outer=0x0D0E, plane=-15\n"
        "config_instruction instruction=mac(balance, base=5, acc=2, keep), address=0x1122, stride=-2, \\\n"
        "                   inner=0x3344, pitch=-32768, wrap=0x5566, result=0x7788, result_stride=1\n"
        "config_function function=leaky_relu, shift=42, element=int16, multiplier=0x1020304, low=-1, \\\n"
        "                high=16, zero=32767, slope=-32768\n",
        BYTES(0x05, 0x41, 0x1E, 0x07, 0x02, 0x01, 0x00, 0x00, 0x06, 0x05, 0x00, 0x94, 0xA8, 0x69, 0xA5, 0xC5,
              0x00, 0xA9, 0x0C, 0x0B, 0x0E, 0x0D, 0xF1, 0xFF, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
              0x92, 0x25, 0x22, 0x11, 0xFE, 0xFF, 0x44, 0x33, 0x00, 0x80, 0x66, 0x55, 0x88, 0x77, 0x01, 0x00,
              0x0B, 0x6A, 0x00, 0x00, 0x04, 0x03, 0x02, 0x01, 0xFF, 0xFF, 0x10, 0x00, 0xFF, 0x7F, 0x00,
              0x80));
}

Test(layout, weight_entries)
{
    expect_bytes(".weights data=8, index=8, pes=1\n"
                 "weight value=-5, gap=3, last\n"
                 "escape escape=end, payload=2\n"
                 "escape escape=skip\n"
                 "escape escape=jump, payload=31\n"
                 "escape escape=line, payload=1\n",
                 BYTES(0xFB, 0x83, 0x42, 0x7F, 0x00, 0x7F, 0x3F, 0x7F, 0x61, 0x7F));
    expect_bytes(".weights data=16, index=8, pes=1\nweight value=-2, gap=5, last\n", BYTES(0xFE, 0xFF, 0x85));
    expect_bytes(".weights data=8, index=16, pes=1\nweight value=3, gap=0x1234\n", BYTES(0x03, 0x34, 0x12));
}

/* Entries of 14 bits, PE 0 lowest; PE 1 has only a skip. */
Test(layout, weight_beats)
{
    expect_bytes(".weights data=8, index=6, pes=2\nsegment pe=0, 1:1\n", BYTES(0x01, 0x21, 0xC0, 0x07));
    expect_bytes(".weights data=8, index=8, pes=2, entries=2, beat=10\n"
                 "segment pe=1, 0:1, 2:2\n"
                 "segment pe=0, 0:3\n",
                 BYTES(0x03, 0x80, 0x00, 0x7F, 0x01, 0x00, 0x02, 0x81, 0x00, 0x00));
}

/* ---- checked records: bytes as documented, the check put in by the rule ----------------------- */

struct words {
    uint8_t bytes[16 * 64];
    size_t len;
};

static void add(struct words *words, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        words->bytes[words->len++] = (uint8_t)(value >> 8 * i);
}

/* Zeros up to the check of the record at `index`, and the check. */
static void finish(struct words *words, size_t record_bytes, uint32_t index)
{
    const size_t start = (words->len - 1) / record_bytes * record_bytes;
    words->len = start + record_bytes;
    set_check(words->bytes + start, record_bytes, record_bytes - 4, index);
}

static void add_header(struct words *words, uint32_t operations)
{
    add(words, 0x504C5554, 4); /* TULP */
    add(words, 0x201, 4);      /* version 1.2 */
    add(words, 0, 8);
    add(words, operations, 4);
    finish(words, 64, 0);
}

static void add_end(struct words *words, uint32_t index)
{
    add(words, 1, 1);
    finish(words, 64, index);
}

Test(layout, program_headers)
{
    struct words want = {.len = 0};
    add(&want, 0x504C5554, 4);
    add(&want, 0x201, 4);
    add(&want, 0x0123456789ABCDEF, 8);
    add(&want, 1, 4);
    add(&want, 0x99, 4);
    add(&want, 0x1111222233334444, 8);
    add(&want, 0x5, 8);
    finish(&want, 64, 0);
    add_end(&want, 1);
    expect_bytes(".program\nprogram variant=0x123456789abcdef, watchdog=0x99, tokens_low=0x1111222233334444, "
                 "tokens_high=5\nend\n",
                 want.bytes, want.len);
}

Test(layout, load)
{
    struct words want = {.len = 0};
    add_header(&want, 2);
    /* opcode 2, wait_a 8, its token 9, signal_b 26, its token 27 */
    add(&want, 0x02 | 1u << 8 | 1u << 9 | 1u << 26 | 31u << 27, 4);
    add(&want, 0xFF, 2);
    add(&want, 3 | 1 << 4, 2);
    add(&want, 0x112233445566, 8);
    add(&want, 0x10, 4);
    add(&want, 2, 2);
    add(&want, 3, 2);
    add(&want, 0xFFFFFFFF, 4);
    add(&want, 0x01020304, 4);
    add(&want, 0x40, 4);
    add(&want, 1, 4);
    add(&want, 2, 4);
    add(&want, 0xFFFFFFFD, 4);
    add(&want, 4, 2);
    add(&want, 5, 2);
    add(&want, 0xFFFA, 2);
    finish(&want, 64, 1);
    add_end(&want, 2);
    expect_bytes(".program\nprogram\nload wait_a, wait_a_token=1, signal_b, signal_b_token=31, rows=255, "
                 "slot=input, zero, offset=0x112233445566, length=16, runs=2, planes=3, run_pitch=-1, "
                 "plane_pitch=0x1020304, unit_address=64, offset_step0=1, offset_step1=2, offset_step2=-3, "
                 "unit_step0=4, unit_step1=5, unit_step2=-6\nend\n",
                 want.bytes, want.len);
}

Test(layout, distribute_and_store)
{
    struct words want = {.len = 0};
    add_header(&want, 3);
    add(&want, 0x03, 4);
    add(&want, 0x0001, 2);
    add(&want, 0x8000, 2);
    add(&want, 0xE5 | 1 << 8 | 1 << 9, 2); /* command, scatter, dispatch */
    add(&want, 7, 2);
    add(&want, 0x100, 4);
    add(&want, 0x200, 4);
    add(&want, 9, 2);
    add(&want, 0, 2);
    add(&want, 0xFFFFFF00, 4);
    add(&want, 1, 2);
    add(&want, 2, 2);
    add(&want, 3, 2);
    finish(&want, 64, 1);
    add(&want, 0x04, 4);
    add(&want, 2, 2);
    add(&want, 3, 2);
    add(&want, 4 | 2 << 4 | 1 << 6, 4); /* slot, element, interleave */
    add(&want, 0x1000, 6);
    add(&want, 12, 2);
    add(&want, 0x20, 4);
    add(&want, 5, 2);
    add(&want, 6, 2);
    add(&want, 7, 4);
    add(&want, 8, 4);
    add(&want, 9, 4);
    add(&want, 10, 4);
    add(&want, 11, 4);
    add(&want, 0, 8);
    add(&want, 0xFFF3, 2);
    add(&want, 14, 2);
    finish(&want, 64, 2);
    add_end(&want, 3);
    expect_bytes(".program\nprogram\n"
                 "distribute rows=1, clusters=0x8000, command=exec(shift_out, last, buffer=5), scatter, "
                 "dispatch, count=7, length=256, unit_address=512, runs=9, run_pitch=-256, unit_step0=1, "
                 "unit_step1=2, unit_step2=3\n"
                 "store rows=2, clusters=3, slot=output, element=int32, interleave, offset=4096, length=32, "
                 "runs=5, planes=6, run_pitch=7, plane_pitch=8, offset_step0=9, offset_step1=10, "
                 "offset_step2=11, group_step0=12, group_step1=-13, group_step2=14\nend\n",
                 want.bytes, want.len);
}

Test(layout, accumulate)
{
    struct words want = {.len = 0};
    add_header(&want, 2);
    add(&want, 0x05, 4);
    add(&want, 0, 4);
    /* slot, element, source, sum_clusters, sum_rows, final */
    add(&want, 5 | 3 << 4 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9, 4);
    add(&want, 0x123456789ABC, 8);
    add(&want, 0x40, 4);
    add(&want, 3, 2);
    add(&want, 0, 2);
    add(&want, 0xFFFFFFF0, 4);
    add(&want, 6, 1);
    add(&want, 17 | 1 << 6, 1); /* shift, result */
    add(&want, 0, 2);
    add(&want, 0x80000000, 4);
    add(&want, 0xFFFF, 2);
    add(&want, 1, 2);
    add(&want, 2, 2);
    add(&want, 3, 2);
    add(&want, 4, 4);
    add(&want, 5, 4);
    add(&want, 6, 4);
    finish(&want, 64, 1);
    add_end(&want, 2);
    expect_bytes(".program\nprogram\n"
                 "accumulate slot=partial, element=int64, source, sum_clusters, "
                 "sum_rows, final, offset=0x123456789abc, length=64, runs=3, run_pitch=-16, "
                 "function=requantise, shift=17, result=int16, multiplier=-2147483648, low=-1, high=1, "
                 "zero=2, slope=3, offset_step0=4, offset_step1=5, offset_step2=6\nend\n",
                 want.bytes, want.len);
}

/* The body is counted from the loop to the endloop, which is included. */
Test(layout, loops_and_fence)
{
    struct words want = {.len = 0};
    add_header(&want, 8);
    static const struct {
        uint8_t opcode;
        uint64_t value;
        size_t bytes;
        uint8_t level;
    } operations[] = {{6, 5, 4, 0}, {6, 1, 4, 2}, {8, 0, 0, 0}, {8, 0, 0, 0},
                      {7, 3, 2, 2}, {8, 0, 0, 0}, {7, 6, 2, 0}};
    for (uint32_t i = 0; i < 7; i++) {
        add(&want, operations[i].opcode, 4);
        add(&want, operations[i].value, operations[i].bytes);
        add(&want, operations[i].level, 1);
        finish(&want, 64, i + 1);
    }
    add_end(&want, 8);
    expect_bytes(
        ".program\nprogram\nloop iterations=5\nloop level=2\nfence\nfence\nendloop\nfence\nendloop\nend\n",
        want.bytes, want.len);
}

Test(layout, status_records)
{
    struct words want = {.len = 0};
    add(&want, 0x534C5554, 4); /* TULS */
    add(&want, 0x201, 4);
    add(&want, 16, 2);
    add(&want, 2, 1);
    add(&want, 1, 1);
    add(&want, 2, 1);
    add(&want, 3, 1);
    add(&want, 0, 2);
    for (uint64_t counter = 64; counter < 64 + 13; counter++)
        add(&want, counter, 8);
    add(&want, 7, 4);
    finish(&want, 128, 0);
    expect_bytes(
        ".status\nstatus code=out_of_slot, queue=load, row=1, cluster=2, pe=3, offset=64, cycles=65, "
        "effective_macs=66, scanned=67, pe_busy=68, bytes_read=69, bytes_written=70, bus_beats=71, "
        "stall_load=72, stall_weights=73, stall_output=74, stall_store=75, moved=76, job=7\n",
        want.bytes, want.len);
}

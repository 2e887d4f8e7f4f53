/* SPDX-License-Identifier: Apache-2.0
 *
 * Device memory: costs what is touched, knows its end, remembers writes.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/board/memory.h"

/* Pages of this process that are in memory. */
static unsigned long resident(void)
{
    unsigned long size, pages;
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert(file);
    cr_assert_eq(fscanf(file, "%lu %lu", &size, &pages), 2);
    fclose(file);
    return pages;
}

Test(memory, costs_what_is_touched)
{
    struct memory m;
    cr_assert(memory_open(&m, MEMORY_BYTES_DEFAULT));
    unsigned long before = resident();
    const uint8_t beat[64] = {1, 2, 3};
    for (uint64_t at = 0; at < m.size; at += UINT64_C(1) << 30)
        memory_write_beat(&m, at + 192, beat, 64, UINT64_MAX, 7);
    unsigned long bytes = (resident() - before) * (unsigned long)sysconf(_SC_PAGESIZE);
    cr_assert_lt(bytes, 1ul << 20, "16 beats take %lu bytes", bytes);
    for (uint64_t at = 0; at < m.size; at += UINT64_C(1) << 30) {
        cr_assert_eq(memcmp(m.bytes + at + 192, beat, 64), 0);
        cr_assert_eq(m.bytes[at + 191], 0, "fresh memory is zero");
    }
    memory_close(&m);
}

Test(memory, knows_its_end)
{
    struct memory m;
    cr_assert(memory_open(&m, 8192));
    cr_assert(memory_holds(&m, 0, 8192));
    cr_assert(memory_holds(&m, 8191, 1));
    cr_assert(memory_holds(&m, 8192, 0));
    cr_assert_not(memory_holds(&m, 8192, 1));
    cr_assert_not(memory_holds(&m, 1, 8192));
    cr_assert_not(memory_holds(&m, UINT64_MAX, 2), "addresses do not wrap");
    cr_assert_not(memory_holds(&m, 2, UINT64_MAX));
    memory_close(&m);
}

Test(memory, writes_by_strobes_and_remembers_when)
{
    struct memory m;
    uint8_t beat[32];
    memset(beat, 0xAB, sizeof beat);
    cr_assert(memory_open(&m, 4096));
    memory_write_beat(&m, 96, beat, 32, 0x80000001, 41);
    for (unsigned i = 0; i < 4096; i++)
        cr_assert_eq(m.bytes[i], i == 96 || i == 127 ? 0xAB : 0, "byte %u", i);
    cr_assert_eq(memory_written(&m, 64), 41, "of its line");
    cr_assert_eq(memory_written(&m, 128), 0);
    memory_write_beat(&m, 96, beat, 32, 0, 50);
    cr_assert_eq(memory_written(&m, 96), 41, "no strobe, no write");
    cr_assert_eq(memory_written(&m, 4096), 0, "outside");
    memory_close(&m);
}

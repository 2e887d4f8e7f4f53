/* SPDX-License-Identifier: Apache-2.0
 *
 * The board "serial" against a far end in C.
 */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/serial/serial.h"
#include "sim/board/registers.h"
#include "tests/sim_serial/far_end.h"

static const struct board_api *const api = &board_serial;
static const char *const settings[] = {"baud=1000000", "patience=1", NULL};
static struct far_end far;
static char why[256];

static struct board *session(void)
{
    atomic_store(&far.interrupt_after, UINT_MAX);
    far_start(&far);
    struct board *b = api->open(far.path, settings, why, sizeof why);
    cr_assert(b, "%s", why);
    return b;
}

static void end(struct board *b)
{
    api->close(b);
    far_stop(&far);
}

static void refused(const char *place, const char *const *with, const char *text)
{
    struct board *b = api->open(place, with, why, sizeof why);
    cr_assert_null(b);
    cr_assert(strstr(why, text), "%s", why);
}

/* Any place and length, against a plain copy; outside of it nothing changes. */
static void move_about(struct board *b)
{
    static uint8_t expected[FAR_MEMORY], from[1024], to[1024];
    memcpy(expected, far.memory, sizeof expected);
    for (unsigned i = 0; i < 60; i++) {
        const unsigned address = i % 7 + 300 * i, bytes = i * i % 700;
        for (unsigned j = 0; j < bytes; j++)
            from[j] = (uint8_t)(i * 31 + j * 7 + 1);
        memcpy(expected + address, from, bytes);
        cr_assert_eq(api->write_memory(b, address, from, bytes), BOARD_OK, "%s", api->error(b));
        cr_assert_eq(api->read_memory(b, address, to, bytes), BOARD_OK, "%s", api->error(b));
        cr_assert(bytes == 0 || memcmp(from, to, bytes) == 0, "%u bytes at %u", bytes, address);
    }
    cr_assert_arr_eq(far.memory, expected, sizeof expected);
}

Test(session, memory_and_registers)
{
    struct board *b = session();
    uint32_t value = 0;
    cr_assert_eq(far.resets, 1, "opening resets the device");
    cr_assert_eq(serial_memory(b), FAR_MEMORY);
    move_about(b);
    cr_assert_eq(api->write_register(b, 0x10, 0x12345678), BOARD_OK);
    cr_assert_eq(far.registers[4], 0x12345678);
    cr_assert_eq(api->read_register(b, 0x10, &value), BOARD_OK);
    cr_assert_eq(value, 0x12345678);
    end(b);
}

Test(session, every_request_is_done_once_on_a_disturbed_line)
{
    struct board *b = session();
    uint32_t value;
    atomic_store(&far.spoil, 5);
    atomic_store(&far.lose, 13);
    atomic_store(&far.cut, 11);
    atomic_store(&far.rename, 17);
    atomic_store(&far.repeat, 7);
    const unsigned before = far.done;
    for (unsigned i = 0; i < 40; i++) {
        cr_assert_eq(api->write_register(b, 0x20, i), BOARD_OK, "%s", api->error(b));
        cr_assert_eq(api->read_register(b, 0x20, &value), BOARD_OK, "%s", api->error(b));
        cr_assert_eq(value, i);
    }
    cr_assert_eq(far.done - before, 80);
    end(b);
}

Test(session, memory_on_a_disturbed_line)
{
    struct board *b = session();
    atomic_store(&far.spoil, 29);
    atomic_store(&far.repeat, 31);
    move_about(b);
    end(b);
}

Test(session, a_board_that_says_nothing_is_lost_within_the_bound)
{
    struct board *b = session();
    uint32_t value;
    atomic_store(&far.mute, true);
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED);
    cr_assert(strstr(api->error(b), "does not answer"), "%s", api->error(b));
    atomic_store(&far.mute, false);
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED, "a board that is lost stays lost");
    api->close(b);
    b = api->open(far.path, settings, why, sizeof why);
    cr_assert(b, "and is found again by who opens it again: %s", why);
    end(b);
}

Test(session, a_line_that_is_gone)
{
    struct board *b = session();
    uint32_t value;
    far_stop(&far);
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED);
    cr_assert(*api->error(b));
    api->close(b);
}

Test(session, what_is_not_there)
{
    struct board *b = session();
    uint32_t value;
    uint8_t byte = 1;
    cr_assert_eq(api->read_register(b, ISA_REGISTER_SPACE, &value), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->write_register(b, 2, 0), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->read_memory(b, FAR_MEMORY, &byte, 1), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->write_memory(b, FAR_MEMORY - 1, "ab", 2), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->write_memory(b, UINT64_MAX, &byte, 1), BOARD_BAD_ARGUMENT);
    cr_assert_eq(api->read_memory(b, FAR_MEMORY - 1, &byte, 1), BOARD_OK);
    atomic_store(&far.status, SERIAL_REFUSED);
    cr_assert_eq(api->read_register(b, 8, &value), BOARD_BAD_ARGUMENT);
    cr_assert(strstr(api->error(b), "0x8"), "%s", api->error(b));
    atomic_store(&far.status, SERIAL_DONE);
    cr_assert_eq(api->read_register(b, 8, &value), BOARD_OK, "it goes on");
    end(b);
}

static void fails_with(enum serial_status status, const char *text)
{
    struct board *b = session();
    uint32_t value;
    atomic_store(&far.status, status);
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED);
    cr_assert(strstr(api->error(b), text), "%s", api->error(b));
    end(b);
}

Test(session, a_device_that_does_not_answer_on_its_bus)
{
    fails_with(SERIAL_TIMEOUT, "on its bus");
}

Test(session, an_answer_that_is_lost_for_good)
{
    fails_with(SERIAL_LOST, "lost");
}

Test(session, a_board_that_does_not_know_the_request)
{
    fails_with(SERIAL_BAD, "another version");
}

Test(session, one_user_at_a_time)
{
    struct board *b = session();
    refused(far.path, settings, "another process");
    end(b);
}

Test(opening, what_is_no_board)
{
    far.magic = 0x12345678;
    far_start(&far);
    refused(far.path, settings, "no Tulle board");
    far_stop(&far);
}

Test(opening, another_version)
{
    far.version = 0x0200;
    far_start(&far);
    refused(far.path, settings, "major version");
    far_stop(&far);
}

Test(opening, what_cannot_be)
{
    static const char *const speed[] = {"baud=12345", NULL}, *const unknown[] = {"latency=1", NULL};
    char path[] = "/tmp/tulle-serial-XXXXXX";
    int file = mkstemp(path);
    cr_assert(file >= 0);
    refused("", NULL, "which?");
    refused("/dev/no-such-line", NULL, "plugged in");
    refused(path, NULL, "no serial line");
    refused(path, speed, "115200");
    refused(path, unknown, "latency");
    unlink(path);
    close(file);
}

Test(waiting, for_an_interrupt_and_for_none)
{
    struct board *b = session();
    cr_assert_eq(api->write_register(b, register_offset("interrupt_enable"), 1), BOARD_OK);
    cr_assert_eq(api->wait(b, 0, 0), BOARD_BAD_ARGUMENT, "a wait has a bound");
    cr_assert_eq(api->wait(b, 0, 30000000), BOARD_TIMEOUT);
    cr_assert(strstr(api->error(b), "no interrupt"), "%s", api->error(b));
    atomic_store(&far.interrupt_after, 5);
    cr_assert_eq(api->wait(b, 0, UINT64_C(10000000000)), BOARD_OK, "%s", api->error(b));
    cr_assert_eq(api->wait(b, UINT64_MAX, 0), BOARD_OK);
    end(b);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "tests/sim_serial/far_end.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "sim/board/registers.h"

#define HEAD 8
#define NONE 256 /* no number of a request */

static uint32_t word_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static size_t put_word(uint8_t *to, size_t at, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        to[at++] = (uint8_t)(word >> 8 * i);
    return at;
}

size_t make_answer(uint8_t frame[SERIAL_ANSWER_MAX], uint8_t number, enum serial_status status,
                   const uint32_t *words, unsigned count)
{
    size_t at = 0;
    frame[at++] = 0x41;
    frame[at++] = number;
    frame[at++] = (uint8_t)status;
    frame[at++] = (uint8_t)count;
    for (unsigned i = 0; i < count; i++)
        at = put_word(frame, at, words[i]);
    const uint16_t sum = serial_sum(frame, at);
    frame[at++] = (uint8_t)(sum >> 8);
    frame[at++] = (uint8_t)sum;
    return at;
}

/* ---- what it does -------------------------------------------------------------------------------- */

static uint32_t read_far_register(struct far_end *far, uint32_t offset)
{
    if (offset == register_offset("interrupt_status") && atomic_load(&far->interrupt_after) != UINT_MAX &&
        atomic_fetch_sub(&far->interrupt_after, 1) == 0)
        far->registers[offset / 4] = INTERRUPT_DONE;
    return far->registers[offset / 4];
}

static bool reads(unsigned operation)
{
    return operation == SERIAL_READ_REGISTERS || operation == SERIAL_READ_MEMORY;
}

static bool within(unsigned operation, uint32_t address, unsigned count)
{
    const bool memory = operation == SERIAL_READ_MEMORY || operation == SERIAL_WRITE_MEMORY;
    return address + 4 * count <= (memory ? FAR_MEMORY : 4 * FAR_REGISTERS);
}

static void move_word(struct far_end *far, unsigned operation, uint32_t at, const uint8_t *from, uint32_t *to)
{
    switch (operation) {
    case SERIAL_READ_REGISTERS:
        *to = read_far_register(far, at);
        break;
    case SERIAL_WRITE_REGISTERS:
        far->registers[at / 4] = word_at(from);
        break;
    case SERIAL_READ_MEMORY:
        *to = word_at(&far->memory[at]);
        break;
    default:
        memcpy(&far->memory[at], from, 4);
    }
}

/* A request that is right, into the answer. */
static void perform(struct far_end *far, const uint8_t *frame)
{
    const unsigned operation = frame[2], count = frame[3];
    const uint32_t address = word_at(frame + 4);
    enum serial_status status = (enum serial_status)atomic_load(&far->status);
    uint32_t words[SERIAL_WORDS_MAX] = {far->magic, far->version, far->memory_told, far->clock};
    unsigned answered = SERIAL_TOLD;
    far->done++;
    if (operation == SERIAL_IDENTIFY || operation == SERIAL_RESET) {
        far->resets += operation == SERIAL_RESET;
        answered = operation == SERIAL_RESET ? 0 : SERIAL_TOLD;
        status = SERIAL_DONE;
    } else if (!within(operation, address, count)) {
        status = SERIAL_REFUSED;
    }
    for (unsigned i = 0; status == SERIAL_DONE && operation > SERIAL_RESET && i < count; i++)
        move_word(far, operation, address + 4 * i, frame + HEAD + 4 * (size_t)i, &words[i]);
    if (operation > SERIAL_RESET)
        answered = status == SERIAL_DONE && reads(operation) ? count : 0;
    far->answer_bytes = make_answer(far->answer, frame[1], status, words, answered);
}

/* ---- the line ------------------------------------------------------------------------------------ */

static bool turn_of(atomic_uint *every, unsigned count)
{
    const unsigned n = atomic_load(every);
    return n && count % n == 0;
}

static void put(struct far_end *far, const uint8_t *bytes, size_t count)
{
    if (write(far->terminal, bytes, count) != (ssize_t)count)
        atomic_store(&far->stopped, true);
}

static void send_answer(struct far_end *far)
{
    uint8_t sent[SERIAL_ANSWER_MAX];
    const unsigned count = ++far->answers;
    memcpy(sent, far->answer, far->answer_bytes);
    if (atomic_load(&far->mute) || turn_of(&far->lose, count))
        return;
    if (turn_of(&far->spoil, count))
        sent[count % far->answer_bytes] ^= 0x10;
    if (turn_of(&far->rename, count))
        (void)make_answer(sent, (uint8_t)(far->answer[1] + 1), SERIAL_DONE, NULL, 0);
    put(far, sent, turn_of(&far->cut, count) ? far->answer_bytes / 2 : far->answer_bytes);
    if (turn_of(&far->repeat, count))
        put(far, sent, far->answer_bytes);
}

static size_t frame_bytes(const uint8_t *frame)
{
    const bool writes = frame[2] == SERIAL_WRITE_REGISTERS || frame[2] == SERIAL_WRITE_MEMORY;
    return HEAD + (writes ? 4 * (size_t)frame[3] : 0) + 2;
}

/* What has come so far; bytes that belong to no frame are dropped. */
static size_t take(struct far_end *far, uint8_t *frame, size_t have)
{
    if (have < HEAD || have < frame_bytes(frame))
        return have;
    if (frame[0] == 0x54 && serial_sum(frame, frame_bytes(frame)) == 0) {
        if (frame[1] != far->last || frame[2] == SERIAL_IDENTIFY)
            perform(far, frame);
        far->last = frame[1];
        send_answer(far);
    }
    return 0;
}

static void *answer(void *argument)
{
    struct far_end *far = argument;
    uint8_t frame[SERIAL_REQUEST_MAX];
    size_t have = 0;
    while (!atomic_load(&far->stopped)) {
        struct pollfd wait = {.fd = far->terminal, .events = POLLIN};
        /* A pause ends a frame. */
        if (poll(&wait, 1, 20) <= 0) {
            have = 0;
            continue;
        }
        const size_t want = have < HEAD ? HEAD : frame_bytes(frame);
        ssize_t got = want > sizeof frame ? -1 : read(far->terminal, frame + have, want - have);
        if (got <= 0)
            break;
        have = take(far, frame, have + (size_t)got);
    }
    return NULL;
}

void far_start(struct far_end *far)
{
    struct termios raw;
    far->magic = far->magic ? far->magic : SERIAL_MAGIC;
    far->version = far->version ? far->version : SERIAL_VERSION;
    far->memory_told = far->memory_told ? far->memory_told : FAR_MEMORY;
    far->clock = far->clock ? far->clock : 1000000;
    far->last = NONE;
    far->terminal = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(far->terminal >= 0 && grantpt(far->terminal) == 0 && unlockpt(far->terminal) == 0);
    snprintf(far->path, sizeof far->path, "%s", ptsname(far->terminal));
    snprintf(far->board, sizeof far->board, "serial:%s", far->path);
    /* No echo, before anybody opens it; and it outlives those who do. */
    far->other_end = open(far->path, O_RDWR | O_NOCTTY);
    cr_assert(far->other_end >= 0 && tcgetattr(far->other_end, &raw) == 0);
    raw.c_iflag = raw.c_oflag = raw.c_lflag = 0;
    cr_assert_eq(tcsetattr(far->other_end, TCSANOW, &raw), 0);
    cr_assert_eq(pthread_create(&far->thread, NULL, answer, far), 0);
}

void far_stop(struct far_end *far)
{
    atomic_store(&far->stopped, true);
    cr_assert_eq(pthread_join(far->thread, NULL), 0);
    close(far->other_end);
    close(far->terminal);
}

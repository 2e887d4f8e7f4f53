/* SPDX-License-Identifier: Apache-2.0
 *
 * serial-probe LINE BAUD [dead]: frames that the board's driver does not send,
 * to a board of `tiny` with 128 KiB of memory; says "PASS" when every answer is
 * as docs/serial.md has it. dead: the board's device does not answer on its bus.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/serial/frame.h"
#include "host/serial/line.h"
#include "sim/board/common.h"

#define SECOND UINT64_C(1000000000)
#define PATIENCE (60 * SECOND) /* simulated boards are slow, */
#define TRIES 12               /* and may still wait for the rest of what was sent before */
#define QUIET (SECOND / 5)
#define MEMORY 131072u

static int line, failures;
static uint8_t answer[SERIAL_ANSWER_MAX];

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    printf("wrong: %s\n", what);
    failures++;
}

static void send(const uint8_t *bytes, size_t count)
{
    if (line_send(line, bytes, count, board_now() + PATIENCE) != LINE_OK) {
        puts("the line takes nothing");
        exit(1);
    }
}

/* Whether an answer came, into `answer`. */
static bool receive(uint64_t nanoseconds)
{
    size_t have = 0, want = 0;
    const uint64_t until = board_now() + nanoseconds;
    while (serial_answer(answer, have, &want) == SERIAL_MORE) {
        size_t count = want - have;
        if (line_receive(line, answer + have, &count, until) != LINE_OK)
            return false;
        have += count;
    }
    return serial_answer(answer, have, &want) == SERIAL_WHOLE;
}

static void ask(uint8_t number, unsigned operation, uint32_t address, const uint32_t *words, unsigned count)
{
    uint8_t frame[SERIAL_REQUEST_MAX];
    const struct serial_request request = {.number = number,
                                           .operation = (enum serial_operation)operation,
                                           .address = address,
                                           .words = words,
                                           .count = count};
    const size_t bytes = serial_request(&request, frame);
    bool answered = false;
    for (unsigned i = 0; i < TRIES && !answered; i++) {
        send(frame, bytes);
        answered = receive(PATIENCE / TRIES);
    }
    if (!answered) {
        printf("no answer to request %u, operation %u\n", number, operation);
        exit(1);
    }
    expect(serial_answer_number(answer) == number, "an answer has the number of its request");
}

static void gives(enum serial_status status, unsigned words, const char *what)
{
    if (serial_answer_status(answer) != status || serial_answer_words(answer) != words)
        printf("status %d, %u words: ", (int)serial_answer_status(answer), serial_answer_words(answer));
    expect(serial_answer_status(answer) == status && serial_answer_words(answer) == words, what);
}

static void identity(void)
{
    ask(1, SERIAL_IDENTIFY, 0, NULL, 0);
    gives(SERIAL_DONE, SERIAL_TOLD, "identify");
    expect(serial_answer_word(answer, 0) == SERIAL_MAGIC, "magic");
    expect(serial_answer_word(answer, 1) == SERIAL_VERSION, "version");
    expect(serial_answer_word(answer, 2) == MEMORY, "bytes of memory");
    expect(serial_answer_word(answer, 3) == 4000000, "clock");
}

static void requests_that_cannot_be(void)
{
    const uint32_t word = 7;
    ask(2, 9, 0, NULL, 0);
    gives(SERIAL_BAD, 0, "no such operation");
    ask(3, SERIAL_READ_MEMORY, 0, NULL, 0);
    gives(SERIAL_BAD, 0, "no words");
    ask(4, SERIAL_READ_MEMORY, 0, NULL, SERIAL_WORDS_MAX + 1);
    gives(SERIAL_BAD, 0, "too many words");
    ask(5, SERIAL_READ_MEMORY, 2, NULL, 1);
    gives(SERIAL_BAD, 0, "half a word");
    ask(6, SERIAL_WRITE_REGISTERS, 0x11, &word, 1);
    gives(SERIAL_BAD, 0, "a quarter");
}

static void places_that_are_not_there(void)
{
    const uint32_t words[2] = {0x11111111, 0x22222222};
    ask(10, SERIAL_WRITE_MEMORY, MEMORY - 4, words, 2);
    gives(SERIAL_REFUSED, 0, "the end of memory, written");
    ask(11, SERIAL_READ_MEMORY, MEMORY - 4, NULL, 1);
    gives(SERIAL_DONE, 1, "the last word");
    expect(serial_answer_word(answer, 0) == words[0], "what was before the end was written");
    ask(12, SERIAL_READ_MEMORY, MEMORY - 4, NULL, 2);
    gives(SERIAL_REFUSED, 0, "the end of memory, read");
    ask(13, SERIAL_READ_MEMORY, 0xFFFFFFFC, NULL, 1);
    gives(SERIAL_REFUSED, 0, "far away");
    ask(14, SERIAL_READ_REGISTERS, 0x1000, NULL, 1);
    gives(SERIAL_REFUSED, 0, "behind the registers, read");
    ask(15, SERIAL_WRITE_REGISTERS, 0x80000010, words, 1);
    gives(SERIAL_REFUSED, 0, "behind the registers, written");
}

static void memory_as_words(void)
{
    uint32_t words[SERIAL_WORDS_MAX];
    for (unsigned i = 0; i < SERIAL_WORDS_MAX; i++)
        words[i] = 0x01010101u * i + 0x9E3779B9u;
    ask(20, SERIAL_WRITE_MEMORY, 0x404, words, SERIAL_WORDS_MAX);
    gives(SERIAL_DONE, 0, "64 words written");
    ask(21, SERIAL_READ_MEMORY, 0x404, NULL, SERIAL_WORDS_MAX);
    gives(SERIAL_DONE, SERIAL_WORDS_MAX, "64 words read");
    for (unsigned i = 0; i < SERIAL_WORDS_MAX; i++)
        expect(serial_answer_word(answer, i) == words[i], "a word as it was written");
}

/* The same number is answered again, and not done again. */
static void requests_that_come_again(void)
{
    const uint32_t first = 0xAAAA5555, second = 0x12344321;
    ask(30, SERIAL_WRITE_MEMORY, 0x100, &first, 1);
    ask(30, SERIAL_WRITE_MEMORY, 0x100, &second, 1);
    gives(SERIAL_DONE, 0, "the answer of the first");
    ask(31, SERIAL_READ_MEMORY, 0x100, NULL, 1);
    expect(serial_answer_word(answer, 0) == first, "a write that came again was not done again");
    ask(32, SERIAL_WRITE_MEMORY, 0x100, &second, 1);
    ask(33, SERIAL_READ_MEMORY, 0x100, NULL, 1);
    ask(33, SERIAL_READ_MEMORY, 0x100, NULL, 1);
    gives(SERIAL_DONE, 1, "a read that came again");
    expect(serial_answer_word(answer, 0) == second, "with the words of the first answer");
}

/* What a frame that was spoilt had with it is not what an answer had: that is said, and then it goes on. */
static void answers_that_are_lost(void)
{
    uint8_t frame[SERIAL_REQUEST_MAX];
    const uint32_t word = 0x0BADF00D;
    const struct serial_request request = {
        .number = 40, .operation = SERIAL_WRITE_MEMORY, .address = 0x200, .words = &word, .count = 1};
    ask(39, SERIAL_READ_MEMORY, 0x100, NULL, 1);
    const size_t bytes = serial_request(&request, frame);
    frame[bytes - 1] ^= 1;
    send(frame, bytes);
    expect(!receive(QUIET), "a frame with a wrong sum is not answered");
    ask(39, SERIAL_READ_MEMORY, 0x100, NULL, 1);
    gives(SERIAL_LOST, 0, "its words were written over");
    ask(41, SERIAL_READ_MEMORY, 0x100, NULL, 1);
    gives(SERIAL_DONE, 1, "and the next request is done");
}

/* Half a frame is forgotten after a while, and so are bytes that begin none. */
static void frames_that_stop(void)
{
    uint8_t frame[SERIAL_REQUEST_MAX];
    const uint8_t noise[] = {0, 0xFF, 0x41, 0x55};
    const struct serial_request request = {
        .number = 50, .operation = SERIAL_READ_MEMORY, .address = 0x100, .count = 1};
    const size_t bytes = serial_request(&request, frame);
    for (size_t i = 1; i < bytes; i += 4) {
        send(frame, i);
        expect(!receive(QUIET), "half a frame is not answered");
        ask((uint8_t)(60 + i), SERIAL_READ_MEMORY, 0x100, NULL, 1);
        gives(SERIAL_DONE, 1, "behind half a frame");
    }
    send(noise, sizeof noise);
    ask(59, SERIAL_READ_MEMORY, 0x100, NULL, 1);
    gives(SERIAL_DONE, 1, "behind noise");
}

static void resets(void)
{
    ask(80, SERIAL_RESET, 0, NULL, 0);
    gives(SERIAL_DONE, 0, "reset");
    ask(81, SERIAL_READ_MEMORY, 0x100, NULL, 1);
    expect(serial_answer_word(answer, 0) == 0x12344321, "memory keeps its contents");
}

/* Registers hang; memory, behind the reset that comes of it, does not. */
static void dead_device(void)
{
    const uint32_t word = 5;
    ask(90, SERIAL_READ_REGISTERS, 0x10, NULL, 1);
    gives(SERIAL_TIMEOUT, 0, "a read that nobody answers");
    ask(92, SERIAL_WRITE_MEMORY, 0x10, &word, 1);
    gives(SERIAL_DONE, 0, "memory behind them");
}

int main(int argc, char **argv)
{
    struct strbuf why = {0};
    if (argc < 3) {
        fputs("Usage: serial-probe LINE BAUD [dead]\n", stderr);
        return 2;
    }
    line = line_open(argv[1], (uint32_t)strtoul(argv[2], NULL, 10), &why);
    if (line < 0) {
        printf("%s: %s\n", argv[1], sb_text(&why));
        return 1;
    }
    identity();
    if (argc > 3) {
        dead_device();
    } else {
        requests_that_cannot_be();
        places_that_are_not_there();
        memory_as_words();
        requests_that_come_again();
        answers_that_are_lost();
        frames_that_stop();
        resets();
    }
    line_close(line);
    puts(failures ? "FAIL" : "PASS");
    return failures > 0;
}

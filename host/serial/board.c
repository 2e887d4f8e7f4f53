/* SPDX-License-Identifier: Apache-2.0
 *
 * The board "serial": accesses registers and memory by requests over a serial
 * line, with at most 64 words each, and repeats requests that were lost or
 * damaged. It polls for interrupts. The place of the board is the path of the
 * line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/serial/frame.h"
#include "host/serial/line.h"
#include "host/serial/serial.h"
#include "sim/board/common.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"

#define SECOND UINT64_C(1000000000)
#define BAUD_DEFAULT 115200
#define PATIENCE_DEFAULT 8 /* seconds */
#define TRIES 4
#define QUIET (SECOND / 25) /* twice what the board takes a frame for broken after */
#define LOOK (SECOND / 500) /* between two looks for an interrupt */
#define WORD 4

struct board {
    int line;
    uint8_t number;
    uint64_t patience, baud; /* nanoseconds of all tries; bits a second */
    uint32_t memory, clock;
    uint8_t answer[SERIAL_ANSWER_MAX];
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

/* ---- requests -------------------------------------------------------------------------------- */

/* The answer of that number, into b->answer; others are of a request that was asked twice. */
static enum line_status await_answer(struct board *b, uint8_t number, uint64_t until)
{
    size_t have = 0, want = 0;
    for (;;) {
        enum serial_progress progress = serial_answer(b->answer, have, &want);
        if (progress == SERIAL_WHOLE && serial_answer_number(b->answer) == number)
            return LINE_OK;
        /* The rest of it, whatever it is, is gone when the line is quiet. */
        if (progress != SERIAL_MORE)
            return LINE_TIMEOUT;
        size_t count = want - have;
        enum line_status status = line_receive(b->line, b->answer + have, &count, until);
        if (status != LINE_OK)
            return status;
        have += count;
    }
}

/* What the answer says is not the line's fault. */
static enum board_status judge(struct board *b, const struct serial_request *request, unsigned words)
{
    switch (serial_answer_status(b->answer)) {
    case SERIAL_DONE:
        return serial_answer_words(b->answer) == words ? BOARD_OK
                                                       : fail(b, "its answers have other lengths than asked");
    case SERIAL_REFUSED:
        return board_refuse(&b->error, "the board has nothing at this address", request->address);
    case SERIAL_TIMEOUT:
        return fail(b, "the device did not answer on its bus, and was reset");
    case SERIAL_BAD:
        return fail(b, "it knows no such request: is it of another version?");
    case SERIAL_LOST:
        return fail(b, "an answer was lost on a disturbed line");
    }
    return fail(b, "its answers make no sense");
}

/* Asks until there is an answer. `words` are expected with it. */
static enum board_status ask(struct board *b, struct serial_request *request, unsigned words)
{
    uint8_t frame[SERIAL_REQUEST_MAX];
    request->number = ++b->number;
    const size_t bytes = serial_request(request, frame);
    const uint64_t on_line = (SERIAL_REQUEST_MAX + SERIAL_ANSWER_MAX) * 10 * SECOND / b->baud;
    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t until = board_now() + b->patience / TRIES + on_line;
        enum line_status status = line_send(b->line, frame, bytes, until);
        if (status == LINE_OK)
            status = await_answer(b, request->number, until);
        if (status == LINE_OK)
            return judge(b, request, words);
        if (status == LINE_TIMEOUT)
            status = line_settle(b->line, QUIET, board_now() + b->patience / TRIES + on_line);
        if (status == LINE_GONE)
            return fail(b, strerror(errno));
    }
    return fail(b,
                "it does not answer: is it the right line, its speed the right one, the board configured?");
}

static enum board_status get_words(struct board *b, enum serial_operation operation, uint32_t address,
                                   uint32_t *to, unsigned count)
{
    struct serial_request request = {.operation = operation, .address = address, .count = count};
    enum board_status status = ask(b, &request, count);
    for (unsigned i = 0; status == BOARD_OK && i < count; i++)
        to[i] = serial_answer_word(b->answer, i);
    return status;
}

static enum board_status put_words(struct board *b, enum serial_operation operation, uint32_t address,
                                   const uint32_t *from, unsigned count)
{
    struct serial_request request = {
        .operation = operation, .address = address, .words = from, .count = count};
    return ask(b, &request, 0);
}

/* ---- registers ------------------------------------------------------------------------------- */

static enum board_status read_register(struct board *b, uint32_t offset, uint32_t *value)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (offset >= ISA_REGISTER_SPACE || offset % WORD)
        return board_refuse(&b->error, "no register has this offset", offset);
    return get_words(b, SERIAL_READ_REGISTERS, offset, value, 1);
}

static enum board_status write_register(struct board *b, uint32_t offset, uint32_t value)
{
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (offset >= ISA_REGISTER_SPACE || offset % WORD)
        return board_refuse(&b->error, "no register has this offset", offset);
    return put_words(b, SERIAL_WRITE_REGISTERS, offset, &value, 1);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool holds(const struct board *b, uint64_t address, size_t bytes)
{
    return bytes <= b->memory && address <= b->memory - bytes;
}

/* A stretch of memory is words, but for the bytes at its ends. */
struct stretch {
    uint32_t first; /* address of the first word */
    unsigned words, skip, bytes;
};

static struct stretch next_stretch(uint64_t address, size_t left)
{
    struct stretch s = {.first = (uint32_t)(address - address % WORD), .skip = (unsigned)(address % WORD)};
    const size_t most = SERIAL_WORDS_MAX * WORD - s.skip;
    s.bytes = (unsigned)(left < most ? left : most);
    s.words = math_divide_up(s.skip + s.bytes, WORD);
    return s;
}

static void words_to_bytes(const uint32_t *words, unsigned first, uint8_t *to, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = (uint8_t)(words[(first + i) / WORD] >> 8 * ((first + i) % WORD));
}

static void bytes_to_words(const uint8_t *from, unsigned count, uint32_t *words, unsigned first)
{
    for (unsigned i = 0; i < count; i++) {
        const unsigned shift = 8 * ((first + i) % WORD);
        uint32_t *word = &words[(first + i) / WORD];
        *word = (*word & ~((uint32_t)0xFF << shift)) | (uint32_t)from[i] << shift;
    }
}

static enum board_status read_memory(struct board *b, uint64_t address, void *to, size_t bytes)
{
    uint32_t words[SERIAL_WORDS_MAX];
    uint8_t *at = to;
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (!holds(b, address, bytes))
        return board_refuse(&b->error, "not all of it is in memory", address);
    while (bytes) {
        const struct stretch s = next_stretch(address, bytes);
        enum board_status status = get_words(b, SERIAL_READ_MEMORY, s.first, words, s.words);
        if (status != BOARD_OK)
            return status;
        words_to_bytes(words, s.skip, at, s.bytes);
        at += s.bytes;
        address += s.bytes;
        bytes -= s.bytes;
    }
    return BOARD_OK;
}

/* The bytes of the outer words that stay as they are. */
static enum board_status read_ends(struct board *b, const struct stretch *s, uint32_t *words)
{
    const unsigned end = (s->skip + s->bytes) % WORD;
    enum board_status status = BOARD_OK;
    if (s->skip)
        status = get_words(b, SERIAL_READ_MEMORY, s->first, words, 1);
    if (status == BOARD_OK && end && (s->words > 1 || !s->skip))
        status = get_words(b, SERIAL_READ_MEMORY, s->first + WORD * (s->words - 1), &words[s->words - 1], 1);
    return status;
}

static enum board_status write_memory(struct board *b, uint64_t address, const void *from, size_t bytes)
{
    uint32_t words[SERIAL_WORDS_MAX] = {0};
    const uint8_t *at = from;
    if (begin_call(b) != BOARD_OK)
        return BOARD_FAILED;
    if (!holds(b, address, bytes))
        return board_refuse(&b->error, "not all of it is in memory", address);
    while (bytes) {
        const struct stretch s = next_stretch(address, bytes);
        enum board_status status = read_ends(b, &s, words);
        if (status == BOARD_OK) {
            bytes_to_words(at, s.bytes, words, s.skip);
            status = put_words(b, SERIAL_WRITE_MEMORY, s.first, words, s.words);
        }
        if (status != BOARD_OK)
            return status;
        at += s.bytes;
        address += s.bytes;
        bytes -= s.bytes;
    }
    return BOARD_OK;
}

uint64_t serial_memory(const struct board *b)
{
    return b->memory;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void close_board(struct board *b)
{
    if (!b)
        return;
    line_close(b->line);
    sb_free(&b->error);
    free(b);
}

/* The device is as after power-on then, whoever used it before. */
static enum board_status greet(struct board *b)
{
    uint32_t told[SERIAL_TOLD];
    struct serial_request request = {.operation = SERIAL_IDENTIFY};
    if (ask(b, &request, SERIAL_TOLD) != BOARD_OK)
        return BOARD_FAILED;
    for (unsigned i = 0; i < SERIAL_TOLD; i++)
        told[i] = serial_answer_word(b->answer, i);
    if (told[0] != SERIAL_MAGIC)
        return fail(b, "what answers there is no Tulle board");
    if (told[1] >> 8 != SERIAL_VERSION >> 8)
        return fail(b, "the board is of another major version than this driver");
    if (!told[2] || !told[3])
        return fail(b, "the board says that it has no memory, or no clock");
    b->memory = told[2];
    b->clock = told[3];
    request.operation = SERIAL_RESET;
    return ask(b, &request, 0);
}

static bool is_speed(uint64_t baud)
{
    size_t at = 0;
    while (line_speeds[at] && line_speeds[at] != baud)
        at++;
    return line_speeds[at];
}

/* For whoever looks for the variant (host/devices/candidate.c); the board needs none. */
static bool pass(void *context, const char *value)
{
    (void)context;
    return *value;
}

static bool furnish(struct board *b, const char *place, const char *const *settings, struct strbuf *why)
{
    uint64_t patience = PATIENCE_DEFAULT, baud = BAUD_DEFAULT;
    const struct setting_spec specs[] = {{.name = "baud", .number = &baud, .min = 9600, .max = 3000000},
                                         {.name = "patience", .number = &patience, .min = 1, .max = 3600},
                                         {.name = "variant", .take = pass, .form = "a variant"},
                                         {.name = "set", .take = pass, .form = "KEY=VALUE of the variant"},
                                         {.name = NULL}};
    if (!settings_read(settings, specs, NULL, why))
        return false;
    if (!*place) {
        sb_add(why, "which? serial:PATH, of a serial line such as /dev/ttyUSB0");
        return false;
    }
    if (!is_speed(baud)) {
        sb_addf(why, "baud: no serial line runs at %llu bits a second; 115200 and 1000000 are usual ones",
                (unsigned long long)baud);
        return false;
    }
    b->patience = patience * SECOND;
    b->baud = baud;
    b->line = line_open(place, (uint32_t)baud, &b->error);
    if (b->line < 0 || greet(b) != BOARD_OK)
        sb_addf(why, "%s: %s", place, sb_text(&b->error));
    return !why->len;
}

static struct board *open_board(const char *place, const char *const *settings, char *why, size_t room)
{
    struct strbuf reason = {0};
    struct board *b = calloc(1, sizeof *b);
    bool ok = false;
    if (b) {
        b->line = -1;
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

/* ---- waiting --------------------------------------------------------------------------------- */

/* The first bound, in nanoseconds; cycles take as long as the board says. */
static uint64_t bound(const struct board *b, uint64_t cycles, uint64_t nanoseconds)
{
    const uint64_t most = UINT64_MAX / SECOND;
    const uint64_t by_cycles = (cycles < most ? cycles : most) * SECOND / b->clock + SECOND;
    if (!cycles)
        return nanoseconds;
    return nanoseconds && nanoseconds < by_cycles ? nanoseconds : by_cycles;
}

/* Nothing comes by itself. */
static enum board_status pause_on_line(struct board *b, uint64_t nanoseconds)
{
    return line_settle(b->line, nanoseconds, board_now() + nanoseconds) == LINE_GONE
               ? fail(b, strerror(errno))
               : BOARD_OK;
}

static enum board_status wait_for_interrupt(struct board *b, uint64_t cycles, uint64_t nanoseconds)
{
    const struct board_poll poll = {.api = &board_serial,
                                    .most = bound(b, cycles, nanoseconds),
                                    .look = LOOK,
                                    .pause = pause_on_line,
                                    .error = &b->error};
    return begin_call(b) == BOARD_OK ? board_poll(b, &poll) : BOARD_FAILED;
}

static const char *last_error(const struct board *b)
{
    return sb_text(&b->error);
}

const struct board_api board_serial = {.size = sizeof board_serial,
                                       .version = BOARD_API_VERSION,
                                       .kind = "serial",
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

/* SPDX-License-Identifier: Apache-2.0
 *
 * The test access port of an ECP5, as far as loading it goes, at the other end of a TCP connection that
 * speaks XVC: for trying loader programs without a board. It takes a bitstream only when it is for this part,
 * as the chip does: preamble, then the command that verifies the part's number.
 *
 *   tap IDCODE FILE     prints the TCP port that it listens on, serves one connection for a minute at most,
 * and writes what was loaded into FILE; exit status 0 when a bitstream for the part was
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum state {
    RESET,
    IDLE,
    SELECT_DR,
    CAPTURE_DR,
    SHIFT_DR,
    EXIT1_DR,
    PAUSE_DR,
    EXIT2_DR,
    UPDATE_DR,
    SELECT_IR,
    CAPTURE_IR,
    SHIFT_IR,
    EXIT1_IR,
    PAUSE_IR,
    EXIT2_IR,
    UPDATE_IR,
};

/* Where each state goes with TMS 0 and 1. */
static const enum state next[][2] = {
    [RESET] = {IDLE, RESET},
    [IDLE] = {IDLE, SELECT_DR},
    [SELECT_DR] = {CAPTURE_DR, SELECT_IR},
    [CAPTURE_DR] = {SHIFT_DR, EXIT1_DR},
    [SHIFT_DR] = {SHIFT_DR, EXIT1_DR},
    [EXIT1_DR] = {PAUSE_DR, UPDATE_DR},
    [PAUSE_DR] = {PAUSE_DR, EXIT2_DR},
    [EXIT2_DR] = {SHIFT_DR, UPDATE_DR},
    [UPDATE_DR] = {IDLE, SELECT_DR},
    [SELECT_IR] = {CAPTURE_IR, RESET},
    [CAPTURE_IR] = {SHIFT_IR, EXIT1_IR},
    [SHIFT_IR] = {SHIFT_IR, EXIT1_IR},
    [EXIT1_IR] = {PAUSE_IR, UPDATE_IR},
    [PAUSE_IR] = {PAUSE_IR, EXIT2_IR},
    [EXIT2_IR] = {SHIFT_IR, UPDATE_IR},
    [UPDATE_IR] = {IDLE, SELECT_DR},
};

enum {
    IR_BITS = 8,
    READ_ID = 0xE0,
    ENABLE = 0xC6,
    DISABLE = 0x26,
    ERASE = 0x0E,
    BURST = 0x7A,
    READ_STATUS = 0x3C,
    CHECK_BUSY = 0xF0,
    BYPASS = 0xFF,
    VERIFY_ID = 0xE2, /* in a bitstream */
};

#define STATUS_DONE (1u << 8)
#define STATUS_ENABLED (1u << 9)
#define STATUS_FAIL (1u << 13)
#define STATUS_WRONG_ID (1u << 23)
#define PREAMBLE 0xFFFFBDB3u

static struct tap {
    enum state state;
    uint32_t idcode, status, shift;
    uint8_t ir;
    unsigned bits; /* of the register that is being shifted */
    uint8_t *loaded;
    size_t loaded_bits, room;
} tap;

/* ---- the bitstream ---------------------------------------------------------------------------- */

static void load_bit(bool bit)
{
    if (tap.loaded_bits == 8 * tap.room) {
        tap.room = tap.room ? 2 * tap.room : 65536;
        tap.loaded = realloc(tap.loaded, tap.room);
        if (!tap.loaded)
            abort();
    }
    size_t byte = tap.loaded_bits / 8;
    if (tap.loaded_bits % 8 == 0)
        tap.loaded[byte] = 0;
    tap.loaded[byte] |= (uint8_t)(bit << (7 - tap.loaded_bits++ % 8));
}

static uint32_t word_at(size_t at)
{
    return (uint32_t)tap.loaded[at] << 24 | (uint32_t)tap.loaded[at + 1] << 16 |
           (uint32_t)tap.loaded[at + 2] << 8 | tap.loaded[at + 3];
}

/* Of what was loaded: a preamble, and behind it, fillers aside, the part's number. */
static void judge(void)
{
    size_t bytes = tap.loaded_bits / 8, at = 0;
    tap.status |= STATUS_FAIL;
    while (at + 4 <= bytes && word_at(at) != PREAMBLE)
        at++;
    for (at += 4; at + 8 <= bytes && tap.loaded[at] != VERIFY_ID; at++)
        if (tap.loaded[at] != 0xFF && tap.loaded[at] != 0x3B && tap.loaded[at] != 0)
            return;
    if (at + 8 > bytes)
        return;
    if (word_at(at + 4) != tap.idcode)
        tap.status |= STATUS_WRONG_ID;
    else
        tap.status = (tap.status & ~STATUS_FAIL) | STATUS_DONE;
}

/* ---- the port --------------------------------------------------------------------------------- */

static void capture_dr(void)
{
    tap.shift = tap.ir == READ_ID ? tap.idcode : tap.ir == READ_STATUS ? tap.status : 0;
    tap.bits = tap.ir == BYPASS ? 1 : tap.ir == CHECK_BUSY ? 8 : 32;
}

static void update_ir(void)
{
    if (tap.ir == ENABLE)
        tap.status |= STATUS_ENABLED;
    if (tap.ir == DISABLE)
        tap.status &= ~STATUS_ENABLED;
    if (tap.ir == ERASE) {
        tap.status &= ~(STATUS_DONE | STATUS_FAIL | STATUS_WRONG_ID);
        tap.loaded_bits = 0;
    }
}

/* A rising edge of the clock; what TDO was before it. */
static bool clock_edge(bool tms, bool tdi)
{
    bool shifting = tap.state == SHIFT_DR || tap.state == SHIFT_IR, tdo = shifting && (tap.shift & 1);
    if (shifting)
        tap.shift = tap.shift >> 1 | (uint32_t)tdi << (tap.bits - 1);
    if (tap.state == SHIFT_DR && tap.ir == BURST && (tap.status & STATUS_ENABLED))
        load_bit(tdi);
    tap.state = next[tap.state][tms];
    if (tap.state == RESET)
        tap.ir = READ_ID;
    if (tap.state == CAPTURE_DR)
        capture_dr();
    if (tap.state == CAPTURE_IR) {
        tap.shift = 1;
        tap.bits = IR_BITS;
    }
    if (tap.state == UPDATE_IR) {
        tap.ir = (uint8_t)tap.shift;
        update_ir();
    }
    if (tap.state == UPDATE_DR && tap.ir == BURST)
        judge();
    return tdo;
}

/* ---- XVC -------------------------------------------------------------------------------------------- */

static bool get(int fd, void *to, size_t size)
{
    uint8_t *at = to;
    while (size) {
        ssize_t got = read(fd, at, size);
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool put(int fd, const void *from, size_t size)
{
    return write(fd, from, size) == (ssize_t)size;
}

static bool shift(int fd)
{
    uint8_t length[4];
    if (!get(fd, length, 4))
        return false;
    uint32_t bits =
        length[0] | (uint32_t)length[1] << 8 | (uint32_t)length[2] << 16 | (uint32_t)length[3] << 24;
    size_t bytes = (bits + 7) / 8;
    uint8_t *tms = calloc(3, bytes + 1);
    if (!tms)
        abort();
    uint8_t *tdi = tms + bytes, *tdo = tdi + bytes;
    bool ok = get(fd, tms, 2 * bytes);
    for (uint32_t i = 0; ok && i < bits; i++)
        tdo[i / 8] |= (uint8_t)(clock_edge(tms[i / 8] >> i % 8 & 1, tdi[i / 8] >> i % 8 & 1) << i % 8);
    ok = ok && put(fd, tdo, bytes);
    free(tms);
    return ok;
}

/* One message; false at the end of the connection, or when it is none of XVC. */
static bool serve(int fd)
{
    static const char info[] = "xvcServer_v1.0:2048\n";
    char name[8], rest[8];
    uint8_t period[4];
    if (!get(fd, name, 6))
        return false;
    if (!memcmp(name, "shift:", 6))
        return shift(fd);
    if (!memcmp(name, "getinf", 6))
        return get(fd, rest, 2) && put(fd, info, sizeof info - 1);
    return !memcmp(name, "settck", 6) && get(fd, rest, 1) && get(fd, period, 4) && put(fd, period, 4);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (argc != 3 || listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return 2;
    tap.idcode = (uint32_t)strtoul(argv[1], NULL, 0);
    printf("%u\n", ntohs(address.sin_port));
    fflush(stdout);
    alarm(60);
    int fd = accept(listener, NULL, NULL);
    while (fd >= 0 && serve(fd))
        ;
    FILE *file = fopen(argv[2], "wb");
    bool wrote =
        file && fwrite(tap.loaded, 1, tap.loaded_bits / 8, file) == tap.loaded_bits / 8 && !fclose(file);
    return wrote && (tap.status & STATUS_DONE) ? 0 : 1;
}

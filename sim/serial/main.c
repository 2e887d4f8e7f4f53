/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-seriald: a simulated board at the other end of a pseudo terminal.
 */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "gen/base/diag.h"
#include "gen/base/options.h"
#include "gen/base/random.h"
#include "gen/base/strbuf.h"
#include "gen/version.h"
#include "sim/board/settings.h"
#include "sim/serial/pins.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char help[] =
    "Usage: tulle-seriald --board FOLDER --link PATH [OPTION]...\n"
    "\n"
    "Runs the simulated board with a serial line that sim/serial/build made in FOLDER, until it is\n"
    "interrupted. PATH becomes a link to the host's end of the line: the board's name is \"serial:PATH\".\n"
    "\n"
    "  --board FOLDER  folder of serial.so\n"
    "  --link PATH     the link to create, which must not exist\n"
    "  --noise N       invert a bit in about every N-th byte, in both directions (0: none)\n"
    "  --seed N        seed of the noise and of the initial contents of registers and memories (1)\n"
    "  -h, --help      this text\n"
    "  -V, --version   the version\n"
    "\n"
    "Exit status: 0 interrupted, 1 failed, 2 wrong usage.\n";

#define RESET_CYCLES 32
#define SLICE 4000          /* cycles between two looks at the terminal */
#define QUIET_CYCLES 400000 /* of a board with nothing to do, until its clock rests: longer than it waits */
#define BYTE_BITS 10

struct seriald_options {
    const char *board, *link;
    int64_t noise, seed;
};

/* One direction of the line, as bits. */
struct lane {
    unsigned wait, left; /* cycles to the next bit; bits to come, 0: idle */
    unsigned bits;
};

struct seriald {
    const struct pins_api *api;
    struct pins *pins;
    int terminal, other_end;
    struct lane to, from;
    uint8_t input[256];
    size_t have, taken;
    struct random random;
    uint64_t noise, quiet;
    struct pins_out out;
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
}

/* ---- the line -------------------------------------------------------------------------------- */

static unsigned disturbed(struct seriald *s, unsigned byte)
{
    if (!s->noise || random_below(&s->random, s->noise))
        return byte;
    return byte ^ 1u << random_below(&s->random, 8);
}

/* What the host sends, in this cycle. */
static bool level_to(struct seriald *s)
{
    struct lane *lane = &s->to;
    if (!lane->left && s->taken < s->have) {
        lane->bits = 1u << 9 | disturbed(s, s->input[s->taken++]) << 1;
        lane->left = BYTE_BITS;
        lane->wait = s->api->divisor;
    }
    if (!lane->left)
        return true;
    bool level = lane->bits & 1;
    if (--lane->wait == 0) {
        lane->wait = s->api->divisor;
        lane->bits >>= 1;
        lane->left--;
    }
    return level;
}

/* What the board sends; false when the host is gone for good. */
static bool level_from(struct seriald *s, bool level)
{
    struct lane *lane = &s->from;
    if (!lane->left) {
        if (!level) {
            lane->left = BYTE_BITS;
            lane->wait = s->api->divisor / 2;
            lane->bits = 0;
        }
        return true;
    }
    if (lane->wait--)
        return true;
    lane->wait = s->api->divisor - 1;
    lane->bits |= (unsigned)level << (BYTE_BITS - lane->left);
    if (--lane->left)
        return true;
    const uint8_t byte = (uint8_t)disturbed(s, lane->bits >> 1 & 0xFF);
    /* A terminal that nobody reads is full: what does not go is lost, as on a line. */
    return write(s->terminal, &byte, 1) == 1 || errno == EAGAIN || errno == EINTR;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool take_input(struct seriald *s, bool sleep)
{
    struct pollfd wait = {.fd = s->terminal, .events = POLLIN};
    if (s->taken < s->have || poll(&wait, 1, sleep ? 1000 : 0) <= 0)
        return true;
    ssize_t got = read(s->terminal, s->input, sizeof s->input);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    s->have = got > 0 ? (size_t)got : 0;
    s->taken = 0;
    return true;
}

static bool run_slice(struct seriald *s)
{
    for (unsigned i = 0; i < SLICE; i++) {
        if (!s->api->step(s->pins, false, level_to(s), &s->out) || !level_from(s, s->out.line))
            return false;
        const bool idle = !s->to.left && !s->from.left && s->taken == s->have && !s->out.busy;
        s->quiet = idle ? s->quiet + 1 : 0;
    }
    return true;
}

static bool run(struct seriald *s, struct strbuf *why)
{
    while (!stopped) {
        const bool ok = take_input(s, s->quiet >= QUIET_CYCLES);
        if (!ok)
            sb_addf(why, "the terminal: %s", strerror(errno));
        if (!ok)
            return false;
        if (s->quiet >= QUIET_CYCLES && s->taken == s->have)
            continue;
        s->quiet = s->taken < s->have ? 0 : s->quiet;
        if (!run_slice(s)) {
            const char *violation = s->api->violation(s->pins);
            sb_add(why, *violation ? violation : strerror(errno));
            return false;
        }
    }
    return true;
}

/* ---- setting up ------------------------------------------------------------------------------ */

/* The terminal does nothing of its own to bytes. Its other end stays open here, so that it outlives hosts. */
static bool open_terminal(struct seriald *s, const char *link, struct strbuf *why)
{
    struct termios raw;
    s->terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const char *name = s->terminal >= 0 && grantpt(s->terminal) == 0 && unlockpt(s->terminal) == 0
                           ? ptsname(s->terminal)
                           : NULL;
    if (name)
        s->other_end = open(name, O_RDWR | O_NOCTTY);
    if (!name || s->other_end < 0 || tcgetattr(s->other_end, &raw) != 0) {
        sb_addf(why, "no pseudo terminal: %s", strerror(errno));
        return false;
    }
    raw.c_iflag = raw.c_oflag = raw.c_lflag = 0;
    raw.c_cflag = (raw.c_cflag & ~(tcflag_t)CSIZE) | CS8;
    if (tcsetattr(s->other_end, TCSANOW, &raw) != 0 ||
        fcntl(s->terminal, F_SETFL, fcntl(s->terminal, F_GETFL) | O_NONBLOCK) != 0 ||
        symlink(name, link) != 0) {
        sb_addf(why, "%s: %s", link, strerror(errno));
        return false;
    }
    return true;
}

static bool open_board(struct seriald *s, const char *folder, uint64_t seed, struct strbuf *why)
{
    struct strbuf path = {0};
    const char *reason = "out of memory";
    sb_addf(&path, "%s%s/serial.so", strchr(folder, '/') ? "" : "./", folder);
    if (sb_ok(&path))
        s->api = pins_load(sb_text(&path), &reason);
    if (s->api)
        s->pins = s->api->create(seed);
    for (unsigned i = 0; s->pins && i < RESET_CYCLES; i++)
        if (!s->api->step(s->pins, true, true, &s->out)) {
            reason = s->api->violation(s->pins);
            s->api->free(s->pins);
            s->pins = NULL;
        }
    if (!s->pins)
        sb_addf(why, "%s: %s; sim/serial/build makes it", sb_text(&path), reason);
    sb_free(&path);
    return s->pins;
}

static int serve(const struct seriald_options *o)
{
    struct seriald s = {
        .terminal = -1, .other_end = -1, .noise = (uint64_t)o->noise, .random = {(uint64_t)o->seed}};
    struct strbuf why = {0};
    const struct sigaction stop = {.sa_handler = on_signal};
    assert(o->board && o->link);
    bool linked = false, ok = open_board(&s, o->board, (uint64_t)o->seed, &why);
    if (ok) {
        ok = linked = open_terminal(&s, o->link, &why);
        sigaction(SIGINT, &stop, NULL);
        sigaction(SIGTERM, &stop, NULL);
    }
    if (ok) {
        printf("tulle-seriald: %s is the line of %s\n", o->link, o->board);
        fflush(stdout);
        ok = run(&s, &why);
    }
    if (linked)
        unlink(o->link);
    if (!ok)
        fprintf(stderr, "tulle-seriald: error: %s\n", sb_text(&why));
    if (s.pins)
        s.api->free(s.pins);
    if (s.other_end >= 0)
        close(s.other_end);
    if (s.terminal >= 0)
        close(s.terminal);
    sb_free(&why);
    return ok ? EXIT_SUCCESS : EXIT_FAILED;
}

/* ---- the command line ------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct seriald_options o = {.seed = 1};
    struct diag diag = {0};
    const char *given[2] = {0};
    bool help_wanted = false, version_wanted = false;
    const struct option_entry options[] = {
        {.name = "--board", .value = &o.board, .needed = true},
        {.name = "--link", .value = &o.link, .needed = true},
        {"--noise", .value = &given[0], .number = &o.noise, .max = UINT32_MAX},
        {"--seed", .value = &given[1], .number = &o.seed, .max = UINT32_MAX},
        {.name = "--help", .letter = "-h", .flag = &help_wanted},
        {.name = "--version", .letter = "-V", .flag = &version_wanted},
        {.name = NULL}};
    options_read(argc, argv, options, NULL, &diag);
    int status = EXIT_USAGE;
    if (!diag.errors && help_wanted)
        status = fputs(help, stdout) < 0;
    else if (!diag.errors && version_wanted)
        status = puts("tulle-seriald " TULLE_VERSION) < 0;
    else if (!diag.errors)
        status = serve(&o);
    if (diag_report(&diag, stderr))
        fputs("tulle-seriald --help shows the options\n", stderr);
    return status;
}

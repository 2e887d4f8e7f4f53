/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* the faster speeds, TIOCEXCL */
#include "host/serial/line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "sim/board/common.h"

const uint32_t line_speeds[] = {9600,   19200,  38400,   57600,   115200,  230400,  460800,
                                500000, 921600, 1000000, 1500000, 2000000, 3000000, 0};

static const speed_t codes[] = {B9600,   B19200,  B38400,   B57600,   B115200,  B230400, B460800,
                                B500000, B921600, B1000000, B1500000, B2000000, B3000000};

static const char *advice(int error)
{
    switch (error) {
    case EACCES:
        return "; join the group that owns it (ls -l says which) or ask who runs this machine";
    case ENOENT:
        return "; is the board plugged in? ls /dev/ttyUSB* /dev/ttyACM* says what there is";
    default:
        return "";
    }
}

static bool set_up(int line, uint32_t speed, struct strbuf *why)
{
    struct termios raw;
    size_t at = 0;
    while (line_speeds[at] && line_speeds[at] != speed)
        at++;
    if (!line_speeds[at] || tcgetattr(line, &raw) != 0) {
        sb_add(why, line_speeds[at] ? "it is no serial line" : "no serial line has this speed");
        return false;
    }
    cfmakeraw(&raw);
    raw.c_cflag |= CLOCAL | CREAD;
    raw.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS | PARENB);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    if (cfsetispeed(&raw, codes[at]) != 0 || cfsetospeed(&raw, codes[at]) != 0 ||
        tcsetattr(line, TCSANOW, &raw) != 0) {
        sb_addf(why, "it cannot be set to %u bits a second: %s", (unsigned)speed, strerror(errno));
        return false;
    }
    return true;
}

int line_open(const char *path, uint32_t speed, struct strbuf *why)
{
    int line = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (line < 0) {
        const int error = errno;
        sb_addf(why, "%s%s", strerror(error), advice(error));
        return -1;
    }
    /* Other programs that talk to it: those that ask, and all others but root's. */
    if (flock(line, LOCK_EX | LOCK_NB) != 0)
        sb_add(why, "another process uses it");
    else if (set_up(line, speed, why) && ioctl(line, TIOCEXCL) == 0 && tcflush(line, TCIOFLUSH) == 0)
        return line;
    else if (!why->len)
        sb_add(why, strerror(errno));
    close(line);
    return -1;
}

void line_close(int line)
{
    if (line < 0)
        return;
    (void)ioctl(line, TIOCNXCL);
    close(line);
}

/* Until it can be read or written. */
static enum line_status await(int line, short what, uint64_t until)
{
    for (;;) {
        const uint64_t now = board_now();
        const uint64_t left = until > now ? until - now : 0;
        struct pollfd wait = {.fd = line, .events = what};
        /* A millisecond more than is left, and not so long that it is no int. */
        int ready = poll(&wait, 1, left ? (int)(left / 1000000 % 60000 + 1) : 0);
        if (ready > 0 && (wait.revents & what))
            return LINE_OK;
        if (ready > 0) {
            errno = EIO;
            return LINE_GONE;
        }
        if (ready < 0 && errno != EINTR)
            return LINE_GONE;
        if (!left)
            return LINE_TIMEOUT;
    }
}

enum line_status line_send(int line, const uint8_t *bytes, size_t count, uint64_t until)
{
    while (count) {
        ssize_t written = write(line, bytes, count);
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return LINE_GONE;
        if (written <= 0) {
            enum line_status status = await(line, POLLOUT, until);
            if (status != LINE_OK)
                return status;
            continue;
        }
        bytes += written;
        count -= (size_t)written;
    }
    return LINE_OK;
}

enum line_status line_receive(int line, uint8_t *bytes, size_t *count, uint64_t until)
{
    for (;;) {
        ssize_t got = read(line, bytes, *count);
        if (got > 0) {
            *count = (size_t)got;
            return LINE_OK;
        }
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            return LINE_GONE;
        enum line_status status = await(line, POLLIN, until);
        if (status != LINE_OK)
            return status;
    }
}

enum line_status line_settle(int line, uint64_t quiet, uint64_t until)
{
    uint8_t dropped[256];
    for (;;) {
        const uint64_t now = board_now();
        size_t count = sizeof dropped;
        if (now >= until)
            return LINE_TIMEOUT;
        enum line_status status =
            line_receive(line, dropped, &count, now + quiet < until ? now + quiet : until);
        if (status != LINE_OK)
            return status == LINE_TIMEOUT ? LINE_OK : status;
    }
}

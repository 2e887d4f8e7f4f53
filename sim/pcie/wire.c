/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* CMSG_LEN, CMSG_SPACE */
#include "sim/pcie/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "gen/base/math.h"

#define MILLION 1000000u

uint64_t wire_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool wire_address(const char *path, struct sockaddr_un *address)
{
    size_t length = strlen(path);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!length || length >= sizeof address->sun_path)
        return false;
    memcpy(address->sun_path, path, length);
    return true;
}

static void drop_fds(struct wire *w)
{
    for (unsigned i = 0; i < w->fds; i++)
        if (w->fd[i] >= 0)
            close(w->fd[i]);
    w->fds = 0;
}

bool wire_open(struct wire *w, int socket, uint64_t patience)
{
    *w = (struct wire){.socket = socket, .patience = patience, .message = malloc(VU_MESSAGE_MAX)};
    if (w->message)
        return true;
    wire_close(w);
    return false;
}

void wire_close(struct wire *w)
{
    drop_fds(w);
    if (w->socket >= 0)
        close(w->socket);
    free(w->message);
    *w = (struct wire){.socket = -1};
}

/* ---- receiving ------------------------------------------------------------------------------- */

static enum wire_status await(int socket, short what, uint64_t until)
{
    struct pollfd look = {.fd = socket, .events = what};
    for (;;) {
        uint64_t now = wire_now(), left = until > now ? math_divide_up(until - now, MILLION) : 0;
        int ready = poll(&look, 1, left > INT32_MAX ? INT32_MAX : (int)left);
        if (ready > 0)
            return WIRE_OK;
        if (ready == 0 && wire_now() >= until)
            return WIRE_TIMEOUT;
        if (ready < 0 && errno != EINTR)
            return WIRE_BROKEN;
    }
}

/* More descriptors than we take make the message broken: those that are there are closed with it. */
static bool take_fds(struct wire *w, struct msghdr *header)
{
    bool ok = !(header->msg_flags & MSG_CTRUNC);
    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            if (w->fds < VU_FDS_MAX)
                w->fd[w->fds++] = fd;
            else
                ok = close(fd) && false;
        }
    }
    return ok;
}

/* Some bytes; 0 when the other side is gone, below 0 when it is broken. */
static ssize_t receive_some(struct wire *w, uint8_t *to, size_t bytes)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int) * VU_FDS_MAX)];
    } control;
    struct iovec part = {.iov_base = to, .iov_len = bytes};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.room,
                            .msg_controllen = sizeof control.room};
    ssize_t got = recvmsg(w->socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return -2;
    if (got < 0 && errno == ECONNRESET)
        return 0;
    return got >= 0 && !take_fds(w, &header) ? -1 : got;
}

static enum wire_status receive_all(struct wire *w, uint8_t *to, size_t bytes, uint64_t until)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = receive_some(w, to + done, bytes - done);
        if (got == 0)
            return WIRE_CLOSED;
        if (got == -1)
            return WIRE_BROKEN;
        if (got > 0)
            done += (size_t)got;
        else if (await(w->socket, POLLIN, until) != WIRE_OK)
            return WIRE_BROKEN;
    }
    return WIRE_OK;
}

enum wire_status wire_receive(struct wire *w, uint64_t nanoseconds)
{
    drop_fds(w);
    uint64_t now = wire_now();
    enum wire_status status =
        await(w->socket, POLLIN, nanoseconds > UINT64_MAX - now ? UINT64_MAX : now + nanoseconds);
    if (status != WIRE_OK)
        return status;
    uint64_t until = wire_now() + w->patience;
    status = receive_all(w, w->message, VU_HEADER_BYTES, until);
    if (status != WIRE_OK)
        return status;
    if (!vu_read_header(w->message, &w->header))
        return WIRE_BROKEN;
    return receive_all(w, w->message + VU_HEADER_BYTES, w->header.size - VU_HEADER_BYTES, until);
}

/* ---- sending --------------------------------------------------------------------------------- */

static void attach(struct msghdr *header, void *room, size_t bytes, const int *fds, unsigned count)
{
    if (!count)
        return;
    memset(room, 0, bytes);
    header->msg_control = room;
    header->msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *c = CMSG_FIRSTHDR(header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(c), fds, sizeof(int) * count);
}

/* What was sent is taken off the parts. */
static void advance(struct iovec *part, size_t count, size_t sent)
{
    for (size_t i = 0; i < count; i++) {
        size_t of = sent < part[i].iov_len ? sent : part[i].iov_len;
        if (of) /* a part without bytes may be nowhere */
            part[i].iov_base = (uint8_t *)part[i].iov_base + of;
        part[i].iov_len -= of;
        sent -= of;
    }
}

static enum wire_status send_all(struct wire *w, struct msghdr *header, size_t bytes)
{
    uint64_t until = wire_now() + w->patience;
    while (bytes) {
        ssize_t sent = sendmsg(w->socket, header, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            advance(header->msg_iov, header->msg_iovlen, (size_t)sent);
            header->msg_control = NULL;
            header->msg_controllen = 0;
            bytes -= (size_t)sent;
        } else if (errno != EAGAIN && errno != EINTR) {
            return errno == EPIPE || errno == ECONNRESET ? WIRE_CLOSED : WIRE_BROKEN;
        } else if (await(w->socket, POLLOUT, until) != WIRE_OK) {
            return WIRE_BROKEN;
        }
    }
    return WIRE_OK;
}

enum wire_status wire_send(struct wire *w, const struct vu_header *header, struct wire_part fixed,
                           struct wire_part data, const int *fds, unsigned count)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int) * VU_FDS_MAX)];
    } control;
    uint8_t bytes[VU_HEADER_BYTES];
    struct vu_header whole = *header;
    whole.size = (uint32_t)(VU_HEADER_BYTES + fixed.count + data.count);
    vu_write_header(bytes, &whole);
    struct iovec part[] = {{.iov_base = bytes, .iov_len = sizeof bytes},
                           {.iov_base = (void *)fixed.bytes, .iov_len = fixed.count},
                           {.iov_base = (void *)data.bytes, .iov_len = data.count}};
    struct msghdr message = {.msg_iov = part, .msg_iovlen = 3};
    attach(&message, control.room, sizeof control.room, fds, count);
    return send_all(w, &message, whole.size);
}

enum wire_status wire_refuse(struct wire *w, const struct vu_header *command, int error)
{
    const struct wire_part nothing = {NULL, 0};
    struct vu_header header = {.id = command->id,
                               .command = command->command,
                               .flags = VU_TYPE_REPLY | VU_ERROR,
                               .error = (uint32_t)error};
    return wire_send(w, &header, nothing, nothing, NULL, 0);
}

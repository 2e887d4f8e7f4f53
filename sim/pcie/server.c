/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/pcie/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 8

static const struct wire_part nothing = {NULL, 0};

/* ---- answers --------------------------------------------------------------------------------- */

static void note_sent(struct server *s, enum wire_status status)
{
    s->lost = s->lost || status != WIRE_OK;
}

static void refuse(struct server *s, const struct vu_header *command, int error)
{
    if (!(command->flags & VU_NO_REPLY))
        note_sent(s, wire_refuse(&s->wire, command, error));
}

static void answer(struct server *s, const struct vu_request *r, struct wire_part fixed,
                   struct wire_part data)
{
    const struct vu_header header = {
        .id = r->header.id, .command = r->header.command, .flags = VU_TYPE_REPLY};
    if (!(r->header.flags & VU_NO_REPLY))
        note_sent(s, wire_send(&s->wire, &header, fixed, data, NULL, 0));
}

/* ---- what each command does: 0, or the errno of the answer ---------------------------------------- */

static int do_version(struct server *s, const struct vu_request *r)
{
    static const struct vu_capabilities ours = {.max_msg_fds = VU_FDS_MAX,
                                                .max_data_xfer_size = VU_DATA_MAX,
                                                .max_dma_maps = DMA_MAPS_MAX,
                                                .pgsizes = VU_PAGE};
    struct vu_capabilities theirs;
    char text[VU_VERSION_TEXT_MAX];
    uint8_t bytes[VU_VERSION_TEXT_MAX + 8];
    if (s->greeted || r->major != VU_MAJOR || !vu_read_capabilities((const char *)r->data, &theirs)) {
        s->lost = true;
        return EINVAL;
    }
    vu_write_capabilities(text, &ours);
    const uint16_t minor = r->minor < VU_MINOR ? r->minor : VU_MINOR;
    struct wire_part fixed = {bytes, vu_write_version(bytes, VU_MAJOR, minor, text)};
    s->most = theirs.max_data_xfer_size < VU_DATA_MAX ? (uint32_t)theirs.max_data_xfer_size : VU_DATA_MAX;
    s->greeted = true;
    answer(s, r, fixed, nothing);
    return 0;
}

static int do_map(struct server *s, const struct vu_request *r)
{
    int error = dma_add(&s->dma, r->address, r->size, r->flags, s->wire.fds ? s->wire.fd[0] : -1, r->offset);
    if (!error)
        answer(s, r, nothing, nothing);
    return error;
}

/* What was never mapped is nothing to take away, as with VFIO: the answer says that it was 0 bytes. */
static int do_unmap(struct server *s, const struct vu_request *r)
{
    uint8_t bytes[64];
    uint64_t removed = 0;
    int error = 0;
    if (r->flags & VU_UNMAP_ALL)
        dma_remove_all(&s->dma, &removed);
    else
        error = dma_remove(&s->dma, r->address, r->size, &removed);
    struct wire_part fixed = {bytes, 0};
    fixed.count = vu_write_unmap(bytes, 24, r->flags, r->address, removed);
    if (!error)
        answer(s, r, fixed, nothing);
    return error;
}

static int do_info(struct server *s, const struct vu_request *r)
{
    const enum vu_command command = (enum vu_command)r->header.command;
    struct vu_info info = {.flags = VU_INFO_RESET | VU_INFO_PCI, .index = VU_REGIONS, .count = VU_IRQS};
    uint8_t bytes[64];
    if (command == VU_REGION_INFO) {
        info = (struct vu_info){.index = r->index, .size = function_region(&s->function, r->index)};
        info.flags = info.size ? VU_REGION_CAN_READ | VU_REGION_CAN_WRITE : 0;
    } else if (command == VU_IRQ_INFO) {
        const bool msix = r->index == VU_IRQ_MSIX;
        info = (struct vu_info){.index = r->index, .count = msix ? VECTORS : 0};
        info.flags = msix ? VU_IRQ_EVENTFD | VU_IRQ_MASKABLE : 0;
    }
    struct wire_part fixed = {bytes, 0};
    fixed.count = vu_write_info(bytes, command, &info);
    answer(s, r, fixed, nothing);
    return 0;
}

/* A client's descriptor must not be able to hold us up. */
static bool take_signal(struct server *s, unsigned which, unsigned vector)
{
    const int fd = s->wire.fd[which], flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return false;
    s->wire.fd[which] = -1;
    function_listen(&s->function, vector, fd);
    return true;
}

static bool set_irq(struct server *s, const struct vu_request *r, unsigned i)
{
    const unsigned vector = r->start + i;
    const bool signal = r->flags & VU_SET_EVENTFD, named = !(r->flags & VU_SET_BOOL) || r->data[i];
    if (signal && s->wire.fds)
        return take_signal(s, i, vector);
    if (signal)
        function_listen(&s->function, vector, -1);
    else if (!named)
        return true;
    else if (r->flags & VU_SET_TRIGGER)
        function_trigger(&s->function, vector);
    else
        function_mask(&s->function, vector, r->flags & VU_SET_MASK);
    return true;
}

static void disable_irqs(struct server *s, const struct vu_request *r)
{
    for (unsigned i = 0; i < VECTORS && r->index == VU_IRQ_MSIX && (r->flags & VU_SET_TRIGGER); i++)
        function_listen(&s->function, i, -1);
}

static int do_set_irqs(struct server *s, const struct vu_request *r)
{
    const unsigned there = r->index == VU_IRQ_MSIX ? VECTORS : 0;
    if (r->start > there || r->count > there - r->start)
        return EINVAL;
    if ((r->flags & VU_SET_EVENTFD) && !(r->flags & VU_SET_TRIGGER))
        return ENOTSUP;
    if (!r->count)
        disable_irqs(s, r);
    for (unsigned i = 0; i < r->count; i++)
        if (!set_irq(s, r, i))
            return EINVAL;
    answer(s, r, nothing, nothing);
    return 0;
}

static int do_access(struct server *s, const struct vu_request *r)
{
    const enum vu_command command = (enum vu_command)r->header.command;
    const uint64_t size = function_region(&s->function, r->index);
    uint8_t bytes[64];
    struct wire_part fixed = {bytes, 0}, data = nothing;
    if (r->count > size || r->offset > size - r->count || (command == VU_REGION_READ && r->count > s->most))
        return EINVAL;
    if (command == VU_REGION_READ) {
        function_read(&s->function, r->index, r->offset, s->data, r->count);
        data = (struct wire_part){s->data, r->count};
    } else {
        function_write(&s->function, r->index, r->offset, r->data, r->count);
    }
    fixed.count = vu_write_access(bytes, command, r->offset, r->index, r->count);
    answer(s, r, fixed, data);
    return 0;
}

static int do_reset(struct server *s, const struct vu_request *r)
{
    function_reset(&s->function);
    answer(s, r, nothing, nothing);
    return 0;
}

/* Commands of the server are none of the client's. */
static int do_command(struct server *s, const struct vu_request *r)
{
    static int (*const commands[])(struct server *, const struct vu_request *) = {
        [VU_VERSION] = do_version,   [VU_DMA_MAP] = do_map,        [VU_DMA_UNMAP] = do_unmap,
        [VU_DEVICE_INFO] = do_info,  [VU_REGION_INFO] = do_info,   [VU_IRQ_INFO] = do_info,
        [VU_SET_IRQS] = do_set_irqs, [VU_REGION_READ] = do_access, [VU_REGION_WRITE] = do_access,
        [VU_DEVICE_RESET] = do_reset};
    const unsigned command = r->header.command;
    if (command >= sizeof commands / sizeof *commands || !commands[command])
        return ENOTSUP;
    return commands[command](s, r);
}

/* The message in the wire, which is a command. */
static void handle(struct server *s)
{
    const struct vu_header header = s->wire.header;
    struct vu_request r;
    if (!s->greeted && header.command != VU_VERSION) {
        refuse(s, &header, EINVAL);
        s->lost = true;
        return;
    }
    int error = vu_read_request(&header, s->wire.message + VU_HEADER_BYTES, s->wire.fds, &r);
    s->lost = s->lost || (error && header.command == VU_VERSION);
    if (!error)
        error = do_command(s, &r);
    if (error)
        refuse(s, &header, error);
}

static bool is_reply(const struct server *s)
{
    return (s->wire.header.flags & VU_TYPE_MASK) == VU_TYPE_REPLY;
}

/* An answer that nobody waits for any more is let go. */
static void receive(struct server *s)
{
    enum wire_status status = wire_receive(&s->wire, 0);
    if (status == WIRE_OK && !is_reply(s))
        handle(s);
    s->lost = s->lost || status == WIRE_CLOSED || status == WIRE_BROKEN;
}

/* ---- the client's memory by messages --------------------------------------------------------------- */

/* The client may ask for things in between: they are done, or both would wait. */
static bool await_answer(struct server *s, uint16_t id, enum vu_command command)
{
    const uint64_t until = wire_now() + SERVER_PATIENCE;
    while (!s->lost) {
        uint64_t now = wire_now();
        enum wire_status status = wire_receive(&s->wire, until > now ? until - now : 0);
        s->lost = status != WIRE_OK;
        if (s->lost)
            return false;
        if (!is_reply(s))
            handle(s);
        else if (s->wire.header.id == id && s->wire.header.command == command)
            return !(s->wire.header.flags & VU_ERROR);
    }
    return false;
}

static bool exchange(struct server *s, enum dma_way way, uint64_t address, uint8_t *bytes, uint32_t count)
{
    const enum vu_command command = way == DMA_FROM_HOST ? VU_DMA_READ : VU_DMA_WRITE;
    const struct vu_header header = {.id = s->id++, .command = (uint16_t)command};
    const uint8_t *data;
    uint8_t fixed[64];
    struct wire_part part = {fixed, 0}, with = {bytes, way == DMA_TO_HOST ? count : 0};
    part.count = vu_write_access(fixed, command, address, 0, count);
    note_sent(s, wire_send(&s->wire, &header, part, with, NULL, 0));
    if (!await_answer(s, header.id, command) ||
        !vu_read_access_reply(command, s->wire.message + VU_HEADER_BYTES,
                              s->wire.header.size - VU_HEADER_BYTES, address, 0, count, &data))
        return false;
    if (data)
        memcpy(bytes, data, count);
    return true;
}

static bool by_messages(void *context, enum dma_way way, uint64_t address, void *bytes, uint32_t count)
{
    struct server *s = context;
    uint8_t *at = bytes;
    while (count && !s->lost) {
        uint32_t piece = count < s->most ? count : s->most;
        if (!exchange(s, way, address, at, piece))
            return false;
        address += piece;
        at += piece;
        count -= piece;
    }
    return !count;
}

/* ---- clients --------------------------------------------------------------------------------- */

/* Its memory and its descriptors go; the function stays as it is, as the protocol wants it. */
static void let_go(struct server *s)
{
    dma_remove_all(&s->dma, NULL);
    for (unsigned i = 0; i < VECTORS; i++)
        function_listen(&s->function, i, -1);
    wire_close(&s->wire);
    s->greeted = s->lost = false;
}

/* Told at once, without waiting for what it has to say. */
static void turn_away(int socket)
{
    struct wire w = {.socket = socket};
    const struct vu_header version = {.command = VU_VERSION};
    (void)wire_refuse(&w, &version, EBUSY);
    wire_close(&w);
}

static void accept_client(struct server *s)
{
    int socket = accept(s->listener, NULL, NULL);
    if (socket < 0)
        return;
    (void)fcntl(socket, F_SETFD, FD_CLOEXEC);
    if (s->wire.socket >= 0)
        turn_away(socket);
    else if (!wire_open(&s->wire, socket, SERVER_PATIENCE))
        s->wire.socket = -1;
}

bool server_run(struct server *s, struct strbuf *why)
{
    for (;;) {
        struct pollfd look[] = {{.fd = s->stop, .events = POLLIN},
                                {.fd = s->listener, .events = POLLIN},
                                {.fd = s->wire.socket, .events = POLLIN}};
        int ready = poll(look, 3, function_busy(&s->function) ? 0 : -1);
        if (ready < 0 && errno != EINTR) {
            sb_addf(why, "poll: %s", strerror(errno));
            return false;
        }
        if (ready > 0 && look[0].revents)
            return true;
        if (ready > 0 && look[2].revents)
            receive(s);
        if (s->lost) /* before another one is looked at, which may be the same process again */
            let_go(s);
        if (ready > 0 && look[1].revents)
            accept_client(s);
        if (function_busy(&s->function))
            function_work(&s->function);
        if (s->lost)
            let_go(s);
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A socket that a server has left behind when it was killed. */
static void remove_stale(const char *path, const struct sockaddr_un *address)
{
    struct stat info;
    int probe = socket(AF_UNIX, SOCK_STREAM, 0);
    if (probe < 0)
        return;
    if (stat(path, &info) == 0 && S_ISSOCK(info.st_mode) &&
        connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 && errno == ECONNREFUSED)
        (void)unlink(path);
    close(probe);
}

static bool listen_at(struct server *s, const char *path, struct strbuf *why)
{
    struct sockaddr_un address;
    if (!wire_address(path, &address)) {
        sb_addf(why, "%s: the path of a socket has 1 to %zu bytes", path, sizeof address.sun_path - 1);
        return false;
    }
    remove_stale(path, &address);
    s->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    mode_t mask = umask(077); /* nobody else's: who connects owns the device */
    bool ok = s->listener >= 0 && bind(s->listener, (struct sockaddr *)&address, sizeof address) == 0 &&
              listen(s->listener, BACKLOG) == 0 && fcntl(s->listener, F_SETFL, O_NONBLOCK) == 0;
    int error = errno;
    umask(mask);
    if (!ok)
        sb_addf(why, "%s: %s", path,
                error == EADDRINUSE ? "there is a file, or another server" : strerror(error));
    return ok;
}

bool server_open(struct server *s, const char *path, const struct function_settings *settings,
                 struct strbuf *why)
{
    *s = (struct server){.listener = -1, .wire = {.socket = -1}, .most = VU_DATA_MAX};
    s->dma.message = by_messages;
    s->dma.context = s;
    s->data = malloc(VU_DATA_MAX);
    s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!s->data || s->stop < 0)
        sb_add(why, "out of memory or descriptors");
    if (s->data && s->stop >= 0 && function_open(&s->function, settings, &s->dma, why)) {
        if (listen_at(s, path, why))
            return true;
        function_close(&s->function);
    }
    if (s->listener >= 0)
        close(s->listener);
    if (s->stop >= 0)
        close(s->stop);
    free(s->data);
    return false;
}

void server_close(struct server *s)
{
    struct sockaddr_un address;
    socklen_t room = sizeof address;
    let_go(s);
    if (getsockname(s->listener, (struct sockaddr *)&address, &room) == 0)
        (void)unlink(address.sun_path);
    function_close(&s->function);
    close(s->listener);
    close(s->stop);
    free(s->data);
}

void server_stop(struct server *s)
{
    const uint64_t one = 1;
    ssize_t sent = write(s->stop, &one, sizeof one);
    (void)sent;
}

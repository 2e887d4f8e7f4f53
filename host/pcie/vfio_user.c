/* SPDX-License-Identifier: Apache-2.0
 *
 * Reaches a function over a vfio-user connection: the client side of the
 * protocol.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "gen/base/math.h"
#include "host/pcie/transport.h"
#include "sim/pcie/wire.h"

#define MILLION 1000000u

struct link {
    struct wire wire;
    struct link_settings settings;
    uint16_t id;
    uint64_t most; /* bytes in one transfer that the server takes */
    uint64_t address;
    uint8_t *memory; /* that it may reach */
    size_t bytes;
    struct strbuf error;
    bool lost;
};

static const struct wire_part nothing = {NULL, 0};

static enum link_status lose(struct link *l, const char *what)
{
    if (!l->lost)
        sb_addf(&l->error, "the connection to the function is lost: %s", what);
    l->lost = true;
    return LINK_LOST;
}

static enum link_status lose_by(struct link *l, enum wire_status status)
{
    return lose(l, status == WIRE_CLOSED    ? "its server has closed it, or has ended"
                   : status == WIRE_TIMEOUT ? "its server does not answer in time"
                                            : "its server does not keep to the protocol, or does not read");
}

/* ---- what the server asks for ------------------------------------------------------------------- */

/* So many bytes, at least one, of the memory that the function may reach, or NULL. */
static uint8_t *reachable(const struct link *l, uint64_t address, uint64_t count)
{
    const uint64_t offset = address - l->address; /* of an address below the memory: beyond any end */
    return offset < l->bytes && count <= l->bytes - offset ? l->memory + offset : NULL;
}

/* The memory that is mapped, read or written by messages. */
static enum wire_status serve(struct link *l)
{
    const struct vu_header command = l->wire.header;
    const struct vu_header header = {.id = command.id, .command = command.command, .flags = VU_TYPE_REPLY};
    struct vu_request r;
    uint8_t fixed[64];
    struct wire_part part = {fixed, 0}, data = nothing;
    int error = vu_read_request(&command, l->wire.message + VU_HEADER_BYTES, l->wire.fds, &r);
    if (!error && command.command != VU_DMA_READ && command.command != VU_DMA_WRITE)
        error = ENOTSUP;
    uint8_t *at = error ? NULL : reachable(l, r.address, r.count);
    if (!at)
        return wire_refuse(&l->wire, &command, error ? error : EFAULT);
    if (command.command == VU_DMA_READ)
        data = (struct wire_part){at, r.count};
    else
        memcpy(at, r.data, r.count);
    part.count = vu_write_access(fixed, (enum vu_command)command.command, r.address, 0, r.count);
    return wire_send(&l->wire, &header, part, data, NULL, 0);
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool is_reply(const struct link *l)
{
    return (l->wire.header.flags & VU_TYPE_MASK) == VU_TYPE_REPLY;
}

static enum link_status await(struct link *l, uint16_t id)
{
    const uint64_t until = wire_now() + l->settings.patience;
    for (;;) {
        uint64_t now = wire_now();
        enum wire_status status = wire_receive(&l->wire, until > now ? until - now : 0);
        if (status == WIRE_OK && is_reply(l))
            return l->wire.header.id == id ? LINK_OK : lose(l, "an answer that nobody asked for");
        if (status == WIRE_OK)
            status = serve(l);
        if (status != WIRE_OK)
            return lose_by(l, status);
    }
}

/* Sends and waits for the answer, whose payload is in the wire then. A refusal is in `refusal`, or, when that
 * is NULL, the end. */
static enum link_status request(struct link *l, enum vu_command command, struct wire_part fixed,
                                struct wire_part data, const int *fds, unsigned count, int *refusal)
{
    const struct vu_header header = {.id = ++l->id, .command = (uint16_t)command};
    if (l->lost)
        return LINK_LOST;
    enum wire_status sent = wire_send(&l->wire, &header, fixed, data, fds, count);
    if (sent != WIRE_OK)
        return lose_by(l, sent);
    enum link_status status = await(l, header.id);
    if (status != LINK_OK)
        return status;
    if (l->wire.header.command != command)
        return lose(l, "an answer to another command");
    const bool refused = l->wire.header.flags & VU_ERROR;
    if (refused && !refusal)
        return lose(l, strerror((int)l->wire.header.error));
    if (refusal)
        *refusal = refused ? (int)l->wire.header.error : 0;
    return LINK_OK;
}

static const uint8_t *payload(const struct link *l)
{
    return l->wire.message + VU_HEADER_BYTES;
}

static size_t payload_bytes(const struct link *l)
{
    return l->wire.header.size - VU_HEADER_BYTES;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool fail(struct strbuf *why, const char *place, const char *what)
{
    sb_addf(why, "%s: %s", place, what);
    return false;
}

static int reach(const char *place, struct strbuf *why)
{
    struct sockaddr_un address;
    if (!wire_address(place, &address)) {
        (void)fail(why, place, "too long for the path of a socket");
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    /* Without O_NONBLOCK it would wait for a server that accepts nobody. */
    if (fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
        connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int error = errno;
    if (fd >= 0)
        close(fd);
    sb_addf(why, "%s: %s; tulle-pcied --socket %s serves a function there", place,
            error == ECONNREFUSED ? "nobody serves this socket" : strerror(error), place);
    return -1;
}

/* Who is turned away hears so without having been asked. */
static bool turned_away(struct link *l)
{
    return l->wire.header.command == VU_VERSION && is_reply(l) && (l->wire.header.flags & VU_ERROR) &&
           l->wire.header.error == EBUSY;
}

static bool greet(struct link *l, const char *place, struct strbuf *why)
{
    static const struct vu_capabilities ours = {.max_msg_fds = VU_FDS_MAX,
                                                .max_data_xfer_size = VU_DATA_MAX,
                                                .max_dma_maps = 65535,
                                                .pgsizes = VU_PAGE};
    struct vu_capabilities theirs;
    const struct vu_header header = {.command = VU_VERSION};
    char text[VU_VERSION_TEXT_MAX];
    uint8_t bytes[VU_VERSION_TEXT_MAX + 8];
    const char *answer;
    uint16_t major, minor;
    vu_write_capabilities(text, &ours);
    struct wire_part fixed = {bytes, vu_write_version(bytes, VU_MAJOR, VU_MINOR, text)};
    (void)wire_send(&l->wire, &header, fixed, nothing, NULL, 0); /* who turned us away has perhaps closed */
    if (wire_receive(&l->wire, l->settings.patience) != WIRE_OK)
        return fail(why, place, "whoever serves this socket does not answer");
    if (turned_away(l))
        return fail(why, place, "in use: the function serves one process at a time");
    if (l->wire.header.command != VU_VERSION || !is_reply(l) || (l->wire.header.flags & VU_ERROR) ||
        !vu_read_version(payload(l), payload_bytes(l), &major, &minor, &answer) || major != VU_MAJOR ||
        minor > VU_MINOR || !vu_read_capabilities(answer, &theirs))
        return fail(why, place, "whoever serves this socket does not speak vfio-user 0.1");
    l->most = theirs.max_data_xfer_size < VU_DATA_MAX ? theirs.max_data_xfer_size : VU_DATA_MAX;
    return true;
}

/* What the server says of a region or an interrupt. */
static bool ask_info(struct link *l, enum vu_command command, unsigned index, struct vu_info *info)
{
    const struct vu_info ask = {.index = index};
    uint8_t bytes[64];
    int refusal;
    struct wire_part fixed = {bytes, 0};
    fixed.count = vu_write_info(bytes, command, &ask);
    return request(l, command, fixed, nothing, NULL, 0, &refusal) == LINK_OK && !refusal &&
           vu_read_info_reply(command, payload(l), payload_bytes(l), info);
}

static bool has_region(struct link *l, unsigned region, uint64_t least)
{
    struct vu_info info;
    return ask_info(l, VU_REGION_INFO, region, &info) && info.size >= least;
}

static bool has_vectors(struct link *l)
{
    struct vu_info info;
    return ask_info(l, VU_IRQ_INFO, VU_IRQ_MSIX, &info) && info.count >= VECTORS;
}

static void close_link(struct link *l)
{
    if (!l)
        return;
    wire_close(&l->wire);
    sb_free(&l->error);
    free(l);
}

static struct link *open_link(const char *place, const struct link_settings *settings, struct strbuf *why)
{
    int socket = reach(place, why);
    struct link *l = socket >= 0 ? calloc(1, sizeof *l) : NULL;
    if (!l) {
        if (socket >= 0)
            close(socket);
        return NULL;
    }
    l->settings = *settings;
    bool ok = wire_open(&l->wire, socket, settings->patience);
    if (!ok)
        sb_add(why, "out of memory");
    ok = ok && greet(l, place, why);
    if (ok && (!has_region(l, VU_BAR0, BAR0_BYTES) || !has_region(l, VU_BAR2, 1) ||
               !has_region(l, VU_CONFIG, 256) || !has_vectors(l)))
        ok = fail(why, place, l->lost ? sb_text(&l->error) : "the function there is none of Tulle");
    if (ok)
        return l;
    close_link(l);
    return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

static enum link_status access_region(struct link *l, enum vu_command command, unsigned region,
                                      uint64_t offset, uint8_t *bytes, size_t count)
{
    while (count) {
        const uint32_t piece = count < l->most ? (uint32_t)count : (uint32_t)l->most;
        uint8_t fixed[64];
        const uint8_t *data;
        struct wire_part part = {fixed, 0}, with = {bytes, command == VU_REGION_WRITE ? piece : 0};
        part.count = vu_write_access(fixed, command, offset, region, piece);
        if (request(l, command, part, with, NULL, 0, NULL) != LINK_OK)
            return LINK_LOST;
        if (!vu_read_access_reply(command, payload(l), payload_bytes(l), offset, region, piece, &data))
            return lose(l, "an answer to another access");
        if (data)
            memcpy(bytes, data, piece);
        offset += piece;
        bytes += piece;
        count -= piece;
    }
    return LINK_OK;
}

static enum link_status read_region(struct link *l, unsigned region, uint64_t offset, void *to, size_t count)
{
    return access_region(l, VU_REGION_READ, region, offset, to, count);
}

static enum link_status write_region(struct link *l, unsigned region, uint64_t offset, const void *from,
                                     size_t count)
{
    return access_region(l, VU_REGION_WRITE, region, offset, (void *)from, count);
}

static enum link_status map(struct link *l, uint64_t address, void *memory, size_t bytes, int file)
{
    uint8_t fixed[64];
    struct wire_part part = {fixed, 0};
    part.count = vu_write_map(fixed, VU_MAP_READ | VU_MAP_WRITE, 0, address, bytes);
    enum link_status status =
        request(l, VU_DMA_MAP, part, nothing, &file, l->settings.messages ? 0 : 1, NULL);
    if (status != LINK_OK)
        return status;
    l->address = address;
    l->memory = memory;
    l->bytes = bytes;
    return LINK_OK;
}

static enum link_status listen_to(struct link *l, unsigned vector, int signal)
{
    uint8_t fixed[64];
    struct wire_part part = {fixed, 0};
    part.count = vu_write_set_irqs(fixed, VU_SET_EVENTFD | VU_SET_TRIGGER, VU_IRQ_MSIX, vector, 1);
    return request(l, VU_SET_IRQS, part, nothing, &signal, 1, NULL);
}

static enum link_status take_signal(int signal)
{
    uint64_t count;
    return read(signal, &count, sizeof count) == (ssize_t)sizeof count ? LINK_OK : LINK_TIMEOUT;
}

/* Who waits still answers the server, and sees it go. */
static enum link_status wait_for(struct link *l, int signal, uint64_t nanoseconds)
{
    const uint64_t begin = wire_now();
    for (;;) {
        struct pollfd look[] = {{.fd = signal, .events = POLLIN}, {.fd = l->wire.socket, .events = POLLIN}};
        const uint64_t over = wire_now() - begin;
        const uint64_t left = over < nanoseconds ? math_divide_up(nanoseconds - over, MILLION) : 0;
        if (l->lost)
            return LINK_LOST;
        if (poll(look, 2, left < INT32_MAX ? (int)left : INT32_MAX) < 0 && errno != EINTR)
            return lose(l, strerror(errno));
        if (look[0].revents && take_signal(signal) == LINK_OK)
            return LINK_OK;
        enum wire_status status = look[1].revents ? wire_receive(&l->wire, 0) : WIRE_TIMEOUT;
        if (status == WIRE_OK)
            status = is_reply(l) ? WIRE_BROKEN : serve(l);
        if (status == WIRE_CLOSED || status == WIRE_BROKEN)
            return lose_by(l, status);
        if (!left && !look[1].revents)
            return LINK_TIMEOUT;
    }
}

static enum link_status reset(struct link *l)
{
    return request(l, VU_DEVICE_RESET, nothing, nothing, NULL, 0, NULL);
}

static const char *error(const struct link *l)
{
    return sb_text(&l->error);
}

const struct link_api link_vfio_user = {.open = open_link,
                                        .close = close_link,
                                        .read = read_region,
                                        .write = write_region,
                                        .map = map,
                                        .listen = listen_to,
                                        .wait = wait_for,
                                        .reset = reset,
                                        .error = error};

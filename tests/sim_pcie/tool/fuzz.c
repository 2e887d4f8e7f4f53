/* SPDX-License-Identifier: Apache-2.0
 *
 * A target of libFuzzer: a client of tulle-pcied that says whatever the input
 * has. The server must answer or hang up, and greet the next client as ever.
 * Behind it is the functional model, or what TULLE_PCIE_BOARD names.
 *
 * Input: records of four bytes and a payload: command; how it is sent (HOW_*);
 * bytes of payload, two of them. make fuzz-pcie builds and runs it.
 */
#define _GNU_SOURCE /* memfd_create */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "host/devices/kinds.h"
#include "sim/pcie/server.h"

#define SECOND UINT64_C(1000000000)
#define WINDOW (UINT64_C(1) << 20)
#define FILE_BYTES (64 * 4096)
#define PAYLOAD_MAX 1024u

enum {
    HOW_NO_REPLY = 1, /* the answer is not wanted */
    HOW_FILE = 2,     /* with a file's descriptor */
    HOW_REPLY = 4,    /* as the answer to the server's last message */
    HOW_ERROR = 8,
    HOW_RAW = 16,    /* the payload alone, its first bytes as the header */
    HOW_NOWHERE = 32 /* without having been greeted: the first record only */
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t count);

static struct server server;
static char path[64];
static int file = -1;

static void *serve(void *unused)
{
    struct strbuf why = {0};
    (void)unused;
    if (!server_run(&server, &why)) {
        fprintf(stderr, "the server ended: %s\n", sb_text(&why));
        abort();
    }
    sb_free(&why);
    return NULL;
}

static void end(void)
{
    unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char *const settings[] = {"memory=1M", NULL};
    const char *name = getenv("TULLE_PCIE_BOARD"), *place = "tiny";
    const struct function_settings with = {
        .api = name ? board_find(board_kinds, name, &place) : &board_model,
        .place = place,
        .settings = settings,
        .window = WINDOW,
        .ids = {PCIE_VENDOR_DEFAULT, PCIE_DEVICE_DEFAULT, PCIE_VENDOR_DEFAULT, PCIE_DEVICE_DEFAULT}};
    struct strbuf why = {0};
    pthread_t thread;
    (void)argc;
    (void)argv;
    snprintf(path, sizeof path, "/tmp/tulle-fuzz-%ld", (long)getpid());
    file = memfd_create("fuzz", MFD_CLOEXEC);
    if (!with.api || file < 0 || ftruncate(file, FILE_BYTES) != 0 ||
        !server_open(&server, path, &with, &why) || pthread_create(&thread, NULL, serve, NULL) != 0) {
        fprintf(stderr, "no server: %s\n", sb_text(&why));
        exit(1);
    }
    sb_free(&why);
    atexit(end);
    return 0;
}

static void wrong(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static void connect_to(struct wire *w)
{
    struct sockaddr_un address;
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0 || !wire_address(path, &address) ||
        connect(s, (const struct sockaddr *)&address, sizeof address) != 0 || !wire_open(w, s, 10 * SECOND))
        wrong("nobody serves");
}

static void greet(struct wire *w)
{
    uint8_t bytes[VU_VERSION_TEXT_MAX + 4];
    const struct vu_header header = {.command = VU_VERSION};
    const struct wire_part part = {bytes, vu_write_version(bytes, VU_MAJOR, VU_MINOR, "{}")};
    if (wire_send(w, &header, part, (struct wire_part){NULL, 0}, NULL, 0) != WIRE_OK ||
        wire_receive(w, 30 * SECOND) != WIRE_OK || w->header.command != VU_VERSION || w->header.error)
        wrong("a client is not greeted");
}

/* What the server has said so far; the last thing that it asked for. */
static void look(struct wire *w, struct vu_header *asked)
{
    while (wire_receive(w, 0) == WIRE_OK)
        if ((w->header.flags & VU_TYPE_MASK) == VU_TYPE_COMMAND)
            *asked = w->header;
}

static bool say(struct wire *w, unsigned command, unsigned how, const uint8_t *payload, size_t bytes,
                const struct vu_header *asked)
{
    struct vu_header header = {.id = 1, .command = (uint16_t)command};
    if (how & HOW_RAW)
        return send(w->socket, payload, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
    if (how & HOW_REPLY)
        header = (struct vu_header){.id = asked->id, .command = asked->command, .flags = VU_TYPE_REPLY};
    header.flags |= (how & HOW_NO_REPLY ? VU_NO_REPLY : 0) | (how & HOW_ERROR ? VU_ERROR : 0);
    return wire_send(w, &header, (struct wire_part){payload, bytes}, (struct wire_part){NULL, 0}, &file,
                     how & HOW_FILE ? 1 : 0) == WIRE_OK;
}

/* Whatever was said to it, it answers or hangs up. */
static void drain(struct wire *w)
{
    enum wire_status status = WIRE_OK;
    shutdown(w->socket, SHUT_WR);
    while (status == WIRE_OK)
        status = wire_receive(w, 60 * SECOND);
    if (status == WIRE_TIMEOUT)
        wrong("it neither answers nor hangs up");
    wire_close(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t count)
{
    struct wire w;
    struct vu_header asked = {0};
    connect_to(&w);
    if (count < 2 || !(input[1] & HOW_NOWHERE))
        greet(&w);
    while (count >= 4) {
        const unsigned command = input[0] % 20, how = input[1];
        size_t bytes = (input[2] | (unsigned)input[3] << 8) % PAYLOAD_MAX;
        input += 4;
        count -= 4;
        if (bytes > count)
            bytes = count;
        if (!say(&w, command, how, input, bytes, &asked))
            break;
        look(&w, &asked);
        input += bytes;
        count -= bytes;
    }
    drain(&w);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim_pcie/support.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "host/devices/kinds.h"
#include "host/pcie/pcie.h"
#include "tests/sim_board/tulle_sim/attempt.h"
#include "tests/sim_pcie/engine.h"

#define PATIENCE UINT64_C(10000000000)

static void *serve(void *argument)
{
    struct rig *rig = argument;
    struct strbuf why = {0};
    bool ok = server_run(&rig->server, &why);
    if (!ok)
        fprintf(stderr, "%s\n", sb_text(&why));
    sb_free(&why);
    return ok ? rig : NULL;
}

void rig_start(struct rig *rig, const struct board_api *api, const char *place, const char *const *settings,
               uint64_t window)
{
    static unsigned count;
    const char *folder = getenv("TMPDIR");
    struct strbuf why = {0};
    const struct function_settings with = {
        .api = api,
        .place = place,
        .settings = settings,
        .window = window,
        .ids = {PCIE_VENDOR_DEFAULT, PCIE_DEVICE_DEFAULT, PCIE_VENDOR_DEFAULT, PCIE_DEVICE_DEFAULT}};
    /* The path of a socket is short, a test's folder perhaps not. */
    if (!folder || strlen(folder) > 60)
        folder = "/tmp";
    snprintf(rig->path, sizeof rig->path, "%s/tulle-%ld-%u", folder, (long)getpid(), count++);
    snprintf(rig->board, sizeof rig->board, "pcie:%s", rig->path);
    signal(SIGPIPE, SIG_IGN);
    cr_assert(server_open(&rig->server, rig->path, &with, &why), "%s", sb_text(&why));
    cr_assert_eq(pthread_create(&rig->thread, NULL, serve, rig), 0);
    sb_free(&why);
}

void rig_start_named(struct rig *rig, const char *const *settings, uint64_t window)
{
    const char *name = getenv("TULLE_PCIE_BOARD"), *place = "tiny";
    const struct board_api *api = name ? board_find(board_kinds, name, &place) : &board_model;
    /* A rig's settings stay. */
    unsigned count = 0;
    while (settings[count] && count < RIG_SETTINGS)
        count++;
    memcpy(rig->settings, settings, count * sizeof *settings);
    rig->settings[count] = name ? getenv("TULLE_PCIE_SETTING") : NULL;
    rig->settings[count + 1] = NULL;
    cr_assert(api, "TULLE_PCIE_BOARD=%s: no such board", name);
    rig_start(rig, api, place, rig->settings, window);
    cr_assert(!name || rig_is_rtl(rig), "%s has no host port: this tests nothing", name);
}

bool rig_is_rtl(const struct rig *rig)
{
    return rig->server.function.bridge.host;
}

void rig_stop(struct rig *rig)
{
    void *ended;
    server_stop(&rig->server);
    cr_assert_eq(pthread_join(rig->thread, &ended), 0);
    cr_assert(ended, "the server failed");
    server_close(&rig->server);
    cr_assert_neq(access(rig->path, F_OK), 0, "the socket stays");
}

void client_connect(struct wire *w, const struct rig *rig)
{
    struct sockaddr_un address;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert(wire_address(rig->path, &address));
    cr_assert(fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    cr_assert(wire_open(w, fd, PATIENCE));
}

int client_ask(struct wire *w, enum vu_command command, const void *payload, size_t bytes, const int *fds,
               unsigned count)
{
    static uint16_t id;
    const struct vu_header header = {.id = ++id, .command = (uint16_t)command};
    const struct wire_part fixed = {payload, bytes}, none = {NULL, 0};
    cr_assert_eq(wire_send(w, &header, fixed, none, fds, count), WIRE_OK);
    cr_assert_eq(wire_receive(w, PATIENCE), WIRE_OK, "no answer to command %d", command);
    cr_assert_eq(w->header.id, id);
    cr_assert_eq(w->header.command, command);
    cr_assert_eq(w->header.flags & VU_TYPE_MASK, VU_TYPE_REPLY);
    if (!(w->header.flags & VU_ERROR))
        return 0;
    cr_assert_eq(w->header.size, VU_HEADER_BYTES, "an error has no payload");
    return (int)w->header.error;
}

void client_greet(struct wire *w, const struct rig *rig)
{
    uint8_t bytes[64];
    client_connect(w, rig);
    size_t count = vu_write_version(bytes, VU_MAJOR, VU_MINOR, "{\"capabilities\":{\"max_msg_fds\":8}}");
    cr_assert_eq(client_ask(w, VU_VERSION, bytes, count, NULL, 0), 0);
}

void rig_check(const struct rig *rig)
{
    char why[512] = "";
    uint8_t there[10000], back[sizeof there];
    for (size_t i = 0; i < sizeof there; i++)
        there[i] = (uint8_t)(i * 7 + i / 256);
    struct board *b = board_pcie.open(rig->path, NULL, why, sizeof why);
    cr_assert(b, "%s", why);
    cr_assert_eq(board_pcie.write_memory(b, 4095, there, sizeof there), BOARD_OK, "%s", board_pcie.error(b));
    cr_assert_eq(board_pcie.read_memory(b, 4095, back, sizeof back), BOARD_OK);
    cr_assert_eq(memcmp(there, back, sizeof there), 0);
    board_pcie.close(b);
}

void product_on(const char *board, uint64_t seed)
{
    struct sim_options o = {.operator= OPERATOR_SPMM,
                            .board = board,
                            .variant = "tiny",
                            .rows = 8,
                            .k = 64,
                            .n = 32,
                            .held = 2,
                            .seed = seed,
                            .density = 0.3,
                            .act_density = 1,
                            .seconds = 60,
                            .jobs = 1};
    struct variant variant;
    struct diag diag = {0};
    struct problem p = {0};
    struct attempt a = {0};
    cr_assert(variant_load("tiny", NULL, 0, &variant, &diag));
    const char *why = problem_make(&o, &variant, NULL, &p);
    cr_assert_null(why, "%s", why);
    /* The end of the model's memory is that of this rig. */
    attempt_run(&o, &p, NULL, &a);
    cr_assert(a.agrees, "%s", sb_text(&a.why));
    attempt_free(&a);
    problem_free(&p);
}

_Noreturn void engine_failed(const char *what)
{
    cr_assert_fail("%s", what);
    abort();
}

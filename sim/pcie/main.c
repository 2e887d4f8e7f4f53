/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-pcied: a board served as a PCIe function over vfio-user.
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/options.h"
#include "gen/version.h"
#include "sim/board/settings.h"
#include "sim/pcie/server.h"

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

#define BOARD_SETTINGS_MAX 32

static const char help[] =
    "Usage: tulle-pcied --socket PATH --board BOARD [OPTION]...\n"
    "\n"
    "Serves a board as the PCIe function of docs/pcie.md over the vfio-user protocol, to one client after "
    "another,\n"
    "until it is interrupted.\n"
    "\n"
    "  --socket PATH   a UNIX socket; only its owner can connect\n"
    "  --board BOARD   \"model:VARIANT\" or \"sim:FOLDER\", settings of the board behind semicolons:\n"
    "                  \"model:tiny;memory=1G\"\n"
    "  --window BYTES  of BAR2, a power of two from 4K on (default 256M)\n"
    "  --ids IDS       VENDOR:DEVICE or VENDOR:DEVICE:SUBSYSTEM-VENDOR:SUBSYSTEM, hexadecimal\n"
    "                  (default 8d54:0001, which is nobody's: see docs/pcie.md)\n"
    "  -h, --help      this text\n"
    "  -V, --version   the version\n"
    "\n"
    "Exit status: 0 it was interrupted, 1 it failed, 2 wrong usage.\n";

struct options {
    const char *socket, *board, *window, *ids;
};

static const struct place nowhere = {0};
static struct server server;

static void on_signal(int number)
{
    (void)number;
    server_stop(&server);
}

/* ---- the command line ------------------------------------------------------------------------- */

static bool take_ids(const char *text, struct pcie_ids *ids)
{
    unsigned long value[4] = {0};
    unsigned count = 0;
    char *end = NULL;
    for (; count < 4; count++, text = end + 1) {
        value[count] = strtoul(text, &end, 16);
        if (end - text < 1 || end - text > 4 ||
            strspn(text, "0123456789abcdefABCDEF") != (size_t)(end - text))
            return false;
        if (*end != ':')
            break;
    }
    if (count == 4 || *end || count % 2 == 0 || value[0] == 0 || value[0] == 0xFFFF)
        return false;
    const bool both = count == 3;
    *ids = (struct pcie_ids){.vendor = (uint16_t)value[0],
                             .device = (uint16_t)value[1],
                             .subsystem_vendor = (uint16_t)value[both ? 2 : 0],
                             .subsystem = (uint16_t)value[both ? 3 : 1]};
    return true;
}

/* Cuts the settings off the name. */
static bool take_board(char *text, const char **settings, struct function_settings *to)
{
    size_t count = 0;
    for (char *at = strchr(text, ';'); at; at = strchr(at, ';')) {
        *at++ = 0;
        if (count == BOARD_SETTINGS_MAX)
            return false;
        if (*at && *at != ';')
            settings[count++] = at;
    }
    to->settings = settings;
    to->api = board_find(text, &to->place);
    return to->api == &board_sim || to->api == &board_model;
}

static void check(const struct options *o, char *board, const char **settings, struct function_settings *to,
                  struct diag *diag)
{
    if (!take_board(board, settings, to))
        diag_error(diag, nowhere, "--board %s: model:VARIANT or sim:FOLDER, with %d settings at most",
                   o->board, BOARD_SETTINGS_MAX);
    if (o->window && (!settings_number(o->window, &to->window) || to->window < WINDOW_BYTES_MIN ||
                      to->window > WINDOW_BYTES_MAX || (to->window & (to->window - 1))))
        diag_error(diag, nowhere, "--window %s: a power of two from 4K to 1024G", o->window);
    if (o->ids && !take_ids(o->ids, &to->ids))
        diag_error(diag, nowhere,
                   "--ids %s: two or four hexadecimal numbers of 16 bits, the vendor not 0000 or ffff",
                   o->ids);
}

/* ---- serving --------------------------------------------------------------------------------- */

static int serve(const struct options *o, const struct function_settings *settings)
{
    struct strbuf why = {0};
    const struct sigaction stop = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};
    bool ok = server_open(&server, o->socket, settings, &why);
    if (ok) {
        sigaction(SIGINT, &stop, NULL);
        sigaction(SIGTERM, &stop, NULL);
        sigaction(SIGPIPE, &ignore, NULL);
        printf("tulle-pcied: %s serves %s\n", o->socket, o->board);
        fflush(stdout);
        ok = server_run(&server, &why);
        server_close(&server);
    }
    if (!ok)
        fprintf(stderr, "tulle-pcied: error: %s\n", sb_text(&why));
    sb_free(&why);
    return ok ? EXIT_SUCCESS : EXIT_FAILED;
}

static int run(const struct options *o, struct diag *diag)
{
    const char *settings[BOARD_SETTINGS_MAX + 1] = {NULL};
    struct function_settings with = {.window = WINDOW_BYTES_DEFAULT,
                                     .ids = {.vendor = PCIE_VENDOR_DEFAULT,
                                             .device = PCIE_DEVICE_DEFAULT,
                                             .subsystem_vendor = PCIE_VENDOR_DEFAULT,
                                             .subsystem = PCIE_DEVICE_DEFAULT}};
    assert(o->board);
    char *board = strdup(o->board);
    int status = EXIT_USAGE;
    if (board)
        check(o, board, settings, &with, diag);
    else
        diag_error(diag, nowhere, "out of memory");
    if (!diag->errors)
        status = serve(o, &with);
    free(board);
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {0};
    struct diag diag = {0};
    const struct option_value values[] = {{"--socket", &o.socket, true},
                                          {"--board", &o.board, true},
                                          {"--window", &o.window, false},
                                          {"--ids", &o.ids, false},
                                          {NULL, NULL, false}};
    const struct option_flags flags = options_read(argc, argv, values, &diag);
    int status = EXIT_USAGE;
    if (!diag.errors && flags.help)
        status = fputs(help, stdout) < 0;
    else if (!diag.errors && flags.version)
        status = puts("tulle-pcied " TULLE_VERSION) < 0;
    else if (!diag.errors)
        status = run(&o, &diag);
    if (diag_report(&diag, stderr))
        fputs("tulle-pcied --help shows the options\n", stderr);
    diag_free(&diag);
    return status;
}

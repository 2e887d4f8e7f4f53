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
    "Serves a board as the PCIe function of docs/pcie.md over the vfio-user protocol, to one client after\n"
    "another, until it is interrupted.\n"
    "\n"
    "  --socket PATH   the UNIX socket to create; only its owner can connect\n"
    "  --board BOARD   \"model:VARIANT\" or \"sim:FOLDER\", with settings of the board after semicolons:\n"
    "                  \"model:tiny;memory=1G\"\n"
    "  --window BYTES  size of BAR2, a power of two of at least 4K (256M)\n"
    "  --ids IDS       VENDOR:DEVICE or VENDOR:DEVICE:SUBSYSTEM-VENDOR:SUBSYSTEM, hexadecimal\n"
    "                  (8d54:0001, which is not assigned to a vendor: see docs/pcie.md)\n"
    "  -h, --help      this text\n"
    "  -V, --version   the version\n"
    "\n"
    "Exit status: 0 interrupted, 1 failed, 2 wrong usage.\n";

struct pcied_options {
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
    to->api = board_find(board_simulated, text, &to->place);
    return to->api != NULL;
}

static void check(const struct pcied_options *o, char *board, const char **settings,
                  struct function_settings *to, struct diag *diag)
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

static int serve(const struct pcied_options *o, const struct function_settings *settings)
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

static int run(const struct pcied_options *o, struct diag *diag)
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
    struct pcied_options o = {0};
    struct diag diag = {0};
    bool help_wanted = false, version_wanted = false;
    const struct option_entry options[] = {{.name = "--socket", .value = &o.socket, .needed = true},
                                           {.name = "--board", .value = &o.board, .needed = true},
                                           {.name = "--window", .value = &o.window},
                                           {.name = "--ids", .value = &o.ids},
                                           {.name = "--help", .letter = "-h", .flag = &help_wanted},
                                           {.name = "--version", .letter = "-V", .flag = &version_wanted},
                                           {.name = NULL}};
    options_read(argc, argv, options, NULL, &diag);
    int status = EXIT_USAGE;
    if (!diag.errors && help_wanted)
        status = fputs(help, stdout) < 0;
    else if (!diag.errors && version_wanted)
        status = puts("tulle-pcied " TULLE_VERSION) < 0;
    else if (!diag.errors)
        status = run(&o, &diag);
    if (diag_report(&diag, stderr))
        fputs("tulle-pcied --help shows the options\n", stderr);
    return status;
}

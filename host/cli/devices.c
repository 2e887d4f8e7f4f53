/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "host/cli/cli.h"
#include "host/cli/watch.h"
#include "host/devices/candidate.h"

static const char help[] =
    "Usage: tulle devices [LIST] [--json]\n"
    "       tulle devices --watch [--interval S] [--count N] [--json]\n"
    "\n"
    "Opens and lists the devices that the OpenCL driver finds, and says why it leaves others out. LIST has\n"
    "the form of TULLE_DEVICES, which is its default:\n"
    "\n"
    "    model:VARIANT,sim:FOLDER,sim:CONTAINER,pcie:SOCKET,pcie:ADDRESS,serial:LINE;SETTING=VALUE;...\n"
    "\n"
    "pcie: alone stands for every PCI function that may be a Tulle device. Without a list the driver offers\n"
    "every named variant on the functional model, and --device takes simulated devices of the folders in\n"
    "TULLE_BOARDS (build/board) by name, too: sim:NAME. All of these are listed then.\n"
    "\n"
    "--watch shows the devices that processes of this user have in use: jobs, cycles, the share of "
    "multiplications\n"
    "in what the PEs could do (util.), the share of the time in which a job ran (busy), and failures. Rates "
    "are\n"
    "those since the table before, in the first table since the device was opened. TULLE_MONITOR=off in the\n"
    "environment of a process keeps its devices out.\n"
    "\n"
    "      --json        print an array with one object for each device\n"
    "      --watch       show what devices do, until it is stopped with Ctrl-C\n"
    "      --interval S  seconds between two tables (1)\n"
    "      --count N     stop after N tables\n"
    "  -h, --help        this text\n"
    "\n"
    "Exit status: 0 there is a device, 1 there is none, 2 wrong usage.\n";

static void describe(const struct candidate *c)
{
    const struct variant *v = &c->variant;
    const bool small = c->memory < UINT64_C(10) << 20;
    if (*c->why)
        printf("%-24s not used: %s\n", c->text, c->why);
    else
        printf("%-24s variant %s (hash %016llx), %u x %u x %u, %llu %s\n", c->text, v->name,
               (unsigned long long)c->hash, v->n, v->m, v->k,
               (unsigned long long)(small ? c->memory >> 10 : c->memory >> 20), small ? "KiB" : "MiB");
}

static void add_json(const struct candidate *c, struct strbuf *to)
{
    sb_add(to, "  {\"device\": ");
    sb_add_json(to, c->text);
    sb_addf(to, ", \"usable\": %s", *c->why ? "false" : "true");
    if (*c->why) {
        sb_add(to, ", \"why\": ");
        sb_add_json(to, c->why);
    } else {
        sb_add(to, ", \"variant\": ");
        sb_add_json(to, c->variant.name);
        sb_addf(to, ", \"hash\": \"%016llx\", \"memory\": %llu", (unsigned long long)c->hash,
                (unsigned long long)c->memory);
    }
    sb_add(to, "}");
}

static void print_json(const struct candidates *found)
{
    struct strbuf text = {0};
    sb_add(&text, "[\n");
    for (size_t i = 0; i < found->count; i++) {
        add_json(&found->item[i], &text);
        sb_add(&text, i + 1 < found->count ? ",\n" : "\n");
    }
    sb_add(&text, "]\n");
    fputs(sb_text(&text), stdout);
    sb_free(&text);
}

static int list_devices(const char *list, bool json)
{
    struct candidates found;
    size_t usable = 0;
    list = list ? list : getenv(CANDIDATES_VARIABLE);
    if (!(list ? candidates_find(list, &found) : candidates_find_all(&found))) {
        fputs("error: out of memory\n", stderr);
        return CLI_FAILED;
    }
    for (size_t i = 0; i < found.count; i++)
        usable += !*found.item[i].why && candidate_open(&found.item[i]);
    for (size_t i = 0; i < found.count && !json; i++)
        describe(&found.item[i]);
    if (json)
        print_json(&found);
    candidates_free(&found);
    if (!usable)
        fputs("error: no device can be used: see " CANDIDATES_VARIABLE " in tulle devices --help\n", stderr);
    return usable ? CLI_DONE : CLI_FAILED;
}

/* Mistakes in what goes together. */
static void check(const char *list, bool watches, bool repeats, struct diag *diag)
{
    if (watches && list)
        diag_error(diag, (struct place){0}, "--watch shows the devices in use, without a list");
    if (!watches && repeats)
        diag_error(diag, (struct place){0}, "--interval and --count go with --watch");
}

int cli_devices(int argc, char **argv)
{
    const char *list = NULL, *interval = NULL, *count = NULL;
    struct watch_request request = {.seconds = 1};
    bool watches = false, asked = false;
    struct diag diag = {0};
    const struct option_entry options[] = {
        {.name = "--json", .flag = &request.json},
        {.name = "--watch", .flag = &watches},
        {.name = "--interval", .value = &interval, .real = &request.seconds, .low = 0.01, .high = 86400},
        {.name = "--count", .value = &count, .number = &request.count, .min = 1, .max = INT32_MAX},
        {.name = "--help", .letter = "-h", .flag = &asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&list, 1, NULL}, &diag);
    check(list, watches, interval || count, &diag);
    if (diag.errors && !asked)
        return cli_usage("devices", &diag);
    diag_free(&diag);
    if (!asked)
        return watches ? watch(&request) : list_devices(list, request.json);
    fputs(help, stdout);
    return CLI_DONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "gen/emit/summary.h"
#include "host/cli/cli.h"
#include "host/cli/inspect_net.h"
#include "host/container/container.h"

static const char help[] =
    "Usage: tulle inspect FILE [--json]\n"
    "\n"
    "Checks a container, or a compiled network, and lists its contents. Nothing in it is executed.\n"
    "\n"
    "      --json   print its manifest; of a compiled network the same as an object\n"
    "  -h, --help   this text\n"
    "\n"
    "Exit status: 0 the file is intact, 1 it is damaged or cannot be read, 2 wrong usage.\n";

static void describe(const struct container *c)
{
    char sha[2 * SHA256_BYTES + 1];
    struct strbuf shape = {0};
    sha256_text(c->sha256, sha);
    summary_one_line(&shape, &c->variant);
    printf("kind         %s\n", container_kind_name(c->kind));
    printf("variant      %s (hash %016llx)\n", c->variant.name, (unsigned long long)c->hash);
    printf("shape        %u x %u x %u (rows x clusters x PEs); %s\n", c->variant.n, c->variant.m,
           c->variant.k, sb_text(&shape));
    printf("instructions %s\n", c->isa);
    printf("board        %s\n", c->board);
    printf("transport    %s\n", c->transport);
    for (unsigned i = 0; i < c->tools; i++)
        printf("%-12s %s %s\n", i ? "" : "made with", c->tool[i].name, c->tool[i].version);
    printf("payload      %zu bytes, SHA-256 %s\n", c->payload_bytes, sha);
    sb_free(&shape);
}

static bool print(const struct container *c, bool json, struct strbuf *why)
{
    struct strbuf text = {0};
    bool ok = !json || container_manifest(c, &text, why);
    if (ok && json)
        fputs(sb_text(&text), stdout);
    else if (ok)
        describe(c);
    sb_free(&text);
    return ok;
}

static bool inspect_container(const char *path, bool json)
{
    struct strbuf bytes = {0}, why = {0};
    struct container c;
    const bool ok = container_load(path, &bytes, &c, &why) && print(&c, json, &why);
    if (!ok)
        fprintf(stderr, "error: %s\n", sb_text(&why));
    sb_free(&bytes);
    sb_free(&why);
    return ok;
}

static bool inspect_compiled(const char *path, bool json)
{
    struct strbuf text = {0};
    struct diag diag = {0};
    const bool ok = inspect_net(path, json, &text, &diag);
    fputs(sb_text(&text), stdout);
    fputs(sb_text(&diag.text), stderr);
    sb_free(&text);
    diag_free(&diag);
    return ok;
}

static int inspect(const char *path, bool json)
{
    if (!(compiled_is(path) ? inspect_compiled(path, json) : inspect_container(path, json)))
        return CLI_FAILED;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CLI_DONE;
    fprintf(stderr, "error: standard output cannot be written\n");
    return CLI_FAILED;
}

int cli_inspect(int argc, char **argv)
{
    const char *path = NULL;
    bool json = false, asked = false;
    struct diag diag = {0};
    const struct option_entry options[] = {{.name = "--json", .flag = &json},
                                           {.name = "--help", .letter = "-h", .flag = &asked},
                                           {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&path, 1, NULL}, &diag);
    if (!asked && !path)
        diag_error(&diag, (struct place){0}, "which container? give a file, - for standard input");
    if (diag.errors && !asked)
        return cli_usage("inspect", &diag);
    diag_free(&diag);
    if (!asked)
        return inspect(path, json);
    fputs(help, stdout);
    return CLI_DONE;
}

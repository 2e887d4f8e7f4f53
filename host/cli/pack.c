/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "gen/base/output.h"
#include "gen/version.h"
#include "host/cli/cli.h"
#include "host/container/container.h"
#include "host/container/manifest.h"

static const char help[] =
    "Usage: tulle pack --model VARIANT -o FILE [--set KEY=VALUE]...\n"
    "       tulle pack --sim FOLDER -o FILE\n"
    "       tulle pack --vendor|--bitstream PAYLOAD --variant VARIANT --board B --transport T -o FILE\n"
    "\n"
    "Makes a container: one file with a device and everything that a host must know about it. FILE is\n"
    "written completely or not at all. The same device gives the same bytes.\n"
    "\n"
    "      --model VARIANT      the functional model of VARIANT, which is a name or file as for tulle-gen\n"
    "      --sim FOLDER         the simulated device that sim/board/build made there\n"
    "      --vendor PAYLOAD     a vendor's container\n"
    "      --bitstream PAYLOAD  the configuration of the FPGA\n"
    "      --variant VARIANT    the variant that the payload was made from: a name or a file\n"
    "      --set KEY=VALUE      replace a value of the variant; repeatable\n"
    "      --board NAME         the board that the container is for\n"
    "      --transport NAME     how the host reaches the board\n"
    "      --tool NAME=VERSION  a tool that made the payload; repeatable, 7 at most\n"
    "  -o, --output FILE        the container to write\n"
    "  -h, --help               this text\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

struct request {
    const char *model, *sim, *vendor, *bitstream, *variant, *board, *transport, *output;
    const char **sets, **tools; /* room for all arguments */
    unsigned set_count, tool_count;
};

static const struct place nowhere = {0};

/* ---- usage ------------------------------------------------------------------------------------ */

static const char *payload_of(const struct request *r)
{
    return r->vendor ? r->vendor : r->bitstream;
}

static void check_word(const char *option, const char *text, bool wanted, struct diag *diag)
{
    if (wanted && !text)
        diag_error(diag, nowhere, "%s is missing", option);
    else if (!wanted && text)
        diag_error(diag, nowhere, "%s goes with --vendor and --bitstream only", option);
    else if (text && !manifest_word(text))
        diag_error(diag, nowhere, "%s %s: letters, digits and ._+- only, 63 at most", option, text);
}

static void check(const struct request *r, struct diag *diag)
{
    unsigned kinds = !!r->model + !!r->sim + !!r->vendor + !!r->bitstream;
    if (kinds != 1)
        diag_error(diag, nowhere, "one of --model, --sim, --vendor and --bitstream, please");
    if (!r->output)
        diag_error(diag, nowhere, "an output file is missing: give -o FILE");
    if (kinds != 1)
        return;
    check_word("--board", r->board, payload_of(r), diag);
    check_word("--transport", r->transport, payload_of(r), diag);
    if (!r->variant != !payload_of(r))
        diag_error(diag, nowhere, "--variant goes with --vendor and --bitstream, and they with it");
    if (r->sim && r->set_count)
        diag_error(diag, nowhere, "--set: the device in %s is built already", r->sim);
}

/* ---- making ----------------------------------------------------------------------------------- */

/* "name=version" */
static bool take_tool(const char *text, struct container *c, struct diag *diag)
{
    size_t length = strcspn(text, "=");
    struct container_tool *tool = &c->tool[c->tools];
    if (c->tools == CONTAINER_TOOLS_MAX) {
        diag_error(diag, nowhere, "--tool %s: a container names %d tools at most", text, CONTAINER_TOOLS_MAX);
        return false;
    }
    container_word name = "";
    memcpy(name, text, length < CONTAINER_WORD_MAX ? length : CONTAINER_WORD_MAX);
    if (!text[length] || length > CONTAINER_WORD_MAX || !container_word_set(tool->name, name) ||
        !container_word_set(tool->version, text + length + 1)) {
        diag_error(diag, nowhere, "--tool %s: give NAME=VERSION of letters, digits and ._+-", text);
        return false;
    }
    for (unsigned i = 0; i < c->tools; i++)
        if (!strcmp(tool->name, c->tool[i].name)) {
            diag_error(diag, nowhere, "--tool %s: %s is named already", text, tool->name);
            return false;
        }
    c->tools++;
    return true;
}

static bool take_tools(const struct request *r, struct container *c, struct diag *diag)
{
    bool ok = take_tool("tulle-gen=" TULLE_VERSION, c, diag);
    for (unsigned i = 0; ok && i < r->tool_count; i++)
        ok = take_tool(r->tools[i], c, diag);
    return ok;
}

static bool read_payload(const char *path, struct container *c, struct strbuf *bytes, struct diag *diag)
{
    if (!input_read(path, CONTAINER_PAYLOAD_MAX, bytes, diag))
        return false;
    c->payload = (const uint8_t *)sb_text(bytes);
    c->payload_bytes = bytes->len;
    return true;
}

static bool read_folder(const char *folder, struct container *c, struct strbuf *bytes, struct diag *diag)
{
    struct strbuf object = {0}, variant = {0};
    sb_addf(&object, "%s/board.so", folder);
    sb_addf(&variant, "%s/variant.yaml", folder);
    bool ok = sb_ok(&object) && sb_ok(&variant) &&
              variant_load_file(sb_text(&variant), NULL, 0, &c->variant, diag) &&
              read_payload(sb_text(&object), c, bytes, diag);
    sb_free(&object);
    sb_free(&variant);
    return ok;
}

static bool fill(const struct request *r, struct container *c, struct strbuf *bytes, struct diag *diag)
{
    const char *variant = r->model ? r->model : r->variant;
    c->kind = r->model    ? CONTAINER_MODEL
              : r->sim    ? CONTAINER_VERILATED
              : r->vendor ? CONTAINER_VENDOR
                          : CONTAINER_BITSTREAM;
    (void)container_word_set(c->board, r->board ? r->board : "simulator");
    (void)container_word_set(c->transport, r->transport ? r->transport : r->model ? "model" : "sim");
    if (!take_tools(r, c, diag))
        return false;
    if (r->sim)
        return read_folder(r->sim, c, bytes, diag);
    return variant_load(variant, r->sets, r->set_count, &c->variant, diag) &&
           (r->model || read_payload(payload_of(r), c, bytes, diag));
}

static int pack(const struct request *r, struct diag *diag)
{
    struct container c = {.tools = 0};
    struct strbuf payload = {0}, text = {0}, why = {0};
    bool ok = fill(r, &c, &payload, diag);
    if (ok && !container_write(&c, &text, &why)) {
        diag_error(diag, (struct place){.file = r->output}, "%s", sb_text(&why));
        ok = false;
    }
    ok = ok && output_file(r->output, &text, diag);
    sb_free(&payload);
    sb_free(&text);
    sb_free(&why);
    diag_report(diag, stderr);
    return ok ? CLI_DONE : CLI_FAILED;
}

static int parse(int argc, char **argv, struct request *r)
{
    bool asked = false;
    struct diag diag = {0};
    const struct option_entry options[] = {{.name = "--model", .value = &r->model},
                                           {.name = "--sim", .value = &r->sim},
                                           {.name = "--vendor", .value = &r->vendor},
                                           {.name = "--bitstream", .value = &r->bitstream},
                                           {.name = "--variant", .value = &r->variant},
                                           {.name = "--board", .value = &r->board},
                                           {.name = "--transport", .value = &r->transport},
                                           {.name = "--output", .letter = "-o", .value = &r->output},
                                           {.name = "--set", .list = r->sets, .count = &r->set_count},
                                           {.name = "--tool", .list = r->tools, .count = &r->tool_count},
                                           {.name = "--help", .letter = "-h", .flag = &asked},
                                           {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){NULL, 0, NULL}, &diag);
    if (asked) {
        fputs(help, stdout);
        diag_free(&diag);
        return CLI_DONE;
    }
    check(r, &diag);
    return diag.errors ? cli_usage("pack", &diag) : pack(r, &diag);
}

int cli_pack(int argc, char **argv)
{
    size_t room = (size_t)argc;
    struct request r = {.sets = calloc(room, sizeof *r.sets), .tools = calloc(room, sizeof *r.tools)};
    int status = CLI_FAILED;
    if (r.sets && r.tools)
        status = parse(argc, argv, &r);
    else
        fputs("error: out of memory\n", stderr);
    free(r.sets);
    free(r.tools);
    return status;
}

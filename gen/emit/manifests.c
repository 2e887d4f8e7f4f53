/* SPDX-License-Identifier: Apache-2.0
 *
 * What flows read: tulle.f, tulle.core, variant.json, and a README for people.
 */
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/summary.h"
#include "gen/version.h"

#define TOP "tulle_top"
#define TESTBENCH "tulle_tb"

static const char *const include_files[] = {"include/tulle_isa.vh", "include/tulle_registers.vh",
                                            "include/tulle_params.vh"};

/* The design is under rtl/, the testbench under tb/. */
static bool in_folder(const char *line, const char *folder)
{
    return !strncmp(line, folder, strlen(folder));
}

static void add_file_lines(struct strbuf *to, const char *lines, const char *folder, const char *before)
{
    for (const char *line = lines; *line; line += strcspn(line, "\n") + 1) {
        if (!in_folder(line, folder))
            continue;
        sb_add(to, before);
        sb_addn(to, line, strcspn(line, "\n") + 1);
    }
}

static bool emit_file_list(const struct emit_context *ctx)
{
    struct strbuf text = {0};
    emit_banner(&text, ctx, "//",
                "The design's files, in compilation order, relative to this folder:\n"
                "  verilator -F <folder>/tulle.f     iverilog -c tulle.f (in the folder)");
    sb_add(&text, "+incdir+include\n");
    add_file_lines(&text, sb_text(ctx->files), "rtl/", "");
    return emit_file(ctx, "tulle.f", &text);
}

static void add_core_filesets(struct strbuf *to, const struct emit_context *ctx)
{
    sb_add(to, "filesets:\n  rtl:\n    files:\n");
    for (size_t i = 0; i < sizeof include_files / sizeof *include_files; i++)
        sb_addf(to, "      - %s: {is_include_file: true, include_path: include}\n", include_files[i]);
    add_file_lines(to, sb_text(ctx->files), "rtl/", "      - ");
    sb_add(to, "    file_type: verilogSource-2005\n  tb:\n    files:\n");
    add_file_lines(to, sb_text(ctx->files), "tb/", "      - ");
    sb_add(to, "    file_type: verilogSource-2005\n  clock:\n    files:\n      - vendor/clock.xdc: "
               "{file_type: xdc}\n");
}

static const char core_targets[] = "targets:\n"
                                   "  default:\n"
                                   "    filesets: [rtl]\n"
                                   "    toplevel: " TOP "\n"
                                   "  lint:\n"
                                   "    filesets: [rtl]\n"
                                   "    toplevel: " TOP "\n"
                                   "    default_tool: verilator\n"
                                   "    tools:\n"
                                   "      verilator:\n"
                                   "        mode: lint-only\n"
                                   "        verilator_options: [-Wall]\n"
                                   "  sim:\n"
                                   "    filesets: [rtl, tb]\n"
                                   "    toplevel: " TESTBENCH "\n"
                                   "    default_tool: icarus\n"
                                   "    tools:\n"
                                   "      icarus:\n"
                                   "        iverilog_options: [-g2005]\n"
                                   "  yosys:\n"
                                   "    filesets: [rtl]\n"
                                   "    toplevel: " TOP "\n"
                                   "    default_tool: yosys\n"
                                   "    tools:\n"
                                   "      yosys:\n"
                                   "        arch: xilinx\n"
                                   "        yosys_synth_options: [-family, xcup, -noiopad]\n"
                                   "  vivado: # not yet run with the vendor's tools\n"
                                   "    filesets: [rtl, clock]\n"
                                   "    toplevel: " TOP "\n"
                                   "    default_tool: vivado\n"
                                   "    tools:\n"
                                   "      vivado:\n"
                                   "        part: xcvu9p-flga2104-2-i\n"
                                   "        pnr: none\n";

/* The first line of a FuseSoC core must be its format's name, so the banner comes second. */
static bool emit_core(const struct emit_context *ctx)
{
    struct strbuf text = {0};
    sb_add(&text, "CAPI=2:\n");
    emit_banner(&text, ctx, "#", "FuseSoC core: fusesoc --cores-root <folder> run --target=lint <name>");
    sb_addf(&text, "name: tulle:array:%s:%s\n", ctx->variant->name, TULLE_VERSION);
    sb_add(&text, "description: \"Tulle, an array of sparse processing elements: ");
    summary_one_line(&text, ctx->variant);
    sb_add(&text, "\"\n");
    add_core_filesets(&text, ctx);
    sb_add(&text, core_targets);
    return emit_file(ctx, "tulle.core", &text);
}

static bool emit_json(const struct emit_context *ctx)
{
    struct strbuf text = {0};
    variant_write_json(ctx->variant, TULLE_ISA_VERSION, &text);
    return emit_file(ctx, "variant.json", &text);
}

static const char readme_files[] =
    "\n"
    "## What is here\n\n"
    "| path | what |\n"
    "| --- | --- |\n"
    "| `tulle.f` | the design's files in compilation order |\n"
    "| `tulle.core` | the same for FuseSoC, with the targets default, lint, sim, yosys and vivado |\n"
    "| `rtl/` | the design; the top is `" TOP "` |\n"
    "| `tb/` | a testbench of the control block and the array, that needs nothing else, and `run.sh`, which "
    "runs it |\n"
    "| `include/` | constants for Verilog (`.vh`) and C or C++ (`.h`): encodings, registers, parameters |\n"
    "| `docs/registers.md` | the register map, with this variant's values |\n"
    "| `vendor/` | scripts for Vivado and Vitis, not yet run with these tools |\n"
    "| `variant.json` | every parameter, what follows from it, the ISA version and the hash |\n";

static const char readme_use[] =
    "\n"
    "## Use it\n\n"
    "In this folder. Lint:\n\n"
    "```sh\n"
    "verilator --lint-only -Wall --top-module " TOP " -F tulle.f\n"
    "```\n\n"
    "Simulate, in Icarus and in Verilator (5 or later), or in one of them (`bash tb/run.sh iverilog`); the\n"
    "last line says `PASS`:\n\n"
    "```sh\n"
    "bash tb/run.sh\n"
    "```\n\n"
    "Integrate: compile what `tulle.f` lists, with `include/` on the include path, and instantiate\n"
    "`" TOP "`: one clock, a synchronous active-low reset, `s_axi_control` (AXI4-Lite) for the\n"
    "registers, `m_axi_mem0` (AXI4, 64-bit addresses) for the memory with programs and operands, and\n"
    "`interrupt`. A job is started by a register and ends with a status record in memory and an "
    "interrupt.\n";

static bool emit_readme(const struct emit_context *ctx)
{
    struct strbuf text = {0};
    emit_banner(&text, ctx, "<!--", "What is in this folder.");
    sb_addf(&text,
            "# Tulle: %s\n\nAn array of processing elements for sparse matrices, as Verilog, generated by "
            "`tulle-gen`.\n\n```text\n",
            ctx->variant->name);
    summary_write(&text, ctx->variant);
    sb_add(&text, "```\n");
    sb_add(&text, readme_files);
    sb_add(&text, readme_use);
    return emit_file(ctx, "README.md", &text);
}

bool emit_manifests(const struct emit_context *ctx)
{
    return emit_file_list(ctx) && emit_core(ctx) && emit_json(ctx) && emit_readme(ctx);
}

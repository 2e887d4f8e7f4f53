/* SPDX-License-Identifier: Apache-2.0
 *
 * tb/tulle_tb.v, a test bench that needs nothing but the emitted folder, and
 * tb/run.sh, which runs it in every simulator there is.
 */
#include "gen/emit/testbench.h"

#include "gen/emit/emit.h"
#include "gen/emit/verilog.h"

static const char title[] =
    "tulle_tb: a self-checking test of tulle_packet_top, which is the device without its memory side: "
    "registers, configuration, operands in and results out "
    "with\n"
    "random gaps and stalls, every error that a cluster can name, soft reset, interrupt.\n"
    "\n"
    "The last line it prints says PASS or FAIL; a failure ends with an error. tb/run.sh runs it.";

static const char run[] =
    "#\n"
    "# Usage: tb/run.sh [SIMULATOR...]      (iverilog, verilator; default: those that are installed)\n"
    "#\n"
    "# Compiles and runs the test bench in each simulator; all must end with the same line, which says "
    "PASS.\n"
    "# Exit status: 0 passed, 1 failed, 77 no simulator. What is built goes to a temporary folder; "
    "SIM_DIR=DIR\n"
    "# keeps it. ARGUMENTS=\"+failures=N +rounds=N\" ends the test at its Nth failure, not the 10th, and\n"
    "# plays the data in N rounds, not in 4: for a first look.\n"
    "\n"
    "set -euo pipefail\n"
    "\n"
    "cd \"$(dirname \"${BASH_SOURCE[0]}\")/..\"\n"
    "if [[ -n ${SIM_DIR:-} ]]; then\n"
    "    mkdir -p \"$SIM_DIR\"\n"
    "    work=$(cd \"$SIM_DIR\" && pwd)\n"
    "else\n"
    "    work=$(mktemp -d)\n"
    "    trap 'rm -rf \"$work\"' EXIT\n"
    "fi\n"
    "\n"
    "read -ra arguments <<<\"${ARGUMENTS:-}\"\n"
    "\n"
    "run_iverilog() {\n"
    "    iverilog -g2005 -c tulle.f -s tulle_tb -o \"$work/tulle_tb.vvp\" tb/tulle_packet_top.v "
    "tb/tulle_tb.v &&\n"
    "        vvp -n \"$work/tulle_tb.vvp\" \"${arguments[@]}\"\n"
    "}\n"
    "\n"
    "# The bench is compiled once and run once: optimising it costs more than it brings.\n"
    "run_verilator() {\n"
    "    verilator --binary --timing -j 0 -O1 -MAKEFLAGS \"OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0\" \\\n"
    "        --top-module tulle_tb --Mdir \"$work/verilator\" -f tulle.f tb/tulle_packet_top.v tb/tulle_tb.v "
    "\\\n"
    "        >\"$work/build.log\" 2>&1 || {\n"
    "        cat \"$work/build.log\"\n"
    "        return 1\n"
    "    }\n"
    "    \"$work/verilator/Vtulle_tb\" \"${arguments[@]}\"\n"
    "}\n"
    "\n"
    "simulators=(\"$@\")\n"
    "if ((!$#)); then\n"
    "    for name in iverilog verilator; do\n"
    "        ! command -v \"$name\" >/dev/null || simulators+=(\"$name\")\n"
    "    done\n"
    "fi\n"
    "((${#simulators[@]})) || {\n"
    "    echo \"tb/run.sh: neither iverilog nor verilator is installed\" >&2\n"
    "    exit 77\n"
    "}\n"
    "\n"
    "first=\n"
    "for name in \"${simulators[@]}\"; do\n"
    "    status=0\n"
    "    \"run_$name\" >\"$work/$name.log\" 2>&1 </dev/null || status=$?\n"
    "    cat \"$work/$name.log\"\n"
    "    last=$(grep '^tulle_tb: PASS' \"$work/$name.log\" || true)\n"
    "    if ((status)) || [[ -z $last ]]; then\n"
    "        echo \"tb/run.sh: $name: failed (exit status $status)\" >&2\n"
    "        exit 1\n"
    "    fi\n"
    "    first=${first:-$last}\n"
    "    if [[ $last != \"$first\" ]]; then\n"
    "        echo \"tb/run.sh: $name says '$last', ${simulators[0]} said '$first'\" >&2\n"
    "        exit 1\n"
    "    fi\n"
    "done\n";

static bool emit_run(const struct emit_context *ctx)
{
    struct strbuf text = {0};
    sb_add(&text, "#!/bin/bash\n");
    emit_banner(&text, ctx, "#", "Runs the test bench.");
    sb_add(&text, run);
    return emit_file(ctx, "tb/run.sh", &text);
}

bool emit_testbench(const struct emit_context *ctx)
{
    struct strbuf text = {0};
    sb_add(&text, "`include \"tulle_isa.vh\"\n`include \"tulle_registers.vh\"\n\n"
                  "module tulle_tb;\n\n");
    testbench_payloads(&text, ctx);
    testbench_bench(&text, ctx);
    testbench_test(&text, ctx);
    sb_add(&text, "endmodule\n");
    return emit_packet_top(ctx) && verilog_file(ctx, "tb/tulle_tb.v", title, &text) && emit_run(ctx);
}

# SPDX-License-Identifier: Apache-2.0
# Writes a module `harness` around an emitted module, so that no pin is on a path: inputs come from a shift register,
# outputs go into registers and leave through another. The files are include/tulle_params.vh of the variant and the
# module's.

/^`define / { value[$2] = $3 }

/^module / { name = $2; inside = 1 }

inside && /^ *(input|output) / {
    sub(/ *\/\/.*/, "") # what a comment says of the port
    width = 1
    if (match($0, /\[`[A-Z_]+(-1)?:0\]/)) { # a name of tulle_params.vh for its number
        name_length = match($0, /(-1)?:0\]/) - index($0, "`") - 1
        number = value[substr($0, index($0, "`") + 1, name_length)]
        sub(/`[A-Z_]+(-1)?/, substr($0, RSTART, 2) == "-1" ? number - 1 : number)
    }
    if (match($0, /\[[0-9]+:0\]/))
        width = substr($0, RSTART + 1, RLENGTH - 4) + 1
    port = $NF
    sub(/,$/, "", port)
    if (port == "clk_i" || port == "ap_clk") {
        clock = port
        next
    }
    if (port == "rst_ni" || port == "ap_rst_n") {
        reset = port
        next
    }
    at = $1 == "input" ? ins : outs
    map = map sprintf(",\n    .%s (%s[%d +: %d])", port, $1 == "input" ? "in_q" : "out", at, width)
    if ($1 == "input") ins += width
    else outs += width
}

/^\);/ { inside = 0 }

END {
    print "module harness (input wire clk_i, input wire rst_ni, input wire scan_i, input wire load_i, output wire scan_o);"
    printf "  reg [%d:0] in_q;\n  wire [%d:0] out;\n  reg [%d:0] out_q;\n  reg [%d:0] chain_q;\n", ins - 1, outs - 1, outs - 1, outs - 1
    print "  reg load_q;\n  reg rst_nq;\n  always @(posedge clk_i) begin"
    printf "    in_q <= {in_q[%d:0], scan_i};\n", ins - 2
    print "    out_q <= out;\n    load_q <= load_i;\n    rst_nq <= rst_ni;"
    print "    chain_q <= load_q ? out_q : chain_q >> 1;\n  end\n  assign scan_o = chain_q[0];"
    printf "  %s dut (\n    .%s (clk_i),\n    .%s (rst_nq)%s);\nendmodule\n", name, clock, reset, map
}

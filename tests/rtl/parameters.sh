#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An illegal parameter stops elaboration in Verilator, Icarus and Yosys, and the message says which rule; a
# violated assertion ends a simulation with an error that names the instance.

set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator yosys

"$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log"
cd "$TMPDIR/tiny"
mapfile -t files < <(grep '^rtl/' tulle.f)

# refuses NAME RULE COMMAND...: the command must fail and say the rule.
refuses() {
    local name=$1 rule=$2
    shift 2
    if "$@" >"$TMPDIR/log" 2>&1; then
        fail "$name accepts it: $*"
    elif ! grep -q "$rule" "$TMPDIR/log"; then
        cat "$TMPDIR/log"
        fail "$name does not say '$rule': $*"
    fi
}

# illegal MODULE PARAMETER VALUE MESSAGE INSTANCE: what Verilator and Yosys say, and which instance Verilator and
# Icarus name.
illegal() {
    local wrapper=$TMPDIR/wrapper.v
    printf 'module wrapper;\n  %s #(.%s(%s)) u_inner ();\nendmodule\n' "$1" "$2" "$3" >"$wrapper"
    refuses verilator "$4" verilator --lint-only -Wno-PINMISSING --top-module wrapper -Iinclude "${files[@]}" "$wrapper"
    refuses verilator "wrapper.u_inner.$5" verilator --lint-only -Wno-PINMISSING --top-module wrapper -Iinclude \
        "${files[@]}" "$wrapper"
    refuses iverilog "wrapper.u_inner.$5" iverilog -g2005 -t null -s wrapper -Iinclude "${files[@]}" "$wrapper"
    refuses yosys "$4" yosys -q -p "read_verilog -Iinclude ${files[*]} $wrapper; hierarchy -top wrapper -check"
}

illegal tulle_fifo DEPTH 0 'tulle_fifo: WIDTH and DEPTH must be at least 1' u_require_width_and_depth_at_least_1
illegal tulle_slice WIDTH 0 'tulle_slice: WIDTH must be at least 1' u_require_width_at_least_1
illegal tulle_parser PIECE_WIDTH 96 'tulle_parser: PIECE_WIDTH must be 32' u_require_piece_width_32_64_128_or_256
illegal tulle_selector BUFFERS 33 'tulle_selector: BUFFERS must be 1..32' u_require_buffers_1_to_32
illegal tulle_partial_loader ACC_WIDTH 33 'tulle_partial_loader: ACC_WIDTH must be' \
    u_require_acc_width_1_to_element_width
illegal tulle_sequencer LINE 3 'tulle_sequencer: LINE must be a power of two' u_require_line_power_of_two_1_to_input_depth

# A source that takes its word back.
cat >"$TMPDIR/unstable.v" <<'EOF'
module unstable;
  reg clk = 1'b0;
  reg rst_n = 1'b0;
  reg [7:0] data = 8'd0;
  always #5 clk = !clk;
  always @(posedge clk) data <= data + 8'd1;
  initial begin
    #20 rst_n = 1'b1;
    #200 $finish(0);
  end
  tulle_slice #(.WIDTH(8)) u_slice (
    .clk_i(clk), .rst_ni(rst_n), .valid_i(1'b1), .ready_o(), .data_i(data),
    .valid_o(), .ready_i(1'b0), .data_o());
endmodule
EOF
iverilog -g2005 -s unstable -o "$TMPDIR/unstable.vvp" "${files[@]}" "$TMPDIR/unstable.v" -Iinclude
refuses vvp 'unstable.u_slice.u_input_check.u_data_is_stable' vvp -n "$TMPDIR/unstable.vvp"
finish

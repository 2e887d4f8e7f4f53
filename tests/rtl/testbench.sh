#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The emitted test bench passes in Icarus for an array of one PE, for int16, for a small register file and with the keys of
# instruction set 1.2. gen_emit/folder.sh plays the smallest named variant, in both simulators.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

run_testbench iverilog tiny --set n=1 --set m=1 --set k=1 --set instruction_buffers=1 --set instruction_depth=1
# lines of 32 activations, and 16 weights in a queue
run_testbench iverilog tiny --set n=1 --set m=1 --set instruction_depth=1 --set row_bus_width=256 --set load_width=32 \
    --set weight_queue_depth=16 --set segment_max=8
run_testbench iverilog tiny --set n=1 --set data_width=16 --set acc_width=48 --set k=3
# A register file with room for two sequences only.
run_testbench iverilog tiny --set n=1 --set instruction_buffers=7 --set instruction_depth=2 --set register_file_entries=4
# With these keys some of what the bench expects to be refused is legal.
run_testbench iverilog tiny --set n=1 --set m=1 --set k=2 --set functions=relu --set scalar_unit=on --set accumulators=on --set pe_operands=on

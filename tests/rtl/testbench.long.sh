#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The emitted test bench passes for named variants, for wide and narrow buses, and for random variants. The larger ones in
# Verilator, which is faster by far; what is one row in Icarus. testbench.soak.sh has the largest
# and more random ones.
# timeout: 1500
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

run_testbench verilator odd
# More beats in the configurations of test_longest than the bench's queue holds.
run_testbench iverilog tiny --set n=1 --set row_bus_width=64 --set memory_width=64 --set instruction_depth=32 \
    --set register_file_entries=256
# One PE, a weight beat of one beat of the bus.
run_testbench iverilog --random 62
# sixteen rows with 1,024 lines of input each: 27,852 steps
run_testbench verilator --random 111847635

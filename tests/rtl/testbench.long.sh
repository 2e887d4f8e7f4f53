#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The emitted test bench passes for the named variants, for wide and narrow buses, and for random variants.
# timeout: 1500
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

run_testbench iverilog odd
run_testbench verilator base
run_testbench verilator wide
run_testbench iverilog tiny --set acc_width=24 --set load_width=4 --set output_queue_depth=4 --set issue_queue_depth=16
for seed in 12 41; do
    run_testbench verilator --random "$seed"
done

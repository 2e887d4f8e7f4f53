#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The emitted test bench passes for the largest named variants, which compile for minutes, and for more random ones.
# timeout: 3600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

run_testbench verilator base
run_testbench verilator wide
run_testbench iverilog tiny --set n=1 --set acc_width=24 --set load_width=4 --set output_queue_depth=4 \
    --set issue_queue_depth=16
# More buffers than are configured twice.
run_testbench verilator --random 30
# A variant whose first function the array does not have.
run_testbench iverilog --random 74
run_testbench verilator --random 41
# More steps than rows and clusters suggest.
run_testbench verilator --random 111

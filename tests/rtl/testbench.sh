#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The emitted test bench passes for the smallest named variant and for arrays of one row, one cluster, one PE.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

run_testbench iverilog tiny
run_testbench iverilog tiny --set n=1 --set m=1 --set k=1 --set instruction_buffers=1 --set instruction_depth=1
run_testbench iverilog tiny --set data_width=16 --set acc_width=48 --set k=3

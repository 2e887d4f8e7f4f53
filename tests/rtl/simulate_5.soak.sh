#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random variants that failed once, and four new ones, simulated as in simulate.long.sh.
# timeout: 3600
# expected: 1200
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

# 12: sixteen clusters in a row. 103: a register file with room for two sequences only.
"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --seeds "12 103" --sweep 4

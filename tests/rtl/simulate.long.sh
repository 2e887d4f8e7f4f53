#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random variants as users meet them: the emitted bench, products through the library, and random operators. Four that failed
# once; simulate_fresh.long.sh has two new ones, simulate_*.soak.sh a hundred.
# timeout: 2400
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

# 12: sixteen clusters in a row. 103: a register file with room for two sequences only.
# 101: a configuration with one sequence too many is still looked at when its last beat is taken.
# c1: 4,096 entries of the output queue, for which the first store waits while they are cleared.
"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --seeds "12 101 103 c1"

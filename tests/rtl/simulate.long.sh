#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random variants as users meet them: the emitted bench, products through the library, and random operators. Two that failed
# once; simulate_fresh.long.sh has a new one, simulate_*.soak.sh a hundred.
# timeout: 2400
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

# 103: a register file with room for two sequences only.
# c1: 4,096 entries of the output queue, for which the first store waits while they are cleared.
"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --seeds "103 c1"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random variants as users meet them: the emitted bench, products through the library, and random operators. Two small ones;
# simulate_*.soak.sh simulate a hundred, fresh ones among them.
# timeout: 1200
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

# 101: a configuration with one sequence too many is still looked at when its last beat is taken.
"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --seeds "101 c3"

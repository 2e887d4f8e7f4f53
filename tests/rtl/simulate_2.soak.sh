#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A quarter of a hundred random variants, simulated as in simulate.long.sh: twelve that are always the same, thirteen new.
# timeout: 7200
# expected: 2400
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --sweep 13 \
    --seeds "7 c7 8 c8 9 c9 10 c10 11 c11 12 c12"

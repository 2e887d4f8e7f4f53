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
    --seeds "13 c13 14 c14 15 c15 16 c16 17 c17 18 c18"

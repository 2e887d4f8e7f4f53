#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A quarter of a hundred random variants, simulated as in simulate.long.sh: fourteen that are always the same, thirteen new.
# timeout: 7200
# expected: 2400
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

# 12: sixteen clusters in a row. 101: a configuration with one sequence too many is still looked at when its last beat is taken.
# 261256211: a beat of five entries makes words of four and of one, so that the bench's segment needs more words than its entries say.
"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --sweep 13 \
    --seeds "12 101 1 c1 2 c2 3 c3 4 c4 5 c5 6 c6 261256211"

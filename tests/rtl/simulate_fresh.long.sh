#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A random variant, simulated as in simulate.long.sh. Each commit has one of its own, and always the same, so that a failure comes
# again with the commit.
# timeout: 3600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

commit=$(git -C "$TOP" rev-parse HEAD 2>/dev/null) || commit=$(date)
number=$((16#$(echo "$commit" | sha256sum | head -c 7)))
corner=''
((number % 2)) || corner=c
"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --seeds "$corner$number"

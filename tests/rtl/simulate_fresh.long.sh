#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Two random variants, simulated as in simulate.long.sh. Each commit has two of its own, and always the same, so that a
# failure comes again with the commit.
# timeout: 3600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

commit=$(git -C "$TOP" rev-parse HEAD 2>/dev/null) || commit=$(date)
seeds=()
for corner in '' c; do
    seeds+=("$corner$((16#$(echo "$commit ${#seeds[@]}" | sha256sum | head -c 7)))")
done
"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --seeds "${seeds[*]}"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of the control block, the parser, the selector and the sequencer (UNITS of lib.sh) in Icarus,
# with several parameters. SEEDS=N runs N seeds.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

# play UNIT PARAMETERS: with the files in FILES.
play() {
    local parameters seed said
    read -ra parameters <<<"$2"
    iverilog -g2005 -s "$1_tb" "${parameters[@]/#/-P$1_tb.}" -o "$TMPDIR/unit.vvp" "${FILES[@]}"
    for ((seed = 1; seed <= ${SEEDS-1}; seed++)); do
        said=$(vvp -n "$TMPDIR/unit.vvp" "+seed=$seed" | grep -v '^$') || true
        [[ $said == "$1_tb: PASS"* ]] || fail "$1_tb $2 +seed=$seed: ${said:-nothing}"
    done
    echo "$1_tb $2: ${said:-nothing}"
}

"$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log"
for unit in "${UNITS[@]}"; do
    declare -n cases=${unit^^}_CASES
    unit_files "$unit" "$TMPDIR/tiny"
    for parameters in "${cases[@]}"; do play "$unit" "$parameters"; done
done
finish

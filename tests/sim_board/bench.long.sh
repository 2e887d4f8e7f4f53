#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The shorter cases of make bench-device: bars, and the cycle model within 5 %. A case that misses its bar is seen.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/lib.sh
source "$TOP/tests/sim_board/lib.sh"

cd "$TOP"
"$BUILD/bin/bench-device" --variant base --most 60000 --misses tests/bench/known-misses.tsv tests/bench/cases.tsv tests/bench/device-cases.tsv

printf 'low\tspmm\tbase\trandom 64 64 0.2 1\t4\t1.0\t0.99\n' >"$TMPDIR/cases.tsv"
if "$BUILD/bin/bench-device" "$TMPDIR/cases.tsv" >"$TMPDIR/out"; then
    fail "a case below its bar passed"
fi
grep -q ' missed$' "$TMPDIR/out" || fail "a case below its bar is not named: $(<"$TMPDIR/out")"
finish

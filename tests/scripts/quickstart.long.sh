#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/quickstart, in a build folder of its own: it ends with a table of products on the simulated device, every one
# of them checked, with the efficiency that the planner is held to.
# timeout: 1800

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"
export BUILD=$TMPDIR/build

status=0
"$TOP/scripts/quickstart" now 2>"$TMPDIR/err" || status=$?
((status == 2)) || fail "an argument: exit status $status"
"$TOP/scripts/quickstart" --help | grep -q '^Usage: scripts/quickstart' || fail "no help"

"$TOP/scripts/quickstart" >"$TMPDIR/out" 2>&1 || fail "exit status $?: $(tail -n 20 "$TMPDIR/out")"
awk -F '|' '
    /^\| SpM/ { rows++; checked += $7 ~ /^ *yes *$/; spmm += $2 ~ /SpMM/ && $3 > 0 && $5 >= 0.9 && $5 <= 1 }
    END { exit !(rows == 5 && checked == 5 && spmm == 3) }' "$TMPDIR/out" || fail "$(grep '^|' "$TMPDIR/out")"

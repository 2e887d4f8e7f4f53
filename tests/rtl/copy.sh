#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bench of the copy engine in Icarus: a narrow port that stalls, with the shortest queue, a wide one that does not.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

cd "$TOP"
for case in "MEM=64 DEPTH=256 ROUNDS=6" "MEM=512 ROUNDS=4 STALL=0 DEPTH=64 SEED=$RANDOM"; do
    # shellcheck disable=SC2086 # a list of words
    if copy_icarus $case; then
        echo "$case: $(grep PASS "$TMPDIR/log")"
    else
        cat "$TMPDIR/log" >&2
        fail "$case"
    fi
done
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every frozen case holds its bar, and scripts/limits computes the same roofline from the operands alone.
set -euo pipefail

cases=$TOP/tests/bench/cases.tsv
explore=$BUILD/bin/tulle-explore
"$explore" --cases "$cases"

for name in spmm-10-30 spmv-band-9; do
    "$explore" --cases "$cases" "$name" "$TMPDIR" >"$TMPDIR/table"
    "$TOP/scripts/limits" "$TMPDIR/$name.weights.mtx" "$TMPDIR/$name.activations.mtx" --pes 32 --port-bytes 64 >"$TMPDIR/limits"
    ours=$(awk -F ' *[|] *' -v name="$name" '$2 == name { print $3 }' "$TMPDIR/table")
    theirs=$(sed 's/.*"roofline": \([0-9.]*\)}/\1/' "$TMPDIR/limits")
    [[ $ours == "$theirs" ]] || {
        echo "$name: roofline $ours by tulle-explore, $theirs by scripts/limits" >&2
        exit 1
    }
done

# A case below its bar must be seen.
printf 'low\tspmm\tbase\trandom 64 64 0.1 1\t16\t1.0\t0.99\n' >"$TMPDIR/cases.tsv"
if "$explore" --cases "$TMPDIR/cases.tsv" >"$TMPDIR/out"; then
    echo "a case below its bar passed" >&2
    exit 1
fi
grep -q missed "$TMPDIR/out"

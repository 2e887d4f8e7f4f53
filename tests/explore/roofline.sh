#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/limits computes the roofline of tulle run from the operands alone.
set -euo pipefail

cd "$TMPDIR"
# entries ROWS COLUMNS SHARE: a matrix with that share of its places filled.
entries() {
    awk -v rows="$1" -v columns="$2" -v share="$3" 'BEGIN {
        srand(1)
        for (r = 1; r <= rows; r++)
            for (c = 1; c <= columns; c++)
                if (rand() < share) list[n++] = r " " c " " 1 + int(rand() * 9)
        print "%%MatrixMarket matrix coordinate integer general"; print rows, columns, n
        for (i = 0; i < n; i++) print list[i] }'
}
entries 96 128 0.2 >weights.mtx
for share in 1.1 0.3; do
    entries 16 128 "$share" >activations.mtx
    "$BUILD/bin/tulle" run spmm --weights weights.mtx --transpose --input activations.mtx --device model:base --json >run.json
    "$TOP/scripts/limits" weights.mtx activations.mtx --pes 32 --port-bytes 64 >limits
    ours=$(sed 's/.*"roofline_cycles": \([0-9.]*\).*/\1/' run.json)
    theirs=$(sed 's/.*"roofline": \([0-9.]*\)}/\1/' limits)
    [[ $ours == "$theirs" ]] || {
        echo "$share: roofline $ours by tulle run, $theirs by scripts/limits" >&2
        exit 1
    }
done

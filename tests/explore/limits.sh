#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/limits, on operands small enough to count by hand, and on bad input.
set -euo pipefail

limits=$TOP/scripts/limits
# Two outputs: (5, 0, 1) and (0, 0, an explicit zero, which is no non-zero). The second is without weights, and so is the second
# column: neither counts.
printf '%%%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 5\n1 3 1\n2 3 0\n' >"$TMPDIR/w.mtx"
printf '%%%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 5\n1 3 1\n2 3 9\n' >"$TMPDIR/a.mtx"
printf '%%%%MatrixMarket matrix coordinate integer general\n2 4 0\n' >"$TMPDIR/other.mtx"
printf '%%%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 5\n' >"$TMPDIR/short.mtx"

# 3 multiplications / 2 PEs; (2 x 2 + 4) / 8 bytes; 2 results of 4 bytes / 8.
expected='{"effective_macs": 3, "compute_limit": 1.50, "read_limit": 1.00, "write_limit": 1.00, "roofline": 1.50}'
got=$("$limits" "$TMPDIR/w.mtx" "$TMPDIR/a.mtx" --pes 2 --port-bytes 8)
[[ $got == "$expected" ]] || {
    echo "got $got" >&2
    exit 1
}

refuse() { # MESSAGE ARGUMENTS
    local message=$1
    shift
    if "$limits" "$@" >"$TMPDIR/out" 2>&1; then
        echo "not refused: $*" >&2
        exit 1
    fi
    grep -q "$message" "$TMPDIR/out" || {
        cat "$TMPDIR/out" >&2
        exit 1
    }
}
refuse 'same number of columns' "$TMPDIR/w.mtx" "$TMPDIR/other.mtx" --pes 2 --port-bytes 8
refuse 'size line says' "$TMPDIR/w.mtx" "$TMPDIR/short.mtx" --pes 2 --port-bytes 8
refuse usage "$TMPDIR/w.mtx" --pes 2 --port-bytes 8
refuse usage "$TMPDIR/w.mtx" "$TMPDIR/a.mtx" --pes 0 --port-bytes 8

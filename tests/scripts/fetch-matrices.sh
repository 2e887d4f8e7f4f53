#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/fetch-matrices with a tree of files in the place of the collection: what is named comes, whole or not at all, and the
# benchmarks take it.
set -euo pipefail
cd "$TMPDIR"
fetch=$TOP/scripts/fetch-matrices
command -v curl >/dev/null || {
    echo 'skipped: no curl'
    exit 77
}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# refuses STATUS WORD ARGUMENT...
refuses() {
    local status=0 wanted=$1 word=$2
    shift 2
    "$fetch" "$@" >out 2>err || status=$?
    ((status == wanted)) || fail "$*: exit status $status, not $wanted: $(<err)"
    grep -qF -- "$word" err || fail "$*: no '$word' in: $(<err)"
}

mkdir -p tree/MM/Mine band wrong
awk 'BEGIN { print "%%MatrixMarket matrix coordinate integer general"; print 60, 60, 118
             for (i = 1; i <= 60; i++) { print i, i, i; if (i > 1 && i < 60) print i, i - 1, 3 } }' >band/band.mtx
echo 'not a matrix' >wrong/wrong.mtx
tar -czf tree/MM/Mine/band.tar.gz band/band.mtx
tar -czf tree/MM/Mine/wrong.tar.gz wrong/wrong.mtx
export MATRICES_URL=file://$PWD/tree

"$fetch" --cases data Mine/band >cases.tsv 2>said
cmp band/band.mtx data/suitesparse/band.mtx
[[ $(<cases.tsv) == $'band\tspmv\tbase\tfile suitesparse/band.mtx\t1\t1.0\t-\t-\tno' ]] || fail "$(<cases.tsv)"
rm tree/MM/Mine/band.tar.gz
"$fetch" data Mine/band 2>said
grep -q 'is there$' said || fail "fetched again: $(<said)"
TULLE_DATA=data "$BUILD/bin/tulle" bench cases.tsv >out
grep -q '^1 cases measured' out || fail "$(<out)"

refuses 1 'cannot be fetched' data Mine/none
refuses 1 'is not Matrix Market' data Mine/wrong
refuses 2 'which folder?'
refuses 2 'which matrices?' data
refuses 2 'is no GROUP/NAME' data ../band
refuses 2 'is no GROUP/NAME' data band
refuses 2 'there is no option' --all
[[ $(find data -type f) == data/suitesparse/band.mtx ]] || fail "left behind: $(find data)"
[[ -z $(find data -name '.fetch*') ]] || fail "left behind: $(find data)"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Wide and nearly empty matrices on the variant graph: right results of plans with long jumps, the efficiency that they are
# predicted with, and bytes of an entry; and the same of the formats that scripts/sparse-formats compares.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

# predicted BYTES EFFICIENCY ARGUMENT...: at least this efficiency, at most so many bytes an entry, in hundredths.
predicted() {
    local bytes=$1 efficiency=$2
    shift 2
    does explain spmv --device model:graph "$@"
    awk -v bytes="$bytes" -v efficiency="$efficiency" '
        / has .* non-zeros/ { sub(/.* has /, ""); entries = $1 }
        /^plan/ { sub(/.*predicted /, ""); cycles = $1 }
        /^memory/ { packed = $7 }
        /^roofline/ { roofline = $2 }
        END { exit !(cycles && 100 * roofline >= efficiency * cycles && 100 * packed <= bytes * entries) }' out ||
        fail "not $efficiency % and $bytes hundredths of a byte: $*: $(head -n 5 out)"
}

graph=(--rows 65536 --k 65536 --graph 150000)
predicted 310 50 "${graph[@]}"
predicted 500 25 --rows 60000 --k 60000 --per-row 2
shows 'every result is right' run spmv --device model:graph "${graph[@]}" --check

# A row with entries near, far and beyond what one long jump reaches.
printf '%%%%MatrixMarket matrix coordinate integer general\n3 65536 6\n1 1 3\n1 2200 -4\n1 65536 5\n2 65000 7\n3 128 -9\n3 33024 2\n' >far.mtx
shows 'every result is right' run spmv --device model:graph --weights far.mtx --check
shows 'every result is right' run spmv --device 'model:graph;set=long_jumps=off' --weights far.mtx --check

# A full column is there again at every step of its plan, whatever x comes from, and in an operator that was saved.
awk 'BEGIN { n = 6000; print "%%MatrixMarket matrix coordinate pattern general"; print n, n, 2 * n - 1
    for (r = 1; r <= n; r++) { print r, 1; if (r > 1) print r, r } }' >column.mtx
awk 'BEGIN { n = 6000; print "%%MatrixMarket matrix coordinate integer general"; print n, 1, n / 2
    for (r = 1; r <= n; r += 2) print r, 1, r % 9 - 4 }' >x.mtx
steps=(spmv --device model:graph --weights column.mtx --random-values)
shows 'every result is right' run "${steps[@]}" --save column --check
grep -q '^plan  *x in steps' out || fail "another plan: $(cat out)"
shows 'every result is right' run "${steps[@]}" --load column --check
shows 'every result is right' run "${steps[@]}" --input x.mtx --check

# The six columns that have entries come together: no entry needs a jump.
"$TOP/scripts/sparse-formats" far.mtx >out
[[ $(tail -n 1 out) == '6 3 6 2.00 2.00 4.00 '* ]] || fail "other bytes: $(cat out)"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files that others made, from the folder TULLE_DATA: those of parser/good are read, those of parser/bad refused,
# those of parser/dialect treated as docs/formats.md says, and the matrices of mtx/ and dl/ have the sizes that
# MANIFEST.tsv says.

set -euo pipefail
cd "$TMPDIR"
CHECK=$BUILD/tests/tool/formats-check

if [[ -z ${TULLE_DATA-} ]]; then
    echo "skipped: TULLE_DATA does not name the folder of external matrices"
    exit 77
fi

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# refused FILE: exit status 1, nothing on standard output, and one message with a place.
refused() {
    local status=0
    "$CHECK" "$1" >out 2>err || status=$?
    ((status == 1)) || fail "exit status $status, not 1: $1: $(<out)"
    [[ ! -s out && $(wc -l <err) == 1 && $(<err) == "$1":*"error: "*";"* ]] || fail "$1: $(<out) $(<err)"
}

is_complex() {
    head -n 1 "$1" | grep -qi '^%%MatrixMarket.* complex '
}

# accepted FILE: it is read, and what is written of it is read as the same. Complex values are the one valid thing
# that is refused, and that is what the message says.
accepted() {
    if is_complex "$1"; then
        refused "$1"
        grep -q 'complex values are not supported' err || fail "$1: $(<err)"
        return
    fi
    "$CHECK" "$1" once.mtx >out || fail "$1 is refused"
    "$CHECK" once.mtx twice.mtx >again || fail "$1, written and read again, is refused"
    diff out again || fail "$1: written and read again, it is another"
    cmp once.mtx twice.mtx || fail "$1: written and read again, it is written otherwise"
}

# What docs/formats.md says of each dialect.
declare -A decided=(
    [LAGraph__comments_west0067.mtx]='is not finite'
    [LAGraph__mangled14.mtx]='3 4 2 real/general'
    [LAGraph__mangled16.mtx]='is more than this line may have'
    [LAGraph__mangled_int16.mtx]='7 7 12 integer/general'
    [LAGraph__mangled_int8.mtx]='7 7 12 integer/general'
    [LAGraph__mangled_uint16.mtx]='7 7 12 integer/general'
    [LAGraph__mangled_uint8.mtx]='7 7 12 integer/general'
    [LAGraph__matrix_fp64.mtx]='is not finite'
    [LAGraph__skew_fp64.mtx]='is not finite'
    [fast_matrix_market__overflow_index_gt_int8.mtx]='1000 1000 1 integer/general'
    [fast_matrix_market__overflow_value_gt_int64.mtx]='is too large for the value'
)

# A row of MANIFEST.tsv: repository, path, commit and licence lie between the name and the size.
sizes_of() {
    awk -F '\t' -v name="$1" '$1 == name { print $6, $7, $8 }' "$TULLE_DATA/MANIFEST.tsv"
}

matrices=0
for file in "$TULLE_DATA"/parser/good/*; do
    accepted "$file"
    matrices=$((matrices + 1))
done
for file in "$TULLE_DATA"/parser/bad/*; do
    refused "$file"
    matrices=$((matrices + 1))
done
for file in "$TULLE_DATA"/parser/dialect/*; do
    expected=${decided[${file##*/}]-}
    [[ -n $expected ]] || fail "nothing is decided for the dialect of $file"
    status=0
    "$CHECK" "$file" >out 2>&1 || status=$?
    ((status == ($(grep -c ' error: ' out) > 0))) || fail "exit status $status: $(<out)"
    grep -qF -- "$expected" out || fail "not '$expected' but: $(<out)"
    matrices=$((matrices + 1))
done
for file in "$TULLE_DATA"/{mtx,dl}/*; do
    accepted "$file"
    matrices=$((matrices + 1))
    is_complex "$file" && continue
    expected=$(sizes_of "${file#"$TULLE_DATA"/}")
    [[ $("$CHECK" --keep "$file") == "$expected "* ]] || fail "$file is $("$CHECK" --keep "$file"), not $expected"
done
((matrices >= 4)) || fail "$TULLE_DATA holds next to no matrices"
echo "$matrices files"

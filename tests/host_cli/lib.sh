# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of the command `tulle` share.
set -euo pipefail
cd "$TMPDIR"
tulle=$BUILD/bin/tulle
DRIVER=$BUILD/lib/libtulle-icd.so
unset TULLE_DEVICES OCL_ICD_VENDORS

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# The driver of a build with a sanitizer cannot be loaded into other programs, and not everywhere into this one.
plain_build() {
    if grep -q '__[at]san_init' < <(nm -D "$DRIVER"); then
        echo "skipped: a driver with a sanitizer goes into programs with one only"
        exit 77
    fi
}

# refuses STATUS WORD COMMAND...: the exit status, WORD in one of the messages, and nothing on standard output.
refuses() {
    local status=0 wanted=$1 word=$2
    shift 2
    "$tulle" "$@" >out 2>err </dev/null || status=$?
    ((status == wanted)) || fail "tulle $*: exit status $status, not $wanted: $(cat err)"
    grep -F -- "$word" err | grep -q 'error: ' || fail "tulle $*: no '$word' in: $(cat err)"
    [[ ! -s out ]] || fail "tulle $*: something on standard output: $(cat out)"
}

# does COMMAND...: done, and nothing on standard error.
does() {
    "$tulle" "$@" >out 2>err </dev/null || fail "tulle $*: exit status $?: $(cat err)"
    [[ ! -s err ]] || fail "tulle $*: done, but it says: $(cat err)"
}

# shows TEXT COMMAND...: TEXT on standard output.
shows() {
    local text=$1
    shift
    does "$@"
    grep -qF -- "$text" out || fail "tulle $*: no '$text' in: $(cat out)"
}

# field NAME FILE: the value of a number, word or text in an object on one line.
field() {
    sed -n 's/.*"'"$1"'": "\{0,1\}\([^",}]*\).*/\1/p' "$2"
}

# matrix ROWS COLUMNS PERCENT SEED: a Matrix Market file of entries, integers from -128 to 127, 0 among them.
matrix() {
    awk -v rows="$1" -v columns="$2" -v percent="$3" -v seed="$4" 'BEGIN {
        srand(seed)
        for (r = 1; r <= rows; r++)
            for (c = 1; c <= columns; c++)
                if (rand() * 100 < percent)
                    entry[count++] = r " " c " " int(rand() * 256) - 128
        print "%%MatrixMarket matrix coordinate integer general"
        print rows, columns, count + 0
        for (i = 0; i < count; i++)
            print entry[i]
    }'
}

# flipped FILE: the transpose of a file of entries.
flipped() {
    awk '/^%/ { print; next } { print $2, $1, $3 }' "$1"
}

# product LEFT RIGHT [START [BIAS]]: the numbers of START + LEFT x RIGHT column by column, each from files of entries;
# BIAS has a row of numbers, one for each column, or a column of them. FORMAT: how they are written.
product() {
    awk -v format="${FORMAT-%.0f}" '
        FNR == 1 { file++; sized = 0 }
        /^%/ { next }
        !sized { sized = 1; rows[file] = $1; columns[file] = $2; next }
        { value[file, $1, $2] = $3 }
        END {
            for (c = 1; c <= columns[2]; c++)
                for (r = 1; r <= rows[1]; r++) {
                    sum = value[3, r, c] + (rows[4] == 1 ? value[4, 1, c] : value[4, r, 1])
                    for (k = 1; k <= columns[1]; k++)
                        sum += value[1, r, k] * value[2, k, c]
                    printf format "\n", sum
                }
        }' "$@"
}

# numbers FILE: of a Matrix Market array.
numbers() {
    [[ $(head -n 1 "$1") == '%%MatrixMarket matrix array integer general' ]] || fail "$1: $(head -n 1 "$1")"
    tail -n +3 "$1"
}

# agrees WANTED-FILE COMMAND...: the output of `tulle run` on the devices of the array `here` has these numbers.
agrees() {
    local wanted=$1
    shift
    rm -f got.mtx
    # shellcheck disable=SC2154 # the test has it
    does run "$@" "${here[@]}" --check --output got.mtx
    numbers got.mtx | diff "$wanted" - >differences || fail "tulle run $*: $(head -n 4 differences)"
    grep -q 'checked *every result is right' out || fail "tulle run $*: $(cat out)"
}

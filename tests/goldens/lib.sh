# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests with CMSIS-NN's data share: the data, in the folder cmsis, and the tool over it.
set -euo pipefail
cd "$TMPDIR"
GOLDENS=$BUILD/tests/tool/goldens

if [[ -z ${TULLE_DATA-} ]]; then
    echo "skipped: TULLE_DATA does not name the folder of external data"
    exit 77
fi
archive=$TULLE_DATA/models/tflite/cmsis-nn-goldens.tar.gz
if [[ ! -e $archive ]]; then
    echo "skipped: $archive is not there"
    exit 77
fi
tar -xzf "$archive"

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# run STATUS ARGUMENT...: the tool over the data, output to out and err.
run() {
    local expected=$1 status=0
    shift
    "$GOLDENS" "$@" >out 2>err || status=$?
    ((status == expected)) || fail "goldens $*: exit status $status, not $expected: $(tail -n 3 out err)"
}

# count WHAT: a number of the summary, which is "N cases compared, N elements, N differ; N cases left out, N wrong".
count() {
    tail -n 1 out | grep -o "[0-9]* $1" | grep -o '^[0-9]*'
}

# compares CASES ELEMENTS ARGUMENT...
compares() {
    run 0 "${@:3}" cmsis
    (($(count 'cases compared') >= $1)) || fail "only $(count 'cases compared') cases are compared, not $1"
    (($(count elements) >= $2)) || fail "only $(count elements) elements are compared, not $2"
    tail -n 1 out
}

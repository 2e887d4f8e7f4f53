# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests with the fuzzer share (docs/fuzz.md).

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator

# fuzz VARIANT-OPTION... OPTION...: a failure goes on, so that one run shows all.
fuzz() {
    "$TOP/tests/fuzz/fuzz" "$@" || fail "fuzz $*"
}

# sized NAME=VALUE...: tiny with other sizes; COUNT operators (100).
sized() {
    "$BUILD/bin/tulle-gen" tiny "${@/#/--set=}" --print >"$TMPDIR/sized.yaml"
    fuzz "$TMPDIR/sized.yaml" --count "${COUNT-100}"
}

# ends_with CODE QUEUE NAME=VALUE...: one case on tiny, whose harmed job ends with that code, found by that queue.
# Everything that holds for every case is checked, too: memory, the record, the job behind it.
ends_with() {
    local code=$1 queue=$2 setting sets=()
    shift 2
    for setting; do
        sets+=(--set "$setting")
    done
    "$TOP/tests/fuzz/fuzz" tiny --seed 2 --count 1 --verbose "${sets[@]}" >"$TMPDIR/ends.log" 2>&1 || {
        cat "$TMPDIR/ends.log" >&2
        fail "$* does not hold"
        return
    }
    grep -q ": $code, queue $queue; " "$TMPDIR/ends.log" && return
    cat "$TMPDIR/ends.log" >&2
    fail "$* does not end with $code of queue $queue"
}

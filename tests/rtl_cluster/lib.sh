# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of Verilated rows share. ROW_OPTIONS, from the environment, goes to sim/verilated/build: for
# coverage, for example.

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator

CLUSTER_TEST=$BUILD/tests/tool/cluster-test
read -ra ROW_OPTIONS <<<"${ROW_OPTIONS-}"

# The small variant that differs most from tiny.
# shellcheck disable=SC2034,SC2054 # for small.sh and scripts/coverage-rtl; a list of functions has commas
INT16=(tiny --set m=1 --set k=3 --set scan=4 --set balance=neighbour --set data_width=16
    --set acc_width=48 --set index_width=11
    --set functions=relu,leaky_relu,clamp,sigmoid,tanh,requantise,sum,max,average,user)

# row NAME VARIANT [TULLE-GEN-OPTION]...: builds a row; ROW is its folder, kept from run to run as objects are.
row() {
    ROW_NAME=$1
    shift
    ROW_VARIANT=("$@")
    local suffix=${ROW_OPTIONS[*]-}
    ROW=$BUILD/verilated/$ROW_NAME${suffix// /}
    "$TOP/sim/verilated/build" "${ROW_OPTIONS[@]}" -o "$ROW" "${ROW_VARIANT[@]}"
}

# compare KIND [OPTION]...: plays cases into the row. A failure goes on, so that one run shows all, and leaves a
# waveform of the first case that fails.
compare() {
    if "$CLUSTER_TEST" "$ROW" "$@" 2>"$TMPDIR/compare.log"; then
        return
    fi
    cat "$TMPDIR/compare.log" >&2
    fail "$ROW_NAME: $*"
    waveform "$1" "$(sed -n 's/^FAIL: .*, seed \([0-9]*\): .*/\1/p' "$TMPDIR/compare.log" | head -n 1)"
}

# waveform KIND SEED
waveform() {
    local waves=$BUILD/test-results/$ROW_NAME-$1-$2.fst
    [[ -n $2 ]] || return 0
    mkdir -p "$BUILD/test-results"
    "$TOP/sim/verilated/build" --trace -o "$BUILD/verilated/$ROW_NAME--trace" "${ROW_VARIANT[@]}"
    "$CLUSTER_TEST" "$BUILD/verilated/$ROW_NAME--trace" "$1" --seeds "$2" 1 --trace "$waves" || true
    echo "the waveform of $ROW_NAME $1, seed $2, is $waves" >&2
}

# The same seeds every time, unless the environment says others.
# shellcheck disable=SC2034 # for the scripts that source this
FIRST_SEED=${TULLE_CLUSTER_SEED:-1}

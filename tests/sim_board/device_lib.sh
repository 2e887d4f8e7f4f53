# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of Verilated devices share.

# shellcheck source=tests/sim_board/lib.sh
source "$TOP/tests/sim_board/lib.sh"

TULLE_SIM=$BUILD/bin/tulle-sim

# BOARD_OPTIONS, from the environment, goes to sim/board/build: for coverage, for example.
read -ra BOARD_OPTIONS <<<"${BOARD_OPTIONS-}"

# device NAME VARIANT [TULLE-GEN-OPTION]...: the device that the functions below run on.
device() {
    local suffix=${BOARD_OPTIONS[*]-}
    DEVICE=$BOARDS/$1${suffix// /}
    shift
    "$TOP/sim/board/build" "${BOARD_OPTIONS[@]}" -o "$DEVICE" "$@"
    DEVICE_OPTIONS=(--board "sim:$DEVICE" --dump "$TMPDIR/tulle-sim")
    [[ $# -gt 1 ]] || DEVICE_OPTIONS+=(--variant "$1")
}

# agrees OPERATOR OPTION...: the device gives what the models and a plain computation give.
agrees() {
    "$TULLE_SIM" "$1" "${DEVICE_OPTIONS[@]}" "${@:2}" >"$TMPDIR/agrees.log" 2>&1 && return
    cat "$TMPDIR/agrees.log" >&2
    fail "$DEVICE: $*"
}

# ends_with CODE OPERATOR OPTION...: the job ends with that status.
ends_with() {
    local status=0
    "$TULLE_SIM" "$2" "${DEVICE_OPTIONS[@]}" "${@:3}" >"$TMPDIR/ends.log" 2>&1 || status=$?
    [[ $status == 1 ]] && grep -q "the job ended with $1 " "$TMPDIR/ends.log" && return
    cat "$TMPDIR/ends.log" >&2
    fail "$DEVICE: $* (status $status)"
}

# within PERCENT OPERATOR OPTION...: the same, and its cycles are no further from the cycle model's.
within() {
    agrees "${@:2}" --json
    awk -v percent="$1" 'function number(name) { sub(".*\"" name "\": ", "", $0); return $0 + 0 }
        { line = $0; cycles = number("cycles"); $0 = line; model = number("model_cycles") }
        END { off = 100 * (cycles / model - 1); exit !(cycles && model && off <= percent && -off <= percent) }' \
        "$TMPDIR/agrees.log" && return
    fail "$DEVICE: ${*:2}: not within $1 %: $(<"$TMPDIR/agrees.log")"
}

# Operators of many kinds, for store engines of other kinds.
random_operators() {
    local seed
    for seed in 1 2 3; do
        agrees spmm --rows 16 --k 24 --n 40 --density 0.5 --seed "$seed" --stalls "$seed"
        agrees spmm --rows 7 --k 24 --n 37 --density 0.5 --seed "$seed" --latency 5
        agrees spmm --rows 12 --held 3 --k 40 --n 26 --density 0.3 --plan ws:mm --seed "$seed" --bandwidth 1/3
        agrees spmm --rows 8 --held 2 --k 48 --n 40 --density 0.3 --plan os:kn --seed "$seed" --stalls "$seed"
        agrees spmm --rows 64 --held 4 --k 8 --n 32 --density 0.5 --plan is:mm --seed "$seed"
        agrees spconv --shape 6x5x16,1,1,2x2 --n 16 --density 0.5 --seed "$seed" --stalls "$seed"
        agrees depthwise --shape 8x8x8,3,1,3x3 --density 1 --seed "$seed" --stalls "$seed"
    done
}

# predicted: where results are the limit, and where they are not.
predicted() {
    within 2 spmm --rows 16 --held 4 --k 128 --n 64 --density 0.5 --plan is:mm
    within 3 spmm --rows 64 --held 4 --k 8 --n 32 --density 0.5 --plan is:mm
    within 3 spmm --rows 16 --held 4 --k 4 --n 128 --density 1 --plan is:mm
}

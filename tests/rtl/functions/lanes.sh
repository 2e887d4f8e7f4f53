# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs of the bench of tulle_function_lanes, in parameters NAME=VALUE. ROUNDS is how many random records; 0: every
# argument of the curves.

LANES_MODULES=(function_lanes late_functions user_function product round_up curve curve_table)
LANES_RTL=("${LANES_MODULES[@]/#/rtl/tulle_}")
LANES_RTL=("${LANES_RTL[@]/%/.v}")
LANES_USER=sim/numerics/user.c # the user's function, as its module has it
LANES_FILES=(tests/rtl/bench_function_lanes.v rtl/tulle_{require,assert}.v)

lanes_build() {
    "${CC:-gcc}" -std=c11 -O2 -I. -o "$TMPDIR/vectors" tests/rtl/functions/vectors.c sim/numerics/numerics.c "$LANES_USER"
    "${CC:-gcc}" -std=c11 -O2 -I. -o "$TMPDIR/table" tests/rtl/functions/table.c
    "$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log" # for include/tulle_isa.vh
}

# lanes_vectors NAME=VALUE...: the parameters of the bench in BENCH_PARAMETERS, the vectors in $TMPDIR/vectors.txt
lanes_vectors() {
    local -A of=([LANES]=4 [ACC_WIDTH]=32 [FUNCTIONS]=975 [ROUNDINGS]=0 [PAUSE]=32 [STALL]=32 [ROUNDS]=10)
    local set
    for set; do of[${set%%=*}]=${set#*=}; done
    "$TMPDIR/vectors" "${of[ACC_WIDTH]}" "${of[FUNCTIONS]}" 1 "${SEED:-1}" "${of[ROUNDS]}" "${of[ROUNDINGS]}" >"$TMPDIR/vectors.txt"
    unset 'of[ROUNDS]'
    BENCH_PARAMETERS=()
    for set in "${!of[@]}"; do BENCH_PARAMETERS+=("$set=${of[$set]}"); done
}

lanes_report() {
    grep -q '^bench_function_lanes: PASS' "$TMPDIR/log" || {
        cat "$TMPDIR/log"
        fail "$*"
        return 1
    }
    echo "$*: $(grep '^bench_function_lanes' "$TMPDIR/log")"
}

lanes_icarus() {
    lanes_vectors "$@"
    iverilog -g2005 -I"$TMPDIR/tiny/include" -s bench_function_lanes "${BENCH_PARAMETERS[@]/#/-Pbench_function_lanes.}" \
        -o "$TMPDIR/lanes.vvp" "${LANES_RTL[@]}" "${LANES_FILES[@]}"
    vvp -n "$TMPDIR/lanes.vvp" +vectors="$TMPDIR/vectors.txt" >"$TMPDIR/log" 2>&1 || true
    lanes_report "$@"
}

lanes_verilator() {
    lanes_vectors "$@"
    rm -rf "$TMPDIR/lanes"
    # The bench computes with integers, so widths differ, a chance may be 0, and lanes have nothing of their own; the modules themselves
    # are linted by lanes_lint.
    verilator --binary --timing -j 0 -Wno-WIDTH -Wno-UNSIGNED -Wno-PINMISSING -I"$TMPDIR/tiny/include" --top-module bench_function_lanes "${BENCH_PARAMETERS[@]/#/-G}" \
        --Mdir "$TMPDIR/lanes" "${LANES_RTL[@]}" "${LANES_FILES[@]}" >"$TMPDIR/log" 2>&1 || {
        cat "$TMPDIR/log"
        return 1
    }
    "$TMPDIR/lanes/Vbench_function_lanes" +vectors="$TMPDIR/vectors.txt" >"$TMPDIR/log" 2>&1 || true
    lanes_report "$@"
}

# lanes_lint FUNCTIONS ACC_WIDTH ROUNDINGS
lanes_lint() {
    verilator --lint-only -Wall -I"$TMPDIR/tiny/include" --top-module tulle_function_lanes "-GFUNCTIONS=16'd$1" "-GACC_WIDTH=$2" "-GROUNDINGS=$3" \
        "${LANES_RTL[@]}" rtl/tulle_{require,assert}.v || fail "warnings: functions $1, $2 bits, roundings $3"
}

# The rows of the constant in tulle_curve_table.v.
lanes_table() {
    diff <(sed -n '/KNOTS = {/,/};/p' rtl/tulle_curve_table.v | sed '1d;$d') <("$TMPDIR/table") ||
        fail "rtl/tulle_curve_table.v is not the table of sim/numerics: see tests/rtl/functions/table.c"
}

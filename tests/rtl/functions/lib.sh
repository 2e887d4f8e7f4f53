# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs of the bench of tulle_functions, in parameters NAME=VALUE. ROUNDS is how many tables of random records; of the
# requests every EACHth is made.

FUNCTIONS_RTL=rtl/tulle_functions.v
FUNCTIONS_FILES=(tests/rtl/bench_functions.v rtl/tulle_{late_functions,user_function,curve,curve_table}.v
    rtl/tulle_{lutram,require,assert,stream_check}.v)

functions_build() {
    "${CC:-gcc}" -std=c11 -O2 -I. -o "$TMPDIR/vectors" tests/rtl/functions/vectors.c sim/numerics/{numerics,user}.c
    "$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log" # for include/tulle_isa.vh
}

# functions_vectors NAME=VALUE...: the parameters of the bench in BENCH_PARAMETERS, the vectors in $TMPDIR/vectors.txt
functions_vectors() {
    local -A of=([PES]=8 [ACC_WIDTH]=32 [BUFFERS]=8 [FUNCTIONS]=975 [ROUNDINGS]=0 [DIGITS]=2 [PAUSE]=64 [ROUNDS]=10 [EACH]=1)
    local set
    for set; do of[${set%%=*}]=${set#*=}; done
    "$TMPDIR/vectors" "${of[ACC_WIDTH]}" "${of[FUNCTIONS]}" "${of[BUFFERS]}" "${SEED:-1}" "${of[ROUNDS]}" "${of[ROUNDINGS]}" |
        awk -v each="${of[EACH]}" '$1 == 0 || ++requests % each == 0' >"$TMPDIR/vectors.txt"
    unset 'of[ROUNDS]' 'of[EACH]'
    BENCH_PARAMETERS=()
    for set in "${!of[@]}"; do BENCH_PARAMETERS+=("$set=${of[$set]}"); done
}

functions_report() {
    grep -q '^bench_functions: PASS' "$TMPDIR/log" || {
        cat "$TMPDIR/log"
        fail "$*"
        return 1
    }
    echo "$*: $(grep '^bench_functions' "$TMPDIR/log")"
}

functions_icarus() {
    functions_vectors "$@"
    iverilog -g2005 -I"$TMPDIR/tiny/include" -s bench_functions "${BENCH_PARAMETERS[@]/#/-Pbench_functions.}" -o "$TMPDIR/functions.vvp" \
        "$FUNCTIONS_RTL" "${FUNCTIONS_FILES[@]}"
    vvp -n "$TMPDIR/functions.vvp" +vectors="$TMPDIR/vectors.txt" >"$TMPDIR/log" 2>&1 || true
    functions_report "$@"
}

functions_verilator() {
    functions_vectors "$@"
    rm -rf "$TMPDIR/functions"
    # The bench computes with integers, so widths differ; the module itself is linted.
    verilator --binary --timing -j 0 -Wno-WIDTH -I"$TMPDIR/tiny/include" --top-module bench_functions "${BENCH_PARAMETERS[@]/#/-G}" \
        --Mdir "$TMPDIR/functions" "$FUNCTIONS_RTL" "${FUNCTIONS_FILES[@]}" >"$TMPDIR/log" 2>&1 || {
        cat "$TMPDIR/log"
        return 1
    }
    "$TMPDIR/functions/Vbench_functions" +vectors="$TMPDIR/vectors.txt" >"$TMPDIR/log" 2>&1 || true
    functions_report "$@"
}

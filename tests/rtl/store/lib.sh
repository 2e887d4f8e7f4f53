# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs of the bench of tulle_store and tulle_collector, in parameters NAME=VALUE. PROGRAMS is how many random ones, each
# followed by two that must fail.

STORE_RTL=rtl # where the modules under test are
STORE_MODULES=(collector.v channel_table.v lookup.v function_lanes.v store.v store_setup.v store_groups.v store_bursts.v store_pack.v
    store_responses.v store_window.v store_gather.v byte_ram.v join_lanes.v softmax.v)
STORE_FILES=(tests/rtl/store/store_tb.v rtl/tulle_{require,assert,stream_check,fifo,lutram,block_ram,sum}.v
    rtl/tulle_{late_functions,user_function,product,round_up,curve,curve_table}.v)

store_build() {
    "${CC:-gcc}" -std=c11 -O2 -I. -o "$TMPDIR/cases" tests/rtl/store/cases.c sim/model/{channels,joins,shares}.c \
        sim/numerics/{numerics,user,join,softmax}.c
    "$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log" # for include/tulle_isa.vh
}

# slowest: cycles of a group of int8 at best: its beats from the row, its chunks, its beats to memory.
slowest() {
    local element=$((of[ACC] > 32 ? 64 : 32)) most=1 cycles
    for cycles in $(((of[PES] * element + of[COLLECTOR] - 1) / of[COLLECTOR])) \
        $(((of[PES] + of[LANES] - 1) / of[LANES])) $(((of[PES] * 8 + of[MEM] - 1) / of[MEM])); do
        [[ $cycles -le $most ]] || most=$cycles
    done
    # Groups that do not divide a beat need another piece now and then.
    echo $((most + (of[PES] & (of[PES] - 1) ? 2 : 0)))
}

# store_cases NAME=VALUE...: the parameters of the bench in BENCH_PARAMETERS, the cases in $TMPDIR/cases.txt
store_cases() {
    local -A of=([MEM]=512 [ACC]=32 [PES]=8 [CLUSTERS]=2 [ROWS]=2 [LANES]=4 [COLLECTOR]=128 [DEPTH]=16
        [FUNCTIONS]=2047 [PROGRAMS]=4 [CHANNEL_GROUPS]=0 [ROUNDINGS]=0 [LOOKUP]=0 [JOINS]=0 [SOFTMAX]=0 [LINES]=0 [TAKE]=1)
    local set
    for set; do of[${set%%=*}]=${set#*=}; done
    "$TMPDIR/cases" "${of[MEM]}" "${of[ACC]}" "${of[PES]}" "${of[CLUSTERS]}" "${of[ROWS]}" "${of[FUNCTIONS]}" \
        "$(slowest)" "${SEED:-1}" "${of[PROGRAMS]}" "${of[CHANNEL_GROUPS]}" "${of[ROUNDINGS]}" \
        "${of[LOOKUP]}" "${of[JOINS]}" "${of[LANES]}" "${of[SOFTMAX]}" "${of[LINES]}" >"$TMPDIR/cases.txt"
    unset 'of[PROGRAMS]'
    BENCH_PARAMETERS=()
    for set in "${!of[@]}"; do BENCH_PARAMETERS+=("$set=${of[$set]}"); done
}

store_report() {
    grep -q '^store_tb: PASS' "$TMPDIR/log" || {
        cat "$TMPDIR/log"
        fail "SEED=${SEED:-1} $*"
        return 1
    }
    echo "$*: $(grep '^store_tb: PASS' "$TMPDIR/log")"
}

store_icarus() {
    store_cases "$@"
    iverilog -g2005 -I "$TMPDIR/tiny/include" -s store_tb "${BENCH_PARAMETERS[@]/#/-Pstore_tb.}" \
        -o "$TMPDIR/store.vvp" "${STORE_MODULES[@]/#/$STORE_RTL/tulle_}" "${STORE_FILES[@]}"
    vvp -n "$TMPDIR/store.vvp" +cases="$TMPDIR/cases.txt" >"$TMPDIR/log" 2>&1 || true
    store_report "$@"
}

store_verilator() {
    store_cases "$@"
    rm -rf "$TMPDIR/store"
    # The bench computes with integers, so widths differ; the modules themselves are linted.
    verilator --binary --timing -j 0 -Wno-WIDTH -I"$TMPDIR/tiny/include" --top-module store_tb \
        "${BENCH_PARAMETERS[@]/#/-G}" --Mdir "$TMPDIR/store" "${STORE_MODULES[@]/#/$STORE_RTL/tulle_}" \
        "${STORE_FILES[@]}" >"$TMPDIR/log" 2>&1 || {
        cat "$TMPDIR/log"
        return 1
    }
    "$TMPDIR/store/Vstore_tb" +cases="$TMPDIR/cases.txt" >"$TMPDIR/log" 2>&1 || true
    store_report "$@"
}

# store_lint MODULE [-GNAME=VALUE...]: no warnings.
store_lint() {
    verilator --lint-only -Wall -I"$TMPDIR/tiny/include" --top-module "$@" "${STORE_MODULES[@]/#/$STORE_RTL/tulle_}" \
        "${STORE_FILES[@]:1}" >"$TMPDIR/log" 2>&1 || {
        cat "$TMPDIR/log"
        fail "lint of $*"
    }
}

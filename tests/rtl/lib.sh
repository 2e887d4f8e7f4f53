# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of emitted hardware share.

# run_testbench SIMULATORS TULLE_GEN_ARGUMENTS...: emits a variant and runs its test bench.
run_testbench() {
    local simulators=$1 folder
    shift
    folder=$(mktemp -d "$TMPDIR/variant.XXXXXX")
    "$BUILD/bin/tulle-gen" "$@" -o "$folder/out" >"$folder/summary"
    # shellcheck disable=SC2086 # a list of words
    if bash "$folder/out/tb/run.sh" $simulators >"$folder/log" 2>&1; then
        echo "$*: $(grep -m 1 'tulle_tb: ' "$folder/log")"
    else
        cat "$folder/log" >&2
        echo "$*: the test bench failed in $simulators" >&2
        return 1
    fi
}

# need TOOL...: a tool that is not installed skips the test.
need() {
    local tool
    for tool; do
        command -v "$tool" >/dev/null || {
            echo "$tool is not installed"
            exit 77
        }
    done
}

# fail TEXT: goes on, so that one run shows all; finish ends the test.
FAILURES=0
fail() {
    printf 'FAIL: %s\n' "$*" >&2
    FAILURES=$((FAILURES + 1))
}

finish() {
    exit $((FAILURES != 0))
}

# leaf_modules: LEAF_FILES, the modules that leaf_tb.v tests, those they stand on, and the benches.
leaf_modules() {
    local name
    LEAF_FILES=(tests/rtl/leaf_tb.v tests/rtl/bench_{data,queues,stream,weights}.v)
    for name in require assert stream_check lutram ram_1w1r fifo slice fork arbiter first_error input_loader \
        partial_loader first_operands store_queue shift_out instruction_store block_ram activation_queue \
        weight_feeder segment_count closed_count run_queue operands; do
        LEAF_FILES+=("rtl/tulle_$name.v")
    done
}

# The modules of a PE, those that others stand on first.
# shellcheck disable=SC2034 # for pe.sh and pe.long.sh
PE_MODULES=(require assert stream_check lutram ram_1w1r block_ram sum issue_ring weight_queue scan index input_buffer load_queue
    multiplier closer pe)

# The memory ports, the load engine and the storage unit, which no variant has yet; the modules that they stand on.
# shellcheck disable=SC2034 # for memory.sh and memory.soak.sh
MEMORY_MODULES=(require assert stream_check lutram fifo block_ram sum burst_id burst_check read_port write_port load
    storage_unit)
MEMORY_MODULES=("${MEMORY_MODULES[@]/%/.v}")
MEMORY_RTL=rtl

# memory_icarus TOP [PARAMETER=VALUE]...: ports_tb or load_tb with the modules in MEMORY_RTL; status 1 when it fails.
memory_icarus() {
    local top=$1
    shift
    iverilog -g2005 -Itests/rtl -I"$TMPDIR/tiny/include" -s "$top" "${@/#/-P$top.}" -o "$TMPDIR/$top.vvp" \
        "tests/rtl/$top.v" tests/rtl/bench_memory.v "${MEMORY_MODULES[@]/#/$MEMORY_RTL/tulle_}" >"$TMPDIR/log" 2>&1 &&
        timeout 120 vvp -n "$TMPDIR/$top.vvp" >"$TMPDIR/log" 2>&1 && grep -q "^$top: PASS" "$TMPDIR/log"
}

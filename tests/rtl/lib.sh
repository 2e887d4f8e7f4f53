# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of emitted hardware share.

# shellcheck source=tests/seeded/seed.sh
source "$TOP/tests/seeded/seed.sh"

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

# bench_fault FOLDER MODULE FROM TO COMMAND...: puts the module into FOLDER with the text FROM, which must be there, replaced,
# and expects COMMAND to fail: a bench with that module, whose messages begin with "NAME_tb".
bench_fault() {
    local folder=$1 module=tulle_$2 from=$3 to=$4
    mkdir -p "$folder"
    seed "rtl/$module.v" "$from" "$to" >"$folder/$module.v" || {
        fail "the list is wrong about $module"
        return
    }
    if ("${@:5}") >"$TMPDIR/fault.log" 2>&1; then
        fail "nobody noticed '$from' -> '$to'"
    elif ! grep -q '^[a-z]*_tb: ' "$TMPDIR/fault.log"; then
        cat "$TMPDIR/fault.log"
        fail "'$to' does not compile"
    else
        printf 'noticed: %s\n' "$to"
    fi
}

# leaf_modules: LEAF_FILES, the modules that leaf_tb.v tests, those they stand on, the benches, and where the header is.
leaf_modules() {
    local name
    "$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/header" >"$TMPDIR/log"
    LEAF_FILES=("-I$TMPDIR/header/include" -Itests/rtl tests/rtl/leaf_tb.v tests/rtl/bench_{data,queues,stream,weights}.v)
    for name in require assert stream_check lutram ram_1w1r fifo slice fork arbiter first_error scatter input_loader \
        partial_loader first_operands entry_marks store_queue shift_out instruction_store block_ram activation_queue \
        weight_feeder segment_count closed_count run_queue operands; do
        LEAF_FILES+=("rtl/tulle_$name.v")
    done
}

# The modules of a PE, those that others stand on first.
# shellcheck disable=SC2034 # for pe.sh and pe_faults.long.sh
PE_MODULES=(require assert stream_check lutram ram_1w1r block_ram sum issue_ring weight_queue scan index input_buffer load_queue
    multiplier closer pe)

# The memory ports, the load engine and the storage unit, which no variant has yet; the modules that they stand on.
# shellcheck disable=SC2034 # for memory.sh and memory.soak.sh
MEMORY_MODULES=(require assert stream_check lutram fifo block_ram sum lowest burst_id burst_check read_port write_port load
    storage_unit)
MEMORY_MODULES=("${MEMORY_MODULES[@]/%/.v}")
MEMORY_RTL=rtl

# The activation bank beside the memory ports, for bank.sh and bank.soak.sh.
# shellcheck disable=SC2034
BANK_MODULES=(require assert stream_check lutram fifo block_ram byte_ram lowest burst_id burst_check read_port write_port bank
    bank_reader bank_writer)
BANK_RTL=rtl

# bank_icarus [PARAMETER=VALUE]...: bank_tb with the modules in BANK_RTL; status 1 when it fails.
bank_icarus() {
    local files=("${BANK_MODULES[@]/#/$BANK_RTL/tulle_}")
    iverilog -g2005 -Itests/rtl -s bank_tb "${@/#/-Pbank_tb.}" -o "$TMPDIR/bank.vvp" tests/rtl/bank_tb.v \
        tests/rtl/bench_memory.v "${files[@]/%/.v}" >"$TMPDIR/log" 2>&1 &&
        timeout 300 vvp -n "$TMPDIR/bank.vvp" >"$TMPDIR/log" 2>&1 && grep -q '^bank_tb: PASS' "$TMPDIR/log"
}

# memory_icarus TOP [PARAMETER=VALUE]...: ports_tb or load_tb with the modules in MEMORY_RTL; status 1 when it fails.
memory_icarus() {
    local top=$1
    shift
    iverilog -g2005 -Itests/rtl -I"$TMPDIR/tiny/include" -s "$top" "${@/#/-P$top.}" -o "$TMPDIR/$top.vvp" \
        "tests/rtl/$top.v" tests/rtl/bench_memory.v "${MEMORY_MODULES[@]/#/$MEMORY_RTL/tulle_}" >"$TMPDIR/log" 2>&1 &&
        timeout 120 vvp -n "$TMPDIR/$top.vvp" >"$TMPDIR/log" 2>&1 && grep -q "^$top: PASS" "$TMPDIR/log"
}

# The benches UNIT_tb.v: what they stand on, and the parameters that they are run with, a line each.
# shellcheck disable=SC2034 # for units.sh, units.long.sh and scripts/coverage-rtl
UNITS=(control parser selector sequencer)
# shellcheck disable=SC2034
CONTROL_MODULES=(require assert stream_check lutram block_ram counters status_record job_arguments control)
# shellcheck disable=SC2034
CONTROL_CASES=("COUNTERS=1" "COUNTERS=0" "COUNTERS=1 ADD_WIDTH=4 BYTES_WIDTH=44")
# shellcheck disable=SC2034
PARSER_MODULES=(require assert first_operands parser decode_instruction decode_config)
# A piece is half a record, a quarter, all of it and two; a beat one piece or several; the smallest and the largest.
# shellcheck disable=SC2034
PARSER_CASES=("PIECE_WIDTH=64 PIECES=4" "PIECE_WIDTH=32 PIECES=2 LINE=4"
    "PIECE_WIDTH=128 PIECES=1 BUFFERS=1 DEPTH=1 INPUT_DEPTH=2 OUTPUT_DEPTH=2 LINE=1"
    "PIECE_WIDTH=256 PIECES=2 BUFFERS=32 DEPTH=32 INPUT_DEPTH=65536 OUTPUT_DEPTH=32768 LINE=32"
    "PIECE_WIDTH=64 PIECES=1 BUFFERS=5 DEPTH=6 INPUT_DEPTH=64 FUNCTIONS=1" "ACCUMULATORS=1"
    "ACCUMULATORS=1 FUNCTIONS=1" "ZERO_POINTS=1" "ROUNDINGS=1")
# shellcheck disable=SC2034
SELECTOR_MODULES=(require selector)
# shellcheck disable=SC2034
SELECTOR_CASES=("BUFFERS=5" "BUFFERS=1 PLACE=1" "BUFFERS=32 PLACE=9" "ACCUMULATORS=1" "BUFFERS=1 ACCUMULATORS=1")
# shellcheck disable=SC2034
SEQUENCER_MODULES=(require assert lutram sum sequencer)
# shellcheck disable=SC2034
SEQUENCER_CASES=("BUFFERS=8 ENTRIES=64" "BUFFERS=1 ENTRIES=1 INPUT_DEPTH=2 OUTPUT_DEPTH=2 LINE=1 REDUCE=0"
    "BUFFERS=3 ENTRIES=6 INPUT_DEPTH=16 OUTPUT_DEPTH=4 LINE=16"
    "BUFFERS=32 ENTRIES=1024 INPUT_DEPTH=65536 OUTPUT_DEPTH=2048 LINE=32" "ACCUMULATORS=1" "ZERO_POINTS=1")

# unit_files UNIT FOLDER: FILES, its bench and what that stands on, of the variant that is emitted there.
unit_files() {
    local -n modules=${1^^}_MODULES
    FILES=("${modules[@]/#/$2/rtl/tulle_}")
    FILES=("-I$2/include" "-I$TOP/tests/rtl" "${FILES[@]/%/.v}" "$TOP/tests/rtl/$1_tb.v")
}

# The copy engine and what it stands on, for copy.sh and copy.soak.sh.
# shellcheck disable=SC2034
COPY_MODULES=(require assert stream_check lutram block_ram fifo activation_queue lowest burst_id burst_check read_port write_port
    rotate copy_bursts copy_align copy_move copy_ring copy_registers copy)
COPY_RTL=rtl

# copy_icarus [PARAMETER=VALUE]...: copy_tb with the modules in COPY_RTL; status 1 when it fails.
copy_icarus() {
    local files=("${COPY_MODULES[@]/#/$COPY_RTL/tulle_}")
    iverilog -g2005 -Itests/rtl -s copy_tb "${@/#/-Pcopy_tb.}" -o "$TMPDIR/copy.vvp" tests/rtl/copy_tb.v \
        "${files[@]/%/.v}" >"$TMPDIR/log" 2>&1 &&
        timeout 900 vvp -n "$TMPDIR/copy.vvp" >"$TMPDIR/log" 2>&1 && grep -q '^copy_tb: PASS' "$TMPDIR/log"
}

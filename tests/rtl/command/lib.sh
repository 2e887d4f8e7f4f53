# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs of the bench of tulle_command: cases of programs.c for a variant, in a simulator.

COMMAND_CASES=$BUILD/tests/tool/command-cases # writes them
# shellcheck disable=SC2034 # for the tests
COMMAND_SUITES=(valid special flipped changed disturbed deadlock packed kept)
COMMAND_MODULES=(require assert stream_check block_ram lutram command command_{fetch,unpack,check,loops,slot,address,tokens,queues})

# command_folder VARIANT [KEY=VALUE...]: emits the variant; COMMAND_FOLDER, and the bench's COMMAND_PARAMETERS.
command_folder() {
    local set sets=()
    for set in "${@:2}"; do sets+=(--set "$set"); done
    COMMAND_FOLDER=$(mktemp -d "$TMPDIR/variant.XXXXXX")/out
    "$BUILD/bin/tulle-gen" "$1" "${sets[@]}" -o "$COMMAND_FOLDER" >"$TMPDIR/summary"
    read -ra COMMAND_PARAMETERS < <("$COMMAND_CASES" "$1" parameters "${@:2}")
    command_files rtl
}

# command_files FOLDER: COMMAND_FILES, with the leaf modules of that folder.
command_files() {
    COMMAND_FILES=(tests/rtl/command_tb.v "$COMMAND_FOLDER"/rtl/tulle_decode_{operation,program}.v)
    COMMAND_FILES+=("${COMMAND_MODULES[@]/#/"$1/tulle_"}")
    COMMAND_FILES=("${COMMAND_FILES[@]/%/.v}")
    COMMAND_FILES=("${COMMAND_FILES[@]/%.v.v/.v}")
}

# command_icarus [NAME=VALUE...], command_verilator [NAME=VALUE...]: COMMAND_RUN, the command that plays +cases=FILE.
command_icarus() {
    local parameters=("${COMMAND_PARAMETERS[@]}" "$@")
    iverilog -g2005 -I"$COMMAND_FOLDER/include" -s command_tb "${parameters[@]/#/-Pcommand_tb.}" \
        -o "$TMPDIR/command.vvp" "${COMMAND_FILES[@]}"
    COMMAND_RUN=(vvp -n "$TMPDIR/command.vvp")
}

command_verilator() {
    local parameters=("${COMMAND_PARAMETERS[@]}" "$@") dir
    dir=$(mktemp -d "$TMPDIR/verilated.XXXXXX")
    # The bench computes with integers, so widths differ; the module itself is linted.
    verilator --binary --timing -j 0 -Wno-WIDTH -I"$COMMAND_FOLDER/include" --top-module command_tb \
        "${parameters[@]/#/-G}" --Mdir "$dir" "${COMMAND_FILES[@]}" >"$TMPDIR/log" 2>&1 || {
        cat "$TMPDIR/log"
        return 1
    }
    COMMAND_RUN=("$dir/Vcommand_tb")
}

# command_play LABEL VARIANT SEED SUITE FACTOR [KEY=VALUE...]
command_play() {
    local label=$1
    shift
    "$COMMAND_CASES" "$@" >"$TMPDIR/cases.txt" 2>"$TMPDIR/summary"
    "${COMMAND_RUN[@]}" +cases="$TMPDIR/cases.txt" >"$TMPDIR/log" 2>&1 || true
    if grep -q '^command_tb: PASS' "$TMPDIR/log"; then
        echo "$label, $*: $(<"$TMPDIR/summary"); $(grep -o 'PASS.*' "$TMPDIR/log")"
    else
        cat "$TMPDIR/log"
        fail "$label: programs $*"
        return 1
    fi
}

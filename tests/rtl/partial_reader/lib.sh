# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs of the bench of tulle_partial_reader and tulle_operand_reader, in parameters NAME=VALUE.

PARTIAL_RTL=rtl # where the modules under test are
PARTIAL_MODULES=(partial_reader.v operand_reader.v line_reader.v)
PARTIAL_FILES=(rtl/tulle_{block_ram,require,assert,sum}.v)

# The encodings, which every emitted folder has.
partial_include() {
    "$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log"
    PARTIAL_INCLUDE=$TMPDIR/tiny/include
}

partial_report() {
    grep -q '^partial_reader_tb: PASS' "$TMPDIR/log" || {
        cat "$TMPDIR/log"
        fail "$*"
        return 1
    }
    echo "$*: $(grep '^partial_reader_tb' "$TMPDIR/log")"
}

partial_icarus() {
    iverilog -g2005 "-I$PARTIAL_INCLUDE" -s partial_reader_tb "${@/#/-Ppartial_reader_tb.}" -o "$TMPDIR/partial.vvp" \
        tests/rtl/partial_reader_tb.v "${PARTIAL_MODULES[@]/#/$PARTIAL_RTL/tulle_}" "${PARTIAL_FILES[@]}"
    timeout 400 vvp -n "$TMPDIR/partial.vvp" >"$TMPDIR/log" 2>&1 || true
    partial_report "$@"
}

partial_verilator() {
    rm -rf "$TMPDIR/partial"
    # The bench computes with integers, so widths differ, and a chance may be 0; the module is linted by partial_lint.
    verilator --binary --timing -j 0 -O1 -Wno-WIDTH -Wno-UNSIGNED "-I$PARTIAL_INCLUDE" --top-module partial_reader_tb \
        "${@/#/-G}" --Mdir "$TMPDIR/partial" tests/rtl/partial_reader_tb.v "${PARTIAL_MODULES[@]/#/$PARTIAL_RTL/tulle_}" "${PARTIAL_FILES[@]}" \
        >"$TMPDIR/log" 2>&1 || {
        cat "$TMPDIR/log"
        fail "$*: does not build"
        return 1
    }
    timeout 400 "$TMPDIR/partial/Vpartial_reader_tb" >"$TMPDIR/log" 2>&1 || true
    partial_report "$@"
}

# partial_lint MODULE NAME=VALUE...
partial_lint() {
    local parameters=("${@:2}")
    verilator --lint-only -Wall "-I$PARTIAL_INCLUDE" --top-module "$1" "${parameters[@]/#/-G}" \
        "${PARTIAL_MODULES[@]/#/$PARTIAL_RTL/tulle_}" "${PARTIAL_FILES[@]}" || fail "warnings: $*"
}

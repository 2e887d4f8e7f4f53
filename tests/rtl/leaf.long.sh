#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of leaf modules (leaf_tb.v) in Verilator.
# timeout: 1200

set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator

cd "$TOP"
modules=()
for name in require assert stream_check lutram ram_1w1r fifo slice fork arbiter first_error input_loader input_buffer \
    partial_loader output_queue shift_out instruction_store; do
    modules+=("rtl/tulle_$name.v")
done

# check NAME COMMAND...: the last line must say that all benches passed.
check() {
    local name=$1
    shift
    "$@" >"$TMPDIR/$name.log" 2>&1 || fail "$name: exit status $?"
    grep '^leaf_tb: PASS' "$TMPDIR/$name.log" || {
        cat "$TMPDIR/$name.log"
        fail "$name: no PASS"
    }
}

# Benches compute with integers, so widths differ in nearly every line; the modules themselves are linted.
verilator --binary --timing -j 0 -O1 -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" -Wno-WIDTH \
    --top-module leaf_tb --Mdir "$TMPDIR/leaf" "${modules[@]}" tests/rtl/*.v >"$TMPDIR/build.log" 2>&1 || {
    cat "$TMPDIR/build.log"
    exit 1
}
check verilator "$TMPDIR/leaf/Vleaf_tb"
finish

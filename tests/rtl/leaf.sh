#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of leaf modules (leaf_tb.v) in Icarus.

set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

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

iverilog -g2005 -s leaf_tb -o "$TMPDIR/leaf.vvp" "${modules[@]}" tests/rtl/*.v
check iverilog vvp -n "$TMPDIR/leaf.vvp"

finish

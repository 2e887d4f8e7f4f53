#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Faults in tulle_softmax, one at a time, each of which its bench must notice.
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/softmax/lib.sh
source "$TOP/tests/rtl/softmax/lib.sh"
need iverilog

cd "$TOP"
softmax_build
SOFTMAX_RTL=$TMPDIR/rtl
mkdir -p "$SOFTMAX_RTL"

# fault softmax FROM TO [LANES PES ROW ROWS]: replaces the text FROM, which must be there, and expects the bench to fail.
fault() {
    local from=$2 to=$3
    shift 3
    [[ $# -gt 0 ]] || set -- 4 8 256 40
    seed rtl/tulle_softmax.v "$from" "$to" >"$SOFTMAX_RTL/tulle_softmax.v" || {
        fail "the list is wrong about tulle_softmax"
        return
    }
    if (softmax_icarus "$@") >"$TMPDIR/fault.log" 2>&1; then
        fail "nobody noticed '$from' -> '$to'"
    elif ! grep -q 'softmax_tb' "$TMPDIR/fault.log"; then
        cat "$TMPDIR/fault.log"
        fail "'$to' does not compile"
    else
        printf 'noticed: %s\n' "$to"
    fi
}

fault softmax '& {31{counts}}' ''
fault softmax '& {SUMMAND{counts}}' ''
fault softmax "\$signed(other) > \$signed(own)" 'other > own'
fault softmax 'end_chunk | MOST[CHUNK-1:0]' 'end_chunk'
fault softmax "!here[l] ? (at_q == {CHUNK{1'b0}} ? 8'h80 : own)" "1'b0 ? own"
fault softmax "(larger || at_q == {CHUNK{1'b0}}) ? other : own" 'larger ? other : own'
fault softmax "{SUMMAND-1{1'b0}}, entry[11]}" "{SUMMAND-1{1'b0}}, 1'b0}"
fault softmax '!looked_q[2] || ready_i' "1'b1"
fault softmax "state_q == SCALE && still_q == 5'd0" 'state_q == SCALE' 16 16 64 40
fault softmax "sum_q[31] || places_q == 4'd0" 'sum_q[31]'
fault softmax "product_q + 49'sd1073741824" 'product_q'
fault softmax "{1'b0, second[15:0]}" '{second[15], second[15:0]}'
fault softmax 'y_q[29:0] | {30{y_q[30]}}, y_q[30]' 'y_q[30:0]'
fault softmax 'shift[5:0] | {6{shift[6]}}' 'shift[5:0]' 16 16 4096 16
fault softmax "STEPS  = 3'd6" "STEPS  = 3'd4"
fault softmax "{2'b01, sum_q[30:1]}" 'sum_q >> 1'
fault softmax 'SET_UP:     if (scale_ready_i)' "SET_UP:     if (1'b1)"
fault softmax '!rst_ni || begin_i || restart_i) state_q' '!rst_ni || begin_i) state_q'
fault softmax '!rst_ni || begin_i || restart_i) at_q' '!rst_ni || begin_i) at_q'
fault softmax '!rst_ni || begin_i || restart_i) looked_q' '!rst_ni || begin_i) looked_q'
fault softmax "table_start_i)      entry_q <= 8'd0;" "table_start_i)      entry_q <= 8'd1;"
finish

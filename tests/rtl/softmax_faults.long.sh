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

# fault softmax FROM TO [LANES PES ROW ROWS]
fault() {
    local from=$2 to=$3
    shift 3
    [[ $# -gt 0 ]] || set -- 4 8 256 40
    bench_fault "$SOFTMAX_RTL" softmax "$from" "$to" softmax_icarus "$@"
}

fault softmax 'moves && !counts' "1'b0"
fault softmax "\$signed(other) > \$signed(own)" 'other > own'
fault softmax 'end_chunk | MOST[CHUNK-1:0]' 'end_chunk'
fault softmax "!here[l] ? (at_q == {CHUNK{1'b0}} ? 8'h80 : own)" "1'b0 ? own"
fault softmax "(larger || at_q == {CHUNK{1'b0}}) ? other : own" 'larger ? other : own'
fault softmax "(summands_q[SUMMAND*l])" "(1'b0)"
fault softmax 'chunk_round_q <= summands_q[0]' "chunk_round_q <= 1'b0"
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
fault softmax 'if (restart_q) state_q' 'if (!rst_ni) state_q'
fault softmax 'if (restart_q) at_q' "if (1'b0) at_q"
fault softmax 'if (restart_q) looked_q' "if (1'b0) looked_q"
fault softmax 'restart_q <= !rst_ni || begin_i || restart_i' 'restart_q <= !rst_ni || begin_i'
fault softmax "still_q == 5'd0 && !restart_q" "still_q == 5'd0" 4 8 64 200
fault softmax "table_start_i)      entry_q <= 8'd0;" "table_start_i)      entry_q <= 8'd1;"
finish

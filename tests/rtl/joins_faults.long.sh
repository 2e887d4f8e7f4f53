#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Faults in tulle_join_lanes, one at a time, each of which its bench must notice.
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/joins/lib.sh
source "$TOP/tests/rtl/joins/lib.sh"
need iverilog

cd "$TOP"
joins_build
JOINS_RTL=$TMPDIR/rtl

# fault join_lanes FROM TO
fault() {
    bench_fault "$JOINS_RTL" "$1" "$2" "$3" joins_icarus 4 32 120
}

fault join_lanes '41 : 6'"'"'d46) - shift_i' '42 : 6'"'"'d46) - shift_i'
fault join_lanes "fraction_15_i ? 15'h7FE0 : 15'h7FFF" "15'h7FFF"
fault join_lanes "shift_i != 6'd31" "1'b1"
fault join_lanes 'middle_q <= {middle_q[13:0], 1'"'"'b0}' 'middle_q <= middle_q'
fault join_lanes 'first_zero_q & {16{alone_i}}' 'first_zero_q'
fault join_lanes 'subtract && !scale_first_q;' "1'b0;"
fault join_lanes '^ {OPERAND{!(subtract && scale_first_q)}}' '^ {OPERAND{1'"'"'b1}}'
fault join_lanes "(join_i == \`TULLE_JOIN_MULTIPLY) ? {FACTOR{1'b0}}" "1'b0 ? {FACTOR{1'b0}}"
fault join_lanes '{15{!negative_q}}' "{15{1'b1}}"
fault join_lanes ': negative_q ? half && !flat : half || flat' ': half'
fault join_lanes 'up ^ minus_x_q' 'up'
fault join_lanes 'if (multiply_q)    late_y_q' 'if (1'"'"'b0)    late_y_q'
fault join_lanes 'if (!multiply_q)' "if (1'b0)"
fault join_lanes 'carried | both' 'carried'
fault join_lanes "two_steps_i && two_q" 'two_steps_i'
fault join_lanes 'subtract ? INVERTED' "1'b0 ? INVERTED"
fault join_lanes '!scale_first_q ? from_first : subtract' "1'b0 ? from_first : subtract"
fault join_lanes 'scale_first_q ? from_first : SECOND' 'from_first'
fault join_lanes 'alone_i ? FIRST : RESULT' 'FIRST'
fault join_lanes 'shifts_q <= shifts[3:0]' "shifts_q <= 4'd0"
fault join_lanes "{{5{late_y_q[OPERAND-1]}}, late_y_q, 14'd0}" "{late_y_q, 19'd0}"
finish

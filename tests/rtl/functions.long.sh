#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_functions against sim/numerics, in Verilator: more requests, subsets of the functions, other paces; and a sample of the
# faults that must be noticed. functions.soak.sh plays them all.
# timeout: 1800
set -euo pipefail
export SAMPLE=${SAMPLE-8}

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/functions/lib.sh
source "$TOP/tests/rtl/functions/lib.sh"
need verilator iverilog

cd "$TOP"
functions_build
# more WIDTH...: widths of accumulators that only the long run has.
more() {
    ((SAMPLE > 1)) || echo "$@"
}
for width in 24 64 $(more 32 40 48); do
    functions_verilator PES=8 ACC_WIDTH="$width" BUFFERS=8 ROUNDS=150
done
for width in 24 32 64 $(more 35 48 52); do
    functions_verilator PES=8 ACC_WIDTH="$width" BUFFERS=8 FUNCTIONS=2047 ROUNDINGS=1 ROUNDS=100
done
functions_verilator PES=3 ACC_WIDTH=47 BUFFERS=32 DIGITS=1 ROUNDINGS=1 ROUNDS=30
for width in 28 32 $(more 24 64); do
    functions_verilator PES=8 ACC_WIDTH="$width" BUFFERS=8 FUNCTIONS=2047 PAUSE=0 ROUNDS=100
done
# Every argument of sigmoid, tanh and the user's function, of each alone, too.
for functions in 1072 17 33 1025; do
    functions_verilator PES=8 ACC_WIDTH=32 BUFFERS=1 FUNCTIONS=$functions PAUSE=0 ROUNDS=0
done
functions_verilator PES=1 ACC_WIDTH=32 BUFFERS=1 PAUSE=0 ROUNDS=1000
functions_verilator PES=3 ACC_WIDTH=47 BUFFERS=32 DIGITS=1 PAUSE=200 ROUNDS=30
for width in 24 48 $(more 40); do
    functions_icarus PES=8 ACC_WIDTH="$width" BUFFERS=8 ROUNDS=1 EACH=4
done
# relu; relu and leaky relu; relu and clamp; leaky relu; requantise; none
for functions in 3 7 11 5 65 1; do
    functions_icarus PES=2 ACC_WIDTH=64 BUFFERS=4 FUNCTIONS=$functions ROUNDS=10 EACH=4
done

# fault PATTERN REPLACEMENT WIDTH [FUNCTIONS]: the text must be there, and the bench must fail with it.
fault() {
    FUNCTIONS_RTL=$TMPDIR/fault.v
    sed "s/$1/$2/" rtl/tulle_functions.v >"$FUNCTIONS_RTL"
    if cmp -s rtl/tulle_functions.v "$FUNCTIONS_RTL"; then
        fail "the fault '$1' fits nothing"
    elif sampled && (functions_icarus PES=3 ACC_WIDTH="$3" BUFFERS=4 FUNCTIONS="${4:-975}" ROUNDINGS=1 ROUNDS=100) >"$TMPDIR/fault.log" 2>&1; then
        fail "not noticed: '$1' -> '$2'"
    fi
}

fault 'bits == 3.b011' 'bits == 3'"'"'b010' 32
fault 'minus_q\[h\] <= bits\[2\]' 'minus_q[h] <= bits[1]' 32
fault 'high_q\[31\] <= scales_slope' 'high_q[31] <= 1'"'"'b0' 32
fault '<= is_scale \&\& shift != 6.d0' '<= is_scale' 32
fault 'above_window ||' '' 32
fault 'in_high_half || in_low_half' 'in_high_half' 32
fault 'in_high_half || in_low_half' 'in_low_half' 32
fault 'bound    = end_q\[3\]' 'bound = end_q[4]' 32
fault 'large_q ? sign_q : ' '' 32
fault '\[15:7\] != {9' '[15:8] != {8' 32
fault '(relu_q \&\& sign_q) ? ZEROS' '1'"'"'b0 ? ZEROS' 32
fault 'g >= 32 \&\& int32_q' '1'"'"'b0' 48
fault 'slope_q \&\& full_q' '1'"'"'b0' 64
fault 'X_DIGITS\[COUNT-1:0\] : {COUNT' 'X_DIGITS[COUNT-1:0] + 1 : {COUNT' 32
fault 'at_step ? issue_pe_q' 'at_step \&\& !first ? issue_pe_q' 32
fault "write_curve ? \`TULLE_ELEMENT_INT16" "1'b0 ? 2'd1" 32 2047
fault "write_user ? \`TULLE_ELEMENT_INT64" "1'b0 ? 2'd3" 32 2047
fault 'write_curve ? 16.d0' "1'b0 ? 16'd0" 32 2047
fault "== \`TULLE_FUNCTION_AVERAGE;" "== \`TULLE_FUNCTION_AVERAGE || write_curve;" 32 2047
fault 'if (end_q\[1\]) row_q' 'if (end_q[6]) row_q' 32 2047
fault 'if (end_q\[6\]) sigmoid_q <= late_function' 'sigmoid_q <= late_function' 24 2047
fault 'pe_q\[LATENCY-1\]' 'pe_q[LATENCY-2]' 32 2047
fault 'even_q \&\& odd' "1'b0" 32 65
fault 'b == STEP - 1 \&\& missing_q' '1'"'"'b0 \&\& missing_q' 32 65
fault 'begins \&\& b == STEP - 1 \&\& missing_q == {STEP_LOG{1.b0}}' 'begins \&\& b == STEP - 1' 32 65
fault 'b + 1 >= {' 'b >= {' 32 65
fault 'even_q || later ||' 'later ||' 32 65
fault 'negative_q != multiplier\[31\]' 'negative_q' 32 65
fault 'negative_q != multiplier\[31\]' "1'b0" 32 65
fault 'TWO_STEPS \&\& shift\[5\]' 'TWO_STEPS' 32 65
fault 'last_q <= step_q\[2\] \&\& out' 'last_q <= out' 32 65
fault 'fraction_q \&\& next != whole\[COUNT-1:0\]' "1'b1" 32 65
fault 'half || flat_q' 'half' 32 65
fault 'half \&\& (!flat_q ||' 'half \&\& (1'"'"'b1 ||' 32 65
fault 'slope_q \&\& even_q \&\& flat_q \&\& !half' "1'b0" 32 5
fault 'slope_q \&\& even_q \&\& flat_q \&\& !half' 'slope_q \&\& even_q \&\& flat_q' 32 5
fault 'limit_pe_q <= row_pe_q' 'limit_pe_q <= issue_pe_q' 32
finish

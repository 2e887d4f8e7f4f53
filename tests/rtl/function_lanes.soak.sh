#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_function_lanes and tulle_curve against sim/numerics, in Verilator: more requests, every argument of the curves and the user's function,
# subsets of the functions, warnings; and faults, each of which must be noticed.
# timeout: 1200
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/functions/lanes.sh
source "$TOP/tests/rtl/functions/lanes.sh"
need verilator iverilog

cd "$TOP"
lanes_build
for functions in 1 3 5 9 11 16 32 65 975 1023 1025 2047; do
    for width in 24 32 33 35 36 48 52 53 64; do
        lanes_lint $functions $width 0
        lanes_lint $functions $width 1
    done
done
for width in 24 32 36 53 64; do
    lanes_verilator LANES=4 ACC_WIDTH=$width FUNCTIONS=2047 ROUNDS=3000
done
for width in 24 32 35 48 52 64; do
    lanes_verilator LANES=4 ACC_WIDTH=$width FUNCTIONS=2047 ROUNDINGS=1 ROUNDS=3000
done
for functions in 1 3 5 9 65 1025 17 33 53; do
    for roundings in 0 1; do
        lanes_icarus LANES=3 ACC_WIDTH=64 FUNCTIONS=$functions ROUNDINGS=$roundings
    done
done
lanes_verilator LANES=8 FUNCTIONS=1072 ROUNDS=0
lanes_verilator LANES=8 FUNCTIONS=1025 ROUNDS=0
lanes_verilator LANES=1 PAUSE=0 STALL=0 FUNCTIONS=975 ROUNDS=1000
# relu and clamp; relu and leaky relu; sigmoid; tanh and leaky relu; average
for functions in 11 7 17 37 513; do
    for width in 24 35 40 64; do
        lanes_icarus LANES=2 ACC_WIDTH=$width FUNCTIONS=$functions ROUNDS=30
    done
done

declare -A RTL_OF=() # modules that are not those of rtl/

# fault MODULE PATTERN REPLACEMENT [WIDTH [FUNCTIONS]]: the text must be there, and the bench must fail with it. Icarus.
fault() {
    local module=$1 from=rtl/tulle_$1.v name found=''
    LANES_RTL=("$TMPDIR/fault.v")
    for name in "${LANES_MODULES[@]}"; do
        [[ $name == "$module" ]] || LANES_RTL+=("${RTL_OF[$name]-rtl/tulle_$name.v}")
    done
    sed "s@$2@$3@" "$from" >"$TMPDIR/fault.v"
    if cmp -s "$from" "$TMPDIR/fault.v"; then
        fail "the fault '$2' fits nothing"
        return
    fi
    for rounds in 400 0; do
        (lanes_icarus LANES=2 ACC_WIDTH="${4:-32}" FUNCTIONS="${5:-2047}" ROUNDINGS=1 ROUNDS=$rounds) >"$TMPDIR/fault.log" 2>&1 || found=1
        [[ ! $found ]] || return 0
    done
    fail "not noticed: '$2' -> '$3'"
}

fault product '{LIMB-HALF_BIT-1{1.b0}}, half_i' "{LIMB-HALF_BIT{1'b0}}"
fault product 'limb = {1.b0, a_i' 'limb = {a_i[A_WIDTH-1], a_i'
fault product 'b_low  = {1.b0' "b_low = {b_i[23]"
fault product '<< (B_LOW - LIMB)' '<< (B_LOW - LIMB - 1)'
fault product 'late_q <= row_q' 'late_q <= row' 48
fault product 'late_q  <= later_q' 'late_q  <= row_q' 64
fault function_lanes '~record_shift\[3:0\]' "record_shift[3:0]"
fault function_lanes 'shifts_q - 4.d1' "shifts_q - 4'd2"
fault function_lanes ': write_relu ? 16.h0000' ": write_relu ? 16'h8000"
fault function_lanes 'low_wide \&\& !turned' 'low_wide'
fault function_lanes 'high_wide \&\& !turned' 'high_wide'
fault function_lanes 'high_result_q <= high_wide ? high_byte' "high_result_q <= 1'b0 ? high_byte"
fault function_lanes '\&\& !(HAS_CURVE \&\& curve_q)' ''
fault function_lanes 'leaky_q \&\& !sum\[' "1'b0 \&\& !sum["
fault function_lanes '(HAS_LEAKY \&\& leaky_q)' "(1'b0)"
fault function_lanes 'up     = scale_q \&\&' 'up     ='
fault function_lanes 'up     = scale_q \&\& higher' "up     = 1'b0"
fault function_lanes '+ {{VALUE-1{1.b0}}, round_up}' '' 32 17
fault function_lanes 'product\[14:0\] == 15.d0' "1'b0" 32 5
fault function_lanes 'leaky_q \&\& even_q \&\& ' 'leaky_q \&\& ' 32 5
fault function_lanes 'write_scale \&\& record_shift\[5\]' 'write_scale' 32 65
fault function_lanes '~fine \& {4' '~{fine[3:1], 1'"'"'b0} \& {4' 32 65
fault function_lanes '{16{wide \&\& (' '{16{(' 32 65
fault round_up 'odd_i || low' 'low' 32 65
fault round_up 'odd_i || low' 'odd_i' 32 65
fault round_up 'step_i != 2.d0 \&\& product' "1'b1 \&\& product" 32 65
fault round_up 'product_i\[29:14\] != 16.d0' "1'b0" 32 65
fault round_up 'product_i\[13:0\]' 'product_i[12:0]' 32 65
fault round_up 'even_i || negative_i;' 'even_i;' 32 65
fault round_up 'even_i || negative_i;' "1'b1;" 32 65
fault round_up '{16{!down}}) \& middle_i' '{16{!down}})' 32 65
fault round_up 'step_i != 2.d3 || product' "step_i == 2'd0 || product" 32 65
fault round_up '== {16{!down}}' "== 16'd0" 32 65
fault round_up ': half_i || flat' ': half_i' 32 65
fault round_up 'half_i \&\& (!flat ||' 'half_i \&\& (1'"'"'b1 ||' 32 65
fault function_lanes 'if (!full_q || (HAS_RELU' 'if ((HAS_RELU'
fault function_lanes 'more_top ||' '' 64
fault function_lanes "step != 2'd3" "1'b1"
fault function_lanes '(more\[1\] \&\& !step\[1\])' "(more[1] \&\& step == 2'd0)"
fault function_lanes 'beyond_q ? sign_q : over_low\[VALUE\]' 'over_low[VALUE]'
fault function_lanes 'HAS_RELU \&\& relu_q \&\& sign_q' "1'b0"
fault function_lanes 'ACC_WIDTH == 64 \&\& HAS_LEAKY' "1'b0" 64
fault function_lanes "element_q == \`TULLE_ELEMENT_INT32" "1'b0" 48
fault function_lanes '|| write_user;' ';'
fault function_lanes '\&\& !user_q' '' 48
fault late_functions 'late_q\[BEFORE-1\]' 'late_q[BEFORE-2]'
fault late_functions "INT8 \&\& !as_byte" "INT16 \&\& !as_byte"
fault late_functions 'narrow_q\[AFTER\]' 'narrow_q[AFTER-1]'
fault user_function "x_late_q \* gate_q" "x_q * gate_q"
fault user_function "49'sd536870912" "49'sd0"
fault curve '{9{magnitude_q\[15\]}}' "9'd0"
fault curve "1'b1, {6{sigmoid_i}}, sigmoid_i" "1'b1, {6{sigmoid_i}}, 1'b0"
fault curve "byte_of == 9'd128" "1'b0"
fault curve 'negative_q\[4\]' 'negative_q[3]'
fault curve_table "16'd32704" "16'd32705"
fault curve_table "16'd16706" "16'd16707"

# The example's results have 16 bits, so that int16 limits none of them. It limits those of a function 16 times as large.
sed 's/>> 30/>> 26/' "$LANES_USER" >"$TMPDIR/user.c"
sed 's/{13{scaled\[48\]}}, scaled\[48:30\]/{9{scaled[48]}}, scaled[48:26]/' rtl/tulle_user_function.v >"$TMPDIR/user_function.v"
LANES_USER=$TMPDIR/user.c RTL_OF=([user_function]=$TMPDIR/user_function.v)
lanes_build
LANES_RTL=(rtl/tulle_{function_lanes,late_functions,product,round_up,curve,curve_table}.v "$TMPDIR/user_function.v")
lanes_icarus LANES=2 ROUNDINGS=1 FUNCTIONS=2047
fault late_functions "element == \`TULLE_ELEMENT_INT16 \&\& !as_half" "1'b0"
finish

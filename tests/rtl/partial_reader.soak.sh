#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_partial_reader (partial_reader_tb.v) in Verilator: widths, many patterns, speed, warnings; and faults, each of
# which must be noticed.
# timeout: 1800
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/partial_reader/lib.sh
source "$TOP/tests/rtl/partial_reader/lib.sh"
need verilator iverilog

cd "$TOP"
partial_include
for mem in 64 128 256 512; do
    for lanes in 1 2 4 8; do
        for pes in 1 5 16; do
            partial_lint tulle_partial_reader MEM=$mem LANES=$lanes PES=$pes ACC_WIDTH=$((24 + 40 * (pes == 5) + 8 * (pes == 16)))
        done
    done
done
# MEM PES ACC_WIDTH LANES BURSTS
while read -r mem pes acc lanes bursts; do
    partial_verilator OPS=200 MEM="$mem" PES="$pes" ACC_WIDTH="$acc" LANES="$lanes" BURSTS="$bursts"
done <<'END'
512 8 32 4 4
64 1 24 1 2
128 5 33 2 2
256 16 64 8 4
512 3 48 8 2
64 16 32 8 4
256 4 40 2 8
END
# MEM LANES BURSTS, of operands: a chunk every cycle, too
while read -r mem lanes bursts; do
    partial_lint tulle_operand_reader MEM="$mem" LANES="$lanes" BURSTS="$bursts"
    partial_verilator OPERAND=1 OPS=200 MEM="$mem" PES="$lanes" ACC_WIDTH=16 LANES="$lanes" BURSTS="$bursts"
    partial_verilator OPERAND=1 OPS=2 STEADY=100 MEM="$mem" PES="$lanes" ACC_WIDTH=16 LANES="$lanes" BURSTS=4
done <<'END'
512 8 4
512 16 2
128 4 2
64 4 4
64 1 2
256 2 4
END
# Groups of 8, 4 or 8 of them a cycle: two cycles.
partial_verilator OPS=2 STEADY=200 MEM=512 LANES=4
partial_verilator OPS=2 STEADY=200 MEM=512 LANES=8

FAULT_RUN=(OPS=100 MEM=64 PES=5 ACC_WIDTH=40 LANES=2 BURSTS=2)
partial_icarus "${FAULT_RUN[@]}" # passes in time, so that it is the fault that ends the runs below

# fault MODULE PATTERN REPLACEMENT: the text must be there, and the bench must fail with it.
fault() {
    PARTIAL_RTL=$TMPDIR/rtl
    rm -rf "$PARTIAL_RTL"
    mkdir "$PARTIAL_RTL"
    cp "${PARTIAL_MODULES[@]/#/rtl/tulle_}" "$PARTIAL_RTL"
    sed -i "s~$2~$3~" "$PARTIAL_RTL/tulle_$1.v"
    if cmp -s "rtl/tulle_$1.v" "$PARTIAL_RTL/tulle_$1.v"; then
        fail "the fault '$2' fits nothing"
    elif (partial_icarus "${FAULT_RUN[@]}") >"$TMPDIR/fault.log" 2>&1; then
        fail "not noticed: '$2' -> '$3'"
    fi
}

fault line_reader 'left_q\[10:0\] <= span' 'left_q[10:0] < span'
fault line_reader 'part_q\[9:0\] - 10.d1' 'part_q[9:0]'
fault line_reader "room \&\& !op_valid_i \&\& !abort_i" "room \&\& !op_valid_i"
fault line_reader "room \&\& !op_valid_i \&\& !abort_i" "!op_valid_i \&\& !abort_i"
fault line_reader "pitch_q} - {2'd0, length_q}" "pitch_q}"
fault line_reader "clear_q \&\& owed_q == {ADDR+1{1'b0}}" 'clear_q'
fault partial_reader 'few_q <= two_limit' 'few_q < two_limit'
fault partial_reader 'few_q < 5.d16' "few_q < 5'd1"
fault partial_reader 'none_q || (refill \&\& many_q == 28.d1)' "none_q || (refill \&\& many_q == 28'd2)"
fault partial_reader 'next_offset_q <= next_offset_q + pitch_offset_q' 'next_offset_q <= next_offset_q'
fault partial_reader 'offset_d\[LINE_LOG\] || run_limits' 'offset_d[LINE_LOG]'
fault partial_reader 'lane_q\[2:0\] - first_q' "3'd0 - first_q"
fault partial_reader '{ACC_WIDTH-BITS{raw\[BITS-1\]}}' "{ACC_WIDTH-BITS{1'b0}}"
fault partial_reader 'move = !full_q || !valid_q' "move = 1'b1"
fault partial_reader "lanes_valid_q \&\& lanes_end_q" "lanes_end_q"
fault partial_reader '!begin_q \&\& !active_q \&\& !chunk_next_q' '!begin_q \&\& !active_q'
fault partial_reader '!begin_q \&\& !active_q' '!active_q'
fault partial_reader 'data_error_i\[1\] \&\& !op_valid_i' 'data_error_i[1]'
fault partial_reader 'data_error_i\[0\] ?' "1'b1 ?"
fault partial_reader 'PES\[4:0\]} << element_q' 'PES[4:0]}'
fault line_reader "owed_q == {ADDR+1{1'b0}} \&\& (state_q" "(state_q"
fault partial_reader '(stopped || !in_way)' "1'b1"

FAULT_RUN=(OPERAND=1 OPS=100 MEM=64 PES=2 ACC_WIDTH=16 LANES=2 BURSTS=2)
partial_icarus "${FAULT_RUN[@]}"
fault operand_reader "op_wide_i ? {1'b0," "1'b0 ? {1'b0,"
fault operand_reader 'CHUNK\[LINE_LOG:0\] << wide_q' 'CHUNK[LINE_LOG:0]'
fault operand_reader 'offset_d\[LINE_LOG\] || run_ends' 'offset_d[LINE_LOG]'
fault operand_reader 'next_offset_q + pitch_offset_q' 'next_offset_q'
fault operand_reader 'from\[8\*l+7\] != unsigned_q' 'from[8*l+7]'
fault operand_reader 'from\[16\*l+15\] != unsigned_q' 'from[16*l+15]'
fault operand_reader '{9{byte_sign}}' "{8'd0, byte_sign}"
fault operand_reader '{place_q, {LANE_LOG+3' "{1'b0, {LANE_LOG+3"
fault operand_reader 'run_ends \&\& runs_q == 16.d1' 'run_ends'
fault operand_reader '!begin_q \&\& !active_q \&\& !piece_valid_q' '!begin_q \&\& !active_q'
fault operand_reader 'data_error_i\[1\] \&\& !op_valid_i' 'data_error_i[1]'
fault operand_reader 'data_error_i\[0\] ?' "1'b1 ?"
fault operand_reader 'CHUNK\[7:0\] << wide_q' 'CHUNK[7:0]'
fault operand_reader 'moves = !valid_q || chunk_ready_i' "moves = 1'b1"
fault operand_reader 'move = !piece_valid_q || moves' "move = 1'b1"
finish

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
            partial_lint MEM=$mem LANES=$lanes PES=$pes ACC_WIDTH=$((24 + 40 * (pes == 5) + 8 * (pes == 16)))
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
# Groups of 8, 4 or 8 of them a cycle: two cycles.
partial_verilator OPS=2 STEADY=200 MEM=512 LANES=4
partial_verilator OPS=2 STEADY=200 MEM=512 LANES=8

FAULT_RUN=(OPS=100 MEM=64 PES=5 ACC_WIDTH=40 LANES=2 BURSTS=2)
partial_icarus "${FAULT_RUN[@]}" # passes in time, so that it is the fault that ends the runs below

# fault PATTERN REPLACEMENT: the text must be there, and the bench must fail with it.
fault() {
    PARTIAL_RTL=$TMPDIR/fault.v
    sed "s~$1~$2~" rtl/tulle_partial_reader.v >"$PARTIAL_RTL"
    if cmp -s rtl/tulle_partial_reader.v "$PARTIAL_RTL"; then
        fail "the fault '$1' fits nothing"
    elif (partial_icarus "${FAULT_RUN[@]}") >"$TMPDIR/fault.log" 2>&1; then
        fail "not noticed: '$1' -> '$2'"
    fi
}

fault 'left_q\[10:0\] <= span' 'left_q[10:0] < span'
fault 'part_q\[9:0\] - 10.d1' 'part_q[9:0]'
fault "room \&\& !op_valid_i \&\& !abort_i" "room \&\& !op_valid_i"
fault "room \&\& !op_valid_i \&\& !abort_i" "!op_valid_i \&\& !abort_i"
fault "pitch_q} - {2'd0, length_q}" "pitch_q}"
fault 'state_q != OFFER \&\& owed_q' 'owed_q'
fault "state_q != OFFER \&\& owed_q == {ADDR+1{1'b0}}" 'state_q != OFFER'
fault 'few_q <= two_limit' 'few_q < two_limit'
fault 'few_q < 5.d16' "few_q < 5'd1"
fault 'none_q || (refill \&\& many_q == 28.d1)' "none_q || (refill \&\& many_q == 28'd2)"
fault 'next_offset_q <= next_offset_q + pitch_offset_q' 'next_offset_q <= next_offset_q'
fault 'offset_d\[LINE_LOG\] || run_limits' 'offset_d[LINE_LOG]'
fault 'lane_q\[2:0\] - first_q' "3'd0 - first_q"
fault '{ACC_WIDTH-BITS{raw\[BITS-1\]}}' "{ACC_WIDTH-BITS{1'b0}}"
fault 'move = !full_q || !valid_q' "move = 1'b1"
fault "lanes_valid_q \&\& lanes_end_q" "lanes_end_q"
fault '!begin_q \&\& !active_q \&\& !chunk_next_q' '!begin_q \&\& !active_q'
fault '!begin_q \&\& !active_q' '!active_q'
fault 'data_error_i\[1\] \&\& !op_valid_i' 'data_error_i[1]'
fault 'data_error_i\[0\] ?' "1'b1 ?"
fault 'PES\[4:0\]} << element_q' 'PES[4:0]}'
fault "owed_q == {ADDR+1{1'b0}} \&\& (state_q" "(state_q"
fault '(stopped || !in_way)' "1'b1"
finish

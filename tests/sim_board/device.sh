#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Verilated device, end to end: operators from packed weights to a checked result, with random stalls on every
# channel of the memory, slow and fast memory, and answers that are errors or never come.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

device tiny tiny
# PEs are compiled once, however many there are, and the four clusters at most twice: Verilator does not always see that
# they do the same. With coverage each has counters of its own.
for most in 'tulle_pe 1' 'tulle_cluster 2'; do
    count=$(cat "$DEVICE"/obj-board.so/*.cpp | grep -c "^VL_INLINE_OPT void Vtop_${most% *}___nba_sequent.*__0(")
    [[ $count == [1-${most#* }] || ${BOARD_OPTIONS[*]-} == *--coverage* ]] || fail "the code of ${most% *} is there $count times"
done
for seed in 1 2 3 4; do
    agrees spmm --rows 8 --held 2 --k 64 --n 32 --density 0.3 --seed "$seed" --stalls "$seed"
    agrees spmv --rows 40 --k 96 --density 0.2 --seed "$seed" --stalls "$seed" --latency 5
done
agrees spmm --rows 4 --held 2 --k 16 --n 8 --density 0 --latency 200 --bandwidth 1/3
for seed in 1 2 3; do
    agrees spconv --shape 8x8x16,3,1,4x2 --n 16 --density 0.5 --seed "$seed" --stalls "$seed"
    agrees spconv --shape 9x7x8,2,2,1x2 --n 5 --density 0.7 --act-density 0.6 --seed "$seed" --latency 5
    agrees depthwise --shape 10x8x16,3,1,4x4 --density 1 --seed "$seed" --stalls "$seed"
    agrees depthwise --shape 9x9x8,2,2,2x2 --density 0.6 --act-density 0.6 --seed "$seed" --latency 5
done

# The largest of each window: the model of time knows it as well as that of results.
device tiny-max tiny --set functions=relu,requantise,max
for seed in 1 2 3; do
    agrees maxpool --shape 11x9x16,3,2,1x2 --act-density 0.6 --seed "$seed" --stalls "$seed"
    agrees maxpool --shape 10x12x8,2,2,2x2 --seed "$seed" --latency 5
done
within 5 maxpool --shape 25x25x8,3,2,4x4 --act-density 0.5
within 5 maxpool --shape 16x16x16,2,2,4x4
status=0
"$TULLE_SIM" maxpool --board model --variant tiny >"$TMPDIR/without.log" 2>&1 || status=$?
[[ $status == 1 && $(<"$TMPDIR/without.log") == *'without the function max'* ]] ||
    fail "maxpool on tiny: $(<"$TMPDIR/without.log")"

# Two memory ports: rows are loaded beside each other.
device tiny-ports tiny --set memory_ports=2
for seed in 1 2 3; do
    agrees spmm --rows 8 --held 2 --k 64 --n 32 --density 0.3 --seed "$seed" --stalls "$seed"
    agrees spmv --rows 40 --k 96 --density 0.2 --seed "$seed" --stalls "$seed" --latency 5
done
ends_with read_slave_error spmv --rows 40 --k 96 --fault slverr:read

device tiny tiny
ends_with read_slave_error spmm --rows 4 --held 2 --k 16 --n 8 --fault slverr:read
ends_with read_decode_error spmm --rows 4 --held 2 --k 16 --n 8 --fault decerr:read
ends_with write_slave_error spmm --rows 4 --held 2 --k 16 --n 8 --fault slverr:write
ends_with write_decode_error spmm --rows 4 --held 2 --k 16 --n 8 --fault decerr:write
# A violated assertion ends the board, not the program, and is told by name.
DEVICE=$BOARDS/tiny-violated
"$TOP/sim/board/build" -o "$DEVICE" \
    --change tulle_issue_ring '.holds_i (!(start_i &&' ".holds_i (!(start_i && 1'b1) && !(start_i &&" tiny
status=0
"$TULLE_SIM" spmm --board "sim:$DEVICE" --rows 4 --held 2 --k 16 --n 8 --dump "$TMPDIR/violated" >"$TMPDIR/violated.log" 2>&1 ||
    status=$?
[[ $status == 1 ]] || fail "a violated assertion: status $status"
for text in 'tulle_assert.v:' 'u_pe.u_issue_ring.u_no_overflow: violated: a MAC is issued only where there is a place'; do
    grep -qF "$text" "$TMPDIR/violated.log" || fail "a violated assertion: no '$text' in $(<"$TMPDIR/violated.log")"
done

finish

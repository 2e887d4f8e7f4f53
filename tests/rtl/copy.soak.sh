#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bench of the copy engine in Verilator, for all widths and with other seeds, and faults that it must notice.
# timeout: 3600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

cd "$TOP"

# play [PARAMETER=VALUE]...
play() {
    local dir=$TMPDIR/verilated files=("${COPY_MODULES[@]/#/rtl/tulle_}")
    rm -rf "$dir"
    # Benches compute with integers, so widths differ in nearly every line; the modules themselves are linted.
    if verilator --binary --timing -j 0 -O1 -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" -Wno-WIDTH -Itests/rtl \
        --top-module copy_tb "${@/#/-G}" --Mdir "$dir" tests/rtl/copy_tb.v "${files[@]/%/.v}" >"$TMPDIR/log" 2>&1 &&
        timeout 600 "$dir/Vcopy_tb" >"$TMPDIR/log" 2>&1 && grep -q '^copy_tb: PASS' "$TMPDIR/log"; then
        echo "$*: $(grep PASS "$TMPDIR/log")"
    else
        cat "$TMPDIR/log" >&2
        fail "$*"
    fi
}

play MEM=64 STALL=0 BURST=512 ROUNDS=300 SEED="$RANDOM"
play MEM=128 STALL=60 LATENCY=100 ROUNDS=300 SEED="$RANDOM"
play MEM=256 STALL=10 LATENCY=5 BURST=4096 ROUNDS=300 SEED="$RANDOM"
play MEM=512 STALL=30 DEPTH=32 ROUNDS=300 SEED="$RANDOM"

# mutant MODULE FROM TO: a copy of the modules with the text FROM of a module replaced. The queue is as short as can be.
mutant() {
    rm -rf "$TMPDIR/rtl"
    cp -r rtl "$TMPDIR/rtl"
    seed "rtl/tulle_$1.v" "$2" "$3" >"$TMPDIR/rtl/tulle_$1.v" || {
        fail "the list is wrong about $1"
        return
    }
    if COPY_RTL=$TMPDIR/rtl copy_icarus MEM=64 DEPTH=256 ROUNDS=80; then
        fail "nobody noticed $1: '$2' -> '$3'"
    elif grep -q 'FATAL\|FAIL' "$TMPDIR/log"; then
        echo "noticed: $1: $3"
    else
        cat "$TMPDIR/log" >&2
        fail "$1: '$2' -> '$3' does not run"
    fi
}

mutant copy_bursts "to_boundary ? room : bytes_left_q[PIECE:0]" "room"
mutant copy_align "to_i < from_i" "1'b0"
mutant copy_align "(ALL ^ ONE) << last_lane_q" "ALL << last_lane_q"
mutant copy_align "first_q ? ~(ALL << to_q)" "1'b0 ? ~(ALL << to_q)"
mutant copy_move "would_write <= read_q" "1'b1"
mutant copy_move "would_hold <= DEPTH[15:0]" "1'b1"
mutant copy_move "answered && !rejected && to_error_q == 2'd0" "answered"
mutant copy_move "arrives && data_last_i && !refused" "arrives && data_last_i"
mutant copy_ring "device_end_q[63:0] > memory_bytes_i" "1'b0"
mutant copy_ring "device_end_q[63:0] > memory_bytes_i" "device_end_q[63:0] >= memory_bytes_i"
mutant copy_ring "tail_i < entries_i" "1'b1"
mutant copy_ring "quiet_q >= watchdog_i" "1'b0"
mutant copy_ring "quiet_q >= watchdog_i" "quiet_q >= 32'd1"
mutant copy_ring "tell_o            = next_o && code_q == OK" "tell_o            = next_o"
mutant copy_registers "(writes && still && written == ENTRIES)" "(writes && written == ENTRIES)"
mutant copy "(reset || flush_ring || (flush_from && !to_host))" "(flush_ring || (flush_from && !to_host))"
mutant copy "(reset || (flush_from && to_host))" "(flush_from && to_host)"
mutant burst_id "answered_id_i == id_q && !stale_q" "!stale_q"
mutant copy_registers "(head_q + 16'd1) & last" "head_q + 16'd1"
finish

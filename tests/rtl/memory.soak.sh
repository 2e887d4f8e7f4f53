#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of the memory side in Verilator, for all widths, and faults that they must notice.
# timeout: 1800
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

cd "$TOP"
"$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log"

# play TOP [PARAMETER=VALUE]...
play() {
    local top=$1 dir=$TMPDIR/verilated
    shift
    rm -rf "$dir"
    # Benches compute with integers, so widths differ in nearly every line; the modules themselves are linted.
    if verilator --binary --timing -j 0 -O1 -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" -Wno-WIDTH -Itests/rtl \
        -I"$TMPDIR/tiny/include" --top-module "$top" "${@/#/-G}" --Mdir "$dir" "tests/rtl/$top.v" \
        tests/rtl/bench_memory.v "${MEMORY_MODULES[@]/#/rtl/tulle_}" >"$TMPDIR/log" 2>&1 &&
        timeout 300 "$dir/V$top" >"$TMPDIR/log" 2>&1 && grep -q "^$top: PASS" "$TMPDIR/log"; then
        echo "$top $*: $(grep PASS "$TMPDIR/log")"
    else
        cat "$TMPDIR/log" >&2
        fail "$top $*"
    fi
}

# lint MODULE PARAMETER=VALUE...
lint() {
    local module=$1
    shift
    verilator --lint-only -Wall -I"$TMPDIR/tiny/include" --top-module "tulle_$module" "${@/#/-G}" \
        "${LINT_MODULES[@]}" "rtl/tulle_$module.v" >"$TMPDIR/log" 2>&1 || {
        cat "$TMPDIR/log" >&2
        fail "lint of $module $*"
    }
}

LINT_MODULES=(rtl/tulle_{require,assert,stream_check,lutram,fifo,block_ram,sum,lowest,burst_id,burst_check}.v)
for mem in 64 128 256 512; do
    lint read_port MEM="$mem" OUTSTANDING=$((mem / 64))
    lint write_port MEM="$mem" OUTSTANDING=$((mem / 64))
    for bus in 64 128 256 512; do
        for unit in 1024 1048576; do
            lint load MEM="$mem" BUS="$bus" UNIT_BYTES="$unit"
            lint storage_unit BANKS="$(((mem > bus ? mem : bus) / 64))" BUS="$bus" UNIT_BYTES="$unit"
        done
    done
done
lint read_port CLIENTS=1
lint write_port CLIENTS=1
lint load ROWS=1 BURST=128 TAG=1

for mem in 64 128 256 512; do
    for stall in 0 30 80; do
        play ports_tb MEM="$mem" STALL="$stall" OUTSTANDING=$((1 + RANDOM % 40)) EVERY_CYCLE=$((RANDOM % 2)) SEED="$RANDOM"
    done
    for bus in 64 128 256 512; do
        play load_tb MEM="$mem" BUS="$bus" STALL=0 OUTSTANDING=64 ROWS=$((mem / 128 + 1)) SEED="$RANDOM"
        play load_tb MEM="$mem" BUS="$bus" STALL=$((20 + RANDOM % 70)) OUTSTANDING=$((1 + RANDOM % 40)) LATENCY=$((RANDOM % 100)) \
            UNIT_BYTES=$((1024 << RANDOM % 5)) BURST=$((mem / 4 << RANDOM % 4)) BATCHES=25 SEED="$RANDOM"
    done
done

# mutant TOP MODULE FROM TO: a copy of the modules with the text FROM of a module replaced.
mutant() {
    rm -rf "$TMPDIR/rtl"
    cp -r rtl "$TMPDIR/rtl"
    seed "rtl/tulle_$2.v" "$3" "$4" >"$TMPDIR/rtl/tulle_$2.v" || {
        fail "the list is wrong about $2"
        return
    }
    for case in "MEM=512 OUTSTANDING=8" "MEM=64 OUTSTANDING=3 STALL=0"; do
        [[ $1 != load_tb ]] || case+=" FILL=8"
        # shellcheck disable=SC2086 # a list of words
        if ! MEMORY_RTL=$TMPDIR/rtl memory_icarus "$1" $case; then
            if ! grep -q 'FATAL\|FAIL' "$TMPDIR/log"; then
                cat "$TMPDIR/log" >&2
                fail "$2: '$3' -> '$4' does not run"
            fi
            echo "noticed: $2: $4"
            return
        fi
    done
    fail "nobody noticed $2: '$3' -> '$4'"
}

mutant ports_tb burst_id "stale_q && some[id_q]" "1'b0"
mutant ports_tb burst_id "&& !stale_q && some" "&& some"
mutant ports_tb burst_id "close_i && answered_id_i == i && some[i]" "close_i && id_q == i && some[i]"
mutant ports_tb burst_id "stale_q || !some[id_q]" "!some[id_q]"
mutant ports_tb read_port "(!arvalid_q || axi_arready_i) && room" "room"
mutant ports_tb read_port "&& !abort_i" "&& 1'b1"
mutant ports_tb read_port "(again ? {CLIENTS{1'b0}} : served_q) | grant" "{CLIENTS{1'b0}}"
mutant ports_tb read_port "rst_ni && !flush_i),
    .valid_i (request)" "rst_ni),
    .valid_i (request)"
mutant ports_tb read_port "take && axi_rlast_i" "axi_rvalid_i && axi_rlast_i"
mutant ports_tb read_port "take ? to_owner" "axi_rvalid_i ? to_owner"
mutant ports_tb read_port "(axi_rresp_i[1] && !elsewhere)" "(axi_rresp_i[0] && !elsewhere)"
mutant ports_tb read_port "!rst_ni || flush_i) begin
      valid_q" "!rst_ni) begin
      valid_q"
mutant ports_tb write_port "owed_id != id || stale || aborted[owed_client]" "owed_id != id || stale"
mutant ports_tb write_port "owed_id != id || stale || aborted[owed_client]" "owed_id != id || aborted[owed_client]"
mutant ports_tb write_port "owed_id != id || stale || aborted[owed_client]" "stale || aborted[owed_client]"
mutant ports_tb write_port "orphan ? {MEM/8{1'b0}}" "1'b0 ? {MEM/8{1'b0}}"
mutant ports_tb write_port "data_valid_i[owed_client] && !flush_i" "data_valid_i[owed_client]"
mutant ports_tb write_port "!orphan && !flush_i) ? from" "!flush_i) ? from"
mutant ports_tb write_port "burst_valid_i & ~aborted" "burst_valid_i"
mutant ports_tb write_port "sent_q == owed_beats" "sent_q + 8'd1 == owed_beats"
mutant ports_tb write_port "!wvalid_q || axi_wready_i" "1'b1"
mutant ports_tb write_port "room = !kept_q" "room = 1'b1"
mutant ports_tb write_port "kept_q ? kept_word_q : word" "word"
mutant ports_tb write_port "rst_ni && !flush_i),
    .valid_i (burst)" "rst_ni),
    .valid_i (burst)"
mutant ports_tb write_port "id_idle && !awvalid_q && !owed && !wvalid_q" "id_idle"
mutant load_tb load "plane_ends_q ? plane_q : run_q" "run_q"
mutant load_tb load "{{32{pitch[28]}}, pitch}" "{32'd0, pitch}"
mutant load_tb load "zeros_q && !burst_zero_q && (piece_valid || piece_valid_q)" "1'b0"
mutant load_tb load "zeros_q && !burst_zero_q && (piece_valid || piece_valid_q)" "zeros_q && !burst_zero_q && piece_valid"
mutant load_tb load "(burst_zero_q || !request_valid_q || request_ready_i)" "1'b1"
mutant load_tb load "beat_last ? piece_last_q : LANE_LAST" "LANE_LAST"
mutant load_tb load "piece_first_q <= {LANE{1'b0}}" "piece_first_q <= piece_first_q"
mutant load_tb load "fresh_q ? unit : place_q" "place_q"
mutant load_tb load "written_banks[BANKS+b] ? word_next : word_1" "word_1"
mutant load_tb load "turn_1_q  <= turn[2]" "turn_1_q  <= 1'b0"
mutant load_tb load "piece_zero_q ? {MEM{1'b0}}" "1'b0 ? {MEM{1'b0}}"
mutant load_tb load "piece_zero_q ? fill" "piece_zero_q && fresh_q ? fill"
mutant load_tb load "op_over && !piece_zero_q && !stopped_q" "op_over && !stopped_q"
mutant load_tb load "op_over && !failing} - {4'd0, done_taken}" "op_over} - {4'd0, done_taken}"
mutant load_tb load "failing_q && ended_q == 5'd0" "failing_q"
mutant load_tb load "data_error_i[0] ?" "data_error_i[1] ?"
mutant load_tb load "burst_last_q && run_ends" "burst_last_q"
mutant load_tb storage_unit "if (read_q) data_q" "data_q"
mutant load_tb storage_unit "write_i ? write_enable_i" "1'b1 ? write_enable_i"
mutant load_tb storage_unit "pick_q <= pick" "pick_q <= {PICK{1'b0}}"
finish

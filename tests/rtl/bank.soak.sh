#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The activation bank in Verilator, for all widths, the lint of its modules, and faults that its bench must notice.
# timeout: 1800
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

cd "$TOP"
files=("${BANK_MODULES[@]/#/rtl/tulle_}")
files=("${files[@]/%/.v}")

# lint MODULE PARAMETER=VALUE...
lint() {
    verilator --lint-only -Wall --top-module "tulle_$1" "${@:2}" "${files[@]}" >"$TMPDIR/log" 2>&1 || {
        cat "$TMPDIR/log" >&2
        fail "lint of $*"
    }
}

# play PARAMETER=VALUE...
play() {
    local dir=$TMPDIR/verilated
    rm -rf "$dir"
    # As in memory.soak.sh.
    if verilator --binary --timing -j 0 -O1 -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" -Wno-WIDTH -Itests/rtl \
        --top-module bank_tb "${@/#/-G}" --Mdir "$dir" tests/rtl/bank_tb.v tests/rtl/bench_memory.v "${files[@]}" \
        >"$TMPDIR/log" 2>&1 &&
        timeout 300 "$dir/Vbank_tb" >"$TMPDIR/log" 2>&1 && grep -q '^bank_tb: PASS' "$TMPDIR/log"; then
        echo "$*: $(grep PASS "$TMPDIR/log")"
    else
        cat "$TMPDIR/log" >&2
        fail "$*"
    fi
}

for mem in 64 128 256 512; do
    lint bank -GMEM="$mem" -GBYTES=1024
    lint bank -GMEM="$mem" -GBYTES=1048576
    lint bank_writer -GMEM="$mem" -GWORD="$(($(wc -c <<<"$((1024 * 8 / mem))") + 6))"
    for readers in 2 4; do
        lint bank_reader -GMEM="$mem" -GREADERS="$readers" -GOUTSTANDING="$readers"
    done
    lint read_port -GMEM="$mem" -GLOCAL=1 -GCLIENTS=5
    for stall in 0 30 80; do
        play MEM="$mem" STALL="$stall" READERS=$((2 + RANDOM % 3)) OUTSTANDING=$((1 + RANDOM % 40)) AHEAD=$((1 + RANDOM % 8)) \
            BUSY=$((20 + RANDOM % 80)) LATENCY=$((RANDOM % 80)) BYTES=$((1024 << RANDOM % 3)) SEED="$RANDOM" PHASES=400
    done
done

# fault MODULE FROM TO
fault() {
    rm -rf "$TMPDIR/rtl"
    cp -r rtl "$TMPDIR/rtl"
    BANK_RTL=$TMPDIR/rtl bench_fault "$TMPDIR/rtl" "$1" "$2" "$3" noticing
}
# shellcheck disable=SC2317 # called by bench_fault
noticing() {
    local status=0
    bank_icarus PHASES=60 || status=1
    ! grep -q FATAL "$TMPDIR/log" || echo "bank_tb: it fails"
    return "$status"
}

fault bank "job_q - {{JOB-1{1'b0}}, sweeping_q}" "job_q"
fault bank "if (sweeping_q) sweep_q" "if (start_i) sweep_q"
fault bank "!again_q && write_tag != job_q" "write_tag != job_q"
fault bank "!again_q && write_tag != job_q" "1'b0"
fault bank "write_q && word_q == write_word_i" "write_q"
fault bank "if (!write_strobe_i[b]) data_q" "if (1'b0) data_q"
fault bank "strobe_q | {LINE{first}}" "strobe_q"
fault bank "!sweeping_q && !(write_q && word_q == read_word_i)" "!sweeping_q"
fault bank "read_tag == job_q" "1'b1"
fault bank "if (start_i)    job_q   <= job_q + 1'b1" "if (1'b0)       job_q   <= job_q + 1'b1"
fault bank "write_ready_o = !sweeping_q" "write_ready_o = 1'b1"
fault byte_ram "if (we_i[b]) memory" "if (we_i[0]) memory"
fault bank_reader "load_number == delivered" "1'b1"
fault bank_reader "load_number == delivered;" "load_number == delivered_q + 1'b1;"
fault bank_reader "hold_o = load_turn || first_q[LOAD]" "hold_o = load_turn"
fault bank_reader "hold_o = load_turn || first_q[LOAD]" "hold_o = first_q[LOAD]"
fault bank_reader "data_last_i && !from_bank_q" "data_last_i"
fault bank_reader "sent_q == load_beats" "sent_q == load_beats - 1'b1"
fault bank_reader "!reads_q && load_turn && read_ready_i" "load_turn && read_ready_i"
fault bank_reader "reads_q && read_ready_i" "reads_q"
fault bank_reader "!reads_q || (moves && last)" "!reads_q || moves"
fault bank_reader "request_valid_i & ~to_bank" "request_valid_i"
fault bank_reader "reads_q ? last : load_last" "last"
fault bank_writer "sent_q == beats" "sent_q == beats - 1'b1"
fault bank_writer "supply_valid && !to_bank" "supply_valid"
fault bank_writer "room && !burst_local_i" "room"
fault bank_writer "order_local && written" "order_local"
fault bank_writer "!order_local && !kept_valid" "!order_local"
fault bank_writer "port_response_valid_i && !passes" "port_response_valid_i && 1'b0"
fault bank_writer "kept_valid ? kept_error : port_response_error_i" "port_response_error_i"
fault bank_writer "burst_word_i, burst_beats_i" "burst_word_i + 1'b1, burst_beats_i"
fault read_port "axi_rready_o = !elsewhere && !held" "axi_rready_o = !held"
fault read_port "axi_rready_o = !elsewhere && !held" "axi_rready_o = !elsewhere"
fault read_port "(arrives && axi_rlast_i)" "(axi_rvalid_i && axi_rlast_i)"
fault read_port "elsewhere ? local_data_i : axi_rdata_i" "axi_rdata_i"
fault read_port "elsewhere ? local_last_i : axi_rlast_i" "axi_rlast_i"
fault read_port "axi_rresp_i[1] && !elsewhere" "axi_rresp_i[1]"
finish

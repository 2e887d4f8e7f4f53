#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Faults in collectors and store engine, one at a time, each of which their bench must notice.
# timeout: 1800
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/store/lib.sh
source "$TOP/tests/rtl/store/lib.sh"
need iverilog verilator

cd "$TOP"
store_build
STORE_RTL=$TMPDIR/rtl
mkdir -p "$STORE_RTL"

# fault MODULE FROM TO [NAME=VALUE...]: replaces the text FROM, which must be there, and expects the bench to fail. Faults that take
# many programs name the faster SIMULATOR.
fault() {
    local module=$1 from=$2 to=$3
    shift 3
    cp "${STORE_MODULES[@]/#/rtl/tulle_}" "$STORE_RTL/"
    seed "rtl/tulle_$module.v" "$from" "$to" >"$STORE_RTL/tulle_$module.v" || {
        fail "the list is wrong about $module"
        return
    }
    if ("${SIMULATOR:-store_icarus}" PROGRAMS=6 "$@") >"$TMPDIR/fault.log" 2>&1; then
        fail "nobody noticed tulle_$module: '$from' -> '$to'"
    elif ! grep -q 'store_tb' "$TMPDIR/fault.log"; then
        cat "$TMPDIR/fault.log"
        fail "tulle_$module: '$to' does not compile"
    else
        printf 'noticed: tulle_%s: %s\n' "$module" "$to"
    fi
}

ODD=(PES=5 LANES=2 ROWS=3 CLUSTERS=2 MEM=64)
fault collector 'count_q <= NEARLY[COUNT-1:0]' 'count_q < FULL[COUNT-1:0]' DEPTH=2
fault collector 'write && result_cluster_i == ME' 'beat && result_cluster_i == ME'
fault collector 'if (pop)  head_q' 'if (pop && has_q && count_q != 1)  head_q'
fault store_pack 'room_q <= chunk_moves || !(' 'room_q <= !('
fault store_setup 'bad_q     <= low_bits' 'bad_q     <= 1'"'"'b0'
fault store_setup 'bad_q || value_q[0]' 'bad_q'
fault store_setup 'bad_q || rest_d !=' 'bad_q || 1'"'"'b0 && rest_d !=' PES=5 ROWS=1 CLUSTERS=1
fault store_setup 'counted  = population(state_q == IDLE ? clusters' 'counted  = population(state_q == IDLE ? rows' CLUSTERS=3
fault store_groups 'interleave_q || last_count' 'last_count'
fault store_groups '!cluster_more && (sum_clusters_i || step)' '!cluster_more && step'
fault store_groups '(sum_rows_i || turn_end)' 'turn_end'
fault store_groups 'completes = source_i ? partial_q' 'completes = source_i ? add_last'
fault store_groups '!rst_ni || complete) ' '!rst_ni) '
fault store_groups 'last_chunk && ready_i' 'last_chunk'
fault store_bursts 'plane_ends ? FROM_PLANE' '1'"'"'b0 ? FROM_PLANE'
fault store_bursts '{{31{by_q[32]}}, by_q}' '{31'"'"'d0, by_q}'
fault store_bursts 'run_end[11:10] == 2'"'"'b00' 'run_end[11:0] < 12'"'"'d1023'
fault store_bursts '{2'"'"'b11, ~mask_q}' '{2'"'"'b00, ~mask_q}' LINES=128
fault store_bursts 'last_line - first_line' 'last_line'
fault store_bursts 'plane_q == 16'"'"'d1 || last_byte == mask_q' 'last_byte == mask_q' LINES=128
fault store_bursts 'beyond[10] ? 10'"'"'d0 : beyond[9:0]' 'beyond[9:0]' LINES=128
SIMULATOR=store_verilator fault store_bursts 'done_d[9:0] | {10{done_d[10]}}' 'done_d[9:0]' LINES=512 PROGRAMS=60
SIMULATOR=store_verilator fault store_bursts 'odd[window_q]' '1'"'"'b0' LINES=128 PROGRAMS=60
SIMULATOR=store_verilator fault store_window '!run_pitch_i[31] && ' '' LINES=128 PROGRAMS=60
fault store_window '{7'"'"'d0, bytes_d} <= run_pitch_i' '1'"'"'b1' LINES=128
fault store_window 'plane_pitch_i == length_i' '1'"'"'b1' LINES=128
SIMULATOR=store_verilator fault store '!(mark[COUNT] && since[COUNT-1])' "1'b1" PES=5 LANES=2 MEM=64 ROWS=3 CLUSTERS=1 LINES=128 PROGRAMS=300
SIMULATOR=store_verilator fault store 'piece_fresh ? {2*COUNT+2{1'"'"'b0}} : marks' 'marks' PES=5 LANES=2 MEM=64 ROWS=3 CLUSTERS=1 LINES=128 PROGRAMS=300
SIMULATOR=store_verilator fault store '{1'"'"'b1, asked_d, last_mark_q}' '{1'"'"'b1, asked_d, mark_q}' PES=5 LANES=2 MEM=64 ROWS=3 CLUSTERS=1 LINES=128 PROGRAMS=300
SIMULATOR=store_verilator fault store_bursts 'fresh_q <= first_plane_q && from_q == FROM_RUN' 'fresh_q <= from_q == FROM_RUN' LINES=128 PROGRAMS=300
fault store_gather 'beat_q != 3'"'"'d0' '1'"'"'b1' LINES=128
fault store_gather '{BYTES{!last_beat}}' '{BYTES{1'"'"'b1}}' LINES=128
fault store_pack '(place_q[LANE-1:0] & ring_mask_q[LANE-1:0]) - lane' '(place_q[LANE-1:0] & ring_mask_q[LANE-1:0])' "${ODD[@]}"
fault store_pack '{column, column}' "{column, {LANES{1'b0}}}" LANES=8 COLLECTOR=512
fault store_pack '(burst_element_i == 2'"'"'d3) ? HALF' '1'"'"'b0 ? HALF'
fault store_pack 'ring_reach && left_reach' 'ring_reach'
fault store_pack 'ring_reach && left_reach' 'left_reach'
fault store_pack 'coming[e*ACC+15 +: ACC-16] ^ {ACC-16{sign}}' 'coming[e*ACC+15 +: ACC-16]'
fault store_pack 'coming[e*ACC+7 +: 8] ^ {8{sign}}' 'coming[e*ACC+7 +: 8]'
fault store_pack 'open_q ? line_start_q : start' 'start'
fault store_pack 'put && (from_start[b] || goes_on)' 'put'
fault store_pack 'line_moves = !line_q || data_ready_i' 'line_moves = 1'"'"'b1'
fault store_pack 'short_one ? LAST_SHORT' '1'"'"'b0 ? LAST_SHORT' "${ODD[@]}"
fault store_pack 'pair_q ? PAIR_LANE : full_lane' 'full_lane'
fault store_pack 'invert8_q   <= burst_unsigned_i && burst_element_i == 2'"'"'d0' 'invert8_q   <= 1'"'"'b0'
fault store_pack 'invert16_q  <= burst_unsigned_i' 'invert16_q  <= 1'"'"'b0'
fault store 'record_valid_i ? record_address_i : burst_address' 'burst_address'
fault store "words_i[{turn_q, {6-TURN{1'b0}}} +:" 'words_i[0 +:' ACC=24
fault store_responses 'of_store && burst_last &&' 'of_store &&'
fault store_responses '!told_q && !done_valid_o' '!told_q' PROGRAMS=15
fault store_responses 'response_error_i[0]' 'response_error_i[1]'
fault store 'acc_valid_i && engine_idle' 'acc_valid_i && groups_idle'
fault store '!acc_valid_i && !walking' '!walking'
fault store 'reset_q || !acc_final_i' 'reset_q'
fault store 'setup_bad && engine_idle' 'setup_bad'
fault store '.restart_i      (begins || acc_take)' '.restart_i      (begins)'
SEVERAL=(TAKE=2 PES=2 LANES=2 CLUSTERS=3 PROGRAMS=40)
SIMULATOR=store_verilator
fault collector 'bank_q + pops[BANK-1:0]' "bank_q + {{BANK-1{1'b0}}, pops != {COUNT{1'b0}}}" "${SEVERAL[@]}"
fault collector 'level > n[COUNT:0] + i[COUNT:0]' 'level > n[COUNT:0]' "${SEVERAL[@]}"
fault collector 'level <= NEARLY[COUNT:0] + n[COUNT:0]' 'level < FULL[COUNT:0] + n[COUNT:0]' "${SEVERAL[@]}" DEPTH=4
fault store_groups 'in_place[i] = stream_q ||' "in_place[i] = 1'b1 ||" "${SEVERAL[@]}"
fault store_groups 'beyond[i] && |' '|' "${SEVERAL[@]}"
fault store_groups 'several_i && in_place' 'in_place' "${SEVERAL[@]}"
fault store_groups 'from = row_order[0 +: BANK] + i' 'from = i' "${SEVERAL[@]}"
fault store_groups 'left_q - (stream_q ?' 'left_q - (1'"'"'b0 ?' "${SEVERAL[@]}"
fault store_groups '|(nth & lasts)' 'lasts[0]' "${SEVERAL[@]}"
fault store_pack '!ring_reach && beyond_chunk' '!ring_reach' "${SEVERAL[@]}"
fault store_pack 'ring_mask_d == line_mask_d && LANES << burst_element_i <= BYTES' "1'b1" "${SEVERAL[@]}" MEM=64
fault store_pack "goes_on ? 6'd0 : line_start" 'line_start' "${SEVERAL[@]}"
fault store_pack "goes_on ? 6'd63 :" '' "${SEVERAL[@]}"
fault store 'acc_sum_rows_i || acc_by_channel_i' "acc_sum_rows_i || 1'b0 && acc_by_channel_i" "${SEVERAL[@]}" CHANNEL_GROUPS=16
SIMULATOR=store_icarus
CHANNELS=(CHANNEL_GROUPS=16)
fault channel_table 'again ? group_q - run_q[GROUP-1:0]' 'again ? group_q' "${CHANNELS[@]}"
fault channel_table 'run_ends ? run_q : rest_q' 'run_ends ? rest_q : rest_q' "${CHANNELS[@]}"
fault channel_table 'again ? turns_q - 16'"'"'d1 : repeats_q' 'turns_q - 16'"'"'d1' "${CHANNELS[@]}"
fault channel_table "turns_q[15:1] != 15'd0" "turns_q != 16'd0" "${CHANNELS[@]}"
fault channel_table "held_q[15:1] != 15'd0" "held_q != 16'd0" "${CHANNELS[@]}" PROGRAMS=24
fault channel_table 'held_q <= holds_q;' 'held_q <= 16'"'"'d0;' "${CHANNELS[@]}" PROGRAMS=24
fault channel_table 'to_q     <= first_i[GROUP-1:0]' 'to_q     <= {GROUP{1'"'"'b0}}' "${CHANNELS[@]}"
fault channel_table 'widened << ~fine_q' 'widened << fine_q' "${CHANNELS[@]}"
fault channel_table 'loading_q && !exhausted_i' 'loading_q && !group_ready_o' "${CHANNELS[@]}"
fault channel_table 'loading_q ? to : late_place_i' 'late_place_i' "${CHANNELS[@]}"
fault store 'acc_source_i && !fills' 'acc_source_i' "${CHANNELS[@]}"
fault store '(acc_take && !fills) || filled' 'acc_take' "${CHANNELS[@]}"
fault store 'filling || chunk_valid' 'filling' "${CHANNELS[@]}"
fault store 'engine_idle && !filling && !acc_done_q' 'engine_idle && !acc_done_q' "${CHANNELS[@]}"
CHANNELS=(CHANNEL_GROUPS=16 ROUNDINGS=1 FUNCTIONS=65 PROGRAMS=24)
fault function_lanes 'enable_i && valid_q[TO_PRODUCT-3]' 'enable_i && valid_q[TO_PRODUCT-2]' "${CHANNELS[@]}"
fault function_lanes 'late_shift_q <= shift_i;' 'if (!has_scale || late_shift_q == 0) late_shift_q <= shift_i;' "${CHANNELS[@]}"
fault function_lanes "has_scale ? shifts[l*6 +: 6] : {step_q, fine_q}" "{step_q, fine_q}" "${CHANNELS[@]}"
fault function_lanes "two_q && shift[5]" "two_steps_q" "${CHANNELS[@]}"
fault function_lanes "middle_of(shift[5], shift[3:0], even_q, two_q)" "middle_q" "${CHANNELS[@]}"
fault function_lanes "limited[15] && choice_q != WHOLE" "limited[15]" "${CHANNELS[@]}"
fault function_lanes "assign own_limits = own_q" "assign own_limits = own" "${CHANNELS[@]}"
fault function_lanes "if (enable_i && has_limits) limits_q" "if (1'b0) limits_q" "${CHANNELS[@]}"
fault function_lanes "if (enable_i && !has_limits) limits_q" "if (1'b0) limits_q" "${CHANNELS[@]}"
fault channel_table 'taken[l*4 +: 4]}' 'loaded[l*6 +: 4]}' CHANNEL_GROUPS=16 ROUNDINGS=1 FUNCTIONS=65 PROGRAMS=300
fault lookup 'else if (write_i) place_q' 'else if (write_i && place_q != 8'"'"'d255) place_q' CHANNEL_GROUPS=16 LOOKUP=1 FUNCTIONS=65 PROGRAMS=12
fault lookup 'use_i && entry[7]' '1'"'"'b0' CHANNEL_GROUPS=16 LOOKUP=1 FUNCTIONS=65 PROGRAMS=12
fault channel_table 'to_last ? LAST_LANES : ALL_LANES' 'ALL_LANES' PES=5 LANES=2 CHANNEL_GROUPS=16 LOOKUP=1 FUNCTIONS=65 PROGRAMS=12
fault store "lane_record[\`TULLE_CONFIG_FUNCTION_ELEMENT]  = \`TULLE_ELEMENT_INT8" "lane_record[\`TULLE_CONFIG_FUNCTION_ELEMENT]  = acc_record_i[\`TULLE_CONFIG_FUNCTION_ELEMENT]" CHANNEL_GROUPS=16 LOOKUP=1 FUNCTIONS=65 PROGRAMS=12
JOINS=(CHANNEL_GROUPS=16 JOINS=1 ROUNDINGS=1 FUNCTIONS=65 PROGRAMS=80)
fault store_groups 'row_q[r] && take && !alone_i' 'row_q[r] && take' "${JOINS[@]}"
fault store 'acc_sum_rows_i || (JOINS != 0 && acc_alone_i);' 'acc_sum_rows_i;' "${JOINS[@]}"
fault store 'alone ? ONE_CLUSTER : op_clusters_i' 'op_clusters_i' "${JOINS[@]}"
fault store 'function_q <= reset_q || acc_sets' 'function_q <= reset_q || acc_take' "${JOINS[@]}"
fault store '(result_ready || !result_valid) && !waits_operand' '(result_ready || !result_valid)' "${JOINS[@]}"
fault store 'alone ? !missing : !joined_valid' "alone ? !missing : 1'b1" "${JOINS[@]}"
fault store '{starts, starts && alone}' '{starts, starts}' "${JOINS[@]}"
fault store 'functions_ready && scale_ready' 'functions_ready' "${JOINS[@]}"
fault store '|| wants_operand) && !length_told_q' ') && !length_told_q' "${JOINS[@]}"
SOFTMAX=(CHANNEL_GROUPS=16 JOINS=1 SOFTMAX=64 ROUNDINGS=1 FUNCTIONS=65 PES=4 LANES=2 ROWS=1 CLUSTERS=1 MEM=64 PROGRAMS=8)
fault store 'SOFTMAX == 0 || reset_q || acc_sets' "1'b1" "${SOFTMAX[@]}"
fault store "(wants | {1'b0, share_wants})" 'wants' "${SOFTMAX[@]}"
fault store_groups 'if (alone_i)       group_q' "if (1'b0)       group_q" "${SOFTMAX[@]}"
fault store 'softmax ? share_valid : !alone' '!alone' "${SOFTMAX[@]}"
finish

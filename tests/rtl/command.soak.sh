#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_command against sim/model/program.c: many programs, in Verilator; and faults in the modules, each of which the
# bench must notice.
# timeout: 1800
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/command/lib.sh
source "$TOP/tests/rtl/command/lib.sh"
need iverilog verilator

cd "$TOP"

# many PAUSE VARIANT [KEY=VALUE...]
many() {
    local pause=$1 suite
    shift
    command_folder "$@"
    command_verilator "PAUSE=$pause" || {
        fail "Verilator: $*"
        return
    }
    for suite in "${COMMAND_SUITES[@]}"; do
        command_play "verilator, pause $pause" "$1" "${SEED:-2}" "$suite" 10 "${@:2}" || true
    done
}

many 1 base
many 200 base command_queue_depth=2 program_buffer=8
many 64 tiny row_bus_width=128 memory_width=128 program_buffer=8
many 64 odd command_queue_depth=8 tokens=32 memory_width=256 row_bus_width=512
many 64 wide n=16 m=16 unit_bytes=1048576
many 64 base channel_groups=64 zero_points=on
many 64 base channel_groups=64 joins=on
many 64 base zero_points=on channel_groups=64 joins=on roundings=on softmax=512
many 64 tiny plain_weights=on
many 64 tiny roundings=on
many 64 tiny k=16 channel_groups=16 joins=on n=1
many 64 tiny channel_groups=16 joins=on roundings=on softmax=256
many 20 tiny n=1 m=1 tokens=4 unit_bytes=1024 program_buffer=256

# -- Faults ------------------------------------------------------------------------------------------------

# Those that find most come first.
FINDERS=(packed disturbed valid special changed deadlock flipped)
# prepare [KEY=VALUE...]: what the faults that follow are played on, tiny with these keys.
prepare() {
    local suite factor
    command_folder tiny "$@"
    command_icarus PAUSE=64
    for suite in "${FINDERS[@]}"; do
        factor=4
        [[ $suite != packed ]] || factor=1 # it has many cases of its own
        "$COMMAND_CASES" tiny 2 "$suite" "$factor" "$@" >"$TMPDIR/$suite.txt" 2>"$TMPDIR/summary"
    done
}
prepare

noticed() {
    local suite
    for suite in "${FINDERS[@]}"; do
        timeout 60 vvp -n "$TMPDIR/command.vvp" +cases="$TMPDIR/$suite.txt" >"$TMPDIR/log" 2>&1 || true
        ! grep -q "command_tb: FAIL\|violated" "$TMPDIR/log" || return 0
    done
    return 1
}

# mutant MODULE FROM TO: replaces the text FROM, which must be there, and expects the bench to fail.
mutant() {
    rm -rf "$TMPDIR/mutant"
    cp -r rtl "$TMPDIR/mutant"
    seed "rtl/tulle_$1.v" "$2" "$3" >"$TMPDIR/mutant/tulle_$1.v" || {
        fail "the list is wrong about $1"
        return
    }
    command_files "$TMPDIR/mutant"
    command_icarus PAUSE=64
    if noticed; then
        printf 'noticed: %s: %s\n' "$1" "$3"
    else
        fail "nobody noticed tulle_$1.v: '$2' -> '$3'"
    fi
}

mutant command_fetch "BUFFER[PLACE:0] - (fetched_q[PLACE:0] - keep_i)" "BUFFER[PLACE:0]"
mutant command_fetch "(room_q >= want || starving_q)" "(room_q >= want)"
mutant command_fetch "!failed_q && !failing" "1'b1"
mutant command_fetch "4'd8 - {1'b0, in_block_q}" "4'd8"
mutant command_loops "(open & above) == 3'b000 &&" ""
mutant command_loops "body_i != 16'd1" "1'b1"
mutant command_loops "broken_q || distance[PLACE];" "1'b0;"
mutant command_loops "needed[0] ? keep[PLACE:0]" "1'b0 ? keep[PLACE:0]"
mutant command_loops "{needed_q, broken_q} <= 2'b01" "broken_q <= 1'b1"
mutant command_loops "last_q ? 32'd0 : sum_q" "sum_q"
mutant command_check "|| (queued && no_token)" ""
mutant command_check ": fixed_q             ?" ": 1'b0 ?"
mutant command_check "!= {6'd0, number_i}" "!= 32'd0"
mutant command_check "{1'b0, record_i[\`TULLE_LOAD_SIGNAL_B_TOKEN]} >= TOKENS[5:0]" "1'b0"
mutant command_check "ROUNDINGS == 0 && is_accumulate_i &&" "1'b0 &&"
mutant command "no_feature_q            ? \`TULLE_STATUS_NO_FEATURE" "1'b0 ? \`TULLE_STATUS_NO_FEATURE"
mutant command_address "{product[47:0], 16'd0}" "product"
mutant command_address "(job[RUN] ? runs_here : planes_here) - 16'd1" "(job[RUN] ? runs_here : planes_here)"
mutant command_address "|| !end_q[63]" ""
mutant command_address "|| below_q" ""
mutant command_address "|| unaligned_q" ""
mutant command_address "& MASK[19:0]" ""
mutant command_address "rest[BYTES_LOW] != rest[BYTES_HIGH]" "rest[BYTES_LOW]"
mutant command_tokens "(!same || more)" "1'b1"
mutant command_tokens "take_q[0] || take_q[6];" "take_q[0];"
mutant command_tokens "if (!(serves ? both : second_q)) turn_q" "if (1'b1) turn_q"
mutant command_tokens "count == 4'd15" "1'b0"
mutant command_tokens "middle ? LOWER[4:0]" "1'b0 ? LOWER[4:0]"
mutant command_tokens "counts[{write_d" "counts[{write_q"
mutant command_tokens "look_q <= look_q + next" "look_q <= look_q"
mutant command_queues "count_q != DEPTH[ADDR-1:0]" "count_q <= DEPTH[ADDR-1:0]"
mutant command "still = quits && idle_i && flying_q == 8'd0" "still = 1'b1"
mutant command "fits_q <= room[queue_q]" "fits_q <= 1'b1"
mutant command "bytes[20:0] > UNIT_BYTES[20:0]" "bytes[20:0] >= UNIT_BYTES[20:0]"
mutant command "(offset_low & apart) != 5'd0" "1'b0"
mutant command "in_loop || next_q" "next_q"
mutant command "bytes[63:42] != 22'd0" "1'b0"
mutant command "outside_q ? ahead[NUMBER-1] : ahead[NUMBER]" "outside_q ? ahead[NUMBER-1] : !ahead[NUMBER]"
mutant command "&& !(head_q == 2'd2 && store_waits_i)" ""
mutant command "wire wrong = state_q == WRONG && !busy_q" "wire wrong = state_q == WRONG"
mutant command_check "(names_channels && CHANNELS == 0)" "1'b0"
prepare channel_groups=16 zero_points=on
mutant command_check "(column && !source)" "1'b0"
mutant command_check "(by_channel != 3'd0 && !final_is)" "1'b0"
mutant command_check "(by_channel[1] && !scales)" "1'b0"
mutant command_check "(by_channel[2] && !limits)" "1'b0"
mutant command "(CHANNELS != 0 && !is_load) ? record[447:384]" "(CHANNELS != 0) ? record[447:384]"
mutant command "early[3*EARLY-1 -: 64]" "early[2*EARLY-1 -: 64]"
mutant command_check "(plain && PLAIN == 0)" "1'b0"
mutant command_check "|| names_joins ||" "||"
prepare packed_programs=on kept_weights=on
mutant command_unpack "fold != check_q || far_q" "far_q"
mutant command_unpack "distance_q == 6'd0 || distance_q > known_q : blank_q" "distance_q == 6'd0 : blank_q"
mutant command_unpack "&& !done_q" ""
mutant command_unpack "unused_parts[7:3] != 5'd0" "1'b0"
mutant command_unpack "number_q <= last_i" "1'b1"
mutant command_fetch "settled && starved && all" "settled && starved"
mutant command_fetch "failed_q && settled && (full || starved)" "failed_q && settled"
mutant command_fetch "first_q || !packed_i" "first_q"
mutant command_fetch "first_q || !packed_i" "!packed_i"
mutant command "header_lines <= FULL ||" ""
mutant command "next_q != last_q || fetch_rest" "next_q != last_q"
prepare plain_weights=on
mutant command_check "record_i[\`TULLE_DISTRIBUTE_SEGMENT] < LEAST_SEGMENT ||" ""
mutant command_check "record_i[\`TULLE_DISTRIBUTE_SEGMENTS] == 16'd0" "1'b0"
mutant command_check "(bitmap && BITMAP == 0)" "1'b0"
mutant command "distribute[\`TULLE_DISTRIBUTE_SEGMENTS] : 16'd0" "distribute[\`TULLE_DISTRIBUTE_SEGMENT] : 16'd0"
prepare plain_weights=on bitmap_weights=on
mutant command_check "(!no_segments || too_many_masks)" "!no_segments"
mutant command_check "(!no_segments || too_many_masks)" "too_many_masks"
prepare channel_groups=16 joins=on k=4
mutant command_check "is_operand ? !source ||" "is_operand ?"
mutant command_check "column || final_is || is_join" "column || is_join"
mutant command_check "!source || column || final_is" "!source || final_is"
mutant command_check "is_join || element[1]" "is_join"
mutant command_check "length[4:0] | run_pitch" "5'd0 | run_pitch"
mutant command_check "length[4:0] | run_pitch[4:0]" "length[4:0]"
mutant command_check "multiplier[31:30] != 2'b01" "1'b0"
mutant command_check "|| shift < SHIFT_MIN" ""
mutant command_check "fraction_15 ? SHIFT_MAX_15 : SHIFT_MAX_20" "SHIFT_MAX_20"
mutant command_check ": scale_first || fraction_15 || operand_unsigned;" ": 1'b0;"
mutant command_check "is_join ? !final_is ||" "is_join ?"
mutant command_check "!final_is || !with_zero" "!final_is"
mutant command_check "alone ? source ||" "alone ?"
mutant command_check "source || by_channel != 3'd0 :" "source :"
mutant command_check "by_channel[2:1] != 2'b11" "!by_channel[2]"
mutant command_check ": alone;" ": 1'b0;"
mutant command "operand_q ? (element_q[0]" "1'b0 ? (element_q[0]"
mutant command_check "(SOFTMAX == 0 && is_accumulate_i &&" "(1'b0 &&"
prepare channel_groups=16 joins=on roundings=on softmax=64
mutant command_check "(is_joined || !alone ||" "(!alone ||"
mutant command_check "(is_joined || !alone ||" "(is_joined ||"
mutant command_check "{16'd0, softmax} > SOFTMAX" "1'b0"
mutant command_check "is_joined || is_softmax" "is_joined"
mutant command_check "(lookup || exponential) && record_i" "lookup && record_i"
finish

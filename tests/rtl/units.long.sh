#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of units.sh in Verilator, with many jobs, payloads and series, and faults that each of them
# must notice: in CI a sample of them, in units.soak.sh all.
# timeout: 1800
set -euo pipefail
export SAMPLE=${SAMPLE-3}

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

# A bench reads the one of these that is its own.
VERILATED=(+jobs=500 +payloads=20000 +series=2000)
MUTANT=(+jobs=120 +payloads=2000 +series=300)

# verilated UNIT: with its first parameters; from here on mutant is about this unit. Benches compute with integers,
# so widths differ in nearly every line; the modules themselves are linted.
verilated() {
    local parameters said
    local -n cases=${1^^}_CASES
    UNIT=$1
    unit_files "$1" "$TMPDIR/tiny"
    read -ra parameters <<<"${cases[0]}"
    verilator --binary --timing -j 0 -O1 -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" -Wno-WIDTH \
        --top-module "$1_tb" "${parameters[@]/#/-G}" --Mdir "$TMPDIR/$1" "${FILES[@]}" \
        >"$TMPDIR/build.log" 2>&1 || {
        tail -n 20 "$TMPDIR/build.log"
        fail "$1_tb could not be built"
        return
    }
    said=$("$TMPDIR/$1/V$1_tb" "${VERILATED[@]}" | grep "^$1_tb") || true
    [[ $said == "$1_tb: PASS"* ]] || fail "$1_tb in Verilator, ${cases[0]}: ${said:-nothing}"
    echo "Verilator: ${cases[0]}: ${said:-nothing}"
}

# mutant MODULE FROM TO: FROM must be in the module.
mutant() {
    local module=$TMPDIR/tiny/rtl/tulle_$1.v good
    good=$(<"$module")
    seed "$module" "$2" "$3" >"$TMPDIR/seeded.v" || {
        fail "the list is wrong about $1"
        return
    }
    sampled || return 0
    cp "$TMPDIR/seeded.v" "$module"
    iverilog -g2005 -s "${UNIT}_tb" -o "$TMPDIR/mutant.vvp" "${FILES[@]}"
    printf '%s\n' "$good" >"$module"
    if timeout 120 vvp -n "$TMPDIR/mutant.vvp" "${MUTANT[@]}" 2>/dev/null | grep -q "^${UNIT}_tb: PASS"; then
        fail "nobody noticed $1: '$2' -> '$3'"
    else
        echo "noticed: $1: $3"
    fi
}

"$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log"

verilated control
mutant control "done_q && !read_control" "done_q"
mutant control "!wait_q && (!done_q || QUEUE != 0)" "!wait_q"
mutant control "done && !taken && !stuck_q" "1'b0"
mutant control "if (wstrb_q[2]) watchdog_q" "if (1'b1) watchdog_q"
mutant control "error_i && !failed_q" "error_i"
mutant control "close_q && (ports_idle_i || timeout)" "close_q"
mutant control "close_q && (ports_idle_i || timeout)" "close_q && ports_idle_i"
mutant control "stopped_q || close || record || progress_i" "stopped_q || close || record"
mutant control "own ? watchdog_i : watchdog_q" "watchdog_q"
mutant control "call_q == 6'd63" "call_q == 6'd3"
mutant control "(rst_ni && busy_q && !taken) ? " "1'b0 ? "
mutant control "(pending_q & ~(write_status ? wdata_q[1:0] : 2'b00))" "pending_q"
mutant control "enable_q && pending != 2'b00" "pending != 2'b00"
mutant control "(closed_q && !ports_idle_i) || stuck_q" "stuck_q"
mutant control "(closed_q && !ports_idle_i) || stuck_q" "(closed_q && !ports_idle_i)"
mutant control "close_q || closed_q || sticks || stuck_q" "close_q || sticks || stuck_q"
mutant control "close_q || closed_q || sticks || stuck_q" "close_q || closed_q || stuck_q"
mutant control "(number == 4'd2)" "(1'b0)"
mutant status_record "step_q >= COUNTERS &&" "step_q >= CYCLES &&"
mutant status_record "&& step_q < CHECK" ""
mutant control "wdata_q == RESET_KEY &&" ""
mutant control "job_sent_i && !shown_q" "job_sent_i"
mutant control "!shown_q)) && idle_i" "!shown_q))"
mutant control "record_over) && !tail_q" "record_over)"
mutant control "again_q   <= stop && record_q" "again_q   <= 1'b0"
mutant control "(tail_q && fails);" "1'b0;"
mutant control "watched = running_q || tail_q" "watched = running_q"
mutant control "!record_busy && !(awheld_q" "!(awheld_q"
mutant control "take || (busy_q && (!done || taken))" "take || (busy_q && (!stop || taken))"
mutant counters "if (add_clears_q) {carry_q, sum_q}" "if (1'b0) {carry_q, sum_q}"
mutant counters "if (write_clears_q)" "if (1'b0)"
mutant counters "clearing_q && turn_q == c[3:0]" "clearing_q && add_turn_q == c[3:0]"
mutant counters "last || jumps" "last"
mutant counters "turn_q[3:1] != 3'd0" "1'b1"
mutant status_record "2'b00, step_q - CYCLES" "2'b00, step_q - OFFSET"
mutant status_record "check_q <= check_q ^ first ^ second" "check_q <= first ^ second"
mutant status_record "if (start_i)                  check_q" "if (slot_i)                   check_q"
mutant status_record "!large_q && word <" "word <"

verilated parser
mutant parser "sum_q != \`TULLE_CHECK_SEED" "1'b0"
mutant parser "hold == 16'd0 ? 16'd1 : hold" "hold"
mutant parser "if (!ended_q)                            code" "if (1'b0) code"
mutant parser "if (is_store) last_store_q" "last_store_q"
mutant parser "has_weights_q || (to_weights" "(to_weights"
mutant parser "(chained || is_spu) && !has_functions_q" "1'b0"
mutant parser "instructions_q == 6'd2" "instructions_q == 6'd1"
mutant parser "else if (fault_q == \`TULLE_STATUS_OK) fault_q" "else fault_q"
mutant parser "operands_done && store_ready_i" "operands_done"
mutant parser "version != \`TULLE_ISA_MAJOR" "1'b0"
mutant parser "ROUNDINGS == 0 && rounding != \`TULLE_ROUNDING_UP" "1'b0"
mutant parser "{1'b0, trigger_buffer} >= BUFFERS[5:0] ||" ""
mutant parser "has_input_q && !has_partial_q && !has_compute_q" "has_input_q && !has_compute_q"
mutant parser "if (outside || too_far) " "if (1'b0)"
mutant parser "(maximum && !may_be_maximum)" "1'b0"
mutant parser "(maximum && MAXIMUM == 0)" "maximum"
mutant parser "{maximum, unfit, last_soon" "{1'b0, unfit, last_soon"
mutant first_operands "(base_is_address_i || !based) ? ADD_ADDRESS : ADD_RESULT" "ADD_ADDRESS"
mutant first_operands "step_q == BACK) && below" "step_q == BACK) && 1'b0"
mutant first_operands "below ? FOLDED : BACK" "BACK"
mutant first_operands "inner_i != 16'd0 && !second_q" "!second_q"
mutant first_operands "loads_i && below" "1'b0"
mutant first_operands "based || address_i != 16'd0" "based"
mutant first_operands "!placed && stride_i == 16'd0" "!placed"
mutant first_operands "address_q <= {ADDR{1'b0}}" "address_q <= address_q"
verilated selector
mutant selector "illegal_q || !in_range || (" "!in_range || ("
mutant selector "illegal_q || !in_range || (" "illegal_q || ("
mutant selector "illegal_q                  ? " "1'b0 ? "
mutant selector "(!configured_q || missing ||" "(!configured_q ||"
mutant selector "(exec_q && (!configured_q ||" "(exec_q && (1'b0 ||"
mutant selector "useless || wrong_data" "useless"
mutant selector "(empty_q || triggered)" "empty_q"
mutant selector "(empty_q || triggered)" "triggered"
mutant selector "kind != 2'd0 && !no_iterations; // the" "kind != 2'd0; // the"
mutant selector "runs_idle_i && !load_pending_i && weight_ready_i;" "!load_pending_i && weight_ready_i;"
mutant selector "runs_idle_i && !load_pending_i && weight_ready_i;" "runs_idle_i && weight_ready_i;"
mutant selector "runs_idle_i && !load_pending_i && weight_ready_i;" "runs_idle_i && !load_pending_i;"
mutant selector "counting_q && segments_valid_i" "segments_valid_i"
mutant selector "weight_ready_i && !rotating_i" "weight_ready_i"
mutant selector "counted && weight_ready_i &&" "counted &&"
mutant selector "to_load       ? !load_pending_i" "to_load       ? 1'b1"
mutant selector "to_load       ? !load_pending_i" "to_load       ? run_ready_i && !load_pending_i"
mutant selector "to_others     ? run_ready_i && !load_pending_i" "to_others     ? run_ready_i"
mutant selector "no_iterations ? 1'b1" "no_iterations ? run_ready_i"
mutant selector "exec_q && !no_iterations && !to_load" "exec_q && !to_load"
mutant selector "if (beat_valid_i) state_d = SELECT;" "state_d = SELECT;"
mutant selector "counted && segments_rest_i" "1'b0"
mutant selector "if (config_done_i) state_d = WAIT;" "state_d = WAIT;"
mutant selector "end else if (!consuming_q) begin" "end else begin"
mutant selector "hops_q == BUFFERS[5:0]" "1'b0"
mutant selector "hops_q == BUFFERS[5:0]" "hops_q == 6'd3"
mutant selector "if (!fails) code_d = error_code_i;" "code_d = error_code_i;"
mutant selector "if (fails || error_i) state_d" "if (fails) state_d"
mutant selector "(consuming_q && !operand_done_i)" "(consuming_q && 1'b1)"
mutant selector "(begins && exec_q && to_others)" "(begins && exec_q && to_load)"
mutant selector "state_q == SELECT && (counting_q" "(counting_q"
mutant selector "if (state_q != STOPPED) begin" "if (1'b1) begin"
mutant selector "error_place_i : {tag_q, 5'd0}" "error_place_i : {tag_i, 5'd0}"
mutant selector "if (awaits_packet || triggers_next) {configured_q" "if (awaits_packet) {configured_q"
mutant selector "count_q <= 16'd1;" "count_q <= count_q;"
mutant selector "if (awaits_packet)      hops_q <= 6'd0;" ""
mutant selector "trigger ? SELECT : WAIT;" "WAIT;"
mutant selector "state_q == DROP || state_q == STOPPED;" "state_q == DROP;"
mutant selector "awaits_packet ? command_buffer_i[BUFFER-1:0] : trigger_buffer" "command_buffer_i[BUFFER-1:0]"
mutant selector "(state_q == WAIT || state_q == STOPPED) && !beat_valid_i" "(state_q == WAIT || state_q == STOPPED)"
mutant selector "(state_q == WAIT || state_q == STOPPED) && !beat_valid_i" "state_q == WAIT && !beat_valid_i"
mutant selector "state_q == WEIGHTS && beat_valid_i" "state_q == WEIGHTS"
mutant selector "CONFIG, WEIGHTS, OPERANDS: if (beat_taken && beat_last_i)" "CONFIG, WEIGHTS, OPERANDS: if (beat_valid_i && beat_last_i)"
mutant selector "!exec_q       ? cluster_idle :" "!exec_q       ? 1'b1 :"

verilated sequencer
mutant sequencer "&& !(valid_q && single_q)" ""
mutant sequencer "(restart || first_i)" "first_i"
mutant sequencer "(restart || first_i)" "restart"
mutant sequencer "pick_load ? load_begins_q : run_begins_q" "run_begins_q"
mutant sequencer "(load_over && load_begins_q) ||" ""
mutant sequencer "turns ? turn_step : stride_q" "stride_q"
mutant sequencer "wire            turns = passed_q == inner_q;" "wire            turns = 1'b0;"
mutant sequencer "run_start || run_hold_q == 16'd0)" "run_start)"
mutant sequencer "last_hold_q && run_index_q" "run_index_q"
mutant sequencer "last_run_q && run_index_q" "run_index_q"
mutant sequencer "is_mac ? writes : stores" "is_mac ? 1'b0 : stores"
mutant sequencer "!mac_hold_i && !owned :" "!owned :"
mutant sequencer "stores || beside;" "beside;"
mutant sequencer "store_ready_i && !awaited :" "!awaited :"
mutant sequencer "&& quiet_i && !(to_partial" "&& !(to_partial"
mutant sequencer "&& !(to_partial && operand_open_i)" ""
mutant sequencer "begun_q && input_idle_i && partial" "begun_q && partial"
mutant sequencer "input_idle_i && partial_idle_i &&" "input_idle_i &&"
mutant sequencer "(reduce_idle_i || REDUCE == 0)" "1'b1"
mutant sequencer "(issue_unfit || (address" "((address"
mutant sequencer "(issue_unfit || (address & LINE_MASK) != {ADDR{1'b0}})" "issue_unfit"
mutant sequencer "&& load_go_i && " "&& "
mutant sequencer "issue_load ? input_ready_i :" "issue_load ? 1'b1 :"
mutant sequencer "(issue_load ? input_ready_i : begin_alone)" "(issue_load ? 1'b1 : begin_alone)"
mutant sequencer "run_active_q && pe_ready_i &&" "run_active_q &&"
mutant sequencer "if (!rst_ni || abort_i) valid_q" "if (!rst_ni) valid_q"
mutant sequencer "if (!rst_ni || abort_i) {run" "if (!rst_ni) {run"
mutant sequencer "is_store && issue_shift_out" "is_store"
mutant sequencer "rotate_q        <= run_rotate_i" "rotate_q        <= 1'b0"
mutant sequencer "buffer_q        <= run_buffer_q" "buffer_q        <= load_buffer_q"
mutant sequencer "result_q + result_stride_q" "result_q"
mutant sequencer "done_here && issue_end && !issue_load" "done_here && issue_end"
mutant sequencer "done_here && issue_end && issue_load" "issue_end && issue_load"
mutant sequencer "pick_load ? load_last_q && last_load : run_last_q" "pick_load ? load_last_q : run_last_q"
mutant sequencer "else if (load_over_q) {load_last_q, load_entry_q}" "else if (1'b0) {load_last_q, load_entry_q}"
mutant sequencer "issue_valid && to_partial && !begun_q" "issue_valid && to_partial"
mutant sequencer "issue_valid && to_partial && !begun_q" "1'b0"
mutant sequencer "{issue_wrap == {ADDR{1'b0}}, issue_wrap}" "{1'b0, issue_wrap}"
mutant sequencer "(to_input || to_partial || (reduces && BESIDE == 0))" "(to_input || to_partial)"
mutant sequencer "!(valid_q && load_q);" "1'b1;"
mutant sequencer "load_active_q && load_go_i && input_near_i" "load_active_q && load_go_i"
mutant sequencer "if (free && fresh) passed_q <= 16'd1" "if (free && fresh) passed_q <= 16'd0"
mutant sequencer "may_leave   = issue_valid && ready && !refused" "may_leave   = issue_valid && ready"
mutant sequencer ".zero_i   (!moved[ADDR])," ".zero_i   (1'b0),"
finish

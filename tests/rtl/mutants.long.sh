#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The test bench must notice a fault: each of these changes to the design makes it fail. tests/rtl_cluster/mutants.soak.sh
# has those that only real operators notice, tests/formal/proofs.sh those that a proof does; the last of this list are
# for the benches of leaf modules. In CI it is a sample; mutants.soak.sh plays them all.
# timeout: 1500
set -euo pipefail
export SAMPLE=${SAMPLE-3}

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

# What a single cluster shows it shows several times sooner than four.
for variant in tiny odd; do
    "$BUILD/bin/tulle-gen" "$variant" --set n=1 --set m=1 -o "$TMPDIR/$variant" >"$TMPDIR/log"
done

# mutant VARIANT FILE FROM TO: replaces the text FROM, which must be there, and expects the bench to fail.
mutant() {
    local good=$TMPDIR/$1 dir=$TMPDIR/mutant
    shift
    rm -rf "$dir"
    cp -r "$good" "$dir"
    seed "$good/rtl/$1.v" "$2" "$3" >"$dir/rtl/$1.v" || {
        fail "the list is wrong about $1"
        return
    }
    sampled || return 0
    rm -rf "$TMPDIR/simulation"
    if ARGUMENTS='+failures=1 +rounds=1' SIM_DIR=$TMPDIR/simulation \
        bash "$dir/tb/run.sh" iverilog >"$TMPDIR/mutant.log" 2>&1; then
        fail "nobody noticed $1.v: '$2' -> '$3'"
    elif [[ ! -e $TMPDIR/simulation/tulle_tb.vvp ]]; then
        cat "$TMPDIR/mutant.log"
        fail "$1.v: '$2' -> '$3' could not be compiled"
    else
        printf 'noticed: %s.v: %s\n' "$1" "$3"
    fi
}

mutant tiny tulle_input_loader "value != zero" "value == zero"
mutant tiny tulle_input_loader "next == wrap_q" "1'b0"
mutant tiny tulle_sequencer "turns ? turn_step" "1'b0 ? turn_q"
mutant tiny tulle_sequencer "!(valid_q && single_q)" "1'b1"
mutant tiny tulle_sequencer "last_hold_q && run_index_q == last_mac" "run_index_q == last_mac"
mutant odd tulle_sequencer "issue_valid && to_partial && !begun_q" "1'b0"
mutant tiny tulle_sequencer "{load_single_q, load_first_q};" "{load_single_q, next_i[ENTRY-1:0]};"
mutant tiny tulle_control "record_busy || araddr_q[11:10] == 2'b00" "1'b1"
mutant tiny tulle_control "if (wstrb_q[2]) watchdog_q" "if (1'b1) watchdog_q"
mutant tiny tulle_parser "sum_q != \`TULLE_CHECK_SEED" "1'b0"
mutant tiny tulle_first_operands "base_i[~step_d[1:0]] ? ADD_BLOCK : ADD_NOTHING" "ADD_NOTHING"
mutant tiny tulle_first_operands "step_q == BACK) && below" "step_q == BACK) && 1'b0"
mutant tiny tulle_first_operands "below ? FOLDED : BACK" "BACK"
mutant tiny tulle_instruction_store "write_buffer_i || ran_q" "write_buffer_i"
mutant tiny tulle_instruction_store "all_q || owner == index" "all_q"
mutant tiny tulle_selector "useless || wrong_data" "useless"
mutant tiny tulle_selector "hops_q == BUFFERS[5:0]" "1'b0"
mutant tiny tulle_selector "executes && to_weights && counted && segments_rest_i" "1'b0"
mutant tiny tulle_operands "ended_q ? need_i" "ended_q ? 1'b0"
mutant tiny tulle_operands "finish_i && !open_i;" "1'b0;"
mutant tiny tulle_weight_feeder "state_q == BEGIN && pe_idle_i" "1'b0"
mutant tiny tulle_store_queue "next_valid_q && !lead[NUMBER-1]" "next_valid_q"
mutant tiny tulle_closed_count "wire              all = &ahead" "wire              all = |ahead"
mutant tiny tulle_watch "waiting_i ?" "1'b0 ?"
mutant tiny tulle_watch "(unfinished_i && !feeding_i)" "1'b0"
mutant tiny tulle_shift_out "last_i && at_last_beat" "at_last_beat"
mutant tiny tulle_fork "pending_q <= remaining" "pending_q <= pending_q"
mutant tiny tulle_control "done_q && !read_control" "done_q"

# leaf_mutant MODULE FROM TO: the same for leaf_tb.v.
leaf_mutant() {
    local file=$TMPDIR/tulle_$1.v
    seed "$TOP/rtl/tulle_$1.v" "$2" "$3" >"$file" || {
        fail "the list is wrong about $1"
        return
    }
    sampled || return 0
    iverilog -g2005 -Pleaf_tb.PACES="$PACES" -s leaf_tb -o "$TMPDIR/leaf.vvp" "${LEAF_FILES[@]/"rtl/tulle_$1.v"/"$file"}"
    if vvp -n "$TMPDIR/leaf.vvp" | grep -q '^leaf_tb: PASS'; then
        fail "nobody noticed $1: '$2' -> '$3'"
    else
        printf 'noticed: %s: %s\n' "$1" "$3"
    fi
}

cd "$TOP"
leaf_modules
PACES=0 # the benches of these modules come at no paces
leaf_mutant weight_feeder "always @(posedge clk_i) word_q[p*WORD + l*ENTRY +: ENTRY] <= SKIP" \
    "always @(posedge clk_i) word_q[p*WORD + l*ENTRY +: ENTRY] <= {ENTRY{1'b0}}"
leaf_mutant weight_feeder $'<= SKIP;\n              end' $'<= {ENTRY{1\'b0}};\n              end'
leaf_mutant weight_feeder "SKIP[LOW-1:0]" "{LOW{1'b0}}"
leaf_mutant weight_feeder "assign fresh[l*ENTRY +: ENTRY] = SKIP" "assign fresh[l*ENTRY +: ENTRY] = {ENTRY{1'b0}}"
leaf_mutant weight_feeder "state_q == DRAIN && !settle_q" "state_q == DRAIN"
leaf_mutant scatter "half_q ^ begins" "half_q"
leaf_mutant scatter "FIRST + {{32-PE{1'b0}}, read_pe_q}" "FIRST"
leaf_mutant scatter "scattered[ADDR-1:0] : m[ADDR-1:0]" "scattered[ADDR-1:0] : scattered[ADDR-1:0]"
leaf_mutant scatter "count_q >= LOW[PE-1:0]" "count_q > LOW[PE-1:0]"
leaf_mutant scatter "{half_q, count_q[PART-1:0]}" "{half_q, {PART{1'b0}}}"
leaf_mutant weight_feeder "part_q != LAST_PART" "phase_q != LAST_PHASE"
PACES=1
leaf_mutant input_loader "take && round;" "take;"
leaf_mutant input_loader "!busy_q && moved" "!busy_q"
leaf_mutant input_loader "= zeros_q;" "= 1'b0;"
leaf_mutant input_loader "{zeros_q, line_q}" "{zeros_i, line_q}"
finish

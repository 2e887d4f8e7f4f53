#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The test bench must notice a fault: each of these changes to the design makes it fail.
# timeout: 600

set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

"$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/tiny" >"$TMPDIR/log"
"$BUILD/bin/tulle-gen" odd -o "$TMPDIR/odd" >"$TMPDIR/log"

# mutant VARIANT FILE FROM TO: replaces the text FROM, which must be there, and expects the bench to fail.
mutant() {
    local good=$TMPDIR/$1 dir=$TMPDIR/mutant text
    shift
    rm -rf "$dir"
    cp -r "$good" "$dir"
    text=$(<"$dir/rtl/$1.v")
    [[ $text == *"$2"* ]] || {
        fail "$1.v has no '$2' to change"
        return
    }
    printf '%s\n' "${text/"$2"/"$3"}" >"$dir/rtl/$1.v"
    if bash "$dir/tb/run.sh" iverilog >"$TMPDIR/mutant.log" 2>&1; then
        fail "nobody noticed $1.v: '$2' -> '$3'"
    else
        printf 'noticed: %s.v: %s\n' "$1" "$3"
    fi
}

mutant tiny tulle_input_loader "!= {DATA_WIDTH{1'b0}}" "== {DATA_WIDTH{1'b0}}"
mutant tiny tulle_input_loader "line_q == last_q" "1'b0"
mutant tiny tulle_sequencer "pitch_due ? {{2{step_q[16]}}, step_q}" "1'b0 ? {{2{step_q[16]}}, step_q}"
mutant tiny tulle_sequencer "bypass ? result_d  : kept_result" "kept_result"
mutant odd tulle_sequencer "valid_q && to_partial && load_idle_i" "1'b0"
mutant tiny tulle_parser "sum_q != \`TULLE_CHECK_SEED" "1'b0"
mutant tiny tulle_parser "base_is_address ? address : result" "address"
mutant tiny tulle_instruction_store "restart || fresh" "1'b1"
mutant tiny tulle_instruction_store "returning_q <= holding" "returning_q <= 1'b0"
mutant tiny tulle_selector "else if (!leftover) begin" "else if (1'b0) begin"
mutant tiny tulle_selector "operand_need_i && ended_q" "1'b0"
mutant tiny tulle_selector "hops_q == BUFFERS[5:0]" "1'b0"
mutant tiny tulle_shift_out "announced_last && at_last_beat" "at_last_beat"
mutant tiny tulle_arbiter "(valid_o && ready_i && last_o)" "(valid_o && ready_i)"
mutant tiny tulle_fork "pending_q <= remaining" "pending_q <= pending_q"
mutant tiny tulle_control "done_q && !read_control" "done_q"
mutant tiny tulle_decode_instruction "word_i[3:0] != 4'd0" "1'b0"
finish

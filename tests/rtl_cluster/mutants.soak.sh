#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Seeded bugs in the PE and in the control unit: the comparison with the functional model must notice each. With SAMPLE=N
# only every Nth is played; of the others the text that they change must be there.
# timeout: 3600
# expected: 900
set -euo pipefail

# shellcheck source=tests/rtl_cluster/lib.sh
source "$TOP/tests/rtl_cluster/lib.sh"

# shellcheck disable=SC2034 # mutant takes it by name
RING=(tiny --set m=1 --set balance=neighbour)
# shellcheck disable=SC2034 # the same
JUMPS=("${RING[@]}" --set long_jumps=on --set index_width=6 --set input_buffer_depth=4096)

# mutant VARIANT-ARRAY MODULE FROM TO: a row with the text FROM of a module replaced by TO.
mutant() {
    local -n variant=$1
    local folder=$TMPDIR/mutant good=$TMPDIR/$1 kind
    [[ -d $good ]] || "$BUILD/bin/tulle-gen" "${variant[@]}" -o "$good" >"$TMPDIR/log"
    if [[ $(<"$good/rtl/tulle_$2.v") != *"$3"* ]]; then
        fail "$2 has no '$3' to change"
        return
    fi
    sampled || return 0
    rm -rf "$folder"
    "$TOP/sim/verilated/build" --change "tulle_$2" "$3" "$4" -o "$folder" "${variant[@]}" >"$TMPDIR/build.log" 2>&1 || {
        cat "$TMPDIR/build.log" >&2
        fail "$2: '$3' -> '$4' could not be built"
        return
    }
    for kind in "${KINDS[@]}"; do
        # shellcheck disable=SC2086 # a list of words
        if ! timeout 300 "$CLUSTER_TEST" "$folder" $kind >"$TMPDIR/mutant.log" 2>&1; then
            echo "noticed by ${kind%% *}: $2: $4"
            return
        fi
    done
    fail "nobody noticed $2: '$3' -> '$4'"
}

KINDS=("tiles --seeds 1 150" "plans --seeds 1 30" errors)

# The one without a bug is what the other tests of this folder play.
mutant RING weight_queue "take_i && in_holds != {SCAN{1'b0}}; // the word" "take_i; // the word"
mutant RING weight_queue "!all_here || open_q)" "1'b0)"
mutant RING weight_queue "push && empty && amid" "1'b0"
mutant RING weight_queue "rotate_i && !more && !coming_q" "1'b0"
mutant JUMPS weight_queue "LONG_JUMPS != 0 && escape && last" "LONG_JUMPS != 0 && escape && last && payload[0]"
mutant JUMPS index "leap ? value :" "1'b0 ? value :"
mutant JUMPS index "weight || leap ? gap" "weight ? gap"
mutant RING scan "(last_word ? upto_end : ALL)" "ALL"
mutant RING scan "from_start & (last_word" "(last_word"
mutant RING scan "ends_word      = head_end_lane_i == LAST_LANE;" "ends_word  = 1'b0;"
mutant RING scan "repeats ? start_word_q : next_word" "next_word"
mutant RING scan "head_around_i ? first_word_q : repeats" "repeats"
mutant RING load_queue "valid_i && (end_i || effective_i" "valid_i && (1'b0 || effective_i"
mutant RING load_queue "(!end_q || !two)" "1'b1"
mutant RING multiplier "fresh_q <= ending_2_q;" "fresh_q <= 1'b0;"
mutant RING multiplier "(help_2_q ? first_2_q : replaces)" "(replaces)"
mutant RING index "twice[WIDE] || far_4_q" "(twice[WIDE] && !(wrap_4_q[ADDR] && &twice[WIDE:1])) || far_4_q"
mutant RING closer "(valid_q && !chain_q && keep_q)" "(valid_q && !chain_q)"
mutant RING closer "ahead_d != AHEAD_MAX[SUM-1:0]" "1'b1"
mutant RING closer "from_zero = !resume_1_q || without_entry" "from_zero = without_entry"
mutant RING closer "(read_busy_i || unwritten)" "unwritten"
mutant RING input_buffer "mask_i[i], data_i" "1'b0, data_i"
mutant RING input_loader "pe == p[PE-1:0]" "pe != p[PE-1:0]"
mutant RING run_queue "!lead[NUMBER-1]" "1'b1"
mutant RING store_queue "next_valid_q && !lead[NUMBER-1]" "next_valid_q"
# shellcheck disable=SC2034 # mutant takes it by name
SUMS=(tiny --set m=1 --set "functions=sum,max,average")
KINDS=("reductions --seeds 1 60" errors)
mutant SUMS reduce "!is_max || larger" "!is_max"
mutant SUMS reduce "\$signed(pe_result) > \$signed(value_q)" "pe_result > value_q"
mutant SUMS reduce "pe_q == LAST[PE-1:0]" "1'b1"
mutant SUMS reduce "{STEP{value_q[ACC_WIDTH-1]}}" "{STEP{1'b0}}"
mutant SUMS sequencer "(reduce_idle_i || REDUCE == 0)" "1'b1"
mutant SUMS sequencer "to_partial || (reduces && BESIDE == 0))" "to_partial)"
mutant SUMS parser "table_write_o && has_spu_q;" "1'b0;"
# shellcheck disable=SC2034 # mutant takes it by name
BESIDE=(tiny --set m=1 --set balance=neighbour --set "functions=sum,max,average" --set decoupled_reductions=on
    --set output_queue_depth=64)
KINDS=("beside --seeds 1 1000" "reductions --seeds 1 60" "pace --seeds 4 1")
mutant BESIDE reduce_beside "!begun_q && !lead[NUMBER-1]" "!begun_q"
mutant BESIDE reduce_beside "assign awaited_o = waits[0]" "assign awaited_o = 1'b0"
mutant BESIDE reduce_beside "waits[0] || waits[1]" "waits[0]"
mutant BESIDE reduce_beside "!waits[0] && !waits[2]" "!waits[0]"
mutant BESIDE reduce_beside "!waits[0] && !waits[2]" "!waits[2]"
mutant BESIDE entry_marks "(clear || end_i)" "(clear)"
mutant BESIDE reduce_beside "reading_q && !store_take_i" "reading_q"
mutant BESIDE reduce_beside "&still_i" "1'b1"
mutant BESIDE reduce_beside "(is_max && larger)" "larger"
mutant BESIDE reduce_beside "{STEP{value_q[ACC_WIDTH-1]}}" "{STEP{1'b0}}"
mutant BESIDE reduce_beside "ready_o        = queue_ready &&" "ready_o        ="
mutant BESIDE reduce_beside "idle_o         = !valid_q && !queue_valid" "idle_o         = 1'b1"
mutant BESIDE cluster "stores_clear || !partial_idle || reduce_moving" "stores_clear || !partial_idle"
mutant BESIDE sequencer "(writes && reduce_owned_i)" "1'b0"
mutant BESIDE sequencer "(resumes && reduce_awaited_i)" "1'b0"
mutant BESIDE sequencer "store_ready_i && !awaited" "store_ready_i"
mutant BESIDE sequencer "stores || beside;" "stores;"
mutant BESIDE sequencer "stores || beside;" "beside;"
mutant BESIDE sequencer "is_mac ? writes : stores" "is_mac ? 1'b0 : stores"
# shellcheck disable=SC2034 # mutant takes it by name
PARALLEL=(tiny --set m=1 --set balance=neighbour --set "functions=relu,requantise,max" --set parallel_issue=on)
KINDS=("loads --seeds 1 150" errors)
mutant PARALLEL cluster ".run_i               (loads_passed)" ".run_i               (passed)"
mutant PARALLEL cluster ".first_i              (loads_first)" ".first_i              (first)"
mutant PARALLEL cluster "load_ended_q || load_end)" "load_ended_q || unused_load_end)"
mutant PARALLEL cluster "run_input_start || loads_start" "loads_start"
mutant PARALLEL cluster "run_input_start || loads_start" "run_input_start"
mutant PARALLEL cluster "consuming ? run_input_address : loads_address" "loads_address"
mutant PARALLEL cluster "consuming ? run_input_address : loads_address" "run_input_address"
mutant PARALLEL cluster "consuming ? run_input_wrap" "consuming ? INPUT_DEPTH[16:0]"
mutant PARALLEL cluster "consuming ? run_input_wrap : loads_wrap" "run_input_wrap"
mutant PARALLEL cluster "consuming ? run_input_block : loads_block" "loads_block"
mutant PARALLEL cluster "consuming ? run_input_block : loads_block" "run_input_block"
mutant PARALLEL cluster "consuming ? run_input_zeros" "consuming ? 1'b0"
mutant PARALLEL cluster "consuming ? run_input_zeros : loads_zeros" "run_input_zeros"
mutant PARALLEL cluster "run_sequence_error || loads_error" "loads_error"
mutant PARALLEL cluster "run_sequence_error || loads_error" "run_sequence_error"
# shellcheck disable=SC2034 # mutant takes it by name
MAXIMA=(tiny --set m=1 --set balance=neighbour --set "functions=relu,requantise,max")
KINDS=("tiles --seeds 1 150" errors)
mutant MAXIMA multiplier "\$signed(product_q) > \$signed(own_sum_q[PRODUCT-1:0])" "product_q > own_sum_q[PRODUCT-1:0]"
mutant MAXIMA multiplier "maximum_2_q && !fresh_q && !(load_2_q && larger)" "maximum_2_q && !fresh_q && !larger"
mutant MAXIMA multiplier "maximum_2_q && !fresh_q" "maximum_2_q"
mutant MAXIMA multiplier "fresh_q || maximum_2_q" "fresh_q"
mutant MAXIMA multiplier "fresh_q && !load_2_q" "1'b0"
mutant MAXIMA multiplier "maximum_2_q <= maximum_1_q" "maximum_2_q <= own_maximum_i"
mutant MAXIMA closer "upper_alike ? lower_larger : !read_i[ACC_WIDTH-1]" "lower_larger"
mutant MAXIMA closer "upper_alike ? lower_larger : !read_i[ACC_WIDTH-1]" "upper_alike && lower_larger"
mutant MAXIMA closer "maximum && !entry_larger" "1'b0"
mutant MAXIMA closer "first_q && resume_1_q && maximum && entry_larger" "1'b0"
mutant MAXIMA closer "first_q && resume_1_q && maximum && entry_larger" "first_q && maximum && entry_larger"
mutant MAXIMA load_queue "if (take) maximum_q" "maximum_q"
mutant MAXIMA input_loader "= MAXIMUM != 0 && moved_place[ZEROS-1]" "= 1'b0"
mutant MAXIMA parser "(maximum && !may_be_maximum)" "1'b0"
mutant MAXIMA parser " && !instruction[\`TULLE_MAC_BALANCE]" ""
mutant MAXIMA sequencer "operands_i[OPERANDS+MAXIMUM-1]" "operands_i[OPERANDS-1]"
# shellcheck disable=SC2034 # mutant takes it by name
ZERO_POINTS=("${MAXIMA[@]}" --set zero_points=on --set output_queue_depth=64)
KINDS=("masks --seeds 1 20" "loads --seeds 1 150" "tiles --seeds 1 150" errors)
mutant ZERO_POINTS input_loader "value != zero" "value != {DATA_WIDTH{1'b0}}"
mutant ZERO_POINTS input_loader "{has_sign && value[DATA_WIDTH-1], value}" "{value[DATA_WIDTH-1], value}"
mutant ZERO_POINTS input_loader "{has_sign && zero[DATA_WIDTH-1], zero}" "{zero[DATA_WIDTH-1], zero}"
mutant ZERO_POINTS input_loader "difference[DATA_WIDTH] || !counts[v]" "difference[DATA_WIDTH]"
mutant ZERO_POINTS input_loader "place[PLACE-1:ZEROS] = coding_q" "place[PLACE-1:ZEROS] = coding_i"
mutant ZERO_POINTS input_loader "coding_q <= coding_i &" "coding_q <= coding_q | coding_i &"
mutant ZERO_POINTS input_buffer "read_q != NOTHING" "word_q != NOTHING"
mutant ZERO_POINTS multiplier "signed [ACTIVATION_WIDTH-1:0] activation_q" "[ACTIVATION_WIDTH-1:0] activation_q"
mutant ZERO_POINTS pe "{move_tag, move_first, move_pair}" "{move_tag, move_first, move_pair[2*DATA_WIDTH:DATA_WIDTH+1], move_pair[DATA_WIDTH-1], move_pair[DATA_WIDTH-1:0]}"
mutant ZERO_POINTS sequencer "coding_q        <= fetch_coding" "coding_q        <= run_active_q ? coding_q : fetch_coding"
mutant ZERO_POINTS parser "{has_no_sign, zero[DATA_WIDTH-1:0]}" "{1'b0, zero[DATA_WIDTH-1:0]}"
mutant ZERO_POINTS parser "else if (no_value) " "else if (1'b0) "
mutant ZERO_POINTS parser "!has_no_sign && above[0]" "1'b0"
# shellcheck disable=SC2034 # mutant takes it by name
ZERO_PARALLEL=("${PARALLEL[@]}" --set zero_points=on)
mutant ZERO_PARALLEL cluster "consuming ? run_input_coding : loads_coding" "loads_coding"
mutant ZERO_PARALLEL cluster "consuming ? run_input_coding : loads_coding" "run_input_coding"
# shellcheck disable=SC2034 # mutant takes it by name
ZERO_INT16=("${INT16[@]}" --set zero_points=on)
mutant ZERO_INT16 parser "!has_no_sign && zero[15]" "zero[15]"
# shellcheck disable=SC2034 # mutant takes it by name
BUFFERS=("${MAXIMA[@]}" --set accumulators=on)
KINDS=("buffers --seeds 1 150" errors)
mutant BUFFERS closer "same ? result : kept" "kept"
mutant BUFFERS closer "adds_q && acc_q == acc_1_q" "adds_q"
mutant BUFFERS closer "first_q && !is_maximum" "first_q"
mutant BUFFERS closer "is_maximum || !(same" "!(same"
mutant BUFFERS closer "(same ? stays : filled_q[acc_1_q])" "filled_q[acc_1_q]"
mutant BUFFERS closer "!keep_q && !chain_q" "!keep_q"
mutant BUFFERS closer "!keep_q && !chain_q" "!chain_q"
mutant BUFFERS closer "<= stays || to_buffer" "<= stays"
mutant BUFFERS closer "(partial_write_i && !to_buffer)" "partial_write_i"
mutant BUFFERS closer "to_buffer ? partial_acc_i : acc_q" "acc_q"
mutant BUFFERS closer "if (!rst_ni)      filled_q" "if (1'b0) filled_q"
mutant BUFFERS closer "resume_1_q ? read_i : same" "same"
mutant BUFFERS closer "resume_1_q ? without_entry : is_maximum" "is_maximum"
mutant BUFFERS selector "last_q && !defers && !triggered" "last_q && !defers"
mutant BUFFERS selector "last_q && !defers && !triggered" "1'b0"
mutant BUFFERS selector "useless                    ?" "1'b0 ?"
mutant BUFFERS selector "|| last_q || !defers" "|| !defers"
mutant BUFFERS selector "|| last_q || !defers" "|| last_q"
mutant BUFFERS run_queue "ACCUMULATORS == 0 || run[" "1'b1 || run["
mutant BUFFERS sequencer "_MAC_KEEP] && may_write" "_MAC_KEEP]"
mutant BUFFERS sequencer "_MAC_CHAIN] && may_write" "_MAC_CHAIN]"
mutant BUFFERS sequencer "partial_stays_o = to_buffer" "partial_stays_o = 1'b0"
mutant BUFFERS sequencer "writes_q        <= run_writes_i" "writes_q <= 1'b1"
mutant BUFFERS sequencer "acc_q           <= fetch_acc" "acc_q <= 2'd0"
mutant BUFFERS parser "!= 2'd0 || defer_q" "!= 2'd0"
mutant BUFFERS parser "instruction[\`TULLE_MAC_ACC] != 2'd0 || defer_q" "defer_q"
mutant BUFFERS parser "ACCUMULATORS != 0 && record_q[\`TULLE_CONFIG_HEADER_DEFER]" "1'b0"
# shellcheck disable=SC2034 # mutant takes it by name
EXTENSIONS=(tiny --set m=1 --set balance=neighbour --set pe_operands=on --set scalar_unit=on --set scatter=off
    --set "functions=relu,requantise,sigmoid,sum,max,average")
KINDS=("extensions --seeds 1 150" refusals)
mutant EXTENSIONS parser "at_extension ? !extended_q" "at_extension ? 1'b1"
mutant EXTENSIONS parser "PE_OPERANDS != 0 && span_q >= limit" "1'b0"
mutant EXTENSIONS parser "updates && !(update_q && SCALAR != 0)" "1'b0"
mutant EXTENSIONS parser "register_q != 4'd0 && !uses_address" "1'b0"
mutant EXTENSIONS parser "result_register_q != 4'd0 && !uses_result" "1'b0"
mutant EXTENSIONS parser "pe_stride_q != 16'd0 && !is_mac" "1'b0"
mutant EXTENSIONS parser "outer_q != 16'd0 && inner == 16'd0" "1'b0"
mutant EXTENSIONS parser "plane_q != 16'd0 && outer_q == 16'd0" "1'b0"
mutant EXTENSIONS parser "state_q == IDLE || state_q == WRITE)" "state_q == IDLE)"
mutant EXTENSIONS parser "spu_destination != 4'd0 && spu_function == 2'd0" "1'b0"
mutant EXTENSIONS parser "table_q != 2'd3 && must_reduce_q" "table_q == 2'd0 && must_reduce_q"
mutant EXTENSIONS parser "spu_function > functions_all_q" "functions_all_q == 2'd0"
mutant EXTENSIONS first_operands "third_q <= planing" "third_q <= 1'b0"
mutant EXTENSIONS sequencer "planes = rounds_q == outer_q" "planes = 1'b0"
mutant EXTENSIONS sequencer "planes ? 16'd1 : rounds_q + 16'd1" "rounds_q + 16'd1"
mutant EXTENSIONS sequencer "compare_names_q && sum_q >=" "1'b0 && sum_q >="
mutant EXTENSIONS sequencer "written_q[register_q] ? of_address" "1'b1 ? of_address"
mutant EXTENSIONS sequencer "valid_q && compare_free && !awaits" "valid_q && compare_free"
mutant EXTENSIONS sequencer "(compare_valid_q && compare_sets_q) ||" ""
mutant EXTENSIONS sequencer "(issue_valid_q && issue_sets_q && !done_here)" "1'b0"
mutant EXTENSIONS sequencer "compare_valid_q <= leaves;" "compare_valid_q <= valid_q;"
# One LD in the four stages at a time: a second one would keep the MACs waiting while a long one is loaded.
KINDS=("measure --seeds 15 1")
mutant EXTENSIONS sequencer "(compare_valid_q && compare_q[CARRIED-1]) ||" ""
mutant EXTENSIONS sequencer "|| (issue_valid_q && issue_load)" ""
KINDS=("extensions --seeds 1 300")
mutant EXTENSIONS sequencer "alone && !beyond && !begun_q" "alone && !begun_q"
KINDS=("extensions --seeds 1 150" refusals)
mutant EXTENSIONS sequencer "(address & LINE_MASK)" "(address_q & LINE_MASK)"
mutant EXTENSIONS sequencer "result_q + more_result[OUT-1:0]" "result_q"
mutant EXTENSIONS reduce "first_pe || each || is_max" "first_pe || is_max"
mutant EXTENSIONS reduce "each     = copies_o || !reduces" "each     = !copies_o && !reduces"
mutant EXTENSIONS reduce "!idle_o && !copies_o) ? index" "1'b0) ? index"
mutant EXTENSIONS reduce "!function_valid_i || idle_o || to_scalar" "!function_valid_i || idle_o"
mutant EXTENSIONS functions "copies ? \`TULLE_ELEMENT_INT64 :" ""
mutant EXTENSIONS cluster "around_q ? later_twice_q" "1'b0 ? later_twice_q"
finish

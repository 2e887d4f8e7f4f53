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
mutant RING scan "(last_word ? upto_end : ALL)" "ALL"
mutant RING scan "from_start & (last_word" "(last_word"
mutant RING scan "ends_word      = head_end_lane_i == LAST_LANE;" "ends_word  = 1'b0;"
mutant RING scan "repeats ? start_word_q : next_word" "next_word"
mutant RING scan "head_around_i ? first_word_q : repeats" "repeats"
mutant RING load_queue "valid_i && (end_i || effective_i" "valid_i && (1'b0 || effective_i"
mutant RING load_queue "(!end_q || !two)" "1'b1"
mutant RING multiplier "fresh_q <= ending_2_q;" "fresh_q <= 1'b0;"
mutant RING multiplier "(help_2_q ? first_2_q : replaces)" "(replaces)"
mutant RING closer "ahead_d != AHEAD_MAX[SUM-1:0]" "1'b1"
mutant RING closer "if (!first_q || !resume_1_q ||" "if (!first_q ||"
mutant RING closer "(read_busy_i || unwritten)" "unwritten"
mutant RING input_buffer "mask_i[i], data_i" "1'b0, data_i"
mutant RING input_loader "pe == p[PE-1:0]" "pe != p[PE-1:0]"
mutant RING run_queue "!lead[NUMBER-1]" "1'b1"
mutant RING store_queue "next_valid_q && !lead[NUMBER-1]" "next_valid_q"
# shellcheck disable=SC2034 # mutant takes it by name
SUMS=(tiny --set m=1 --set "functions=sum,max,average")
KINDS=("reductions --seeds 1 60" errors)
mutant SUMS reduce "(is_max && larger)" "(larger)"
mutant SUMS reduce "\$signed(pe_result) > \$signed(value_q)" "pe_result > value_q"
mutant SUMS reduce "pe_q == LAST[PE-1:0]" "1'b1"
mutant SUMS reduce "{STEP{value_q[ACC_WIDTH-1]}}" "{STEP{1'b0}}"
mutant SUMS sequencer "(reduce_idle_i || REDUCE == 0)" "1'b1"
mutant SUMS sequencer "to_partial || reduces)" "to_partial)"
mutant SUMS parser "has_spu_q && !reduction" "1'b0"
# shellcheck disable=SC2034 # mutant takes it by name
BESIDE=(tiny --set m=1 --set balance=neighbour --set "functions=sum,max,average" --set issue=parallel)
KINDS=("beside --seeds 1 200" "reductions --seeds 1 60")
mutant BESIDE reduce_beside "!begun_q && !lead[NUMBER-1]" "!begun_q"
mutant BESIDE reduce_beside "assign awaited_o = (valid_q && entry_i == result_q) ||" "assign awaited_o = "
mutant BESIDE reduce_beside " || (next_valid_q && entry_i == next_result_q)" ""
mutant BESIDE reduce_beside "awaited_o || (valid_q && entry_i == source_q)" "awaited_o"
mutant BESIDE reduce_beside " || (next_valid_q && entry_i == next_source_q)" ""
mutant BESIDE reduce_beside "reading_q && !store_take_i" "reading_q"
mutant BESIDE reduce_beside "&still_i" "1'b1"
mutant BESIDE reduce_beside "(is_max && larger)" "larger"
mutant BESIDE reduce_beside "{STEP{value_q[ACC_WIDTH-1]}}" "{STEP{1'b0}}"
mutant BESIDE reduce_beside "assign ready_o        = !next_valid_q" "assign ready_o        = 1'b1"
mutant BESIDE reduce_beside "idle_o         = !valid_q" "idle_o         = 1'b1"
mutant BESIDE sequencer "(writes && reduce_owned_i)" "1'b0"
mutant BESIDE sequencer "(resumes && reduce_awaited_i)" "1'b0"
mutant BESIDE sequencer "!busy_i && !awaited" "!busy_i"
# shellcheck disable=SC2034 # mutant takes it by name
MAXIMA=(tiny --set m=1 --set balance=neighbour --set "functions=relu,requantise,max")
KINDS=("tiles --seeds 1 150" errors)
mutant MAXIMA multiplier "\$signed(product_q) > \$signed(own_sum_q[PAIR-1:0])" "product_q > own_sum_q[PAIR-1:0]"
mutant MAXIMA multiplier "maximum_2_q && !fresh_q && !(load_2_q && larger)" "maximum_2_q && !fresh_q && !larger"
mutant MAXIMA multiplier "maximum_2_q && !fresh_q" "maximum_2_q"
mutant MAXIMA multiplier "fresh_q || maximum_2_q" "fresh_q"
mutant MAXIMA multiplier "fresh_q && !load_2_q" "1'b0"
mutant MAXIMA multiplier "maximum_2_q <= maximum_1_q" "maximum_2_q <= own_maximum_i"
mutant MAXIMA closer "upper_alike ? lower_larger : !read_i[ACC_WIDTH-1]" "lower_larger"
mutant MAXIMA closer "upper_alike ? lower_larger : !read_i[ACC_WIDTH-1]" "upper_alike && lower_larger"
mutant MAXIMA closer "maximum_1_q && !entry_larger" "1'b0"
mutant MAXIMA closer "first_q && resume_1_q && maximum_1_q && entry_larger" "1'b0"
mutant MAXIMA closer "first_q && resume_1_q && maximum_1_q && entry_larger" "first_q && maximum_1_q && entry_larger"
mutant MAXIMA load_queue "if (take) maximum_q" "maximum_q"
mutant MAXIMA input_loader "= MAXIMUM != 0 && moved_place[PLACE-1]" "= 1'b0"
mutant MAXIMA parser "(maximum && !may_be_maximum)" "1'b0"
mutant MAXIMA parser "(is_mac && !instruction[\`TULLE_MAC_BALANCE])" "is_mac"
mutant MAXIMA sequencer "operands_i[OPERANDS+MAXIMUM-1]" "operands_i[OPERANDS-1]"
finish

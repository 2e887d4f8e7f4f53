#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Faults that the bench of the PE must notice: in CI a sample, in pe_faults.soak.sh all.
# timeout: 1800
set -euo pipefail
export SAMPLE=${SAMPLE-2}

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"

# mutant MODULE FROM TO: a copy of the emitted folder with the text FROM of a module replaced.
mutant() {
    local module=$TMPDIR/tiny/rtl/tulle_$1.v good
    good=$(<"$module")
    [[ $good == *"$2"* ]] || {
        fail "$1 has no '$2' to change"
        return
    }
    sampled || return 0
    printf '%s\n' "${good/"$2"/"$3"}" >"$module"
    iverilog -g2005 -DPE_RING -I "$TMPDIR/tiny/include" -s pe_tb -o "$TMPDIR/mutant.vvp" \
        "${FILES[@]}" "$TOP/tests/rtl/pe_tb.v"
    printf '%s\n' "$good" >"$module"
    local seed=0 case
    for case in "+length=3" "+length=40" "+length=1 +stall=0 +entries=1" "+length=1 +stall=0 +entries=2" \
        "+length=1 +stall=0 +entries=3" "+length=40 +dense=100 +stall=0 +keep=100 +resident=0 +busy=900"; do
        seed=$((seed + 1))
        # shellcheck disable=SC2086 # a list of words
        if ! timeout 120 vvp -n "$TMPDIR/mutant.vvp" "+seed=$seed" +heavy=2 $case | grep -q '^pe_tb: PASS'; then
            echo "noticed: $1: $3"
            return
        fi
    done
    fail "nobody noticed $1: '$2' -> '$3'"
}

rm -rf "$TMPDIR/tiny"
"$BUILD/bin/tulle-gen" tiny --set balance=neighbour -o "$TMPDIR/tiny" >"$TMPDIR/log"
FILES=("${PE_MODULES[@]/#/$TMPDIR/tiny/rtl/tulle_}")
FILES=("${FILES[@]/%/.v}")
mutant index "(!places_4[l*(ADDR+1) + ADDR])" "(1'b1)"
mutant index "address_4_q, !moves_4_q}" "address_4_q - 1'b1, !moves_4_q}"
mutant issue_ring "to_scan_q <= SCAN_LAST[SCANS-1:0] && to_close_q <= CLOSE_LAST[ADDR:0]" "1'b1"
mutant closer "(read_busy_i || unwritten)" "read_busy_i"
mutant closer "age_i <= on_way" "age_i < on_way"
mutant closer "{1'b0, first_q} + {1'b0, valid_q}" "{1'b0, valid_q}"
mutant closer "+ {1'b0, write_q}" ""
mutant closer "{1'b0, valid_q} + " ""
mutant scan "!mac_rotate_i && (!last_word || ends_word)" "!mac_rotate_i"
# work that never moves, or not when the neighbour has nothing to do
mutant pe "want_q && may_move" "1'b0"
mutant pe "lead_q != {LEAD_WIDTH{1'b0}}" "1'b0"
# MACs that do not keep their sum
mutant closer "(valid_q && !chain_q && keep_q)" "(valid_q && !chain_q)"
mutant closer "keep_1_q   <= keep_i" "keep_1_q   <= 1'b1"
mutant closer "keep_q  <= keep_1_q" "keep_q  <= keep_i"
# segments that stay
mutant weight_queue "rotate_i && !more && !coming_q" "1'b0"
mutant weight_queue "if (leave && !rotate_i) oldest_q" "if (leave) oldest_q"
mutant weight_queue "around ? oldest_q : fetch_q" "fetch_q"
mutant weight_queue "turned_q <= rotate_i && !around && (" "turned_q <= rotate_i && ("
mutant scan "head_around_i ? first_word_q : repeats" "repeats"
mutant scan "head_around_i ? first_lane_q : repeats" "repeats"
mutant scan "if (leaves_segment && !mac_rotate_i)" "if (leaves_segment)"
mutant scan "reads && mac_advance_i && !mac_rotate_i &&" "reads && mac_advance_i &&"
finish

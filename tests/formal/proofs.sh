#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A fault in a copy of a module makes its proof fail, an environment that allows nothing does not count as a proof,
# and a misspelt contract is refused. The proofs themselves are a step of scripts/check.
# In CI it is a sample; proofs.soak.sh plays them all.
# timeout: 900
set -euo pipefail
export SAMPLE=${SAMPLE-3}

# shellcheck source=tests/scripts/lib.sh
source "$TOP/tests/scripts/lib.sh"
# shellcheck source=tests/seeded/seed.sh
source "$TOP/tests/seeded/seed.sh"

# mutant MODULE[:ENVIRONMENT] FROM TO: FROM must be in the module.
mutant() {
    local module=${1%:*}
    rm -rf "$TMPDIR/rtl"
    cp -r "$TOP/rtl" "$TMPDIR/rtl"
    seed "$TOP/rtl/tulle_$module.v" "$2" "$3" >"$TMPDIR/rtl/tulle_$module.v" || fail "the list is wrong about $module"
    sampled || return 0
    # The quick proofs; where there is none, the first one.
    grep "^quick *$1 " "$TOP/tests/formal/proofs" >"$TMPDIR/proofs" ||
        grep -m 1 "^all *$1 " "$TOP/tests/formal/proofs" >"$TMPDIR/proofs"
    expect 1 "$TOP/scripts/formal" --out "$TMPDIR/formal" --list "$TMPDIR/proofs" --rtl "$TMPDIR/rtl"
    says "^FAIL $1 "
    says 'Assert failed'
    echo "noticed: tulle_$module.v: $3"
}

mutant job_arguments '{!host_q, host_q}' '{!host_q, current_q}'
mutant job_arguments '!look_i && !hold_i' '!hold_i'
mutant fifo 'push && count_q == LAST[COUNT_WIDTH-1:0]' "1'b0"
mutant fifo '.raddr_i (head_q)' '.raddr_i (tail_q)'
mutant slice 'if (move) data_q' 'data_q'
mutant fork 'pending_q & ~ready_i' 'pending_q'
mutant arbiter '(valid_o && ready_i && last_o)' '(valid_o && ready_i)'
mutant arbiter '|| !found_after' "|| 1'b1"
mutant first_error 'i = PORTS - 1; i >= 0; i = i - 1' 'i = 0; i < PORTS; i = i + 1'
mutant shift_out 'last_i && at_last_beat' 'last_i'
mutant partial_loader 'take && piece_q == LAST[COUNT_WIDTH-1:0]' 'take'
mutant input_loader 'next == wrap_q' "1'b0"
mutant scatter 'half_q ^ begins' half_q
mutant scatter 'read_pe_q != LAST[PE-1:0]' "1'b1"
mutant entry_age 'entry_i == third_q' "1'b0"
mutant store_queue "!queue_valid && !next_valid_q" "!queue_valid"
mutant store_queue 'next_valid_q && !lead[NUMBER-1]' 'next_valid_q'
mutant run_queue 'start_q == fence_q' "1'b0"
mutant watch '&starved_i' '|starved_i'
mutant channel_table 'turn_q == MULTIPLIER_STEPS)' "turn_q == 5'd0)"
mutant channel_table:channel_walk 'again ? group_q - run_q[GROUP-1:0]' 'again ? group_q - rest_q[GROUP-1:0]'
mutant burst_id "id_q + 2'd1" id_q
mutant burst_id 'stale_q && some[id_q]' "1'b0"
mutant read_port '(!arvalid_q || axi_arready_i) && room' room
mutant read_port 'take ? to_owner' 'axi_rvalid_i ? to_owner'
mutant write_port 'sent_q == owed_beats' "1'b1"
mutant write_port 'orphan ? {MEM/8' "1'b0 ? {MEM/8"
mutant write_port '!orphan && !flush_i) ? from' '!flush_i) ? from'
mutant copy_bursts 'to_boundary ? room : bytes_left_q[PIECE:0]' room
mutant copy_bursts 'taken) bytes_left_q <=' "1'b0) bytes_left_q <="
mutant copy_align 'to_i < from_i' "1'b0"
mutant copy_align '(ALL ^ ONE) << last_lane_q' 'ALL << last_lane_q'

# A contract that is not there, covers that cannot be reached.
proof() {
    printf 'all %s\n' "$1" >"$TMPDIR/proofs"
    expect 1 "$TOP/scripts/formal" --out "$TMPDIR/formal" --list "$TMPDIR/proofs"
    says '^FAIL'
    says "$2"
}
proof 'slice WIDTH=2 unbounded 6 u_no_such_contract' 'Assertion failed'
proof 'fifo WIDTH=2,DEPTH=5 bounded 3 u_input_check' 'not all covers reached'
proof 'stream_check:accused WIDTH=4 bounded 4 -' 'Assert failed'
expect 2 "$TOP/scripts/formal" no_such_module

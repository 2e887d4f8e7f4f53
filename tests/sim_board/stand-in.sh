#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The simulated board around a device that copies (stand_in.v): memory, time, errors, bounds, threads, waveforms. Then
# tulle-sim, which must notice that such a device multiplies nothing, and leave what explains it.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/lib.sh
source "$TOP/tests/sim_board/lib.sh"

board stand-in --top "$STAND_IN"

# A device without a memory port is not a board.
if "$TOP/sim/board/build" -o "$TMPDIR/none" base 2>none.log; then
    grep -q m_axi_mem0 "$TMPDIR/none/variant/rtl/tulle_top.v" || fail "a top without a memory port was built"
else
    grep -q 'no memory port m_axi_mem0' none.log || fail "why not: $(<none.log)"
fi

# tulle-sim on a device that computes nothing.
run=("$BUILD/bin/tulle-sim" spmm --board "sim:$BOARDS/stand-in" --rows 8 --k 64 --n 32)
status=0
"${run[@]}" --dump wrong --stalls 3 >wrong.out 2>wrong.log || status=$?
[[ $status == 1 ]] || fail "tulle-sim ended with $status on a device that is wrong"
for text in 'a plain computation gives' 'memory: output + 0x' 'bytes differ' 'status record: ' 'first wrong cycle: ' \
    'wrong.events' 'wrong.fst'; do
    grep -qF "$text" wrong.log || fail "tulle-sim does not say '$text': $(<wrong.log)"
done
[[ -s wrong.fst ]] || fail "no waveform"
cycle=$(sed -n 's/^first wrong cycle: //p' wrong.log)
awk -v cycle="$cycle" '
    $1 ~ /^[0-9]+$/ && $1 > cycle { print "an event behind the first wrong cycle: " $0; late = 1 }
    $1 == cycle && $2 == "response" { there = 1 }
    END { exit late || !there }' wrong.events || fail "events up to cycle $cycle: $(<wrong.events)"

# A device whose job does not end.
status=0
"${run[@]}" --fault deaf:read --limit 5000 --dump stuck >stuck.out 2>stuck.log || status=$?
[[ $status == 1 ]] || fail "tulle-sim ended with $status on a device that is stuck"
grep -q 'no interrupt in 5000 cycles' stuck.log || fail "tulle-sim does not say that the job is stuck: $(<stuck.log)"
"${run[@]}" --fault deaf:read --limit 5000 --dump stuck --json 2>/dev/null >stuck.json || true
grep -q '"agrees": false, "code": null,.* "cycles": null' stuck.json || fail "JSON of a stuck job: $(<stuck.json)"
[[ -s stuck.fst && -s stuck.events ]] || fail "nothing to look at when the job is stuck"
finish

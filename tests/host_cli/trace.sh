#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle trace: what it tells adds up to the counters of the job, filters leave what they should, and value changes are the same.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
unset TULLE_DATA
case=tiny-random-30

does bench --only "$case" --json --output run.json
cycles=$(field cycles <(grep -o '"model": {[^}]*' run.json))
beats=$(field bus_beats run.json)
does trace "$case" --json --vcd trace.vcd
cp out all.json
awk -v cycles="$cycles" -v beats="$beats" '
    function number(name) { return match($0, "\"" name "\": [0-9]+") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0 : -1 }
    {
        if (number("cycle") < last || number("cycle") >= cycles) { print "not in order, or after the end:", $0; exit bad = 1 }
        last = number("cycle")
        cluster = number("row") "." number("cluster")
    }
    /"packet"/ { sent += number("beats"); open++ }
    /"packet_end"/ { open-- }
    /"instruction"/ && /"MAC"/ { issued[cluster]++ }
    /"mac"/ && /"kind": "mac",/ { if (number("mac") != begun[cluster, number("pe")]++) { print "out of turn:", $0; exit bad = 1 } }
    /"mac_end"/ { if (number("mac") != summed[cluster, number("pe")]++) { print "out of turn:", $0; exit bad = 1 } }
    END {
        if (bad) exit 1
        if (sent != beats || open) { print sent, "beats of packets,", open, "of which did not end; the counter says", beats; exit 1 }
        for (r = 0; r < 2; r++) for (c = 0; c < 2; c++) for (p = 0; p < 2; p++) {
            key = r "." c
            if (!issued[key] || begun[key, p] != issued[key] || summed[key, p] != issued[key]) {
                print "cluster", key, "issued", issued[key] + 0, "and PE", p, "began", begun[key, p] + 0, "and ended", summed[key, p] + 0
                exit 1
            }
        }
    }' all.json >odd || fail "$(cat odd)"

# Filters.
does trace "$case" --json --row 1 --cluster 0
grep '"row": 1, ' all.json | grep -E '"cluster": 0|"clusters": \[0' | diff - out >/dev/null || fail 'a row and a cluster'
does trace "$case" --json --pe 1 --macs --from 1000 --to 2000
awk 'match($0, /"cycle": [0-9]+/) { at = substr($0, RSTART + 9, RLENGTH - 9) + 0 } at >= 1000 && at < 2000 && /"pe": 1,/' all.json |
    diff - out >/dev/null || fail 'a PE in a window'
[[ -s out ]] || fail 'nothing in the window'
does trace "$case" --packets
[[ $(grep -cE '(exec|config) packet for buffer' out) == $(grep -c '"kind": "packet"' all.json) ]] || fail "packets: $(head out)"
! grep -q MAC out || fail "more than packets: $(grep -m 1 MAC out)"

# Value changes: one for each event, two for an instruction, at times that go up, of what was declared.
awk '
    FNR == NR { wanted += /"instruction"/ ? 2 : 1; next }
    $1 == "$var" { known[$4] = 1 }
    /^#/ { if (substr($0, 2) + 0 <= time) { print "time:", $0; exit bad = 1 } time = substr($0, 2) + 0 }
    /^[bs]/ { changes++; if (!known[$2]) { print "not declared:", $0; exit bad = 1 } }
    END { if (!bad && changes != wanted) { print changes, "changes for", wanted; exit 1 } exit bad }' all.json trace.vcd >odd ||
    fail "$(cat odd)"

# A case of its own, and what cannot be.
does trace --op spmv --weights 'random 64 64 0.2 1' --variant tiny --instructions
grep -q 'MAC, place 1 of buffer' out || fail "$(head out)"
refuses 1 'there is no case nobody' trace nobody
refuses 1 'TULLE_DATA does not say where' trace bcsstk13
refuses 1 '--row 5: tiny has 0..1' trace "$case" --row 5
refuses 1 'do not say a product' trace --op spmm --weights nothing
TULLE_BOARDS=$PWD refuses 1 'makes it' trace "$case" --waveform wave.fst
refuses 1 'no/out' trace "$case" --output no/out
refuses 2 'which case?' trace
refuses 2 'one of them, please' trace "$case" --op spmm
refuses 2 'behind --from' trace "$case" --from 10 --to 10

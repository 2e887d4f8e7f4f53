#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle trace beside a simulated device: its waveform of the window, and value changes at the waveform's times.
# timeout: 900

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator
# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
plain_build

"$TOP/sim/board/build" -o "$BUILD/board/tiny" tiny
"$TOP/sim/board/build" --trace -o "$BUILD/board/tiny" tiny
export TULLE_BOARDS=$BUILD/board
window=(trace tiny-random-30 --from 400 --to 700)
does "${window[@]}" --vcd alone.vcd
does "${window[@]}" --vcd beside.vcd --waveform device.fst
[[ $(head -c 1 device.fst | od -An -tu1 | tr -d ' ') == 0 ]] || fail 'no waveform of 300 cycles'
size=$(stat -c %s device.fst)
does trace tiny-random-30 --from 400 --to 410 --waveform short.fst
(($(stat -c %s short.fst) < size)) || fail 'ten cycles take as much as 300'

# The same changes, all of them later by when the job begins on the board.
shift=$(paste <(grep '^#' alone.vcd) <(grep '^#' beside.vcd) | sed 's/#//g' | awk '{ print $2 - $1 }' | sort -u)
[[ $shift =~ ^[1-9][0-9]*0$ ]] || fail "not one distance: $shift"
diff <(grep -v '^#' alone.vcd) <(grep -v '^#' beside.vcd) >/dev/null || fail 'other changes'

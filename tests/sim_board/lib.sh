# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of simulated boards share.

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator

BOARDS=$BUILD/board
# shellcheck disable=SC2034 # for the scripts that source this
STAND_IN=$TOP/tests/sim_board/stand_in.v
BOARD_TEST=$BUILD/tests/tool/board-test
cd "$TMPDIR" || exit

# board NAME OPTION...: builds it with and without waveforms, and runs the tests on it.
board() {
    local name=$1
    shift
    "$TOP/sim/board/build" "$@" -o "$BOARDS/$name" base
    "$TOP/sim/board/build" --trace "$@" -o "$BOARDS/$name" base
    TULLE_BOARD=$BOARDS/$name "$BOARD_TEST" || fail "the board $name"
}

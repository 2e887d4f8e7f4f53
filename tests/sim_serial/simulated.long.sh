#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The board with a serial line as Verilog, bit by bit: every answer that there can be, products through library, loader
# and driver, noise on the line, a device that does not answer, and seeded bugs that must be noticed.
# timeout: 1200
set -euo pipefail
cd "$TMPDIR"

# shellcheck source=scripts/lib.sh
source "$TOP/scripts/lib.sh"

server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null' EXIT

# serve FOLDER OPTION...: the line, once it is there.
serve() {
    : >server.out # at once: what the one before said is no answer
    "$BUILD/bin/tulle-seriald" --board "$1" --link "$TMPDIR/line" "${@:2}" >server.out 2>&1 &
    server=$!
    for ((i = 0; i < 300; i++)); do
        ! grep -q 'is the line' server.out || return 0
        kill -0 "$server" 2>/dev/null || die "tulle-seriald does not start: $(<server.out)"
        sleep 0.1
    done
    die "tulle-seriald says nothing"
}

stop() {
    local status=0
    kill "$server"
    wait "$server" || status=$?
    server=
    ((status == 0)) || die "tulle-seriald: exit status $status, $(<server.out)"
    [[ ! -e $TMPDIR/line ]] || die "the link stays"
}

probe() {
    "$BUILD/tests/tool/serial-probe" "$TMPDIR/line" 1000000 "$@" >probe.out 2>&1
}

# expect STATUS TEXT OPTION...
expect() {
    local status=0
    "$BUILD/bin/tulle-seriald" "${@:3}" >out 2>&1 || status=$?
    [[ $status == "$1" && $(<out) == *"$2"* ]] || die "tulle-seriald ${*:3}: exit status $status, $(<out)"
}

expect 0 'Usage: tulle-seriald' --help
expect 2 '--link is missing' --board x
expect 2 '--noise many: allowed 0..4294967295' --board x --link y --noise many
expect 1 'sim/serial/build makes it' --board "$TMPDIR" --link "$TMPDIR/line"

"$TOP/sim/serial/build" -o board tiny
: >taken
expect 1 'File exists' --board board --link taken

serve board
probe || die "$(<probe.out)"
"$BUILD/bin/tulle" devices "serial:$TMPDIR/line;baud=1000000;patience=60" >out || die "$(<out)"
grep -q 'variant tiny .*128 KiB' out || die "tulle devices: $(<out)"
stop

export OCL_ICD_VENDORS=$BUILD/vendors TULLE_DEVICES="serial:$TMPDIR/line;baud=1000000;patience=60"
serve board --noise 900 --seed 3
"$BUILD/bin/tulle" run spmm --rows 4 --k 32 --n 16 --check >out 2>&1 || die "spmm: $(<out)"
grep -q 'checked  *every result is right' out || die "not checked: $(<out)"
"$BUILD/bin/tulle" run spmv --rows 20 --k 24 --check >out 2>&1 || die "spmv: $(<out)"
grep -q 'checked  *every result is right' out || die "not checked: $(<out)"
stop

# Reads of registers are taken and never answered.
"$TOP/sim/serial/build" -o dead --change tulle_control "rvalid_o  = rvalid_q;" "rvalid_o  = 1'b0;" tiny
serve dead
probe dead || die "$(<probe.out)"
stop

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Results of several runs that lie side by side leave Verilated devices as whole beats and bursts: the device agrees whatever the
# memory does, takes the time that the cycle model predicts, and its port shows the beats.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

# port OPTION...: of an operator that is run, in percent: WHOLE, bytes that are written in whole beats, and LONG, in bursts of four beats
# and more.
port() {
    "$TULLE_SIM" "$1" "${DEVICE_OPTIONS[@]}" "${@:2}" --json >"$TMPDIR/port"
    local bytes
    bytes=$(number port_bytes)
    WHOLE=$((100 * $(number port_bytes_whole) / bytes))
    LONG=$((100 * $(number port_bytes_long) / bytes))
}

number() {
    sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" "$TMPDIR/port"
}

# gathers WHOLE LONG OPTION...: at least so many per cent.
gathers() {
    port "${@:3}"
    ((WHOLE >= $1 && LONG >= $2)) || fail "${*:3}: $WHOLE % in whole beats, $LONG % in long bursts"
}

device tiny-gather tiny --set gather_lines=256
random_operators
predicted
gathers 95 80 spmm --rows 16 --held 4 --k 128 --n 64 --density 0.5 --plan is:mm
gathers 95 80 spmm --rows 64 --held 1 --k 64 --n 64 --density 0.2 --plan is:nm

# K is no power of two, beats and runs are not multiples of each other.
device five-gather tiny --set k=5 --set row_bus_width=128 --set memory_width=128 --set gather_lines=256
for seed in 1 2 3; do
    agrees spmm --rows 12 --held 3 --k 37 --n 43 --density 0.5 --seed "$seed" --stalls "$seed"
done
gathers 80 60 spmm --rows 12 --held 3 --k 37 --n 60 --density 0.5 --plan is:mm

# The same without lines: the bars are not what a device reaches anyhow.
device tiny tiny
port spmm --rows 16 --held 4 --k 128 --n 64 --density 0.5 --plan is:mm
((LONG < 80)) || fail "$LONG % leave in long bursts without lines"
finish

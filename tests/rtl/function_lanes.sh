#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_function_lanes and tulle_curve against sim/numerics, in Icarus.
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/functions/lanes.sh
source "$TOP/tests/rtl/functions/lanes.sh"
need iverilog

cd "$TOP"
lanes_build
lanes_table
for width in 32 64; do
    lanes_icarus LANES=4 ACC_WIDTH=$width FUNCTIONS=2047
done
for width in 24 52; do
    lanes_icarus LANES=4 ACC_WIDTH=$width FUNCTIONS=2047 ROUNDINGS=1
done
lanes_icarus LANES=1 PAUSE=0 STALL=0
lanes_icarus LANES=16 PAUSE=128 STALL=200
# none; relu; leaky relu; clamp; requantise; user; a curve alone, which rounds without a zero point; both with leaky relu
roundings=0
for functions in 1 3 5 9 65 1025 17 33 53; do
    lanes_icarus LANES=3 ACC_WIDTH=64 FUNCTIONS=$functions ROUNDINGS=$((roundings = !roundings))
done
finish

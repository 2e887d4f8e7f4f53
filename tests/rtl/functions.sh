#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_functions against sim/numerics, in Icarus: a quarter of the requests that Verilator gets in
# functions.long.sh.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/functions/lib.sh
source "$TOP/tests/rtl/functions/lib.sh"
need iverilog

cd "$TOP"
functions_build
functions_icarus PES=8 ACC_WIDTH=64 BUFFERS=8 ROUNDS=1 EACH=4
functions_icarus PES=8 ACC_WIDTH=32 BUFFERS=8 FUNCTIONS=2047 ROUNDS=1 EACH=4
for width in 24 64; do
    functions_icarus PES=3 ACC_WIDTH=$width BUFFERS=8 FUNCTIONS=2047 ROUNDINGS=1 ROUNDS=2 EACH=4
done
functions_icarus PES=5 ACC_WIDTH=33 BUFFERS=3 DIGITS=1 ROUNDINGS=1 ROUNDS=4 EACH=4
functions_icarus PES=1 ACC_WIDTH=32 BUFFERS=1 FUNCTIONS=5 ROUNDINGS=1 ROUNDS=4 EACH=4 # leaky relu alone
functions_icarus PES=3 ACC_WIDTH=24 BUFFERS=4 FUNCTIONS=1025 ROUNDS=1 EACH=4
functions_icarus PES=1 ACC_WIDTH=32 BUFFERS=1 FUNCTIONS=71 ROUNDS=1 EACH=4
functions_icarus PES=2 ACC_WIDTH=32 BUFFERS=8 FUNCTIONS=49 ROUNDS=2 EACH=2 # curves alone
functions_icarus PES=16 ACC_WIDTH=32 BUFFERS=32 PAUSE=250 FUNCTIONS=65 ROUNDS=1 EACH=4
finish

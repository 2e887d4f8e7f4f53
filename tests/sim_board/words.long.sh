#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every word of three programs flipped, all its bits and one of them (words.soak.sh: each): what the functional model
# says of it, nothing wrong in memory, and the next job is right.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

FLIPS=${FLIPS:-2}
fuzz tiny --words "$FLIPS" --seed 2 --set operator=1 --set rows=5 --set k=16 --set n=5 --set held=2
fuzz tiny --words "$FLIPS" --seed 3 --set operator=2 --set rows=9 --set k=40
fuzz tiny --words "$FLIPS" --seed 2 --set operator=0 --set size=22
finish

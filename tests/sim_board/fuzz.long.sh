#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A slice of the fuzzer: random operators, harmed programs, failing memories and abused registers on three devices;
# fuzz.soak.sh has more.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

fuzz tiny --count 150
# A soft reset at any moment, a start while it runs, a slot taken away.
for abuse in 1 2 3; do
    fuzz tiny --count 40 --set mutation=0 --set fault=0 --set abuse=$abuse
done
fuzz --every-key tiny --count 50 --set mutation=0 --set fault=0
fuzz --sweep 1 --count 40
finish

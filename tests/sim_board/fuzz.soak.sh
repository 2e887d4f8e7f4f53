#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The fuzzer on ten random devices, on five with every key, and longer on tiny.
# timeout: 7200
# expected: 2700
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

fuzz tiny --seed 1001 --count 2000
fuzz --sweep 10 --count 100
fuzz --every-key --sweep 5 --count 100
finish

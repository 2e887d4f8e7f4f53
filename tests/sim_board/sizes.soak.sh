#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Arrays with one row, one cluster, one PE and three PEs, and the large ones, which compile for minutes: base, base4 and wide;
# operators and harmed ones.
# timeout: 7200
# expected: 4000
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

sized n=1
sized m=1
sized k=1
sized k=3
fuzz base --count 200
fuzz base4 --count 100
fuzz wide --count 60
finish

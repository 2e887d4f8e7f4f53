#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The smallest array, of one row, one cluster and one PE, one with 16-bit data, and one with numbers that are no powers of two: operators and harmed
# ones. sizes.soak.sh has more.
# timeout: 1500
set -euo pipefail
COUNT=50

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

sized n=1 m=1 k=1
sized n=1 m=1 data_width=16 acc_width=64
fuzz odd --count 40
finish

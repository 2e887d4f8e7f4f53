#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The large arrays, which compile for minutes: base, base4 and wide, operators and harmed ones.
# timeout: 7200
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

fuzz base --count 200
fuzz base4 --count 100
fuzz wide --count 60
finish

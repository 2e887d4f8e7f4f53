#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A slice of the fuzzer: random operators, harmed programs, failing memories and abused registers on four devices.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/sim_board/fuzz_lib.sh
source "$TOP/tests/sim_board/fuzz_lib.sh"

fuzz tiny --count 300
fuzz --sweep 3 --count 60
finish

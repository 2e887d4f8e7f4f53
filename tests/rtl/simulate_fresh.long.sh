#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Four new random variants, simulated as in simulate.long.sh.
# timeout: 3600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog verilator

"$TOP/scripts/simulate-variants" --jobs 1 --out "$TMPDIR/simulated" --sweep 4

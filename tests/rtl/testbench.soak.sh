#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The emitted test bench passes for the largest named variant, which compiles for minutes.
# timeout: 3600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator

run_testbench verilator wide

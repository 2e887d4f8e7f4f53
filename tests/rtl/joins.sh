#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_join_lanes against sim/numerics, in Icarus.
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/joins/lib.sh
source "$TOP/tests/rtl/joins/lib.sh"
need iverilog

cd "$TOP"
joins_build
joins_icarus 4 32 120
joins_icarus 1 64 120
joins_icarus 8 36 60
joins_icarus 16 48 30
finish

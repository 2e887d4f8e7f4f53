#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_softmax against sim/numerics, in Icarus.
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/softmax/lib.sh
source "$TOP/tests/rtl/softmax/lib.sh"
need iverilog

cd "$TOP"
softmax_build
softmax_icarus 4 8 256 40
softmax_icarus 1 1 64 40
softmax_icarus 2 16 64 24
softmax_icarus 16 16 4096 16
finish

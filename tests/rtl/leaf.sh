#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of leaf modules (leaf_tb.v) in Icarus.
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

cd "$TOP"
leaf_modules
iverilog -g2005 -s leaf_tb -o "$TMPDIR/leaf.vvp" "${LEAF_FILES[@]}"
vvp -n "$TMPDIR/leaf.vvp" | tee "$TMPDIR/log"
grep -q '^leaf_tb: PASS' "$TMPDIR/log"

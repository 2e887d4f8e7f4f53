#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of leaf modules (leaf_tb.v) in Icarus, at two paces: nobody waits, and both ends do. leaf.long.sh has all.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

cd "$TOP"
leaf_modules
iverilog -g2005 -Pleaf_tb.PACES=2 -s leaf_tb -o "$TMPDIR/leaf.vvp" "${LEAF_FILES[@]}"
vvp -n "$TMPDIR/leaf.vvp" | tee "$TMPDIR/log"
grep -q '^leaf_tb: PASS' "$TMPDIR/log"

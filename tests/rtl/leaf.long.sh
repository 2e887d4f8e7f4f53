#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches of leaf modules (leaf_tb.v) in Verilator, at all paces.
# timeout: 900
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator

cd "$TOP"
leaf_modules
# Benches compute with integers, so widths differ in nearly every line; the modules themselves are linted.
verilator --binary --timing -j 0 -O1 -MAKEFLAGS "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" -Wno-WIDTH \
    --top-module leaf_tb --Mdir "$TMPDIR/leaf" "${LEAF_FILES[@]}" >"$TMPDIR/build.log" 2>&1 || {
    cat "$TMPDIR/build.log"
    exit 1
}
"$TMPDIR/leaf/Vleaf_tb" | tee "$TMPDIR/log"
grep -q '^leaf_tb: PASS' "$TMPDIR/log"

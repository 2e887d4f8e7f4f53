# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs of the bench of tulle_join_lanes.

JOINS_RTL=rtl # where the module under test is

joins_build() {
    "$BUILD/bin/tulle-gen" tiny -o "$TMPDIR/header" >"$TMPDIR/log"
    "${CC:-gcc}" -std=c11 -O2 -I. -o "$TMPDIR/pairs" tests/rtl/joins/pairs.c sim/numerics/{numerics,user,join}.c
}

# joins_icarus LANES ACC SCALES
joins_icarus() {
    "$TMPDIR/pairs" "$1" "$2" "${SEED:-1}" "$3" >"$TMPDIR/pairs.txt"
    iverilog -g2005 -s joins_tb "-Pjoins_tb.LANES=$1" "-Pjoins_tb.ACC=$2" "-I$TMPDIR/header/include" -o "$TMPDIR/joins.vvp" \
        tests/rtl/joins_tb.v "$JOINS_RTL/tulle_join_lanes.v" rtl/tulle_{require,assert,sum}.v
    { vvp -n "$TMPDIR/joins.vvp" "+pairs=$TMPDIR/pairs.txt" >"$TMPDIR/log" 2>&1 &&
        grep -q '^joins_tb: PASS' "$TMPDIR/log"; } || {
        cat "$TMPDIR/log"
        fail "SEED=${SEED:-1} LANES=$1 ACC=$2"
        return 1
    }
    echo "LANES=$1 ACC=$2: $(grep '^joins_tb: PASS' "$TMPDIR/log")"
}

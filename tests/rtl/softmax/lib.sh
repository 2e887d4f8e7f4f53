# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Runs of the bench of tulle_softmax.

SOFTMAX_RTL=rtl # where the module under test is

softmax_build() {
    "${CC:-gcc}" -std=c11 -O2 -I. -o "$TMPDIR/rows" tests/rtl/softmax/rows.c sim/numerics/{numerics,user,join,softmax}.c
}

# softmax_icarus LANES PES ROW ROWS
softmax_icarus() {
    "$TMPDIR/rows" "$1" "$2" "$3" "${SEED:-1}" "$4" >"$TMPDIR/rows.txt"
    iverilog -g2005 -s softmax_tb "-Psoftmax_tb.LANES=$1" "-Psoftmax_tb.PES=$2" "-Psoftmax_tb.ROW=$3" -o "$TMPDIR/softmax.vvp" \
        tests/rtl/softmax_tb.v "$SOFTMAX_RTL/tulle_softmax.v" rtl/tulle_{require,assert,block_ram,sum}.v
    { vvp -n "$TMPDIR/softmax.vvp" "+rows=$TMPDIR/rows.txt" >"$TMPDIR/log" 2>&1 &&
        grep -q '^softmax_tb: PASS' "$TMPDIR/log"; } || {
        cat "$TMPDIR/log"
        fail "SEED=${SEED:-1} LANES=$1 PES=$2 ROW=$3"
        return 1
    }
    echo "LANES=$1 PES=$2 ROW=$3: $(grep '^softmax_tb: PASS' "$TMPDIR/log")"
}

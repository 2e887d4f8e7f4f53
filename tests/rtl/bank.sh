#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The activation bank and the ways to it (bank_tb.v), in Icarus.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need iverilog

cd "$TOP"
play() {
    if bank_icarus "$@"; then
        echo "$*: $(grep PASS "$TMPDIR/log")"
    else
        cat "$TMPDIR/log" >&2
        fail "$*"
    fi
}

play PHASES=40
play MEM=512 READERS=2 OUTSTANDING=32 STALL=0 LATENCY=8 BUSY=90 PHASES=12
finish

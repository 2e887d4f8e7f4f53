#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The store engine and the collectors (tests/rtl/store/): random stores against a plain computation, in Icarus.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/store/lib.sh
source "$TOP/tests/rtl/store/lib.sh"
need iverilog

cd "$TOP"
store_build
store_icarus PROGRAMS=1
store_icarus CHANNEL_GROUPS=16 PROGRAMS=1
store_icarus CHANNEL_GROUPS=16 ROUNDINGS=1 LOOKUP=1 PROGRAMS=1
store_icarus CHANNEL_GROUPS=16 ROUNDINGS=1 JOINS=1 FUNCTIONS=65 PROGRAMS=2
store_icarus CHANNEL_GROUPS=16 ROUNDINGS=1 JOINS=1 SOFTMAX=64 FUNCTIONS=65 PROGRAMS=2
store_icarus LANES=8 COLLECTOR=512 PROGRAMS=1
store_icarus LINES=128 PROGRAMS=2
store_icarus TAKE=2 PES=2 LANES=2 CLUSTERS=3 PROGRAMS=2
store_icarus LINES=64 MEM=64 PES=5 LANES=2 ROWS=3 CLUSTERS=1 ACC=40 DEPTH=2 PROGRAMS=2
store_icarus PES=5 LANES=2 ROWS=3 CLUSTERS=1 MEM=64 ACC=40 DEPTH=2 CHANNEL_GROUPS=16 LOOKUP=1 PROGRAMS=2
finish

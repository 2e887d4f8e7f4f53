#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle_partial_reader and tulle_operand_reader (partial_reader_tb.v) in Icarus.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/partial_reader/lib.sh
source "$TOP/tests/rtl/partial_reader/lib.sh"
need iverilog

cd "$TOP"
partial_include
partial_icarus OPS=12 MEM=512 PES=8 ACC_WIDTH=32 LANES=4 BURSTS=4
partial_icarus OPS=12 MEM=64 PES=5 ACC_WIDTH=48 LANES=2 BURSTS=2
partial_icarus OPS=1 STEADY=200
partial_icarus OPERAND=1 OPS=12 MEM=64 PES=4 ACC_WIDTH=16 LANES=4 BURSTS=2
partial_icarus OPERAND=1 OPS=1 STEADY=100 ACC_WIDTH=16 LANES=8
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The store engine and the collectors in Verilator: many programs over the range of parameters.
# timeout: 1800
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
# shellcheck source=tests/rtl/store/lib.sh
source "$TOP/tests/rtl/store/lib.sh"
need verilator

cd "$TOP"
store_build
store_lint tulle_collector
store_lint tulle_collector -GCLUSTERS=3 -GPES=5 -GACC=48 -GDEPTH=2
store_lint tulle_store
store_lint tulle_store -GLANES=8
store_lint tulle_store -GPES=1 -GLANES=1 -GACC=64 -GROWS=1 -GCLUSTERS=1
store_lint tulle_store -GPES=5 -GLANES=2 -GMEM=64
store_lint tulle_store -GPES=3 -GLANES=4 -GACC=48 -GMEM=128
store_lint tulle_store -GPES=16 -GLANES=16 -GACC=24 -GMEM=256 -GROWS=4 -GCLUSTERS=3
store_verilator PROGRAMS=100
store_verilator LANES=8 COLLECTOR=512 PROGRAMS=60
store_lint tulle_store -GCHANNEL_GROUPS=64 -GFUNCTIONS=16\'d64
store_lint tulle_store -GCHANNEL_GROUPS=64 -GROUNDINGS=1 -GFUNCTIONS=16\'d64
store_lint tulle_store -GCHANNEL_GROUPS=64 -GLOOKUP=1 -GFUNCTIONS=16\'d64
store_lint tulle_store -GCHANNEL_GROUPS=16 -GLOOKUP=1 -GFUNCTIONS=16\'d64 -GPES=5 -GLANES=2 -GACC=24
store_lint tulle_store -GCHANNEL_GROUPS=16 -GFUNCTIONS=16\'d64 -GPES=5 -GLANES=2 -GACC=24
store_verilator LANES=1 MEM=64 PROGRAMS=60
store_verilator CHANNEL_GROUPS=32 LANES=8 COLLECTOR=512 PROGRAMS=60
store_verilator CHANNEL_GROUPS=32 ROUNDINGS=1 LANES=8 COLLECTOR=512 PROGRAMS=300
store_verilator CHANNEL_GROUPS=16 ROUNDINGS=1 PES=3 LANES=4 ROWS=1 MEM=128 ACC=64 PROGRAMS=60
store_verilator CHANNEL_GROUPS=32 LOOKUP=1 LANES=8 COLLECTOR=512 PROGRAMS=60
store_verilator CHANNEL_GROUPS=16 LOOKUP=1 PES=5 LANES=8 MEM=128 PROGRAMS=60
store_verilator CHANNEL_GROUPS=16 PES=5 LANES=2 ROWS=3 CLUSTERS=1 MEM=64 ACC=40 DEPTH=2 PROGRAMS=60
store_verilator CHANNEL_GROUPS=16 PES=3 LANES=4 ROWS=1 CLUSTERS=2 MEM=128 ACC=64 PROGRAMS=60
store_verilator CHANNEL_GROUPS=64 PES=1 LANES=1 ROWS=1 CLUSTERS=2 MEM=128 ACC=24 PROGRAMS=60
store_verilator LANES=2 ACC=48 MEM=128 COLLECTOR=256 PROGRAMS=60
store_verilator PES=1 LANES=1 ACC=33 ROWS=3 CLUSTERS=3 PROGRAMS=60
store_verilator PES=3 LANES=4 ACC=64 MEM=64 DEPTH=2 PROGRAMS=60
store_verilator PES=5 LANES=8 ROWS=3 CLUSTERS=1 MEM=256 PROGRAMS=60
store_verilator PES=7 LANES=4 ACC=40 ROWS=1 CLUSTERS=5 PROGRAMS=60
store_verilator PES=12 LANES=16 MEM=256 ROWS=2 CLUSTERS=3 DEPTH=64 PROGRAMS=60
store_verilator PES=16 LANES=16 ACC=24 MEM=64 COLLECTOR=512 ROWS=4 CLUSTERS=4 PROGRAMS=60
store_verilator PES=16 LANES=8 MEM=128 DEPTH=4 ROWS=5 CLUSTERS=3 PROGRAMS=60
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What balancing brings on a Verilated cluster of 8 PEs, in cycles, which are the same every time: with one PE of four times the
# others' weights, and with even weights, against the bars of tests/bench/cluster-cases.tsv. The long run plays the other cases
# there (make bench-cluster).
# timeout: 900
set -euo pipefail

# shellcheck source=tests/rtl/lib.sh
source "$TOP/tests/rtl/lib.sh"
need verilator

cd "$TOP"
for cases in heavy spmm-20-50-s4-neighbour spmm-10-30-s4-neighbour; do
    "$BUILD/bin/bench-cluster" --only "$cases" tests/bench/cluster-cases.tsv
done

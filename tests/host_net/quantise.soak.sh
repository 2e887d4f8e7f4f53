#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quantise.long.sh with more ways to quantise and prune LeNet.
# timeout: 1800
# expected: 120

# shellcheck source=tests/host_net/digits.sh
source "$TOP/tests/host_net/digits.sh"

digits "one scale for each layer" 9904 --per-tensor
digits "half of each layer pruned" 9895 --prune 0.5
digits "2 of 4" 9890 --prune-pattern 2:4
digits "90 % of all pruned" 9885 --prune 0.9 --prune-global

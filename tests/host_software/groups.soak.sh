#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# As groups.sh, with networks of many seeds and banks of several sizes.
# timeout: 7200
# expected: 600

# shellcheck source=tests/host_software/groups_lib.sh
source "$TOP/tests/host_software/groups_lib.sh"

compared=0
for seed in $(seq 100 139); do
    for bank in 0 4096 65536; do
        slices "$seed" $((seed % 3 + 2)) "$bank" || continue
        same_software "$seed"
        compared=$((compared + 1))
    done
done
((compared >= 60)) || fail "$compared networks could be cut"

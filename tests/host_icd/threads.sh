#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Threads on three devices, a fixed seed and a fresh one.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build
export OCL_ICD_VENDORS=$VENDORS TULLE_DEVICES='model:tiny,model:base,model:odd;memory=1M'
for seed in 1 $((RANDOM + 2)); do
    "$BUILD/tests/tool/icd-threads" "$seed" || fail "icd-threads $seed"
done

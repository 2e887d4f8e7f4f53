#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Eight threads on two devices that fail at random, a fixed seed and fresh ones. TULLE_STRESS=N: N times as many turns.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
# The program has the sanitizer that the driver has, so every build can run it.
export OCL_ICD_VENDORS=$VENDORS
turns=$((40 * ${TULLE_STRESS:-1}))

# stress SEED FAULT FAULT
stress() {
    export TULLE_DEVICES="model:tiny;fault=$2,model:tiny;memory=64M;fault=$3"
    "$BUILD/tests/tool/icd-stress" "$1" "$turns" || fail "TULLE_DEVICES='$TULLE_DEVICES' icd-stress $1 $turns"
}
seed=$((RANDOM + 2))
stress 1 ones:2500 gone:3100
stress "$seed" "gone:$((2000 + RANDOM % 2000))" "stuck:$((1000 + RANDOM % 1000))"
stress "$seed" "ones:$((2000 + RANDOM % 2000))" "hang:$((1000 + RANDOM % 1000))"

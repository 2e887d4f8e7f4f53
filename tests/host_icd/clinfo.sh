#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clinfo, which asks for everything, gets an answer to everything.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build
command -v clinfo >/dev/null || { echo "skipped: no clinfo" && exit 77; }

export OCL_ICD_VENDORS=$DRIVER TULLE_DEVICES="model:tiny,model:base;memory=1M"
timeout 60 clinfo >out 2>err || fail "clinfo: exit status $?: $(cat err)"
[[ ! -s err ]] || fail "clinfo: $(cat err)"
! grep -i 'error' out | grep -v 'Error Correction support' || fail "clinfo got errors"
grep -q 'Platform Name *Tulle' out || fail "no platform"
grep -q 'Number of devices *2' out || fail "not two devices"
grep -q 'Device Name *tulle model:base' out || fail "no base"
grep -q 'Built-in kernels *tulle_run' out || fail "no kernel"

# With no device the platform is still there, and nobody falls over.
TULLE_DEVICES='' timeout 60 clinfo >out 2>err || fail "clinfo without devices: exit status $?: $(cat err)"
grep -q 'Number of devices *0' out || fail "devices from nowhere"

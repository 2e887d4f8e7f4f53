#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 100,000 compiled networks with wrong bytes, layer by layer and with joined layers, with sanitizers: they are refused or harmless.
# timeout: 7200
# expected: 1800
set -euo pipefail

make -C "$TOP" -s BUILD="$BUILD/san" SAN=address,undefined "$BUILD/san/tests/host_net_device"
TULLE_MUTATIONS=${MUTATIONS:-100000} "$BUILD/san/tests/host_net_device" --filter 'host_net_device_compiled/wrong_bytes*' --verbose >out 2>&1 || {
    cat out
    exit 1
}
grep ' loaded, ' out
(($(grep -c ' loaded, ' out) == 2))

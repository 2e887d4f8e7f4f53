#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packets that go to the least loaded cluster: the same results, sooner. dispatch.soak.sh has three clusters.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

device tiny-dispatch tiny --set balance=dispatch
"$BUILD/tests/tool/dispatch-test" "$DEVICE"
finish

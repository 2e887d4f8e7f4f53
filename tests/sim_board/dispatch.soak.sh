#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# dispatch.sh with rows of three clusters.
# timeout: 900
# expected: 60
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

device tiny-dispatch-3 tiny --set m=3 --set balance=dispatch
"$BUILD/tests/tool/dispatch-test" "$DEVICE"
finish

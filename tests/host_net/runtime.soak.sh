#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# runtime.sh with all inputs.
# timeout: 1800
# expected: 150
set -euo pipefail

TESTED=10 exec "$TOP/tests/host_net/runtime.sh"

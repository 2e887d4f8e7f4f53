#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# units.long.sh with every fault.
# timeout: 1800
# expected: 200
set -euo pipefail

SAMPLE=1 exec "$TOP/tests/rtl/units.long.sh"

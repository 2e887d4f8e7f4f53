#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# units.sh with more seeds, and units.long.sh with every fault.
# timeout: 1800
# expected: 300
set -euo pipefail

SEEDS=4 "$TOP/tests/rtl/units.sh"
SAMPLE=1 exec "$TOP/tests/rtl/units.long.sh"

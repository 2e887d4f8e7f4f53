#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# functions.long.sh with every fault, and with more widths of accumulators.
# timeout: 1800
# expected: 300
set -euo pipefail

SAMPLE=1 exec "$TOP/tests/rtl/functions.long.sh"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutants.long.sh with every fault.
# timeout: 1800
# expected: 150
set -euo pipefail

SAMPLE=1 exec "$TOP/tests/rtl/mutants.long.sh"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pe_faults.long.sh with every fault.
# timeout: 1800
# expected: 50
set -euo pipefail

SAMPLE=1 exec "$TOP/tests/rtl/pe_faults.long.sh"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# proofs.sh with every fault.
# timeout: 1800
# expected: 120
set -euo pipefail

SAMPLE=1 exec "$TOP/tests/formal/proofs.sh"

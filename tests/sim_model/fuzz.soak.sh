#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.long.sh with more programs and operators.
# timeout: 1800
# expected: 300
set -euo pipefail

TULLE_FUZZ_RUNS=${TULLE_FUZZ_RUNS-32} TULLE_FRESH=16000 exec "$TOP/tests/sim_model/fuzz.long.sh"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bench of the PE with twenty seeds; SEEDS=N runs N, from FIRST_SEED.
# timeout: 7200
set -euo pipefail

SEEDS=${SEEDS-20} exec "$TOP/tests/rtl/pe.sh"

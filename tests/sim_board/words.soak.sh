#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same with every bit.
# timeout: 7200
set -euo pipefail

FLIPS=33 exec "$TOP/tests/sim_board/words.long.sh"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A short run of make fuzz-pcie: a hostile client made up by libFuzzer.
# timeout: 600
set -euo pipefail

"$TOP/tests/sim_pcie/tool/fuzz" 20

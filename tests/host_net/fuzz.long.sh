#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A short run of make fuzz-net: files of networks made up by libFuzzer.
# timeout: 900
set -euo pipefail

"$TOP/tests/host_net/tool/fuzz" 30

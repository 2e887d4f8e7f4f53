#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A long run of make fuzz-net, of a million files or more.
# timeout: 3600
# expected: 1900
set -euo pipefail

"$TOP/tests/host_net/tool/fuzz" 1800 | tee said
(($(sed -n 's/fuzz-net: \([0-9]*\) files.*/\1/p' said) >= 1000000)) || {
    echo "FAILED: less than a million files" >&2
    exit 1
}

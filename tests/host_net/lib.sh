# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of networks share.
set -euo pipefail
cd "$TMPDIR"
tulle=$BUILD/bin/tulle
tables=$BUILD/tests/tool/net-tables
# Debian's Python has the packages of the distribution; another one may come first in PATH.
PYTHON=/usr/bin/python3
export tulle tables PYTHON

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

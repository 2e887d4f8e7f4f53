#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/performance.md has the tables that tulle-explore prints.
set -euo pipefail

"$TOP/scripts/fill-tables" "$BUILD/bin/tulle-explore" <"$TOP/docs/performance.md" >"$TMPDIR/performance.md"
diff "$TOP/docs/performance.md" "$TMPDIR/performance.md" || {
    echo "docs/performance.md is not what the cycle model measures: run make explore-doc" >&2
    exit 1
}

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/dependencies.md has a line with a reason for each package of scripts/packages, and none besides.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"

# A line is "| `package` | group | reason |", alternatives as "`a` or `b`".
code='`'
sed -n "s/^| \($code.*$code\) | \([a-z]*\) | .\{20,\} |\$/\2 \1/p" "$TOP/docs/dependencies.md" |
    sed "s/$code or $code/|/g; s/$code//g" | sort >"$TMPDIR/documented"
awk '!/^#/ && NF { sub(/>=.*/, "", $2); print $1, $2 }' "$TOP/scripts/packages" | sort >"$TMPDIR/listed"
[[ -s $TMPDIR/listed ]] || fail "scripts/packages is empty"
diff "$TMPDIR/listed" "$TMPDIR/documented" ||
    fail "scripts/packages (<) and docs/dependencies.md (>) differ"
cut -d' ' -f2 "$TMPDIR/listed" | sort | uniq -d >"$TMPDIR/twice"
[[ ! -s $TMPDIR/twice ]] || fail "listed twice: $(cat "$TMPDIR/twice")"

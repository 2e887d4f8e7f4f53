# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the shell tests share: sourced first. A test stops at its first failure, saying what was expected.

set -euo pipefail

fail() {
    printf 'FAILED: %s\n' "$*"
    exit 1
}

# expect STATUS COMMAND...: runs it, output into $TMPDIR/output, and compares the exit status.
expect() {
    local want=$1 status=0
    shift
    "$@" >"$TMPDIR/output" 2>&1 </dev/null || status=$?
    ((status == want)) || fail "exit status $status instead of $want: $*" "$(printf '\n%s' "$(cat "$TMPDIR/output")")"
}

# says PATTERN: the last expect's output has a line that matches; says_not PATTERN: it has none.
says() {
    LC_ALL=C grep -q -a -e "$1" "$TMPDIR/output" || fail "no '$1' in: $(printf '\n%s' "$(cat "$TMPDIR/output")")"
}

says_not() {
    ! LC_ALL=C grep -q -a -e "$1" "$TMPDIR/output" || fail "unexpected '$1' in: $(printf '\n%s' "$(cat "$TMPDIR/output")")"
}

# copy_tree DIR FOLDER...: the Makefile and these folders, so that a test may change them.
copy_tree() {
    local to=$1
    shift
    mkdir -p "$to"
    cp "$TOP/Makefile" "$to"
    (cd "$TOP" && cp -r --parents "$@" "$to")
}

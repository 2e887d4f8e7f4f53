# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the shell tests of the generator share; they run in their private folder.

set -euo pipefail
cd "$TMPDIR"
# shellcheck disable=SC2034 # used by the scripts that source this one
GEN=$BUILD/bin/tulle-gen

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# refuse STATUS REGEX COMMAND...: the command exits with STATUS, prints nothing to standard output, and its
# message matches.
refuse() {
    local status=0 expected=$1 regex=$2
    shift 2
    "$@" >"$TMPDIR/refuse.out" 2>"$TMPDIR/refuse.err" || status=$?
    ((status == expected)) || fail "exit status $status, not $expected: $* ($(<"$TMPDIR/refuse.err"))"
    grep -Eq -- "$regex" "$TMPDIR/refuse.err" || fail "no '$regex' in the message of $*: $(<"$TMPDIR/refuse.err")"
    [[ ! -s $TMPDIR/refuse.out ]] || fail "$* failed, yet wrote to standard output"
    rm -f "$TMPDIR/refuse.out" "$TMPDIR/refuse.err"
}

# nothing_left FOLDER NAME...: the folder has these entries and no other, hidden ones included.
nothing_left() {
    local folder=$1 found expected
    shift
    found=$(find "$folder" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)
    expected=$(printf '%s\n' "$@" | sed '/^$/d' | sort)
    [[ $found == "$expected" ]] || fail "in $folder there is: $found; expected: $expected"
}

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

# clone_like DIR: what looks like a clone with everything built, for a tutorial: the sources and what is in $BUILD by links, but
# for the devices that it makes.
clone_like() {
    local path
    mkdir -p "$1/build/board"
    for path in "$TOP"/*; do
        [[ $path -ef $BUILD || ${path##*/} == build ]] || ln -s "$path" "$1"
    done
    for path in "$BUILD"/{bin,lib,host,vendors,flags}; do
        ln -s "$path" "$1/build"
    done
    export TULLE_BOARDS=$1/build/board
    # make there takes what is built, with the flags that it was built with; scripts drop MAKEFLAGS.
    GNUMAKEFLAGS="-- BUILD=${BUILD// /\\ } FLAGS=$(sed 's/ /\\ /g' "$BUILD/flags")"
    export GNUMAKEFLAGS
}

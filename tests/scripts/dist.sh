#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/make-dist: the archive has what is committed and nothing else, the same bytes from another clone with other dates
# and another mask.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"
command -v git >/dev/null || { echo "skipped: no git, which nothing but this needs" && exit 77; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_{AUTHOR,COMMITTER}_{NAME,EMAIL}=nobody

tree=$TMPDIR/tree
copy_tree "$tree" scripts gen/version.h
expect 1 env BUILD="$TMPDIR/out" "$tree/scripts/make-dist"
says 'from a git repository'
git -C "$tree" init -q
git -C "$tree" add -A
git -C "$tree" commit -q -m one
echo "not committed" >"$tree/other"
version=$(sed -n 's/^#define TULLE_VERSION "\(.*\)"/\1/p' "$TOP/gen/version.h")
expect 0 env BUILD="$TMPDIR/out" "$tree/scripts/make-dist"
says "/out/tulle-$version.tar.gz\$"
archive=$TMPDIR/out/tulle-$version.tar.gz
tar -tzf "$archive" | grep -v '/$' | sed 's|^[^/]*/||' | LC_ALL=C sort >"$TMPDIR/there"
git -C "$tree" ls-files | LC_ALL=C sort | diff - "$TMPDIR/there" || fail "files: committed (<), in the archive (>)"
mkdir "$TMPDIR/unpacked"
tar -C "$TMPDIR/unpacked" -xzf "$archive"
rm "$tree/other"
diff -r --exclude=.git "$tree" "$TMPDIR/unpacked/tulle-$version" || fail "the archive differs from the tree"
[[ -x $TMPDIR/unpacked/tulle-$version/scripts/make-dist ]] || fail "a script that cannot be run"

# Of a clone made later, by who lets nobody else read.
git clone -q "$tree" "$TMPDIR/clone"
find "$TMPDIR/clone" -exec touch -h -d 2001-02-03 {} +
(umask 077 && BUILD=$TMPDIR/again "$TMPDIR/clone/scripts/make-dist" >/dev/null)
cmp "$archive" "$TMPDIR/again/tulle-$version.tar.gz" || fail "another clone gives other bytes"
# What is changed and not committed is said, and is not in it.
echo more >>"$TMPDIR/clone/Makefile"
expect 0 env BUILD="$TMPDIR/again" "$TMPDIR/clone/scripts/make-dist"
says 'note: the working tree has changes'
cmp "$archive" "$TMPDIR/again/tulle-$version.tar.gz" || fail "what is not committed is in the archive"
expect 1 "$tree/scripts/make-dist" nosuch
says 'there is no commit nosuch'
expect 2 "$tree/scripts/make-dist" --wrong

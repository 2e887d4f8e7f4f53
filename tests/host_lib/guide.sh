#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The programs of docs/libtulle.md and of tulle(7) compile without warnings and print what stands there.

# shellcheck source=tests/host_lib/lib.sh
source "$TOP/tests/host_lib/lib.sh"
plain_build

# A program is a block of C that begins with its name in a comment; the next block of text is what it prints.
awk '
    /^```c$/ { first = 1; next }
    /^```text$/ { if (name) file = name ".wanted"; else exit bad = 1; name = ""; next }
    /^```$/ { file = ""; next }
    first {
        first = 0
        if (name || !match($0, /^\/\* [a-z]+\.c: /)) exit bad = 1
        name = substr($0, 4, RLENGTH - 7)
        file = name ".c"
        print name
    }
    file { print > file }
    END { exit bad || name != "" }
' "$TOP/docs/libtulle.md" >programs || fail "docs/libtulle.md: a program without its output, or the other way round"
(($(wc -l <programs) >= 4)) || fail "docs/libtulle.md has only these programs: $(cat programs)"

mkdir include
cp "$HEADER" include
export OCL_ICD_VENDORS=$VENDORS TULLE_DEVICES=model:tiny
while read -r name; do
    build_c -Iinclude "$name.c" -L"$BUILD/lib" -ltulle -Wl,-rpath,"$BUILD/lib" -o "$name" || fail "$name.c does not compile"
    timeout 60 "./$name" >out 2>err </dev/null || fail "$name: exit status $?: $(cat err)"
    diff "$name.wanted" out || fail "$name: what the page says (<), what it prints (>)"
    [[ ! -s err ]] || fail "$name: $(cat err)"
done <programs

# Without a device the first one says so.
status=0
TULLE_DEVICES='' ./first >out 2>err || status=$?
((status == 1)) || fail "first without a device: exit status $status"
grep -q '^open: no such device: .*OCL_ICD_VENDORS' err || fail "first without a device says: $(cat err)"

# The manual's example is that first program, and prints the same.
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$MAN/tulle.7" | sed -n '/^\.Bd -literal$/,/^\.Ed/p' | sed '/^\./d; s/\\e/\\/g' |
    diff <(sed 1d first.c) - || fail "the example of tulle(7) (>) is not first.c of docs/libtulle.md (<)"
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$MAN/tulle.7" | sed -n '/^\$ /,/^\.Ed/p' | sed '1d; $d' | diff first.wanted - ||
    fail "tulle(7) (>) does not show what first.c prints (<)"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The generator built by gcc and the one built by clang write the same bytes.
# timeout: 600
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

for compiler in gcc clang; do
    if ! command -v "$compiler" >/dev/null; then
        echo "$compiler is not installed"
        exit 77
    fi
    make -s -C "$TOP" BUILD="$PWD/$compiler" CC="$compiler" "$PWD/$compiler/bin/tulle-gen"
    for variant in tiny wide odd; do
        "$compiler/bin/tulle-gen" "$variant" -o "$compiler-$variant" >/dev/null
    done
    "$compiler/bin/tulle-gen" --isa-doc >"$compiler-isa.md"
done
for output in tiny wide odd isa.md; do
    diff -r "gcc-$output" "clang-$output" || fail "$output depends on the compiler"
done

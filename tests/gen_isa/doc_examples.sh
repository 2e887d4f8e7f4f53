#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every example of docs/assembler.md assembles, to the words shown below it, and comes back from them; the
# mistakes shown there give the messages shown there.
set -euo pipefail
cd "$TMPDIR"
ASM=$BUILD/bin/tulle-asm
DOC=$TOP/docs/assembler.md

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# Blocks become files 01.tasm, 02.hex, ...: the number counts blocks, the extension is the block's kind.
awk '/^```[a-z-]+$/ { out = sprintf("%02d.%s", ++blocks, substr($0, 4)); printf "" > out; next }
     /^```$/ { out = ""; next }
     out { print > out }' "$DOC"

examples=0 shown=0 previous=''
for block in [0-9]*; do
    case $block in
    *.tasm)
        "$ASM" "$block" -o "$block.bin" || fail "example $block: $(<"$block")"
        examples=$((examples + 1))
        ;;
    *.hex)
        "$ASM" "$previous" --format hex | diff - "$block" >&2 || fail "the words shown in $block are not those of $previous"
        shown=$((shown + 1))
        ;;
    *.tasm-wrong)
        cp "$block" example.tasm
        ! "$ASM" example.tasm -o wrong.bin 2>messages || fail "$block assembles"
        [[ ! -e wrong.bin ]] || fail "a failed run left an output file"
        ;;
    *.text)
        diff messages "$block" >&2 || fail "the messages in $block are not those of $previous"
        shown=$((shown + 1))
        ;;
    esac
    previous=$block
done
((examples >= 6 && shown >= 4)) || fail "only $examples examples and $shown results found in $DOC"

# The program comes back from its words, by name; so does the configuration.
"$ASM" -d 02.tasm.bin -o again.tasm
"$ASM" again.tasm -o - | cmp - 02.tasm.bin
grep -q 'slot=program, offset=@cfg0, length=@cfg0.length' again.tasm

# Whatever the program lists is in the documentation of the language or of the encodings, and no option is left out.
for option in $("$ASM" --help | grep -oE -- '--[a-z]+' | sort -u); do
    grep -q -- "\`$option" "$DOC" || fail "docs/assembler.md does not have $option"
done
for section in $("$ASM" --list | sed -n 's/^\(\.[a-z]*\):.*/\1/p'); do
    grep -q "^| \`$section\`" "$DOC" || fail "docs/assembler.md does not have $section"
done

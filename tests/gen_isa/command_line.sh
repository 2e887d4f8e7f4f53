#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle-asm as a command: options, formats, where output goes, what is left behind.
set -euo pipefail
cd "$TMPDIR"
ASM=$BUILD/bin/tulle-asm

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# refuse STATUS REGEX COMMAND...: fails with the status and a message that matches, and writes nothing.
refuse() {
    local status=0 expected=$1 regex=$2 before
    shift 2
    before=$(ls -A)
    "$@" >/dev/null 2>"$HOME/err" || status=$?
    ((status == expected)) || fail "exit status $status, not $expected: $* ($(<"$HOME/err"))"
    grep -Eq -- "$regex" "$HOME/err" || fail "no '$regex' in the message of $*: $(<"$HOME/err")"
    [[ $(ls -A) == "$before" ]] || fail "$* left something behind"
}
mkdir home work
HOME=$PWD/home
cd work

# ---- wrong usage ----

echo $'.commands\nexec last' >a.tasm
refuse 2 'a file is missing' "$ASM"
refuse 2 'an output file is missing: give -o FILE' "$ASM" a.tasm
refuse 2 'unknown option "--lits"; did you mean --list\?' "$ASM" --lits
refuse 2 'one file at a time: "a.tasm" and "b.tasm"' "$ASM" a.tasm b.tasm -o x
refuse 2 '\-o needs a value' "$ASM" a.tasm -o
refuse 2 '\-\-output is given twice' "$ASM" a.tasm -o x -o y
refuse 2 '\-\-format txt: allowed bin, hex' "$ASM" a.tasm --format txt -o x
refuse 2 '\-\-as goes with -d only' "$ASM" a.tasm --as config -o x
refuse 2 '\-\-lenient goes with -d only' "$ASM" a.tasm --lenient -o x
refuse 2 '\-\-format goes without -d only' "$ASM" -d a.tasm --format hex
refuse 2 '\-\-as data: allowed program, config' "$ASM" -d a.tasm --as data
refuse 2 '\-\-data 12: allowed 8, 16' "$ASM" -d a.tasm --data 12
refuse 2 '\-\-index 17: allowed 6\.\.16' "$ASM" -d a.tasm --index 17
refuse 2 '\-\-pes 0x2: allowed 1\.\.16' "$ASM" -d a.tasm --pes 0x2
refuse 2 '\-\-beat 3: the entries of a beat take 16 bytes' "$ASM" -d a.tasm --beat 3
refuse 2 'Try tulle-asm --help' "$ASM" --wrong

# ---- information ----

grep -q '^Usage: tulle-asm' < <("$ASM" --help)
"$ASM" --wrong --help a b | cmp - <("$ASM" -h)
[[ $("$ASM" --version) =~ ^tulle-asm\ [0-9]+\.[0-9]+\.[0-9]+,\ instruction\ set\ [0-9]+\.[0-9]+$ ]]
"$ASM" --list >list
grep -q '^  distribute: Send a packet$' list
grep -q '^    wait_a_token      5 bits  0..31; only with wait_a$' list

# ---- assembling ----

"$ASM" a.tasm -o a.bin
"$ASM" - -o - <a.tasm | cmp - a.bin
[[ $(od -An -tx1 a.bin) == ' a0' ]]
[[ $("$ASM" a.tasm --format hex) == a0 ]]
"$ASM" a.tasm --format hex -o a.hex && [[ $(<a.hex) == a0 ]]
refuse 1 '^nowhere.tasm: error: cannot open: No such file' "$ASM" nowhere.tasm -o x
refuse 1 'no/x' "$ASM" a.tasm -o no/x
refuse 1 '^<stdin>:1:1: error: ' "$ASM" - -o x </dev/null
refuse 1 '^a.bin:1:1: error: a statement is expected here' "$ASM" a.bin -o x
refuse 1 'larger than 16777216 bytes' "$ASM" - -o x < <(head -c 16777217 /dev/zero)
printf '.instructions\nmac base=5\n.packets\npacket\n' >mixed.tasm
refuse 1 'hex output needs sections with words of one size' "$ASM" mixed.tasm --format hex -o x
"$ASM" mixed.tasm -o x && rm x

# What was there before stays when the new text has an error.
echo $'.commands\nexec lst' >b.tasm
cp a.bin before.bin
refuse 1 '^b.tasm:2:6: error: exec: no field "lst"; did you mean "last"\?$' "$ASM" b.tasm -o a.bin
cmp a.bin before.bin
[[ ! -w /dev/full ]] || refuse 1 'No space left' "$ASM" a.tasm -o /dev/full

# A program's image, with data that does not fill its last word, is 512-bit words in hex.
printf '.program\nprogram\nend\n.data\n.byte 1\n' >p.tasm
"$ASM" p.tasm -o p.bin
[[ $(stat -c %s p.bin) == 129 ]]
"$ASM" p.tasm --format hex >p.hex
[[ $(awk '{ print length($0) }' p.hex | tr '\n' ' ') == '128 128 128 ' ]]
[[ $(tail -n 1 p.hex) == "$(printf '%0127d1' 0)" ]]

# ---- taking apart ----

"$ASM" -d p.bin -o p2.tasm
"$ASM" p2.tasm -o - | cmp - p.bin
"$ASM" --as commands -d a.bin >c.tasm
[[ $(<c.tasm) == $'.commands\n    exec last' ]]
refuse 1 '^a.bin: error: this is not a program' "$ASM" -d a.bin
printf '\x60' >bad.bin
refuse 1 '^bad.bin: error: offset 0x0: config: reserved bits 2 to 3 must be 0, not 3$' "$ASM" -d --as commands bad.bin
grep -q '^    \.word 0x60 # config: reserved bits 2 to 3' < <("$ASM" -d --lenient --as commands bad.bin)

# Weights: the options say what a section's line may leave out.
printf '.weights\nsegment pe=1, 4:-5\n' >w.tasm
"$ASM" w.tasm --data 16 --index 6 --pes 2 --entries 2 --beat 12 -o w.bin
[[ $(stat -c %s w.bin) == 12 ]]
"$ASM" -d --as weights w.bin --data 16 --index 6 --pes 2 --entries 2 --beat 12 >w2.tasm
"$ASM" w2.tasm -o - | cmp - w.bin
grep -q '^\.weights data=16, index=6, pes=2, entries=2, beat=12$' w2.tasm
grep -q '^    segment pe=1, 4:-5$' w2.tasm

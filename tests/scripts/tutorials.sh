#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tutorials: their commands, in order, in a private folder, print what stands there. What takes a compiler of Verilog minutes
# is left to quickstart.long.sh and scripts/check-fresh. And scripts/tutorial itself finds what is wrong.
# timeout: 900

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"
unset TULLE_DEVICES TULLE_BOARDS TULLE_DATA OCL_ICD_VENDORS
tutorial=$TOP/scripts/tutorial

# ---- it finds what is wrong

cd "$TMPDIR"
# finds STATUS TEXT: of the document on standard input.
finds() {
    cat >wrong.md
    expect "$1" "$tutorial" "${@:3}" wrong.md
    says "$2"
}
cat >shared <<'D'
```sh
word=there
```
```sh
echo one; echo "two [*?] $word" >&2; echo three
```
D
text() {
    cat shared
    printf '%s\n' '' '```text' "$@" '```'
}
text one 'two [*?] there' three | finds 0 '2 blocks of commands run, 1 outputs as shown'
text one ... three | finds 0 '1 outputs as shown'
text ... | finds 0 '1 outputs as shown'
text one 'two ... there' three ... | finds 0 '1 outputs as shown'
text one three | finds 1 'wrong.md:8: this is not what the commands print'
text one ... four | finds 1 'this is not'
text one 'two [*?] ther' three | finds 1 'this is not'
text one 't.. [*?] there' three | finds 1 'this is not'
text one 'two x there' three | finds 1 'this is not'
printf '%s\n' '```sh' 'echo before' 'false' 'echo behind' '```' | finds 1 'wrong.md:1: a command failed'
says '^before$'
says_not '^behind$'
printf '%s\n' '```sh' 'false | cat' '```' | finds 1 'a command failed'
printf '%s\n' '```sh long' 'false' '```' '```text' 'x' '```' '```sh shown' 'false' '```' | finds 0 '0 blocks of commands run, 0 outputs as shown, 0 files written, 1 left out'
cp wrong.md whole.md
finds 1 'a command failed' --whole <whole.md
printf '%s\n' '```yaml' '# in/it.yml: a file' 'x: 1' '```' '```sh' 'cat in/it.yml' '```' '```text' '# in/it.yml: a file' 'x: 1' '```' |
    finds 0 '1 outputs as shown, 1 files written'
printf '%s\n' '```yaml' 'x: 1' '```' | finds 1 'a block of yaml without the name of its file'
printf '%s\n' '```text' 'x' '```' | finds 1 'no commands print this'
printf '%s\n' '```sh' 'true' | finds 1 'a block has no end'
printf '%s\n' '```text' 'x' '```' '```sh' 'false' '```' '```text' '$ echo a; echo b' 'a' '...' '```' '```text' '$ echo sim:' 'x' '```' >wrong.md
cp wrong.md consoles.md
finds 0 '1 blocks of commands run, 1 outputs as shown, 0 files written, 1 left out' --consoles <consoles.md
finds 1 'wrong.md:12: this is not what the commands print' --consoles --whole <consoles.md
printf '%s\n' '```text' '$ false' '```' | finds 1 'wrong.md:1: a command failed' --consoles
printf '%s\n' '```text' "\$ echo 'a" "b'; true" a b '$ true' '$ echo c' '...' '```' >several.md
finds 0 '3 blocks of commands run, 3 outputs as shown' --consoles <several.md
sed -i s/true/pwd/ several.md
finds 1 'wrong.md:1: this is not what the commands print' --consoles <several.md
printf '%s\n' '```sh' 'echo "' '```' | finds 1 'wrong.md:1: this is no command'

# ---- the tutorials

# do_tutorial NAME COMMANDS OUTPUTS [OPTION]: at least so many of them.
do_tutorial() {
    local ran compared
    mkdir "$TMPDIR/$1"
    clone_like "$TMPDIR/$1"
    cd "$TMPDIR/$1"
    timeout 400 "$tutorial" "${@:4}" "$TOP/docs/$1.md" >"$TMPDIR/done" 2>&1 || fail "$(cat "$TMPDIR/done")"
    read -r ran compared < <(sed -n 's/.*: \([0-9]*\) blocks of commands run, \([0-9]*\) outputs.*/\1 \2/p' "$TMPDIR/done")
    ((ran >= $2 && compared >= $3)) || fail "$(tail -n 1 "$TMPDIR/done")"
}
do_tutorial tutorial-first 6 5
do_tutorial tutorial-design 4 3
do_tutorial tutorial-offload 5 4
do_tutorial tutorial-ci 6 3
do_tutorial tutorial-networks 5 4

# Other documents that show commands with what they print.
do_tutorial tulle 4 4 --consoles
do_tutorial bench 1 1 --consoles

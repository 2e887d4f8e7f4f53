#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle program with loaders that are stand-ins: what they are given, what becomes of what they say, and of their ends.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"

mkdir -p bin kept
head -c 5000 /dev/urandom >payload
"$tulle" pack --bitstream payload --variant tiny --board ulx3s --transport serial -o known.tulle
"$tulle" pack --bitstream payload --variant tiny --board shelf --transport serial -o unknown.tulle
"$tulle" pack --model tiny -o model.tulle
PATH=$PWD/bin:$PATH
export TMPDIR=$PWD/kept

# loader NAME BODY: a program of that name. What it is called with goes to the file called, a line each.
loader() {
    printf '#!/bin/bash\nprintf "%%s\\n" "$@" >%s\n%s\n' "$PWD/called" "$2" >"bin/$1"
    chmod +x "bin/$1"
}

nothing_kept() {
    [[ -z $(ls kept) ]] || fail "left behind: $(ls -R kept)"
}

# The usual one: its arguments, the bytes, its words.
loader openFPGALoader "cat \"\${!#}\" >$PWD/loaded; echo Done"
shows 'ulx3s has tiny (until it is switched off): 5000 bytes' program known.tulle
grep -q '^Done$' out || fail "what the loader says is lost: $(cat out)"
cmp payload loaded || fail "the loader was given other bytes"
[[ $(head -n 2 called | tr '\n' ' ') == '--board ulx3s ' ]] || fail "arguments: $(cat called)"
[[ $(wc -l <called) == 3 && $(tail -n 1 called) == */ulx3s-tiny.bit ]] || fail "file: $(cat called)"
nothing_kept
shows '(to stay)' program known.tulle --flash
grep -qx -- --write-flash called || fail "--flash: $(cat called)"

# One of the user's own.
loader mine "cat \"\${!#}\" >$PWD/loaded.mine"
shows 'shelf has tiny' program unknown.tulle --loader 'mine  --one two'
[[ $(head -n 2 called | tr '\n' ' ') == '--one two ' ]] || fail "arguments: $(cat called)"
cmp payload loaded.mine || fail "the loader was given other bytes"
rm -f called
shows 'openFPGALoader --board ulx3s --write-flash FILE' program known.tulle --flash --print
[[ ! -e called ]] || fail "--print ran the loader"

# It fails, dies, hangs, is not there.
loader mine 'echo "no cable" >&2; exit 3'
refuses 1 'mine ended with exit status 3: the board has not been loaded' program known.tulle --loader mine
grep -q '^no cable$' err || fail "what the loader says is lost: $(cat err)"
# shellcheck disable=SC2016 # the loader's own number
loader mine 'kill -SEGV $$'
refuses 1 'ended by signal 11' program known.tulle --loader mine
loader mine 'exec sleep 100'
refuses 1 'took longer than 1 seconds (--patience)' program known.tulle --loader mine --patience 1
nothing_kept
refuses 1 'no-such-loader cannot be run' program known.tulle --loader no-such-loader
rm bin/openFPGALoader
! PATH=$PWD/bin "$tulle" program known.tulle 2>err || fail 'a loader that is not there was run'
grep -q 'error: openFPGALoader cannot be run: .*; install the package openfpgaloader' err || fail "$(cat err)"

refuses 1 'is for the board shelf, whose loader is not known: name it with --loader' program unknown.tulle
refuses 1 '--flash: not known how' program unknown.tulle --loader mine --flash
refuses 1 'has no bitstream but is of the kind model' program model.tulle
refuses 1 'cannot' program missing.tulle
refuses 2 'which container?' program
refuses 2 'patience' program known.tulle --patience 0
TMPDIR=$PWD/nowhere refuses 1 'set TMPDIR' program known.tulle --loader true
refuses 1 'at most' program known.tulle --loader "$(printf 'x %.0s' {1..40})"
refuses 1 'at most' program known.tulle --loader ' '
for board in "$TOP"/bitstreams/boards/*.board; do
    shows "$(basename "$board" .board) " program --list
done
nothing_kept

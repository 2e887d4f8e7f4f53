#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle convert: formats, options, and what becomes of outputs when it refuses.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"

# shows_file FILE TEXT: the file is that text.
shows_file() {
    diff "$1" - <<<"$2" || fail "$1 is not what it should be"
}

cat >m.mtx <<'END'
%%MatrixMarket matrix coordinate integer general
3 4 5
1 1 7
1 4 -300
2 2 0
3 1 2
3 3 5
END
does convert m.mtx m.npy
does convert m.npy back.mtx
shows_file back.mtx '%%MatrixMarket matrix coordinate integer general
3 4 4
1 1 7
1 4 -300
3 1 2
3 3 5'
head -c 128 m.npy | grep -aq "'<i2'" || fail "not the narrowest type"
does convert m.mtx f.npy --type float32
head -c 128 f.npy | grep -aq "'<f4'" || fail "not float32"
does convert m.mtx i64.npy --type int64
cmp <(tail -c 16 i64.npy | od -An -td8) <(echo 5 0 | awk '{ printf "%21d%21d\n", $1, $2 }')
does convert m.mtx array.mtx --array
shows_file array.mtx '%%MatrixMarket matrix array integer general
3 4
7
0
2
0
0
0
0
0
5
-300
0
0'
does convert m.mtx same.mtx
cmp m.mtx same.mtx
does convert m.mtx dropped.mtx --drop-zeros
cmp dropped.mtx back.mtx
does convert m.mtx flipped.mtx --transpose
shows_file flipped.mtx '%%MatrixMarket matrix coordinate integer general
4 3 5
1 1 7
1 3 2
2 2 0
3 3 5
4 1 -300'
does convert flipped.mtx twice.mtx --transpose
cmp m.mtx twice.mtx
does convert m.mtx p.smtx --pattern
shows_file p.smtx '3, 4, 5
0 2 3 5
0 3 1 0 2'
does convert p.smtx p.mtx --transpose
shows_file p.mtx '%%MatrixMarket matrix coordinate pattern general
4 3 5
1 1
1 3
2 2
3 3
4 1'
does convert p.smtx ones.npy
does convert ones.npy ones.smtx --pattern
cmp p.smtx ones.smtx
sed '1s/integer/real/; 3s/7/0.25/' m.mtx >real.mtx
does convert real.mtx real.npy
head -c 128 real.npy | grep -aq "'<f8'" || fail "not float64"
does convert real.mtx flipped-real.mtx --transpose
grep -q '^1 1 0.25$' flipped-real.mtx || fail "reals, transposed: $(cat flipped-real.mtx)"

cat >s.mtx <<'END'
%%MatrixMarket matrix coordinate integer symmetric
2 2 2
1 1 3
2 1 4
END
does convert s.mtx half.mtx --keep-symmetric
cmp s.mtx half.mtx
does convert s.mtx whole.mtx
grep -q '^2 2 3$' whole.mtx || fail "symmetry is not expanded: $(cat whole.mtx)"

# Names do not matter where formats are said; standard input and output.
cp m.npy some.data
does convert some.data other.data --from npy --to mtx
cmp back.mtx other.data
"$tulle" convert - - --to mtx <m.mtx >out
cmp m.mtx out
"$tulle" convert - - --from npy --to mtx <m.npy >out
cmp back.mtx out

# A file that is there is left alone.
echo before >there.mtx
refuses 1 'there.mtx: error: there is such a file; --force' convert m.mtx there.mtx
shows_file there.mtx before
does convert m.mtx there.mtx --force
cmp m.mtx there.mtx
does convert there.mtx there.mtx --force --transpose
cmp flipped.mtx there.mtx

# Nothing is lost, and what is refused leaves no output.
refuses 1 '--pattern drops them' convert m.mtx new.smtx
refuses 1 'not every value is exactly one of' convert m.mtx new.npy --type int8
refuses 1 'not every value is exactly one of' convert real.mtx new.npy --type int32
refuses 1 'cannot be a pattern' convert p.smtx new.mtx --array
refuses 1 'nowhere.mtx' convert nowhere.mtx new.mtx
refuses 1 'nowhere/new.mtx' convert m.mtx nowhere/new.mtx
refuses 1 'error' convert "$0" new.mtx
[[ ! -e new.mtx && ! -e new.npy && ! -e new.smtx ]] || fail "refused, and written"
refuses 1 'there is such a file' convert nowhere.mtx m.mtx
echo before >there.npy
refuses 1 'not every value' convert m.mtx there.npy --type int8 --force
shows_file there.npy before
left=(.tulle-*)
[[ ! -e ${left[0]} ]] || fail "left behind: ${left[*]}"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The modes of tulle-gen agree with each other, and wrong usage says what is wrong.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

# ---- wrong usage ----

usage() {
    refuse 2 "$@"
    nothing_left .
}

usage 'a variant is missing' "$GEN"
usage 'an output folder is missing: give -o DIR' "$GEN" tiny
usage 'unknown option "--lst"; did you mean --list\?' "$GEN" --lst
usage 'unknown option "--list=all"' "$GEN" --list=all
usage '\-o needs a value' "$GEN" tiny -o
usage 'one variant at a time: "tiny" and "base"' "$GEN" tiny base -o out
usage '\-\-list and --print exclude each other' "$GEN" --list --print
usage '\-\-list takes no variant' "$GEN" tiny --list
usage '\-\-output is given twice' "$GEN" tiny -o a -o b
usage 'leave out "tiny"' "$GEN" tiny --random 1 -o out
usage 'leave out "tiny"' "$GEN" tiny --corner 1 -o out
usage 'leave out one of them' "$GEN" --random 1 --corner 1 -o out
usage 'cannot be written to standard output' "$GEN" tiny -o -
usage 'leave out -o' "$GEN" --isa-headers out -o out
refuse 1 'a seed is a number' "$GEN" --random -1 -o out
refuse 1 'a seed is a number' "$GEN" --random 12345678901234567890 -o out

# ---- what the modes print ----

"$GEN" --help >help
for option in $("$GEN" --help | grep -oE -- '--[a-z-]+' | sort -u); do
    grep -q -- "\"$option\"" "$TOP/gen/tulle-gen.c" || fail "--help has $option, which the program does not know"
    grep -q -- "$option" "$TOP/docs/tulle-gen.md" || fail "docs/tulle-gen.md does not have $option"
done
"$GEN" tiny --help | cmp - help
[[ $("$GEN" --version) =~ ^tulle-gen\ [0-9]+\.[0-9]+\.[0-9]+,\ instruction\ set\ [0-9]+\.[0-9]+$ ]]

"$GEN" --list >list
for file in "$TOP"/gen/variants/*.yaml; do
    name=$(basename "$file" .yaml)
    grep -Eq "^$name +[0-9]+x[0-9]+x[0-9]+ +[0-9]+ PEs" list || fail "--list does not have $name"
    "$GEN" "$name" --print >"$name.yaml"
    "$GEN" "$name" --json >"$name.json"
    "$GEN" "$name.yaml" --json | cmp - "$name.json" || fail "--print of $name is another variant"
done
(($(wc -l <list) == $(find "$TOP/gen/variants" -name '*.yaml' | wc -l))) || fail "--list has more than there is"

# ---- a folder ----

"$GEN" odd -o out >summary
grep -q '3 x 2 x 5 .*30 PEs' summary || fail "no shape in the summary"
grep -q 'written to *out' summary || fail "the summary does not say where the output is"
cmp out/variant.json odd.json
hash=$(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' odd.json)
for file in out/include/* out/tulle.f out/tulle.core out/README.md out/docs/registers.md; do
    grep -q "hash $hash; do not edit" "$file" || fail "no banner with the hash in $file"
done

"$GEN" tiny --set n=1 --set functions=relu,max --json >set.json
"$GEN" tiny --set=n=1 --set=functions=relu,max --json | cmp - set.json
grep -q '"n": 1,' set.json || fail "--set n=1 has no effect"
grep -q '"functions": \["relu", "max"\]' set.json || fail "--set functions has no effect"

"$GEN" --random 7 --json >seven.json
"$GEN" --random 7 --json | cmp - seven.json
"$GEN" --random 7 --set name=lucky --json >lucky.json
grep -q '"name": "lucky"' lucky.json || fail "--set has no effect on --random"
"$GEN" --random 8 --json >eight.json
grep -q '"name": "corner_7"' < <("$GEN" --corner 7 --json) || fail "--corner 7 is not corner_7"
refuse 1 '\-\-corner x: a seed is a number' "$GEN" --corner x -o out
! cmp -s seven.json eight.json || fail "another seed gives the same variant"

# ---- standard output that takes nothing ----

for mode in "tiny --print" "tiny --json" --list --list-keys --isa-doc --register-doc --field-doc --help --version \
    "tiny -o full"; do
    status=0
    # shellcheck disable=SC2086 # several words
    "$GEN" $mode >/dev/full 2>message || status=$?
    ((status == 1)) || fail "$mode: exit status $status with a full standard output"
    grep -q 'stdout.*No space left' message || fail "$mode: $(<message)"
done
exec 3> >(true)
wait $!
status=0
(
    trap '' PIPE
    exec "$GEN" --isa-doc
) >&3 2>message || status=$?
((status == 1)) || fail "exit status $status with a closed pipe"
grep -q 'Broken pipe' message || fail "a closed pipe: $(<message)"

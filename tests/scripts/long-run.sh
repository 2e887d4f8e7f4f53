#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/long-run on stand-in tests: what it runs, that it goes on where it stopped, and what it begins within a part.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"

tree=$TMPDIR/tree
ran=$TMPDIR/ran

# add NAME SECONDS BODY: a soak test that is expected to take so long.
add() {
    mkdir -p "$tree/tests/unit"
    printf '#!/bin/bash\n# expected: %s\n# timeout: 7000\necho %s >>%q\n%s\n' "$2" "$1" "$ran" "$3" >"$tree/tests/unit/$1.soak.sh"
    chmod +x "$tree/tests/unit/$1.soak.sh"
}

# long STATUS NAMES [OPTION]...: the long run ends with that status and has begun just these, in this order.
long() {
    local want=$1 names=$2
    shift 2
    : >"$ran"
    expect "$want" env -u CI BUILD="$tree/build" "$tree/scripts/long-run" --jobs 1 "$@"
    [[ $(paste -sd ' ' "$ran") == "$names" ]] || fail "began '$(paste -sd ' ' "$ran")' and not '$names'"
}

mkdir "$tree"
cp -r "$TOP/scripts" "$tree"
# The steps of this tree: one, which ends at once.
sed -i 's/LONG_STEPS=(.*)/LONG_STEPS=(coverage)/' "$tree/scripts/steps.sh"
printf '#!/bin/bash\necho step >>%q\n' "$ran" >"$tree/scripts/coverage"
printf 'build/\n' >"$tree/.gitignore"
add short 60 'exit 0'
# shellcheck disable=SC2016 # expands in the stand-in
add bad 120 '[[ -e $BUILD/repaired ]]'
add huge 3000 'exit 0'

# A part of 20 minutes: the longest that fits first; what fails is run again, what has passed is not.
long 1 'step bad short' --minutes 20
says '^FAIL unit/bad.soak.sh .*log: '
says '^unit/huge.soak.sh is expected to take 3000 s: more than a part of 20 minutes$'
says '^long run: 2 passed, 1 failed, 1 left$'
long 1 'bad' --minutes 20

# Without the failure and with time enough for the rest it goes on to the end; then nothing is left.
touch "$tree/build/repaired"
long 0 'huge bad' --minutes 150
says '^long run: 4 passed, 0 failed, 0 left$'
long 0 ''
says '^long run: 4 passed, 0 failed, 0 left$'

# A rest is no failure, but the exit status tells it: bad does not fit behind huge.
rm -r "$tree/build/long"
add huge 55 'sleep 8'
add bad 54 'exit 0'
add short 5 'exit 0'
sed -i 's/\[coverage\]=[0-9]*/[coverage]=6/' "$tree/scripts/steps.sh"
long 75 'huge step short' --minutes 1
says '^long run: 3 passed, 0 failed, 1 left$'
long 0 'bad' --minutes 1

# What a test took is what it is expected to take from then on.
expect 0 env BUILD="$tree/build" "$tree/scripts/long-run" --list
says '^unit/short.soak.sh *[1-4] s  passed$'

# Other sources begin anew; one test alone.
git -C "$tree" init -q
git -C "$tree" -c user.name=t -c user.email=t@t add -A
git -C "$tree" -c user.name=t -c user.email=t@t commit -qm one
long 0 'short' unit/short.soak.sh
long 0 '' unit/short.soak.sh
echo '# another' >>"$tree/tests/unit/short.soak.sh"
long 0 'short' unit/short.soak.sh

expect 2 "$tree/scripts/long-run" unit/absent.soak.sh
expect 2 "$tree/scripts/long-run" --minutes 0
expect 0 "$tree/scripts/long-run" --help

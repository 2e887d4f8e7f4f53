#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/check with stand-ins for its steps: what it counts, and that a failing step fails it.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"

tree=$TMPDIR/tree
results=$tree/build/test-results
mkdir -p "$tree/tests/host_icd" "$tree/bin"
cp -r "$TOP/scripts" "$tree"

# stub FILE BODY: replaces a step of the tree.
stub() {
    printf '#!/bin/bash\n%s\n' "$2" >"$tree/$1"
    chmod +x "$tree/$1"
}

# check STATUS LAST-LINE ARGUMENT...
check() {
    local want=$1 last=$2
    shift 2
    expect "$want" env CI="${ci-}" BUILD="$tree/build" PATH="$tree/bin:$PATH" "$tree/scripts/check" "$@"
    [[ $(tail -n 1 "$TMPDIR/output") == "$last" ]] ||
        fail "last line is not '$last': $(printf '\n%s' "$(cat "$TMPDIR/output")")"
}

good_stubs() {
    stub bin/make "echo \"make \$*\" >>'$tree/made'"
    for name in install-deps format check-layers formal synth clock check-vm check-loader check-packages; do
        stub "scripts/$name" 'exit 0'
    done
    stub tests/host_icd/stress.sh 'exit 0'
    # shellcheck disable=SC2016 # expands in the stand-in
    stub scripts/run-tests 'mkdir -p "$BUILD/test-results"
        printf "<?xml version=\"1.0\"?>\n<testsuites>\n  <testsuite name=\"u\"/>\n</testsuites>\n" >"$BUILD/test-results/junit.xml"
        echo "3 passed, 0 failed, 0 skipped"'
}

# Steps count as one, the runs of tests as their tests. The report says the same.
good_stubs
check 0 '10 passed, 0 failed, 0 skipped' --quick
says '^PASS tests .*3 passed'
! grep -q 'clang\|san' "$tree/made" || fail "--quick built with clang or sanitizers"
check 0 '20 passed, 0 failed, 0 skipped'
says '^all in [0-9]* min [0-9]* s on [0-9]* processors$'
grep -q 'CC=clang' "$tree/made" || fail "no build with clang"
grep -q 'SAN=address,undefined' "$tree/made" || fail "no build with sanitizers"
grep -q 'SAN=thread' "$tree/made" || fail "no build with the sanitizer for threads"
! grep -v 'WERROR=1' "$tree/made" || fail "a build in which warnings are no errors"
[[ $(xmllint --xpath 'count(//testsuite[@name="check"])' "$results/junit.xml") == 14 ]] || fail "steps in junit.xml"
[[ $(xmllint --xpath 'count(//testsuite[contains(@name, "u")])' "$results/junit.xml") == 2 ]] || fail "tests in junit.xml"

# With sanitizers the driver's stress test counts, too.
stub tests/host_icd/stress.sh 'exit 1'
check 1 '20 passed, 1 failed, 0 skipped'
says '^FAIL sanitizer '

# shellcheck disable=SC2016 # expands in the stand-in
stub tests/host_icd/stress.sh '[[ $BUILD != */tsan ]]'
check 1 '20 passed, 1 failed, 0 skipped'
says '^FAIL sanitizer '

# A skipped step; in CI only where it is listed.
stub scripts/format 'echo no such tool; exit 77'
check 0 '9 passed, 0 failed, 1 skipped' --quick
says '^SKIP format .*no such tool'
ci=true check 1 '9 passed, 1 failed, 0 skipped' --quick
echo 'check/format not everywhere' >"$tree/tests/skips-allowed"
ci=true check 0 '9 passed, 0 failed, 1 skipped' --quick

# Failing tests, a run without tests, and a run that breaks off.
stub scripts/run-tests 'echo "2 passed, 1 failed, 0 skipped"; exit 1'
check 1 '8 passed, 1 failed, 1 skipped' --quick
# The names of tests that failed are once more before the summary, behind what they said.
# shellcheck disable=SC2016 # expands in the stand-in
stub scripts/run-tests 'mkdir -p "$BUILD/test-results"
    echo "---- u.broken.sh" >"$BUILD/test-results/u.broken.sh.failure"
    printf "PASS u/whole.sh\nFAIL u/broken.sh\n" >"$BUILD/test-results/u.cases"
    echo "2 passed, 1 failed, 0 skipped"; exit 1'
check 1 '8 passed, 1 failed, 1 skipped' --quick
[[ $(grep -B 3 '^== summary' "$TMPDIR/output") == *'FAIL u/broken.sh'* ]] || fail "no names of what failed: $(cat "$TMPDIR/output")"
! grep -q 'PASS u/whole.sh' "$TMPDIR/output" || fail "a test that passed is told as one that failed"
stub scripts/run-tests 'echo "0 passed, 0 failed, 0 skipped"; exit 1'
check 1 '6 passed, 1 failed, 1 skipped' --quick
stub scripts/run-tests 'exit 1'
check 1 '6 passed, 1 failed, 1 skipped' --quick

# Steps that run beside the others: what they say, in their order, and that none is left when the script is ended.
good_stubs
stub scripts/formal 'echo a proof fails; exit 1'
check 1 '19 passed, 1 failed, 0 skipped'
says '^a proof fails$'
says '^FAIL formal .* s cpu  log: '
sed -n '1,/^== summary/s/^== //p' "$TMPDIR/output" | tr '\n' ' ' >"$TMPDIR/order"
[[ $(<"$TMPDIR/order") == 'install gcc tests vm loader packages sanitizer format layers lint-sh lint-variants lint-sweep '* ]] ||
    fail "steps in another order: $(<"$TMPDIR/order")"
# shellcheck disable=SC2016 # expands in the stand-in
stub scripts/formal 'echo $$ >"$BUILD/formal.pid"; exec sleep 1000'
# shellcheck disable=SC2016 # expands in the stand-in
stub scripts/run-tests 'while [[ ! -s $BUILD/formal.pid ]]; do sleep 0.05; done; kill "$(ps -o ppid= -p "$PPID")"'
(BUILD=$tree/build PATH=$tree/bin:$PATH exec timeout 60 "$tree/scripts/check" --quick) &>"$TMPDIR/output" || true
[[ -s $tree/build/formal.pid ]] || fail "formal was not begun beside the tests"
for ((i = 0; i < 100; i++)); do
    grep -q -a sleep "/proc/$(<"$tree/build/formal.pid")/cmdline" 2>/dev/null || break
    sleep 0.1
done
((i < 100)) || fail "formal outlives the script that began it"

# A failing build ends it: nothing after it means anything. So does a failing installation.
good_stubs
stub bin/make 'echo no such file; exit 2'
check 1 '1 passed, 1 failed, 0 skipped'
says 'no such file'
stub scripts/install-deps 'echo no network; exit 1'
check 1 '0 passed, 1 failed, 0 skipped'
expect 2 "$tree/scripts/check" --wrong
expect 0 "$tree/scripts/check" --help

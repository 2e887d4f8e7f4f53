#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/run-tests on stand-in tests: what it counts, prints, reports and how it exits.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"

tree=$TMPDIR/tree
results=$tree/build/test-results

# add NAME TEXT: a shell test with that body.
add() {
    mkdir -p "$tree/tests/${1%/*}"
    printf '#!/bin/bash\n%s\n' "$2" >"$tree/tests/$1"
    chmod +x "$tree/tests/$1"
}

# run STATUS ARGUMENT...: run-tests of the stand-in tree.
run() {
    local want=$1
    shift
    expect "$want" env -u CI BUILD="$tree/build" "$tree/scripts/run-tests" "$@"
}

new_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/tests"
    cp -r "$TOP/scripts" "$tree"
}

# count XPATH: how many of these the merged report has.
count() {
    xmllint --xpath "count($1)" "$results/junit.xml"
}

last_line_is() {
    [[ $(tail -n 1 "$TMPDIR/output") == "$1" ]] || fail "last line: $(tail -n 1 "$TMPDIR/output")"
}

# Nothing to run is a failure.
new_tree
run 1
last_line_is '0 passed, 0 failed, 0 skipped'

# Verdicts of shell tests, the environment they get, and the long tier.
# shellcheck disable=SC2016 # expands in the stand-in
add unit/good.sh '[[ -d $TOP/scripts && $BUILD == /*/build && -d $TMPDIR && -z $(ls "$TMPDIR") ]]'
add unit/tier.long.sh 'exit 0'
run 0
last_line_is '2 passed, 0 failed, 0 skipped'
run 0 --quick
last_line_is '1 passed, 0 failed, 0 skipped'
run 0 unit/tier.long.sh
last_line_is '1 passed, 0 failed, 0 skipped'
run 0 --without unit/tier.long.sh unit
last_line_is '1 passed, 0 failed, 0 skipped'
run 1 --without unit/good.sh --without unit/tier.long.sh
run 2 --without
run 2 unit/absent.sh
says "no test 'unit/absent.sh'"

# Processor time is that of all that a test starts.
# shellcheck disable=SC2016 # expands in the stand-in
add unit/tier.long.sh 'n=0; while ((n < 400000)); do n=$((n + 1)); done; (while ((n)); do n=$((n - 1)); done)'
run 0 unit/tier.long.sh
spent=$(xmllint --xpath 'string(//testsuite/properties/property[@name="cpu_seconds"]/@value)' "$results/junit.xml")
says "^PASS unit/tier.long.sh .* s *$spent s cpu\$"
[[ $spent != 0.0?? ]] || fail "the report has $spent s of processor time for a long loop"
add unit/tier.long.sh 'exit 0'

# A failure shows its output and how to reproduce it; odd bytes do not spoil the report.
add unit/bad.sh 'printf "why \033[1m <&> ]]> \377 it failed\n"; exit 3'
run 1
says 'why .* it failed'
says 'reproduce: .*scripts/run-tests unit/bad.sh'
says '^FAIL unit/bad.sh .*exit status 3'
last_line_is '2 passed, 1 failed, 0 skipped'
[[ $(count //testcase) == 3 && $(count //failure) == 1 ]] || fail "junit.xml counts"
xmllint --noout "$results"/*.xml

# A test that hangs is ended, with what it started.
# shellcheck disable=SC2016
add unit/bad.sh 'sleep 1000 & echo $! >"$BUILD/sleeper"; wait'
run 1 --timeout 1 unit/bad.sh
says '^FAIL unit/bad.sh .*did not end within 1 s'
# Ended, or dead and waiting for its parent: either has no command line.
! grep -q -a sleep "/proc/$(cat "$tree/build/sleeper")/cmdline" 2>/dev/null || fail 'the hanging test was left running'
add unit/bad.sh $'# timeout: 1\nsleep 1000'
run 1 unit/bad.sh
says 'did not end within 1 s'

# A skip needs a reason, and with CI=true a place in the list.
add unit/bad.sh 'echo no such board; exit 77'
run 0
says '^SKIP unit/bad.sh .*no such board'
last_line_is '2 passed, 0 failed, 1 skipped'
expect 1 env CI=true BUILD="$tree/build" "$tree/scripts/run-tests"
says 'not listed in tests/skips-allowed: no such board'
last_line_is '2 passed, 1 failed, 0 skipped'
echo 'unit/bad.sh needs the board' >"$tree/tests/skips-allowed"
expect 0 env CI=true BUILD="$tree/build" "$tree/scripts/run-tests"
last_line_is '2 passed, 0 failed, 1 skipped'
[[ $(count //skipped) == 1 ]] || fail "junit.xml counts"
echo 'unit/bad.sh' >"$tree/tests/skips-allowed"
run 1
says 'skips-allowed:1: error: unit/bad.sh has no reason'
rm "$tree/tests/skips-allowed"
add unit/bad.sh 'exit 77'
run 1
says 'skipped without saying why'

# A test that could never run is an error, not a silence.
chmod -x "$tree/tests/unit/bad.sh"
run 1
says 'tests/unit/bad.sh starts with #! but is not executable'
rm "$tree/tests/unit/bad.sh"
mkdir "$tree/tests/clib"
echo 'int unused;' >"$tree/tests/clib/a.c"
run 1
says 'clib is not built; run: make tests'

# Criterion programs: every verdict, counted by test.
cat >"$tree/tests/clib/a.c" <<'C'
#include <criterion/criterion.h>
Test(suite, passes) { cr_assert(1); }
Test(suite, fails) { cr_assert(0, "because <this> & \033[1m that \xff\nand <so> & on"); cr_assert(1); }
Test(suite, crashes) { *(volatile int *)0 = 1; }
Test(suite, is_skipped) { cr_skip_test("no need"); }
C
mkdir -p "$tree/build/tests"
gcc "$tree/tests/clib/a.c" -lcriterion -o "$tree/build/tests/clib"
run 1 clib
last_line_is '1 passed, 2 failed, 1 skipped'
says 'FAIL clib/suite/fails'
says 'SKIP clib/suite/is_skipped'
grep -q 'because &lt;this&gt; &amp;' "$results/junit.xml" || fail "junit.xml: the message of the failure"
grep -q 'and &lt;so&gt; &amp; on' "$results/junit.xml" || fail "junit.xml: the second line of it"
says "reproduce: .*/tests/clib --filter 'suite/\(fails\|crashes\)'"
[[ $(count //testcase) == 4 && $(count '//testcase[failure or error]') == 2 && $(count //skipped) == 1 ]] ||
    fail "junit.xml counts"
[[ $(xmllint --xpath 'sum(//testsuite/@failures)' "$results/junit.xml") == 2 ]] || fail "junit.xml: failures"
expect 1 env CI=true BUILD="$tree/build" "$tree/scripts/run-tests" clib
last_line_is '1 passed, 3 failed, 0 skipped'

# A leak is found after Criterion has called the test passed.
printf '#include <criterion/criterion.h>\n#include <stdlib.h>\n%s\n' \
    'Test(suite, leaks) { void *volatile p = malloc(100); p = 0; (void)p; }' >"$tree/tests/clib/a.c"
gcc -fsanitize=address "$tree/tests/clib/a.c" -lcriterion -o "$tree/build/tests/clib"
run 1 clib
says 'a sanitizer found an error'
last_line_is '1 passed, 1 failed, 0 skipped'

run 2 --timeout soon
run 2 --wrong
run 0 --help

# One that Criterion itself allocated is passed over, unless the test leaks, too.
mkdir "$TMPDIR/lib"
printf '#include <stdlib.h>\nvoid *hold(void) { return calloc(1, 48); }\n' >"$TMPDIR/hold.c"
gcc -shared -fPIC "$TMPDIR/hold.c" -o "$TMPDIR/lib/libcriterion.so.99"
# leaky OPTION...: the test, which calls the stand-in library.
leaky() {
    gcc -fsanitize=address "$@" "$tree/tests/clib/a.c" -lcriterion "$TMPDIR/lib/libcriterion.so.99" \
        -Wl,-rpath,"$TMPDIR/lib" -o "$tree/build/tests/clib"
}
cat >"$tree/tests/clib/a.c" <<'C'
#include <criterion/criterion.h>
#include <stdlib.h>
void *hold(void);
static void *volatile held;
__attribute__((constructor)) static void start(void) {
#ifdef OWN
    held = malloc(32);
#endif
    held = hold();
    held = NULL;
}
Test(suite, passes) { cr_assert(1); }
C
leaky
run 0 clib
grep -q 'of Criterion itself, passed over: Direct leak of 48 byte' "$results/clib.log" || fail 'no leak was passed over'
last_line_is '1 passed, 0 failed, 0 skipped'
leaky -DOWN
run 1 clib
says 'a sanitizer found an error'

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# How the scripts that run things count, time and report them. Sourced after lib.sh.

# clean_text: what XML 1.0 allows of a test's output. Newer iconv exits with 1 when -c has dropped something.
clean_text() {
    { iconv -f UTF-8 -t UTF-8 -c || (($? == 1)); } | LC_ALL=C tr -d '\000-\010\013\014\016-\037'
}

escape_xml() {
    clean_text | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'
}

# write_suite FILE UNIT NAME VERDICT MESSAGE SECONDS LOG: a JUnit suite of the one test UNIT/NAME.
write_suite() {
    local failed=0 skipped=0 body=''
    case $4 in
    FAIL)
        failed=1
        body="<failure message=\"$(escape_xml <<<"$5")\">$(tail -c 60000 "$7" | escape_xml)</failure>"
        ;;
    SKIP)
        skipped=1
        body="<skipped message=\"$(escape_xml <<<"$5")\"/>"
        ;;
    esac
    cat >>"$1" <<XML
  <testsuite name="$2" tests="1" failures="$failed" errors="0" skipped="$skipped" time="$6">
    <testcase classname="$2" name="$3" time="$6">$body</testcase>
  </testsuite>
XML
}

# Milliseconds, for durations only.
now() {
    date +%s%3N
}

seconds() {
    printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}

# tally: counts lines that begin with PASS, FAIL, SKIP.
tally() {
    awk '{ n[$1]++ } END { printf "%d passed, %d failed, %d skipped", n["PASS"], n["FAIL"], n["SKIP"] }'
}

# wrap FILE: the suites in it as one document.
wrap() {
    echo '<?xml version="1.0" encoding="UTF-8"?>'
    echo '<testsuites>'
    cat "$@"
    echo '</testsuites>'
}

# unwrap FILE: the suites in a document that wrap made.
unwrap() {
    sed '1,2d; $d' "$1"
}

# start_clock, stop_clock: TOOK, the seconds in between, and USED, the seconds of processor time, user and system, of the
# processes that this shell has waited for in between.
start_clock() {
    cpu
    STARTED=$(now) STARTED_CPU=$CPU
}

stop_clock() {
    cpu
    TOOK=$(seconds $(($(now) - STARTED)))
    USED=$(seconds $((CPU - STARTED_CPU)))
}

# cpu: CPU, in milliseconds, of what this shell has ever waited for.
cpu() {
    local fields
    read -r fields <"/proc/$BASHPID/stat"
    # Behind the command's name, which may have anything in it, begins the third field; proc(5) counts from 1.
    read -ra fields <<<"${fields##*) }"
    CPU=$(((fields[16 - 3] + fields[17 - 3]) * 1000 / $(getconf CLK_TCK)))
}

# note_cpu FILE SECONDS: the processor time in the first suite there: a program has several, one for each of its suites.
note_cpu() {
    sed -i "0,/<testsuite /{/<testsuite /a\\
    <properties><property name=\"cpu_seconds\" value=\"$2\"/></properties>
}" "$1"
}

# report_line VERDICT NAME NOTE: with what the clock says.
report_line() {
    printf '%-4s %-40s %8s s %9s s cpu%s\n' "$1" "$2" "$TOOK" "$USED" "${3:+  $3}"
}

# allowed_skips: the names in tests/skips-allowed; a line without a reason is refused.
allowed_skips() {
    local list=$TOP/tests/skips-allowed
    [[ -e $list ]] || return 0
    awk '/^#/ || !NF { next }
         NF < 2 { print "tests/skips-allowed:" FNR ": error: " $1 " has no reason" > "/dev/stderr"; exit 1 }
         { print $1 }' "$list"
}

# strict_skips: 1 where a skip must be listed to be accepted, which is in CI.
strict_skips() {
    [[ ${CI-} == true ]] && echo 1 || echo 0
}

# skip_allowed NAME: whether this test may be skipped here. ALLOWED is what allowed_skips printed.
skip_allowed() {
    [[ $(strict_skips) == 0 || $'\n'$ALLOWED$'\n' == *$'\n'"$1"$'\n'* ]]
}

# SPDX-License-Identifier: Apache-2.0
#
# Reads Criterion's XML report of one unit and writes it as JUnit test suites, one per Criterion suite, with
# counts that agree with what scripts/run-tests prints. Criterion writes one element a line, but leaves text that
# spans lines unescaped, so that a failing test can spoil its report: this is no XML parser on purpose.
#   -v unit=NAME     the unit
#   -v allowed=LIST  newline-separated unit/suite/test that may be skipped; with -v strict=1 others fail
#   -v cases=FILE    gets a line per test: PASS, FAIL or SKIP, and unit/suite/test

function attribute(name,    text) {
    if (!match($0, " " name "=\"[^\"]*\""))
        return ""
    text = substr($0, RSTART, RLENGTH)
    sub(/^[^"]*"/, "", text)
    sub(/"$/, "", text)
    return text
}

# The failed assertions: what follows the element's own tag, without the markup that Criterion puts in.
function assertions(    text) {
    text = $0
    sub(/^ *<[a-z]* type="[^"]*" message="[^"]*"( \/)?>/, "", text)
    sub(/<\/failure>.*/, "", text)
    sub(/ *<\/testcase>.*/, "", text)
    gsub(/<!\[CDATA\[|\]\]>/, "", text)
    gsub(/&#10;/, "\n", text)
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}

function forbidden(id) {
    return strict && index("\n" allowed "\n", "\n" id "\n") == 0
}

function end_test() {
    if (id == "")
        return
    count[verdict]++
    print verdict, id > cases
    if (verdict == "FAIL")
        body = body "      <failure message=\"" message "\">" detail "</failure>\n"
    else if (verdict == "SKIP")
        body = body "      <skipped/>\n"
    body = body "    </testcase>\n"
    id = ""
}

/^  <testsuite / {
    suite = attribute("name")
    duration = attribute("time")
    body = ""
    count["PASS"] = count["FAIL"] = count["SKIP"] = 0
}

/^    <testcase / {
    end_test()
    id = unit "/" suite "/" attribute("name")
    verdict = attribute("status") == "PASSED" ? "PASS" : attribute("status") == "SKIPPED" ? "SKIP" : "FAIL"
    message = "failed"
    detail = ""
    if (verdict == "SKIP" && forbidden(id)) {
        verdict = "FAIL"
        message = "skipped, and not listed in tests/skips-allowed"
    }
    body = body "    <testcase classname=\"" unit "." suite "\" name=\"" attribute("name") \
        "\" time=\"" attribute("time") "\">\n"
}

/^      <(failure|error) type=/ {
    message = attribute("message")
    detail = assertions()
}

/^  <\/testsuite>/ {
    end_test()
    printf "  <testsuite name=\"%s/%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%s\">\n%s", \
        unit, suite, count["PASS"] + count["FAIL"] + count["SKIP"], count["FAIL"], count["SKIP"], duration, body
    print "  </testsuite>"
}

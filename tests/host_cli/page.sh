#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle report: the page is well-formed, small, stands alone and leads nowhere that is not there; everything that is drawn has its
# words; what is no run is refused and nothing is written.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
unset TULLE_DATA

does bench --json --output run.json --against "$TOP/tests/bench/bench-cycles.tsv"
does report run.json -o report.html
xmllint --noout report.html || fail 'the page is not well-formed'
(($(stat -c %s report.html) < 250000)) || fail "the page has $(stat -c %s report.html) bytes"
does report run.json
diff out report.html || fail 'another page on standard output'

# It needs nothing else.
! grep -nE 'https?:|src=|url\(|@import|<link|<img' report.html || fail 'something from elsewhere'
grep -o ' id="[^"]*"' report.html | sort | uniq -d | (! grep .) || fail 'ids that are there twice'
grep -o 'href="#[^"]*"' report.html | sed 's/href="#//; s/"//' | sort -u | while read -r id; do
    grep -q " id=\"$id\"" report.html || fail "a link to $id, which is not there"
done

# Each case with its efficiency; drawings with words; tables beside them.
[[ $(grep -c '<details class="case" id="case-' report.html) == 19 ]] || fail 'not all cases are there'
efficiency=$(sed -n 's/^{"name": "pruned-3x3-80".*"model": {"efficiency": \([0-9.]*\).*/\1/p' run.json)
grep '>pruned-3x3-80</a>' report.html | grep -q "<em>$(printf %.3f "$efficiency")</em>" || fail "no efficiency of $efficiency"
[[ $(grep -o '<svg[^>]*>' report.html | grep -vc 'aria-label') == 0 ]] || fail 'a drawing without words'
drawn=$(grep -c '<svg' report.html)
[[ $(grep -o 'The same as a table' report.html | wc -l) == "$drawn" ]] || fail "not a table for each of $drawn drawings"
grep -q '95</td><td style' report.html || fail 'no PEs'
grep -q 'device luts</th><td>[0-9,]*</td>' report.html || fail 'no areas'

# Names are text, whatever they are.
printf 'a<b>&"c\tspmm\tbase\trandom 64 64 0.5 1\t16\t1.0\t0.99\t-\tno\n' >cases.tsv
"$tulle" bench cases.tsv --json --cpu --output odd.json 2>/dev/null && fail 'a bar that is missed is none'
does report odd.json -o odd.html --title '1 < 2 & 3'
xmllint --noout odd.html
grep -q 'a&lt;b&gt;&amp;&quot;c' odd.html || fail 'no such name'
grep -q '<h1>1 &lt; 2 &amp; 3</h1>' odd.html || fail 'no such heading'
grep -q 'Beside a processor</h2>' odd.html || fail 'nothing of the processor'
grep -q '<dd class="bad">0 of 1' odd.html || fail 'the bar is not shown as missed'

# What is no run.
echo '{"tulle_bench": 2}' >new.json
refuses 1 'layout 2, and this command reads layout 1' report new.json -o no.html
echo '[1]' >list.json
refuses 1 'list.json: error: the file has no tulle_bench' report list.json -o no.html
head -c 3000 run.json >cut.json
refuses 1 'not JSON' report cut.json -o no.html
sed 's/"pe_busy": \[[^]]*\]/"pe_busy": []/' run.json >less.json
refuses 1 'random-50 has no pe_busy' report less.json -o no.html
sed 's/"variant": "base4"/"variant": "bose"/' run.json >other.json
refuses 1 'sparse-both-20-30 has no variant that is described' report other.json -o no.html
refuses 1 'nowhere.json' report nowhere.json -o no.html
[[ ! -e no.html ]] || fail 'a page of nothing'
refuses 2 'which run?' report
refuses 1 'no/report.html' report run.json -o no/report.html

browser=$(command -v chromium || command -v chromium-browser) || {
    echo 'skipped: no chromium to look at the page with'
    exit 77
}

# In a browser: no wider than a phone, dark and light, and a link to a case opens it.
cat >look.html <<'LOOK'
<body><iframe id="page" src="report.html#case-7" width="360" height="640"></iframe><pre id="seen"></pre><script>
onload = function () {
    var page = document.getElementById("page").contentDocument, root = page.documentElement;
    document.getElementById("seen").textContent = "over=" + (root.scrollWidth - root.clientWidth) + " open=" + page.querySelectorAll(".case[open]").length +
        " seven=" + page.getElementById("case-7").open + " first=" + page.getElementById("case-1").open +
        " ground=" + getComputedStyle(page.body).backgroundColor.replace(/ /g, "") + " drawn=" +
        Array.from(page.querySelectorAll(".case[open] svg, #roofline ~ div svg")).filter(s => s.getBoundingClientRect().width > 200).length;
};
</script></body>
LOOK
# The browser makes sockets in its folders, and aborts where the path of one is longer than a socket's may be: a folder with a short name.
profile=$(TMPDIR=/tmp mktemp -d)
trap 'rm -rf "$profile"' EXIT
look() {
    HOME=$profile TMPDIR=$profile timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$profile" "$@" --dump-dom "file://$PWD/look.html" 2>browser.log |
        sed -n 's/.*<pre id="seen">\([^<]*\)<.*/\1/p' || fail "the browser: $(tail -n 5 browser.log)"
}
light=$(look --blink-settings=preferredColorScheme=1)
dark=$(look --blink-settings=preferredColorScheme=0)
[[ $light == 'over=0 open=2 seven=true first=true ground=rgb(252,252,250) drawn=5' ]] || fail "in light: $light; $(tail -n 5 browser.log)"
[[ $dark == 'over=0 open=2 seven=true first=true ground=rgb(19,22,26) drawn=5' ]] || fail "in dark: $dark; $(tail -n 5 browser.log)"

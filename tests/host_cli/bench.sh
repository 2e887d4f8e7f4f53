#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle bench on the cycle model: the generated cases take the cycles that are recorded, figures go together, and a record,
# a bar or a file that is not right makes it fail.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
unset TULLE_DATA TULLE_BOARDS
record=$TOP/tests/bench/bench-cycles.tsv

does bench --against "$record" --json --output run.json
(($(stat -c %s run.json) < 200000)) || fail "the JSON has $(stat -c %s run.json) bytes"
does bench --against "$record"
tail -n 1 out | grep -q '^19 cases measured, 0 left out, 0 refused .* 0 slower by more than 2 %, 0 quicker, 0 not in it$' ||
    fail "the cycles are not the recorded ones; where that is right: make bench-record: $(cat out)"

# Sums over PEs, over time and of the counters are the same; figures follow from one another.
awk '
    function sum(name,    list, i, part, total) {
        match($0, "\"" name "\": \\[[^]]*\\]")
        list = substr($0, RSTART, RLENGTH)
        sub(/^[^[]*\[/, "", list)
        total = 0
        for (i = split(list, part, /[],]/); i > 0; i--)
            total += part[i]
        return total
    }
    function number(name) {
        return match($0, "\"" name "\": [0-9.]+") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0 : -1
    }
    function uses(    list, i, part, total) {
        match($0, /"pe_cycles": {[^}]*}/)
        list = substr($0, RSTART + 14, RLENGTH - 15)
        for (i = split(list, part, /[:,]/); i > 0; i -= 2)
            total += part[i]
        return total
    }
    function near(a, b) { return a - b < 1e-3 && b - a < 1e-3 }
    /^{"name"/ {
        cases++
        if (sum("pe_busy") != sum("busy") || sum("pe_busy") != number("effective_macs") || !sum("read") || !sum("written"))
            { print "these sums are not the same:", $0; exit bad = 1 }
        if (uses() != number("pes") * number("cycles"))
            { print "cycles that were for nothing:", $0; exit bad = 1 }
        if (!near(number("efficiency"), number("roofline_cycles") / number("cycles")) ||
            !near(number("utilization"), number("effective_macs") / number("pes") / number("cycles")))
            { print "these figures do not go together:", $0; exit bad = 1 }
    }
    END { exit bad || cases != 19 }' run.json || fail "the JSON of $(grep -c '^{"name"' run.json) cases"
grep -q '"tulle_bench": 1,' run.json
grep -q '"hash": "[0-9a-f]\{16\}"' run.json
grep -q '"luts": [0-9]' run.json || fail "no area of base: $(head -n 1 run.json)"

# A record that says 5 % less, one that says 1 % less, and one that says 5 % more.
scaled() {
    awk -F'\t' -v OFS='\t' -v by="$1" '/^#/ { print; next } { $4 = int($4 * by); print }' "$record" >scaled.tsv
}
one=(bench --only pruned-attention-80 --against scaled.tsv)
scaled 0.95
status=0
"$tulle" "${one[@]}" >out 2>err || status=$?
((status == 1)) || fail "5 % slower: exit status $status"
grep -q '^scaled.tsv: error: 1 of 1 runs take over 2 % more cycles than recorded$' err || fail "$(cat err)"
grep -q 'SLOWER ON model$' out || fail "$(cat out)"
scaled 0.99
does "${one[@]}"
scaled 1.05
shows '0 slower by more than 2 %, 1 quicker, 0 not in it' "${one[@]}"

# --record replaces what it has measured, and nothing else.
cp scaled.tsv kept.tsv
does bench --only pruned-attention-80 --record kept.tsv
[[ $(grep -c '^[^#]' kept.tsv) == "$(grep -c '^[^#]' "$record")" ]] || fail "lines of the record: $(cat kept.tsv)"
diff <(grep -v '^pruned-attention-80' kept.tsv) <(grep -v '^pruned-attention-80' scaled.tsv) >/dev/null || fail "others changed"
[[ $(grep '^pruned-attention-80.*model' kept.tsv) == "$(grep '^pruned-attention-80.*model' "$record")" ]] || fail "$(cat kept.tsv)"

# Cases of a file: a bar that is missed, one that is met.
printf 'mine\tspmm\tbase\trandom 64 64 0.5 1\t16\t1.0\t%s\t-\tno\n' 0.99 >cases.tsv
refuses_file() {
    local status=0
    "$tulle" bench cases.tsv >out 2>err || status=$?
    ((status == $1)) || fail "exit status $status, not $1: $(cat err)"
    grep -qF -- "$2" err || fail "no '$2' in: $(cat err)"
}
refuses_file 1 '1 of 1 cases are below their bars'
grep -q 'BELOW ITS BAR OF 0.99' out || fail "$(cat out)"
"$tulle" bench cases.tsv --record known.tsv >out 2>err && fail 'a bar that is missed, recorded for the first time'
shows '0 of 1 bars met' bench cases.tsv --against known.tsv
sed -i 's/0\.99/0.10/' cases.tsv
shows '1 of 1 bars met' bench cases.tsv
sed -i 's/random 64 64 0.5 1/ramdom 64 64 0.5 1/' cases.tsv
refuses_file 1 'cases.tsv:1: error: not a case'
refuses 1 'nowhere.tsv' bench nowhere.tsv

# What is left out is named, and a run of nothing is none.
refuses_some() {
    local status=0
    "$tulle" bench --set frozen --only bcsstk13 >out 2>err || status=$?
    ((status == 1)) && grep -q 'no case was measured: 1 left out' err && grep -q '^bcsstk13 .*TULLE_DATA is not set' out
}
refuses_some || fail "without TULLE_DATA: $(cat out err)"
refuses 1 'no case is left' bench --only nothing-has-this-name
TULLE_BOARDS=$PWD refuses 1 'sim/board/build -o build/board/base base makes it' bench --only random-50 --on sim
echo 'random-50 base model 5' >bad.tsv
refuses 1 'bad.tsv:1: error: not a line of a record' bench --against bad.tsv
refuses 2 '--set new: allowed generated, frozen, all' bench --set new
refuses 2 '--on board: allowed model, sim, both' bench --on board
refuses 2 '--set names cases that the command carries' bench cases.tsv --set all

# ---- the page of all cases

"$TOP/scripts/fill-tables" "$tulle" <"$TOP/docs/cases.md" >cases.md
diff "$TOP/docs/cases.md" cases.md || fail 'docs/cases.md (<) is not what tulle bench --list says (>): run make regenerate'
for set in generated plan; do
    while read -r name; do
        grep -q "^| \`$name\` | .* | [^ ][^|]* |\$" cases.md || fail "the page has no line of $name, or not what it is there for"
    done < <(grep -v '^#' "$TOP/host/measure/$set-cases.tsv" | cut -f 1)
done
refuses 1 'cases.tsv:1: error: not a case' bench --list cases.tsv
refuses 2 '--list runs nothing' bench --list --json
sed -i 's/ramdom/random/; s/0\.10/0.99/' cases.tsv
# shellcheck disable=SC2016 # of Markdown
shows '| `mine` | `base` | 16 x 64 by 64 x 64, 50 % | 0.99 |  |' bench --list cases.tsv

# ---- another variant: its cycles, its name and its values, without bars that are not its own

does bench --only sparse-both-20-30 --json --output own.json
does bench --only sparse-both-20-30 --with base --json --output with.json
[[ $(grep -o '"variant": "[a-z0-9]*"' own.json with.json) == $'own.json:"variant": "base4"\nwith.json:"variant": "base"' ]] ||
    fail "variants: $(grep -o '"variant": "[^"]*"' own.json with.json)"
awk 'FNR == 1 { file++ } match($0, /"efficiency": [0-9.]+/) { e[file] = substr($0, RSTART + 14, RLENGTH - 14) + 0 }
     END { exit !(e[1] > 0.6 && e[2] < 0.8 * e[1]) }' own.json with.json || fail 'two weights a cycle are as good as four'
"$BUILD/bin/tulle-gen" base --set name=mine --set scan=4 --print >mine.yaml
does bench --only sparse-both-20-30 --with mine.yaml --json --output file.json
grep -q '"variants": \[{"name": "mine", "hash": "[0-9a-f]*", .*"scan": 4,' file.json || fail "$(head -n 1 file.json)"
[[ $(grep -o '"cycles": [0-9]*, "effective_macs"' file.json) == "$(grep -o '"cycles": [0-9]*, "effective_macs"' own.json)" ]] ||
    fail 'base with scan=4 is not base4'
shows ' mine ' bench --only sparse-both-20-30 --with mine.yaml
shows '0 of 0 bars met' bench cases.tsv --with tiny
refuses 1 'no variant is named "nosuch"' bench --with nosuch
refuses 1 'nosuch.yaml: error: cannot open' bench --with ./nosuch.yaml

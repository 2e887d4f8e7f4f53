#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/bars.md: the document states the figure, the test or step of each row is in the tier that the row names and runs what the row
# names, and every row of README's measurements is there.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/steps.sh
source "$TOP/scripts/steps.sh"
cd "$TOP"
bad=0
complain() {
    echo "$*"
    bad=1
}

# one_of WORD WORD...: whether the first is among the others.
one_of() {
    [[ " ${*:2} " == *" $1 "* ]]
}

# tier_of HOLDER: where it runs; nothing when it does not exist.
tier_of() {
    local step=${1#check/}
    if [[ $1 == check/* ]]; then
        one_of "$step" "${QUICK_STEPS[@]}" "${QUICK_BESIDE[@]}" && echo quick && return
        one_of "$step" "${CI_STEPS[@]}" "${CI_BESIDE[@]}" && echo CI && return
        one_of "$step" "${LONG_STEPS[@]}" && echo long
        return 0
    fi
    [[ -e $1 ]] || return 0
    case $1 in
    *.long.sh) echo CI ;;
    *.soak.sh) echo long ;;
    *.sh | *.c) echo quick ;;
    esac
}

# text_of HOLDER: the test, or the lines of perform that are the step's.
text_of() {
    if [[ $1 == check/* ]]; then
        declare -f perform | awk -v step="${1#check/}" '
            /^ *[-a-z |*]+\)$/ { mine = 0; n = split($0, name, /[ |)]+/)
                for (i = 1; i <= n; i++) if (name[i] == step || (!done && name[i] ~ /\*$/ && name[i] != "*" &&
                    index(step, substr(name[i], 1, length(name[i]) - 1)) == 1)) mine = done = 1
                next }
            mine'
    else
        cat "$1"
    fi
}

targets() {
    sed -n 's/^\([a-z][-a-z]*\):.*/\1/p' tests/bench/bench.mk
}

# judge DOCUMENT FIGURE HOLDER WORDS TIER
judge() {
    local real
    { [[ -e $1 ]] && grep -qF -- "$2" < <(tr '\n' ' ' <"$1"); } || complain "docs/bars.md: $1 does not say '$2'"
    if [[ $5 == 'by hand' ]]; then
        grep -qxF -- "${3#make }" < <(targets) ||
            complain "docs/bars.md: there is no '$3'"
        return
    fi
    [[ $4 != make ]] || grep -qxF -- "${3#check/}" < <(targets) || complain "docs/bars.md: make has no ${3#check/}"
    real=$(tier_of "$3")
    [[ $real == "$5" ]] || complain "docs/bars.md: $3 runs in the tier '${real:-none}', not '$5'"
    [[ -z $real ]] || { [[ -n $4 ]] && grep -qF -- "$4" < <(text_of "$3"); } || complain "docs/bars.md: $3 does not run '$4'"
}

# rows FILE: its table, columns between tabs, without blanks around them.
rows() {
    awk '/^\| (README|docs\/)/ { gsub(/^\| | \|$/, ""); gsub(/ \| +\| /, " | - | "); gsub(/ \| /, "\t"); print }' "$1"
}

check() {
    local document figure bar holder words tier count=0
    while IFS=$'\t' read -r document figure bar holder words tier; do
        count=$((count + 1))
        [[ -n $bar ]] || complain "docs/bars.md: no bar of '$figure'"
        judge "$document" "$figure" "$holder" "$words" "$tier"
    done < <(rows "$1")
    ((count > 20)) || complain "docs/bars.md has $count rows"
    # README's measurements: rows that end with a command
    while read -r line; do
        rows "$1" | awk -F'\t' -v line="$line" '$1 == "README.md" && index(line, $2) { found = 1 } END { exit !found }' ||
            complain "docs/bars.md has nothing of README's $line"
    done < <(awk '/^## / { there = /Measurements/ } there && /^\|.*` / ' README.md)
}

check docs/bars.md
((!bad)) || fail "see above"

# What the table may not say is seen.
# wrong FROM TO WORDS: of a row with FROM replaced.
wrong() {
    grep -qF -- "$1" docs/bars.md || fail "docs/bars.md has no '$1' to change"
    local text
    text=$(<docs/bars.md)
    printf '%s\n' "${text/"$1"/"$2"}" >"$TMPDIR/bars.md"
    grep -qF -- "$3" < <(check "$TMPDIR/bars.md") || fail "not seen: '$1' -> '$2'"
}
wrong '| 0.997 / 0.988 / 0.989 |' '| 0.997 / 0.991 / 0.985 |' "README.md does not say '0.997"
wrong 'check/bench-plan | make | long' 'check/bench-plan | make | CI' "check/bench-plan runs in the tier 'long'"
wrong 'tests/rtl/pe.sh | +busy=860' 'tests/rtl/pe.sh | +busy=999' "tests/rtl/pe.sh does not run '+busy=999'"
wrong 'tests/rtl/pe.sh |' 'tests/rtl/none.sh |' "tests/rtl/none.sh runs in the tier 'none'"
wrong 'make bench-icd' 'make bench-none' "there is no 'make bench-none'"
wrong '| README.md | 101.4 MHz' '| docs/boards.md | 101.4 MHz' "nothing of README's"

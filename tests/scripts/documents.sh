#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Documents: every relative link leads to a file, and to a heading where it names one; every command that is shown is there,
# with the options it is shown with. Commands are lines of blocks marked sh, lines of other blocks that begin with one of
# this project's programs or scripts or with make, lines after "$ ", and `make TARGET` in the text.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$TOP"
bad=0
complain() {
    echo "$*"
    bad=1
}

mapfile -t documents < <(printf '%s\n' ./*.md docs/*.md | sed 's|^\./||')
((${#documents[@]} > 20)) || fail "documents are not found"

# ---- links: "FILE:LINE TARGET" of each, and "FILE#ANCHOR" of each heading, as GitHub makes it

awk -v headings="$TMPDIR/headings" '
    FNR == 1 { fence = 0; delete seen }
    /^ *```/ { fence = !fence; next }
    fence { next }
    {
        text = $0
        gsub(/`[^`]*`/, "", text)
        while (match(text, /\]\([^)]*\)/)) {
            print FILENAME ":" FNR, substr(text, RSTART + 2, RLENGTH - 3)
            text = substr(text, RSTART + RLENGTH)
        }
    }
    /^#+ / {
        anchor = tolower($0)
        sub(/^#+ +/, "", anchor)
        anchor = without_target(anchor)
        gsub(/[^-_ a-z0-9]/, "", anchor)
        gsub(/ /, "-", anchor)
        print FILENAME "#" anchor (seen[anchor]++ ? "-" seen[anchor] - 1 : "") > headings
    }
    function without_target(text) { # [text](target) is text
        while (match(text, /\]\([^)]*\)/))
            text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
        return text
    }' "${documents[@]}" >"$TMPDIR/links"
(($(wc -l <"$TMPDIR/links") > 100)) || fail "links are not found"
while read -r at target; do
    file=${at%:*}
    case $target in
    http://* | https://* | mailto:*) continue ;;
    '#'*) path=$file ;;
    *) path=$(realpath -m --relative-to=. "$(dirname "$file")/${target%%#*}") ;;
    esac
    [[ -e $path ]] || { complain "$at: $target leads nowhere" && continue; }
    [[ $target != *'#'* || $path != *.md ]] || grep -qxF -- "$path#${target#*#}" "$TMPDIR/headings" ||
        complain "$at: $path has no heading #${target#*#}"
done <"$TMPDIR/links"

# ---- commands: "FILE:LINE COMMAND"

awk '
    FNR == 1 { fence = ""; open = 0; held = "" }
    function give(text) {
        if (text ~ /\\$/) {
            sub(/\\$/, "", text)
            held = held text
            return
        }
        text = held text
        held = ""
        if (gsub(/"/, "&", text) % 2) { # its text goes on
            held = text " "
            return
        }
        sub(/ +#.*/, "", text)
        sub(/^[A-Z_]+="[^"]*" */, "", text)
        if (text !~ /^ *(#|$)/)
            print FILENAME ":" FNR, text
    }
    /^ *```/ { open = !open; fence = open ? $1 : ""; next }
    open && fence == "```sh" { give($0); next }
    open && fence == "```yaml" && sub(/^ *- run: /, "") { give($0); next }
    /^ *\$ / && open { sub(/^ *\$ /, ""); give($0); next }
    held != "" { give($0); next }
    !open && /^    +([A-Z_]+=[^ ]+ )*(sudo )?(make|build\/bin\/|scripts\/|sim\/|tulle|tests\/)/ { sub(/^ +/, ""); give($0); next }
    !open {
        text = $0
        while (match(text, /`make [-a-z]+[^`]*`/)) {
            print FILENAME ":" FNR, substr(text, RSTART + 1, RLENGTH - 2)
            text = substr(text, RSTART + RLENGTH)
        }
    }' "${documents[@]}" >"$TMPDIR/commands"
(($(wc -l <"$TMPDIR/commands") > 60)) || fail "commands are not found: $(cat "$TMPDIR/commands")"

cat Makefile ./*/*.mk ./*/*/*.mk | sed -n 's/^\([a-z][-a-z]*\( [a-z][-a-z]*\)*\):.*/\1/p' | tr ' ' '\n' | sort -u >"$TMPDIR/targets"
declare -A helps=()
# help_of COMMAND...: what --help of it says, asked once.
help_of() {
    [[ -n ${helps[$*]+there} ]] || helps[$*]=$("$@" --help 2>&1 </dev/null)
    printf '%s\n' "${helps[$*]}"
}

# manual_of SCRIPT: what stands at its head, and the help of the program that it names there for the rest.
manual_of() {
    local other
    sed -n '/^#/!q; p' "$1"
    other=$(sed -n '/^#/!q; s|.* build/\([-a-z/]*\) --help has .*|\1|p' "$1")
    [[ -z $other ]] || help_of "$BUILD/$other"
}

# options AT HELP WORD...: each --option is in the help.
options() {
    local at=$1 help=$2 word
    shift 2
    for word in "$@"; do
        case $word in
        '|' | '>' | '&&' | ';') return ;;
        --help | --) ;;
        --*) grep -qE -- "(^|[^-a-z])${word%%=*}([^-a-z]|\$)" <<<"$help" || complain "$at: ${word%%=*} is in no --help" ;;
        esac
    done
}

make_targets() {
    local at=$1 word
    shift
    for word in "$@"; do
        case $word in
        '|' | '>' | '&&' | ';') return ;;
        -* | *=* | tulle) ;; # tulle: of -C, a folder
        *[!-a-z]*) ;;        # a file
        *) grep -qx -- "$word" "$TMPDIR/targets" || complain "$at: make has no target $word" ;;
        esac
    done
}

# judge AT WORD...: of a command. What is of the system is known by name, so that a misspelt program is found.
judge() {
    local at=$1 program
    shift
    while [[ ${1-} == *=* || ${1-} == sudo || ${1-} == export || ${1-} == nice ]]; do
        shift
    done
    (($#)) || return 0
    program=$1
    shift
    case $program in
    make) make_targets "$at" "$@" ;;
    tulle | tulle-* | build/bin/*)
        program=$BUILD/bin/${program##*/}
        [[ -x $program || ! -x scripts/${program##*/} ]] || program=$TOP/scripts/${program##*/}
        [[ -x $program ]] || { complain "$at: there is no program ${program##*/}" && return; }
        if [[ ${program##*/} == tulle && ${1-} == [a-z]* ]]; then
            grep -q "^  $1  " <<<"$(help_of "$program")" || { complain "$at: tulle has no command $1" && return; }
            options "$at" "$(help_of "$program" "$1")" "${@:2}"
        else
            options "$at" "$(help_of "$program")" "$@"
        fi
        ;;
    scripts/* | sim/* | tests/* | host/*)
        [[ -x $program ]] || { complain "$at: there is no script $program" && return; }
        [[ $program == tests/* ]] || options "$at" "$(manual_of "$program")" "$@"
        ;;
    tulle/scripts/* | tulle/sim/* | tulle/build/bin/*) judge "$at" "${program#tulle/}" "$@" ;; # this tree in a project of a user's
    '' | '{' | '}' | '}'* | '('* | for | do | done | echo | printf | awk | sed | grep | cp | mkdir) ;;
    ci/*) grep -qF "# $program: " "${at%:*}" || complain "$at: this document does not have $program" ;;
    ./* | /* | cc | gcc | g++ | clinfo | man | ldconfig | apt-get | git | cd | ls | cat | verilator | vvp | iverilog | yosys | nextpnr-ecp5 | fusesoc | \
        vivado | vitis | v++ | bash | sh | lspci | modprobe | gtkwave | xdg-open | openFPGALoader) ;;
    *) complain "$at: is '$program' a command? tests/scripts/documents.sh has the list of those that are not of this project" ;;
    esac
}
while read -r at line; do
    # shellcheck disable=SC2086 # words, without what would be files
    set -f && judge "$at" $line && set +f
done <"$TMPDIR/commands"

# ---- messages: what docs/troubleshooting.md quotes in the first column of its tables, but for "...", is in the sources, where
# a text may be cut into several and go on in the next line

find gen host sim scripts Makefile -type f \( -name '*.[ch]' -o -name '*.mk' -o -name Makefile -o -path 'scripts/*' -o -path '*/verilated/*' \) \
    -exec cat {} + | tr '\n' ' ' | sed 's/" *"//g; s/\\"/"/g' >"$TMPDIR/sources"
awk -F'|' '/^\| `/ && !fence { print FNR "\t" $2 } /^```/ { fence = !fence }' docs/troubleshooting.md |
    while IFS=$'\t' read -r line cell; do
        cell=${cell#*\`} cell=${cell%\`*}
        printf '%s\n' "${cell//.../$'\n'}" | sed 's/^error: //; s/^ *//; s/[: ]*$//; /^.\{0,5\}$/d' | sed "s|^|$line\t|"
    done >"$TMPDIR/messages"
(($(wc -l <"$TMPDIR/messages") >= 40)) || fail "messages are not found: $(cat "$TMPDIR/messages")"
while IFS=$'\t' read -r line text; do
    grep -qF -- "$text" "$TMPDIR/sources" || complain "docs/troubleshooting.md:$line: no source says '$text'"
done <"$TMPDIR/messages"

# ---- numbers: a table of measurements, or a paragraph with one, stands in a section that has a command; and what is said of a
# table of tulle-explore, beside it or in README.md, is in it: tests/explore/performance_doc.long.sh holds the tables

measured() {
    awk '
        function flush_section(    i) {
            for (i = 1; !command && i <= count; i++)
                print place[i]
            count = command = 0
        }
        function end_table() {
            if (cells && 2 * numbers >= cells)
                place[++count] = FILENAME ":" table " a table of numbers"
            line = cells = numbers = 0
        }
        FNR == 1 { end_table(); flush_section(); fence = 0 }
        /^ *```/ { fence = !fence }
        /`([A-Z_]+=[^ ]* )*(make [-a-z]+|(build|scripts|sim|tests)\/|tulle-explore|tulle-[a-z]+ |tulle [a-z])/ ||
            /^(    )?(make|build|scripts|sim|tulle)[ \/]/ { command = 1 }
        fence { next }
        /^#+ / { end_table(); flush_section(); next }
        /^\|/ {
            if (++line == 1)
                table = FNR
            if (line <= 2)
                next
            n = split($0, cell, "|")
            for (i = 3; i < n; i++) {
                gsub(/[ `*]/, "", cell[i])
                cells += cell[i] != ""
                numbers += cell[i] ~ /^[-+]?[0-9][0-9.,]*(%|x)?([-\/to+]+[0-9.,]+)*$/
            }
            next
        }
        { end_table() }
        /(^|[^0-9.])(0\.[0-9][0-9]+|[0-9][0-9,.]* (LUTs|MHz|times|per cent|[GM]i?B\/s|us|ms|cycles a second)([^a-z]|$))/ {
            place[++count] = FILENAME ":" FNR " " $0
        }
        END { end_table(); flush_section() }' "$@"
}
# Of these the numbers are of formats and rules, not measured.
mapfile -t of_rules < <(printf 'docs/%s.md\n' isa registers variants containers numerics serial)
while read -r line; do
    complain "no command in the section of this number: $line"
done < <(measured "${documents[@]}" | grep -vF "$(printf '%s:\n' "${of_rules[@]}")")

awk -v readme=README.md '
    # near NAME NUMBER: whether the table has it, or what is rounded to it.
    function near(name, text,    i, off) {
        off = 0.5001 / 10 ^ (length(text) - index(text, "."))
        for (i = 1; i <= cells[name]; i++)
            if (cell[name, i] - text < off && text - cell[name, i] < off)
                return 1
        return 0
    }
    function judge(at, name, text) {
        while (match(text, /(^|[^0-9.])0\.[0-9][0-9]+/)) {
            number = substr(text, RSTART, RLENGTH)
            sub(/^[^0]*/, "", number)
            if (!near(name, number))
                print at ": " number " is not in the table of tulle-explore " name
            text = substr(text, RSTART + RLENGTH)
        }
    }
    FNR == 1 { name = "" }
    FILENAME != readme && /^#+ / { name = "" }
    FILENAME != readme && /^`tulle-explore [-a-z]+`$/ { name = $2; sub(/`$/, "", name); next }
    FILENAME != readme && name != "" && /^\|/ {
        n = split($0, part, /[|\/ ]+/)
        for (i = 1; i <= n; i++)
            if (part[i] ~ /^[0-9]+\.[0-9]+$/)
                cell[name, ++cells[name]] = part[i]
        next
    }
    FILENAME != readme && name != "" { said[++count] = $0; where[count] = FILENAME ":" FNR; of[count] = name }
    FILENAME == readme && /^\|.*[0-9].*`([A-Z_]+=[^ ]* )?(tulle|make|scripts)[- \/]/ { rows++ }
    FILENAME == readme && /^\|.*tulle-explore [a-z]/ {
        match($0, /tulle-explore [-a-z]+/)
        judge(FILENAME ":" FNR, substr($0, RSTART + 14, RLENGTH - 14), $0)
    }
    END {
        for (i = 1; i <= count; i++)
            judge(where[i], of[i], said[i])
        if (rows < 5)
            print readme " has no table of what was measured"
    }' docs/performance.md README.md >"$TMPDIR/numbers"
while read -r line; do
    complain "$line"
done <"$TMPDIR/numbers"
((!bad)) || fail "see above"

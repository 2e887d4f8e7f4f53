#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual page has every option that the help of each command has and no others, and mandoc, where it is installed, finds nothing.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
page=$TOP/host/man/tulle.1

# One section may be of several commands, "Options of devices and inspect"; they have the same options then, but for run and
# explain, of which the sections say which option is of one of them.
# listed COMMAND: options of the sections that name it.
listed() {
    sed -n '/^\.Ss /,$p' "$page" | awk -v command="$1" '
        /^\.S[sh] / { on = / of / && index(" " $0 " ", " " command " ") }
        on' | { grep -o 'Fl -[a-z][a-z-]*' || true; } | sed 's/Fl /-/' | sort -u
}

# helped COMMAND: options that its help has a line for, which is what bash completes, too.
helped() {
    "$tulle" "$1" --help | awk -f "$TOP/scripts/options.awk" | sed -n 's/^\(--[a-z-]*\).*/\1/p' | sed '/^--help$/d' | sort -u
}

mapfile -t commands < <("$tulle" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
((${#commands[@]} >= 10)) || fail "tulle has only these commands: ${commands[*]}"
for command in "${commands[@]}"; do
    case $command in
    run | explain) sort -u <(helped run) <(helped explain) >has ;;
    *) helped "$command" >has ;;
    esac
    [[ -s has ]] || fail "tulle $command --help has no options"
    listed "$command" | diff has - || fail "tulle $command: options of the help (<) and of the manual page (>)"
    grep -q "^\.Cm $command\$" "$page" || fail "the manual page has no tulle $command"
done
if command -v mandoc >/dev/null; then
    mandoc -Tlint "$page" >found || fail "$(<found)"
else
    echo 'without mandoc: the page is not linted'
fi

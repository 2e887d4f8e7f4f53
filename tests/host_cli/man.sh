#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual page has every option that the help has and no others, and mandoc, where it is installed, finds nothing.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
page=$TOP/host/man/tulle.1

for command in run explain convert; do
    "$tulle" $command --help
done | grep -o -- '--[a-z][a-z-]*' | sort -u >helped
sed -n '/^\.Ss Operands/,/^\.Sh ENVIRONMENT/p' "$page" | grep -o 'Fl -[a-z][a-z-]*' | sed 's/Fl /-/' | sort -u >paged
sed '/^--help$/d' helped | diff - paged || fail "options of the help (<) and of the manual page (>)"
for command in $("$tulle" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    grep -q "^\.Cm $command\$" "$page" || fail "the manual page has no tulle $command"
done
if command -v mandoc >/dev/null; then
    mandoc -Tlint "$page" >found || fail "$(<found)"
else
    echo 'without mandoc: the page is not linted'
fi

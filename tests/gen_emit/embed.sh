#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Files that are built into the generator come out of it as they went in, whatever characters they have.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

mkdir sources
# shellcheck disable=SC2016 # nothing is to be expanded
printf '%s\n' 'plain' '' '$display("100%% \"sure\"\n"); // a\b\\c' 'casez (x) 4'\''b1??: y = (z == 2'\''b??);' \
    '??= ??( ??/ ??>' $'a tab\there, & and \\& too' 'Gr'$'\303\274''n' >sources/first.v
printf '%s\n' 'last line' >sources/second.v

mkdir -p gen/emit
cp "$TOP/gen/emit/leaf.h" gen/emit/
awk -v prefix=leaf -v header=gen/emit/leaf.h -v extension=.v -v label=rtl/ -f "$TOP/gen/base/embed.awk" \
    sources/first.v sources/second.v >embedded.c
cat >main.c <<'EOF_C'
#include <stdio.h>
#include "gen/emit/leaf.h"
int main(void)
{
    for (size_t i = 0; i < leaf_source_count; i++) {
        FILE *file = fopen(leaf_sources[i].name, "w");
        fputs(leaf_sources[i].text, file);
        fclose(file);
        puts(leaf_sources[i].label);
    }
    return 0;
}
EOF_C
gcc -std=c11 -Wall -Wextra -Werror -I. main.c embedded.c -o main
[[ $(./main) == $'rtl/first.v\nrtl/second.v' ]] || fail "other files: $(./main)"
cmp first sources/first.v
cmp second sources/second.v

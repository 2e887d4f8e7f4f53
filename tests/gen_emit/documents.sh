#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The documents in the tree are what the tables give, and every link inside them leads somewhere.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

for pair in isa.md:--isa-doc registers.md:--register-doc fields.md:--field-doc variants.md:--list-keys; do
    file=$TOP/docs/${pair%%:*}
    "$GEN" "${pair#*:}" -o copy.md
    "$GEN" "${pair#*:}" | cmp - copy.md
    cmp copy.md "$file" || fail "$file is not what the tables give: run make regenerate"
done

"$GEN" tiny -o out >/dev/null
for file in "$TOP/docs/isa.md" "$TOP/docs/registers.md" "$TOP/docs/tulle-gen.md" out/docs/registers.md out/README.md; do
    # What GitHub makes of headings: lower case, no punctuation, dashes for blanks.
    sed -n 's/^##* //p' "$file" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' | sort -u >anchors
    awk '{ while (match($0, /\]\([^)]*\)/)) { print substr($0, RSTART + 2, RLENGTH - 3); $0 = substr($0, RSTART + RLENGTH) } }' "$file" | sort -u >links
    sed -n 's/^#//p' links | comm -23 - anchors >missing
    [[ ! -s missing ]] || fail "$file: links to headings that are not there: $(<missing)"
    while read -r link; do
        [[ -e ${file%/*}/${link%%#*} ]] || fail "$file: links to $link, which is not there"
    done < <(sed '/^#/d; /^https\?:/d' links)
done

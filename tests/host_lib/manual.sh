#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual pages have every function, status, number and field of the header, and nothing that it does not have;
# mandoc finds nothing wrong with them.

# shellcheck source=tests/host_lib/lib.sh
source "$TOP/tests/host_lib/lib.sh"

pages=("$MAN"/*.3)
# names PAGE: those of its section NAME.
names() {
    sed -n '/^\.Nd/q; s/^\.Nm \([^ ]*\).*/\1/p' "$1"
}

# Functions: the names of all pages of section 3, what the library shows, and what tulle(7) lists.
declared >wanted
for page in "${pages[@]}"; do
    names "$page"
done >named
sort named | diff wanted - || fail "functions: the header's (<), pages' (>)"
nm -D --defined-only "$LIBRARY" | awk '$3 ~ /^tulle_/ { print $3 }' | sort | diff - <(sort named) ||
    fail "functions: the library's (<), pages' (>)"
sed -n '/^\.Ss Functions/,/^\.Ss Linking/s/^\.It Xr \([a-z_]*\) 3$/\1/p' "$MAN/tulle.7" | sort | diff wanted - ||
    fail "functions: the header's (<), those of tulle(7) (>)"
# Each has its declaration in the page that names it.
for page in "${pages[@]}"; do
    names "$page" | while read -r name; do
        sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$page" | grep -qE "^\.F[no] $name( |\$)" ||
            fail "${page##*/} names $name and does not declare it"
    done
done

# The header without comments, preprocessor lines and the words in front of functions.
sed 's|/\*.*\*/||; /\/\*/,/\*\//d; /^#/d' "$HEADER" >bare

# Statuses, formats, functions, ...: what stands in enumerations, in lists or text of the pages.
sed -n '/^enum.*{/,/}/p' bare | grep -o 'TULLE_[A-Z0-9_]*' | sort -u >wanted
(($(wc -l <wanted) > 30)) || fail "the header's enumerations are not found"
sed -n 's/^\.\(It \)\{0,1\}\(Pq \)\{0,1\}Dv //p' "${pages[@]}" | grep -o 'TULLE_[A-Z0-9_]*' | sort -u >there
printf '%s\n' TULLE_FROM_HOST TULLE_NAME_BYTES TULLE_RANK_MAX | sort - wanted | diff - there || fail "constants: the header's (<), pages' (>)"
# Each status is an item of the page of statuses.
sed -n '/^enum tulle_status {/,/}/p' bare | grep -o 'TULLE_[A-Z_]*' | grep -vx TULLE_STATUSES | sort >wanted
sed -n '/^\.Ss Statuses/,/^\.Sh/s/^\.It Dv //p' "$MAN/tulle_status.3" | sort | diff wanted - ||
    fail "statuses: the header's (<), those of tulle_status(3) (>)"

# Fields: the items of each structure's list, in its order. An opaque structure has none.
sed -n '/^struct.*{/,/^}/p' bare | awk '
    /{/ { name = $2; next }
    /}/ { next }
    {
        gsub(/;.*/, "")
        count = split($0, part, ",")
        for (i = 1; i <= count; i++) {
            sub(/\[.*/, "", part[i])
            words = split(part[i], word, /[ *]+/)
            print name, word[words]
        }
    }' >wanted
(($(wc -l <wanted) > 60)) || fail "the header's fields are not found"
cat "${pages[@]}" | awk '
    $1 == ".Vt" && $2 == "struct" { name = $3 }
    $1 == ".It" && $2 == "Fa" {
        gsub(/"|\[.*/, "")
        words = split($0, word, /[ *]+/)
        print name, word[words]
    }' >there
diff <(sort wanted) <(sort there) || fail "fields: the header's (<), pages' (>)"

command -v mandoc >/dev/null || {
    echo "skipped: mandoc is not installed; all else about the pages was as it must be"
    exit 77
}
for page in "$MAN"/*.[1-9]; do
    mandoc -Tlint -W warning "$page" || fail "${page##*/}: see above"
done

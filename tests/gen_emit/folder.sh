#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The output folder: all that its README promises is there, the file list has every design file once, and the
# modules of the source tree are in it unchanged.
# timeout: 600
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

check_folder() {
    local file
    for file in tulle.f tulle.core variant.json README.md docs/registers.md include/tulle_{isa,registers,params}.{vh,h}; do
        [[ -s $1/$file ]] || fail "$1/$file is missing"
    done
    grep -v '^//' "$1/tulle.f" | grep -v '^+incdir+include$' | sort >listed
    (cd "$1" && find rtl -type f | sort) | diff - listed || fail "$1/tulle.f does not list what is in rtl/"
    [[ -z $(uniq -d listed) ]] || fail "$1/tulle.f lists a file twice"
    for file in "$1"/rtl/*.v "$1"/tb/*.v; do
        head -n 1 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || fail "$file: no licence in line 1"
        [[ ! -e $TOP/rtl/${file##*/} ]] || cmp "$file" "$TOP/rtl/${file##*/}"
    done
    for file in listed <(cd "$1" && find tb -name '*.v'); do
        while read -r line; do
            grep -q "^      - $line\$" "$1/tulle.core" || fail "$1/tulle.core does not have $line"
        done <"$file"
    done
}

for variant in tiny odd; do
    "$GEN" "$variant" -o "$variant" >/dev/null
    check_folder "$variant"
done
leaves=0
for file in tiny/rtl/*.v; do
    [[ ! -e $TOP/rtl/${file##*/} ]] || leaves=$((leaves + 1))
done
((leaves > 0)) || fail "none of the modules of rtl/ is in the output"

# The commands of the README work as they stand.
cd tiny
commands=$(awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' README.md)
while read -r command; do
    [[ -z $command ]] || bash -c "$command" >../log 2>&1 </dev/null || fail "README: $command: $(tail -n 20 ../log)"
    [[ $command != *tb/* ]] || grep -q PASS ../log || fail "README: $command: no PASS"
done <<<"$commands"

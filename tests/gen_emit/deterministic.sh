#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same variant gives the same bytes, wherever and under whatever settings the generator runs, and nothing
# of the machine is in them.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

other_locale=$(locale -a 2>/dev/null | grep -Ei '^(tr_TR|de_DE|C\.utf-?8)' | head -n 1)
mkdir -p here elsewhere/below
for variant in $("$GEN" --list | awk '{ print $1 }') "--random 1" "--random 2" "--random 3"; do
    name=${variant// /}
    # shellcheck disable=SC2086 # an option and its value
    LC_ALL=C TZ=UTC "$GEN" $variant -o "here/$name" >/dev/null
    (
        cd elsewhere/below
        umask 027
        # shellcheck disable=SC2086
        LC_ALL=$other_locale TZ=Asia/Kolkata HOME=/nowhere SOURCE_DATE_EPOCH=1 USER=nobody \
            "$GEN" $variant -o "../$name" >/dev/null
    )
    diff -r "here/$name" "elsewhere/$name" || fail "$variant: not the same in another place"
    # Written over an earlier output of another variant, too.
    "$GEN" tiny -o again >/dev/null
    # shellcheck disable=SC2086
    "$GEN" $variant -o again >/dev/null
    diff -r "here/$name" again || fail "$variant: not the same over an earlier output"
done
for word in "$TOP" "$TMPDIR" "$(hostname)" "$(date +%Y-)" "$(date +%H:%M:)"; do # seconds follow
    ! grep -rF -- "$word" here || fail "the output has \"$word\" of this machine in it"
done

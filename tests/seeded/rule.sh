#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The lists of seeded bugs keep their rule, and what they change is there. The rule:
#   - every C file of the folders below with 100 lines or more has a bug in these lists;
#   - every module of rtl/ and every template of a module has one, here or in a list of tests/rtl, tests/rtl_cluster or tests/formal;
#   - every area has every kind, and there are 150 bugs or more.
# A module without one is in tests/seeded/exempt with its reason.

# shellcheck source=tests/scripts/lib.sh
source "$TOP/tests/scripts/lib.sh"
# shellcheck source=tests/seeded/lib.sh
source "$TOP/tests/seeded/lib.sh"
cd "$TOP"

FOLDERS=(host/plan host/operator sim/numerics sim/model sim/cycle host/icd host/monitor sim/board host/lib host/formats host/container
    host/net/base host/net/proto host/net/graph host/net/read host/net/write host/net/cpu host/net/device host/net/image host/net/feed host/net/pass
    host/net/quantise host/net/marks host/net/compiled host/net/group host/net/place
    host/pcie sim/pcie gen/isa gen/variant)
LEAST_LINES=100
LEAST_BUGS=150

bugs "${AREAS[@]}" >"$TMPDIR/bugs"
declare -A count=()
total=0 wrong=0
complain() {
    printf 'WRONG: %s\n' "$*"
    wrong=$((wrong + 1))
}

while read_bug; do
    total=$((total + 1))
    area=${NAME%%:*}
    count[$area,$KIND]=$((${count[$area,$KIND]-0} + 1))
    [[ " ${KINDS[*]} " == *" $KIND "* ]] || complain "$NAME: there is no kind '$KIND'"
    [[ -e $FILE ]] || {
        complain "$NAME: there is no file $FILE"
        continue
    }
    times=$(occurrences "$FILE" "$FROM")
    ((times == 1)) || complain "$NAME: $FILE has '$FROM' $times times, not once"
    [[ $FROM != "$TO" ]] || complain "$NAME changes nothing"
    check=$(check_word "$CHECK")
    case $check in
    *:*) [[ -d tests/${check%%:*} ]] || complain "$NAME: there is no program tests/${check%%:*}" ;;
    *) [[ -x tests/$check ]] || complain "$NAME: there is no tests/$check" ;;
    esac
done <"$TMPDIR/bugs"

# standing: the modules of Verilog that the other lists seed bugs into.
standing() {
    sed -nE "s/^(leaf_)?(mutant|fault) ((tiny|odd|[A-Z]+|[a-z]+_tb) )?(tulle_)?([a-z0-9_]+) ['\"\$].*/\6/p" \
        tests/rtl/*.sh tests/rtl_cluster/*.sh tests/formal/*.sh
}

{
    awk -F '\t' '{ print $3 }' "$TMPDIR/bugs"
    standing | sed 's|.*|rtl/tulle_&.v|'
    awk '!/^#/ && NF > 1 { print $1 }' "$SEEDED/exempt"
} | sort -u >"$TMPDIR/seeded"
{
    for folder in "${FOLDERS[@]}"; do
        wc -l "$folder"/*.c | awk -v least="$LEAST_LINES" '$2 != "total" && $1 >= least { print $2 }'
    done
    ls rtl/*.v gen/templates/tulle_*.v
} | sort >"$TMPDIR/modules"
while read -r module; do
    complain "$module has no seeded bug, and is not in tests/seeded/exempt"
done < <(comm -23 "$TMPDIR/modules" "$TMPDIR/seeded")
while read -r module reason; do
    [[ -e $module ]] || complain "exempt: there is no $module"
    [[ -n $reason ]] || complain "exempt: $module has no reason"
    ! grep -qF "	$module	" "$TMPDIR/bugs" || complain "exempt: $module has a bug"
done < <(grep -v '^#' "$SEEDED/exempt")

((total >= LEAST_BUGS)) || complain "$total bugs, not $LEAST_BUGS"
printf '%-10s' ''
printf ' %18s' "${KINDS[@]}"
echo
for area in "${AREAS[@]}"; do
    printf '%-10s' "$area"
    for kind in "${KINDS[@]}"; do
        printf ' %18d' "${count[$area,$kind]-0}"
        ((${count[$area,$kind]-0})) || complain "$area has no bug of the kind $kind"
    done
    echo
done
echo "$total seeded bugs, $(wc -l <"$TMPDIR/modules") modules"
((!wrong)) || fail "$wrong rules are broken"

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The lists of seeded bugs that tests/seeded/play plays.
#
# A list is tests/seeded/AREA.tsv, a bug on each line in columns that tabs separate:
#   KIND   one of KINDS
#   FILE   of the sources
#   CHECK  the cheapest test that must notice it: UNIT:FILTER of a Criterion program, or a script below tests/ with its
#          arguments, perhaps with NAME=VALUE in front for its environment
#   FROM   a text that is in the file exactly once
#   TO     what replaces it; may be empty
# Lines that begin with # and empty lines are comments. A bug is called AREA:LINE.

# shellcheck source=tests/seeded/seed.sh
source "$TOP/tests/seeded/seed.sh"
SEEDED=$TOP/tests/seeded
# shellcheck disable=SC2034 # for the scripts that source this
AREAS=(planner models driver library networks pcie generator rtl)
# shellcheck disable=SC2034
KINDS=(off-by-one wrong-sign missing-condition swapped-operands stale-state)

# bugs AREA...: the bugs of these lists, NAME first and then the columns. Empty columns are kept.
bugs() {
    local area
    for area; do
        awk -v area="$area" -F '\t' '!/^#/ && NF { print area ":" FNR "\t" $0 }' "$SEEDED/$area.tsv"
    done
}

# read_bug: the next line of `bugs` into NAME, KIND, FILE, CHECK, FROM and TO.
read_bug() {
    local line
    IFS= read -r line || return
    # A tab is white space to read, which would drop an empty column.
    line=${line//$'\t'/$'\x1f'}
    # shellcheck disable=SC2034
    IFS=$'\x1f' read -r NAME KIND FILE CHECK FROM TO <<<"$line"
}

# check_word CHECK: its first word that is not NAME=VALUE.
check_word() {
    local word
    for word in $1; do
        [[ $word == *=* && $word != *:* ]] || break
    done
    echo "$word"
}

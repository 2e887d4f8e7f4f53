# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts share that do something with many variants. Sourced after lib.sh. The caller has two functions,
# do_name NAME and do_seed SEED, and calls workers at its end.
#
# A seed is a number N, the variant of tulle-gen --random N, or cN, that of --corner N.

# shellcheck disable=SC2034 # for the scripts that source this
TULLE_GEN=$BUILD/bin/tulle-gen

# seed_option SEED: what tulle-gen takes for it.
seed_option() {
    [[ $1 == c* ]] && echo "--corner ${1#c}" || echo "--random $1"
}

# new_seeds COUNT: every second one is a corner.
new_seeds() {
    od -An -N $((4 * $1)) -w4 -tu4 /dev/urandom | awk '{ print (NR % 2 ? "" : "c") $1 }'
}

# check_sweep SWEEP SEEDS: the values of --sweep and --seeds, where they were given.
check_sweep() {
    [[ -z $1 || $1 =~ ^[1-9][0-9]{0,5}$ ]] || usage_error "--sweep takes a count from 1, not '$1'"
    [[ $2 =~ ^(c?[0-9]+|\ )*$ ]] || usage_error "--seeds takes numbers, a corner's with a c before it, not '$2'"
    [[ -x $TULLE_GEN ]] || die "$TULLE_GEN is not built; run: make"
}

# workers JOBS NAMES SEEDS: this script again for each of the names and the seeds, of which the arguments name the arrays.
# Status 1 when one fails. What the workers need is in the environment.
workers() {
    local -n of_names=$2 of_seeds=$3
    {
        ((!${#of_names[@]})) || printf 'name\n%s\n' "${of_names[@]}"
        ((!${#of_seeds[@]})) || printf 'seed\n%s\n' "${of_seeds[@]}"
    } | xargs -d '\n' -P "$1" -n 2 "$0" --worker || return 1
}

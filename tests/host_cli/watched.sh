# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of tulle devices --watch share: a process in the background, and what is seen of it.

# shellcheck source=tests/host_cli/lib.sh
source "$TOP/tests/host_cli/lib.sh"
plain_build
mkdir run
export XDG_RUNTIME_DIR=$PWD/run
unset TULLE_MONITOR
worker=

# begin COMMAND...: in the background, for good.
begin() {
    "$tulle" "$@" >worker.out 2>worker.err &
    worker=$!
    trap 'kill "$worker" 2>/dev/null || true' EXIT
}

# killed PROCESS: ends it, which must not have ended by itself.
killed() {
    local status=0
    kill "$1" || fail "$1 has ended by itself"
    wait "$1" 2>/dev/null || status=$?
    ((status == 128 + 15)) || fail "$1 ended with $status and not by the signal"
}

end() {
    killed "$worker"
    trap - EXIT
}

# sample: the worker's object into `seen`; false when there is none.
sample() {
    does devices --watch --json --count 1
    tr '{' '\n' <out | grep "\"process\": $worker," >seen
}

# wait_for CONDITION...: until it holds of a sample; three minutes at most.
wait_for() {
    for _ in {1..1800}; do
        if sample && "$@"; then return; fi
        sleep 0.1
    done
    fail "never: $*; $(cat out worker.err)"
}

# has_jobs N: more than N.
has_jobs() {
    (($(field jobs seen) > $1))
}

# agrees_with FILE FIELD...: the worker's counters are so many times those of one product.
agrees_with() {
    local name jobs
    jobs=$(field jobs seen)
    for name in "${@:2}"; do
        (($(field "$name" seen) == jobs * $(field "$name" "$1"))) ||
            fail "$name: $(field "$name" seen) of $jobs jobs, one has $(field "$name" "$1")"
    done
}

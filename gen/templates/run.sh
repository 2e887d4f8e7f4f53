#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the test bench.
# ${generated}
#
# Usage: tb/run.sh [SIMULATOR...]      (iverilog, verilator; default: those that are installed)
#
# Compiles and runs the test bench in each simulator. The last line that each prints must be the same and say PASS.
# Exit status: 0 passed, 1 failed, 77 no simulator is installed. The compiled bench goes to a temporary folder;
# SIM_DIR=DIR keeps it in DIR. ARGUMENTS="+failures=N +rounds=N" ends the test at its Nth failure instead of the 10th,
# and plays the data in N rounds instead of 4, which is faster.

set -euo pipefail

cd "$(dirname "$${BASH_SOURCE[0]}")/.."
if [[ -n $${SIM_DIR:-} ]]; then
    mkdir -p "$SIM_DIR"
    work=$(cd "$SIM_DIR" && pwd)
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

read -ra arguments <<<"$${ARGUMENTS:-}"

run_iverilog() {
    iverilog -g2005 -c tulle.f -s tulle_tb -o "$work/tulle_tb.vvp" tb/tulle_packet_top.v tb/tulle_tb.v &&
        vvp -n "$work/tulle_tb.vvp" "$${arguments[@]}"
}

# The bench is compiled once and run once, so it is not optimised, and all code is one file, which reads the headers
# once. Clusters and PEs are compiled once, however many there are: they are kept apart, their inputs are variables, and
# the name of a violated assertion is looked up at the end.
run_verilator() {
    local kept
    echo '`verilator_config' >"$work/shared.vlt"
    for kept in tulle_cluster tulle_pe; do
        printf 'no_inline -module "%s"\npublic_flat_rd -module "%s" -var "*_i"\n' "$kept" "$kept" >>"$work/shared.vlt"
    done
    verilator --binary --timing -j 1 -O3 -fno-table '-DTULLE_TELL_AT_END=$finish' \
        -MAKEFLAGS "VM_PARALLEL_BUILDS=0 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0" \
        --top-module tulle_tb --Mdir "$work/verilator" "$work/shared.vlt" -f tulle.f tb/tulle_packet_top.v tb/tulle_tb.v \
        >"$work/build.log" 2>&1 || {
        cat "$work/build.log"
        return 1
    }
    "$work/verilator/Vtulle_tb" "$${arguments[@]}"
}

simulators=("$@")
if ((!$#)); then
    for name in iverilog verilator; do
        ! command -v "$name" >/dev/null || simulators+=("$name")
    done
fi
(($${#simulators[@]})) || {
    echo "tb/run.sh: neither iverilog nor verilator is installed" >&2
    exit 77
}

first=
for name in "$${simulators[@]}"; do
    status=0
    "run_$name" >"$work/$name.log" 2>&1 </dev/null || status=$?
    cat "$work/$name.log"
    last=$(grep '^tulle_tb: PASS' "$work/$name.log" || true)
    if ((status)) || [[ -z $last ]]; then
        echo "tb/run.sh: $name: failed (exit status $status)" >&2
        exit 1
    fi
    first=$${first:-$last}
    if [[ $last != "$first" ]]; then
        echo "tb/run.sh: $name says '$last', $${simulators[0]} said '$first'" >&2
        exit 1
    fi
done

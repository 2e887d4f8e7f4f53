# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The steps of scripts/check and scripts/long-run. Sourced after lib.sh; perform runs in TOP and may keep files in LOGS.

# STEPS follow one another, BESIDE runs at the same time. CONTRIBUTING.md says what belongs to CI and what to the long run.
# shellcheck disable=SC2034 # for the scripts that source this
{
    CI_STEPS=(tests vm loader packages sanitizer)
    CI_BESIDE=(format layers lint-sh lint-variants lint-sweep lint-c clang formal area)
    QUICK_STEPS=(tests)
    QUICK_BESIDE=(format layers lint-sh lint-variants formal-quick)
    # The steps that CI leaves out or performs in part, and the seconds that each is expected to take.
    LONG_STEPS=(coverage coverage-rtl lint-c-long lint-sweep-long area-long clock clock-device gate-level bench bench-plan bench-device bench-cluster bench-library)
    declare -A LONG_SECONDS=([coverage]=900 [coverage-rtl]=1200 [lint-c-long]=900 [lint-sweep-long]=900 [area-long]=400 [clock]=3600
        [clock-device]=1800 [gate-level]=1200 [bench-plan]=150 [bench-device]=700 [bench-cluster]=150 [bench-library]=600
        [bench]=300)
}

build() {
    make -s -j "$(nproc)" WERROR=1 "$@"
}

# perform STEP [ARGUMENT]...: the arguments are for the tests.
perform() {
    case $1 in
    install) scripts/install-deps build run check ;;
    gcc) build BUILD="$BUILD" CC=gcc all tests ;;
    clang) build BUILD="$BUILD/clang" CC=clang all tests ;;
    tests) BUILD=$BUILD scripts/run-tests "${@:2}" ;;
    sanitizer)
        build BUILD="$BUILD/san" CC=gcc SAN=address,undefined all tests &&
            BUILD=$BUILD/san scripts/run-tests --programs-only --timeout 900 &&
            BUILD=$BUILD/san TMPDIR=$LOGS tests/host_icd/stress.sh &&
            build BUILD="$BUILD/tsan" CC=gcc SAN=thread "$BUILD/tsan/tests/tool/icd-stress" &&
            BUILD=$BUILD/tsan TMPDIR=$LOGS tests/host_icd/stress.sh
        ;;
    format) scripts/format --check ;;
    layers) scripts/check-layers ;;
    lint-c) build BUILD="$BUILD" lint-c LINT_C=--shallow-tests ;;
    lint-c-long) build BUILD="$BUILD" lint-c ;;
    lint-sweep) build BUILD="$BUILD" lint-sweep SWEEP=6 ;;
    lint-sweep-long) build BUILD="$BUILD" lint-sweep SWEEP=100 ;;
    lint-*) build BUILD="$BUILD" "$1" ;;
    coverage) scripts/coverage ;;
    coverage-rtl) scripts/coverage-rtl ;;
    formal-quick) scripts/formal --quick ;;
    formal) scripts/formal ;;
    area) scripts/synth --check base ;;
    area-long) scripts/synth --check ;;
    clock) scripts/clock ;;
    clock-device) scripts/clock --device --seeds 1 ;;
    # The folder as make long says it, so that nothing is built again.
    bench | bench-*) make -s BUILD="${BUILD#"$TOP/"}" "$1" ;;
    gate-level) scripts/gate-level ;;
    vm) scripts/check-vm ;;
    loader) scripts/check-loader ;;
    packages) scripts/check-packages ;;
    esac
}

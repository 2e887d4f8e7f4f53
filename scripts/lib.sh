# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts share. A script sources it first; it sets strict mode and
#   TOP    the repository
#   BUILD  the build folder, absolute (default $TOP/build)

set -euo pipefail

# Settings come from the environment and the command line, not from a make above.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-$TOP/build}
[[ $BUILD == /* ]] || BUILD=$PWD/$BUILD
export TOP BUILD

# die TEXT: the command failed (exit status 1). usage_error TEXT: it was called wrongly (2).
die() {
    printf '%s: error: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

usage_error() {
    printf '%s: error: %s (try --help)\n' "${0##*/}" "$*" >&2
    exit 2
}

# print_help: the comment at the head of the calling script, which is its manual.
print_help() {
    sed -n '/^# SPDX/d; /^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"
}

# existing FOLDER...: those that there are; a clone has no empty ones.
existing() {
    local folder
    for folder in "$@"; do
        [[ ! -d $folder ]] || echo "$folder"
    done
}

# need COMMAND GROUP: stops with the remedy when a tool is absent.
need() {
    command -v "$1" >/dev/null || die "$1 is not installed; run: scripts/install-deps $2"
}

# pinned_llvm TOOL: prints the command that is TOOL of the pinned LLVM release. Layout and findings differ from one
# release to the next, so one decides. Where it is not to be had (Debian 13 has none as old) the caller is to be
# skipped, exit status 77: the same sources are checked elsewhere.
pinned_llvm() {
    local pinned=14 tool
    for tool in "$1-$pinned" "$1"; do
        if [[ $("$tool" --version 2>/dev/null) == *"version $pinned."* ]]; then
            echo "$tool"
            return
        fi
    done
    echo "skipped: $1 $pinned decides, and it is not installed here" >&2
    return 77
}

# use_compiler_cache: for what Verilator compiles: one is used when there is one that can write, as in the Makefile.
use_compiler_cache() {
    local cache
    if [[ -z ${OBJCACHE+set} ]] && cache=$(ccache -k cache_dir 2>/dev/null) && mkdir -p "$cache" && [[ -w $cache ]]; then
        export OBJCACHE=ccache CCACHE_BASEDIR=${CCACHE_BASEDIR-$TOP}
    fi
}

# need_verilator: one that is new enough, also where the PATH leads to another than the package's.
need_verilator() {
    need verilator run
    local version minimum
    minimum=$(sed -n 's/.* verilator>=\([0-9.]*\).*/\1/p' "$TOP/scripts/packages")
    version=$(verilator --version | awk 'NR == 1 { print $2 }')
    awk -v have="$version" -v min="$minimum" 'BEGIN { exit !(have + 0 >= min + 0) }' ||
        die "Verilator $version ($(command -v verilator)) is too old: $minimum or newer is needed"
}

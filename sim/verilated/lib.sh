# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What sim/verilated/build and sim/board/build share: a variant is emitted into a folder, changed where a seeded bug
# is wanted, and Verilated into a shared object with a C interface, unless that is there already.

# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

use_compiler_cache

VERILATOR_OPTIONS=() CHANGE=() VISIBLE=() FOLDER=''
# What the compiler is told.
OPTIMISE=(OPT_FAST=-O2 OPT_GLOBAL=-O2 OPT_SLOW=-O1)
# Where what is built is played for less time than it takes to optimise it: coverage, seeded bugs, netlists.
# All code is then one file: the headers take the compiler longer than the code.
NO_OPTIMISING=(OPT_FAST=-O0 OPT_GLOBAL=-O0 OPT_SLOW=-O0 VM_PARALLEL_BUILDS=0)

# take_option "$@": takes one of the options that both builds have; TAKEN is how many words it was. Fails when the
# first word is none of them.
# shellcheck disable=SC2034 # TAKEN is for the scripts that source this
take_option() {
    TAKEN=1
    case $1 in
    --help) print_help && exit ;;
    --coverage)
        VERILATOR_OPTIONS+=(--coverage-line --coverage-toggle)
        OPTIMISE=("${NO_OPTIMISING[@]}")
        ;;
    --plain) OPTIMISE=("${NO_OPTIMISING[@]}") ;;
    --mutant)
        [[ ${2-} =~ ^[0-9]+$ ]] || usage_error "--mutant takes a number, not '${2-}'"
        VERILATOR_OPTIONS+=("-DTULLE_MUTANT=$2")
        OPTIMISE=("${NO_OPTIMISING[@]}")
        TAKEN=2
        ;;
    --change)
        (($# > 3)) || usage_error "--change takes a module and two texts"
        CHANGE=("${@:2:3}")
        OPTIMISE=("${NO_OPTIMISING[@]}")
        TAKEN=4
        ;;
    -o)
        FOLDER=${2-}
        TAKEN=$(($# > 1 ? 2 : 1))
        ;;
    *) return 1 ;;
    esac
}

# emit_variant VARIANT [TULLE-GEN-OPTION]...: into $FOLDER/variant, under a lock that lasts as long as the script:
# builds that run side by side may want the same folder.
emit_variant() {
    local module text
    [[ -n $FOLDER ]] || usage_error "no -o FOLDER"
    (($#)) || usage_error "no variant"
    need_verilator
    mkdir -p "$FOLDER"
    FOLDER=$(cd "$FOLDER" && pwd)
    exec 9>"$FOLDER/lock"
    flock 9
    # Another run may be reading it.
    "$BUILD/bin/tulle-gen" "$@" --print >"$FOLDER/variant.yaml.new"
    mv "$FOLDER/variant.yaml.new" "$FOLDER/variant.yaml"
    "$BUILD/bin/tulle-gen" "$@" -o "$FOLDER/variant" >"$FOLDER/summary"
    ((${#CHANGE[@]})) || return 0
    module=$FOLDER/variant/rtl/${CHANGE[0]}.v
    text=$(<"$module")
    [[ $text == *"${CHANGE[1]}"* ]] || die "${CHANGE[0]}.v has no '${CHANGE[1]}' to change"
    printf '%s\n' "${text/"${CHANGE[1]}"/"${CHANGE[2]}"}" >"$module"
}

# up_to_date OBJECT SOURCE...: whether the object is there and was made of the same sources with the same options;
# otherwise it is gone.
up_to_date() {
    local object=$FOLDER/$1
    STAMP_FILE=$FOLDER/stamp-$1
    STAMP=$({
        verilator --version
        echo "${VERILATOR_OPTIONS[*]-} ${OPTIMISE[*]}"
        cat "${@:2}" "$TOP/sim/verilated/lib.sh" "$FOLDER"/variant/{variant.json,rtl/*.v,include/*}
    } | cksum)
    if [[ -e $object && -e $STAMP_FILE && $(<"$STAMP_FILE") == "$STAMP" ]]; then
        return
    fi
    rm -f "$STAMP_FILE" "$object"
    return 1
}

# verilate OBJECT MODULE PREFIX GLUE [OPTION]...: the module of the emitted variant with the glue, a C++ file of the
# source tree; options are Verilator's.
verilate() {
    local object=$1 log=$FOLDER/build-$1.log
    # Nothing of an older build is mixed in; a compiler cache makes up for it.
    rm -rf "$FOLDER/obj-$object"
    if ! { run_verilator "$@" && compile "$object" "$3"; } >"$log" 2>&1 9>&-; then
        cat "$log" >&2
        die "Verilator could not build $2; the log is $log"
    fi
    printf '%s\n' "$STAMP" >"$STAMP_FILE"
}

# PEs are compiled once, however many there are, clusters nearly so: Verilator keeps functions of instances that do the same
# once, if nothing of where they are gets into them. So modules are kept apart and their inputs are variables, a
# violated assertion is named later (rtl/tulle_assert.v), and no look-ups are made of logic, for they are numbered.
run_verilator() {
    local object=$1 module=$2 prefix=$3 glue=$4 files kept
    shift 4
    cd "$FOLDER/variant" || return
    {
        echo '`verilator_config'
        for kept in tulle_cluster tulle_pe; do
            printf 'no_inline -module "%s"\npublic_flat_rd -module "%s" -var "*_i"\n' "$kept" "$kept"
        done
        if ((${#VISIBLE[@]})); then
            printf 'public_flat_rd -module "%s" -var "%s"\n' "${VISIBLE[@]}"
        fi
    } >"$FOLDER/shared.vlt"
    mapfile -t files < <(grep '^rtl/' tulle.f)
    # Nothing outside of the object may see or replace its symbols: several variants live in one process.
    verilator --cc --exe -O3 -fno-table --x-assign unique --x-initial unique --no-timing "-DTULLE_TELL_AT_END=\$stop" \
        "${VERILATOR_OPTIONS[@]}" "$@" --top-module "$module" --prefix "$prefix" -Iinclude \
        --Mdir "$FOLDER/obj-$object" -o "$FOLDER/$object" \
        -CFLAGS "-std=c++17 -fPIC -fvisibility=hidden -DVL_USER_FATAL" \
        -CFLAGS "-I$TOP -I$FOLDER/variant" -LDFLAGS "-shared -Wl,-Bsymbolic" \
        "$FOLDER/shared.vlt" "${files[@]}" "$TOP/$glue"
}

# With clang where there is one: its code is a fifth faster.
compile() {
    local compiler='g++ -fno-gnu-unique' # several variants live in one process
    if command -v clang++ >/dev/null; then
        compiler=clang++
    fi
    make -C "$FOLDER/obj-$1" -f "$2.mk" -j 2 CXX="$compiler" LINK="$compiler" "${OPTIMISE[@]}" default
}

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts that measure hardware share: emitting a variant, and comparing with recorded figures. Sourced
# after lib.sh. A file of figures has lines "VARIANT TOOLS FIGURE VALUE"; TOOLS is the version that measured it,
# since another one maps differently.

MEASURED=() MISSING=0 UNRECORDED=0

# For Yosys, of a design whose processes are gone: RAM may be of either kind. ECP5 has less of one than larger FPGAs: with block RAM
# wherever the Verilog wants it, a device of tiny has 194 of them instead of 60, all over the chip. iCE40 has no LUT RAM at all.
# shellcheck disable=SC2034 # for those that source this
EITHER_RAM='setattr -unset ram_style */*; select -clear'

# emit VARIANT DIR
emit() {
    emit_with "$2" "$1"
}

# emit_with DIR VARIANT [TULLE-GEN-OPTION]...
emit_with() {
    [[ -x $BUILD/bin/tulle-gen ]] || die "$BUILD/bin/tulle-gen is not built; run: make"
    rm -rf "$1"
    mkdir -p "${1%/*}"
    "$BUILD/bin/tulle-gen" "${@:2}" -o "$1" >/dev/null || die "tulle-gen cannot make the variant $2"
}

# variant_value DIR KEY: a number of the emitted variant.json.
variant_value() {
    grep -o "\"$2\": *[0-9]*" "$1/variant.json" | head -n 1 | grep -o '[0-9]*$'
}

# design_hash DIR TEXT FILE...: of the emitted Verilog, its tools and the scripts.
design_hash() {
    local dir=$1 text=$2
    shift 2
    { (cd "$dir" && cat tulle.f rtl/*.v include/*.vh); echo "$text"; cat "$@"; } | sha256sum | cut -d' ' -f1
}

quotient() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'
}

# recorded_figure FILE VARIANT TOOLS FIGURE: nothing when there is none.
recorded_figure() {
    awk -v key="$2 $3 $4" '($1 " " $2 " " $3) == key { print $4 }' "$1" 2>/dev/null || true
}

# worse_by PERCENT VALUE RECORDED BETTER: more than that; BETTER is lower or higher.
worse_by() {
    awk -v percent="$1" -v value="$2" -v recorded="$3" -v better="$4" 'BEGIN {
        exit !((better == "lower" ? value - recorded : recorded - value) > percent / 100 * recorded) }'
}

# judge FILE VARIANT FIGURE VALUE BETTER TOOLS: BETTER is lower or higher. Fails when it is more than 3 % worse.
judge() {
    local recorded
    MEASURED+=("$2 $6 $3 $4")
    recorded=$(recorded_figure "$1" "$2" "$6" "$3")
    if [[ -z $recorded ]]; then
        if ! awk -v name="$2 $3" '($1 " " $3) == name { found = 1 } END { exit !found }' "$1" 2>/dev/null; then
            printf '%s %s: %s; not recorded in %s\n' "$2" "$3" "$4" "${1#"$TOP/"}"
            UNRECORDED=1
            return
        fi
        MISSING=1
        printf '    %s %s: %s; nothing recorded with %s\n' "$2" "$3" "$4" "$6"
        return
    fi
    if worse_by 3 "$4" "$recorded" "$5"; then
        echo "FAIL $2 $3: $4, recorded $recorded: more than 3 % worse"
        return 1
    elif worse_by 0 "$recorded" "$4" "$5"; then
        echo "    $2 $3: $4, better than the recorded $recorded"
    fi
}

# record_measured FILE COMMAND: replaces or adds what was measured; the rest stays.
record_measured() {
    mkdir -p "${1%/*}"
    {
        printf '# SPDX-License-Identifier: Apache-2.0\n# variant  tools  figure  value; written by %s\n' "$2"
        {
            [[ ! -e $1 ]] || grep -v '^#' "$1"
            printf '%s\n' "${MEASURED[@]}"
        } | awk '{ key = $1 " " $2 " " $3; value[key] = $4 } END { for (key in value) print key, value[key] }' | sort |
            tr ' ' '\t'
    } >"$1.new"
    mv "$1.new" "$1"
    echo "recorded in ${1#"$TOP/"}"
}

# finish_judging TARGET FILE RECORD STATUS: fails when a figure is worse or was never recorded; exit status 77 when it
# was, but only with other versions of the tools.
finish_judging() {
    if (($3)); then
        record_measured "$2" "make $1-record"
        exit 0
    fi
    (($4 == 0)) || die "worse than recorded; if it must be, record it: make $1-record"
    ((!UNRECORDED)) || die "figures that were never recorded; to record them: make $1-record"
    if ((MISSING)); then
        echo "skipped: some figures are recorded with other versions of the tools only; to record them: make $1-record"
        exit 77
    fi
    echo "$1: within 3 % of the recorded figures (record better ones: make $1-record)"
}

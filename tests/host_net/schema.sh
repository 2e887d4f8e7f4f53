#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tables of fields are those of the formats: of ONNX, the distribution's onnx.proto; of Caffe and TFLite, tables of
# their fields in TULLE_DATA.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
compared=0

# Enumerations are declared once and used by fields: both sides are made to lines "value FIELD'S-MESSAGE FIELD NUMBER NAME".
# with_values FILE: fields, and the values of each field whose type is an enumeration.
with_values() {
    awk -F '\t' -v OFS='\t' '
        NR == FNR { if ($1 == "value") { list[$2] = list[$2] $3 "\t" $4 "\n" } next }
        $1 == "field" {
            scope = $2; type = ""
            while (1) {
                name = scope == "" ? $6 : scope "." $6
                if (name in list) { type = name; break }
                if (scope == "") break
                sub(/\.?[^.]*$/, "", scope)
            }
            print "field", $2, $3, $4, $5 == "repeated" ? $5 : "optional", type == "" ? $6 : "enum" # a reader takes required ones as optional
            if (type == "") next
            count = split(list[type], value, "\n")
            for (i = 1; i < count; i++) print "value", $2, $4, value[i]
        }' "$1" "$1"
}

# equal FORMAT FILE: the file's fields are the table's.
equal() {
    with_values "$2" | sort >wanted
    "$tables" "$1" | cut -f 1-6 | awk -F '\t' -v OFS='\t' '$1 == "value" { print $1, $2, $3, $4, $5; next } { print }' | sort >there
    (($(wc -l <wanted) > 100)) || fail "$1: the fields are not found"
    diff wanted there || fail "$1: wanted (<), in the table (>)"
    compared=$((compared + 1))
}

if [[ -e /usr/include/onnx/onnx.proto ]]; then
    awk '
        { sub(/\/\/.*/, "") }
        /^ *(message|enum|oneof) / { depth++; kind[depth] = $1; name[depth] = $1 == "oneof" ? "" : $2; next }
        /^ *}/ { if (depth) depth--; next }
        /=/ && depth {
            scope = ""
            for (i = 1; i <= depth; i++) if (name[i] != "") scope = scope (scope == "" ? "" : ".") name[i]
            gsub(/\[.*\]|[;=]/, " ")
            if (kind[depth] == "enum") print "value\t" scope "\t" $2 "\t" $1
            else if (NF == 3) print "field\t" scope "\t" $3 "\t" $2 "\toptional\t" $1
            else print "field\t" scope "\t" $4 "\t" $3 "\t" $1 "\t" $2
        }' /usr/include/onnx/onnx.proto >onnx
    equal onnx onnx
fi

if [[ -n ${TULLE_DATA-} ]]; then
    caffe=$TULLE_DATA/models/caffe
    # What a network reaches, beginning at NetParameter; with the field that some users of Caffe have.
    {
        tail -n +2 "$caffe/caffe-fields.tsv"
        grep -P '^field\t(V1)?LayerParameter\t\d+\texternal_output\t' "$caffe/caffe-fields-external-output.tsv"
    } >all
    awk -F '\t' '
        { line[NR] = $0; kind[NR] = $1; in_[NR] = $2; type[NR] = $6; if ($1 == "field") is_message[$2] = 1 }
        END {
            reached["NetParameter"] = 1
            for (more = 1; more;) {
                more = 0
                for (i = 1; i <= NR; i++)
                    if (kind[i] == "field" && in_[i] in reached && type[i] in is_message && !(type[i] in reached)) { reached[type[i]] = 1; more = 1 }
            }
            for (i = 1; i <= NR; i++) if (kind[i] == "value" || in_[i] in reached) print line[i]
        }' all >caffe
    equal caffe caffe
    # Numbers that are not given: 0 unless the format says another.
    awk -F '\t' '$1 == "field" && match($7, /default=[^,]*/) {
        value = substr($7, RSTART + 8, RLENGTH - 8)
        if (value ~ /^[-.0-9]/ && value + 0 != 0) print $2, $4, value + 0
        if (value == "true") print $2, $4, 1
    }' caffe | sort >wanted
    "$tables" caffe | awk -F '\t' '$1 == "field" && $7 + 0 != 0 && $6 != "enum" { print $2, $4, $7 + 0 }' | sort >there
    diff wanted there || fail "defaults of Caffe: wanted (<), in the table (>)"
    # Of TFLite the table has what the reader uses.
    cut -f 1-4 "$TULLE_DATA/models/tflite/tflite-fields.tsv" | sort >wanted
    "$tables" tflite | sort >there
    (($(wc -l <there) > 250)) || fail "the fields of TFLite are not found"
    [[ -z $(comm -13 wanted there) ]] || fail "TFLite has no such fields: $(comm -13 wanted there)"
    [[ $(grep -c BuiltinOperator wanted) == $(grep -c BuiltinOperator there) ]] || fail "operators of TFLite are missing"
    compared=$((compared + 1))
fi
((compared)) || skip "neither libonnx-dev nor TULLE_DATA is there"

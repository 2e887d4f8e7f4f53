#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The table of operators has the inputs and attributes that ONNX's own schemas have, in every operator set that the
# distribution's package knows, from 7 on. docs/operators.md is the table.

# shellcheck source=tests/host_net/lib.sh
source "$TOP/tests/host_net/lib.sh"
"$tulle" net operators | diff "$TOP/docs/operators.md" - || fail "docs/operators.md is not what the table gives: run make regenerate"
"$PYTHON" -c 'import onnx' 2>err || skip "python3-onnx is not there; the page was as it must be"

"$tables" operators >table
"$PYTHON" - table <<'P' || fail "the table is not ONNX's"
import sys, onnx.defs as defs

FIRST, LAST = 7, defs.onnx_opset_version()
# ImageScaler was an experiment of early versions; a sparse constant is not supported.
UNKNOWN, LEFT_OUT = {"ImageScaler"}, {("Constant", "sparse_value")}
wrong = compared = 0
for line in open(sys.argv[1]):
    name, since, until, needed, inputs, *attributes = line.split()
    if name in UNKNOWN:
        continue
    for opset in range(max(FIRST, int(since)), LAST + 1):
        if int(until) and opset >= int(until):
            continue
        try:
            schema = defs.get_schema(name, opset, "")
        except Exception:
            print(f"{name}: not in operator set {opset}")
            wrong += 1
            break
        ours, kinds, defaults = set(), {}, {}
        for attribute in attributes:
            key, kind, first, last, required, default = attribute.split(":", 5)
            if opset >= int(first) and (not int(last) or opset < int(last)):
                ours.add(key)
                kinds[key] = kind
                if default:
                    defaults[key] = default
        theirs = {key for key in schema.attributes if (name, key) not in LEFT_OUT}
        compared += len(theirs)
        if ours != theirs:
            print(f"{name}, operator set {opset}: attributes {sorted(ours)}, ONNX has {sorted(theirs)}")
            wrong += 1
        for key in ours & theirs:
            kind = str(schema.attributes[key].type).split(".")[-1].lower()
            if kinds[key] != kind:
                print(f"{name}.{key}: {kinds[key]}, ONNX has {kind}")
                wrong += 1
            value = schema.attributes[key].default_value
            given = {1: value.f, 2: value.i, 3: value.s.decode()}.get(value.type)
            if given is not None and key in defaults:
                same = defaults[key] == given if value.type == 3 else abs(float(defaults[key]) - given) < 1e-6 * max(1, abs(given))
                if not same:
                    print(f"{name}.{key}, operator set {opset}: default {defaults[key]}, ONNX has {given}")
                    wrong += 1
        least, most = schema.min_input, min(schema.max_input, 1000)
        if int(needed) > least and schema.max_input < 1000 or int(inputs) < most < 1000:
            print(f"{name}, operator set {opset}: {needed} to {inputs} inputs, ONNX has {least} to {most}")
            wrong += 1
if compared < 500:
    print(f"only {compared} attributes were compared")
    wrong += 1
sys.exit(wrong > 0)
P

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle advise: the table is sorted, what is recommended fits and is the fastest, figures are those of tulle-gen --estimate, cycles those
# of the cycle model, the file is a variant, and what does not fit says why.

# shellcheck source=tests/host_cli/lib.sh
source "$(dirname "$0")/lib.sh"
GEN=$BUILD/bin/tulle-gen

# entries ROWS COLUMNS STEP: a matrix with a non-zero at every STEP-th place.
entries() {
    awk -v rows="$1" -v columns="$2" -v step="$3" 'BEGIN {
        for (i = 0; i < rows * columns; i += step) list[n++] = int(i / columns) + 1 " " i % columns + 1 " 3"
        print "%%MatrixMarket matrix coordinate integer general"; print rows, columns, n
        for (i = 0; i < n; i++) print list[i] }'
}
entries 96 64 5 >a.mtx
entries 48 160 9 >b.mtx

# told FILE: a line for each candidate: variant, state, microseconds, largest share, cycles.
told() {
    grep '^{"variant"' "$1" | awk '{
        variant = state = us = ""; share = 0; cycles = "-"
        n = split($0, item, ", \"")
        for (i = 1; i <= n; i++) {
            split(item[i], pair, "\": "); gsub(/[{"}\]]/, "", pair[1]); gsub(/["}\],]/, "", pair[2])
            if (pair[1] == "variant") variant = pair[2]
            if (pair[1] == "state") { state = pair[2]; gsub(/ /, "_", state) }
            if (pair[1] == "us") us = pair[2]
            if (pair[1] == "cycles") cycles = pair[2]
            if (pair[1] ~ /_share$/ && pair[2] > share) share = pair[2]
        }
        print variant, state, us == "" ? "-" : us, share, cycles }'
}

# ---- what it recommends ----

does advise a.mtx b.mtx --board kv260 --rows 16 --json -o best.yaml
cp out all.json
told all.json >states
best=$(field recommended all.json)
[[ $(head -n 1 states | cut -d' ' -f1) == "$best" ]] || fail "the first one is not the recommended one: $(head -n 3 states)"
# Within 2 % of the fastest, and of those the one that takes least; the others by time.
awk '$2 == "run" { time[++n] = $3; share[n] = $4 } END {
    for (i = 2; i <= n; i++) {
        if (time[1] > 1.021 * time[i]) { print "slower than", i; exit 1 }
        if (time[i] * 1.02 < time[1] * 1.02 && share[i] < share[1]) { print "larger and slower than", i; exit 1 }
        if (i > 2 && time[i] < time[i - 1]) { print "not sorted at", i; exit 1 }
    } }' states >why || fail "$(cat why; cat states)"
awk '$2 == "run" { if ($4 > 0.75) { print "does not fit:", $0; exit 1 } n++ }
    $2 == "does_not_fit" { if ($4 <= 0.75) { print "fits:", $0; exit 1 } large++ }
    END { if (n < 8 || !large) { print n + 0, "run,", large + 0, "too large"; exit 1 } }' states >why || fail "$(cat why)"
for name in base base4 deep odd tiny wide; do
    grep -q "^$name " states || fail "$name is no candidate"
done

# The file is that variant, and its estimate is the one in the table.
"$GEN" best.yaml --json >best.json
[[ $(field name best.json | head -n 1) == "$best" ]] || fail "the file is another variant"
"$GEN" best.yaml -o folder >/dev/null || fail "tulle-gen does not take the file"
luts=$("$GEN" best.yaml --estimate | awk '$1 == "device" { print $2 }')
shows "| $best |" advise a.mtx b.mtx --board kv260 --rows 16
grep -qF " $luts LUTs (" out || fail "the estimate has $luts LUTs: $(cat out)"
grep -q '^build  *'"$best: " out || fail "no recommendation: $(head -n 3 out)"

# ---- cycles are the cycle model's ----

# tiny is told of in any case: its cycles are those that tulle explain predicts for the same operand and effort.
does advise a.mtx --board u250 --rows 16 --effort 1 --json
advised=$(told out | awk '$1 == "tiny" { print $5 }')
if ! grep -q '__[at]san_init' < <(nm -D "$DRIVER"); then
    OCL_ICD_VENDORS=$DRIVER does explain spmm --weights a.mtx --rows 16 --device model:tiny --effort 1 --json
    [[ $(field predicted_cycles out) == "$advised" ]] || fail "advise says $advised cycles, explain $(field predicted_cycles out)"
fi

# Two matrices take what each takes.
does advise a.mtx b.mtx --board u250 --rows 16 --effort 1 --json
both=$(grep '"variant": "tiny"' out | sed 's/.*"cycles": \([0-9]*\).*"cycles_of": \[\([0-9]*\), \([0-9]*\)\].*/\1 \2 \3/')
read -r sum first second <<<"$both"
((first == advised && second > 0 && sum == first + second)) || fail "of two matrices: $both, of the first alone $advised"

# ---- the part, the clock and the operator matter ----

does advise a.mtx --board u250 --rows 16 --json
large=$(field recommended out)
[[ $large != "$best" ]] || fail "a part ten times as large gets the same variant: $best"
does advise a.mtx --board u250 --rows 16 --clock 100 --json
awk '{ exit !($2 == "run" ? $3 - $5 / 100 < 0.06 && $5 / 100 - $3 < 0.06 : 1) }' <(told out | head -n 1) || fail "100 MHz: $(told out | head -n 1)"
# More plans are never slower.
does advise a.mtx --board u250 --rows 16 --effort 8 --json
more=$(told out | awk '$1 == "tiny" { print $5 }')
((more <= advised)) || fail "tiny takes $more cycles with eight plans, $advised with one"
does advise a.mtx --board kv260 --fill 40 --rows 16 --json
told out | awk '$2 == "run" && $4 > 0.4 { exit 1 }' || fail "more than 40 % are taken"
does advise b.mtx --board zcu104 --operator spmv --json
spmv=$(told out | awk '$2 == "run" { print $5; exit }')
does advise b.mtx --board zcu104 --operator spmv --transpose --json
[[ $(told out | awk '$2 == "run" { print $5; exit }') != "$spmv" ]] || fail "--transpose does not matter"
does advise a.mtx --board zcu102 --rows 16 --tried 1
(($(grep -c '^| n[0-9]' out) == 1)) || fail "--tried 1: $(cat out)"
does advise a.mtx --board zcu102 --rows 16 --tried 1 --all
(($(grep -c '^| n[0-9]' out) > 30)) || fail "--all does not show all: $(cat out)"
grep -q 'not run: likely' out || fail "nothing is said of those that were not run"

# ---- boards: every one that is described has a part ----

for board in "$TOP"/bitstreams/boards/*.board; do
    name=$(basename "$board" .board)
    does advise a.mtx --board "$name" --rows 4 --tried 1 --fill 100
    clock=$(awk '$1 == "clock" { printf "%.0f", $2 / 1e6 }' "$board")
    blocks=$(awk '$1 == "memory" { print $2 / 2048 }' "$board")
    grep -q "its memory takes $blocks block RAMs" out || fail "the memory of $name takes $blocks block RAMs: $(head -n 6 out)"
    grep -q "at $clock MHz (the board's)" out || fail "the clock of $name is $clock MHz: $(head -n 5 out)"
done

# ---- refusals ----

printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 0\n' >empty.mtx
echo nonsense >bad.mtx
refuses 1 'there is no board or part "nowhere"; boards are ulx3s' advise a.mtx --board nowhere
refuses 1 'no candidate fits LFE5U-25F' advise a.mtx --board LFE5U-25F --fill 5
refuses 1 'bad.mtx' advise a.mtx bad.mtx --board kv260
refuses 1 'missing.mtx' advise missing.mtx --board kv260
refuses 1 'no entry that is not 0' advise empty.mtx --board kv260
refuses 1 'no/best.yaml' advise a.mtx --board kv260 --rows 4 -o no/best.yaml
refuses 2 'which matrix?' advise --board kv260
refuses 2 'which board?' advise a.mtx
refuses 2 '--rows: spmv has one' advise a.mtx --board kv260 --operator spmv --rows 3
refuses 2 '--operator' advise a.mtx --board kv260 --operator conv
refuses 2 '--fill' advise a.mtx --board kv260 --fill 0
shows 'Usage: tulle advise' advise --help
grep -oE -- '--[a-z-]+' out | sort -u | while read -r option; do
    grep -q -- "$option" "$TOP/docs/tulle.md" || [[ $option == --help || $option == --quiet ]] || fail "docs/tulle.md does not have $option"
done
(($(awk '{ print length }' out | sort -n | tail -n 1) <= 110)) || fail "tulle advise --help has a line too long"

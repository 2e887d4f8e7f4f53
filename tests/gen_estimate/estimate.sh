#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle-gen --estimate: within 15 % of what was measured, also of variants that it was not fitted to; block RAMs and DSPs, which are
# counted, within 2 %; the table in the tree is what the fit gives, and gives the same without the variants that are to check.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/../gen_emit/support.sh"

figures=$TOP/bitstreams/figures table=$TOP/bitstreams/estimate

# ---- beside what was measured ----

least() {
    (($(awk -v role="$2" -v target="$1" '$1 == role { seen[$2] } END { for (name in seen) n++; print n + 0 }' beside) >= $3)) ||
        fail "$1: fewer than $3 variants to $2"
}

for file in "$table"/*.tsv; do
    target=$(basename "$file" .tsv)
    "$TOP/scripts/fit-estimate" --check --target "$target" --work "$TMPDIR/$target" >beside || fail "$target: $(cat beside)"
    awk '{ off = $6 < 0 ? -$6 : $6 } / (block_rams|dsps) / && off > 2 { print; bad = 1 } END { exit bad }' beside >odd ||
        fail "$target: counted, not fitted, yet off: $(cat odd)"
    if [[ $target == xcup ]]; then
        least xcup fit 11
        least xcup check 8
    fi

    # The coefficients are those of the fit, and the variants to check have no part in them.
    grep -v '^check' "$target/data" >data
    LC_ALL=C awk -f "$TOP/scripts/fit-estimate.awk" data >fitted
    grep '^coefficient' "$file" | cmp -s - fitted || fail "$file is not what scripts/fit-estimate makes of $figures/$target.tsv"
    # What it says of its error is the largest of them.
    awk '$1 == "check" { off = $6 < 0 ? -$6 : $6; if (off > worst[$3]) worst[$3] = off } END { for (f in worst) print f, worst[f] }' beside |
        while read -r figure worst; do
            said=$(awk -v figure="$figure" '$1 == "error" && $2 == figure { print 100 * $3 }' "$file")
            awk -v said="$said" -v worst="$worst" 'BEGIN { exit !(said - worst < 0.11 && worst - said < 0.11) }' ||
                fail "$target: $figure of a variant to check is off by $worst %, the table says $said %"
        done
done

# A coefficient that is wrong is found.
sed 's/^\(fit base [a-z]* luts \).*/\11/' data >harmed
LC_ALL=C awk -f "$TOP/scripts/fit-estimate.awk" harmed | cmp -s - fitted && fail "a figure does not matter to the fit"

# ---- what it says ----

"$GEN" --estimate base >text
"$GEN" --estimate base --json >json
"$GEN" --json --estimate base | cmp - json || fail "the order of --estimate and --json matters"
luts=$(awk '$1 == "device" { print $2 }' text)
grep -q "\"device\": {\"luts\": $luts, " json || fail "text and JSON are of two minds: $(cat text json)"
grep -q 'not fitted to' text || fail "it does not say its error: $(cat text)"
grep -q '^beyond' text && fail "base is beyond nothing: $(cat text)"
grep -q '^beyond .*n 16 (' < <("$GEN" --estimate base --set n=16 --set m=16) || fail "16 rows are not called beyond the fit"

# Keys that no variant of the fit has are told; what is counted of them is right (make synth gave 116 and 270, and joins have eight more since).
"$GEN" --estimate networks >all_keys
for key in 'channel_groups 512' 'joins on' 'lookup on' 'roundings on' 'softmax 1024' 'zero_points on'; do
    grep -q "^beyond .*: .*$key" all_keys || fail "networks is not called beyond the fit for $key: $(cat all_keys)"
done
awk '$1 == "device" { exit !($4 == 124 && $5 > 0.98 * 270 && $5 < 1.02 * 270) }' all_keys || fail "DSPs or block RAMs of networks: $(cat all_keys)"
# make clock-device placed 36 DSPs and 78 block RAMs for this one, and joins have two more since.
"$GEN" --estimate tiny --target ecp5 --set zero_points=on --set channel_groups=128 --set roundings=on --set lookup=on --set joins=on \
    --set softmax=512 >all_keys
awk '$1 == "device" { exit !($4 == 38 && $5 > 0.98 * 78 && $5 < 1.02 * 78) }' all_keys || fail "DSPs or block RAMs on ECP5: $(cat all_keys)"
grep -q '^beyond' < <("$GEN" --estimate base --set host_port=on) && fail "a host port, which was fitted, is called beyond the fit"

# More of anything is never less.
for change in k=16 scan=4 input_buffer_depth=8192 output_queue_depth=1024 n=4; do
    more=$("$GEN" --estimate base --set "$change" | awk '$1 == "device" { print $2, $3, $5 }')
    echo "$(awk '$1 == "device" { print $2, $3, $5 }' text) $more" |
        awk '{ exit !($4 >= $1 && $5 >= $2 && $6 >= $3 && ($4 > $1 || $6 > $3)) }' || fail "with $change less is estimated: $more"
done

# Block RAMs of keys that no recorded variant has, as make synth gave them for base: 227.5 without.
for change in 'channel_groups=64 237.0' 'zero_points=on 228.0'; do
    counted=$("$GEN" --estimate base --set "${change% *}" | awk '$1 == "device" { print $5 }')
    [[ $counted == "${change#* }" ]] || fail "base with ${change% *}: $counted block RAMs, not ${change#* }"
done

# ---- refusals ----

refuse 1 'nothing is fitted for the FPGA family spartan; there are: ' "$GEN" --estimate base --target spartan
refuse 2 '\-\-target is of --estimate' "$GEN" base --print --target xcup
refuse 2 'a variant is missing' "$GEN" --estimate
refuse 2 'exclude each other' "$GEN" --estimate base --print
refuse 1 'k must be 1..16|1..16' "$GEN" --estimate base --set k=99

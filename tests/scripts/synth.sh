#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/synth --check with a stand-in for Yosys: what counts as worse, and that a part with too many LUTs is mapped again with
# its files in other orders before it does.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"

tree=$TMPDIR/tree
figures=$tree/bitstreams/figures/xcup.tsv
mkdir -p "$tree/bin" "$tree/build" "${figures%/*}"
cp -r "$TOP/scripts" "$tree"
ln -s "$BUILD/bin" "$tree/build/bin"

# The stand-in counts its runs of the cluster in $tree/runs and the orders of files in $tree/orders; the n-th of them has as many LUTs
# as the n-th line of $tree/cluster says, and then as the last one.
cat >"$tree/bin/yosys" <<'STUB'
#!/bin/bash
[[ $1 != -V ]] || { echo "Yosys 9.9 (stand-in)" && exit; }
tree=$(dirname "$0")/..
script=${!#}
: >"$3" # its log
luts=50
if [[ $script == *"-top tulle_cluster"* ]]; then
    echo >>"$tree/runs"
    grep -o 'read_verilog -I include [^;]*' <<<"$script" | cut -d' ' -f4- >>"$tree/orders"
    luts=$(head -n "$(wc -l <"$tree/runs")" "$tree/cluster" | tail -n 1)
fi
for file in $(grep -o 'tee -q -o [^ ;]*' <<<"$script" | cut -d' ' -f4); do
    printf '=== top ===\n   Number of memory bits: 7\n   LUT6 %d\n   FDRE 9\nLongest topological path in top (length=3):\n' "$luts" >"$file"
done
STUB
chmod +x "$tree/bin/yosys"

# synth STATUS RUNS LUTS... -- ARGUMENT...: the LUTs that one run of the cluster after another has, and how many there must be.
synth() {
    local want=$1 runs=$2
    shift 2
    : >"$tree/cluster"
    while [[ $1 != -- ]]; do
        echo "$1" >>"$tree/cluster"
        shift
    done
    shift
    rm -rf "$tree/build/synth" "$tree/runs" "$tree/orders"
    expect "$want" env BUILD="$tree/build" PATH="$tree/bin:$PATH" "$tree/scripts/synth" "$@"
    [[ $(wc -l <"$tree/runs") == "$runs" ]] || fail "$(wc -l <"$tree/runs") runs of the cluster instead of $runs"
}

# Nothing recorded: said, and an error. What is recorded is what was measured.
synth 1 1 100 -- --check tiny
says 'tiny luts: 100; not recorded'
synth 0 1 100 -- --record tiny
grep -q $'^tiny\t9.9\tluts\t100$' "$figures" || fail "what is recorded: $(cat "$figures")"
grep -q $'^tiny\t9.9\tdevice_luts\t450$' "$figures" || fail "the device is not what is around and four clusters"

# The same, better, and worse within the limit.
synth 0 1 100 -- --check tiny
says_not ', better than\|FAIL'
synth 0 1 90 -- --check tiny
says 'tiny luts: 90, better than the recorded 100'
synth 0 1 103 -- --check tiny
says '^area: within 3 %'

# Too many: again with the files in another order, until it fits; the least counts.
synth 0 2 104 101 -- --check tiny
says 'tiny luts: 104, recorded 100; with its files in order 1 of three 101'
says '^tiny *xcup *cluster *101 '
[[ $(sort -u "$tree/orders" | wc -l) == 2 ]] || fail "the files came in the same order again"
[[ $(tr ' ' '\n' <"$tree/orders" | sort | uniq -c | awk '{ print $1 }' | sort -u) == 2 ]] || fail "not the same files"
synth 1 4 110 106 120 108 -- --check tiny
says 'FAIL tiny luts: 106, recorded 100: more than 3 % worse'
[[ $(sort -u "$tree/orders" | wc -l) == 4 ]] || fail "an order came twice"
synth 0 4 110 106 120 102 -- --check tiny

# What is only measured is not judged.
synth 0 1 110 -- tiny
says_not recorded

# Another release maps differently: no reason to fail, but said.
sed -i 's/Yosys 9.9/Yosys 9.8/' "$tree/bin/yosys"
synth 77 1 200 -- --check tiny
says 'nothing recorded with 9.8'


# ---- arguments ----

expect 2 "$TOP/scripts/synth" --target vhdl
says "no target 'vhdl'"
expect 2 "$TOP/scripts/clock" --placed --record
says 'not recorded'
expect 2 "$TOP/scripts/clock" --record --seeds 1
says 'five seeds'
expect 2 "$TOP/scripts/clock" --seeds 1,x
says "not '1,x'"

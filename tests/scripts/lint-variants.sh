#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/lint-variants on a stand-in generator: a warning of either tool fails and says how to reproduce it.

# shellcheck source=tests/scripts/lib.sh
source "$(dirname "$0")/lib.sh"

export BUILD=$TMPDIR/build
mkdir -p "$BUILD/bin"

# generator MODULE-BODY: a tulle-gen whose variants have that body; seed 3 and the variant `broken` do not generate.
generator() {
    cat >"$BUILD/bin/tulle-gen" <<G
#!/bin/bash
[[ \$1 != --list ]] || { echo 'one  the first'; echo 'two  the second'; exit; }
[[ \$* != *'--random 3 '* && \$1 != broken ]] || { echo 'cannot make it' >&2; exit 1; }
mkdir -p "\${!#}"
echo tulle_top.v >"\${!#}/tulle.f"
cat >"\${!#}/tulle_top.v" <<'V'
module tulle_top (input wire [3:0] a_i, output wire [3:0] b_o);
$1
endmodule
V
echo "made \$*"
G
    chmod +x "$BUILD/bin/tulle-gen"
}

lint() {
    local want=$1
    shift
    expect "$want" "$TOP/scripts/lint-variants" "$@"
}

generator '  assign b_o = a_i;'
lint 0 one
says '^made one '
says '^lint one: no warnings$'
lint 0 --all
says '^lint: 2 variant(s), no warnings$'
lint 0 --out "$TMPDIR/elsewhere" one
[[ -s $TMPDIR/elsewhere/one/tulle_top.v ]] || fail "--out is not where the variant went"

# Half of a sweep is always the same seeds.
lint 0 --sweep 4
says '^lint random-1: no warnings$'
says '^lint random-2: no warnings$'
says '^lint: 4 variant(s), no warnings$'

# A variant that is not generated, by name and by seed.
lint 1 broken
says 'cannot make it'
says 'reproduce: make lint-variant VARIANT=broken$'
lint 1 --seeds '1 3'
says '^lint random-1: no warnings$'
says 'reproduce: make lint-sweep SEEDS=3$'

# What Verilator warns of only with -Wall, what it always warns of, and what only Icarus refuses: a name that Verilog-2005 does not know.
generator '  wire [3:0] spare = ~a_i;
  assign b_o = a_i;'
lint 1 one
says 'Warning-UNUSED'
generator '  assign b_o = a_i[2:0];'
lint 1 one
says 'Warning-WIDTH'
says 'reproduce: make lint-variant VARIANT=one$'
generator '  logic [3:0] c;
  always_comb c = a_i;
  assign b_o = c;'
lint 0 --verilator-only one
lint 1 one
says '^iverilog: exit status'

# Wrong use.
lint 2
lint 2 --sweep none
lint 2 --seeds x
lint 2 --wrong
rm "$BUILD/bin/tulle-gen"
lint 1 one
says 'tulle-gen is not built; run: make'

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The generated headers compile alone, in every language they are for; the Verilog and the C one say the same;
# no name is defined twice.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

"$GEN" tiny -o tiny >/dev/null
"$GEN" odd --set data_width=16 --set acc_width=48 --set index_width=12 -o odd >/dev/null
"$GEN" --isa-headers every >/dev/null

# ---- C and C++ ----

c_flags=(-Wall -Wextra -Wshadow -pedantic -Werror -fsyntax-only)
compile() {
    printf '#include "%s"\n#include "%s"\nint main(void) { return %s; }\n' "$1" "$1" "${2:-0}" >use.c
    for compiler in gcc clang; do
        if command -v "$compiler" >/dev/null; then
            "$compiler" -std=c11 "${c_flags[@]}" use.c
            "$compiler" -std=c++17 -x c++ "${c_flags[@]}" use.c
        fi
    done
}
for header in tiny/include/*.h odd/include/*.h every/*.h; do
    compile "$header"
done
compile tiny/include/tulle_isa.h 'TULLE_STATUS_OK + TULLE_MAC_BASE_LSB'
# Without a variant, what depends on one takes it as arguments.
compile every/tulle_isa.h 'TULLE_WEIGHT_LAST_LSB(16, 12) == 27 && TULLE_WEIGHT_WIDTH(8, 8) == 16 ? 0 : 1'

# ---- Verilog ----

for folder in tiny odd; do
    {
        for header in isa registers params isa; do
            echo "\`include \"tulle_$header.vh\""
        done
        echo 'module use_headers;'
        awk '$1 == "`define" && NF > 2 {
            range = $3 ~ /^[0-9]+:[0-9]+$/
            printf range ? "  wire [`%s] %s_w;\n" : "  localparam %s_p = `%s;\n", $2, $2
        }' "$folder"/include/*.vh
        echo 'endmodule'
    } >"$folder.v"
    (($(grep -c localparam "$folder.v") > 100)) || fail "the Verilog headers define hardly anything"
    verilator --lint-only -Wall -Wno-UNUSEDSIGNAL -Wno-UNDRIVEN -Wno-UNUSEDPARAM -Wno-DECLFILENAME \
        -I"$folder/include" "$folder.v"
    iverilog -g2005 -Wall -I "$folder/include" -o "$folder.vvp" "$folder.v"
done

# ---- the same in both ----

names() { sed -n 's/^[`#]define \([A-Z0-9_]*\).*/\1/p; s/^    \(TULLE_[A-Z0-9_]*\) *= .*/\1/p' "$@"; }
for folder in tiny odd; do
    for kind in vh h; do
        twice=$(names "$folder"/include/*."$kind" | sort | uniq -d)
        [[ -z $twice ]] || fail "defined twice in the .$kind headers: $twice"
    done
    # Ranges against _LSB and _BITS.
    awk '
        FILENAME ~ /\.h$/ && /^#define/ { c[$2] = $3 }
        FILENAME ~ /\.vh$/ && $3 ~ /^[0-9]+:[0-9]+$/ {
            split($3, at, ":")
            if (c[$2 "_LSB"] "" != at[2] "" || c[$2 "_BITS"] != at[1] - at[2] + 1) { print "not the same: " $2; bad = 1 }
            count++
        }
        END { exit bad || count < 100 }' "$folder"/include/*.h "$folder"/include/*.vh || fail "$folder: positions differ"
done

# ---- what the instruction set says, by hand ----

has() { grep -Eq "^.define $2 +$3( |\$)" "$1" || fail "$1: $2 is not $3"; }
has tiny/include/tulle_isa.vh TULLE_EXEC_SHIFT_OUT 6:6
has tiny/include/tulle_isa.vh TULLE_CONFIG_BUFFER 4:0
has tiny/include/tulle_isa.vh TULLE_MAC_BASE 7:4
has tiny/include/tulle_isa.vh TULLE_SPU_OPCODE_VALUE "2'd3"
has tiny/include/tulle_isa.vh TULLE_OPCODE_FENCE "8'd8"
has tiny/include/tulle_isa.vh TULLE_STATUS_NO_FEATURE "16'd42"
has tiny/include/tulle_isa.vh TULLE_WEIGHT_LAST 15:15
has odd/include/tulle_isa.vh TULLE_WEIGHT_LAST 27:27
has odd/include/tulle_isa.vh TULLE_ESCAPE_GAP_VALUE "11'd2047"
has odd/include/tulle_isa.h TULLE_WEIGHT_GAP_LSB 16
has odd/include/tulle_params.vh TULLE_N 3
has odd/include/tulle_params.h TULLE_DATA_WIDTH 16
has tiny/include/tulle_registers.vh TULLE_REG_SHAPE "10'h110"
has tiny/include/tulle_registers.vh TULLE_RESET_SHAPE "32'h02020202"
"$GEN" tiny --set functions=relu,average --json -o variant.json
"$GEN" tiny --set functions=relu,average -o tiny >/dev/null
has tiny/include/tulle_params.vh TULLE_FUNCTIONS "$(((1 << 1) | (1 << 9)))"

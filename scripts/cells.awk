# SPDX-License-Identifier: Apache-2.0
# Counts what a Yosys stat report says of a mapped netlist: LUTs (LUT RAM among them), LUT RAM, flip-flops, DSPs, block
# RAMs. One line for the last module; with by_module=1 one line for each module of rtl/, what other modules are within
# it left out: NAME LUTS RAM FF DSP BRAM TIMES (in the module above it). What a cell counts as, for each target of
# scripts/synth:
#
#   xcup, xc7  LUT RAM in the LUTs that it takes, block RAM in RAMB36; muxes behind LUTs are free
#   ecp5       a carry cell is two LUTs, a 16 x 4 LUT RAM six (two of them its write port); muxes behind LUTs are free
#   ice40      a carry shares its LUT's cell
#   generic    LUTs of six inputs; products and memories stay whole

function clear() {
    luts = ram = ffs = dsps = brams = 0
}

function show() {
    if (by_module && name != "" && name != "design") {
        key[++count] = module
        table[count] = name " " luts + ram " " ram " " ffs " " dsps " " brams
    }
}

/^=== / {
    show()
    clear()
    name = $2
    if (match(name, /tulle_[a-z0-9_]+/))
        name = substr(name, RSTART, RLENGTH)
    module = $2
    next
}

# "design hierarchy" repeats what the modules have, but its tree tells how often each is there.
by_module && name == "design" && $1 ~ /tulle_/ && NF == 2 {
    times[$1] += $2
}

# "   LUT6   12" and, in newer releases, "   12   LUT6".
NF == 2 {
    cell = $1 ~ /^[0-9]+$/ ? $2 : $1
    n = $1 ~ /^[0-9]+$/ ? $1 : $2
    if (cell ~ /^(LUT[1-6]|SB_LUT4|\$lut)$/) luts += n
    else if (cell == "CCU2C") luts += 2 * n
    else if (cell ~ /^TRELLIS_DPR16X4/) ram += 6 * n
    else if (cell ~ /^RAM(32M16|64M8)$/) ram += 8 * n
    else if (cell ~ /^RAM(32M|64M)$/) ram += 4 * n
    else if (cell ~ /^RAM(32|64)X1[SD]$/) ram += n * (cell ~ /D$/ ? 2 : 1)
    else if (cell ~ /^RAM128X1[SD]$/) ram += n * (cell ~ /D$/ ? 4 : 2)
    else if (cell ~ /^RAM256X1[SD]$/) ram += n * (cell ~ /D$/ ? 8 : 4)
    else if (cell ~ /^SRL/) { luts += n }
    else if (cell ~ /^(FD[RSCP]E(_1)?|TRELLIS_FF|SB_DFF[A-Z]*|\$_[A-Z]*DFF[A-Z]*_[A-Z0-9]*_)$/) ffs += n
    else if (cell ~ /^(DSP48E[12]|MULT18X18D|SB_MAC16|WHOLE_PRODUCT)$/) dsps += n
    else if (cell ~ /^(RAMB36E[12]|DP16KD|PDPW16KD|SB_RAM40_4K[NRW]*|WHOLE_MEMORY)$/) brams += n
    else if (cell ~ /^RAMB18/) brams += n / 2
}

END {
    if (!by_module) {
        print luts + ram, ram, ffs, dsps, brams
        exit
    }
    show()
    for (i = 1; i <= count; i++)
        print table[i], (times[key[i]] > 0 ? times[key[i]] : 1)
}

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a variant has for vendors' flows: the kernel's description is XML and agrees with the registers and ports, the
# scripts run to their end in a Tcl that knows the design, and refuse what they must. The vendors' tools are not here.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

STAND_IN=$TOP/tests/gen_emit/vendor.tcl

# play FOLDER SCRIPT [ARGUMENT]...: into the file played.
play() {
    tclsh "$STAND_IN" "$1/vendor/$2" "${@:3}" >played 2>complaint
}

# refused TEXT FOLDER SCRIPT [ARGUMENT]...
refused() {
    ! play "${@:2}" || fail "${*:2} was not refused"
    grep -qF -- "$1" complaint || fail "${*:2}: '$1' is not in: $(cat complaint)"
}

"$GEN" tiny -o tiny >/dev/null
"$GEN" wide -o wide >/dev/null
"$GEN" tiny --set host_port=on --set name=hosted -o hosted >/dev/null

# -- The kernel of Vitis ------------------------------------------------------------------------------------------------

for variant in tiny wide; do
    xml=$variant/vendor/kernel.xml
    xmllint --noout "$xml" || fail "$xml is not XML"
    # Every argument is a register of the map at that offset, and every register between 0x10 and 0x100 an argument.
    xmllint --xpath '//arg/@offset' "$xml" | grep -o '0x[0-9a-f]*' | tr a-f A-F | sed 's/0X/0x/' | sort >offsets
    sed -n 's/^| \(0x0[1-9A-F][0-9A-F]\) | \([a-z_]*\) | .*/\1 \2/p' "$variant/docs/registers.md" | grep -v '_high$' |
        cut -d' ' -f1 | sort -u | diff offsets - || fail "$xml: arguments are not the registers"
    [[ $(xmllint --xpath 'count(//arg[@addressQualifier=1])' "$xml") == 8 ]] || fail "$xml: not 8 buffers"
    [[ $(xmllint --xpath 'string(//kernel/@hwControlProtocol)' "$xml") == ap_ctrl_chain ]] || fail "$xml: protocol"
    [[ $(xmllint --xpath 'count(//arg[not(@port=//port/@name)])' "$xml") == 0 ]] || fail "$xml: a port that is not there"
    for port in $(xmllint --xpath '//port/@name' "$xml" | cut -d'"' -f2); do
        grep -q "${port}_awvalid" "$variant/rtl/tulle_top.v" || fail "$xml: tulle_top has no $port"
        width=$(xmllint --xpath "string(//port[@name='$port']/@dataWidth)" "$xml")
        range=$(sed -n "s/^ *output wire *\[\([^]]*\):0\] *${port}_[rw]data,/\1/p" "$variant/rtl/tulle_top.v")
        [[ $range != \`TULLE_MEMORY_WIDTH-1 ]] ||
            range=$(($(awk '$2 == "TULLE_MEMORY_WIDTH" { print $3 }' "$variant/include/tulle_params.vh") - 1))
        ((width == range + 1)) || fail "$xml: width of $port"
    done
    diff <(grep -o '^  [a-z]* *wire .*m_axi_[a-z0-9]*_awvalid' "$variant/rtl/tulle_top.v" | grep -o 'm_axi_[a-z0-9]*' | sed s/_awvalid// | sort -u) \
        <(sed -n 's/^sp=.*\.\(m_axi_[a-z0-9]*\):.*/\1/p' "$variant/vendor/link.cfg" | sort) ||
        fail "$variant: link.cfg does not connect the memory ports"
    play "$variant" package_kernel.tcl xcu250-figd2104-2L-e work || fail "package_kernel.tcl: $(cat complaint)"
    grep -q "package_xo .*tulle_$variant.xo" played || fail "package_kernel.tcl packs nothing"
    [[ $(grep -o 'rtl/[a-z0-9_]*\.v' played | sort -u | wc -l) == $(grep -c '^rtl/' "$variant/tulle.f") ]] ||
        fail "package_kernel.tcl does not take every file"
done
[[ ! -e hosted/vendor/kernel.xml ]] || fail "a variant with a host port is no kernel of Vitis"
refused 'host_port off' hosted package_kernel.tcl xcu250-figd2104-2L-e

# -- Vivado -----------------------------------------------------------------------------------------------------------------

for variant in tiny wide hosted; do
    play "$variant" synthesize.tcl xcvu9p-flga2104-2-i work || fail "synthesize.tcl: $(cat complaint)"
    play "$variant" block_design.tcl xcvu9p-flga2104-2-i work || fail "block_design.tcl of $variant: $(cat complaint)"
    grep -q '^validate_bd_design' played || fail "block_design.tcl does not end"
done
grep -q 'assign_bd_address .*u_tulle/m_axi_host' played || fail "the copy engine has no addresses"
for script in package_kernel synthesize block_design; do
    refused 'usage:' tiny "$script.tcl"
    refused 'usage:' tiny "$script.tcl" one two three
done
rm wide/rtl/tulle_pe.v
refused 'tulle.f names rtl/tulle_pe.v' wide synthesize.tcl xcvu9p-flga2104-2-i
sed -i /^rtl/d tiny/tulle.f
refused 'names no Verilog files' tiny synthesize.tcl xcvu9p-flga2104-2-i

# The stand-in notices a pin that is not there, and one that is not connected.
sed -i 's/u_tulle\/ap_rst_n/u_tulle\/ap_reset/' hosted/vendor/block_design.tcl
refused 'no ap_reset' hosted block_design.tcl xcvu9p-flga2104-2-i
sed -i 's/^wire .*u_tulle\/ap_reset$//' hosted/vendor/block_design.tcl
refused 'nothing drives ap_rst_n' hosted block_design.tcl xcvu9p-flga2104-2-i

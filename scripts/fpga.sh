# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The open tools for FPGAs, here or in a minimal Debian 13: Debian 12 has no nextpnr-ecp5. Sourced after lib.sh.

# shellcheck source=scripts/debian.sh
source "$TOP/scripts/debian.sh"

FPGA_SUITE=trixie
FPGA_ROOT=$CACHE/$FPGA_SUITE-fpga
FPGA_TOOLS=(yosys nextpnr-ecp5 ecppack nextpnr-ice40 icepack openFPGALoader)

# How nextpnr places. By itself it makes wires short, and paths only a little: of tiny on ECP5 it then comes to 59 MHz after placement,
# with these weights to 67.
# shellcheck disable=SC2034 # for those that source this
PLACER=(--placer-heap-timingweight 100 --placer-heap-critexp 3)

# keep_fpga_tools: they are here, or in the minimal system, or the script is skipped.
keep_fpga_tools() {
    local tool
    FPGA_HERE=1
    for tool in "${FPGA_TOOLS[@]}"; do
        command -v "$tool" >/dev/null || FPGA_HERE=0
    done
    ((FPGA_HERE)) || keep_system "$FPGA_SUITE" fpga nextpnr-ecp5 usr/bin/ecppack \
        yosys nextpnr-ecp5 fpga-trellis nextpnr-ice40 fpga-icestorm openfpgaloader
}

# run COMMAND...: in the folder DIR, here or in the minimal system. Yosys wants /proc.
run() {
    if ((FPGA_HERE)); then
        (cd "$DIR" && "$@")
        return
    fi
    inside_with "$FPGA_ROOT" "$DIR" "$@"
}

# tool_version TOOL: a word.
tool_version() {
    case $1 in
    yosys) run yosys -V | awk '{ print $2 }' ;;
    *) run "$1" --version 2>&1 | sed 's/.*Version \([^)]*\)).*/\1/' ;;
    esac
}

# used LOG: what of the FPGA nextpnr has used, a line each: name, how many, of how many there are.
used() {
    awk '/Device utilisation:/ { on = 1; split("", seen); next }
        on && /\// && $0 ~ /%/ { line = $0; sub(/^Info: */, "", line); gsub(/[:\/]/, " ", line); split(line, w, " ")
            if (!(w[1] in seen) && w[2] > 0) print w[1], w[2], w[3]
            seen[w[1]] = 1; next }
        on { on = 0; exit }' "$1"
}

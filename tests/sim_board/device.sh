#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Verilated device, end to end: operators from packed weights to a checked result, with random stalls on every
# channel of the memory, slow and fast memory, and answers that are errors or never come.
# timeout: 600
set -euo pipefail

# shellcheck source=tests/sim_board/device_lib.sh
source "$TOP/tests/sim_board/device_lib.sh"

device tiny tiny
for seed in 1 2 3 4; do
    agrees spmm --rows 8 --held 2 --k 64 --n 32 --density 0.3 --seed "$seed" --stalls "$seed"
    agrees spmv --rows 40 --k 96 --density 0.2 --seed "$seed" --stalls "$seed" --latency 5
done
agrees spmm --rows 4 --held 2 --k 16 --n 8 --density 0 --latency 200 --bandwidth 1/3

# Two memory ports: rows are loaded beside each other.
device tiny-ports tiny --set memory_ports=2
for seed in 1 2 3; do
    agrees spmm --rows 8 --held 2 --k 64 --n 32 --density 0.3 --seed "$seed" --stalls "$seed"
    agrees spmv --rows 40 --k 96 --density 0.2 --seed "$seed" --stalls "$seed" --latency 5
done
ends_with read_slave_error spmv --rows 40 --k 96 --fault slverr:read

device tiny tiny
ends_with read_slave_error spmm --rows 4 --held 2 --k 16 --n 8 --fault slverr:read
ends_with read_decode_error spmm --rows 4 --held 2 --k 16 --n 8 --fault decerr:read
ends_with write_slave_error spmm --rows 4 --held 2 --k 16 --n 8 --fault slverr:write
ends_with write_decode_error spmm --rows 4 --held 2 --k 16 --n 8 --fault decerr:write
finish

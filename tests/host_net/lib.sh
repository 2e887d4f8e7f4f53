# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of networks share.
set -euo pipefail
cd "$TMPDIR"
tulle=$BUILD/bin/tulle
tables=$BUILD/tests/tool/net-tables
# Debian's Python has the packages of the distribution; another one may come first in PATH.
PYTHON=/usr/bin/python3
export tulle tables PYTHON

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

# pixels FILE SIDE [LEFT TOP STEP]...: a square of a picture (BMP, 24 bits) as bytes RGB, with so many pixels on a side, each
# the nearest of the file's; of the whole picture, or of places whose pixels are so far apart.
pixels() {
    "$PYTHON" - "$@" <<'P'
import struct, sys
path, side, *places = sys.argv[1], *map(int, sys.argv[2:])
data = open(path, "rb").read()
begin, width, height = struct.unpack_from("<I4xii", data, 10)
line = (width * 3 + 3) // 4 * 4

def pixel(x, y):
    at = begin + (height - 1 - y) * line + 3 * x
    return data[at + 2], data[at + 1], data[at]

def square(place):
    for y in range(side):
        for x in range(side):
            u, v = (place[0] + x * place[2], place[1] + y * place[2]) if place else (x * width // side, y * height // side)
            sys.stdout.buffer.write(bytes(pixel(min(u, width - 1), min(v, height - 1))))

for i in range(0, max(1, len(places)), 3):
    square(places[i:i + 3])
P
}

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs as C: without warnings and with the model's bits, whatever compiles them.
# timeout: 600

# shellcheck source=tests/host_software/lib.sh
source "$TOP/tests/host_software/lib.sh"

programs tiny 1 30
compiles tiny gcc -O0
compiles tiny gcc -O3
programs networks 1 40
compiles networks gcc -O1
compiles networks clang -O1
compiles networks gcc -O1 -fsanitize=address,undefined -fno-sanitize-recover
other_machines networks

# Weights that are a byte each.
"$BUILD/bin/tulle-gen" tiny --set plain_weights=on --print >"$TMPDIR/plain.yaml"
flows "$TMPDIR/plain.yaml" 1 100
flows "$TMPDIR/plain.yaml" 1 100 harmed

# And a bit for each place.
"$BUILD/bin/tulle-gen" tiny --set plain_weights=on --set bitmap_weights=on --print >"$TMPDIR/bitmap.yaml"
flows "$TMPDIR/bitmap.yaml" 1 100
flows "$TMPDIR/bitmap.yaml" 1 100 harmed

# A changed program whose softmax reads the memory that it writes: numbers of a row are those from before.
flows networks 68134 1 harmed

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The generator needs libc and libyaml, and nothing else: neither OpenCL nor Verilator.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

needed=$(readelf -d "$GEN" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
grep -q '^libc\.so' <<<"$needed" || fail "what the generator needs could not be read"
# The parts of the C library and, with sanitizers, what these need of the compiler.
extra=$(grep -Ev "^(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libyaml-0)\.so\.|^ld-linux|^lib[a-z]+san\.so\." <<<"$needed" || [[ $? == 1 ]])
[[ -z $extra ]] || fail "the generator needs $extra"

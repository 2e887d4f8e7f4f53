#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The library shows the loader's three functions and nothing else, names what it needs, and is never unloaded.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"

nm -D --defined-only "$DRIVER" | awk '{ print $3 }' | sort >shown
printf '%s\n' clGetExtensionFunctionAddress clGetPlatformInfo clIcdGetPlatformIDsKHR >wanted
diff wanted shown || fail "exported symbols: wanted (<), there (>)"
readelf -d "$DRIVER" >dynamic
grep -q NODELETE dynamic || fail "the library can be unloaded under its own threads"
! grep -q 'TEXTREL' dynamic || fail "code that is not position-independent"
! grep -q 'NEEDED.*libOpenCL' dynamic || fail "the driver needs the loader"

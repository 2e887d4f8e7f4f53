#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libtulle shows the header's functions and nothing else, and reaches devices through the OpenCL API alone: it
# links the loader and not what is behind it.

# shellcheck source=tests/host_lib/lib.sh
source "$TOP/tests/host_lib/lib.sh"
plain_build

declared >wanted
(($(wc -l <wanted) >= 15)) || fail "the header's functions are not found: $(cat wanted)"

nm -D --defined-only "$LIBRARY" | awk '{ print $3 }' | sort >shown
diff wanted shown || fail "dynamic symbols: the header's (<), the library's (>)"
# What its objects use of each other has names that no program has.
nm -g --defined-only "$BUILD/lib/libtulle.a" | awk 'NF == 3 && $3 !~ /^tulle_private_/ { print $3 }' | sort >shown
diff wanted shown || fail "global symbols of the static library: the header's (<), there (>)"

# The C library is in one piece or several, and brings the dynamic linker.
readelf -d "$LIBRARY" >dynamic
sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p' dynamic | grep -vxE 'libpthread|ld-linux.*' | sort >needed
printf '%s\n' libOpenCL libc libjansson libm libyaml-0 | diff - needed || fail "libraries: wanted (<), there (>)"
abi=$(sed -n 's/^LIB_ABI *:= //p' "$TOP/host/host.mk")
grep -q "(SONAME).*\[libtulle\.so\.$abi\]" dynamic || fail "the soname is not libtulle.so.$abi"
! grep -q TEXTREL dynamic || fail "code that is not position-independent"
grep -q BIND_NOW dynamic || fail "addresses of functions stay writable"

# What both ask of others: C++ or Verilator, objects loaded at run time, boards and the driver's own finding of them
# would be a way past OpenCL. Nothing later than 1.2 is asked of the loader.
# Files of networks are mapped, which the products' object of the static library must not do.
ar p "$BUILD/lib/libtulle.a" libtulle.a.products.o >products.o
for file in "$LIBRARY" products.o; do
    nm "$file" | awk 'NF > 1 { print $NF }' | sort -u >names
    grep -q '^clEnqueueTask' names || fail "$file: no job is enqueued through OpenCL"
    mapping=mmap
    [[ $file != "$LIBRARY" ]] || mapping=mmap_of_nobody
    ! grep -E "^(_Z|dl(m?open|v?sym|addr)|board_|candidate|verilat|Verilat|top_open|$mapping|ioctl|socket|exec[lv]|fork|system$)" names ||
        fail "$file has these names"
done
nm -D --undefined-only "$LIBRARY" | awk '{ print $NF }' | grep '^cl[A-Z]' | sort >opencl
! grep -v '@OPENCL_1\.[0-2]$' opencl || fail "these are not of OpenCL 1.2"

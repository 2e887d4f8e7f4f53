#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clinfo, which asks for everything, gets an answer to everything, alone and beside a driver of others; by whichever loader
# the environment has.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build
command -v clinfo >/dev/null || { echo "skipped: no clinfo" && exit 77; }
export TULLE_DEVICES="model:tiny,model:base;memory=1M"

# ask OPTION...: what clinfo says, into the file out.
ask() {
    timeout 100 clinfo "$@" >out 2>err || fail "clinfo $*: exit status $?: $(cat err)"
    [[ ! -s err ]] || fail "clinfo $*: $(cat err)"
}

# clean FILE: every line that is not a heading has a value, and none is an error or what clinfo prints in its place: a
# call that failed is a name and a number in angle brackets, a value that no specification has is unknown or a number.
clean() {
    ! LC_ALL=C grep -n '[^ -~]' "$1" || fail "clinfo got bytes that are no text"
    ! grep -niE 'error|garbage|invalid|unknown|bogus|<[a-z]|: -[0-9]' "$1" |
        grep -vi -e 'error.correction.support' -e '<error: no devices in non-default plaforms>' ||
        fail "clinfo got errors"
    awk '{ line = $0; gsub(/^ +| +$/, "", line) }
         /^ / && line !~ /  / && line !~ /^(Preferred \/ native vector sizes|Queue properties|Execution capabilities|Device Extensions|)$/ {
             print; bad = 1 }
         END { exit bad }' "$1" || fail "clinfo got nothing"
}

export OCL_ICD_VENDORS=$VENDORS
ask
clean out
grep -q 'Platform Name *Tulle' out || fail "no platform"
grep -q 'Number of devices *2' out || fail "not two devices"
grep -q 'Device Name *tulle model:base' out || fail "no base"
grep -q 'Built-in kernels *tulle_run' out || fail "no kernel"

# The names as the specification writes them, with what the device is: each property of OpenCL 1.2 that clinfo asks such a device for.
ask --raw
clean out
awk '$1 == "[TULLE/0]" { print $2 }' out | sort -u >asked
for name in VENDOR_ID MAX_{COMPUTE_UNITS,WORK_{ITEM_{DIMENSIONS,SIZES},GROUP_SIZE},CLOCK_FREQUENCY,MEM_ALLOC_SIZE} \
    {PREFERRED,NATIVE}_VECTOR_WIDTH_{CHAR,SHORT,INT,LONG,FLOAT,DOUBLE,HALF} ADDRESS_BITS IMAGE_SUPPORT \
    MAX_{PARAMETER_SIZE,CONSTANT_{BUFFER_SIZE,ARGS}} MEM_BASE_ADDR_ALIGN SINGLE_FP_CONFIG \
    GLOBAL_MEM_{CACHE_TYPE,SIZE} LOCAL_MEM_{TYPE,SIZE} ERROR_CORRECTION_SUPPORT HOST_UNIFIED_MEMORY \
    PROFILING_TIMER_RESOLUTION ENDIAN_LITTLE AVAILABLE COMPILER_AVAILABLE LINKER_AVAILABLE EXECUTION_CAPABILITIES \
    QUEUE_PROPERTIES BUILT_IN_KERNELS NAME VENDOR PROFILE VERSION OPENCL_C_VERSION EXTENSIONS PRINTF_BUFFER_SIZE \
    PREFERRED_INTEROP_USER_SYNC PARTITION_{MAX_SUB_DEVICES,PROPERTIES,AFFINITY_DOMAIN} TYPE; do
    grep -qx "CL_DEVICE_$name" asked || fail "clinfo does not tell CL_DEVICE_$name"
done
grep -Eq '^\[TULLE/0\] +CL_DEVICE_TYPE +CL_DEVICE_TYPE_ACCELERATOR *$' out || fail "type: $(grep DEVICE_TYPE out)"
grep -Eq '^\[TULLE/1\] +CL_DEVICE_GLOBAL_MEM_SIZE +983040 *$' out || fail "memory: $(grep GLOBAL_MEM_SIZE out)"
grep -Eq '^ +CL_PLATFORM_ICD_SUFFIX_KHR +TULLE *$' out || fail "suffix: $(grep SUFFIX out)"

# With no device the platform is still there, and nobody falls over.
TULLE_DEVICES='' ask
clean out
grep -q 'Number of devices *0' out || fail "devices from nowhere"

# Beside a processor's driver: the same lines for the same devices, and the other's are its own, whichever of the two
# stands for a platform that is not said. ocl-icd is told which; the Khronos loader takes the first for contexts of a
# type, which are those of OCL_ICD_FILENAMES, and none for anything else.
pocl=$(cat /etc/OpenCL/vendors/pocl.icd 2>/dev/null) || { echo "skipped: no PoCL" && exit 77; }
section() {
    awk '/^  Platform Name/ { ours = $3 == "Tulle" } /^(NULL platform|ICD loader)/ { ours = 0 } ours && NF' out
}
ask
section >alone
mkdir vendors
echo "$DRIVER" >vendors/tulle.icd
echo "$pocl" >vendors/pocl.icd
export OCL_ICD_VENDORS=$PWD/vendors
khronos=0
! grep -q 'ICD loader Name *Khronos' out || khronos=1
for default in 0 1; do
    export OCL_ICD_DEFAULT_PLATFORM=$default
    ((!khronos || default)) || export OCL_ICD_FILENAMES=$DRIVER
    ask
    unset OCL_ICD_FILENAMES
    grep -q 'Number of platforms *2' out || fail "not two platforms: $(cat out)"
    section >beside
    clean beside
    diff alone beside || fail "alone (<), beside PoCL (>)"
    # Contexts of a type and of no platform: nobody's devices are taken for another's.
    sed -n '/^NULL platform/,/^ICD loader/p' out >default.$default
    clean default.$default
done
((khronos)) || grep -hq 'clGetPlatformInfo(NULL.*  Tulle' default.? || fail "never the platform that is not said: $(cat default.?)"
grep -hq 'Device Name *tulle model:base' default.? ||
    fail "the platform that is not said has no devices: $(cat default.?)"
ask -l
grep -q 'Device #1: tulle model:base' out || fail "not in the list: $(cat out)"

# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The driver for `goldens --device`.
DRIVER=$BUILD/lib/libtulle-icd.so
if grep -q '__[at]san_init' < <(nm -D "$DRIVER"); then
    echo "skipped: a driver with a sanitizer goes into programs with one only"
    exit 77
fi
export OCL_ICD_VENDORS=$DRIVER

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Ten thousand programs in a process leave nothing behind.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build
OCL_ICD_VENDORS=$VENDORS TULLE_DEVICES='model:tiny;memory=64M' "$BUILD/tests/tool/icd-cycles" 10000

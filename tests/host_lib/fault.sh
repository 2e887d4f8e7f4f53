#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every allocation fails once, wherever it is made: each call answers with a status, and nothing is left behind.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
plain_build
OCL_ICD_VENDORS=$VENDORS TULLE_DEVICES=model:tiny "$BUILD/tests/tool/lib-fault"

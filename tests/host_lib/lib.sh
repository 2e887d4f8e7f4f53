# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the tests of libtulle from outside share.

# shellcheck source=tests/host_icd/lib.sh
source "$TOP/tests/host_icd/lib.sh"
LIBRARY=$BUILD/lib/libtulle.so
HEADER=$TOP/host/tulle.h
MAN=$TOP/host/man
export LIBRARY HEADER MAN
# Of whoever runs the tests.
unset TULLE_DEVICES TULLE_BOARDS OCL_ICD_VENDORS LD_LIBRARY_PATH

# declared: the functions of the header, sorted.
declared() {
    tr '\n' ' ' <"$HEADER" | grep -o 'TULLE_API [^(;]*(' | sed -n 's/.*[ *]\(tulle_[a-z_]*\)($/\1/p' | sort
}

# build_c FLAG...: the compiler with every warning that users may have.
build_c() {
    gcc -std=c11 -Wall -Wextra -pedantic -Werror "$@"
}

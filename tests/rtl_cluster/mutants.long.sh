#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sample of the seeded bugs in the PE and in the control unit; mutants.soak.sh has all.
# timeout: 1800
set -euo pipefail

SAMPLE=6 exec "$TOP/tests/rtl_cluster/mutants.soak.sh"

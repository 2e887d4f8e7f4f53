#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bench of the PE with ten seeds.
# timeout: 900
SEEDS=10 exec "$TOP/tests/rtl/pe.sh"

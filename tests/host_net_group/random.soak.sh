#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Many random networks: every cut of 200 small ones, the best cover and the bank of 1,000.
# timeout: 3600
# expected: 900
set -euo pipefail
program=$BUILD/tests/host_net_group
TULLE_GROUP_NETWORKS=200 "$program" --filter 'host_net_group_slicing/*'
TULLE_GROUP_NETWORKS=1000 "$program" --filter 'host_net_group_bank/*'
TULLE_GROUP_NETWORKS=1000 "$program" --filter 'host_net_group_cover/*'

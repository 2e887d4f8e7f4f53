#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every seeded bug of the planner and of the models is noticed by its check.
# timeout: 3600
# expected: 500
set -euo pipefail

exec "$TOP/tests/seeded/play" planner models

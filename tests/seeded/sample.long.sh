#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sample of the seeded bugs; the texts of all are looked for. The soak tests of this folder play every one.
# timeout: 1800
set -euo pipefail

exec "$TOP/tests/seeded/play" --sample 45

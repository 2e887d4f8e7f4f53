#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every seeded bug of the driver, the library, PCIe and the generator is noticed by its check.
# timeout: 3600
# expected: 700
set -euo pipefail

exec "$TOP/tests/seeded/play" driver library pcie generator

# SPDX-License-Identifier: Apache-2.0
# Proofs, area, clock and coverage of the Verilog: docs/hardware-checks.md. PROOFS="fifo slice" selects.

PROOFS ?=

.PHONY: formal formal-quick area area-record clock clock-record coverage-rtl
formal: all ## Prove the leaf modules' properties (PROOFS="fifo slice" selects)
	@$(RUN) scripts/formal $(PROOFS)

formal-quick: all ## The quick tier of the proofs
	@$(RUN) scripts/formal --quick $(PROOFS)

area: all ## Area of the base and base4 clusters (UltraScale+) against what is recorded
	@$(RUN) scripts/area || test $$? = 77

area-record: all ## Record the area
	@$(RUN) scripts/area --record

clock: all ## Clock of the base cluster (ECP5) against what is recorded
	@$(RUN) scripts/clock || test $$? = 77

clock-record: all ## Record the clock
	@$(RUN) scripts/clock --record

coverage-rtl: all tests ## Line and toggle coverage of the Verilog
	@$(RUN) scripts/coverage-rtl

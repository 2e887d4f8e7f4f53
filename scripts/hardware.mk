# SPDX-License-Identifier: Apache-2.0
# Proofs, area, clock and coverage of the Verilog: docs/hardware-checks.md. PROOFS="fifo slice" selects.

PROOFS ?=

.PHONY: formal formal-quick area area-record clock clock-record coverage-rtl synth bitstream gate-level
formal: all ## Prove the leaf modules' properties (PROOFS="fifo slice" selects)
	@$(RUN) scripts/formal $(PROOFS)

formal-quick: all ## The quick tier of the proofs
	@$(RUN) scripts/formal --quick $(PROOFS)

area: all ## What base and base4 cost (UltraScale+) against what is recorded
	@$(RUN) scripts/synth --check || test $$? = 77

area-record: all ## Record the area
	@$(RUN) scripts/synth --record

clock: all ## Clock of the base cluster (ECP5) against what is recorded
	@$(RUN) scripts/clock || test $$? = 77

clock-record: all ## Record the clock
	@$(RUN) scripts/clock --record

coverage-rtl: all tests ## Line and toggle coverage of the Verilog
	@$(RUN) scripts/coverage-rtl

TARGET ?= xcup
synth: all ## What VARIANT costs on an FPGA: TARGET=xcup, xc7, ecp5, ice40, generic or all
	@$(RUN) scripts/synth --modules --target '$(TARGET)' '$(VARIANT)'

# The board's own variant unless one is given.
BOARD ?=
bitstream: all $(BUILD)/tests/tool/tap ## The bitstream of BOARD (VARIANT=... for another than the board's own)
	@$(RUN) scripts/bitstream $(BOARD) $(if $(filter command line,$(origin VARIANT)),'$(VARIANT)') || test $$? = 77

gate-level: all ## The netlist of tiny in place of its RTL: the same results
	@$(RUN) scripts/gate-level

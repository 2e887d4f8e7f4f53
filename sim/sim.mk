# SPDX-License-Identifier: Apache-2.0
# The executable specification (numerics, functional model, cycle model), and the boards that a device sits on:
# simulated (docs/board.md), behind a PCIe function (docs/pcie.md) and behind a serial line (docs/serial.md).
# None of the C code needs Verilator: a simulated device is a shared object that sim/board/build makes, a row of
# clusters one that sim/verilated/build makes, for a test or a user that asks for it.

SIM_SOURCES := $(wildcard sim/numerics/*.c sim/model/*.c sim/cycle/*.c)
SIM_LIB     := $(BUILD)/sim/libtulle-sim.a
$(eval $(call archive,$(SIM_LIB),$(SIM_SOURCES)))

BOARD_SOURCES := $(wildcard sim/board/*.c)
BOARD_LIB     := $(BUILD)/sim/libtulle-board.a
$(eval $(call archive,$(BOARD_LIB),$(BOARD_SOURCES)))

VERILATED_LIB := $(BUILD)/sim/libtulle-verilated.a
$(eval $(call archive,$(VERILATED_LIB),$(wildcard sim/verilated/*.c)))

# Its messages are also those of the board that reaches such a function (host/pcie).
PCIE_SOURCES := $(filter-out sim/pcie/main.c,$(wildcard sim/pcie/*.c))
PCIE_LIB     := $(BUILD)/sim/libtulle-pcie.a
$(eval $(call archive,$(PCIE_LIB),$(PCIE_SOURCES)))

SIM_FLAGS := $(GEN_LIBS) -ljansson -pthread -ldl -lm

PROGRAMS += $(BUILD)/bin/tulle-pcied $(BUILD)/bin/tulle-seriald
$(eval $(call executable,$(BUILD)/bin/tulle-pcied,$(BUILD)/sim/pcie/main.o,$(PCIE_LIB) $(BOARD_LIB) $(SIM_LIB) $(GEN_LIB),$(SIM_FLAGS)))
$(eval $(call executable,$(BUILD)/bin/tulle-seriald,$(patsubst %.c,$(BUILD)/%.o,$(wildcard sim/serial/*.c)),$(BOARD_LIB) $(GEN_LIB),$(SIM_FLAGS)))

# SPDX-License-Identifier: Apache-2.0
# The PCIe function served over vfio-user (docs/pcie.md). The messages are also the board's that reaches such a
# function (host/pcie), and in its library.

PCIE_SOURCES := $(filter-out sim/pcie/main.c $(BOARD_SOURCES),$(wildcard sim/pcie/*.c))
PCIE_OBJECTS := $(PCIE_SOURCES:%.c=$(BUILD)/%.o)
PCIE_LIB     := $(BUILD)/sim/libtulle-pcie.a
PCIED        := $(BUILD)/bin/tulle-pcied
PROGRAMS     += $(PCIED)
DEPS         += $(PCIE_OBJECTS:.o=.d) $(BUILD)/sim/pcie/main.d

$(PCIE_LIB): $(PCIE_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

$(PCIED): $(BUILD)/sim/pcie/main.o $(PCIE_LIB) $(BOARD_LIB) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

# Calls of the kernel that tests/sim_pcie/kernel.c stands in for.
PCIE_WRAPPED := open close ioctl pread pwrite mmap memfd_create

TEST_LIBS-sim_pcie := $(PCIE_WRAPPED:%=-Wl,--wrap=%) $(patsubst %,$(BUILD)/sim/board/tool/%.o,attempt problem) $(BUILD)/sim/explore/run.o $(PCIE_LIB) $(BOARD_LIB) \
                      $(BOARD_HOST) $(SIM_LIB) -ljansson -pthread -ldl -lm

# How fast a device behind the function is reached. Not a test: it depends on the machine.
PCIE_BENCH := $(BUILD)/bin/bench-pcie
PROGRAMS   += $(PCIE_BENCH)
DEPS       += $(BUILD)/sim/bench/pcie.d
$(PCIE_BENCH): $(BUILD)/sim/bench/pcie.o $(PCIE_LIB) $(BOARD_LIB) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

.PHONY: bench-pcie
bench-pcie: $(PCIE_BENCH) $(BUILD)/bin/tulle-gen ## Measure register reads, copies and interrupts of a device behind the PCIe function
	@$<
	@BUILD='$(abspath $(BUILD))' sim/board/build -o '$(abspath $(BUILD))/board/tiny-host' tiny --set host_port=on
	@$< 'sim:$(BUILD)/board/tiny-host'

# What scripts/check-vm runs in its guest.
PCIE_GUEST         := $(BUILD)/tests/tool/pcie-guest
PCIE_GUEST_OBJECTS := $(patsubst %,$(BUILD)/obj/tests/sim_pcie/%.o,tool/guest engine)
TESTS              += $(PCIE_GUEST)
DEPS               += $(BUILD)/obj/tests/sim_pcie/tool/guest.d
$(PCIE_GUEST): $(PCIE_GUEST_OBJECTS) $(BUILD)/sim/board/tool/problem.o $(BUILD)/sim/explore/run.o $(PCIE_LIB) $(BOARD_LIB) $(BOARD_HOST) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

# A hostile client of the server, by libFuzzer: everything that it reaches is built for that, with clang.
PCIE_FUZZ         := $(BUILD)/tests/tool/pcie-fuzz
PCIE_FUZZ_SECONDS ?= 600
$(PCIE_FUZZ): $(BUILD)/obj/tests/sim_pcie/tool/fuzz.o $(PCIE_LIB) $(BOARD_LIB) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

.PHONY: fuzz-pcie
fuzz-pcie: ## Fuzz the server of the PCIe function (PCIE_FUZZ_SECONDS=600; docs/pcie.md)
	@$(RUN) tests/sim_pcie/tool/fuzz $(PCIE_FUZZ_SECONDS)

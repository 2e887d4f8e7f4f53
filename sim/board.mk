# SPDX-License-Identifier: Apache-2.0
# Boards (docs/board.md): the simulated one, the functional model, what is behind a PCIe
# function (docs/pcie.md) and what is behind a serial line (docs/serial.md).
# The C code needs no Verilator; a simulated device is a shared object that sim/board/build makes, for a test or a user
# that wants it.

BOARD_SOURCES := $(wildcard sim/board/*.c host/pcie/*.c host/serial/*.c) $(patsubst %,sim/pcie/%.c,message capabilities wire)
BOARD_OBJECTS := $(BOARD_SOURCES:%.c=$(BUILD)/%.o)
BOARD_LIB     := $(BUILD)/sim/libtulle-board.a
DEPS          += $(BOARD_OBJECTS:.o=.d)
PROGRAMS      += $(BOARD_LIB)

$(BOARD_LIB): $(BOARD_OBJECTS)
	rm -f $@ && $(AR) rcs $@ $^

# Operators on a board, checked (sim/board/tool). Libraries of host/, whose fragment comes later, are named in full.
BOARD_HOST := $(BUILD)/host/libtulle-plan.a $(BUILD)/host/libtulle-formats.a

TULLE_SIM         := $(BUILD)/bin/tulle-sim
TULLE_SIM_SOURCES := $(wildcard sim/board/tool/*.c)
TULLE_SIM_OBJECTS := $(TULLE_SIM_SOURCES:%.c=$(BUILD)/%.o)
PROGRAMS          += $(if $(TULLE_SIM_SOURCES),$(TULLE_SIM))
DEPS              += $(TULLE_SIM_OBJECTS:.o=.d)

$(TULLE_SIM): $(TULLE_SIM_OBJECTS) $(BUILD)/sim/explore/run.o $(BOARD_LIB) $(BOARD_HOST) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

TEST_LIBS-sim_board := $(BOARD_LIB) $(BOARD_HOST) $(SIM_LIB) -ljansson -pthread -ldl -lm

# What tests/sim_board/stand-in.sh runs.
BOARD_TEST         := $(BUILD)/tests/tool/board-test
BOARD_TEST_SOURCES := $(wildcard tests/sim_board/tool/*.c)
BOARD_TEST_OBJECTS := $(BOARD_TEST_SOURCES:%.c=$(BUILD)/obj/%.o)
TESTS              += $(if $(BOARD_TEST_SOURCES),$(BOARD_TEST))
DEPS               += $(BOARD_TEST_OBJECTS:.o=.d)

$(BOARD_TEST): $(BOARD_TEST_OBJECTS) $(BOARD_LIB) $(BOARD_HOST) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -lcriterion -ljansson -pthread -ldl -lm -o $@

# What tests/sim_board/dispatch.sh runs.
DISPATCH_TEST := $(BUILD)/tests/tool/dispatch-test
TESTS         += $(DISPATCH_TEST)
DEPS          += $(BUILD)/obj/tests/sim_board/dispatch/dispatch.d

$(DISPATCH_TEST): $(BUILD)/obj/tests/sim_board/dispatch/dispatch.o $(BOARD_LIB) $(BOARD_HOST) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

# Cases on the Verilated device beside what the cycle model says of them (docs/board.md).
BENCH_DEVICE         := $(BUILD)/bin/bench-device
BENCH_DEVICE_OBJECTS := $(BUILD)/sim/bench/device.o $(patsubst %,$(BUILD)/sim/board/tool/%.o,attempt problem) \
                        $(patsubst %,$(BUILD)/sim/explore/%.o,case_file run)
DEPS                 += $(BUILD)/sim/bench/device.d
PROGRAMS             += $(BENCH_DEVICE)

$(BENCH_DEVICE): $(BENCH_DEVICE_OBJECTS) $(BOARD_LIB) $(BOARD_HOST) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

.PHONY: bench-device
bench-device: $(BENCH_DEVICE) $(BUILD)/bin/tulle-gen ## The frozen cases on the Verilated device, beside the cycle model (BENCH_ARGS=--json)
	@BUILD='$(abspath $(BUILD))' $< $(BENCH_ARGS) tests/bench/cases.tsv tests/bench/device-cases.tsv

# The simulated board's speed, and what it costs beside evaluation alone. Not a test: it depends on the machine.
DEPS += $(BUILD)/sim/bench/speed.d
$(BUILD)/bin/bench-sim: $(BUILD)/sim/bench/speed.o $(BUILD)/sim/board/tool/problem.o $(BUILD)/sim/explore/run.o \
                        $(BOARD_LIB) $(BOARD_HOST) $(SIM_LIB) $(GEN_LIB)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) $^ $(GEN_LIBS) -ljansson -pthread -ldl -lm -o $@

.PHONY: bench-sim
bench-sim: $(BUILD)/bin/bench-sim $(BUILD)/bin/tulle-gen ## Measure the simulated board's PE-cycles a second
	@sim/board/build -o '$(abspath $(BUILD))/board/$(VARIANT)' $(VARIANT)
	@BUILD='$(abspath $(BUILD))' $< $(VARIANT)
